"""One change between two runs, as every comparison states it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """One measure of two runs and the difference between them.

    Attributes:
        measure: what is measured.
        rule: scoring rule, protocol, or what else it is measured under; empty where there is none.
        axis: axis, category or attribute, or 'all'.
        identity: the identity it is about, or 'all'.
        before: value in the first run; NaN where it has none.
        after: value in the second run.
        difference: after minus before.
        low: lower end of its interval; NaN where there is none.
        high: upper end.
        p_value: two-sided test of no difference.
        p_adjusted: after correction over its family.
        verdict: 'above', 'below', 'unclear' or 'cannot-be-tested'.
        n_items: items that both runs have.
        n_units: units of the first kind.
        unit: what these units are, in the plural.
        kind: whether it is what is compared, or what it costs.
    """

    measure: str
    rule: str
    axis: str
    identity: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    verdict: str
    n_items: int
    n_units: int
    unit: str
    kind: Literal["bias", "price"]
