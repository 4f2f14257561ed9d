"""Reports: from run folders to one HTML page, tables for papers, figures.

What each kind of run is written as is declared by its instrument (`Instrument.shown`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from endoxa.errors import UserError
from endoxa.instruments.logs import runs_and_logs
from endoxa.report.files import (
    PAGE,
    figures_folder,
    refuse_folder,
    replace_text,
    resolve_format,
    write_figures,
)
from endoxa.report.frame import part_note, unique_figures, write_page
from endoxa.report.inputs import (
    DISAGREEMENT,
    DRAFTS,
    EXTRACTED,
    LENIENCY,
    NOVELTY,
    TABLE_KINDS,
    TOPICS,
    Run,
    holds,
    read_runs,
)
from endoxa.runs.instrument import INSTRUMENTS, Shown, late
from endoxa.runs.options import ReportOptions, RunSettings
from endoxa.sources.files import require_apart

PAGES_OF_TABLES = {
    DISAGREEMENT: late("endoxa.curate.ratings.page:shown"),
    LENIENCY: late("endoxa.curate.ratings.page:shown"),
    NOVELTY: late("endoxa.curate.novelty.page:shown"),
    TOPICS: late("endoxa.curate.ratings.page:shown"),
    DRAFTS: late("endoxa.author.page:shown"),
}
"""What tables of no instrument are shown as."""


def write_report(
    runs: Sequence[Path],
    output: Path,
    *,
    format: str | None = None,  # noqa: A002
    options: ReportOptions | None = None,
    **stated: Any,
) -> Path:
    """Write what finished runs found; runs of sentence pairs and of questions are analysed first.

    `html`: one page that needs no network, and every figure as SVG and PNG in the folder `STEM_figures`
    beside it. `csv`: every estimate, columns of `schema.ESTIMATE_COLUMNS` after the name of the data set
    (`data`). `md`, `latex`: the headline table, models against axes. Runs over different data sets are
    analysed one by one. With `width`, every figure is also drawn for print, into the same folder, whatever the
    format; in a page they stay as they are.

    Args:
        runs: run folders of one kind, or tables, see `endoxa.report.inputs.read_runs`; logs of other harnesses, see
            `endoxa.instruments.logs`.
        output: file to write; its folder is made where it is missing.
        format: a name of `endoxa.report.files.FORMATS`; by default the file's ending says it.
        options: how it is made.
        stated: single fields of the options (`confidence`, `labels`, `width`).

    Returns:
        The file written.

    Raises:
        UserError: an unknown format, a folder that is no finished run, records that cannot be used, or a file
            that cannot be written.
    """
    chosen = resolve_format(output, format)
    refuse_folder(output)
    names = ("estimates.csv", "run.json", "records.parquet")
    inputs = [path for run in runs for path in (run, *(run / name for name in names))]
    how = replace(options or ReportOptions(), **stated)
    require_apart([output], [*inputs, how.labels])
    with runs_and_logs(runs) as folders:
        matching = read_runs(folders)
        note = part_note(matching)
        shown = shown_as(matching, replace(how, note=note))
        if chosen not in (PAGE, *shown.texts):
            raise UserError(
                f"Runs of {holds(matching[0].kind)} cannot be written as '{chosen}'. Expected one of: "
                f"{', '.join((PAGE, *shown.texts))}."
            )
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            _write(shown, chosen, output, how.width)
        except OSError as error:
            raise UserError(f"'{output}' cannot be written: {error.strerror or error}.") from error
    return output


def _write(shown: Shown, format: str, output: Path, width: Literal["column", "page"] | None) -> None:  # noqa: A002
    if format != PAGE:
        replace_text(output, shown.texts[format]())
    if format != PAGE and width is None:
        return
    page = shown.page()
    if format == PAGE:
        write_page(page, output)
    if width is not None:
        write_figures(unique_figures(page).figures, figures_folder(output), width)


def report_run(settings: RunSettings, out: Path) -> None:
    """Write the page of one run into its folder, with the settings that its estimates have.

    Raises: as `write_report`.
    """
    confidence = settings.asked().get("confidence")
    write_report([out], out / "report.html", confidence=confidence, seed=settings.seed)


def shown_as(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and tables of runs, as their instrument declares them.

    Raises:
        UserError: there is nothing to show of such runs, or an option is not for them.
    """
    kind = runs[0].kind
    if kind in PAGES_OF_TABLES:
        table: Shown = PAGES_OF_TABLES[kind](runs)
        return table
    instrument = INSTRUMENTS.get(EXTRACTED if kind in TABLE_KINDS else kind)
    if how.labels is not None and not instrument.takes_labels:
        raise UserError(
            f"--labels does not apply to runs of {holds(kind)}, only to questions and stories. Leave it out."
        )
    if instrument.shown is None:
        raise UserError(f"There is no report of {instrument.holds}.")
    return instrument.shown(runs, how)
