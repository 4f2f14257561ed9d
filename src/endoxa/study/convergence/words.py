"""Words for instruments and correlations."""

from __future__ import annotations

from math import isinf
from typing import Any

from endoxa.page.words import NOT_DEFINED, decimal

INSTRUMENTS = {
    "pairs": "sentence pairs",
    "questions": "questions",
    "tests": "association tests",
    "stories": "stories",
}
"""Instruments in the order of tables and figures."""


def tool(instrument: str) -> str:
    """An instrument in a sentence."""
    return INSTRUMENTS.get(instrument, instrument)


def number(value: float | None) -> str:
    """A correlation with two digits; 'n/a' where it is not defined."""
    return NOT_DEFINED if value is None or value != value else decimal(value, 2)  # noqa: PLR0124


def ends(low: float | None, high: float | None) -> str:
    """An interval of correlations: '0.31 to 0.88', 'up to 0.88' where nothing bounds it below."""
    if low is None or high is None or low != low or high != high:  # noqa: PLR0124
        return NOT_DEFINED
    if isinf(low) and isinf(high):
        return "unbounded"
    if isinf(high):
        return f"{number(low)} or more"
    if isinf(low):
        return f"{number(high)} or less"
    return f"{number(low)} to {number(high)}"


def level(row: dict[str, Any]) -> str:
    """'95 %'."""
    return f"{100 * row['confidence']:g}\u00a0%"
