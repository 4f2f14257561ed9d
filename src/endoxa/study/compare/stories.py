"""What changed between two runs of stories: associations together and one by one, harmful ones, and the price.

How an association is measured, and which ones: `endoxa.study.gate.stories`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.discover import settings_of
from endoxa.instruments.stories.options import Discovery
from endoxa.report.words import count, plural
from endoxa.schema import ALL
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS
from endoxa.study.compare.changes import Choices, Estimates, cells_of, change_of, left_out
from endoxa.study.compare.story_lists import SWAPS, about_lists, items_of_lists, lists_of
from endoxa.study.compare.story_pairs import PairedStories, paired_stories, together
from endoxa.study.gate.measures import ASSOCIATION, Paired
from endoxa.study.gate.runs import Side
from endoxa.study.gate.stories import pooled, story_items, strength_cell

CANDIDATES = 0.25
"""False-discovery rate at which associations of all runs together become single tests: what one run alone shows is
weak in all together, and a chance association among them costs no more than its place in the correction."""


def compare_stories(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of stories on the same prompts, from the profiles that were read from them."""
    stories = paired_stories(sides)
    several = len(choices.sides) > 2
    # The same associations in every contrast, so that their values can stand side by side.
    shared = together(choices.sides) if several else None
    settings = settings_of(sides[0].run.folder)
    return estimates_of(stories, settings, choices.harmful, profiles=shared, confidence=choices.confidence)


def estimates_of(
    stories: PairedStories,
    settings: Discovery,
    harmful: Collection[str] = (),
    *,
    profiles: Profiles | None = None,
    confidence: float = 0.95,
    swaps: int = SWAPS,
    seed: int = 0,
) -> Estimates:
    """What changed from one run to the other, before correction.

    Args:
        stories: of both runs, paired.
        settings: of the discovery of associations.
        harmful: identifiers of associations that are rated harmful; empty where there are no ratings.
        profiles: stories of all runs, where there are more than these two.
        confidence: of intervals and tests.
        swaps: how often the lists are made of stories that changed sides by chance; 0 leaves that out.
        seed: of what is drawn.
    """
    everything = profiles or stories.profiles_where(stories.comparable)
    associations = pooled(everything, settings)
    candidates = pooled(everything, replace(settings, alpha=max(settings.alpha, CANDIDATES)))
    axes = associations["base_attribute"].unique().sort().to_list()
    strengths = [
        strength_cell(stories, associations, axis) for axis in (ALL, *(axes if len(axes) > 1 else ()))
    ]
    cells = [
        *(cell for cell in strengths[:1] if cell.values),
        *cells_of(story_items(stories, harmful)),
    ]
    single = (
        change_of(association_cell(stories, parts), confidence, parts[1])
        for parts in candidates.select(PARTS).iter_rows()
    )
    lists = lists_of(stories, settings, swaps=swaps, seed=seed)
    return Estimates(
        changes=tuple(change_of(cell, confidence) for cell in cells),
        parts=(
            *(change_of(cell, confidence) for cell in strengths[1:] if cell.values),
            *(change for change in single if isfinite(change.difference)),
        ),
        items=items_of_lists(lists),
        notes=tuple(_notes(stories, cells, associations.height)),
        identical=stories.identical,
        about_items=tuple(about_lists(lists)),
    )


def _notes(stories: PairedStories, cells: Sequence[Paired], associations: int) -> Iterator[str]:
    if not associations:
        yield "Not tested, strength: no association was found in the stories of the runs together."
    yield from left_out(cells)
    yield (
        f"{count(int(stories.comparable.sum()))} of {plural(len(stories), 'pair')} of stories, to "
        f"{plural(len(np.unique(stories.prompt)), 'prompt')}, were told in both runs and are compared"
        + (
            f", with the {plural(associations, 'association')} found in the stories of the runs together. Others may "
            "have changed in another way."
            if associations
            else "."
        )
    )
    if any(stories.alone):
        yield f"Left out, because only one run has them: {plural(sum(stories.alone), 'story', 'stories')}."


def association_cell(stories: PairedStories, parts: Sequence[str]) -> Paired:
    """One association (`PARTS`) of both runs."""
    base, _, compared, compared_value = parts
    frame = pl.DataFrame([parts], schema=list(PARTS), orient="row")
    cell = strength_cell(stories, frame, base, ASSOCIATION)
    return replace(cell, rule=f"{compared.replace('_', ' ')}: {compared_value}")
