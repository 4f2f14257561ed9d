"""Stories of two runs on the same prompts: the associations that they show, together and one by one, and the price.

An association is measured on pairs of stories, the same prompt in both runs: the share of stories about its base value
that say the compared value, less that share of the stories about the other values of the attribute (its excess). A
story that leaves the attribute open does not say the value.
Associations are chosen from the stories of all runs together, which treats the runs alike: choosing those that one run
shows and testing them on the same stories would find changes where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations import discover
from endoxa.instruments.stories.associations.discover import settings_of, types_of
from endoxa.instruments.stories.options import Discovery
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.report.words import count, listed, plural
from endoxa.runs.folder import RECORDS, differences
from endoxa.runs.instrument import Measure
from endoxa.schema import ALL
from endoxa.schema.finish import LENGTH, finish_reason
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.profiles import (
    COLUMNS,
    PROFILE,
    REPEAT,
    UNKNOWN,
    Profiles,
    decode,
    profiles_of,
)
from endoxa.stats.verdicts import ABOVE
from endoxa.study.compare.changes import Estimates, cells_of, change_of, left_out
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.items import NAN, OTHER, Items, alone_sentence, codes
from endoxa.study.compare.measures import ASSOCIATION, OF_STORIES, STRENGTH, Paired
from endoxa.study.compare.runs import Side, refuse

SIDES = ("before", "after")
"""Names of the two runs where both are in one table; in this order in `Profiles.models`, too."""
KEYS = ("sample_id", "language", REPEAT)
NOT_OF_READING = ("data", "models", "languages", "limit", "sample", "include_drafts", "seed")
"""Parts of the identity of a run of profiles that say which stories were read, not how."""


NAMED = ("target_attribute", "target_attribute_value")
MEASURED = ("answered", "story_refused", "story_lost", "story_cut_off", "story_words", "story_tokens")
"""What is measured of a story: whether there is one that extractors read; whether it was declined, by most extractors
or by the provider; whether neither (nothing came, an error did, or no extractor's answer could be read); whether it
ended at the limit of tokens; its words, and the tokens that the model wrote, NaN where there are none."""


@dataclass(frozen=True, slots=True)
class PairedStories:
    """Stories of two runs.

    Attributes:
        frame: a row for each pair: `KEYS`, `NAMED`, the scenario; `MEASURED` of both runs, `OTHER` behind the names of
            the second; `same`, whether the text is the same in both; and codes of units, `base values` (attribute and
            value together), `scenarios` (prompts where scenarios are not known) and `prompts`.
        profiles: the stories of both, those of the first run before those of the second in the order of `frame`.
        alone: stories of which the other run has none, by run.
    """

    frame: pl.DataFrame
    profiles: Profiles
    alone: tuple[int, int] = (0, 0)

    def __len__(self) -> int:
        """Pairs."""
        return self.frame.height

    @property
    def prompt(self) -> np.ndarray:
        """Code of the prompt of each pair."""
        return self.frame["prompts"].to_numpy()

    @property
    def comparable(self) -> np.ndarray:
        """Pairs with a story in both runs."""
        return np.asarray(
            self.frame.select(pl.col("answered", f"answered{OTHER}") > 0).to_numpy().all(axis=1)
        )

    @property
    def comparable_profiles(self) -> Profiles:
        """The stories of the pairs with a story in both runs."""
        rows = np.flatnonzero(np.tile(self.comparable, 2))
        columns = ("model", "language", "sample", "base", "base_value", "codes")
        kept = {name: getattr(self.profiles, name)[rows] for name in columns}
        return replace(self.profiles, rows=len(rows), **kept)

    @property
    def identical(self) -> bool:
        """Whether every story of the second run is that of the first, and was read alike."""
        codes = self.profiles.codes
        return bool(self.frame["same"].all() and np.array_equal(codes[: len(self)], codes[len(self) :]))

    def says(self, attribute: str, value: str) -> np.ndarray:
        """Whether each story says it, pairs x runs; one that leaves it open does not."""
        if attribute not in self.profiles.attributes:
            return np.zeros((len(self), 2), dtype=bool)
        place = self.profiles.attributes.index(attribute)
        codes = self.profiles.codes[:, place]
        says: np.ndarray = (codes >= 0) & (codes == self.profiles.code(place, value))
        return says.reshape(2, len(self)).T

    def named(self, attribute: str) -> np.ndarray:
        """Pairs whose prompt names a value of this attribute."""
        unknown = pl.col("target_attribute_value") == UNKNOWN
        named = self.frame.select((pl.col("target_attribute") == attribute) & ~unknown).to_series()
        return np.asarray(named.to_numpy())


def together(sides: Sequence[Side]) -> Profiles:
    """The stories of the prompts that several runs of `endoxa probe extract` hold, and were told in all of them."""
    tables = [_stories(side) for side in sides]
    keys = tables[0].select(KEYS)
    for table in tables:
        keys = keys.join(table.filter(pl.col("answered") > 0), on=KEYS, how="semi")
    # Which model wrote a story is not asked of them.
    chunks = [
        keys.join(table, on=KEYS, maintain_order="left").select(*COLUMNS, pl.col(REPEAT).cast(pl.String))
        for table in tables
    ]
    return profiles_of(chunks, sides[0].run.folder)


def paired_stories(sides: tuple[Side, Side]) -> PairedStories:
    """The stories that two runs of `endoxa probe extract` have for the same prompts.

    Raises:
        UserError: they were read in different ways, have no prompt in common, or one name means two prompts.
    """
    require_read_alike(sides)
    before, after = (side.run.folder for side in sides)
    tables = [_stories(side) for side in sides]
    keys = tables[0].select(KEYS).join(tables[1].select(KEYS), on=KEYS).unique().sort(KEYS)
    if keys.is_empty():
        raise UserError(
            f"'{before}' and '{after}' have no prompt in common, so no story of one can be compared with a story of "
            "the other. Have both models write to the same prompts."
        )
    first, other = (keys.join(table, on=KEYS, how="left", maintain_order="left") for table in tables)
    _require_alike(first, other, before, after)
    alone = (tables[0].height - keys.height, tables[1].height - keys.height)
    return replace(side_by_side(first, other), alone=alone)


def side_by_side(first: pl.DataFrame, other: pl.DataFrame) -> PairedStories:
    """Stories of two runs, a row for each pair, with what became of them (`with_outcomes`)."""
    chunks = [
        table.select(*COLUMNS, pl.col(REPEAT).cast(pl.String)).with_columns(generator_model=pl.lit(side))
        for table, side in zip((first, other), SIDES, strict=True)
    ]
    profiles = profiles_of(chunks, Path(SIDES[0]))
    measured = other.select(pl.col(*MEASURED, "story").name.suffix(OTHER))
    same = pl.col("story").eq_missing(pl.col(f"story{OTHER}")) & (pl.col("story").fill_null("") != "")
    scenario = [name for name in ("scenario",) if name in first.columns]
    both = pl.concat(
        [first.select(*KEYS, *NAMED, *scenario, *MEASURED, "story"), measured], how="horizontal"
    ).with_columns(
        pl.Series("prompts", profiles.sample[: first.height]),
        same=same,
        **{"base values": codes(pl.concat_str(NAMED, separator="\n"))},
    )
    scenarios = codes(pl.col("scenario")) if scenario else pl.col("prompts")
    return PairedStories(both.with_columns(scenarios=scenarios), profiles)


def require_read_alike(sides: tuple[Side, Side]) -> None:
    """Raise where the stories of two runs were read in different ways: that would look like a change of the stories.

    Raises:
        UserError: other extractors, another vocabulary or other settings.
    """
    ways = []
    for facts in (side.run.facts for side in sides):
        identity = {
            name: value for name, value in (facts.get("identity") or {}).items() if name not in NOT_OF_READING
        }
        readers = sorted(entry["name"] for entry in facts.get("models") or ())
        ways.append({"extractors": readers, **identity})
    folders = " and ".join(f"'{side.run.folder}'" for side in sides)
    refuse(differences(ways[0], ways[1]), f"The stories of {folders} were read in different ways")


def _stories(side: Side) -> pl.DataFrame:
    """Stories of the model of a run, each once, with what became of them."""
    table = versions_apart(pl.scan_parquet(side.run.folder / RECORDS), "generator_model").collect()
    table = table.filter(generator_model=side.model)
    if REPEAT not in table.columns:
        table = table.with_columns(pl.lit(1).alias(REPEAT))
    return with_outcomes(table.unique(KEYS, keep="first", maintain_order=True))


def with_outcomes(table: pl.DataFrame) -> pl.DataFrame:
    """With what became of each story, and how long it is."""
    missing: dict[str, pl.DataType] = {
        "story": pl.String(), "finish": pl.String(), "error": pl.String(), "refusal": pl.Int64(),
        "completion_tokens": pl.Int64(), "n_parsed": pl.Int64(),
    }  # fmt: skip
    filled = table.with_columns(
        pl.lit(None, kind).alias(name) for name, kind in missing.items() if name not in table.columns
    )
    texts = [without_thoughts(text or "") for text in filled["story"]]
    words = pl.Series([len(text.split()) for text in texts], dtype=pl.Float64)
    written = (words > 0) if "story" in table.columns else pl.repeat(value=True, n=table.height, eager=True)
    # A profile that is no object, or says nothing at all, was read from no story.
    decoded = decode(table[PROFILE]).columns
    usable = (
        decoded.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
        if decoded.width
        else pl.repeat(value=False, n=table.height, eager=True)
    )
    nothing = json.dumps({decoded.columns[0]: UNKNOWN}) if decoded.width else "{}"
    refused = filled["refusal"].fill_null(0) == 1
    failed = (
        (filled["error"].fill_null("") != "") | ~written | (filled["n_parsed"].fill_null(1) == 0) | ~usable
    )
    readable = ~refused & ~failed
    tokens = pl.col("completion_tokens").cast(pl.Float64)
    return filled.with_columns(
        pl.when(usable).then(PROFILE).otherwise(pl.lit(nothing)).alias(PROFILE),
        answered=readable.cast(pl.Float64),
        story_refused=refused.cast(pl.Float64),
        story_lost=(~refused & failed).cast(pl.Float64),
        story_cut_off=pl.Series([float(finish_reason(end or "") == LENGTH) for end in filled["finish"]]),
        story_words=pl.when(readable & (words > 0)).then(words).otherwise(NAN),
        # A call that failed counted none.
        story_tokens=pl.when(tokens > 0).then(tokens).otherwise(NAN),
    )


def _require_alike(first: pl.DataFrame, other: pl.DataFrame, before: Path, after: Path) -> None:
    """Raise where one name means two prompts.

    Raises:
        UserError: a prompt of one run names another attribute or value than that of the same name in the other.
    """
    differ = pl.any_horizontal(first[name].ne_missing(other[name]) for name in NAMED)
    lone = first.filter(pl.select(differ).to_series())
    if lone.height:
        raise UserError(
            f"The prompt '{lone['sample_id'][0]}' names another attribute in '{after}' than in '{before}'. Compare "
            "runs of the same prompts."
        )


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
    everything = profiles or stories.comparable_profiles
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
    associations = pooled(stories.comparable_profiles, settings_of(sides[0].run.folder))
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
