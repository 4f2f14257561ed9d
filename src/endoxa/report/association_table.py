"""The table of association tests as in a paper (IndiBias, Tables 3, 4 and 9), before it is Markdown, LaTeX or CSV.

A row is a pair of groups and a pair of attributes, a column one encoder in one language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from endoxa.report.associations import CLAIMED, UNTESTABLE, Associations, mark
from endoxa.report.words import language_name, signed

ROW = ("axis", "x", "y", "a", "b")
COLUMN = ("language", "label", "pooling")
DIGITS = 3
MISSING = "–"
UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Head:
    """Heading of a column: language as readers see it, model label, pooling (may be empty)."""

    language: str
    model: str
    pooling: str

    @property
    def line(self) -> str:
        """'Hindi: muril (cls)'."""
        return (f"{self.language}: " if self.language else "") + self.encoder

    @property
    def encoder(self) -> str:
        """'muril (cls)'."""
        return f"{self.model} ({self.pooling})" if self.pooling else self.model


@dataclass(frozen=True, slots=True)
class Cell:
    """An effect size as text and its mark."""

    value: str = MISSING
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One test: 'x / y', 'a / b', and a cell per column."""

    groups: str
    attributes: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The tests of one axis (empty where it is not stated)."""

    axis: str
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]


def note(results: Associations) -> str:
    """What the numbers and stars mean."""
    daggers = results.estimates.select(mark() == UNTESTABLE).to_series().any()
    untested = f"; {UNTESTABLE}: cannot be tested" if daggers else ""
    return (
        f"Effect sizes (ddof {results.ddof}); positive: the first group lies nearer to the first attribute, rather "
        f"than the second, than the second group does. {CLAIMED}: the groups differ ({results.sides} permutation "
        f"p-value at most {results.level} after Benjamini-Hochberg over all tests){untested}."
    )


def blocks(results: Associations) -> list[Block]:
    """One block per axis, or per axis and language where languages do not share their set names.

    Columns of one language stand together, then those of one model.

    Tests that share their set names and differ in name only (other templates, say) get rows of their own, with
    the name of the test behind the attributes.
    """
    found = []
    for (axis,), tests in _by(results.estimates, "axis"):
        languages = tests.select("language", *ROW).unique()["language"].len()
        if languages > tests.select(ROW).unique().height:
            found.append(_block(axis, tests))
        else:
            found += [_block(axis, own) for _, own in _by(tests, "language")]
    return found


def _block(axis: str, tests: pl.DataFrame) -> Block:
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
    lines = []
    for key, own in _by(shown, *keys):
        cells: dict[tuple[str, ...], Cell] = {
            (row["language"], row["label"], row["pooling"]): Cell(row["text"], row["mark"])
            for row in own.iter_rows(named=True)
        }
        _, x, y, a, b, *name = map(str, key)
        attributes = f"{a} / {b}" + (f" ({name[0]})" if name else "")
        lines.append(Line(f"{x} / {y}", attributes, tuple(cells.get(head, Cell()) for head in heads)))
    named = tuple(
        Head(language_name(language) if language else "", label, pooling)
        for language, label, pooling in heads
    )
    return Block(axis, named, tuple(lines))


def _by(
    frame: pl.DataFrame, *names: str, before: object = None
) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """Groups in order of appearance; `before` is put in front of each key."""
    front = () if before is None else (str(before),)
    for key, own in frame.group_by(names, maintain_order=True):
        yield (*front, *map(str, key)), own
