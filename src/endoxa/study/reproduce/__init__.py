"""Published results recomputed cell by cell: printed, ours, difference, tolerance, verdict, and why they differ."""

from __future__ import annotations

from endoxa.study.reproduce.catalogue import (
    EXACT,
    RESULTS,
    Cell,
    Key,
    Need,
    Ours,
    PublishedResult,
    Tolerance,
    read_result,
    rounding,
)
from endoxa.study.reproduce.run import Inputs, Reproduced, reproduce

__all__ = [
    "EXACT",
    "RESULTS",
    "Cell",
    "Inputs",
    "Key",
    "Need",
    "Ours",
    "PublishedResult",
    "Reproduced",
    "Tolerance",
    "read_result",
    "reproduce",
    "rounding",
]
