"""Comparisons side by side: runs of the same items (measures, price, items that changed), editions of their data."""

from endoxa.study.compare.results import Comparison
from endoxa.study.compare.run import compare

__all__ = ["Comparison", "compare"]
