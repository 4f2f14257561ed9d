"""Estimates by short names: what was measured, where, its value and interval, in few columns for all kinds of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.runs.estimates import read
from endoxa.runs.folder import ESTIMATES
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import read_run
from endoxa.schema.results import ALL
from endoxa.sources.spreadsheets import read_csv
from endoxa.stats.verdicts import CLEAR, UNCLEAR

SHORT_NAMES = {
    "preference_ratio": "ratio",
    "calibrated_preference_ratio": "calibrated_ratio",
    "mean_difference": "difference",
    "effect_size": "effect",
}
"""Short names of statistics; the others keep theirs."""

PLACES = (
    *("model", "data", "kind", "premise", "rule", "pooling", "protocol", "context_condition"),
    *("language", "axis", "category", "test", "attribute"),
)
"""Columns that say where something was measured; a kind of run has some of them."""

_VALUES = ("value", "low", "high", "n", "verdict")
MOST_LISTED = 8
"""Values of a column that a message lists at most."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One estimate.

    Attributes:
        name: what was measured ("ratio").
        value: its value.
        low: lower end of the interval; None where none is defined.
        high: upper end.
        n: what it rests on: pairs, answers, ...; None where the run does not say.
        verdict: "above", "below", "unclear" or "cannot-be-tested"; None where nothing is tested.
        where: model, rule, axis and so on.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    verdict: str | None
    where: Mapping[str, str]

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Both ends of the interval."""
        return self.low, self.high


def measures_of(folder: Path) -> pl.DataFrame:
    """What a finished run measured: columns of `PLACES` that it has, `measure`, value, low, high, n, verdict.

    Where a statistic has several intervals, the one that rests on identities is taken, which decides.

    Raises:
        UserError: the folder has no estimates.
    """
    instrument = INSTRUMENTS.get(str(read_run(folder).get("kind")))
    schema = (instrument.tables() if instrument.tables else {}).get("estimates")
    if not (folder / ESTIMATES).is_file():
        raise UserError(f"{folder} has no {ESTIMATES}: repeat the command that made it.")
    estimates = (
        read(folder, "estimates", schema)
        if schema
        else read_csv(folder / ESTIMATES, infer_schema_length=None)
    )
    table = _deciding(estimates)
    places = [name for name in table.columns if name not in ("name", *_VALUES)]
    return table.select(
        *places,
        pl.col("name").replace(SHORT_NAMES).alias("measure"),
        pl.col("value", "low", "high").cast(pl.Float64).fill_nan(None),
        pl.col("n").cast(pl.Int64, strict=False),
        pl.when(pl.col("verdict") != "").then("verdict").alias("verdict"),
    )


def _deciding(table: pl.DataFrame) -> pl.DataFrame:
    """The columns that say where, `name` and `_VALUES`, of the interval that decides; null where a table has none."""
    places = [name for name in PLACES if name in table.columns]
    if "interval" in table.columns:
        decides, row = pl.col("interval") == "identities", pl.int_range(pl.len())
        first = table.with_columns(row=row).sort(decides, descending=True, maintain_order=True)
        table = first.unique([*places, "name"], keep="first", maintain_order=True).sort("row")
    return table.select(
        *places,
        "name",
        *(pl.col(name) if name in table.columns else pl.lit(None).alias(name) for name in _VALUES),
    )


def metrics(table: pl.DataFrame) -> Iterator[tuple[str, float]]:
    """Names and numbers for a tracker: "ratio/sum/religion", "ratio_low/sum/religion"; without the model.

    Args:
        table: measures of one model; only those that are tested over all items, where any are.
    """
    places = [name for name in table.columns if name not in ("model", "measure", *_VALUES)]
    tested = _over_all(table).filter(pl.col("verdict").is_in([*CLEAR, UNCLEAR]))["measure"].unique().to_list()
    rows = table.filter(pl.col("measure").is_in(tested)) if tested else table
    for row in rows.iter_rows(named=True):
        where = dict.fromkeys(str(row[name]) for name in places if row[name] not in (None, "", ALL))
        for end in ("", "_low", "_high"):
            number = row[end.removeprefix("_") or "value"]
            if number is not None:
                yield "/".join((f"{row['measure']}{end}", *where)), number


def _over_all(table: pl.DataFrame, except_for: Iterable[str] = ()) -> pl.DataFrame:
    """The rows over all languages, axes and so on, where there are any."""
    for column in ("language", "axis", "category"):
        if column in table.columns and column not in except_for and ALL in table[column]:
            table = table.filter(pl.col(column) == ALL)
    return table


def chosen(table: pl.DataFrame, name: str | None = None, **where: str) -> Measure:
    """One row of `measures_of`.

    Args:
        table: what was measured.
        name: what; by default the first, which is that of the headline.
        where: values of its columns (`model="gpt2"`, `axis="religion"`); a model may be named by the end of its name.
            Of languages, axes and categories, that over all is taken where nothing is said.

    Raises:
        UserError: there is none, or there are several.
    """
    if table.is_empty():
        raise UserError("This run has no estimates.")
    there = table["measure"].unique(maintain_order=True).to_list()
    name = name or str(there[0])
    rows = table.filter(pl.col("measure") == name)
    if rows.is_empty():
        raise UserError(f"There is no estimate '{name}'. There are: {', '.join(there)}.")
    places = [column for column in table.columns if column not in ("measure", *_VALUES)]
    for column, value in where.items():
        if column not in places:
            raise UserError(f"Estimates of this run have no '{column}'. They have: {', '.join(places)}.")
        ending = pl.col(column).str.ends_with(f"/{value}") if column == "model" else pl.lit(value=False)
        exact = rows.filter(pl.col(column) == value)
        kept = rows.filter(ending) if exact.is_empty() else exact
        if kept.is_empty():
            values = map(str, rows[column].unique(maintain_order=True))
            raise UserError(f"There is no {column} '{value}'. There are: {', '.join(values)}.")
        rows = kept
    rows = _over_all(rows, except_for=where)
    if len(rows) > 1:
        texts = {key: list(map(str, rows[key].unique(maintain_order=True))) for key in places}
        say = "; ".join(
            f"{key}: {', '.join(listed[:MOST_LISTED])}{', ...' * (len(listed) > MOST_LISTED)}"
            for key, listed in texts.items()
            if len(listed) > 1
        )
        raise UserError(f"There are {len(rows)} estimates '{name}': say which one ({say}).")
    row = rows.row(0, named=True)
    where = {column: row[column] for column in places}
    return Measure(name, **{key: row[key] for key in _VALUES}, where=where)
