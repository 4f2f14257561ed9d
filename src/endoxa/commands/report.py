"""`endoxa report`: a page or table of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from endoxa.commands.probe import Log
from endoxa.commands.verbs import Outcome, argument
from endoxa.runs.options import ReportOptions
from endoxa.schema.options import OUTPUT, Option


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
