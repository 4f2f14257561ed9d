"""Tables of association tests in, checked and typed: what every part of their report is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import polars as pl

from endoxa.errors import UserError, first_line
from endoxa.instruments.association_tests.estimates.permutation import judged
from endoxa.instruments.association_tests.estimates.run import SCHEMA
from endoxa.report.claims import signed_ends
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.inputs import Run
from endoxa.report.words import short_labels, signed
from endoxa.sources.frames import read_table
from endoxa.stats.verdicts import significance

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
        estimates: `run` and the columns of `schema.TEST_COLUMNS`, besides `label` (short name of the model) and
            `encoder` (label and pooling).
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
        """What the p-values are: 'one-sided' or 'two-sided'."""
        return "two-sided" if self.estimates["alternative"][0] == "two-sided" else "one-sided"

    @property
    def confidence(self) -> float:
        """The confidence level of the intervals."""
        return float(self.estimates["confidence"][0])

    @property
    def level(self) -> str:
        """The level of the verdicts, one minus the confidence: '0.05'."""
        return f"{significance(self.confidence):g}"

    def kind(self, digits: int = 2) -> Kind:
        """How an effect size is drawn and put into tables; sentences name the sets (`findings.spoken`)."""
        return Kind(
            head="effect size",
            measure=EFFECT,
            level=f"{100 * self.confidence:g}\u00a0%",
            neutral="0",
            name=itemgetter("encoder"),
            value=lambda value: UNDEFINED if value is None else signed(value, digits),
            ends=lambda row: signed_ends(row, digits=digits),
        )


def read_associations(runs: Sequence[Run]) -> Associations:
    """The association tests of all runs, in the order given; several tables are judged again over all their rows.

    Raises:
        UserError: a table cannot be read or is none of `endoxa analyze run`, two tables have another confidence or
            alternative, or two rows are about the same test, language, model and pooling.
    """
    tables = pl.concat([_read(run) for run in runs])
    for name in ("confidence", "alternative"):
        if tables[name].n_unique() > 1:
            levels = " and ".join(str(level) for level in tables[name].unique().sort())
            raise UserError(
                f"The tests have a different {name} ({levels}). Analyze them with one, together: `endoxa analyze run "
                "RUN RUN -o FILE`."
            )
    repeated = tables.filter(tables.select(KEY).is_duplicated())
    if repeated.height:
        row = repeated.row(0, named=True)
        raise UserError(
            f"The test '{row['test']}' of {row['model']} with pooling '{row['pooling']}' stands more than once, first "
            f"in '{row['run']}': report only one of them."
        )
    labels = short_labels(tables["model"].unique(maintain_order=True).to_list())
    label = pl.col("model").replace_strict(labels, return_dtype=pl.String)
    estimates = (tables if len(runs) == 1 else judged(tables)).with_columns(
        label=label,
        encoder=pl.when(pl.col("pooling") != "")
        .then(pl.format("{} · {}", label, "pooling"))
        .otherwise(label),
    )
    return Associations(estimates, labels)


def _read(run: Run) -> pl.DataFrame:
    """One table with its columns as they were written; `run` is where it is from."""
    path = run.estimates
    texts = read_table(path, tuple(SCHEMA)).select(*SCHEMA, run=pl.lit(str(run.folder)))
    numbers = [name for name, kind in SCHEMA.items() if kind.is_numeric()]
    try:
        typed = texts.with_columns(pl.col(numbers).replace("", None)).cast(pl.Schema(SCHEMA))
        return typed.with_columns(pl.col(pl.String).fill_null(""))
    except pl.exceptions.PolarsError as problem:
        raise UserError(f"{path} holds text in place of a number: {first_line(problem)}") from problem
