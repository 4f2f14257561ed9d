"""The table of association tests as in a paper (IndiBias, Tables 3, 4 and 9): Markdown, LaTeX or CSV.

A row is a pair of groups and a pair of attributes, a column one encoder in one language.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.engine.options import USUAL_PAPER, PaperOptions
from endoxa.instruments.association_tests.report.results import CLAIMED, UNTESTABLE, Associations, mark
from endoxa.page import tables
from endoxa.page.tables import Cell, Column, Table
from endoxa.page.words import NO_VALUE, language_name, signed

ROW = ("axis", "x", "y", "a", "b")
COLUMN = ("language", "label", "pooling")
STUB = (Column("groups"), Column("attributes"))
"""What a row is about."""

DIGITS = 3
MISSING = NO_VALUE
UNDEFINED = "undefined"


def markdown(results: Associations) -> str:
    """One table per axis, names escaped."""
    return tables.markdown(paper_tables(results), note(results))


def latex(results: Associations, paper: PaperOptions = USUAL_PAPER) -> str:
    """One `table*` environment per axis, languages above models; needs the package booktabs and nothing else."""
    return tables.latex(paper_tables(results), note(results), caption=paper.caption, label=paper.label)


def csv(results: Associations) -> str:
    """The same for programs: axis, groups, attributes and a column per encoder and language."""
    return tables.csv(paper_tables(results), "axis")


def note(results: Associations) -> str:
    """What the numbers and stars mean."""
    daggers = results.estimates.select(mark() == UNTESTABLE).to_series().any()
    untested = f"; {UNTESTABLE}: cannot be tested" if daggers else ""
    return (
        f"Effect sizes (ddof {results.ddof}); positive: the first group lies nearer to the first attribute, rather "
        f"than the second, than the second group does. {CLAIMED}: the groups differ ({results.sides} permutation "
        f"p-value at most {results.level} after Benjamini-Hochberg over all tests){untested}."
    )


def paper_tables(results: Associations) -> list[Table]:
    """One table per axis, or per axis and language where languages do not share their set names.

    Columns of one language stand together, then those of one model.

    Tests that share their set names and differ in name only (other templates, say) get rows of their own, with
    the name of the test behind the attributes.
    """
    found = []
    for (axis,), tests in _by(results.estimates, "axis"):
        languages = tests.select("language", *ROW).unique()["language"].len()
        if languages > tests.select(ROW).unique().height:
            found.append(_table(axis, tests))
        else:
            found += [_table(axis, own) for _, own in _by(tests, "language")]
    return found


def _table(axis: str, tests: pl.DataFrame) -> Table:
    heads = [
        key
        for (language,), own in _by(tests, "language")
        for key, _ in _by(own, "label", "pooling", before=language)
    ]
    alike = tests.select(*ROW, *COLUMN).is_duplicated().any()
    keys = (*ROW, "test") if alike else ROW
    shown = tests.with_columns(
        mark=mark(),
        text=pl.col("effect_size")
        .map_elements(lambda d: signed(d, DIGITS), return_dtype=pl.String)
        .fill_null(UNDEFINED),
    )
    rows: list[tuple[str | Cell, ...]] = []
    for key, own in _by(shown, *keys):
        cells: dict[tuple[str, ...], Cell] = {
            (row["language"], row["label"], row["pooling"]): Cell(row["text"], row["mark"])
            for row in own.iter_rows(named=True)
        }
        _, x, y, a, b, *name = map(str, key)
        attributes = f"{a} / {b}" + (f" ({name[0]})" if name else "")
        rows.append((f"{x} / {y}", attributes, *(cells.get(head, Cell(MISSING)) for head in heads)))
    columns = (
        Column(label, numeric=True, above=language_name(language) if language else "", below=pooling)
        for language, label, pooling in heads
    )
    return Table(axis, (*STUB, *columns), tuple(rows), stub=len(STUB))


def _by(
    frame: pl.DataFrame, *names: str, before: object = None
) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """Groups in order of appearance; `before` is put in front of each key."""
    front = () if before is None else (str(before),)
    for key, own in frame.group_by(names, maintain_order=True):
        yield (*front, *map(str, key)), own
