"""The arm of the site: its own sampler and controller over a pool in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from campaign_simulation.arms import among, at_once, lease_minutes, unseen
from campaign_simulation.campaign import Campaign, Card
from campaign_simulation.world import FAR, LANGUAGES, NEAR, OWN
from endoxa_collect.sampler import controller, matching
from endoxa_collect.sampler.controller import Balance, Expected, MentionCounts
from endoxa_collect.sampler.matching import Match, Moment, Waiting
from endoxa_collect.sampler.slots import NEEDS, TOPUP, Slot, open_slots, wanted

Places = npt.NDArray[np.int64]

_MATCH_STREAM = 6

_AHEAD = 6
"""Pairs that are looked at for each person who is free, and of each kind."""


@dataclass(frozen=True)
class EndoxaArm:
    """`matching.match` says who rates what, `controller.Outlook` when further pairs are asked for.

    Attributes:
        name: on the command line.
        changes: settings of the sampler in place of those of the campaign.
        different: what that changes, in words.
    """

    name: str = "endoxa"
    changes: Mapping[str, object] = field(default_factory=dict)
    different: str = ""
    surveys: bool = False

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ours = "ours: pairs pick their raters, and new pairs come only as far as ratings can keep up"
        return f"{ours}; {self.different}" if self.different else ours

    def start(self, campaign: Campaign) -> _Endoxa:
        """Begin a campaign."""
        campaign.settings = campaign.settings.model_copy(update=dict(self.changes))
        campaign.has_candidates = True
        return _Endoxa(campaign)


class _Endoxa:
    def __init__(self, campaign: Campaign) -> None:
        self._campaign, self._settings = campaign, campaign.settings
        self._expected = Expected(
            at_once(campaign), campaign.world.settings.people, campaign.world.settings.campaign_minutes
        )
        self._lease = lease_minutes(campaign)
        self._matches = _Matches(campaign, self._expected, self._lease)
        self._outlook: tuple[float, controller.Outlook, Balance] | None = None
        self._questioned: defaultdict[int, set[int]] = defaultdict(set)
        self._just_asked: set[int] = set()
        common = np.flatnonzero(campaign.pool["calibration"])
        self._common = np.random.default_rng([campaign.world.seed, 3]).permutation(common).tolist()

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """What the site would show next (`cards.drawing`)."""
        campaign, settings, luck = self._campaign, self._settings, self._campaign.draws[person]
        outlook, balance = self._look()
        # The first card shows a pair, so that everybody sees what is meant; and a question follows no other.
        first = not campaign.number[person] or person in self._just_asked
        if not first and outlook.prompts:
            homes = campaign.world.settings.countries
            mentions = self._mentions(list(range(len(homes))), list(homes))
            origins = campaign.world.origins[person]
            if luck.random() < controller.question_share(
                outlook.prompts, origins, homes, mentions, settings.prompt_early
            ):
                return self._question(person)
        if luck.random() < settings.calibration:
            free = unseen(campaign, person)
            for common in self._common:
                if free[common] and not self._matches.has(person, common):
                    return self._card(person, common, balance, tier="calibration")
        if (
            balance is not Balance.VALIDATE
            and luck.random() < settings.topup
            and (card := self._any(person, TOPUP))
        ):
            return card
        match = self._matches.take(person, outlook)
        if match is not None:
            return self._card(
                person, match.pair, balance, tier=match.slot, slot=match.slot, chance=match.propensity
            )
        # No pair waits for them: one that others have open, a question, or one that has its k.
        validate = balance is Balance.VALIDATE
        if validate and (backup := self._matches.backup(person)) is not None:
            return self._card(person, backup, balance, tier="backup")
        asks = not validate and luck.random() < settings.prompt
        return (None if asks else self._any(person)) or self._question(person)

    def _any(self, person: int, *needs: int) -> Card | None:
        """Any pair with k ratings, with the same chance for all; those about own and near countries first."""
        campaign, settings = self._campaign, self._settings
        ratings = campaign.pool["ratings"]
        free = unseen(campaign, person) & (ratings >= settings.k) & (ratings < settings.k_max)
        if needs:
            free &= np.isin(campaign.pool["need"], needs)
        familiar = free & (campaign.world.proximity[person][campaign.pool["country"]] < FAR)
        tier = "topup" if needs else "open"
        return among(campaign, person, familiar if familiar.any() else free, tier=tier, lease=self._lease)

    def _card(
        self,
        person: int,
        pair: int,
        balance: Balance,
        *,
        tier: str,
        slot: Slot | None = None,
        chance: float | None = None,
    ) -> Card:
        campaign, settings = self._campaign, self._settings
        self._just_asked.discard(person)
        country, *_ = campaign.pool.codes(pair)
        attribute = campaign.attribute(pair)
        words, ticks = controller.fields(
            adds=controller.adds_on(balance, campaign.number[person]),
            home=bool(campaign.world.proximity[person, country] == OWN),
            tick_count=campaign.asked[attribute],
            candidates=campaign.pool.candidates / campaign.pool.size,
            settings=settings,
        )
        campaign.asked[attribute] += ticks
        return Card(
            country=country,
            pair=pair,
            adds=words or ticks,
            words=words,
            ticks=ticks,
            tier=tier,
            slot=slot,
            propensity=chance,
            lease=self._lease,
        )

    def _question(self, person: int) -> Card:
        """An open question about the country of which most is unsaid; each once, then all again."""
        campaign = self._campaign
        self._just_asked.add(person)
        proximity = campaign.world.proximity[person]
        familiar = [*np.flatnonzero(proximity == OWN), *np.flatnonzero(proximity == NEAR)]
        left = [place for place in familiar if place not in self._questioned[person]]
        if not left:
            self._questioned[person].clear()
            left = familiar
        codes = [campaign.world.countries[place] for place in left]
        first = controller.least_mentioned(codes, self._mentions(left, codes))[0]
        place = left[codes.index(first)]
        self._questioned[person].add(place)
        # The topic of which least was said of a country.
        pool = self._campaign.pool
        here = pool["country"] == place
        mentions = {
            str(topic): MentionCounts(int(counts.sum()), int((counts == 1).sum()))
            for topic in range(self._campaign.world.settings.topics)
            if len(counts := pool["mentions"][here & (pool["topic"] == topic)])
        }
        # An order by chance, kept for each country, decides between topics of which as much was said.
        order = np.random.default_rng([self._campaign.world.seed, 8, place])
        topics = order.permutation(self._campaign.world.settings.topics)
        return Card(
            int(place),
            topic=int(controller.least_mentioned([str(topic) for topic in topics], mentions)[0]),
            tier="prompt",
        )

    def _mentions(self, places: list[int], codes: list[str]) -> dict[str, MentionCounts]:
        pool = self._campaign.pool
        mentions = [pool["mentions"][pool["country"] == place] for place in places]
        return {
            code: MentionCounts(int(counts.sum()), int((counts == 1).sum()))
            for code, counts in zip(codes, mentions, strict=True)
        }

    def _look(self) -> tuple[controller.Outlook, Balance]:
        """The controller, asked anew every few seconds; candidates are let in where there is room."""
        now = self._campaign.pool.now
        if self._outlook is None or now - self._outlook[0] > controller.KEPT_SECONDS / 60:
            campaign, expected = self._campaign, self._expected
            for moments in (campaign.answered, campaign.created):
                while moments and moments[0] < now - expected.window:
                    moments.popleft()
            answered = len(campaign.answered)
            people = sum(minute >= now - expected.window for minute in campaign.latest)
            each = answered / people / expected.window if people else 0.0
            leased = sum(campaign.pool["need"][pair] == NEEDS for pair in campaign.leases.held)
            outlook = controller.Outlook(
                backlog=max(0, campaign.pool.missing - leased),
                pace=expected.pace(now, people, each),
                minutes=expected.minutes - now,
                expected=expected,
                new_pairs=len(campaign.created) / answered if answered else 0.0,
                k=campaign.settings.k,
                most_prompts=self._settings.prompt_early,
            )
            self._campaign.admit(outlook.room)
            before = self._outlook[2] if self._outlook else None
            self._outlook = now, outlook, outlook.balance_after(before)
        return self._outlook[1:]


class _Matches:
    """Pairs that wait for a person, as the site keeps them (`cards.matching`)."""

    def __init__(self, campaign: Campaign, expected: Expected, lease: float) -> None:
        self._campaign, self._expected, self._lease = campaign, expected, lease
        self._rng = np.random.default_rng([campaign.world.seed, _MATCH_STREAM])
        self._of: dict[int, tuple[Match, float]] = {}
        self._matched_at = -np.inf

    def has(self, person: int, pair: int) -> bool:
        """Whether a pair waits for this person."""
        return person in self._of and self._of[person][0].pair == pair

    def take(self, person: int, outlook: controller.Outlook) -> Match | None:
        """The pair that waits for a person, else one that picks them now; None where none can."""
        campaign, now = self._campaign, self._campaign.pool.now
        if now - self._matched_at > controller.KEPT_SECONDS / 60:
            # Pairs pick raters among all who are here and have none waiting.
            self._matched_at = now
            self._of = {rater: entry for rater, entry in self._of.items() if entry[1] > now}
            here = set(np.flatnonzero(campaign.active > now - self._lease).tolist()) - self._of.keys()
            for pick in self._round(outlook, here, hurried=outlook.hurried):
                assert isinstance(pick.person, int)
                self._of[pick.person] = pick, now + self._lease
        campaign.active[person] = now
        match, _ = self._of.get(person, (None, 0.0))
        if match is not None and campaign.seen(person)[match.pair]:
            del self._of[person]
            match = None
        match = match or self._pick_now(person, outlook)
        self._of.pop(person, None)
        return match

    def backup(self, person: int) -> int | None:
        """A pair whose missing ratings others have, in case they leave: the one that has waited longest."""
        campaign = self._campaign
        leased = {pair: slots.total() for pair, slots in self._reserved().items()}
        pool, k = campaign.pool, campaign.settings.k
        free = unseen(campaign, person)
        # One more than are missing, so that not everybody gets the same.
        waiting = [
            pair
            for pair, number in leased.items()
            if free[pair] and pool["need"][pair] == NEEDS and pool["ratings"][pair] + number <= k
        ]
        return min(waiting, key=lambda pair: float(pool["since"][pair]), default=None)

    def _reserved(self, *, waiting: bool = True) -> dict[int, Counter[Slot]]:
        """Slots that open cards hold and, with `waiting`, pairs that wait for somebody."""
        reserved = {pair: Counter(slots) for pair, slots in self._campaign.leases.held.items()}
        for match, _ in self._of.values() if waiting else ():
            reserved.setdefault(match.pair, Counter())[match.slot] += 1
        return reserved

    def _pick_now(self, person: int, outlook: controller.Outlook) -> Match | None:
        """A pair that picks this person, alone; who would go without stands in for others, also for those to come."""
        for stands_in in (False, True):
            hurried = outlook.hurried or stands_in
            if matches := self._round(outlook, {person}, person, hurried=hurried, waiting=not stands_in):
                match = matches[0]
                if stands_in:
                    reserved = self._reserved().get(match.pair, Counter[Slot]()).total()
                    if self._campaign.pool["ratings"][match.pair] + reserved >= self._campaign.settings.k:
                        # All slots of the pair are taken: somebody for whom it waits gives way.
                        slot = match.pair, match.slot
                        waits = (
                            rater
                            for rater, (other, _) in self._of.items()
                            if (other.pair, other.slot) == slot
                        )
                        self._of.pop(next(waits, -1), None)
                return match
        return None

    def _round(
        self,
        outlook: controller.Outlook,
        free: Set[int],
        asking: int | None = None,
        *,
        hurried: bool,
        waiting: bool = True,
    ) -> list[Match]:
        """Pairs for those who are free; `waiting`: slots of pairs that wait for somebody are taken."""
        campaign = self._campaign
        around = np.flatnonzero(campaign.active > campaign.pool.now - self._expected.returning)
        raters = [self._rater(person, free=person in free) for person in around.tolist()]
        prices = self._prices(around, self._reserved(), outlook)
        moment = Moment(campaign.settings, prices, hurried=hurried, asking=asking)
        reserved = self._reserved(waiting=waiting)
        pairs = list(self._waiting(around, sorted(free), asking, reserved, hurried=hurried))
        return matching.match(pairs, raters, moment, self._rng)

    def _rater(self, person: int, *, free: bool) -> matching.Rater:
        world = self._campaign.world
        return matching.Rater(
            person=person,
            origins=world.origins[person],
            near=world.near[person],
            languages=self._campaign.languages(person),
            cards=self._campaign.number[person],
            last=tuple(self._campaign.last[person]),
            free=free,
        )

    def _prices(
        self, around: Places, reserved: Mapping[int, Counter[Slot]], outlook: controller.Outlook
    ) -> dict[str, float]:
        campaign = self._campaign
        pool, countries = campaign.pool, campaign.world.countries
        lacking = np.clip(campaign.settings.own_slots - pool["own"], 0, None) * (pool["need"] == NEEDS)
        for pair, slots in reserved.items():
            lacking[pair] = max(0, lacking[pair] - slots[Slot.OWN])
        slots_of = np.bincount(pool["country"], weights=lacking, minlength=len(countries))
        people = (campaign.world.proximity[around] == OWN).sum(axis=0)
        each = max(1.0, outlook.pace.each * outlook.minutes)
        return {
            countries[place]: matching.price(int(slots_of[place]), int(people[place]), each)
            for place in np.flatnonzero(people).tolist()
        }

    def _waiting(
        self,
        around: Places,
        free: list[int],
        asking: int | None,
        reserved: Mapping[int, Counter[Slot]],
        *,
        hurried: bool,
    ) -> Iterator[Waiting]:
        """Pairs for the people who are free, those that miss fewest ratings first, as `cards.matching` reads them."""
        campaign, settings = self._campaign, self._campaign.settings
        pool, world = campaign.pool, campaign.world
        order = np.lexsort((pool["since"], -pool["ratings"]))
        order = order[pool["need"][order] == NEEDS]
        if asking is not None:
            # What somebody rated alone comes first in this order, and would hide the rest from them.
            order = order[unseen(campaign, asking)[order]]
        reachable = np.any(world.proximity[around] < FAR, axis=0)
        goal = wanted(settings)
        anyone = pool["ratings"] - pool["own"] - pool["near"] < goal[Slot.ANYONE]
        kinds = (
            (np.any(world.proximity[free] == OWN, axis=0), pool["own"] < goal[Slot.OWN]),
            (np.any(world.proximity[free] == NEAR, axis=0), pool["near"] < goal[Slot.NEAR]),
        )
        limit = _AHEAD * (len(free) + 1)
        leased = np.zeros(pool.size, dtype=np.int64)
        for pair, leased_slots in reserved.items():
            leased[pair] = leased_slots.total()
        order = order[(pool["ratings"] + leased)[order] < settings.k]
        chosen: dict[int, None] = {}
        for places, lacking in kinds:
            chosen |= dict.fromkeys(order[(places[pool["country"]] & lacking)[order]][:limit].tolist())
        at_large = anyone | ~reachable[pool["country"]] | hurried
        chosen |= dict.fromkeys(order[at_large[order]][:limit].tolist())
        rank = {pair: place for place, pair in enumerate(order.tolist())}
        holders = campaign.leases.card
        for pair in sorted(chosen, key=rank.__getitem__):
            slots = open_slots(pool.filled(pair) + reserved.get(pair, Counter()), settings)
            if not slots:
                continue
            barred = set(np.flatnonzero(campaign.saw(pair)).tolist())
            picked = set(campaign.picked[pair])
            if pair in reserved:
                picked |= {person for person, (leased_pair, *_) in holders.items() if leased_pair == pair}
                picked |= {person for person, (match, _) in self._of.items() if match.pair == pair}
            country, _, language, _ = pool.codes(pair)
            yield Waiting(
                pair=pair,
                country=world.countries[country],
                language=LANGUAGES[language],
                topic="",
                negative=bool(pool["negative"][pair]),
                slots=slots,
                barred=frozenset(barred | picked),
                picked=frozenset(picked),
            )
