"""How verdicts about questions are worded, and the numbers that a sentence rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from endoxa.report.claims import corrected, decimal_ends
from endoxa.report.words import NO_VALUE, NOT_DEFINED
from endoxa.stats.verdicts import TOO_SMALL

Row = Mapping[str, Any]

SPOKEN_LEANS = {"bias_score": "bias score", "accuracy_gap": "accuracy gap"}


def evidence(row: Row, value: str, low: str = "low", high: str = "high") -> dict[str, Any]:
    """The row of a table with what its verdict is about under the names `value`, `low`, `high` and `reason`."""
    return {
        **row,
        "value": row[value],
        "low": row[low],
        "high": row[high],
        "reason": row["verdict_reason"],
    }


def lean_evidence(row: Row) -> dict[str, Any]:
    """A row of the estimates as evidence of its lean."""
    return evidence(row, "lean", "lean_low", "lean_high")


def spoken_interval(found: Row, level: str) -> str:
    """'95 % interval 0.236 to 0.266', or that there is none; of a row that `evidence` gives."""
    ends = shown_interval(found)
    return "no interval can be given" if ends == NO_VALUE else f"{level} interval {ends}"


def shown_interval(found: Row) -> str:
    """'0.236 to 0.266', or a dash; of a row that `evidence` gives."""
    ends = decimal_ends(found, neutral=found["neutral"] or 0.0)
    return NO_VALUE if ends == NOT_DEFINED else ends


def because(found: Row) -> str:
    """A sentence on why a row is unclear although its p-value is small, else empty."""
    if found["reason"] == TOO_SMALL:
        return f" The difference from {found['neutral']:g} is smaller than the digits shown."
    return corrected(found)
