"""`endoxa analyze extraction`: errors of profiles read by models, compared with a human coder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, table
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table


def extraction(
    run: Annotated[Path, argument("Run folder of `endoxa probe extract`.", metavar="RUN")],
    *,
    human: Annotated[Path, Option("Completed double-coding sheet of the run (.xlsx or .csv).", DATA)],
    out: Annotated[Path, Option("Error rates: .csv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    confusion: Annotated[Path | None, Option("Also write the confusion matrix.", OUTPUT, table=True)] = None,
    counts: Annotated[
        Path | None, Option("Also write counts per value, corrected for these errors.", OUTPUT, table=True)
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> Outcome:
    """Estimate error rates of extractors, and correct counts for these errors.

    A human coder fills in the sheet written by `endoxa probe extract --sheet FILE`, without seeing the extractors'
    answers.

    \b
    Examples:
      endoxa analyze extraction out/s2 --human check.xlsx -o errors.csv
      endoxa analyze extraction out/s2 --human check.xlsx -o errors.csv --confusion pairs.csv --counts values.csv
    """  # noqa: D301
    from endoxa.instruments.stories.profiles import analyze_extraction, load_extraction
    from endoxa.instruments.stories.profiles.sheet import read_sheet

    loaded = load_extraction(run)
    coded = read_sheet(human, loaded.vocabulary)
    measured = analyze_extraction(loaded, coded, confidence=confidence, seed=seed)
    return Outcome(
        (_errors(measured.errors), f"{len(coded)} stories coded by hand; error rates written to {out}"),
        {"out": measured.errors, "confusion": measured.confusion, "counts": measured.counts},
    )


def _errors(errors: pl.DataFrame) -> Table:
    def rate(value: float | None) -> str:
        return "-" if value is None else f"{value:.3f}"

    return table(
        "Errors of the extractors' majority, against the human coder",
        ("attribute", "coded", "error rate", "interval", "missed", "swapped", "invented"),
        [
            (
                row["attribute"],
                str(row["n"]),
                rate(row["error_rate"]),
                f"{row['low']:.3f}–{row['high']:.3f}" if row["n"] else "-",
                *(rate(row[name]) for name in ("missed", "swapped", "invented")),
            )
            for row in errors.iter_rows(named=True)
        ],
    )
