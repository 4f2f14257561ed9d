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
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from endoxa.collect.sampler.settings import SamplerSettings
from endoxa.collect.sampler.slots import Slot, place, wanted

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
        by: how near the person is to the country; other than `slot` for a substitute, or where anyone was drawn.
        propensity: P(one of the pair's slots goes to this person), were all of them given out now: the sum of the
            chances over all slots.
        pool: people among whom this slot was drawn.
    """

    pair: int
    person: Hashable
    slot: Slot
    by: Slot
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


_Groups = dict[Slot, list[Rater]]
"""People who can take slots of a pair, now or later, by how near they are; `ANYONE` holds all who can be drawn."""


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
    asking = next((one for one in raters if one.person == moment.asking), None)
    if asking is not None and asking.cards < FIRST_CARDS:
        waiting = sorted(waiting, key=lambda pair: _distance(pair, asking))
    round_ = _Round(raters, moment, rng)
    found = [one for pair in waiting for one in round_.matched(pair, guarded=True)]
    if asking is not None and asking.person in round_.free:
        # Alone, so that what the guards held back is not given to others.
        round_.free = {asking.person}
        found += [one for pair in waiting for one in round_.matched(pair, guarded=False)]
    return found


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


def _distance(pair: Waiting, person: Rater) -> int:
    slots = list(Slot)
    by = place(pair.country, person.origins, person.near)
    # A pair whose slot for such people is taken is as far away as any other.
    return slots.index(by) if by in pair.slots else len(slots)


class _Round:
    """One round of matches; `free` shrinks as people get their pairs."""

    def __init__(self, raters: Sequence[Rater], moment: Moment, rng: np.random.Generator) -> None:
        self._raters, self._moment, self._rng = raters, moment, rng
        self._wanted = wanted(moment.settings)
        self._all_new = all(one.cards < FIRST_CARDS for one in raters)
        self.free = {one.person for one in raters if one.free}
        self._taken: set[tuple[Hashable, int]] = set()
        self._given: Counter[tuple[int, Slot]] = Counter()

    def matched(self, pair: Waiting, *, guarded: bool) -> Iterator[Match]:
        """People for the open slots of a pair, as far as there are any."""
        if not self.free:
            return
        fit = [one for one in self._raters if self._fits(one, pair)]
        could = [
            one for one in fit if one.person not in pair.barred and (one.person, pair.pair) not in self._taken
        ]
        by = {one.person: place(pair.country, one.origins, one.near) for one in fit}
        groups, everybody = self._grouped(could, by), self._grouped(fit, by)
        may = {
            one.person
            for one in could
            if one.person in self.free and not (guarded and guards(one, pair, self._moment.settings))
        }
        left = Counter({slot: pair.slots.count(slot) - self._given[pair.pair, slot] for slot in Slot})
        for slot in left.elements():
            people = self._people(slot, groups, may)
            if not people:
                continue
            weights = self._weights(slot, people)
            drawn = people[int(self._rng.choice(len(people), p=weights))]
            yield Match(
                pair=pair.pair,
                person=drawn.person,
                slot=slot,
                by=by[drawn.person],
                propensity=self._propensity(drawn, slot, people, everybody),
                pool=len(people),
            )
            self._given[pair.pair, slot] += 1
            self.free.discard(drawn.person)
            self._taken.add((drawn.person, pair.pair))
            may.discard(drawn.person)

    def _fits(self, rater: Rater, pair: Waiting) -> bool:
        """Whether a pair can pick somebody for one of its slots, or has done so."""
        return (
            pair.language in rater.languages
            and (rater.person not in pair.barred or rater.person in pair.picked)
            and not (pair.topic and pair.topic in rater.no_topics)
        )

    def _grouped(self, people: Sequence[Rater], by: Mapping[Hashable, Slot]) -> _Groups:
        groups = {slot: [one for one in people if by[one.person] is slot] for slot in (Slot.OWN, Slot.NEAR)}
        return {**groups, Slot.ANYONE: [one for one in people if self._for_anyone(one)]}

    def _for_anyone(self, rater: Rater) -> bool:
        """Whether somebody can be drawn for any country: not with the first cards, unless all have those."""
        return rater.cards >= FIRST_CARDS or self._all_new or rater.person == self._moment.asking

    def _people(self, slot: Slot, groups: _Groups, may: set[Hashable]) -> list[Rater]:
        """Whom a slot is drawn from: the first kind that somebody is of; empty where all of these are busy."""
        for kind in _SUBSTITUTES[slot]:
            here = [one for one in groups[kind] if one.person in may]
            if here or (groups[kind] and not self._moment.hurried):
                return here
        return []

    def _weights(self, slot: Slot, people: Sequence[Rater]) -> npt.NDArray[np.float64]:
        cheap = slot is Slot.NEAR
        weights = np.array([self._cheapness(one) if cheap else 1.0 for one in people])
        shares: npt.NDArray[np.float64] = weights / weights.sum()
        return shares

    def _cheapness(self, rater: Rater) -> float:
        dearest = max((self._moment.prices.get(country, 0.0) for country in rater.origins), default=0.0)
        return max(_CHEAPEST, 1 - math.exp(dearest - 1))

    def _propensity(self, rater: Rater, slot: Slot, people: Sequence[Rater], groups: _Groups) -> float:
        """P(one of all slots of a pair goes to this person), the slots given out one after the other.

        Who is free at this second is chance, so everybody who can take a slot counts, busy or not, and those whom the
        pair picked before. Each slot takes one of the people away before the next is drawn, so that the chances add up
        to at most 1.
        """
        missed = 1.0
        earlier: list[set[Hashable]] = []
        for one, number in self._wanted.items():
            could = self._could_take(one, groups)
            if one is slot and not {each.person for each in people} & {each.person for each in could}:
                # All whom this slot is for are busy, and time is short.
                could = list(people)
            among = {each.person for each in could}
            for _ in range(number):
                if rater.person in among:
                    share = self._weights(one, could)[could.index(rater)]
                    left = len(could) - sum(before <= among for before in earlier)
                    missed *= 1 - min(1.0, share * len(could) / max(1, left))
                earlier.append(among)
        return 1 - missed

    def _could_take(self, slot: Slot, groups: _Groups) -> list[Rater]:
        return next((groups[kind] for kind in _SUBSTITUTES[slot] if groups[kind]), [])
