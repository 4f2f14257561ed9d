"""How verdicts are worded, marked and counted. Pages take their words from here; none decides anything itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

import polars as pl

from endoxa.report.tables import number_field, text_field
from endoxa.report.words import NOT_DEFINED, decimal, p_value, percent, signed
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR, CORRECTED, NO_QUESTION, UNCLAIMED, UNTESTED, VERDICTS

CHIPS = {str(verdict): verdict.replace("-", " ") for verdict in VERDICTS} | {"": "–"}
"""A verdict in a table."""

Row = Mapping[str, Any]


def chip(row: Row) -> str:
    """The verdict of a row, for a table; with the corrected p-value where the interval alone would say more."""
    if not row["verdict"] and (row.get("reason") or "").startswith(UNCLAIMED):
        return UNCLAIMED
    word, held = CHIPS[str(row["verdict"] or "")], held_back(row)
    return f"{word} (p {held} after correction)" if held else word


def held_back(row: Row) -> str:
    """The corrected p-value, where only the number of tests keeps a row from a claim that its interval makes; else ''.

    Args:
        row: with its p-value, and the `reason` of the verdict.
    """
    return p_value(row["p_adjusted"]) if row.get("reason") == CORRECTED else ""


def is_clear(row: Row) -> bool:
    """Whether a row carries a claim: filled marks, stars."""
    return str(row["verdict"]) in CLEAR


def cannot_be_tested(row: Row) -> bool:
    """Whether nothing can be said about a row, for or against."""
    return str(row["verdict"]) == UNTESTED


def adjusted(row: Row) -> str:
    """The corrected p-value of a row, for a table; one of too few units is none, however small it is."""
    return NOT_DEFINED if cannot_be_tested(row) else p_value(row["p_adjusted"])


VERDICT = text_field("verdict", chip)
P_ADJUSTED = number_field("p adjusted", adjusted)
"""Columns of tables of estimates."""

CLAIMED, UNTESTABLE = "*", "†"
"""Marks in tables for papers."""


def mark(row: Row) -> str:
    """'*' beside a claim, '†' beside what cannot be tested, ' (p 0.091)' where `held_back` has one, else empty."""
    held = f" (p {held_back(row)})" if held_back(row) else ""
    return CLAIMED if is_clear(row) else UNTESTABLE if cannot_be_tested(row) else held


def verdict_counts(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows have each verdict."""
    verdicts = [str(row["verdict"]) for row in rows]
    return {str(verdict): verdicts.count(str(verdict)) for verdict in VERDICTS}


def counted(rows: Iterable[Row], words: Mapping[Any, str], **slots: str) -> list[str]:
    """What each verdict says with the number of rows that have it, those that no row has left out.

    Args:
        rows: rows of estimates.
        words: what a verdict says, by verdict: '{n} lean{s} towards the stereotype'; `n` is the number, `s` the ending
            of a verb, empty for more than one, and `be` is 'is' or 'are'. Verdicts without words are left out.
        slots: what else stands in the words.
    """
    numbers = Counter(str(row["verdict"] or NO_QUESTION) for row in rows)
    return [
        words[verdict].format(
            n=number, s="s" if number == 1 else "", be="is" if number == 1 else "are", **slots
        )
        for verdict in (*VERDICTS, NO_QUESTION)
        if verdict in words and (number := numbers[verdict])
    ]


def corrected(row: Row) -> str:
    """' The p-value of 0.030 is 0.091 after correction ...' where only the correction makes it unclear, else empty."""
    if row["reason"] != CORRECTED:
        return ""
    return (
        f" Taken alone its p-value is {p_value(row['p_value'])}; corrected for the number of tests it is "
        f"{p_value(row['p_adjusted'])}."
    )


def percent_ends(row: Row) -> str:
    """An interval of shares in percent; an end that the exact test excludes is said to be excluded."""
    return _ends(row, 0.5, lambda end: percent(end).removesuffix("\u00a0%"))


def signed_ends(row: Row, digits: int = 3) -> str:
    """An interval of differences; an end that the exact test excludes is said to be excluded."""
    return _ends(row, 0.0, lambda end: signed(end, digits))


def decimal_ends(row: Row, neutral: float = 0.0) -> str:
    """An interval of scores or ratios; an end that the exact test excludes is said to be excluded."""
    return _ends(row, neutral, decimal)


def _ends(row: Row, neutral: float, spoken: Any) -> str:
    ends = row["low"], row["high"]
    if any(end is None or isnan(end) for end in ends):
        return NOT_DEFINED
    first, last = open_ends(spoken(ends[0]), spoken(ends[1]), str(row["verdict"]), spoken(neutral))
    return f"{first} to {last}"


def open_ends(first: str, last: str, verdict: str, neutral: str) -> tuple[str, str]:
    """Ends of an interval in words; one that reads as the excluded neutral value is 'just' beside it."""
    if verdict == ABOVE and first == neutral:
        first = f"just above {first}"
    if verdict == BELOW and last == neutral:
        last = f"just below {last}"
    return first, last


def not_ranked(lowest: Row, highest: Row, low: str = "low", high: str = "high") -> str:
    """' The intervals of both overlap: ...' where nothing tells the ends of a range apart; else empty."""
    ends = highest[low], lowest[high]
    if any(end is None or isnan(end) for end in ends) or ends[0] > ends[1]:
        return ""
    return " The intervals of both overlap: this is no ranking."


def agreed(rows: Iterable[Row], neutral: str) -> tuple[str, ...]:
    """A note where an exact test moved an end of an interval to the neutral value (`intervals.agreeing`); else none.

    Args:
        rows: rows of estimates that are shown.
        neutral: the neutral value in words.
    """
    if not any(row["neutral"] in (row["low"], row["high"]) for row in rows):
        return ()
    return (
        f"An interval that begins or ends at exactly {neutral} was moved to it, because the exact test decides whether "
        "the interval holds that value.",
    )


def clear() -> pl.Expr:
    """True where the verdict is a claim."""
    return pl.col("verdict").is_in(list(CLEAR))


def marked() -> pl.Expr:
    """How a mark is drawn: True (filled) for a claim, null (a dotted ring) where nothing can be tested, else False."""
    return pl.when(pl.col("verdict").ne_missing(pl.lit(UNTESTED))).then(clear())


def interval_holds(row: Mapping[str, Any], neutral: float) -> bool:
    """Whether the interval that is printed holds a value: said beside a verdict, never in place of it.

    Args:
        row: with its ends, `low` and `high`.
        neutral: the value.
    """
    return bool(row["low"] <= neutral <= row["high"])
