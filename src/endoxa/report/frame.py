"""The frame of every page: sections that have something to say, contents, notices, figures, one template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from endoxa import __version__
from endoxa.report.document import Article, Figure, Section
from endoxa.report.files import csv_address, figures_folder, replace_text, write_figures, write_rows
from endoxa.report.inputs import Run, command
from endoxa.report.items import TEMPLATE as ITEMS
from endoxa.report.labels import visible_directions
from endoxa.runs.folder import data_notes
from endoxa.runs.journal import part_of_run
from endoxa.words.state import kept_words, unreviewed

Results = TypeVar("Results")

HOME = "endoxa.report"
PAGE_STYLE = "page.css"
"""Rules of an instrument's page, after those of all pages."""
STYLES = ("style.css", "items.css")
"""Rules of all pages."""

SIMULATED_NOTICE = (
    "Models whose name begins with sim/ are simulated respondents with a preference set by hand."
)
CITE = Section("cite", "How to cite, how to repeat", template="cite.html.j2", folded=True)
"""The last section of every page; its text is the instrument's."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is HTML.

    Attributes:
        package: package whose `templates` hold the instrument's words: `page.html.j2` and those of its sections.
        title: its heading: the finding, where there is one.
        subtitle: what was measured, on which data, by which models; a line at the top.
        entries: its sections, and articles of sections, in reading order. The first section opens the page; what must
            be known before its number is quoted (`quoting.quoting`) stands beside it where it comes next.
        runs: what it was made from, for its notices and how to repeat it.
        models: names of all models, as on the command line.
        values: what its templates need besides.
        lead: the finding in one sentence with interval and units, below the heading; sections do not repeat it.
    """

    package: str
    title: str
    subtitle: str
    entries: tuple[Section | Article, ...]
    runs: Sequence[Run]
    models: Iterable[str]
    values: Mapping[str, Any] = field(default_factory=dict)
    lead: str = ""

    @property
    def sections(self) -> Iterator[Section]:
        """Every section, those of articles among them."""
        for entry in self.entries:
            yield from entry.sections if isinstance(entry, Article) else (entry,)

    @property
    def figures(self) -> list[Figure]:
        """Every figure."""
        return [figure for section in self.sections for figure in section.figures]


def present(sections: Iterable[Section | None]) -> list[Section]:
    """The sections that have something to say, without tables that have no row."""
    kept = (
        replace(section, tables=tuple(table for table in section.tables if table.rows))
        for section in sections
        if section is not None
    )
    return [section for section in kept if not section.empty]


def filled(builders: Iterable[Callable[[Results], Section | None]], results: Results) -> list[Section]:
    """`present` for sections that are built from the results."""
    return present(build(results) for build in builders)


def write_page(page: Page, output: Path) -> None:
    """Write the page, and its figures beside it.

    Raises:
        OSError: a file cannot be written.
    """
    named = unique_figures(page)
    folder = figures_folder(output)
    write_figures(named.figures, folder)
    write_rows(named.figures, folder)
    replace_text(output, page_text(named))


@cache
def _templates(package: str) -> Environment:
    """The templates of a page, compiled once; everything is escaped that is not marked as ours."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(HOME)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["csv_address"] = csv_address
    return environment


def page_text(page: Page) -> str:
    """The page, its figures named apart, as HTML."""
    environment = _templates(page.package)
    values = {"version": __version__, "commands": commands(page.runs), **page.values}

    def shown(section: Section) -> dict[str, Any]:
        # Our own templates and pictures: not escaped a second time.
        body = (
            environment.get_template(section.template).render({**values, **section.values})
            if section.template
            else ""
        )
        findings = tuple(finding for finding in section.findings if finding.text not in page.lead)
        return {
            "section": replace(section, findings=findings),
            "body": Markup(body),  # noqa: S704
        }

    entries = [
        {"article": entry, "parts": [shown(section) for section in entry.sections]}
        if isinstance(entry, Article)
        else shown(entry)
        for entry in page.entries
    ]
    return environment.get_template("page.html.j2").render(
        {
            **values,
            "title": page.title,
            "subtitle": page.subtitle,
            "lead": page.lead,
            "notices": notices(page.runs, page.models),
            "remarks": remarks(page.runs),
            "entries": entries,
            "style": Markup().join(
                (*(template_file(HOME, name) for name in STYLES), template_file(page.package, PAGE_STYLE))
            ),
            "figure_script": figure_script(page),
        }
    )


def figure_script(page: Page) -> Markup:
    """What the figures of this page need of scripts: tooltips, choices, or nothing."""
    figures = page.figures
    closer = any(figure.choices for figure in figures)
    items = any(section.template == ITEMS for section in page.sections)
    if not (figures or items):
        return Markup()
    needed = {"common.js": closer or items, "csv.js": True, "tips.js": True, "closer.js": closer}
    names = [name for name, used in (needed | {"items.js": items, "files.js": figures}).items() if used]
    parts = [template_file(HOME, name) for name in names]
    return Markup('(() => {\n"use strict";\n') + Markup().join(parts) + Markup("})();")


def unique_figures(page: Page) -> Page:
    """The page with figures of unlike names (the second `axes` is `axes-2`), whose alternative begins with a finding.

    A figure alone in its section says the first finding; of several, each says the finding that names its title.
    """
    names: set[str] = set()

    def changed(section: Section) -> Section:
        figures = []
        for figure in section.figures:
            numbered = (f"{figure.name}-{number}" for number in count(2))
            name = next(name for name in chain([figure.name], numbered) if name not in names)
            names.add(name)
            alone = len(section.figures) == 1
            finding = next((each for each in section.findings if alone or figure.title in str(each)), None)
            alt = f"{finding} {figure.alt}" if finding else figure.alt
            figures.append(replace(figure, name=name, alt=alt))
        return replace(section, figures=tuple(figures))

    entries = (
        replace(entry, sections=tuple(map(changed, entry.sections)))
        if isinstance(entry, Article)
        else changed(entry)
        for entry in page.entries
    )
    return replace(page, entries=tuple(entries))


def part_note(runs: Sequence[Run]) -> str:
    """What part of the items runs took, as a sentence, each run where they differ; empty where they took all."""
    parts = [part_of_run(run.facts) for run in runs]
    if len(set(parts)) < 2:
        return f"Of a part of the data: {parts[0]}." if any(parts) else ""
    named = (f"{run.folder.name}: {part or 'all items'}" for run, part in zip(runs, parts, strict=True))
    return f"Of a part of the data: {'; '.join(named)}."


def notices(runs: Sequence[Run], models: Iterable[str]) -> list[str]:
    """What the runs want said above everything else, each once; simulated models are always said to be."""
    texts = [str(run.facts["notice"]) for run in runs if run.facts.get("notice")]
    if any(model.startswith("sim/") for model in models):
        texts.append(SIMULATED_NOTICE)
    return list(dict.fromkeys([*texts, *filter(None, (part_note(runs),))]))


def remarks(runs: Sequence[Run]) -> list[str]:
    """What is said of the data before a number is quoted; words of ours that no speaker has checked, as of today."""
    line = unreviewed(pair for run in runs for pair in kept_words(run.facts))
    return [*_data_notes(runs), *filter(None, (line,))]


def _data_notes(runs: Sequence[Run]) -> Iterator[str]:
    """What is said of the data, with the runs it is said of where it is not said of all."""
    folders: dict[str, list[str]] = {}
    for run in runs:
        for note in data_notes(run.facts):
            folders.setdefault(note, []).append(run.folder.name)
    for note, names in folders.items():
        yield note if len(names) == len(runs) else f"{', '.join(names)}: {note}"


def commands(runs: Iterable[Run]) -> list[str]:
    """The command of every run, each once; tables were made by none that is known."""
    return list(dict.fromkeys(visible_directions(command(run)) for run in runs if not run.folder.is_file()))


def template_file(package: str, name: str) -> Markup:
    """A file of the package's templates as it is; empty where it has none of that name."""
    file = files(package) / "templates" / name
    return Markup(file.read_text(encoding="utf-8") if file.is_file() else "")  # noqa: S704
