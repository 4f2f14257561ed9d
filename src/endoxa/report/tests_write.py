"""What the report of association tests can be written as.

`html`: one page without scripts, and its figures beside it. `csv`: every row, the columns of `schema.TEST_COLUMNS`
after the run (`run`). `md`, `latex`, `table`: the table as in a paper, as Markdown, LaTeX, or CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report import association_tables
from endoxa.report.associations import Associations, read_associations
from endoxa.report.inputs import Run
from endoxa.schema import TEST_COLUMNS


def writers(runs: Sequence[Run], output: Path, confidence: float | None) -> dict[str, Callable[[], None]]:
    """What writes each format.

    Args:
        runs: runs of embeddings, or tables of association tests.
        output: file to write.
        confidence: None, or the level the intervals must have; nothing is analysed again here.

    Raises:
        UserError: the tests cannot be read, or their intervals have another level.
    """
    from endoxa.report.write import replace_text

    results = read_associations(runs)
    _require_level(results, confidence)
    rows = results.estimates.select("run", *TEST_COLUMNS)
    return {
        "html": lambda: _write_html(runs, results, output),
        "csv": lambda: replace_text(output, rows.write_csv()),
        "md": lambda: replace_text(output, association_tables.markdown(results)),
        "latex": lambda: replace_text(output, association_tables.latex(results)),
        "table": lambda: replace_text(output, association_tables.wide(results).write_csv()),
    }


def _write_html(runs: Sequence[Run], results: Associations, output: Path) -> None:
    from endoxa.report.tests_page import tests_page, tests_sections
    from endoxa.report.write import replace_text, write_figures

    sections = tests_sections(results)
    svgs = write_figures((figure for section in sections for figure in section.figures), output)
    replace_text(output, tests_page(runs, results, sections, svgs))


def _require_level(results: Associations, confidence: float | None) -> None:
    levels = results.estimates["confidence"].drop_nulls().unique().sort().to_list()
    other = [level for level in levels if confidence is not None and abs(level - confidence) > 1e-9]
    if other:
        raise UserError(
            f"The intervals of these tests have confidence {other[0]:g}, not {confidence:g}: leave "
            f"--confidence out, or make the table again with `endoxa analyze tests RUN --confidence ... -o FILE`."
        )
