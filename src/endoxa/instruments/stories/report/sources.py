"""Where associations come from, with which settings, and how often stories give each value of each attribute."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.discover import no_tally, tally, types_of
from endoxa.instruments.stories.associations.lift import at_confidence
from endoxa.instruments.stories.associations.permutations import every_difference, protagonists_by_story
from endoxa.instruments.stories.associations.stored import read_companion
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.records import themes
from endoxa.schema import ALL
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales import UNKNOWN, Profiles, read_profiles
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.profiles import MISSING
from endoxa.sources.tables import TABLE_SUFFIXES, table_rows
from endoxa.stats.verdicts import ABOVE, UNCLEAR

if TYPE_CHECKING:
    from endoxa.instruments.stories.associations import Discovered


TYPES = types_of(DISCOVERED_COLUMNS)
TEXTS = tuple(name for name, kind in TYPES.items() if kind == pl.String())
CLAIMED = pl.col("verdict") == ABOVE
"""Associations that may be claimed; the others are unclear."""
POOLED = pl.col("aggregation") == ALL
"""Rows of all languages together."""
NEEDED = ("model", "aggregation", *PARTS, "lift")


ROWS = {
    "models": "models in whose stories it was found, all languages together",
    "languages": "languages in which it was found, of any model",
    "lift": "mean lift over models; where it was found only in single languages, over models and languages",
    "low": "lower end of its interval where one row is behind it, else the least lift; null where only a mean is known",
    "high": "upper end, alike",
    "fraction": "mean share of the base value's stories with the compared value",
    "count": "stories with both values, added up",
    "paper_rule": "1 where the article's extra rule keeps it for some model, null where nobody said",
    "rating": "how harmful it is, 1 to 5: median of people, or mean of models where no person rated; or null",
    "harmful": "'harmful', 'benign', 'undecided', or null where nobody rated it",
}
"""Columns after the four parts."""


def read_discovered(path: Path) -> pl.DataFrame:
    """A table of `endoxa analyze associations`, or StereoTales' published associations (JSON).

    Returns:
        `schema.stories.DISCOVERED_COLUMNS`; a column that the file lacks is null, but for the verdict: what is given
        without one is taken as a claim. Empty where the file has column names but no rows.

    Raises:
        UserError: a column is missing, a cell is no number, or the JSON is of another form.
    """
    if path.suffix.lower() == ".json":
        # A row for each association and model; share and lift are the published means over these models.
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise UserError(f"'{path}' cannot be read as JSON: {error}.") from error
        if not isinstance(entries, list) or not entries:
            raise UserError(f"'{path}' holds no list of associations.")
        rows = [row for number, entry in enumerate(entries, 1) for row in _entry_rows(path, number, entry)]
        return _complete(pl.DataFrame(rows, infer_schema_length=None))
    if path.suffix.lower() in TABLE_SUFFIXES and next(iter(table_rows(path, NEEDED)), None) is None:
        return _none()
    table = read_table(path, NEEDED)
    numbers = [name for name in TYPES if name not in TEXTS and name in table.columns]
    cast = table.with_columns(
        pl.col(name).replace("", None).cast(pl.Float64, strict=False).fill_nan(None) for name in numbers
    )
    for name in numbers:
        broken = table.with_row_index().filter(
            cast[name].is_null() & (table[name].fill_null("") != "") & (table[name] != "NaN")
        )
        if broken.height:
            row, cell = broken.select("index", name).row(0)
            raise UserError(f"{path}, row {row + 1}, column '{name}': '{cell}' is no number.")
    _require_filled(path, cast)
    _require_verdicts(path, cast)
    return _complete(cast)


def together(
    tables: Sequence[pl.DataFrame], discovered: Sequence[pl.DataFrame], covered: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Tables that were given and what the stories show, each association of a model once.

    Where a table has pooled rows of a model, they stand for all its pooled rows, and its rows of single languages for
    all of those: what was decided with other settings must not stand beside what was found here.

    Args:
        tables: what `read_discovered` gave.
        discovered: what `endoxa.instruments.stories.associations` found.
        covered: `model` and `pooled` of further rows that the tables stand for: they were tested, and nothing was
            found.
    """
    stated = pl.concat([_none(), *tables])
    added = [frame.cast({name: TYPES[name] for name in frame.columns}) for frame in discovered]
    rest = pl.concat([_none(), *added])
    for stand in (stated.select("model", pooled=POOLED), *([] if covered is None else [covered])):
        rest = without(rest, stand)
    every = pl.concat([stated, rest])
    return every.unique(["model", "aggregation", *PARTS], keep="first", maintain_order=True)


def without(rows: pl.DataFrame, covered: pl.DataFrame) -> pl.DataFrame:
    """Rows of models and aggregations (all languages together, or single ones) that tables do not stand for."""
    apart = rows.with_columns(pooled=POOLED)
    return apart.join(covered, on=["model", "pooled"], how="anti", maintain_order="left").drop("pooled")


def _none() -> pl.DataFrame:
    return pl.DataFrame(schema=TYPES)


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    complete = frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in TYPES.items()
    )
    return complete.with_columns(
        verdict=pl.when(pl.col("verdict") == UNCLEAR).then("verdict").otherwise(pl.lit(ABOVE)),
        reason=pl.col("reason").fill_null(""),
    )


def _require_filled(path: Path, table: pl.DataFrame) -> None:
    for name in NEEDED:
        empty = table.with_row_index().filter(pl.col(name).is_null() | (pl.col(name).cast(pl.String) == ""))
        if empty.height:
            raise UserError(f"{path}, row {empty['index'][0] + 1}, column '{name}': it is empty.")


def _require_verdicts(path: Path, table: pl.DataFrame) -> None:
    if "verdict" not in table.columns:
        return
    allowed = pl.col("verdict").fill_null("").is_in(["", ABOVE, UNCLEAR])
    odd = table.with_row_index().filter(~allowed)
    if odd.height:
        row, cell = odd.select("index", "verdict").row(0)
        raise UserError(
            f"{path}, row {row + 1}, column 'verdict': '{cell}'. Expected {ABOVE}, {UNCLEAR}, or nothing."
        )


def _entry_rows(path: Path, number: int, entry: Any) -> list[Mapping[str, Any]]:
    try:
        shared = {name: str(entry[name]) for name in PARTS}
        values = {"fraction": float(entry["avg_percentage"]) / 100, "lift": float(entry["avg_lift"])}
        return [{"model": str(model), "aggregation": ALL, **shared, **values} for model in entry["models"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"'{path}', entry {number}: {', '.join(PARTS)}, avg_percentage, avg_lift and models are needed "
            f"({type(error).__name__}: {error})."
        ) from error


def association_rows(rows_found: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """What was found for every association, most harmful and most widespread first.

    Args:
        rows_found: `schema.stories.DISCOVERED_COLUMNS`, what may be claimed or what may not.
        classes: the four parts, `rating` and `harmful`; may be empty.

    Returns:
        The four parts and the columns of `ROWS`.
    """
    chosen = POOLED | ~POOLED.any().over(PARTS)
    rows = rows_found.group_by(PARTS, maintain_order=True).agg(
        models=pl.col("model").filter(POOLED).unique(maintain_order=True),
        languages=pl.col("aggregation").filter(~POOLED).unique().sort(),
    )
    behind = rows_found.filter(chosen).group_by(PARTS, maintain_order=True)
    single, differ = pl.len() == 1, pl.col("lift").n_unique() > 1
    values = behind.agg(
        lift=pl.col("lift").mean(),
        low=pl.when(single).then(pl.col("lift_low").first()).when(differ).then(pl.col("lift").min()),
        high=pl.when(single).then(pl.col("lift_high").first()).when(differ).then(pl.col("lift").max()),
        fraction=pl.col("fraction").mean(),
        count=pl.when(pl.col("count").is_not_null().any()).then(pl.col("count").sum()),
        paper_rule=pl.col("paper_rule").max(),
    )
    joined = rows.join(values, on=PARTS, how="left", maintain_order="left").join(
        classes.select(*PARTS, "rating", "harmful"), on=PARTS, how="left", maintain_order="left"
    )
    return joined.sort(
        pl.col("rating").fill_null(0),
        pl.col("models").list.len(),
        pl.col("lift"),
        descending=True,
        maintain_order=True,
    )


def by_model(associations: pl.DataFrame) -> pl.DataFrame:
    """The pooled rows: for each association and model its own lift, share and count."""
    return associations.filter(POOLED)


CUBE = {
    "model": pl.String,
    "language": pl.String,
    "theme": pl.String,
    "attribute": pl.String,
    "value": pl.String,
    "n": pl.Int64,
}
"""Columns of the counts."""


RUN, FILE, TABLE = "run", "file", "table"


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
    names = list(dict.fromkeys(themes.get(sample, "") for sample in profiles.samples))
    of_sample = np.array([names.index(themes.get(sample, "")) for sample in profiles.samples], dtype=np.int64)
    theme = of_sample[profiles.sample]
    languages, models = len(profiles.languages), len(profiles.models)
    group = (theme * languages + profiles.language) * models + profiles.model
    frames = [pl.DataFrame(schema=CUBE)]
    for place, (attribute, values) in enumerate(zip(profiles.attributes, profiles.values, strict=True)):
        codes = profiles.codes[:, place].astype(np.int64)
        if (codes == MISSING).all():
            continue
        names_of = np.array([*values, UNKNOWN])
        codes = np.where(codes == MISSING, len(values), codes)
        free = profiles.base != place
        cells, n = np.unique(group[free] * len(names_of) + codes[free], return_counts=True)
        groups, value = np.divmod(cells, len(names_of))
        frames.append(
            pl.DataFrame(
                {
                    "model": np.array(profiles.models)[groups % models],
                    "language": np.array(profiles.languages)[groups // models % languages],
                    "theme": np.array(names)[groups // models // languages],
                    "attribute": [attribute] * len(n),
                    "value": names_of[value],
                    "n": n.astype(np.int64),
                },
                schema=CUBE,
            )
        )
    return merged(pl.concat(frames))


def merged(counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of the same cell added up."""
    return counts.group_by(*list(CUBE)[:-1], maintain_order=True).agg(pl.col("n").sum())


def shares(counts: pl.DataFrame, by: str) -> pl.DataFrame:
    """Share of each value among the stories of a model (`by`), language or theme.

    Returns:
        `by`, `attribute`, `value`, `n`, `total` (stories behind the share), `share`.
    """
    keys = [by, "attribute", "value"]
    counted = counts.group_by(keys, maintain_order=True).agg(pl.col("n").sum())
    total = pl.col("n").sum().over(by, "attribute")
    return counted.with_columns(total=total, share=pl.col("n") / total)


@dataclass(frozen=True, slots=True)
class Source:
    """One source of associations.

    Attributes:
        name: its folder or file.
        kind: `RUN` (a run folder: what was discovered with its settings), `FILE` (stories that are analysed for the
            page) or `TABLE` (associations as they were given).
        settings: how associations were discovered; None where a table does not say.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`endoxa.instruments.stories.associations.discover.TALLY`); empty where a table does
            not say.
        discovered: the associations, `schema.stories.DISCOVERED_COLUMNS`.
    """

    name: str
    kind: str
    settings: Discovery | None
    duplicates: int
    tested: pl.DataFrame
    discovered: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Stories:
    """What a source of stories shows beside its associations.

    Attributes:
        profiles: its stories.
        usable: stories with a profile, by model and language.
        unknown: `endoxa.instruments.stories.associations.discover`.
        counts: see `endoxa.instruments.stories.report.sources.cube`.
        protagonists: see `endoxa.instruments.stories.associations.permutations.protagonists_by_story`.
        folder: the run folder or file.
        settings: how it is analysed.
    """

    profiles: Profiles
    usable: pl.DataFrame
    unknown: pl.DataFrame
    counts: pl.DataFrame
    protagonists: pl.DataFrame
    folder: Path
    settings: Discovery


def read_stories(folder: Path, confidence: float, seed: int) -> tuple[Source, Stories]:
    """Stories and their associations: those that a run folder holds, else discovered now (a folder then keeps them).

    Args:
        folder: run folder of `endoxa probe extract`, or a table in StereoTales' columns.
        confidence: confidence level of the page.
        seed: seed of what is drawn for the page; a run folder keeps its own.
    """
    from endoxa.instruments.stories.associations import overview
    from endoxa.instruments.stories.associations.stored import settings_of

    profiles, theme = read_profiles(folder), themes([folder])
    settings = settings_of(folder) if folder.is_dir() else Discovery(confidence=confidence, seed=seed)
    discovered = _discovered(folder, profiles, settings)
    source = Source(
        name=str(folder),
        kind=RUN if folder.is_dir() else FILE,
        settings=settings,
        duplicates=profiles.duplicates,
        tested=pl.concat(
            [tally(result.tables, result.associations, settings.alpha) for result in discovered]
        ),
        discovered=at_confidence(
            pl.concat([result.associations for result in discovered]), settings.confidence, confidence
        ),
    )
    wrote = pl.DataFrame(
        {
            "model": pl.Series(profiles.models)[profiles.model],
            "language": pl.Series(profiles.languages)[profiles.language],
        },
        schema={"model": pl.String, "language": pl.String},
    )
    return source, Stories(
        profiles=profiles,
        usable=wrote.group_by("model", "language", maintain_order=True).agg(usable=pl.len().cast(pl.Int64)),
        unknown=overview(profiles),
        counts=cube(profiles, theme),
        protagonists=protagonists_by_story(profiles, theme),
        folder=folder,
        settings=settings,
    )


def _discovered(folder: Path, profiles: Profiles, settings: Discovery) -> list[Discovered]:
    from endoxa.instruments.stories.associations import discover
    from endoxa.instruments.stories.associations.stored import discover_in, pooled_and_alone

    if folder.is_dir():
        return [discover_in(folder, profiles, how) for how in pooled_and_alone(settings, profiles)]
    return [discover(profiles, how) for how in pooled_and_alone(settings, profiles)]


def associations_given(path: Path, confidence: float) -> Source:
    """Associations of a table as they are, with the settings that stand beside it."""
    companion, associations = read_companion(path), read_discovered(path)
    if companion is None:
        return Source(str(path), TABLE, None, 0, no_tally(), associations)
    shown = at_confidence(associations, companion.settings.confidence, confidence)
    return Source(str(path), TABLE, companion.settings, companion.duplicates, companion.tested, shown)


def differences_of(
    read: Sequence[Stories], protagonists: pl.DataFrame, confidence: float, seed: int
) -> pl.DataFrame:
    """Differences of protagonists: what the run folder holds, where one source is shown at its own confidence level."""
    from endoxa.instruments.stories.associations.stored import differences_in

    if len(read) == 1 and read[0].folder.is_dir() and read[0].settings.confidence == confidence:
        return differences_in(read[0].folder, lambda: protagonists, read[0].settings)
    return every_difference(protagonists, confidence=confidence, seed=seed)


def covered(sources: Sequence[Source]) -> pl.DataFrame:
    """Models of which a table was given: `model`, and whether `pooled`, with all languages together."""
    rows = pl.DataFrame(schema={"model": pl.String, "pooled": pl.Boolean})
    tables = (source for source in sources if source.kind == TABLE)
    named = [
        frame.select("model", pooled=POOLED) for table in tables for frame in (table.discovered, table.tested)
    ]
    return pl.concat([rows, *named]).unique()


def tested_together(sources: Sequence[Source]) -> pl.DataFrame:
    """What was tested; a table that was given stands for all pooled rows of a model, or all its single languages."""
    tables = [source.tested for source in sources if source.kind == TABLE]
    stories = pl.concat([no_tally(), *(source.tested for source in sources if source.kind != TABLE)])
    return pl.concat([no_tally(), *tables, without(stories, covered(sources))])
