"""Figures of the survey: numbers of people and answers, never who answered what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from endoxa_collect.cards.balance import window_of
from endoxa_collect.models import Campaign, Person, Statement
from endoxa_collect.organiser.dashboard.figures import FEWEST, OTHERS, grouped, kept


@dataclass(frozen=True)
class SurveyLately:
    """What at least three people together wrote within the last minutes or day; `pace` is in answers a minute."""

    people: int
    answers: int
    pace: float


@dataclass(frozen=True)
class SurveyFigures:
    """One look at the answers of three people or more. Answers that say that nothing came to mind do not count.

    Attributes:
        taken_at: when the figures were counted.
        people: who wrote something.
        answers: by name of the question, in the order of the campaign; None stands for fewer than three.
        countries: people by country they come from, in steps of three; who named none stands with the small groups.
        lately: None while fewer than three people were active.
    """

    taken_at: datetime
    people: int
    answers: Mapping[str, int | None]
    countries: tuple[tuple[str, int], ...]
    lately: SurveyLately | None


def survey_figures_of(campaign: Campaign) -> SurveyFigures | None:
    """The figures, up to three seconds old; None while fewer than three people answered."""
    return kept(campaign, "survey", lambda: count_survey(campaign, timezone.now()))


def count_survey(campaign: Campaign, now: datetime) -> SurveyFigures | None:
    """Count them anew, with two queries whatever the size of the campaign."""
    rows = Statement.objects.filter(campaign=campaign).exclude(text="")
    said = list(rows.values_list("person_id", "question", "created_at"))
    people = {person for person, _, _ in said}
    if len(people) < FEWEST:
        return None
    by_question = Counter(question for _, question, _ in said)
    asked = [question.name for question in campaign.settings.questions]
    return SurveyFigures(
        taken_at=now,
        people=len(people),
        answers={name: by_question[name] if by_question[name] >= FEWEST else None for name in asked},
        countries=in_steps(_origins(campaign, people)),
        lately=_lately([(person, at) for person, _, at in said], now, window_of(campaign)),
    )


def in_steps(people: Mapping[str, set[UUID]]) -> tuple[tuple[str, int], ...]:
    """Countries with how many people come from there, most first, small ones and `OTHERS` together at the end.

    Numbers are rounded down to steps of three: somebody who watches the page while one person joins does not read off
    where that person is from, but every third time.
    """
    split = grouped(people)
    if split is None:
        return ()
    shown, hidden = split
    rows = sorted(((code, _step(people[code])) for code in shown), key=lambda row: (-row[1], row[0]))
    rest = set[UUID]().union(*(people[code] for code in hidden))
    return (*rows, (OTHERS, _step(rest))) if rest else tuple(rows)


def _step(people: set[UUID]) -> int:
    return len(people) // FEWEST * FEWEST


def _origins(campaign: Campaign, people: set[UUID]) -> Mapping[str, set[UUID]]:
    """Who comes from where; somebody may come from two countries."""
    found: dict[str, set[UUID]] = defaultdict(set)
    for person, origins in Person.objects.filter(campaign=campaign).values_list("pk", "origins"):
        for code in origins or [OTHERS]:
            if person in people:
                found[code].add(person)
    return found


def _lately(said: list[tuple[UUID, datetime]], now: datetime, window: timedelta) -> SurveyLately | None:
    fresh = [(person, at) for person, at in said if now - window < at <= now]
    people = {person for person, _ in fresh}
    if len(people) < FEWEST:
        return None
    minutes = max(1.0, (now - min(at for _, at in fresh)).total_seconds() / 60)
    return SurveyLately(len(people), len(fresh), len(fresh) / minutes)
