"""From records to estimates: value, interval, p-value, n, and the value that would mean no bias."""

from __future__ import annotations

from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.pairs.estimates.run import (
    STATISTICS,
    PairsAnalysis,
    analyze_pairs,
    analyze_run,
    write_estimates,
)

__all__ = [
    "STATISTICS",
    "PairsAnalysis",
    "analyze_pairs",
    "analyze_run",
    "load_records",
    "write_estimates",
]
