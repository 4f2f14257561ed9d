"""The end of `endoxa study run`: one page with what the instruments say together, and the page of each beside it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.instruments.reports import write_report
from endoxa.report.claims import chip
from endoxa.report.document import Section
from endoxa.report.files import PAGE, refuse_folder, resolve_format
from endoxa.report.frame import CITE, Page, write_page
from endoxa.report.inputs import read_runs
from endoxa.report.tables import Column, Table, headline_of, number_field, text_field
from endoxa.report.words import listed, plural
from endoxa.schema.headline import Headline
from endoxa.schema.study import SEVERAL
from endoxa.sources.files import require_apart
from endoxa.sources.frames import read_table
from endoxa.stats.verdicts import ABOVE, UNTESTED
from endoxa.study.convergence.estimates import ASSOCIATION_OR_WORD, beyond, ends, number, tool
from endoxa.study.convergence.page import instruments_of, sections
from endoxa.study.convergence.run import Convergence, StudyRuns, converge, write_tables
from endoxa.study.file import FILE, Study
from endoxa.study.items import Items, left_out_lines, map_of, read_associations
from endoxa.study.parts import CHOICES, PAIRS, QUESTIONS, STORIES, TESTS, Step
from endoxa.study.run import PROFILES, read_folders, require_current
from endoxa.study.simulated import is_simulated

LIVE = "live/"
"""How runs name a simulated model that scores sentences or encodes texts."""


def study_runs(study: Study) -> StudyRuns:
    """The runs of a study that `endoxa study run` has made, with its names of models.

    Raises:
        UserError: the associations or the story map cannot be read.
    """
    parts = list(study.parts())
    aliases: dict[str, str] = {}
    for part in parts:
        for model, name in study.names(part).items():
            aliases[model] = name
            if is_simulated(model) and part in (PAIRS, TESTS):
                aliases[LIVE + model] = name

    story_map = read_table(map_of(study, study.sections[STORIES.name])) if STORIES in parts else None
    return StudyRuns(read_associations(study), read_folders(study), story_map, aliases)


REPORT = "report.html"
"""Page in the folder of a run."""
_NAMED = (PAIRS.name, QUESTIONS.name, STORIES.name, CHOICES.name)
"""Runs whose headline is on the page of the study. A test of one association has one identity on one side, so that no
test of it alone can be significant; how well profiles were read is on their own page."""
_MOST_LEFT_OUT = 50


def write_study(study: Study, output: Path) -> tuple[Convergence, list[Path]]:
    """Write the page of a study, its tables into `STEM_tables`, and the pages of its instruments into `STEM_pages`.

    Returns:
        What the instruments say together; the page, its tables, and the page of each instrument.

    Raises:
        UserError: a run is missing, or was made with other settings or items; another format than HTML; a file cannot
            be written.
    """
    if resolve_format(output, None) != PAGE:
        raise UserError(
            f"--out: '{output}' must end in .html. The tables of a study are written beside its page."
        )
    refuse_folder(output)
    require_apart([output], [study.folder / FILE, study.associations])
    items, current = require_current(study)
    convergence = converge(study_runs(study), study.comparison)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        pages = list(_copied(study, current, output))
        page = _page(study, items, current, convergence, pages)
        write_page(page, output)
    except OSError as problem:
        raise UserError(f"'{output}' cannot be written: {problem.strerror or problem}.") from problem
    tables = write_tables(convergence, output.with_name(f"{output.stem}_tables"))
    return convergence, [output, *tables, *pages]


def _copied(study: Study, current: Sequence[Step], output: Path) -> Iterator[Path]:
    """The page of each instrument, beside the page of the study so that both can be sent together."""
    folder = output.with_name(f"{output.stem}_pages")
    folder.mkdir(exist_ok=True)
    for step in _shown(current):
        page, copy = step.folder / REPORT, folder / f"{step.name}.html"
        if page.is_file():
            yield Path(shutil.copyfile(page, copy))
        else:
            yield write_report([step.folder], copy, seed=study.seed)


def _shown(current: Sequence[Step]) -> list[Step]:
    """Steps of which a report can be made: not of bare stories."""
    return [step for step in current if step.instrument.shown is not None]


def _page(
    study: Study,
    items: Sequence[Items],
    current: Sequence[Step],
    convergence: Convergence,
    pages: Sequence[Path],
) -> Page:
    there = set(convergence.parts["instrument"])
    parts = [tool(part.name) for part in study.parts() if part.name in there]
    measured = convergence.parts["association_id"].n_unique()
    compared = sections(convergence) if len(parts) > 1 else []
    runs = [run for step in _shown(current) for run in read_runs([step.folder])]
    return Page(
        package="endoxa.study",
        title=_title(convergence, f"{plural(measured, 'association')}, {plural(len(parts), 'instrument')}"),
        subtitle=f"{listed(parts)}; {plural(len(study.models), 'model')}: "
        f"{listed([model.name for model in study.models])}",
        lead=str(compared[0].findings[0]) if compared and compared[0].findings else "",
        entries=(
            *(section for section in compared if not section.folded),
            _instruments(convergence, current, pages),
            *(section for section in compared if section.folded),
            _items(study, items),
            CITE,
        ),
        runs=runs,
        models=(),  # the runs say themselves that models are simulated
    )


def _title(convergence: Convergence, otherwise: str) -> str:
    """How many associations several instruments show of the only model, as the title of a page."""
    rows = convergence.chance.filter(together=SEVERAL).rows(named=True)
    if len(rows) != 1 or rows[0]["verdict"] == UNTESTED:
        return otherwise
    (row,), (label,) = rows, convergence.labels.values()
    often = "more often than by chance" if row["verdict"] == ABOVE else "not distinguishable from chance"
    return (
        f"{label} shows {int(row['observed']) or 'none'} of {plural(row['n_associations'], 'association')} in "
        f"{instruments_of(row)[0]} instruments: {often}"
    )


def _instruments(convergence: Convergence, current: Sequence[Step], pages: Sequence[Path]) -> Section:
    """The headline of each instrument, and where its page is."""
    tables = [
        _table(headline)
        for step in current
        if step.name in _NAMED and (headline := step.instrument.headline_of(step.folder)) is not None
    ]
    titles = {step.name: tool(step.name).capitalize() for step in current} | {PROFILES: "Stories"}
    return Section(
        "instruments",
        "What each instrument found",
        lead=""
        if convergence.parts["instrument"].n_unique() > 1
        else " ".join([*convergence.warnings, "One instrument alone: there is nothing to compare it with."]),
        tables=tuple(table for table in tables if table.rows),
        template="instruments.html.j2",
        values={"pages": [(titles[page.stem], f"{page.parent.name}/{page.name}") for page in pages]},
    )


def _table(headline: Headline) -> Table:
    columns = tuple(Column(name, numeric=name not in headline.words) for name in headline.columns)
    return Table(headline.title, columns, tuple(headline.texts), notes=(*headline.warnings, *headline.notes))


def _items(study: Study, items: Sequence[Items]) -> Section:
    left_out = [line for part in items for line in left_out_lines(part, _MOST_LEFT_OUT)]
    text = (study.folder / FILE).read_text(encoding="utf-8")
    values = {"file": text, "left_out": left_out}
    return Section("asked", "What was asked", template="asked.html.j2", folded=True, values=values)


def headline(convergence: Convergence) -> Headline:
    """The correlations of instruments over associations, a row for each model and pair of instruments."""
    rows = convergence.correlations.drop("sentence").to_dicts()
    fields = (
        text_field("model"),
        text_field("instruments", lambda row: f"{row['instrument_1']}, {row['instrument_2']}"),
        number_field("n", "n_associations", str),
        number_field("raw", "raw", number),
        number_field("corrected", "corrected", number),
        number_field(
            f"{100 * convergence.options.confidence:g}% interval",
            lambda row: ends(row["low"], row["high"], row["verdict"]),
        ),
        text_field("verdict", chip),
    )
    reasons = convergence.chance["reason"].unique()
    confounded = [f"{ASSOCIATION_OR_WORD.capitalize()}."] if ASSOCIATION_OR_WORD in reasons else []
    notes = (*_notes(rows), *confounded) if rows else ("One instrument alone: nothing to compare.",)
    title = "Correlations of instruments over associations"
    return headline_of(title, rows, fields, rows, notes=notes, warnings=convergence.warnings)


def _notes(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Why rows cannot be tested or a correlation is beyond 1, each reason once."""
    untested = (f"Cannot be tested: {row['reason']}." for row in rows if row["verdict"] == UNTESTED)
    yield from dict.fromkeys([*untested, *filter(None, (beyond(row).strip() for row in rows))])
