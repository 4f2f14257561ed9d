"""Association tests in encoders: effect size, permutation test, bootstrap interval, correction, verdict."""

from __future__ import annotations

from endoxa.analyze.tests.run import analyze_sources, analyze_tests
from endoxa.analyze.tests.sources import Source, run_sources, vector_source

__all__ = ["Source", "analyze_sources", "analyze_tests", "run_sources", "vector_source"]
