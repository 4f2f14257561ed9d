"""State of a simulated campaign: the pool of pairs in arrays, who saw what, and which pairs are reserved."""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from campaign_simulation.world import FAR, JUNK, LANGUAGES, OWN, World
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS, SamplerSettings, Slot, is_candidate, need

_ROW = np.dtype(
    [
        ("country", np.int64),
        ("rank", np.int64),
        ("language", np.int64),
        ("negative", np.bool_),
        ("topic", np.int64),
        ("seed", np.bool_),
        ("calibration", np.bool_),
        ("candidate", np.bool_),
        ("need", np.int64),
        ("ratings", np.int64),
        ("own", np.int64),
        ("near", np.int64),
        ("mentions", np.int64),
        ("total", np.int64),
        ("squares", np.int64),
        ("since", np.float64),
    ]
)


class NewPair(NamedTuple):
    """A pair as it enters the pool: places in the lists of countries and languages, its rank in the world."""

    country: int
    rank: int
    language: int
    negative: bool
    topic: int
    seed: bool = False
    calibration: bool = False
    candidate: bool = False


class MemoryPool:
    """Pairs by number, all live; nobody leaves topics out in simulations.

    Args:
        settings: k, k_max, what counts as disagreement.

    Attributes:
        size: pairs in it. missing: ratings missing up to k. candidates: pairs that wait for a second mention.
        now: the minute.
    """

    def __init__(self, settings: SamplerSettings) -> None:
        self._settings = settings
        self._rows = np.zeros(1_024, dtype=_ROW)
        self.size = 0
        self.missing = 0
        self.candidates = 0
        self.now = 0.0

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column of all pairs, by number."""
        return self._rows[column][: self.size]

    def codes(self, pair: int) -> tuple[int, int, int, int]:
        """Country, rank, language and ratings of a pair."""
        row = self._rows[pair]
        return int(row["country"]), int(row["rank"]), int(row["language"]), int(row["ratings"])

    def filled(self, pair: int) -> Counter[Slot]:
        """The ratings of a pair by what they were for."""
        row = self._rows[pair]
        own, near = int(row["own"]), int(row["near"])
        return Counter({Slot.OWN: own, Slot.NEAR: near, Slot.ANYONE: int(row["ratings"]) - own - near})

    def add(self, pair: NewPair) -> int:
        """Put a pair into the pool at `now`; gives its number."""
        number = self.size
        if number == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(number, dtype=_ROW)])
        row = self._rows[number]
        for name, value in pair._asdict().items():
            row[name] = value
        row["since"] = self.now
        row["need"] = CANDIDATE if pair.candidate else NEEDS
        self.candidates += pair.candidate
        self.missing += 0 if pair.candidate else self._settings.k
        self.size += 1
        return number

    def promote(self, pair: int) -> None:
        """Let a candidate ask for ratings from now on."""
        row = self._rows[pair]
        row["candidate"], row["since"], row["need"] = False, self.now, NEEDS
        self.candidates -= 1
        self.missing += self._settings.k

    def rate(self, pair: int, value: int, slot: Slot) -> None:
        """Count a rating for a slot."""
        row = self._rows[pair]
        self.missing -= bool(row["ratings"] < self._settings.k)
        row["ratings"] += 1
        row["total"] += value
        row["squares"] += value * value
        if slot is not Slot.ANYONE:
            row[slot.value] += 1
        ratings = int(row["ratings"])
        variance = row["squares"] / ratings - (row["total"] / ratings) ** 2 if ratings > 1 else None
        row["need"] = need(ratings, variance, self._settings)

    def mention(self, pair: int) -> None:
        """Count that somebody proposed a pair unprompted."""
        self._rows[pair]["mentions"] += 1


_SEED_STREAM = 1

BEYOND_SLOTS = frozenset({"topup", "open", "backup", "calibration"})
"""Tiers that may ask for ratings beyond k on purpose; what others get beyond k is surplus."""


@dataclass(frozen=True)
class Card:
    """What a person is shown: a pair to rate, or (`pair` None) the question what people say about a country.

    Attributes:
        country: place of the country in the world.
        pair: number of the pair in the pool.
        adds: whether the fields for further pairs are there.
        ticks: whether further countries can be ticked. words: whether there is a field for words.
        topic: the topic that an open question names; None where it names none.
        tier: where it was drawn from.
        slot: what the rating is for; None where the arm does not say.
        propensity: see `sampler.Match`, or the probability that this pair had; None where the arm does not know it.
        lease: minutes for which the pair is reserved; 0 means not at all.
    """

    country: int
    pair: int | None = None
    adds: bool = True
    ticks: bool = True
    words: bool = True
    topic: int | None = None
    tier: str = ""
    slot: Slot | None = None
    propensity: float | None = None
    lease: float = 0.0


@dataclass(frozen=True)
class Proposal:
    """What a person wrote or ticked.

    Attributes:
        country, rank, language: the pair.
        wording: 0 for the usual words, other numbers for unusual ones.
        caught: whether the likeness of unusual words is noticed at entry.
        ticked: it was ticked, not written.
    """

    country: int
    rank: int
    language: int
    wording: int
    caught: bool
    ticked: bool = False


@dataclass(frozen=True)
class Wait:
    """Nothing to do before this minute."""

    until: float


@dataclass
class Ratings:
    """All ratings in the order in which they came; one entry a rating in each list."""

    person: list[int] = field(default_factory=list)
    pair: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)
    propensity: list[float] = field(default_factory=list)
    late: list[bool] = field(default_factory=list)
    over: list[bool] = field(default_factory=list)
    """The pair had k ratings already."""
    surplus: list[bool] = field(default_factory=list)
    """The same, and nobody had asked for more."""


class Leases:
    """Pairs reserved by open cards; each person holds one at most.

    Attributes:
        held: slots that open cards hold, by pair.
        card: of each person who holds one: its pair and slot, and when the lease ends.
    """

    def __init__(self) -> None:
        self.held: dict[int, Counter[Slot]] = {}
        self.card: dict[int, tuple[int, Slot, float]] = {}
        self._ends: list[tuple[float, int]] = []

    def take(self, person: int, pair: int, slot: Slot, until: float) -> None:
        """Reserve a slot of a pair for a person."""
        self.card[person] = pair, slot, until
        self.held.setdefault(pair, Counter())[slot] += 1
        heapq.heappush(self._ends, (until, person))

    def release(self, person: int) -> None:
        """Give back what a person holds, if anything."""
        pair, slot, _ = self.card.pop(person, (None, None, 0.0))
        if pair is not None and slot is not None:
            self.held[pair][slot] -= 1
            if not self.held[pair].total():
                del self.held[pair]

    def expire(self, now: float) -> None:
        """Give back what is over."""
        while self._ends and self._ends[0][0] <= now:
            until, person = heapq.heappop(self._ends)
            if person in self.card and self.card[person][2] == until:
                self.release(person)


class Campaign:
    """One campaign of one arm in one world.

    Attributes:
        settings: of the sampler; `k` holds for every arm.
        share: part of their time that people of a survey spend on writing, for arms that have one.
        number: cards that each person was shown.
        last: countries of each person's latest cards, newest first, with whether the pair was negative.
        created, answered: minutes at which the latest new pairs that ask for ratings and the latest ratings that were
            needed came.
        asked: how many people were asked of which further countries an attribute is said, by attribute.
        has_candidates: whether pairs can wait for a second mention.
        latest: minute of each person's latest rating that was needed. active: of what they did last.
        picked: people who rated each pair since it picked them for one of its slots.
        words: proposals in words of people's own. mentions: who proposed which pair.
        in_group: of each new pair, whether its first author is of its country.
    """

    def __init__(self, world: World, settings: SamplerSettings, share: float | None = None) -> None:
        self.world, self.settings, self.share = world, settings, share
        self.has_candidates = False
        self.asked: Counter[tuple[int, int]] = Counter()
        self._reached = np.zeros(len(world.countries), dtype=np.bool_)
        self.pool = MemoryPool(settings)
        self.leases = Leases()
        self.ratings = Ratings()
        self.draws = world.streams(purpose=2)
        self.number = [0] * world.settings.people
        self.last: list[deque[tuple[str, bool]]] = [
            deque(maxlen=max(settings.in_a_row, settings.negative_in_a_row))
            for _ in range(world.settings.people)
        ]
        self.created: deque[float] = deque()
        self.answered: deque[float] = deque()
        self.latest = [-math.inf] * world.settings.people
        self.active = np.full(world.settings.people, -math.inf)
        self.picked: defaultdict[int, list[int]] = defaultdict(list)
        self.mentions: list[tuple[int, int]] = []
        self.in_group: list[bool] = []
        self._seen: npt.NDArray[np.bool_] = np.zeros((world.settings.people, 1_024), dtype=np.bool_)
        self._known_as: dict[tuple[int, int, int, int], int] = {}
        self._first: dict[tuple[int, int, int], int] = {}
        self._junk = 0
        self.words = 0
        # The pairs to begin with: salient ones, in Spanish; a random part of them is the calibration set.
        rng = np.random.default_rng([world.seed, _SEED_STREAM])
        homes = list(range(len(world.settings.countries)))
        if world.settings.seed_country:
            homes = [world.countries.index(world.settings.seed_country)]
        number = min(world.settings.seeds, len(homes) * world.attribute.shape[1])
        common = set(rng.permutation(number)[: settings.calibration_pairs].tolist())
        for place in range(number):
            country, rank = homes[place % len(homes)], place // len(homes)
            self._new((country, rank, 0, 0), seed=True, calibration=place in common)

    def seen(self, person: int) -> npt.NDArray[np.bool_]:
        """By pair: whether this person rated, skipped or proposed it."""
        return self._seen[person, : self.pool.size]

    def saw(self, pair: int) -> npt.NDArray[np.bool_]:
        """By person: whether they rated, skipped or proposed this pair."""
        return self._seen[:, pair]

    def readable(self, person: int) -> npt.NDArray[np.bool_]:
        """By pair: whether it is in a language of this person."""
        languages: npt.NDArray[np.int64] = self.pool["language"]
        return languages <= int(self.world.reads_english[person])

    def languages(self, person: int) -> frozenset[str]:
        """Codes of the languages that a person reads."""
        return frozenset(LANGUAGES[: 1 + int(self.world.reads_english[person])])

    def leased(self) -> npt.NDArray[np.int64]:
        """By pair: how many open cards reserve it."""
        counts = np.zeros(self.pool.size, dtype=np.int64)
        if leased := self.leases.held:
            counts[list(leased)] = [slots.total() for slots in leased.values()]
        return counts

    def show(self, person: int, card: Card) -> None:
        """Hand a card to a person, and reserve its pair."""
        if not self.number[person]:
            # Somebody new.
            new = (self.world.proximity[person] < FAR) & ~self._reached
            self._reached |= new
            for pair in np.flatnonzero(self.pool["candidate"] & new[self.pool["country"]]).tolist():
                self.pool.promote(pair)
        self.number[person] += 1
        self.active[person] = self.pool.now
        if card.pair is not None and card.lease:
            self.leases.take(person, card.pair, self._slot(person, card), self.pool.now + card.lease)

    def _slot(self, person: int, card: Card) -> Slot:
        """What a rating is for; of those that no slot asked for, the ones from the country count as such."""
        if card.slot is not None:
            return card.slot
        return Slot.OWN if self.world.proximity[person, card.country] == OWN else Slot.ANYONE

    def close(self, person: int, card: Card, value: int | None, *, late: bool) -> None:
        """Take the answer to a card: a rating, or None where it was skipped or showed no pair."""
        self.leases.release(person)
        self.active[person] = self.pool.now
        if card.pair is None:
            return
        self._seen[person, card.pair] = True
        negative = bool(self.pool["negative"][card.pair])
        self.last[person].appendleft((self.world.countries[card.country], negative))
        if value is None:
            return
        if card.slot is not None:
            self.answered.append(self.pool.now)
            self.latest[person] = self.pool.now
            self.picked[card.pair].append(person)
        over = int(self.pool["ratings"][card.pair]) >= self.settings.k
        ratings = self.ratings
        ratings.person.append(person)
        ratings.pair.append(card.pair)
        ratings.value.append(value)
        ratings.propensity.append(math.nan if card.propensity is None else card.propensity)
        ratings.late.append(late)
        ratings.over.append(over)
        ratings.surplus.append(over and card.tier not in BEYOND_SLOTS)
        self.pool.rate(card.pair, value, self._slot(person, card))

    def admit(self, number: int) -> None:
        """Let so many candidates ask for ratings, the oldest first."""
        for pair in np.flatnonzero(self.pool["candidate"])[:number].tolist():
            self.pool.promote(pair)

    def attribute(self, pair: int) -> tuple[int, int]:
        """What is said in a pair, and in which language; a number of its own where nobody else would say it."""
        country, rank, language, _ = self.pool.codes(pair)
        return int(self.world.attribute[country, rank]) if rank != JUNK else -1 - pair, language

    def propose(self, person: int, proposal: Proposal) -> None:
        """Enter a proposal: it meets a pair that is there already, or makes a new one.

        The same words meet the same pair; other words for it do where the likeness is noticed at entry.
        """
        country, rank, language = proposal.country, proposal.rank, proposal.language
        wording, ticked = proposal.wording, proposal.ticked
        if rank == JUNK:
            # Nobody else would say it, so it never meets anything.
            self._junk += 1
            wording = self._junk
        self.words += not ticked
        key = (country, rank, language, wording)
        number = self._known_as.get(key)
        if number is None and proposal.caught and rank != JUNK:
            number = self._first.get(key[:3])
        if number is None:
            candidate = self.has_candidates and is_candidate(
                ratings=0,
                mentions=1,
                typed=not ticked,
                reached=bool(self._reached[country]),
                settings=self.settings,
            )
            number = self._new(key, candidate=candidate)
            if not candidate:
                self.created.append(self.pool.now)
            self.in_group.append(self.world.countries[country] in self.world.origins[person])
        elif self.pool["candidate"][number] and (not ticked or not self._seen[person, number]):
            self.pool.promote(number)
        self._known_as[key] = number
        if not self._seen[person, number]:
            self._seen[person, number] = True
            self.mentions.append((person, number))
            self.pool.mention(number)

    def _new(
        self,
        key: tuple[int, int, int, int],
        *,
        seed: bool = False,
        calibration: bool = False,
        candidate: bool = False,
    ) -> int:
        country, rank, language, _ = key
        attribute = int(self.world.attribute[country, rank])
        true = rank != JUNK
        number = self.pool.add(
            NewPair(
                country=country,
                rank=rank,
                language=language,
                negative=bool(self.world.negative[attribute]) and true,
                topic=int(self.world.topic[attribute]),
                seed=seed,
                calibration=calibration,
                candidate=candidate,
            ),
        )
        if number == self._seen.shape[1]:
            self._seen = np.concatenate([self._seen, np.zeros_like(self._seen)], axis=1)
        self._known_as[key] = number
        self._first.setdefault(key[:3], number)
        return number
