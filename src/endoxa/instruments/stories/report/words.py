"""Attributes, values and associations as readers see them, and the columns of tables that hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.report.charts import ORANGE
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal_interval, p_value

UNRATED = "not rated"
COLORS = {"harmful": ORANGE, "benign": "#c6dff3", UNRATED: "#f4f6f8"}
"""Dark against light, so that prints without colour can be read."""
EXAMPLES = re.compile(r"\s*\(e\.g\.[^)]*\)\s*$")
ARROW = "→"


def attribute_name(attribute: str) -> str:
    """'income_level' as 'income level'."""
    return attribute.replace("_", " ")


def value_name(value: str) -> str:
    """A value without the examples behind it: 'europe' for 'europe (e.g. United Kingdom, ...)'."""
    return EXAMPLES.sub("", value) or value


def side(attribute: str, value: str) -> str:
    """'income level: low income'."""
    return f"{attribute_name(attribute)}: {value_name(value)}"


def phrase(row: Mapping[str, str]) -> str:
    """'professional field: agriculture → urbanicity: rural', from the four parts."""
    base = side(row["base_attribute"], row["base_value"])
    return f"{base} {ARROW} {side(row['compared_attribute'], row['compared_value'])}"


def claim(row: Mapping[str, Any]) -> str:
    """What the test of a difference allows to say, for the end of a sentence; nothing where nothing was tested."""
    match row.get("verdict"):
        case "above":
            return "; that is higher than chance explains"
        case "below":
            return "; that is lower than chance explains"
        case "unclear":
            return "; that is not distinguishable from chance"
        case "cannot-be-tested":
            return f"; that cannot be tested ({row['reason']})"
    return ""


def value_field(name: str, key: str = "", write: Callable[..., str] = count, *digits: int) -> Field:
    """A column of numbers, with a dash where the row has none.

    Args:
        name: its heading.
        key: the key of the row (the heading where empty).
        write: makes the text of a number.
        digits: further arguments of `write`.
    """
    column = key or name
    return number_field(name, lambda row: NO_VALUE if row[column] is None else write(row[column], *digits))


def ends_field(name: str, prefix: str = "", digits: int = 2) -> Field:
    """A column of intervals, from the keys `low` and `high` behind a prefix."""
    return number_field(name, lambda row: decimal_interval(row[f"{prefix}low"], row[f"{prefix}high"], digits))


ASSOCIATION = text_field("association", phrase, veiled=True)
SIDES = tuple(
    text_field(name, lambda row, of=of: side(row[f"{of}_attribute"], row[f"{of}_value"]), veiled=True)
    for name, of in (("stories about", "base"), ("also have", "compared"))
)
P_ADJUSTED = value_field("p adjusted", "p_adjusted", p_value)

MOST_LISTED = 300
"""Rows of a long list that a page shows; files have all."""


def first_rows(caption: str, rows: pl.DataFrame, fields: Sequence[Field], command: str) -> Table:
    """The folded table of a long list: its first rows, and which command writes all of them."""
    left = rows.height - MOST_LISTED
    notes = (f"{count(left)} more are in the files of {command}.",) if left > 0 else ()
    return table_of(caption, rows.head(MOST_LISTED), fields, folded=True, notes=notes)
