"""From records to estimates: value, interval, p-value, n, and the value that would mean no bias."""

from __future__ import annotations

from endoxa.analyze.pairs import PairsAnalysis, analyze_pairs, analyze_run, write_estimates
from endoxa.analyze.power import plan_pairs
from endoxa.analyze.records import load_records
from endoxa.analyze.registry import STATISTICS

__all__ = [
    "STATISTICS",
    "PairsAnalysis",
    "analyze_pairs",
    "analyze_run",
    "load_records",
    "plan_pairs",
    "write_estimates",
]
