"""`endoxa study run --plan`: items, calls, dollars, and what each instrument can detect, before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan, sqrt, tanh

import numpy as np
import polars as pl

from endoxa.runs.asking.cost import Expected, Planned, parse_models, planned
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.instrument import Plan
from endoxa.stats.intervals import effective_number
from endoxa.stats.power import ASSUMED_CORRELATION, POWER, detectable_effect_size
from endoxa.study.file import Study
from endoxa.study.items import ID, Items, build_items, read_associations, study_vocabulary
from endoxa.study.parts import CHOICES, QUESTIONS, STORIES, Step
from endoxa.study.run import PROFILES, steps

STORY_TOKENS, QUESTION_TOKENS = 300, 700
"""Tokens of a story and of what is asked about it."""
ANSWER_TOKENS = 15
"""Tokens of an answer about one attribute of a story."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What one run of a study will take.

    Attributes:
        name: the run.
        items: number of items.
        associations: associations that have an item.
        identities: identities among them.
        calls: calls to chat models, all models together; 0 where none is asked.
        dollars: what they cost; None where a price is not known.
        detectable: smallest mean effect over associations that is found four times in five, in standard deviations of
            associations; NaN where too few.
    """

    name: str
    items: int
    associations: int
    identities: int
    calls: int
    dollars: float | None
    detectable: float


def plan_study(study: Study) -> tuple[list[Items], list[PlannedStep]]:
    """Make the items and plan every run of them.

    Raises:
        UserError: the study file, the associations or a model cannot be used.
    """
    associations = read_associations(study)
    identities = dict(associations.select(ID, "identity").iter_rows())
    made = build_items(study, associations)
    by_name = {part.part.name: part for part in made}
    return made, [_planned(study, step, by_name, identities) for step in steps(study)]


def _planned(
    study: Study, step: Step, items: Mapping[str, Items], identities: Mapping[str, str]
) -> PlannedStep:
    part_items = items[STORIES.name if step.name == PROFILES else step.name]
    work = _expected_work(study, step, part_items)
    calls = sum(planned_model.expected.calls for planned_model in work)
    dollars = [planned_model.dollars for planned_model in work]
    sizes = pl.Series([identities[name] for name in part_items.ids]).value_counts()["count"].to_numpy()
    return PlannedStep(
        step.name,
        part_items.count,
        len(part_items.ids),
        len(sizes),
        calls,
        None if None in dollars else float(sum(price or 0.0 for price in dollars)),
        detectable_mean(sizes),
    )


def _expected_work(study: Study, step: Step, items: Items) -> list[Planned]:
    """Expected work of each chat model of a run; empty where none is asked."""
    if not isinstance(step.settings, ChatRunSettings):
        return []
    if step.name == QUESTIONS.name:
        from endoxa.instruments.questions.probe.work import plan_qa

        return plan_qa(step.settings)  # type: ignore[arg-type]
    if step.name == CHOICES.name:
        from endoxa.instruments.choices.work import plan_choices

        return plan_choices(step.settings)  # type: ignore[arg-type]
    if step.name == STORIES.name:
        from endoxa.instruments.stories.probe import stories_probe

        return stories_probe(step.settings).plan()  # type: ignore[arg-type]
    # Stories that are not written yet: two questions about each.
    repeats = int(study.sections[STORIES.name].probe.get(("repeats",), 1))
    stories = items.count * repeats * len(study.models_of(STORIES))
    answer = ANSWER_TOKENS * len(study_vocabulary(study))
    work = Expected(2 * stories, stories * (2 * STORY_TOKENS + QUESTION_TOKENS), stories * answer)
    return planned(step.settings, parse_models(step.settings.models), work)


def detectable_mean(sizes: np.ndarray) -> float:
    """Smallest mean effect of associations, in their standard deviations, that a t-test finds with power 0.8.

    Associations of one identity are taken to be correlated (0.1): n of them in clusters of the given sizes count as
    n / (1 + 0.1 (m - 1)), with m the size-weighted mean size.

    Args:
        sizes: associations of each identity, shape (identities,).
    """
    total = float(np.sum(sizes))
    if total < 2:
        return nan
    weighted = total / effective_number(sizes)
    return detectable_effect_size(int(total / (1 + ASSUMED_CORRELATION * (weighted - 1))))


def detectable_correlation(associations: int) -> float:
    """Smallest correlation between two instruments that is found with power 0.8 at 0.05 (Fisher's z; Cohen 1988).

    Args:
        associations: associations that both measure. NaN for fewer than five.
    """
    from scipy.stats import norm

    if associations < 5:
        return nan
    return tanh(float(norm.isf(0.025) + norm.ppf(POWER)) / sqrt(associations - 3))


def plan_table(items: Sequence[Items], rows: Sequence[PlannedStep]) -> Plan:
    """The plan as the terminal shows it."""
    cells = tuple(
        (
            row.name,
            f"{row.items:,}",
            str(row.associations),
            str(row.identities),
            f"{row.calls:,}" if row.calls else "-",
            _dollars(row),
            "-" if isnan(row.detectable) else f"{row.detectable:.2f}",
        )
        for row in rows
    )
    return Plan(
        title="What the study takes",
        columns=("run", "items", "associations", "identities", "calls", "dollars", "detectable"),
        texts=1,
        rows=cells,
        note="\n".join((_EXPLAINED, *_correlations(items))),
    )


_EXPLAINED = (
    "detectable: smallest mean effect found four times in five, in standard deviations of associations."
)


def _dollars(row: PlannedStep) -> str:
    if not row.calls:
        return "-"
    return "unknown" if row.dollars is None else f"{row.dollars:.2f}"


def _correlations(items: Sequence[Items]) -> list[str]:
    """What correlation between two instruments can be found, and how many associations they share."""
    lines = []
    for first, other in combinations(items, 2):
        count = len({*first.ids} & {*other.ids})
        least = detectable_correlation(count)
        effect = f"correlations from {least:.2f} on can be found (if independent)"
        effect = "too few to correlate" if isnan(least) else effect
        lines.append(f"{first.part.name} and {other.part.name}: {count} associations in common; {effect}.")
    return lines
