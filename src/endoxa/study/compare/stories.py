"""Stories of two runs on the same prompts: the associations that they show, together and one by one, and the price.

An association is measured on pairs of stories, the same prompt in both runs: the share of stories about its base value
that say the compared value, less that share of the stories about the other values of the attribute (its excess). A
story that leaves the attribute open does not say the value.
Associations are chosen from the stories of all runs together, which treats the runs alike: choosing those that one run
shows and testing them on the same stories would find changes where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations import discover
from endoxa.instruments.stories.associations.discover import settings_of, types_of
from endoxa.instruments.stories.options import Discovery
from endoxa.report.words import count, listed, plural
from endoxa.runs.measured import Measure
from endoxa.schema import ALL
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE
from endoxa.study.compare.changes import Estimates, cells_of, change_of, left_out
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.items import NAN, OTHER, Items, alone_sentence
from endoxa.study.compare.measures import ASSOCIATION, OF_STORIES, STRENGTH, Paired
from endoxa.study.compare.runs import Side
from endoxa.study.compare.story_pairs import PairedStories, paired_stories, together

LENGTHS = ("story_words", "story_tokens")
CANDIDATES = 0.25
"""False-discovery rate at which associations of all runs together become single tests: what one run alone shows is
weak in all together, and a chance association among them costs no more than its place in the correction."""


def pooled(profiles: Profiles, settings: Discovery) -> pl.DataFrame:
    """Associations of the stories of all runs together (`DISCOVERED_COLUMNS`), those that may be claimed.

    Which run wrote a story plays no part, so testing the difference of the runs on them costs nothing.
    """
    if not len(profiles):
        return pl.DataFrame(schema=types_of(DISCOVERED_COLUMNS))
    all_alike = replace(profiles, models=("all",), model=np.zeros_like(profiles.model))
    # Processes of their own would take longer to start than a run of stories takes to test.
    discovered = discover(all_alike, replace(settings, jobs=1, by_language=False)).associations
    return discovered.filter(verdict=ABOVE).unique(PARTS, maintain_order=True)


def story_items(stories: PairedStories, associations: pl.DataFrame) -> Items:
    """A row for each pair of stories, and one for each of them and every association of the attribute that it names.

    Args:
        stories: of both runs.
        associations: those whose strength is measured (`PARTS`).
    """
    frame = stories.frame.with_columns(axis="target_attribute", rule=pl.lit(ALL), identity=pl.lit(""))
    # A run without any length counted none.
    lengths = [pl.col(f"{name}{end}") for name in LENGTHS for end in ("", OTHER)]
    frame = frame.with_columns(pl.when(length.is_not_nan().any()).then(length) for length in lengths)
    every = enumerate(associations.select(PARTS).iter_rows())
    nothing = association_rows(stories, ("", "", "", ""))
    frame = pl.concat(
        [frame, nothing, *(association_rows(stories, parts, place) for place, parts in every)], how="diagonal"
    )
    present = [each for each in OF_STORIES if each.name in frame.columns]
    return Items(frame, present, ("base values", "scenarios"), noun="attribute")


def association_rows(stories: PairedStories, parts: Sequence[str], place: int = 0) -> pl.DataFrame:
    """A row for each pair of stories whose prompt names the attribute of an association (`PARTS`).

    Its `strength` says whether the story says the compared value: -1 if so, else 0. The difference within the
    association, weighted as that of the accuracies of questions, is then its excess; prompts are the sample.
    """
    base, value, compared, compared_value = parts
    named = stories.named(base)
    says = np.where(stories.comparable[:, None], -1.0 * stories.says(compared, compared_value), NAN)[named]
    return stories.frame.filter(named).select(
        "prompts",
        "same",
        pl.lit(None, pl.Int64).alias("compared values"),
        aligned=pl.col("target_attribute_value") == value,
        associations=pl.lit(place),
        axis=pl.lit(base),
        rule=pl.lit(ALL),
        strength=says[:, 0],
        **{f"strength{OTHER}": says[:, 1]},
    )


def compare_stories(sides: tuple[Side, Side], every: Sequence[Side], confidence: float) -> Estimates:
    """What changed between two runs of stories on the same prompts, from the profiles that were read from them."""
    # The same associations in every contrast, so that their values can stand side by side.
    shared = together(every) if len(every) > 2 else None
    settings = settings_of(sides[0].run.folder)
    return estimates_of(paired_stories(sides), settings, profiles=shared, confidence=confidence)


def estimates_of(
    stories: PairedStories,
    settings: Discovery,
    *,
    profiles: Profiles | None = None,
    confidence: float = 0.95,
) -> Estimates:
    """What changed from one run to the other, before correction.

    Args:
        stories: of both runs, paired.
        settings: of the discovery of associations.
        profiles: stories of all runs, where there are more than these two.
        confidence: of intervals and tests.
    """
    everything = profiles or stories.told
    associations = pooled(everything, settings)
    candidates = pooled(everything, replace(settings, alpha=max(settings.alpha, CANDIDATES)))
    items = story_items(stories, associations)
    cells = cells_of(items)
    axes = associations["base_attribute"].unique().sort().to_list()
    parts = [items.cell(STRENGTH, items.of(ALL, axis), ALL, axis) for axis in axes] if len(axes) > 1 else []
    changes = [change_of(cell, confidence) for cell in parts if cell.values]
    for each in candidates.select(PARTS).iter_rows():
        change = change_of(association_cell(stories, each), confidence, each[1])
        changes += [change] if isfinite(change.difference) else []
    return Estimates(
        changes=tuple(change_of(cell, confidence) for cell in cells),
        parts=tuple(changes),
        items=items.changed(),
        notes=tuple(_notes(stories, cells, associations.height)),
        identical=stories.identical,
    )


def association_cell(stories: PairedStories, parts: Sequence[str]) -> Paired:
    """One association (`PARTS`) of both runs."""
    base, _, compared, compared_value = parts
    rule = f"{compared.replace('_', ' ')}: {compared_value}"
    rows = association_rows(stories, parts)
    cell = Items(rows, (STRENGTH,), ("prompts", "compared values")).cell(STRENGTH, rows, rule, base)
    return replace(cell, measure=ASSOCIATION)


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


def story_cells(
    sides: tuple[Side, Side], measures: Sequence[Measure], axes: Sequence[str]
) -> tuple[list[Paired], list[str]]:
    """Every measure of a gate of stories on every axis, an attribute that prompts name; and notes.

    Raises:
        UserError: the runs hold other prompts, were read in other ways, or have no such axis.
    """
    stories = paired_stories(sides)
    if any(stories.alone):
        raise UserError(alone_sentence(stories.alone, "stories"))
    associations = pooled(stories.told, settings_of(sides[0].run.folder))
    items = story_items(stories, associations)
    tests = []
    small: dict[str, int] = {}
    chosen = items.chosen_axes(axes)
    for measure in measures:
        for axis in chosen:
            rows = items.of(ALL, axis)
            about = (
                associations.filter(base_attribute=axis)["base_value"].n_unique()
                if measure is STRENGTH
                else rows["base values"].drop_nulls().n_unique()
            )
            if axis != ALL and axis not in axes and about < FEWEST_UNITS:
                small |= {axis: about} if measure is not STRENGTH else {}
                continue
            # One attribute has its base values as they are, and prompts as the sample.
            units = measure.units if axis == ALL or measure is STRENGTH else ("prompts",)
            tests.append(items.cell(replace(measure, units=units), rows, ALL, axis))
    few = listed([f"{axis} ({number})" for axis, number in small.items()])
    notes = (
        [f"Not tested alone, because at least {FEWEST_UNITS} base values are needed: {few}."] if small else []
    )
    if STRENGTH in measures and associations.height:
        notes.append(
            f"strength is of {plural(associations.height, 'association')} found in the stories of both "
            "runs together, as they are: others may have changed in another way. It is tested alone for attributes "
            f"with associations of at least {FEWEST_UNITS} base values."
        )
    return tests, notes
