"""The few rows that stand for a run of association tests."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.instruments.association_tests.report.quoting import diagnostics
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.report.claims import chip, clear
from endoxa.report.inputs import Run
from endoxa.report.quoting import with_diagnostics
from endoxa.report.words import p_value, plural
from endoxa.runs.run import read_run
from endoxa.schema import TEST_COLUMNS
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import UNTESTED

MOST_ROWS = 12
"""Of more tests, the largest effects are shown, what is claimed first."""


def headline(folder: Path) -> Headline:
    """The largest effects, as the run folder holds them, and what is to be known before they are quoted."""
    run = Run(folder, read_run(folder))
    results = read_associations([run])
    return with_diagnostics(headline_of(results), diagnostics([run], results))


def headline_of(results: Associations) -> Headline:
    """The largest effects."""
    estimates, kind = results.estimates, results.kind()
    order = estimates.with_columns(claimed=clear(), size=pl.col("value").abs()).sort(
        "claimed", "size", descending=True, nulls_last=True, maintain_order=True
    )
    rows = order.head(MOST_ROWS).rows(named=True)
    texts = tuple(
        (
            *(row["encoder"], row["test"], kind.value(row["value"]), kind.ends(row)),
            *(p_value(row["p_adjusted"]), chip(row), f"{row['n_x']}+{row['n_y']}"),
        )
        for row in rows
    )
    more = "" if len(order) <= MOST_ROWS else f"; the {MOST_ROWS} largest of {len(order):,}"
    untested = estimates.filter(verdict=UNTESTED).group_by("reason", maintain_order=True).len()
    return Headline(
        title=f"Effect sizes (0: no difference; above 0: X nearer to A, rather than B, than Y){more}",
        columns=("model", "test", "effect", "interval", "p adjusted", "verdict", "texts"),
        texts=texts,
        rows=tuple({name: plain(row[name]) for name in TEST_COLUMNS} for row in rows),
        words=("model", "test", "verdict"),
        notes=tuple(
            f"Cannot be tested ({plural(number, 'result')}): {reason}."
            for reason, number in untested.iter_rows()
        ),
    )
