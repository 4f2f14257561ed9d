"""How far the models that read the stories agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.datasets.frames import read_table
from endoxa.report.document import Column, Table
from endoxa.report.inputs import EXTRACTED, Run
from endoxa.report.stories.words import attribute_name
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent

AGREEMENT = "agreement.csv"


def extractor_tables(runs: Sequence[Run]) -> Iterator[Table]:
    """Krippendorff's alpha of every attribute, for each extraction that holds it (`EXTRACTOR_AGREEMENT_COLUMNS`)."""
    for run in runs:
        path = run.folder / AGREEMENT
        if run.kind == EXTRACTED and path.is_file():
            yield _table(run, read_table(path, ("attribute", "n", "alpha", "ties", "unknown", "unparsed")))


def _table(run: Run, agreement: pl.DataFrame) -> Table:
    def number(row: dict[str, str | None], name: str) -> float | None:
        return float(row[name] or 0) if row.get(name) else None

    def share(row: dict[str, str | None], name: str) -> str:
        value = number(row, name)
        return NO_VALUE if value is None else percent(value)

    rows = tuple(
        (
            attribute_name(row["attribute"] or ""),
            count(int(number(row, "n") or 0)),
            decimal(number(row, "alpha"), 2),
            decimal_interval(number(row, "alpha_low"), number(row, "alpha_high"), 2),
            *(share(row, name) for name in ("ties", "unknown", "unparsed")),
        )
        for row in agreement.iter_rows(named=True)
    )
    names = ("stories", "alpha", "interval", "ties", "unknown", "votes not read")
    return Table(
        f"How far those who read the stories agree ({run.folder.name})",
        (Column("attribute"), *(Column(name, numeric=True) for name in names)),
        rows,
        folded=True,
        notes=(
            "Krippendorff's alpha, nominal: 1 is full agreement, 0 is agreement by chance. Intervals draw stories anew "
            "and keep these extractors; fewer than five stories have none.",
        ),
    )
