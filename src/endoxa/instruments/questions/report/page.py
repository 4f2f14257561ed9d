"""The page about questions: one HTML file that needs no network and no scripts.

What the report of questions can be written as.

`html`: one page without scripts, and its figures beside it. `csv`: every estimate, the columns of
`schema.QA_ESTIMATE_COLUMNS`. `md`, `latex`: the published tables 1 to 6 for these models.

The published tables as Markdown or LaTeX (booktabs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from endoxa import __version__
from endoxa.engine.families import LEANS, NAME_DIFFERENCES, RETENTION, SELF_DEBIASING
from endoxa.instruments.questions.estimates.leans import TEMPLATES
from endoxa.instruments.questions.report.averages import averages
from endoxa.instruments.questions.report.conditions import conditions_compared
from endoxa.instruments.questions.report.debias import debias
from endoxa.instruments.questions.report.headline import headline
from endoxa.instruments.questions.report.identities import identities
from endoxa.instruments.questions.report.numbers import categories, numbers
from endoxa.instruments.questions.report.outcomes import outcomes
from endoxa.instruments.questions.report.overview import cost, overview, summary
from endoxa.instruments.questions.report.planted import planted
from endoxa.instruments.questions.report.published import PaperTable, paper_tables, published
from endoxa.instruments.questions.report.results import QaResults, read_results
from endoxa.instruments.questions.report.samples import samples
from endoxa.page.document import Section
from endoxa.page.families import Used, families
from endoxa.page.files import replace_text, write_figures
from endoxa.page.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.page.inputs import Run, command
from endoxa.page.labels import visible_directions
from endoxa.page.markup import escape_latex, escape_markdown
from endoxa.page.words import listed
from endoxa.schema import QA_ESTIMATE_COLUMNS
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance


def qa_sections(runs: Sequence[Run], results: QaResults) -> list[Section]:
    """All sections in reading order; figure names are unique over them."""
    built = (
        headline(results),
        overview(runs, results),
        planted(runs, results),
        outcomes(results),
        published(results),
        averages(results),
        conditions_compared(results),
        identities(results),
        categories(results),
        debias(results),
        cost(runs, results),
        tests_made(results),
        numbers(results),
    )
    names: set[str] = set()
    return [unique_figures(section, names) for section in built if section is not None]


def tests_made(results: QaResults) -> Section:
    """The families of tests behind what is claimed on the page."""
    used: list[Used] = [
        (LEANS, results.estimates, ""),
        (NAME_DIFFERENCES, results.differences.drop_nulls("neutral"), ""),
        (RETENTION, results.retention, ""),
        (SELF_DEBIASING, results.debias.filter(interval=TEMPLATES), ""),
    ]
    return families(used, level=f"{significance(results.confidence):g}")


def qa_page(
    runs: Sequence[Run],
    results: QaResults,
    sections: Sequence[Section],
    svgs: Mapping[str, str],
    *,
    seed: int,
) -> str:
    """The whole page as text.

    Args:
        runs: every run, for its notices, its raw answers and how to repeat it.
        results: what their answers say.
        sections: what `qa_sections` gives.
        svgs: inline SVG by figure name.
        seed: seed of the bootstrap.
    """
    return (
        environment()
        .get_template("qa.html.j2")
        .render(
            version=__version__,
            title=f"Answers to questions about people: {listed(list(results.data))}",
            subtitle=summary(results),
            notices=notices(runs, results.names),
            sections=[shown_section(section, svgs) for section in sections],
            samples=samples(runs, results.names),
            level=results.level,
            fewest=fewest_units(significance(results.confidence)),
            seed=seed,
            commands=list(dict.fromkeys(visible_directions(command(run)) for run in runs if run.facts)),
            style=own_file("style.css"),
        )
    )


def markdown(tables: Sequence[PaperTable]) -> str:
    """One table after another, names escaped."""
    parts = []
    for table in tables:
        head = ["Model", *(escape_markdown(name) for name in table.heads)]
        marks = ["---", *["---:"] * len(table.heads)]
        body = [[escape_markdown(cell) for cell in row] for row in table.rows]
        grid = "\n".join("| " + " | ".join(row) + " |" for row in [head, marks, *body])
        notes = "\n\n".join(escape_markdown(note) for note in table.notes)
        parts.append(f"**Table {table.number}. {escape_markdown(table.title)}**\n\n{grid}\n\n{notes}\n")
    return "\n".join(parts)


def latex(tables: Sequence[PaperTable]) -> str:
    """One `table*` environment each; needs the package booktabs and nothing else."""
    parts = ["% Made by endoxa report. Needs \\usepackage{booktabs}.\n"]
    for table in tables:
        head = " & ".join(["Model", *(escape_latex(name) for name in table.heads)])
        body = "\n".join(" & ".join(map(_latex_text, row)) + r" \\" for row in table.rows)
        caption = _latex_text(" ".join([f"{table.title}.", *table.notes]))
        parts.append(
            "\\begin{table*}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}\n"
            f"\\begin{{tabular}}{{l{'r' * len(table.heads)}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
            f"\\bottomrule\n\\end{{tabular}}\n\\caption{{{caption}}}\n\\end{{table*}}\n"
        )
    return "\n".join(parts)


def _latex_text(text: str) -> str:
    marks = {"−": "$-$", "±": r"$\pm$", "×": r"$\times$"}
    escaped = escape_latex(text)
    for mark, latex_mark in marks.items():
        escaped = escaped.replace(mark, latex_mark)
    return escaped


def writers(
    runs: Sequence[Run], output: Path, *, confidence: float, seed: int, labels: Path | None
) -> dict[str, Callable[[], None]]:
    """What writes each format; the analysis is done here, before anything is touched.

    Args:
        runs: runs of questions.
        output: file to write.
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.
        labels: table of model labels, see `labels.read_labels`.

    Raises:
        UserError: records or labels cannot be used.
    """
    results = read_results(runs, confidence=confidence, seed=seed, labels=labels)
    rows = results.estimates.select(list(QA_ESTIMATE_COLUMNS))
    return {
        "html": lambda: _write_html(runs, results, output, seed),
        "csv": lambda: replace_text(output, rows.write_csv()),
        "md": lambda: replace_text(output, markdown(paper_tables(results))),
        "latex": lambda: replace_text(output, latex(paper_tables(results))),
    }


def _write_html(runs: Sequence[Run], results: QaResults, output: Path, seed: int) -> None:
    sections = qa_sections(runs, results)
    svgs = write_figures((figure for section in sections for figure in section.figures), output)
    replace_text(output, qa_page(runs, results, sections, svgs, seed=seed))
