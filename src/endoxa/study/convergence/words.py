"""Words for instruments and correlations."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from typing import Any

from endoxa.report.claims import open_ends
from endoxa.report.words import NOT_DEFINED, decimal

INSTRUMENTS = {
    "pairs": "sentence pairs",
    "questions": "questions",
    "tests": "association tests",
    "stories": "stories",
}
"""Instruments as sentences and tables call them."""


def tool(instrument: str) -> str:
    """An instrument in a sentence."""
    return INSTRUMENTS.get(instrument, instrument)


def number(value: float | None) -> str:
    """A correlation with two digits; 'n/a' where it is not defined."""
    return NOT_DEFINED if value is None or value != value else decimal(value, 2)  # noqa: PLR0124


def ends(low: float | None, high: float | None, verdict: str = "") -> str:
    """An interval of correlations: '0.31 to 0.88', '0.31 or more' where nothing bounds it above.

    An end that the test excludes is said to be excluded: 'just above 0.00 to 0.55'.
    """
    if low is None or high is None or low != low or high != high:  # noqa: PLR0124
        return NOT_DEFINED
    first, last = open_ends(number(low), number(high), verdict, number(0.0))
    if isinf(low) and isinf(high):
        return "unbounded"
    if isinf(high):
        return first if first != number(low) else f"{first} or more"
    if isinf(low):
        return last if last != number(high) else f"{last} or less"
    return f"{first} to {last}"


def level(row: Mapping[str, Any]) -> str:
    """'95 %'."""
    return f"{100 * row['confidence']:g}\u00a0%"
