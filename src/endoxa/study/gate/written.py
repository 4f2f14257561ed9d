"""What can be gated of stories and of ratings of harm: values per story or rating of baseline and candidate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.discover import settings_of
from endoxa.instruments.stories.harm.ratings import THRESHOLD, read_human
from endoxa.report.words import listed, plural
from endoxa.schema import ALL
from endoxa.study.compare.harm import KEYS, rated, units_of
from endoxa.study.compare.stories import items_of, pooled
from endoxa.study.compare.story_pairs import PairedStories, paired_stories
from endoxa.study.gate.contrast import FEWEST_UNITS
from endoxa.study.gate.decision import Values
from endoxa.study.gate.measures import (
    ASSOCIATION_STRENGTH,
    HARM_RECOGNIZED,
    RATED,
    STORIES_ANSWERED,
    Measure,
    Paired,
    same_answers,
)
from endoxa.study.gate.runs import Side
from endoxa.study.gate.selection import axes_of

STORIES_RULE, RATINGS_RULE = "stories", "ratings"
"""What stands in the place of a scoring rule."""


def story_cells(
    sides: tuple[Side, Side], measures: Sequence[Measure], rules: Sequence[str], axes: Sequence[str]
) -> tuple[list[Paired], list[str]]:
    """Every measure of stories on every axis, an attribute that prompts name.

    Raises:
        UserError: the runs hold other prompts, were read in other ways, or have no such axis.
    """
    _refuse_rules(rules, STORIES_RULE)
    stories = paired_stories(sides[0].run.folder, sides[1].run.folder, (sides[0].model, sides[1].model))
    _refuse_alone(stories.alone, "stories")
    associations = pooled(stories.profiles_where(stories.comparable), settings_of(sides[0].run.folder))
    attributes = stories.frame["target_attribute"].unique().sort().to_list()
    tests = []
    small: dict[str, int] = {}
    for axis in axes_of(axes, attributes, "attribute"):
        about = {
            STORIES_ANSWERED: stories.frame.filter(target_attribute=axis)[
                "target_attribute_value"
            ].n_unique(),
            ASSOCIATION_STRENGTH: associations.filter(base_attribute=axis)["base_value"].n_unique(),
        }
        for measure in measures:
            if axis == ALL or axis in axes or about[measure] >= FEWEST_UNITS:
                tests.append(
                    _answered(stories, axis)
                    if measure is STORIES_ANSWERED
                    else _strength(stories, associations, axis)
                )
            elif measure is STORIES_ANSWERED:
                small[axis] = about[measure]
    order = {measure.name: place for place, measure in enumerate(measures)}
    few = listed([f"{axis} ({number})" for axis, number in small.items()])
    notes = (
        [f"Not tested alone, because at least {FEWEST_UNITS} base values are needed: {few}."] if small else []
    )
    if ASSOCIATION_STRENGTH in measures and associations.height:
        notes.append(
            f"strength is of {plural(associations.height, 'association')} found in the stories of both "
            "runs together, as they are: others may have changed in another way. It is tested alone for attributes "
            f"with associations of at least {FEWEST_UNITS} base values."
        )
    return sorted(tests, key=lambda test: order[test.measure.name]), notes


def _strength(stories: PairedStories, associations: pl.DataFrame, axis: str) -> Paired:
    items = items_of(stories, associations, axis)
    values = None
    if items is not None:
        values = Values(
            items.before,
            items.after,
            items.prompt,
            reach=items.reach,
            sum_reach=2 * items.reach,
        )
    return Paired(
        ASSOCIATION_STRENGTH,
        STORIES_RULE,
        axis,
        values,
        left_out=items.left_out if items is not None else len(stories),
        identical=bool(items is not None and items.alike.all() and np.array_equal(items.before, items.after)),
        units=("prompts", "compared values"),
        untestable=""
        if items is not None
        else "no association was found in the stories of both runs together",
    )


def _answered(stories: PairedStories, axis: str) -> Paired:
    here = np.ones(len(stories), dtype=bool) if axis == ALL else stories.named(axis)
    readable = stories.readable[here].astype(float)
    bases = stories.base[here]
    several = axis == ALL and len(np.unique(bases)) >= FEWEST_UNITS
    if several:
        values = Values(
            readable[:, 0], readable[:, 1], bases, directed=True, attribute=stories.scenario[here]
        )
    else:  # these base values as they are, and prompts as the sample
        values = Values(readable[:, 0], readable[:, 1], stories.prompt[here], directed=True)
    return Paired(
        STORIES_ANSWERED,
        STORIES_RULE,
        axis,
        values if here.any() else None,
        left_out=0,
        identical=bool(stories.alike[here].all() and np.array_equal(readable[:, 0], readable[:, 1])),
        units=("base values" if several else "prompts", "scenarios"),
    )


def rating_cells(
    human: Path | None,
    sides: tuple[Side, Side],
    measures: Sequence[Measure],
    rules: Sequence[str],
    axes: Sequence[str],
) -> tuple[list[Paired], list[str]]:
    """Every measure of ratings of harm on every axis, an attribute that prompts named.

    Raises:
        UserError: people's ratings are missing or are of other associations, the runs hold other associations, or have
            no such axis.
    """
    _refuse_rules(rules, RATINGS_RULE)
    tables = [rated(side.run.folder, side.model) for side in sides]
    joined = tables[0].join(tables[1], on=KEYS, suffix="_other", maintain_order="left")
    _refuse_alone((tables[0].height - joined.height, tables[1].height - joined.height), "ratings")
    joined = joined.with_columns(_by_people(human, joined, measures))
    attributes = joined["base_attribute"].unique().sort().to_list()
    return [
        _ratings(measure, axis, joined if axis == ALL else joined.filter(base_attribute=axis))
        for measure in measures
        for axis in axes_of(axes, attributes, "attribute")
    ], []


def _by_people(human: Path | None, joined: pl.DataFrame, measures: Sequence[Measure]) -> pl.Series:
    """People's median rating of each row's association; null where they rated none."""
    if human is None:
        if any(measure is not RATED for measure in measures):
            raise UserError(
                "A gate of ratings of harm needs people's ratings, which tell what should be rated harmful: give "
                "--human FILE (as for endoxa analyze harm), or choose --measure answered."
            )
        return pl.Series("people", [None] * joined.height, dtype=pl.Float64)
    people = (
        read_human(human, joined)
        .drop_nulls("harm")
        .group_by("association_id")
        .agg(people=pl.col("harm").median())
    )
    medians = joined.join(people, on="association_id", how="left", maintain_order="left")["people"]
    if medians.null_count() == joined.height:
        raise UserError(
            f"{human} rates none of the associations in these runs. Give people's ratings of the same ones."
        )
    return medians


def _ratings(measure: Measure, axis: str, joined: pl.DataFrame) -> Paired:
    texts = ("answer", "answer_other")
    posed = joined
    if measure is not RATED:
        harmful = pl.col("people") >= THRESHOLD
        posed = joined.filter(harmful if measure is HARM_RECOGNIZED else ~harmful)
    joint = posed if measure is RATED else posed.drop_nulls(["harm", "harm_other"])
    columns = [joint[name] for name in ("harm", "harm_other")]
    if measure is RATED:
        right = [column.is_not_null() for column in columns]
    else:
        right = [(column >= THRESHOLD) == (measure is HARM_RECOGNIZED) for column in columns]
    first, second = (column.to_numpy().astype(float) for column in right)
    values = None
    if joint.height:
        bases, compared = units_of(joint)
        values = Values(first, second, bases, directed=True, attribute=compared)
    return Paired(
        measure,
        RATINGS_RULE,
        axis,
        values,
        left_out=posed.height - joint.height,
        identical=bool(
            joint.height
            and set(texts) <= set(joint.columns)
            and same_answers(joint[texts[0]], joint[texts[1]])
        ),
        units=("base values", "compared values"),
    )


def _refuse_rules(named: Sequence[str], only: str) -> None:
    if set(named) - {only}:
        raise UserError(
            f"--rule {named[0]}: these runs have no scoring rules or protocols. Leave --rule out."
        )


def _refuse_alone(alone: tuple[int, int], noun: str) -> None:
    if any(alone):
        raise UserError(
            f"Baseline and candidate hold different items: {alone[0]} {noun} are in the baseline only and {alone[1]} "
            "in the candidate only. Run both on the same file with the same --limit, --language and --repeats."
        )
