"""What may be claimed of tables and of associations: decided here once."""

from __future__ import annotations

import numpy as np

from endoxa.analyze.associations.settings import PUBLISHED, Discovery
from endoxa.analyze.associations.tables import Table
from endoxa.analyze.associations.tested import Tested, Within
from endoxa.stats.verdicts import ABOVE, CORRECTED, UNCLEAR, UNTESTED, Decision

NO_TABLE = "fewer than two values on a side"
NOT_WITHIN = "not distinguishable from chance within languages"
UNTESTED_WITHIN = "cannot be tested within languages"


def table_verdict(table: Table, tested: Tested, settings: Discovery) -> Decision:
    """Whether base and compared attribute go together.

    `above`: the table is kept by step 1 and, with several languages, by the test within languages as well.
    """
    units = table.prompts
    if units is not None and units.least_p > settings.alpha:
        return Decision(UNTESTED, f"{units.prompts} prompts are too few for a p-value of {settings.alpha:g}")
    if tested.significant:
        within = tested.within
        return _within(within, None if within is None else within.p_adjusted, settings)
    return Decision(UNCLEAR, CORRECTED if tested.p_value <= settings.alpha < tested.p_adjusted else "")


def cell_verdict(
    table: Decision, within: Within | None, p_adjusted: float | None, settings: Discovery
) -> Decision:
    """Whether an association that both steps found may be claimed.

    Args:
        table: verdict of its table.
        within: the tests within languages of its table; None with one language.
        p_adjusted: of the cell, within languages; None with one language.
        settings: alpha, and whether the published test alone decides.
    """
    return _within(within, p_adjusted, settings) if table.verdict == ABOVE else table


def adjusted_within(within: Within | None) -> np.ndarray | None:
    """P-values of a table's cells within languages, after Benjamini-Yekutieli over them."""
    from scipy.stats import false_discovery_control

    if within is None or within.log_p is None:
        return None
    adjusted: np.ndarray = false_discovery_control(np.exp(within.log_p), method="by")
    return adjusted


def _within(within: Within | None, p_adjusted: float | None, settings: Discovery) -> Decision:
    if within is None or p_adjusted is None or settings.pooled == PUBLISHED:
        return Decision(ABOVE)
    if np.isnan(p_adjusted):
        return Decision(UNCLEAR, UNTESTED_WITHIN)
    return Decision(ABOVE) if p_adjusted < settings.alpha else Decision(UNCLEAR, NOT_WITHIN)
