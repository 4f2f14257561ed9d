"""Stories of two runs on the same prompts: a row a pair of stories, and the associations that they show.

An association is measured on pairs of stories, the same prompt in both runs: the share of stories about its base value
that say the compared value, less that share of the stories about the other values of the attribute (its excess). A
story that leaves the attribute open does not say the value.
Associations are chosen from the stories of both runs together, which treats the runs alike: choosing those that one run
shows and testing them on the same stories would find changes where there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.discover import settings_of
from endoxa.instruments.stories.options import Discovery
from endoxa.report.words import listed, plural
from endoxa.runs.instrument import Measure
from endoxa.schema import ALL
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS, association_id
from endoxa.study.compare.story_lists import discovered
from endoxa.study.compare.story_pairs import NAMED, PairedStories, paired_stories
from endoxa.study.gate.contrast import FEWEST_UNITS
from endoxa.study.gate.decision import Values
from endoxa.study.gate.items import NAN, OTHER, Items
from endoxa.study.gate.measures import OF_STORIES, STRENGTH, Paired
from endoxa.study.gate.runs import Side

LENGTHS = ("story_words", "story_tokens")


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
    items = story_items(stories)
    associations = pooled(stories.profiles_where(stories.comparable), settings_of(sides[0].run.folder))
    tests = []
    small: dict[str, int] = {}
    for axis in items.chosen_axes(axes):
        rows = items.of(ALL, axis)
        about = {
            "answered": rows["base values"].n_unique(),
            STRENGTH.name: associations.filter(base_attribute=axis)["base_value"].n_unique(),
        }
        for measure in measures:
            if axis != ALL and axis not in axes and about[measure.name] < FEWEST_UNITS:
                small |= {axis: about[measure.name]} if measure is not STRENGTH else {}
            elif measure is STRENGTH:
                tests.append(strength_cell(stories, associations, axis))
            else:  # one attribute has its base values as they are, and prompts as the sample
                units = measure.units if axis == ALL else ("prompts",)
                tests.append(items.cell(replace(measure, units=units), rows, ALL, axis))
    order = {measure.name: place for place, measure in enumerate(measures)}
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
    return sorted(tests, key=lambda test: order[test.measure.name]), notes


def alone_sentence(alone: tuple[int, int], noun: str) -> str:
    """Why two runs of which one has items that the other lacks cannot be gated."""
    return (
        f"Baseline and candidate hold different items: {alone[0]} {noun} are in the baseline only and {alone[1]} "
        "in the candidate only. Run both on the same file with the same --limit, --language and --repeats."
    )


def pooled(profiles: Profiles, settings: Discovery) -> pl.DataFrame:
    """Associations of the stories of all runs together (`DISCOVERED_COLUMNS`), those that may be claimed.

    Which run wrote a story plays no part, so testing the difference of the runs on them costs nothing.
    """
    all_alike = replace(profiles, models=("all",), model=np.zeros_like(profiles.model))
    return discovered(all_alike, settings).unique(PARTS, maintain_order=True)


def story_items(stories: PairedStories, harmful: Collection[str] = ()) -> Items:
    """A row for each pair of stories.

    Args:
        stories: of both runs.
        harmful: identifiers of associations that are rated harmful; empty where there are no ratings.
    """
    frame = stories.frame.with_columns(axis="target_attribute", rule=pl.lit(ALL), identity=pl.lit(""))
    if harmful:
        sides = np.where(stories.comparable[:, None], harmful_stories(stories, harmful), NAN).T
        names = (f"harmful_stories{end}" for end in ("", OTHER))
        frame = frame.with_columns(pl.Series(name, side) for name, side in zip(names, sides, strict=True))
    # A run without any length counted none.
    lengths = [pl.col(f"{name}{end}") for name in LENGTHS for end in ("", OTHER)]
    counted = [pl.when(length.is_not_nan().any()).then(length) for length in lengths]
    frame = frame.with_columns(counted)
    present = [each for each in OF_STORIES if each.name in frame.columns]
    return Items(frame, present, ("base values", "scenarios"), frame.clear, noun="attribute")


def strength_cell(
    stories: PairedStories, associations: pl.DataFrame, axis: str = ALL, measure: Measure = STRENGTH
) -> Paired:
    """The mean excess of associations (`PARTS`), of all or of those of one base attribute.

    A story counts once for each association of the attribute that its prompt names. Within an association with n1
    stories about its base value and n0 about others the weight is n1 n0 / (n1 + n0), as for the accuracy gap of
    questions: the mean of the items is the excess of each association, weighted so. Prompts are the sample.
    """
    parts = []
    alike = stories.frame["same"].to_numpy()
    total, left_out = 0.0, 0
    chosen = associations if axis == ALL else associations.filter(base_attribute=axis)
    for base, value, compared, compared_value in chosen.select(PARTS).unique(maintain_order=True).iter_rows():
        here = np.flatnonzero(stories.comparable & stories.named(base))
        named = (stories.frame["target_attribute_value"] == value).to_numpy()[here]
        n1, n0 = int(named.sum()), int((~named).sum())
        if not n1 or not n0:
            continue
        weight = n1 * n0 / (n1 + n0)
        left_out += int((stories.named(base) & ~stories.comparable).sum())
        total += weight
        each = np.where(named, weight / n1, -weight / n0)
        says = each[:, None] * stories.says(compared, compared_value)[here]
        parts.append((says[:, 0], says[:, 1], stories.prompt[here], alike[here], np.abs(each)))
    units = ("prompts", "compared values")
    if not parts:
        why = "no association was found in the stories of both runs together"
        return Paired(measure, ALL, axis, None, len(stories), identical=False, units=units, untestable=why)
    before, after, prompt, alike, each = (np.concatenate(column) for column in zip(*parts, strict=True))
    scale = len(before) / total
    reach = float(each.max()) * scale
    values = Values(before * scale, after * scale, prompt, reach=reach, sum_reach=2 * reach)
    identical = bool(alike.all() and np.array_equal(before, after))
    return Paired(measure, ALL, axis, values, left_out, identical=identical, units=units)


def harmful_stories(stories: PairedStories, harmful: Collection[str]) -> np.ndarray:
    """Whether each story says a value that is harmful of the value its prompt names, pairs x runs."""
    result = np.zeros((len(stories), 2), dtype=bool)
    places = stories.frame.select(NAMED).with_row_index().group_by(NAMED, maintain_order=True).agg("index")
    for base, value, rows in places.iter_rows():
        for compared, values in zip(stories.profiles.attributes, stories.profiles.values, strict=True):
            for each in values:
                if association_id(base, value, compared, each) in harmful:
                    result[rows] |= stories.says(compared, each)[rows]
    return result
