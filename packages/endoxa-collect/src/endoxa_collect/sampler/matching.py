"""Pairs pick their raters: who rates which pair next, and how likely that was.

Each slot of a pair (`slots`) goes to one of the people who take part now and have no pair waiting for them. The slot of
people from the country is drawn with equal chances among these, and so is that of anyone among all. Near people's time
goes where it is scarce: each country has a price, the part of its people's time that its own pairs need, and the slot
of near people goes to somebody from a cheap country more often. This is the online matching of Mehta, Saberi, Vazirani
and Vazirani (2007, "AdWords and generalized online matching", Journal of the ACM 54(5), section 4): who has spent the
part x of a budget counts with the weight 1 - exp(x - 1). Theirs takes the largest weight; ours draws in proportion to
it, since every chance must be known and none may be 0.

Substitutes: a slot that nobody who takes part could fill goes to the next kind of people (own to near, near to own,
then to anyone). Somebody who could fill it but is busy is waited for, until time is short (`Outlook.hurried`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from endoxa_collect.sampler.slots import SamplerSettings, Slot, place, wanted

FIRST_CARDS = 8
"""Cards after which somebody can be drawn for any country; the first ones are about countries that people know."""

_CHEAPEST = 1e-3
"""Weight of somebody whose own country needs all of their time: small, but never no chance."""

_SUBSTITUTES: Mapping[Slot, tuple[Slot, ...]] = {
    Slot.OWN: (Slot.OWN, Slot.NEAR, Slot.ANYONE),
    Slot.NEAR: (Slot.NEAR, Slot.OWN, Slot.ANYONE),
    Slot.ANYONE: (Slot.ANYONE,),
}
"""Who may fill a slot, in this order; `ANYONE` is everybody."""


@dataclass(frozen=True)
class Rater:
    """Somebody who takes part.

    Attributes:
        person: id.
        origins, near: ISO 3166 codes; `near` holds countries felt close to and neighbours of the origins, without
            `origins`.
        languages: ISO 639 codes the person reads.
        no_topics: topics that the person does not want to see.
        cards: answered so far.
        last: countries of the latest cards, newest first, with whether each was negative.
        free: here now, and no pair waits for them yet.
    """

    person: Hashable
    origins: frozenset[str]
    near: frozenset[str]
    languages: frozenset[str]
    no_topics: frozenset[str] = frozenset()
    cards: int = 0
    last: tuple[tuple[str, bool], ...] = ()
    free: bool = True


@dataclass(frozen=True)
class Waiting:
    """A pair that needs ratings.

    Attributes:
        pair: id.
        slots: open ones (`slots.open_slots`), reservations taken off.
        barred: people who had the pair, have it now, or said it.
        picked: those of them whom the pair picked for another of its slots.
    """

    pair: int
    country: str
    language: str
    topic: str
    negative: bool
    slots: tuple[Slot, ...]
    barred: frozenset[Hashable] = frozenset()
    picked: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class Match:
    """A person for a slot of a pair.

    Attributes:
        slot: which.
        propensity: P(one of the pair's slots goes to this person), were all of them given out now: the sum of the
            chances over all slots.
        pool: people among whom this slot was drawn.
    """

    pair: int
    person: Hashable
    slot: Slot
    propensity: float
    pool: int


@dataclass(frozen=True)
class Moment:
    """What holds for all pairs at one moment.

    Attributes:
        prices: of each country, 0 to 1 (`price`); 0 where it has none.
        hurried: time is short: nobody who is busy is waited for.
        asking: a person who waits for a card at this moment and shall not go away without one.
    """

    settings: SamplerSettings
    prices: Mapping[str, float] = field(default_factory=dict)
    hurried: bool = False
    asking: Hashable | None = None


def price(own_slots: int, people: int, each: float) -> float:
    """Part of the time of a country's people that the open slots for them need, at most 1; 0 without people.

    Args:
        own_slots: open slots for people from the country.
        people: from the country who take part.
        each: ratings that each will still give.
    """
    supply = people * each
    return min(1.0, own_slots / supply) if supply > 0 else float(bool(people and own_slots))


def match(
    waiting: Sequence[Waiting], raters: Sequence[Rater], moment: Moment, rng: np.random.Generator
) -> list[Match]:
    """Give each free rater a pair at most: slot after slot, in the order of `waiting`.

    Who is asking gets the first pair about a country they know, if they are new. The guards against too many cards in a
    row about one country, and negative ones about one's own, are dropped where they would leave the asking person
    without a pair. Where even so nothing is found, call it again for this person alone with `hurried`.
    """
    asking = next((rater for rater in raters if rater.person == moment.asking), None)
    if asking is not None and asking.cards < FIRST_CARDS:
        slots = list(Slot)

        def distance(pair: Waiting) -> int:
            by = place(pair.country, asking.origins, asking.near)
            # A pair whose slot for such people is taken is as far away as any other.
            return slots.index(by) if by in pair.slots else len(slots)

        waiting = sorted(waiting, key=distance)
    round_ = _Round(raters, moment, rng)
    matches: list[Match] = []
    if asking is not None and round_.free == {asking.person: asking}:
        # Slots for people like them first; only then they stand in for others.
        matches += round_.matched(waiting, guarded=True, hurried=False)
    matches += round_.matched(waiting, guarded=True, hurried=moment.hurried)
    if asking is not None and asking.person in round_.free:
        # Alone, so that what the guards held back is not given to others.
        round_.free = {asking.person: asking}
        matches += round_.matched(waiting, guarded=False, hurried=moment.hurried)
    return matches


def guards(rater: Rater, pair: Waiting, settings: SamplerSettings) -> bool:
    """Whether a pair should not come next: too many cards in a row are about its country, or unkind about one's own."""
    latest = [country for country, _ in rater.last[: settings.in_a_row]]
    if len(latest) == settings.in_a_row and set(latest) == {pair.country}:
        return True
    hurtful = rater.last[: settings.negative_in_a_row]
    return (
        pair.negative
        and pair.country in rater.origins
        and len(hurtful) == settings.negative_in_a_row
        and all(negative and country in rater.origins for country, negative in hurtful)
    )


class _Round:
    """One round of matches; `free` shrinks as people get their pairs."""

    def __init__(self, raters: Sequence[Rater], moment: Moment, rng: np.random.Generator) -> None:
        self._raters, self._moment, self._rng = raters, moment, rng
        self._wanted = wanted(moment.settings)
        self.free = {rater.person: rater for rater in raters if rater.free}
        self._own, self._near = _by_country(raters, "origins"), _by_country(raters, "near")
        self._weight: dict[Hashable, float] = {}
        for rater in raters:
            dearest = max((moment.prices.get(country, 0.0) for country in rater.origins), default=0.0)
            self._weight[rater.person] = max(_CHEAPEST, 1 - math.exp(dearest - 1))
        all_new = all(rater.cards < FIRST_CARDS for rater in raters)
        self._for_anyone = {
            rater.person: rater
            for rater in raters
            if all_new or rater.cards >= FIRST_CARDS or rater.person == moment.asking
        }
        """Who can be drawn for any country: not those with their first cards, unless all have those."""
        self._readers = Counter(
            language for eligible in self._for_anyone.values() for language in eligible.languages
        )
        self._barred: defaultdict[int, set[Hashable]] = defaultdict(set)
        self._drawn: Counter[tuple[int, Slot]] = Counter()

    def matched(self, waiting: Iterable[Waiting], *, guarded: bool, hurried: bool) -> Iterator[Match]:
        """People for the open slots of pairs, one pair after the other, until everybody has one."""
        for pair in waiting:
            left = Counter({slot: pair.slots.count(slot) - self._drawn[pair.pair, slot] for slot in Slot})
            for slot in left.elements():
                if not self.free:
                    return
                people = self._people(slot, pair, guarded=guarded, hurried=hurried)
                if not people:
                    continue
                weights = [self._weight[person.person] if slot is Slot.NEAR else 1.0 for person in people]
                steps = list(accumulate(weights))
                drawn = people[min(bisect_right(steps, self._rng.random() * steps[-1]), len(steps) - 1)]
                yield Match(
                    pair=pair.pair,
                    person=drawn.person,
                    slot=slot,
                    propensity=self._propensity(drawn, slot, people, pair),
                    pool=len(people),
                )
                self._drawn[pair.pair, slot] += 1
                self._barred[pair.pair].add(drawn.person)
                del self.free[drawn.person]

    def _people(self, slot: Slot, pair: Waiting, *, guarded: bool, hurried: bool) -> list[Rater]:
        """Whom a slot is drawn from: the first kind that somebody is of; empty where all of these are busy."""
        settings, had = self._moment.settings, pair.barred | self._barred[pair.pair]
        for kind in _SUBSTITUTES[slot]:
            group = self._group(kind, pair)
            here = [
                rater
                for person, rater in self.free.items()
                if person in group
                and person not in had
                and _reads(rater, pair)
                and not (guarded and guards(rater, pair, settings))
            ]
            if here or (
                not hurried
                and any(person not in had and _reads(rater, pair) for person, rater in group.items())
            ):
                return here
        return []

    def _group(self, kind: Slot, pair: Waiting) -> Mapping[Hashable, Rater]:
        """People so near to the country of a pair, whether or not they can have it."""
        if kind is Slot.ANYONE:
            return self._for_anyone
        return (self._own if kind is Slot.OWN else self._near).get(pair.country, _NOBODY)

    def _propensity(self, rater: Rater, slot: Slot, people: Sequence[Rater], pair: Waiting) -> float:
        """P(one of all slots of a pair goes to this person), the slots given out one after the other.

        Who is free at this second is chance, so everybody who can take a slot counts, busy or not, and those whom the
        pair picked before. Each slot takes one of the people away before the next is drawn, so that the chances add up
        to at most 1.
        """
        missed, drawn = 1.0, Counter[Slot]()
        for wanted_slot, number in self._wanted.items():
            kind = next((kind for kind in _SUBSTITUTES[wanted_slot] if self._number(kind, pair)), Slot.ANYONE)
            stand_in = wanted_slot is slot and not any(
                each.person in self._group(kind, pair) for each in people
            )
            if stand_in:
                # All whom this slot is for are busy, and time is short.
                kind = place(pair.country, rater.origins, rater.near)
            for _ in range(number):
                if rater.person in self._group(kind, pair):
                    size = self._number(kind, pair)
                    share = 1 / size
                    if wanted_slot is Slot.NEAR:
                        total = sum(self._weight[each.person] for each in self._eligible(kind, pair))
                        share = self._weight[rater.person] / total
                    gone = drawn.total() if kind is Slot.ANYONE else drawn[kind]
                    missed *= 1 - min(1.0, share * size / max(1, size - gone))
                drawn[kind] += 1
        return 1 - missed

    def _eligible(self, kind: Slot, pair: Waiting) -> list[Rater]:
        """People of a kind who can have a pair, or whom it picked before."""
        group = self._group(kind, pair)
        return [
            rater
            for person, rater in group.items()
            if (person not in pair.barred or person in pair.picked) and _reads(rater, pair)
        ]

    def _number(self, kind: Slot, pair: Waiting) -> int:
        if kind is not Slot.ANYONE or pair.topic:
            return len(self._eligible(kind, pair))
        # Nobody minds: counted, since this group holds nearly all.
        lost = pair.barred - pair.picked
        return self._readers[pair.language] - sum(
            pair.language in self._for_anyone[person].languages
            for person in lost
            if person in self._for_anyone
        )


_NOBODY: Mapping[Hashable, Rater] = {}


def _reads(rater: Rater, pair: Waiting) -> bool:
    """Whether a pair can be shown to somebody at all."""
    return pair.language in rater.languages and not (pair.topic and pair.topic in rater.no_topics)


def _by_country(raters: Iterable[Rater], kind: str) -> Mapping[str, Mapping[Hashable, Rater]]:
    raters_of: defaultdict[str, dict[Hashable, Rater]] = defaultdict(dict)
    for rater in raters:
        for country in getattr(rater, kind):
            raters_of[country][rater.person] = rater
    return raters_of
