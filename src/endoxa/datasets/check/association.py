"""An association as the checks see it, and the checks of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from babel import Locale

from endoxa.datasets.check import cells
from endoxa.datasets.check.problem import Problem, Severity
from endoxa.datasets.tables import Row

REQUIRED = ("association_id", "identity", "attribute")

_POLARITIES = ("positive", "negative", "neutral", "not negative", "")
_COUNTS = ("support", "ratings", "in_group_ratings", "out_group_ratings", "skips", "k")
_MEANS = ("mean", "weighted_mean", "in_group_mean", "out_group_mean")
_SHARES = ("knowers", "weighted_knowers")


@dataclass(frozen=True, slots=True)
class Association:
    """A row, as the checks see it."""

    row: Row

    def cell(self, column: str) -> str:
        """Text of a cell; empty where there is none."""
        return self.row.cells.get(column) or ""

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Column and text of what is in words."""
        return ((column, self.cell(column)) for column in ("identity", "attribute"))

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of this row."""
        return Problem(severity, check, self.cell("association_id"), self.row.number, column, message, text)


def empty_cell(one: Association) -> Iterator[Problem]:
    """No name, nobody it is about, or nothing that is said: nothing can be made of it."""
    for column in REQUIRED:
        if not one.cell(column).strip():
            yield one.problem("error", "empty-cell", column, "is empty: every association needs text here")


def unknown_polarity(one: Association) -> Iterator[Problem]:
    """A polarity we do not know would be counted nowhere."""
    if one.cell("polarity") not in _POLARITIES:
        message = "must be 'positive', 'negative', 'neutral', 'not negative' or empty"
        yield one.problem("error", "unknown-polarity", "polarity", message, one.cell("polarity"))


def unknown_language(one: Association) -> Iterator[Problem]:
    """A language that CLDR does not name, or none: no sentence can be made in it."""
    language = one.cell("language")
    if "language" in one.row.cells and language.replace("_", "-").split("-")[0].lower() not in _languages():
        message = (
            "is no code of a language (ISO 639), as 'en' or 'sw'"
            if language
            else "is empty: name the language"
        )
        yield one.problem("warning", "unknown-language", "language", message, language)


def bad_number(one: Association) -> Iterator[Problem]:
    """A count that is no whole number from 0, a mean outside 1 to 5, a share outside 0 to 1."""
    limits = dict.fromkeys(_COUNTS, (0.0, math.inf)) | dict.fromkeys(_MEANS, (1.0, 5.0))
    limits |= dict.fromkeys(_SHARES, (0.0, 1.0)) | {"variance": (0.0, 4.0)}
    for column, (low, high) in limits.items():
        text = one.cell(column)
        value = number(text)
        whole = column not in _COUNTS or value is None or value.is_integer()
        if text and (value is None or not low <= value <= high or not whole):
            kind = "a whole number from 0" if column in _COUNTS else f"a number from {low:g} to {high:g}"
            yield one.problem("error", "bad-number", column, f"is not {kind}", text)


def ratings_disagree(one: Association) -> Iterator[Problem]:
    """Ratings from inside and outside the group are part of all ratings, and a mean needs one."""
    counts = {name: number(one.cell(name)) for name in _COUNTS}
    total, inside, outside = (counts[name] for name in ("ratings", "in_group_ratings", "out_group_ratings"))
    if total is None:
        return
    if (inside or 0) + (outside or 0) > total:
        message = "in-group and out-group ratings are more than all ratings"
        yield one.problem("error", "ratings-disagree", "ratings", message)
    if "mean" in one.row.cells and bool(total) != bool(one.cell("mean")):
        message = "there is a mean without ratings, or ratings without a mean"
        yield one.problem("error", "ratings-disagree", "mean", message)


ROW_CHECKS: tuple[Callable[[Association], Iterator[Problem]], ...] = (
    empty_cell,
    unknown_polarity,
    unknown_language,
    bad_number,
    ratings_disagree,
    cells.surrounding_blanks,
    cells.line_break,
    cells.replacement_character,
    cells.mojibake,
    cells.html_entity,
    cells.invisible_character,
)
"""Checks of one association."""


def number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@cache
def _languages() -> Mapping[str, str]:
    return dict(Locale.parse("en").languages)
