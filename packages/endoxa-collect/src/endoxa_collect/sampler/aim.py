"""Where new pairs are asked for: open questions go to the country of which most is still unsaid.

The chance that the next thing somebody says of a country is new is estimated as Good (1953) does, who credits Turing:
mentions that are the only ones of their pair, as a share of all mentions. Whatever is said how often, this is on
average the chance of something new at the last of these mentions.

After a card people may add words and tick further countries of which the same is said. Writing takes time, so it is
asked for where people know most, about their own countries. The first people who are asked where else the same is said
name most of what there is to be named; later ones mostly repeat it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from endoxa_collect.sampler.slots import SamplerSettings


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


class Fields(NamedTuple):
    """What may be added after a card: `words` about its country, `ticks` of further countries."""

    words: bool
    ticks: bool


def fields(
    *, adds: bool, home: bool, tick_count: int, candidates: float, settings: SamplerSettings
) -> Fields:
    """The fields of one card.

    Args:
        adds: the balance lets this card ask for anything new (`adds_on`).
        home: the country of the card is one of the person's own, or they named none.
        tick_count: people who were asked before of which other countries the same is said.
        candidates: share of all pairs that are candidates (`slots.is_candidate`).
        settings: `tick_people`, `candidate_share`.
    """
    ticks = adds and tick_count < settings.tick_people and candidates <= settings.candidate_share
    return Fields(words=adds and home, ticks=ticks)
