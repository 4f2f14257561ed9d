"""Stereotypes that are turned round between two regions."""

from endoxa.study.compare.regions.reversals import REVERSAL_COLUMNS, Reversals, find_reversals

__all__ = ["REVERSAL_COLUMNS", "Reversals", "find_reversals"]
