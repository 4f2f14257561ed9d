"""What a planned run can show at all: the smallest preference ratio found with 80 % power, and what it costs."""

from __future__ import annotations

from collections import Counter
from math import isnan
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.records import attributes_of
from endoxa.instruments.pairs.probe.items import (
    GROUP,
    chunks,
    comparisons_of,
    has_groups,
    items_of,
    require_items,
)
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.runs.instrument import Plan
from endoxa.runs.items import untestable
from endoxa.schema import ALL, PAIR_COLUMNS
from endoxa.sources.identities import identity_key
from endoxa.sources.sources import locate
from endoxa.stats.intervals import NAN
from endoxa.stats.power import (
    ALPHA,
    ASSUMED_CORRELATION,
    detectable_share_independent,
    detectable_share_of,
)
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance


def detectable_ratios(pairs: int, identities: int, attributes: int) -> tuple[float, float, float]:
    """Smallest preference ratios that a planned run tells from 0.5, before any correction for many tests.

    Identities are taken to have as many pairs each, and so are attributes.

    Args:
        pairs: their number.
        identities: number of identities that they are about.
        attributes: number of attributes, or of pairs where none recurs.

    Returns:
        The ratio where pairs are independent; where answers about one identity, and about one attribute, are
        correlated; and where pairs that share an identity always answer alike. NaN where the test cannot become
        significant.
    """
    best, worst = detectable_share_independent(pairs), detectable_share_independent(identities)
    needed = fewest_units(ALPHA)
    if identities < needed:
        return best, NAN, worst
    # As in the analysis: too few attributes are no sample, and a kind without recurring units lies within the other.
    counts = [count for count in (identities, attributes) if needed <= count < pairs]
    sizes = [pairs // count + (np.arange(count) < pairs % count) for count in counts or [identities]]
    excess = sum(float((kind**2).sum()) / pairs - 1 for kind in sizes)
    return best, detectable_share_of(sizes, 1 + ASSUMED_CORRELATION * excess), worst


FEW_GROUPS = (
    " Identities are groups; with fewer than six the statement is about these groups as they are, and the best case "
    "applies."
)


def cells(path: Path, settings: PairsSettings) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Numbers of pairs, identities and attributes by language and axis, those of all first (for `--plan`).

    Raises:
        UserError: nothing is left after the filters.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    identities: dict[tuple[str, str], set[str]] = {}
    attributes: dict[tuple[str, str], set[str]] = {}
    for chunk in chunks(path, settings):
        items = pl.DataFrame(chunk.items, schema=dict.fromkeys(PAIR_COLUMNS, pl.String))
        for item, attribute in zip(chunk.items, attributes_of(items), strict=True):
            # A pair without a named identity stands for itself, as in the analysis; one without a group is none.
            stated = item["identity_key"] or item["identity"] or item["item_id"]
            identity = item[GROUP] if item[GROUP] is not None else identity_key(stated)
            for cell in ((ALL, ALL), (item["language"], item["axis"])):
                pairs[cell] += 1
                identities.setdefault(cell, set()).update([identity] if identity else [])
                attributes.setdefault(cell, set()).add(attribute)
    require_items(pairs.total(), path, settings)
    ordered = sorted(pairs, key=lambda cell: (cell != (ALL, ALL), cell))
    return {cell: (pairs[cell], len(identities[cell]), len(attributes[cell])) for cell in ordered}


def cost(path: Path, settings: PairsSettings) -> str:
    """How many sentences a model scores under a rule, and how many of them are about others, as a sentence."""
    comparisons = comparisons_of(path, settings)
    stated: set[str] = set()
    others: set[str] = set()
    for item in items_of(path, settings):
        stated.update((item["sent_more"], item["sent_less"]))
        for pair in comparisons.of(item)[1] if comparisons else ():
            others.update((pair.sent_more, pair.sent_less))
    beside = (
        f", {len(others - stated)} of them about others (--no-calibrate leaves these out)" if others else ""
    )
    return f"Sentences for each model and rule: {len(stated | others)}{beside}."


def plan_table(settings: PairsSettings) -> Plan:
    """What each language and axis of the data can show, before anything is scored.

    Raises:
        UserError: the data cannot be read, or nothing is left after the filters.
    """
    data = locate(settings.data)
    planned = cells(data, settings)
    needed = fewest_units(significance(settings.confidence))
    warning = untestable(settings, planned[ALL, ALL][1], "identities", needed)
    return Plan(
        title="Smallest detectable preference ratio (power 0.8, two-sided 0.05)",
        columns=("language", "axis", "pairs", "identities", "attributes", "best", "expected", "worst"),
        texts=2,
        rows=tuple(
            (
                *cell,
                str(pairs),
                str(identities),
                str(attributes) if attributes < pairs else "",
                *(
                    "none" if isnan(ratio) else f"{ratio:.3f}"
                    for ratio in detectable_ratios(pairs, identities, attributes)
                ),
            )
            for cell, (pairs, identities, attributes) in planned.items()
        ),
        note=(
            "Best: all pairs independent. Expected: answers about one identity correlated 0.1, and those about one "
            "attribute too. Worst: all pairs about one identity answered alike. Ratios below 0.5: the mirror image. "
            "Before correction for several tests."
            f"\n{cost(data, settings)}"
            + (FEW_GROUPS if has_groups(data, settings) else "")
            + (f"\n{warning}" if warning else "")
        ),
    )
