"""Tables of association tests in, checked and typed: what every part of their report is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.run import SCHEMA
from endoxa.instruments.association_tests.estimates.verdicts import judged, side_of
from endoxa.report.claims import signed_ends
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.inputs import Run
from endoxa.report.words import short_labels, signed
from endoxa.schema import TEST_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.stats.verdicts import ABOVE, BELOW, significance

REQUIRED = ("test", "x", "y", "a", "b", "effect_size", "p_value")
"""Columns without which a table is not one of association tests; the others may be missing."""

KEY = ("test", "language", "model", "pooling")
"""What a row is about; no two rows share it."""

TEST = ("language", "axis", "a", "b", "x", "y", "test")
"""What a row of a chart is about; every model and pooling is a mark in it."""

EFFECT = Measure("effect size", 0.0, "+.2~f", 1.0, 0.5)

UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Associations:
    """Association tests of one or several runs.

    Attributes:
        estimates: `run` and the columns of `schema.TEST_COLUMNS`, numbers as floats (null where undefined or
            missing), texts never null; besides `label` (short name of the model), `encoder` (label and pooling),
            `alternative` ('greater', 'less' or 'two-sided', from `method`), `value` (the effect size) and `n` (texts of
            both groups).
        labels: short name of every model.
    """

    estimates: pl.DataFrame
    labels: Mapping[str, str]

    @property
    def encoders(self) -> list[str]:
        """Models and their poolings, in order."""
        return self.estimates["encoder"].unique(maintain_order=True).to_list()

    @property
    def ddof(self) -> str:
        """Which standard deviation the effect sizes are divided by: '1', '0 (WEFE)', or '1 or 0 (see the methods)'."""
        wefe = self.estimates["method"].str.contains("ddof 0", literal=True)
        return "0 (WEFE)" if wefe.all() else "1 or 0 (see the methods)" if wefe.any() else "1"

    @property
    def sides(self) -> str:
        """What the p-values are: 'one-sided', 'two-sided', or 'one- or two-sided'."""
        two = self.estimates["alternative"] == "two-sided"
        return "two-sided" if two.all() else "one- or two-sided" if two.any() else "one-sided"

    @property
    def level(self) -> str:
        """The level of the verdicts, one minus the confidence: '0.05', or '0.05 or 0.1'."""
        levels = self.estimates["confidence"].drop_nulls().unique().sort(descending=True)
        return " or ".join(f"{significance(level):g}" for level in levels) or "0.05"

    @property
    def kind(self) -> Kind:
        """How an effect size is drawn and put into tables; sentences name the sets (`findings.spoken`)."""
        return Kind(
            head="effect size",
            measure=EFFECT,
            level=confidence_words(self.estimates),
            neutral="0",
            unbiased="no difference: 0",
            who=itemgetter("encoder"),
            name=itemgetter("encoder"),
            says=lambda row: signed(row["value"]),
            clear={
                ABOVE: "lie{s} nearer to the first attribute",
                BELOW: "lie{s} nearer to the second attribute",
            },
            unclear="not distinguishable",
            value=lambda value: UNDEFINED if value is None else signed(value, 2),
            ends=lambda row: signed_ends(row, digits=2),
        )


def confidence_words(estimates: pl.DataFrame) -> str:
    """The levels of the intervals: '95 %', or '90 % or 95 %'; empty where none is recorded."""
    levels = estimates["confidence"].drop_nulls().unique().sort()
    return " or ".join(f"{100 * level:g}\u00a0%" for level in levels)


def read_associations(runs: Sequence[Run]) -> Associations:
    """The association tests of all runs, in the order given.

    One table is shown as it was analyzed. Several are judged again over all their rows, and so is one that was written
    before there were verdicts.

    Raises:
        UserError: a table cannot be read, lacks a column, holds no row or something that is no number, or two
            rows are about the same test, language, model and pooling.
    """
    tables = pl.concat([_read(run) for run in runs])
    repeated = tables.filter(tables.select(KEY).is_duplicated())
    if repeated.height:
        row = repeated.row(0, named=True)
        folders = repeated.filter(**{name: row[name] for name in KEY})["run"].unique().sort()
        places = " and ".join(f"'{folder}'" for folder in folders)
        raise UserError(
            f"The test '{row['test']}' of {row['model']} with pooling '{row['pooling']}' stands more than once "
            f"in {places}: report only one of them."
        )
    labels = short_labels(tables["model"].unique(maintain_order=True).to_list())
    label = pl.col("model").replace_strict(labels, return_dtype=pl.String)
    pooled = pl.col("pooling") != ""
    estimates = (
        tables if len(runs) == 1 and (tables["verdict"] != "").all() else judged(tables)
    ).with_columns(
        pl.col("p_adjusted").fill_nan(None),
        label=label,
        alternative=pl.Series([side_of(method) for method in tables["method"]], dtype=pl.String),
        encoder=pl.when(pooled).then(pl.format("{} · {}", label, "pooling")).otherwise(label),
        value=pl.col("effect_size").fill_nan(None),
        n=pl.col("n_x") + pl.col("n_y"),
    )
    return Associations(estimates, labels)


def _read(run: Run) -> pl.DataFrame:
    path = run.estimates
    table = read_table(path, REQUIRED)
    missing = [pl.lit("").alias(name) for name in TEST_COLUMNS if name not in table.columns]
    texts = table.with_columns(missing).select(pl.lit(str(run.folder)).alias("run"), *TEST_COLUMNS)
    texts = texts.with_columns(pl.all().fill_null(""))
    return texts.with_columns(
        *(_number(texts[name], path) for name, kind in SCHEMA.items() if kind.is_numeric()),
        model=pl.col("model").replace("", path.stem),
    )


def _number(column: pl.Series, path: Path) -> pl.Series:
    """The column as floats; nothing and NaN are null, anything else that is no finite number is refused."""
    undefined = column.str.to_lowercase().is_in(["", "nan"])
    numbers = column.cast(pl.Float64, strict=False)
    faulty = (~undefined & ~numbers.is_finite().fill_null(value=False)).arg_true()
    if len(faulty):
        row = faulty[0]
        raise UserError(
            f"{path}, row {row + 1}: '{column.name}' is '{column[row]}', not a number; leave it empty where it is "
            "undefined."
        )
    return numbers.fill_nan(None)
