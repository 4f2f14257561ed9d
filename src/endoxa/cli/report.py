"""`endoxa report`: from runs to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Finished run folders, or tables of results.")
    ],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File to write: .html, .csv, .md or .tex.")
    ],
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="html, csv, md, latex, or table (association tests), where the file's ending does not say it.",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Confidence level of the intervals; association tests keep theirs.",
            show_default="0.95",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table with the columns model, label, provider, size: how models are called (questions, stories).",
        ),
    ] = None,
) -> None:
    """One page (or table) of what runs of sentence pairs, association tests, questions or stories show.

    The HTML page works offline, holds every figure and table, and blurs offensive sentences until asked.
    Its figures are also written as SVG and PNG files, beside it. Runs over different data sets each get a
    part of their own; models are compared only on the same pairs. Association tests come from runs of
    `endoxa probe embeddings` or from tables that `endoxa analyze tests` wrote. Runs of questions over the same
    items with groups and with names (`endoxa build names`) are compared. Runs of `endoxa probe extract` and
    `endoxa probe harm`, tables of `endoxa analyze associations` and people's ratings make one page together.

    \b
    Examples:
      endoxa report out/run1 out/run2 -o out/report.html
      endoxa report out/run1 -o estimates.csv
      endoxa report out/run1 -o table.tex
      endoxa report out/r4 -o out/tests.html
      endoxa report out/seat.csv -o seat.csv --format table
      endoxa report out/q1 out/q2 --labels models.csv -o out/qa.html
      endoxa report out/s2 out/s3 -o out/stories.html
    """  # noqa: D301
    from endoxa.instruments.reports import write_report
    from endoxa.page.files import figures_folder, resolve_format

    written = write_report(runs, output, format=format, confidence=confidence, seed=seed, labels=labels)
    typer.echo(f"Written: {written}")
    if resolve_format(output, format) == "html":
        folder = figures_folder(output)
        typer.echo(f"Figures: {folder}")
        bare = sum(not path.with_suffix(".png").exists() for path in folder.glob("*.svg"))
        if bare:
            typer.echo(
                f"{bare} of them as SVG only: their script is set rightly by browsers, not in our PNG files."
            )
