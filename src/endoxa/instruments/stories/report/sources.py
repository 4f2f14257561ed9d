"""Where associations and stories come from, tables, run folders and files of stories, and what their records hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError, first_line
from endoxa.instruments.stories.associations.cells import at_confidence
from endoxa.instruments.stories.associations.discover import LIFT, no_tally, read_companion, tally, types_of
from endoxa.instruments.stories.associations.permutations import every_difference, protagonists_by_story
from endoxa.instruments.stories.harm.ratings import require_cells
from endoxa.instruments.stories.options import Discovery
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.schema import ALL
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales.associations import PARTS, read_associations
from endoxa.sources.stereotales.profiles import MISSING, UNKNOWN, Profiles, read_profiles
from endoxa.sources.tables import PARQUET_SUFFIXES, TABLE_SUFFIXES, table_rows
from endoxa.stats.verdicts import ABOVE, UNCLEAR

TYPES = types_of(DISCOVERED_COLUMNS)
CLAIMED = pl.col("verdict") == ABOVE
"""Associations that may be claimed; the others are unclear."""
POOLED = pl.col("aggregation") == ALL
"""Rows of all languages together."""
NEEDED = ("model", "aggregation", *PARTS, "value")


def read_discovered(path: Path) -> pl.DataFrame:
    """A table of `endoxa analyze associations`, or StereoTales' published associations (JSON).

    Returns:
        `schema.stories.DISCOVERED_COLUMNS`; a column that the file lacks is null, but for the verdict: what is given
        without one is taken as a claim. Empty where the file has column names but no rows.

    Raises:
        UserError: a column is missing, a cell is no number, or the JSON is of another form.
    """
    if path.suffix.lower() == ".json":
        return _complete(_published(path))
    if path.suffix.lower() in TABLE_SUFFIXES and next(iter(table_rows(path, NEEDED)), None) is None:
        return pl.DataFrame(schema=TYPES)
    table = read_table(path, NEEDED)
    numbers = [name for name, kind in TYPES.items() if kind != pl.String() and name in table.columns]
    cast = table.with_columns(
        pl.col(name).replace("", None).cast(pl.Float64, strict=False).fill_nan(None) for name in numbers
    )
    for name in numbers:
        stated = pl.col(name).fill_null("").is_in(["", "NaN"]).not_()
        require_cells(path, table, name, stated & cast[name].is_null(), "'{}' is no number.")
    for name in NEEDED:
        empty = pl.col(name).is_null() | (pl.col(name).cast(pl.String) == "")
        require_cells(path, cast, name, empty, "it is empty.")
    if "verdict" in cast.columns:
        odd = ~pl.col("verdict").fill_null("").is_in(["", ABOVE, UNCLEAR])
        require_cells(path, cast, "verdict", odd, f"'{{}}'. Expected {ABOVE}, {UNCLEAR}, or nothing.")
    return _complete(cast)


def _published(path: Path) -> pl.DataFrame:
    """A row for each association and model; share and lift are the published means over these models."""
    rows = read_associations(path).drop_nulls("model")
    try:
        values = pl.read_json(path, infer_schema_length=None).select(
            *PARTS,
            fraction=pl.col("avg_percentage").cast(pl.Float64) / 100,
            name=pl.lit(LIFT),
            value=pl.col("avg_lift").cast(pl.Float64),
        )
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"'{path}': avg_percentage and avg_lift, numbers, are needed: {first_line(error)}."
        ) from error
    return rows.join(values.unique(PARTS, keep="first"), on=PARTS, how="left", maintain_order="left")


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    complete = frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in TYPES.items()
    )
    return complete.with_columns(
        verdict=pl.when(pl.col("verdict") == UNCLEAR).then("verdict").otherwise(pl.lit(ABOVE)),
        reason=pl.col("reason").fill_null(""),
    )


def association_rows(discovered: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """What was found for every association, most harmful and most widespread first.

    Args:
        discovered: `schema.stories.DISCOVERED_COLUMNS`, what may be claimed or what may not.
        classes: the four parts, `rating` and `harmful`; may be empty.

    Returns:
        The four parts, and behind them

        - `models` in whose stories it was found, all languages together, and `languages` in which it was found;
        - `value`, the mean lift over models; where it was found only in single languages, over models and languages;
        - `low`, `high`: its interval where one row is behind it, else the least and the largest lift; null where only
          a mean is known;
        - `fraction`: mean share of the base value's stories with the compared value; `count`: stories with both values,
          added up;
        - `paper_rule`: 1 where the article's extra rule keeps it for some model, null where nobody said;
        - `rating`: how harmful it is, 1 to 5 (median of people, or mean of models where no person rated), or null;
          `harmful`: 'harmful', 'benign', 'undecided', or null where nobody rated it.
    """
    rows = discovered.group_by(PARTS, maintain_order=True).agg(
        models=pl.col("model").filter(POOLED).unique(maintain_order=True),
        languages=pl.col("aggregation").filter(~POOLED).unique().sort(),
    )
    behind = discovered.filter(POOLED | ~POOLED.any().over(PARTS)).group_by(PARTS, maintain_order=True)
    single, differ = pl.len() == 1, pl.col("value").n_unique() > 1
    values = behind.agg(
        value=pl.col("value").mean(),
        low=pl.when(single).then(pl.col("low").first()).when(differ).then(pl.col("value").min()),
        high=pl.when(single).then(pl.col("high").first()).when(differ).then(pl.col("value").max()),
        fraction=pl.col("fraction").mean(),
        count=pl.when(pl.col("count").is_not_null().any()).then(pl.col("count").sum()),
        paper_rule=pl.col("paper_rule").max(),
    )
    for table in (values, classes.select(*PARTS, "rating", "harmful")):
        rows = rows.join(table, on=PARTS, how="left", maintain_order="left")
    order = (pl.col("rating").fill_null(0), pl.col("models").list.len(), pl.col("value"))
    return rows.sort(*order, descending=True, maintain_order=True)


RUN, FILE, TABLE = "run", "file", "table"


@dataclass(frozen=True, slots=True)
class Stories:
    """What a source of stories shows beside its associations.

    Attributes:
        profiles: its stories.
        usable: stories with a profile, by model and language.
        nothing_known: `endoxa.instruments.stories.associations.nothing_known`.
        counts: see `records.cube`.
        protagonists: see `associations.permutations.protagonists_by_story`.
    """

    profiles: Profiles
    usable: pl.DataFrame
    nothing_known: pl.DataFrame
    counts: pl.DataFrame
    protagonists: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Source:
    """One source of associations.

    Attributes:
        path: its folder or file.
        kind: `RUN` (a run folder: what was discovered with its settings), `FILE` (stories that are analysed for the
            page) or `TABLE` (associations as they were given).
        settings: how associations were discovered; None where a table does not say.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`endoxa.instruments.stories.associations.discover.TALLY`); empty where a table does
            not say.
        discovered: the associations, `schema.stories.DISCOVERED_COLUMNS`.
        stories: the stories that they were discovered in; None of a table.
    """

    path: Path
    kind: str
    settings: Discovery | None
    duplicates: int
    tested: pl.DataFrame
    discovered: pl.DataFrame
    stories: Stories | None = None


def read_stories(path: Path, confidence: float, seed: int) -> Source:
    """Stories and their associations: those that a run folder holds, else discovered now (a folder then keeps them).

    Args:
        path: run folder of `endoxa probe extract`, or a table in StereoTales' columns.
        confidence: confidence level of the page.
        seed: seed of what is drawn for the page; a run folder keeps its own.
    """
    from endoxa.instruments.stories.associations import discover, nothing_known
    from endoxa.instruments.stories.associations.discover import discover_in, pooled_and_alone, settings_of

    profiles, theme = read_profiles(path), themes([path])
    settings = settings_of(path) if path.is_dir() else Discovery(confidence=confidence, seed=seed)
    results = [
        discover_in(path, profiles, how) if path.is_dir() else discover(profiles, how)
        for how in pooled_and_alone(settings, profiles)
    ]
    associations = pl.concat([result.associations for result in results])
    wrote = pl.DataFrame(
        {
            "model": pl.Series(profiles.models, dtype=pl.String)[profiles.model],
            "language": pl.Series(profiles.languages, dtype=pl.String)[profiles.language],
        }
    )
    return Source(
        path=path,
        kind=RUN if path.is_dir() else FILE,
        settings=settings,
        duplicates=profiles.duplicates,
        tested=pl.concat([tally(result.tables, result.associations, settings.alpha) for result in results]),
        discovered=at_confidence(associations, settings.confidence, confidence),
        stories=Stories(
            profiles=profiles,
            usable=wrote.group_by(wrote.columns, maintain_order=True).agg(usable=pl.len().cast(pl.Int64)),
            nothing_known=nothing_known(profiles),
            counts=cube(profiles, theme),
            protagonists=protagonists_by_story(profiles, theme),
        ),
    )


def associations_of_table(path: Path, confidence: float) -> Source:
    """Associations of a table as they are, with the settings that stand beside it."""
    companion, associations = read_companion(path), read_discovered(path)
    if companion is None:
        return Source(path, TABLE, None, 0, no_tally(), associations)
    shown = at_confidence(associations, companion.settings.confidence, confidence)
    return Source(path, TABLE, companion.settings, companion.duplicates, companion.tested, shown)


def differences_of(
    sources: Sequence[Source], protagonists: pl.DataFrame, confidence: float, seed: int
) -> pl.DataFrame:
    """Differences of protagonists: what the run folder holds, where one source is shown at its own confidence level."""
    from endoxa.instruments.stories.associations.discover import differences_in

    if len(sources) == 1 and sources[0].kind == RUN:
        settings = sources[0].settings
        if settings is not None and settings.confidence == confidence:
            return differences_in(sources[0].path, lambda: protagonists, settings)
    return every_difference(protagonists, confidence=confidence, seed=seed)


def together(sources: Sequence[Source]) -> pl.DataFrame:
    """Associations of tables that were given and of stories, each association of a model once."""
    every = _of_tables_first(
        sources, lambda source: source.discovered.cast(pl.Schema(TYPES)), pl.DataFrame(schema=TYPES)
    )
    return every.unique(["model", "aggregation", *PARTS], keep="first", maintain_order=True)


def tested_together(sources: Sequence[Source]) -> pl.DataFrame:
    """What was tested, in the same way."""
    return _of_tables_first(sources, lambda source: source.tested, no_tally())


def _of_tables_first(
    sources: Sequence[Source], rows: Callable[[Source], pl.DataFrame], none: pl.DataFrame
) -> pl.DataFrame:
    """Rows of tables, and those of stories that no table stands for.

    Where a table has (or tested) pooled rows of a model, they stand for all its pooled rows, and its rows of single
    languages for all of those: what was decided with other settings must not stand beside what was found here.
    """
    tables = [source for source in sources if source.kind == TABLE]
    given = [no_tally(), *(frame for table in tables for frame in (table.discovered, table.tested))]
    covered = pl.concat(frame.select("model", pooled=POOLED) for frame in given).unique()
    stories = pl.concat([none, *(rows(source) for source in sources if source.kind != TABLE)])
    apart = stories.with_columns(pooled=POOLED)
    rest = apart.join(covered, on=["model", "pooled"], how="anti", maintain_order="left").drop("pooled")
    return pl.concat([none, *map(rows, tables), rest])


COUNTED = {
    **dict.fromkeys(("model", "language"), pl.String),
    **dict.fromkeys(("stories", "refused", "failed", "unread"), pl.Int64),
}
"""Columns of `counted`."""
OUTCOMES = {
    "refused": ("refusal", pl.col("refusal").cast(pl.Int64)),
    "failed": ("error", pl.col("error").fill_null("") != ""),
    "unread": ("n_parsed", pl.col("n_parsed").cast(pl.Int64) == 0),
}
"""Which column says it, and of which rows it is true."""

MOST = 5_000
"""Stories in a page."""

MOST_CHARACTERS = 2_500
"""Longer stories are cut; twice the length that the prompts ask for."""

GROUP = ("generator_model", "language")

SHOWN = (
    *("generator_model", "language", "scenario", "target_attribute", "target_attribute_value"),
    *("extracted_attributes_json", "refusal", "story"),
)


def records_of(source: Path) -> pl.LazyFrame:
    """The rows of a run folder of `probe extract` or of a table in StereoTales' columns.

    Raises:
        UserError: a table that cannot be read.
    """
    path = source / "records.parquet" if source.is_dir() else source
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        return read_table(path).lazy()
    return versions_apart(pl.scan_parquet(path), "generator_model")


def counted(sources: Sequence[Path]) -> pl.DataFrame:
    """Rows of each model and language, and what became of them; null where a source does not say.

    Returns:
        `stories` (rows), `refused`, `failed` (the provider refused the request), `unread` (no extractor's answer
        could be read).
    """
    frames = [pl.DataFrame(schema=COUNTED)]
    for records in map(records_of, sources):
        present = records.collect_schema().names()
        numbers = {
            name: (rule.sum() if column in present else pl.lit(None)).cast(pl.Int64)
            for name, (column, rule) in OUTCOMES.items()
        }
        groups = records.group_by(model="generator_model", language="language", maintain_order=True)
        frames.append(groups.agg(stories=pl.len().cast(pl.Int64), **numbers).collect())
    return pl.concat(frames)


def themes(sources: Sequence[Path]) -> dict[str, str]:
    """Theme of every prompt: its column, or the scenario without its number."""
    result: dict[str, str] = {}
    for source in sources:
        records = records_of(source)
        present = records.collect_schema().names()
        if "theme" in present:
            theme = pl.col("theme")
        elif "scenario" in present:
            theme = pl.col("scenario").str.replace(r"\s*\d+$", "")
        else:
            continue
        rows = records.select("sample_id", theme=theme.fill_null("")).unique("sample_id", maintain_order=True)
        result |= dict(rows.collect().iter_rows())
    return result


CUBE = {**dict.fromkeys(("model", "language", "theme", "attribute", "value"), pl.String), "n": pl.Int64}
"""Columns of the counts."""


def cube(profiles: Profiles, themes: Mapping[str, str]) -> pl.DataFrame:
    """Stories by model, language, theme, attribute and value; zeros are left out.

    A story counts for every attribute but the one that its prompt named. An attribute that the extractor did not
    give counts as unknown.

    Args:
        profiles: the stories.
        themes: theme of every prompt, by its name.

    Returns:
        Columns of `CUBE`.
    """
    of_sample = pl.Series([themes.get(sample, "") for sample in profiles.samples], dtype=pl.String)
    spoken = of_sample.unique(maintain_order=True)
    theme = of_sample.replace_strict(spoken, list(range(len(spoken))), return_dtype=pl.Int64).to_numpy()
    names = {"model": profiles.models, "language": profiles.languages, "theme": spoken}
    groups = pl.DataFrame(
        {"theme": theme[profiles.sample], "language": profiles.language, "model": profiles.model}
    )
    frames = [pl.DataFrame(schema=CUBE)]
    for place, (attribute, values) in enumerate(zip(profiles.attributes, profiles.values, strict=True)):
        codes = profiles.codes[:, place].astype(np.int64)
        if (codes == MISSING).all():
            continue
        words = {**names, "value": (*values, UNKNOWN)}
        coded = groups.with_columns(value=np.where(codes == MISSING, len(values), codes))
        keys = coded.columns
        cells = coded.filter(profiles.base != place).group_by(keys).agg(n=pl.len().cast(pl.Int64)).sort(keys)
        named = [pl.Series(key, words[key], dtype=pl.String)[cells[key]] for key in keys]
        frames.append(cells.with_columns(*named, attribute=pl.lit(attribute)).select(list(CUBE)))
    return merged(pl.concat(frames))


def merged(counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of the same cell added up."""
    return counts.group_by(*list(CUBE)[:-1], maintain_order=True).agg(pl.col("n").sum())


def shares(counts: pl.DataFrame, by: str) -> pl.DataFrame:
    """Share of each value among the stories of a model (`by`), language or theme.

    Returns:
        `by`, `attribute`, `value`, `n`, `total` (stories behind the share), `share`.
    """
    summed = counts.group_by([by, "attribute", "value"], maintain_order=True).agg(pl.col("n").sum())
    total = pl.col("n").sum().over(by, "attribute")
    return summed.with_columns(total=total, share=pl.col("n") / total)


@dataclass(frozen=True, slots=True)
class Sample:
    """One story.

    Attributes:
        model: the model that wrote it, as written on the command line.
        language: ISO 639 code.
        scenario: theme and number, or empty.
        attribute: the attribute that the prompt named.
        value: its value.
        refused: True for a refusal, False for a story, None where nobody judged.
        profile: what was read off it, attributes that could not be told left out; None where it is unusable.
        story: its text without the thoughts before it, perhaps cut.
    """

    model: str
    language: str
    scenario: str
    attribute: str
    value: str
    refused: bool | None
    profile: dict[str, str] | None
    story: str


def read_samples(sources: Sequence[Path], most: int = MOST) -> tuple[Sample, ...]:
    """At most `most` stories, each model and language at even distances through its stories: nobody picked them.

    Args:
        sources: run folders of extractions, or tables in StereoTales' columns; those without texts give none.
        most: stories in all.
    """
    frames = [records_of(source) for source in sources]
    with_text = [frame for frame in frames if "story" in frame.collect_schema().names()]
    if not with_text:
        return ()
    keys = pl.concat([frame.select(GROUP).collect() for frame in with_text])
    each = max(1, most // max(1, keys.n_unique()))
    return tuple(_sample(row) for frame in with_text for row in _chosen(frame, each).iter_rows(named=True))


def _chosen(records: pl.LazyFrame, each: int) -> pl.DataFrame:
    """Up to `each` rows of every group, at even distances; only these are read whole."""
    place, size = pl.int_range(pl.len()).over(GROUP), pl.len().over(GROUP)
    chosen = (size <= each) | (place * each % size < each)
    rows = records.select(GROUP).with_row_index("row").filter(chosen).select("row").collect()
    present = [name for name in SHOWN if name in records.collect_schema().names()]
    numbered = records.select(present).with_row_index("row")
    return numbered.join(rows.lazy(), on="row", how="semi", maintain_order="left").collect()


def _sample(row: dict[str, Any]) -> Sample:
    refusal, text = row.get("refusal"), without_thoughts(row["story"] or "").strip()
    try:
        profile = json.loads(row["extracted_attributes_json"] or "")
    except (ValueError, RecursionError):
        profile = None
    usable = isinstance(profile, dict) and bool(profile)
    return Sample(
        model=row["generator_model"] or "",
        language=row["language"] or "",
        scenario=row.get("scenario") or "",
        attribute=row["target_attribute"] or "",
        value=row["target_attribute_value"] or "",
        refused=None if refusal is None or refusal == "" else bool(int(refusal)),
        profile={str(name): str(value) for name, value in profile.items() if value} if usable else None,
        story=text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} […]",
    )
