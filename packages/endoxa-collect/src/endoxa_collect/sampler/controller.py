"""The balance between new pairs and ratings, and where new pairs are asked for.

Without the balance pairs come faster than ratings: if a card yields g new pairs, ratings per pair tend to 1/g whatever
the sampler; so new pairs are asked for only as far as ratings can keep up. Both sides are steered: the ratings still
missing (the backlog) should be about a quarter of those the people present can still give, somewhat more online, where
people come one by one. Above that the fields for new pairs go; below it some cards ask for new pairs and show none.
Nothing new is asked for once the backlog, with what is on its way, is more than can safely be rated.

Open questions go to the country of which most is still unsaid. The chance that the next thing somebody says of a
country is new is estimated as Good (1953) does, who credits Turing: mentions that are the only ones of their pair, as a
share of all mentions. Whatever is said how often, this is on average the chance of something new at the last of these
mentions. After a card people may add words and tick further countries of which the same is said. Writing takes time, so
it is asked for where people know most, about their own countries. The first people who are asked where else the same is
said name most of what there is to be named; later ones mostly repeat it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from endoxa_collect.sampler.slots import SamplerSettings

_EACH_VARIES = 0.25
"""Squared coefficient of variation of what one person still gives: people differ in pace, and some leave early."""

_ALL_VARY = 0.1
"""Coefficient of variation of what all give, for causes that they share (the network, a break)."""

_LEAVING_TOGETHER, _LEAVING_APART = 0.09, 0.02
"""Last share of the whole time that is not counted on, in a room and online. People leave a room before the end, and
what comes late finds few who have not seen it; online somebody always comes anew. Found by simulation, like
`_TARGETS`."""

_HURRIED = 0.3
"""Last share of the whole time in which nobody who is busy is waited for (`matching`)."""

_FIFTH_PERCENTILE = 1.645
"""Standard deviations below the mean, of a normal distribution."""

KEPT_SECONDS = 5.0
"""How long a forecast is kept."""

_FIRST_PACE = 1.5
"""Ratings per person and minute of a workshop before anything is known."""

_FIRST_CARDS = 20
"""Ratings per person of an online campaign before anything is known."""


class Balance(StrEnum):
    """How often the fields for new pairs are shown."""

    EXPLORE = "explore"
    BALANCE = "balance"
    SPARSE = "sparse"
    VALIDATE = "validate"


_EVERY = {Balance.EXPLORE: 1, Balance.BALANCE: 2, Balance.SPARSE: 4, Balance.VALIDATE: 0}
_RETURNING = 0.3
"""Share of the whole time of an online campaign in which people who took part, or others like them, may come again."""

_TARGET_TOGETHER, _TARGET_APART = 0.28, 0.35
"""Backlog that is aimed at, as a share of the capacity, in a room and online."""

_LIMITS = ((1.0, Balance.EXPLORE), (1.07, Balance.BALANCE), (1.14, Balance.SPARSE))
"""Backlog, as a multiple of the one that is aimed at, up to which each is chosen. The steps are small: new pairs ask
for ratings while candidates, which wait for room, fill up to the target as well."""

_STEPS = 100

_BACK = 0.9
"""Share of a limit under which the backlog must be before more new pairs are asked for again."""


@dataclass(frozen=True)
class Forecast:
    """What to expect at the end.

    Attributes:
        short: pairs that will end below k, taking it that those that fall short miss (k + 1) / 2 ratings on average.
        switch_in: minutes after which only ratings are asked for, if the controller decides; else minutes after which
            an organiser should do so for all pairs to reach k, None if never.
        coming: new pairs to come, at the rate of late.
        balance: what the controller chooses now.
        guessed_people: how many people this takes for granted, where nobody's answers say yet; else None.
        too_few_people: a new pair cannot get k ratings from them: each rates a pair once, and none of their own.
    """

    short: int
    switch_in: float | None
    coming: float
    balance: Balance
    guessed_people: int | None = None
    too_few_people: bool = False


@dataclass(frozen=True)
class Pace:
    """How many people are active, ratings of each a minute, and whether that is only what the campaign was made for.

    `shown` is what a forecast in words goes by, where that is something else: the last minutes alone, or, while they
    may say little of the room, all who were expected.
    """

    people: int
    each: float
    guessed: bool = False
    shown: Pace | None = None

    @property
    def rate(self) -> float:
        """Ratings a minute."""
        return self.people * self.each


@dataclass(frozen=True)
class Expected:
    """What a campaign was made for; it stands for the room until the room has shown how it is.

    Attributes:
        together: people sit in one room, else they come when they like.
        people: how many may come.
        minutes: how long the campaign lasts.
    """

    together: bool
    people: int
    minutes: float

    @property
    def leaving(self) -> float:
        """Minutes at the end that are not counted on."""
        return self.minutes * (_LEAVING_TOGETHER if self.together else _LEAVING_APART)

    @property
    def target(self) -> float:
        """Backlog that is aimed at, as a share of the capacity."""
        return _TARGET_TOGETHER if self.together else _TARGET_APART

    @property
    def window(self) -> float:
        """Minutes whose answers say how many people are active and how fast they are."""
        return 10.0 if self.together else 24 * 60.0

    @property
    def returning(self) -> float:
        """Minutes for which somebody who took part still counts: they, or people like them, may come again."""
        return self.window if self.together else _RETURNING * self.minutes

    def pace(self, age: float, people: int, each: float) -> Pace:
        """What to go by at `age` minutes, given people and their ratings a minute in the last window.

        Most have not joined while a campaign is younger than its window, and after a break nobody is back yet: the last
        minutes say nothing about the room then. After that, what was expected counts half as much with every window,
        since a room fills slowly (in a long one a quarter of the time); more people than expected count at once. The
        pace that is shown is never such a mixture: the expected people for a second window, then those who are there.
        """
        # People in a window, and ratings of each a minute: all at once, or evenly over time.
        expected, first = self.people, _FIRST_PACE
        if not self.together:
            window = min(self.window, self.minutes)
            expected, first = max(1, round(self.people * window / self.minutes)), _FIRST_CARDS / window
        if age < self.window or not people:
            return Pace(max(people, expected), first, guessed=True)
        prior = 0.5 ** (age / self.window - 1)
        missing = max(0, expected - people)
        early = age < 2 * self.window
        shown = Pace(people + missing, each, guessed=missing > 0) if early else Pace(people, each)
        # Minutes in which people still come.
        filling = max(self.window, self.minutes / 4) if self.together else self.window
        coming = round(missing * 0.5 ** (max(0.0, age - filling) / self.window))
        return Pace(people + coming, (1 - prior) * each + prior * first, shown=shown)


@dataclass(frozen=True)
class Outlook:
    """A campaign as it stands.

    Attributes:
        backlog: sum over pairs of max(0, k - ratings - reservations).
        pace: of the last minutes.
        minutes: left of the whole time.
        expected: what the campaign was made for.
        new_pairs: new pairs per rating, as of late.
        k: ratings each pair should get.
        ordered: the balance that an organiser ordered; None leaves it to the controller.
        most_prompts: `SamplerSettings.prompt_early`.
    """

    backlog: float
    pace: Pace
    minutes: float
    expected: Expected
    new_pairs: float
    k: int
    ordered: Balance | None = None
    most_prompts: float = 0.6

    @property
    def capacity(self) -> float:
        """Ratings that the people active now will give in the minutes left."""
        return self.pace.rate * max(0.0, self.minutes)

    @property
    def safe_capacity(self) -> float:
        """Ratings that will be given with a probability of 95 %, never less than 0.

        The minutes in which people leave are not counted on. The total of what remains is taken as normal with the mean
        C = rate x minutes and the variance of a negative binomial total:
        C + C^2 (a / people + b), where a and b say how far one person's and everybody's pace vary.
        """
        mean = self.pace.rate * (self.minutes - self.expected.leaving)
        if mean <= 0:
            return 0.0
        variance = mean + mean**2 * (_EACH_VARIES / self.pace.people + _ALL_VARY**2)
        return max(0.0, mean - _FIFTH_PERCENTILE * math.sqrt(variance))

    @property
    def inflow(self) -> float:
        """Ratings that the pairs on their way will ask for: one more card of everybody who is there."""
        return self.pace.people * self.new_pairs * self.k

    @property
    def prompts(self) -> float:
        """Chance that a card asks an open question instead of showing a pair, up to `most_prompts`.

        The further the backlog is below the one that is aimed at, the more; none once the fields for new pairs are
        left out of some cards, and none where an organiser ordered a balance.
        """
        if self.ordered or self.balance is not Balance.EXPLORE:
            return 0.0
        wanted = self.expected.target * self.capacity
        return self.most_prompts * max(0.0, 1 - self.backlog / wanted) if wanted > 0 else 0.0

    @property
    def room(self) -> int:
        """Candidates that may ask for ratings now: as many as bring the backlog near the one that is aimed at.

        None where they could not all be rated for sure, and none where an organiser ordered a balance.
        """
        if self.ordered:
            return 0
        most = min(self.expected.target * self.capacity, self.safe_capacity - self.inflow)
        return max(0, int((most - self.backlog) // self.k))

    @property
    def hurried(self) -> bool:
        """Whether time is short: no slot of a pair waits for somebody who is busy any more."""
        return self.minutes <= _HURRIED * self.expected.minutes

    @property
    def balance(self) -> Balance:
        """What the controller chooses, whatever is ordered and was chosen before."""
        return self._within(1.0)

    def balance_after(self, before: Balance | None) -> Balance:
        """The same, given what was chosen last: it goes back to more new pairs only with room to spare.

        Otherwise it would go to and fro while the backlog is near a limit.
        """
        order = list(Balance)
        now = self.balance
        if before is None or order.index(now) >= order.index(before):
            return now
        return min(before, self._within(_BACK), key=order.index)

    def _within(self, part: float) -> Balance:
        """The first whose limit, times `part`, holds the backlog."""
        if self.backlog + self.inflow <= part * self.safe_capacity:
            for limit, balance in _LIMITS:
                if self.backlog <= part * limit * self.expected.target * self.capacity:
                    return balance
        return Balance.VALIDATE


def forecast(now: Outlook) -> Forecast:
    """Look ahead: what the controller will do at its own pace, what comes of it at the pace that is shown."""
    shown = replace(now, pace=now.pace.shown or now.pace)
    switch: float | None
    if now.ordered:
        # Minutes after which the ratings to come are just enough for the pairs there will be.
        growth = shown.pace.rate * shown.new_pairs * shown.k
        enough = growth <= 0 or shown.backlog + growth * max(0.0, shown.minutes) <= shown.capacity
        switch = None if enough else max(0.0, (shown.capacity - shown.backlog) / growth)
        adding = 0.0 if now.ordered is Balance.VALIDATE else max(0.0, now.minutes)
    else:
        switch = adding = _decided(now)
    coming = shown.new_pairs * shown.pace.rate * adding
    missing = shown.backlog + coming * shown.k - shown.capacity
    others = shown.pace.people - (1 if coming > 0 else 0)
    return Forecast(
        short=max(0, math.ceil(2 * missing / (now.k + 1))),
        switch_in=switch,
        coming=coming,
        balance=now.balance,
        guessed_people=shown.pace.people if shown.pace.guessed else None,
        too_few_people=others < now.k and (now.backlog > 0 or coming > 0),
    )


def _decided(now: Outlook) -> float:
    """Minutes until the controller closes the fields, to a hundredth of the time left, at the pace of late."""
    minutes = max(0.0, now.minutes)
    growth = now.pace.rate * (now.new_pairs * now.k - 1)
    for step in range(_STEPS):
        later = minutes * step / _STEPS
        then = replace(now, backlog=max(0.0, now.backlog + growth * later), minutes=minutes - later)
        if then.balance is Balance.VALIDATE:
            return later
    return minutes


def adds_on(balance: Balance, card: int) -> bool:
    """Whether the fields for new pairs are shown on a person's card number `card` (from 0)."""
    every = _EVERY[balance]
    return every > 0 and card % every == 0


class MentionCounts(NamedTuple):
    """What people said of a country unprompted: `mentions` in all, and pairs that only `once` person said."""

    mentions: int
    once: int


def unseen_mass(counts: MentionCounts) -> float:
    """Estimated chance that the next mention is of a pair that nobody mentioned before (0 to 1); 1 before the first.

    Raises:
        ValueError: more pairs were said once than there are mentions, or a count is negative.
    """
    mentions, once = counts
    if not 0 <= once <= mentions:
        raise ValueError(f"{once} of {mentions} mentions cannot be the only ones of their pair")
    return once / mentions if mentions else 1.0


def least_mentioned(countries: Iterable[str], counts: Mapping[str, MentionCounts]) -> list[str]:
    """Countries, those with the largest unseen mass first; those alike in the order given."""
    return sorted(countries, key=lambda country: -unseen_mass(counts.get(country, MentionCounts(0, 0))))


def question_share(
    share: float,
    origins: Iterable[str],
    countries: Iterable[str],
    counts: Mapping[str, MentionCounts],
    most: float,
) -> float:
    """Chance that a card of one person asks an open question, given the share for an average country.

    People whose own country has most left to say are asked more often, those of whose country nearly all is said less.

    Args:
        share: of all cards (`Outlook.prompts`).
        origins: countries of origin of the person; without any the share stays as it is.
        countries: those of the campaign, which the person's are compared with.
        counts: what was said of each country.
        most: maximum.
    """
    masses = [unseen_mass(counts.get(country, MentionCounts(0, 0))) for country in countries]
    home_masses = [unseen_mass(counts.get(country, MentionCounts(0, 0))) for country in origins]
    average = sum(masses) / len(masses) if masses else 0.0
    if not home_masses or not average:
        return share
    return min(most, share * max(home_masses) / average)


def fields(
    *, adds: bool, home: bool, tick_count: int, candidates: float, settings: SamplerSettings
) -> tuple[bool, bool]:
    """What may be added after one card: words about its country, ticks of further countries.

    Args:
        adds: the balance lets this card ask for anything new (`adds_on`).
        home: the country of the card is one of the person's own, or they named none.
        tick_count: people who were asked before of which other countries the same is said.
        candidates: share of all pairs that are candidates (`slots.is_candidate`).
        settings: `tick_people`, `candidate_share`.
    """
    ticks = adds and tick_count < settings.tick_people and candidates <= settings.candidate_share
    return adds and home, ticks
