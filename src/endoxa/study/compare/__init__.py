"""What changed between runs of the same items: measures, their price, the items that changed sides."""

from endoxa.study.compare.results import Comparison
from endoxa.study.compare.run import compare

__all__ = ["Comparison", "compare"]
