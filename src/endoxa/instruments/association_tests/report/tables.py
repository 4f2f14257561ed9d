"""The table of association tests for a paper: Markdown, LaTeX or CSV.

A row is a pair of groups and a pair of attributes, a column one encoder in one language, as in Tables 3, 4 and 9 of
IndiBias; the intervals are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.instruments.association_tests.report.results import CLAIMED, UNTESTABLE, Associations, mark
from endoxa.report import tables
from endoxa.report.tables import Cell, Column, Table, transposed
from endoxa.report.words import NO_VALUE, language_name, signed, signed_interval
from endoxa.runs.options import USUAL_PAPER, PaperOptions

ROW = ("axis", "x", "y", "a", "b")
COLUMN = ("language", "label", "pooling")
STUB = (Column("groups"), Column("attributes"))
"""What a row is about."""

DIGITS = 3
MISSING = NO_VALUE
UNDEFINED = "undefined"


def markdown(results: Associations, paper: PaperOptions = USUAL_PAPER) -> str:
    """One table per axis, names escaped."""
    return tables.markdown(_laid_out(results, paper), note(results))


def latex(results: Associations, paper: PaperOptions = USUAL_PAPER) -> str:
    """One `table*` environment per axis, languages above models; needs the package booktabs and nothing else."""
    return tables.latex(_laid_out(results, paper), note(results), caption=paper.caption, label=paper.label)


def csv(results: Associations, paper: PaperOptions = USUAL_PAPER) -> str:
    """The same for programs: axis, groups, attributes; per encoder and language a column and one for its intervals."""
    return tables.csv(_laid_out(results, paper), "axis")


def _laid_out(results: Associations, paper: PaperOptions) -> list[Table]:
    found = paper_tables(results)
    return [transposed(table, "model") for table in found] if paper.transpose else found


def note(results: Associations) -> str:
    """What the numbers and stars mean."""
    daggers = results.estimates.select(mark() == UNTESTABLE).to_series().any()
    untested = f"; {UNTESTABLE}: cannot be tested" if daggers else ""
    levels = results.estimates.drop_nulls(["low", "high"])["confidence"].drop_nulls().unique().sort()
    spoken = " or ".join(f"{100 * level:g}\u00a0%" for level in levels)
    intervals = f" with {spoken} bootstrap intervals" if spoken else ""
    return (
        f"Effect sizes (ddof {results.ddof}){intervals}; positive: the first group lies nearer to the first "
        f"attribute, rather than the second, than the second group does. {CLAIMED}: the groups differ "
        f"({results.sides} permutation p-value at most {results.level} after Benjamini-Hochberg over all "
        f"tests){untested}."
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
    bounded = shown.drop_nulls(["effect_size", "low", "high"]).height > 0
    rows: list[tuple[str | Cell, ...]] = []
    for key, own in _by(shown, *keys):
        cells: dict[tuple[str, ...], Cell] = {
            (row["language"], row["label"], row["pooling"]): Cell(
                row["text"], row["mark"], _interval(row) if bounded else None
            )
            for row in own.iter_rows(named=True)
        }
        _, x, y, a, b, *name = map(str, key)
        attributes = f"{a} / {b}" + (f" ({name[0]})" if name else "")
        rows.append(
            (
                f"{x} / {y}",
                attributes,
                *(cells.get(head, Cell(MISSING, below="" if bounded else None)) for head in heads),
            )
        )
    columns = (
        Column(label, numeric=True, above=language_name(language) if language else "", below=pooling)
        for language, label, pooling in heads
    )
    return Table(axis, (*STUB, *columns), tuple(rows), stub=len(STUB))


def _interval(row: Mapping[str, Any]) -> str:
    """'−0.212 to +0.988'; empty where there is none."""
    undefined = any(row[name] is None for name in ("effect_size", "low", "high"))
    return "" if undefined else signed_interval(row["low"], row["high"], DIGITS)


def _by(
    frame: pl.DataFrame, *names: str, before: object = None
) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """Groups in order of appearance; `before` is put in front of each key."""
    front = () if before is None else (str(before),)
    for key, own in frame.group_by(names, maintain_order=True):
        yield (*front, *map(str, key)), own
