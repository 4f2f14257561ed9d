"""Association tests in encoders: effect size, permutation test, bootstrap interval, correction, verdict."""

from __future__ import annotations

from endoxa.instruments.association_tests.estimates.run import (
    Source,
    analyze_sources,
    analyze_tests,
    run_sources,
)

__all__ = ["Source", "analyze_sources", "analyze_tests", "run_sources"]
