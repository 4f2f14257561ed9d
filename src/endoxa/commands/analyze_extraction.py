"""`endoxa analyze extraction`: errors of profiles read by models, compared with a human coder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    import polars as pl


def extraction(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of `endoxa probe extract`.")],
    *,
    human: Annotated[Path, Option("Completed double-coding sheet of the run (.xlsx or .csv).", DATA)],
    out: Annotated[Path, Option("Error rates: .csv, .jsonl or .parquet.", OUTPUT, short="-o")],
    confusion: Annotated[Path | None, Option("Also write the confusion matrix.", OUTPUT)] = None,
    counts: Annotated[
        Path | None, Option("Also write counts per value, corrected for these errors.", OUTPUT)
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> None:
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
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_apart([out, confusion, counts], [human])
    for path in (out, confusion, counts):
        if path is not None:
            require_table_name(path)
    loaded = load_extraction(run)
    coded = read_sheet(human, loaded.vocabulary)
    found = analyze_extraction(loaded, coded, confidence=confidence, seed=seed)
    for table, path in ((found.errors, out), (found.confusion, confusion), (found.counts, counts)):
        if path is not None:
            write_table(table, path)
    _print_errors(found.errors)
    typer.echo(f"{len(coded)} stories coded by hand; error rates written to {out}")


def _print_errors(errors: pl.DataFrame) -> None:
    table = terminal_table("Errors of the extractors' majority, against the human coder")
    table.add_column("attribute", overflow="fold")
    for name in ("coded", "error rate", "interval", "missed", "swapped", "invented"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in errors.iter_rows(named=True):
        interval = f"{row['low']:.3f}–{row['high']:.3f}" if row["n"] else "-"
        rates = (row[name] for name in ("missed", "swapped", "invented"))
        table.add_row(
            row["attribute"],
            str(row["n"]),
            _rate(row["error_rate"]),
            interval,
            *(_rate(rate) for rate in rates),
        )
    terminal_console().print(table)


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
