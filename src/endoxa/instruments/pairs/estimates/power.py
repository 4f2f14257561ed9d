"""What a number of pairs can show at all: the smallest effect found with 80 % power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import isnan
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.inference import (
    IDENTITIES,
    PLANNED,
    Inference,
    Units,
    check_sample,
    estimate,
    testable,
)
from endoxa.instruments.pairs.estimates.records import attributes_of
from endoxa.instruments.pairs.probe.items import GROUP, chunks, comparisons_of, has_groups, require_items
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.runs.instrument import Plan
from endoxa.runs.items import untestable
from endoxa.schema import ALL, PAIR_COLUMNS, Estimate, Sample, Statistic
from endoxa.sources.identities import identity_key
from endoxa.sources.sources import locate
from endoxa.stats.intervals import NAN, UNDEFINED
from endoxa.stats.power import (
    ALPHA,
    ASSUMED_CORRELATION,
    POWER,
    detectable_effect_size,
    detectable_share_independent,
    detectable_share_of,
)
from endoxa.stats.signs import fewest_units
from endoxa.stats.two_way import design_effect
from endoxa.stats.verdicts import significance

PLAN_COLUMNS: dict[str, str] = {
    "language": "a language, or 'all'",
    "axis": "an axis, or 'all'",
    "n": "pairs",
    "n_identities": "identities they are about",
    "ratio_if_independent": "smallest preference ratio the exact sign test tells from 0.5, pairs independent",
    "ratio_if_correlated": "the same for the tests on identities and attributes, correlation "
    f"{ASSUMED_CORRELATION:g} within both",
    "ratio_if_identities_agree": "the same where pairs sharing an identity always answer alike",
    "effect_if_independent": "smallest Cohen's d_z the t-test tells from 0, pairs independent",
    "effect_if_identities_agree": "the same where pairs sharing an identity always answer alike",
    "n_attributes": "attributes, or sentence frames, that they are about; n where none recurs",
}
"""Columns of `plan_pairs`."""


def plan_pairs(cells: pl.DataFrame) -> pl.DataFrame:
    """What each cell of a planned run can show, before anything is scored and before any correction for many tests.

    Args:
        cells: columns language, axis, n (pairs) and n_identities (null where identities are not known), and, where
            attributes recur, n_attributes.

    Returns:
        The same rows with the columns of `PLAN_COLUMNS`. Identities are taken to have as many pairs each, and so are
        attributes. NaN where the test cannot become significant, or where the number of identities is not known.

    Raises:
        UserError: a column is missing.
    """
    missing = [name for name in ("language", "axis", "n", "n_identities") if name not in cells.columns]
    if missing:
        raise UserError(
            f"The cells to plan for lack the column '{missing[0]}' (found: {', '.join(cells.columns)})."
        )

    def column(name: str, function: Callable[[int], float], source: str) -> pl.Series:
        counts = cells[source].to_list()
        return pl.Series(name, [NAN if n is None else function(n) for n in counts], dtype=pl.Float64)

    if "n_attributes" not in cells.columns:
        cells = cells.with_columns(n_attributes="n")
    correlated = [_correlated(*counts) for counts in cells.select("n", "n_identities", "n_attributes").rows()]
    return cells.select("language", "axis", "n", "n_identities").with_columns(
        column("ratio_if_independent", detectable_share_independent, "n"),
        pl.Series("ratio_if_correlated", correlated, dtype=pl.Float64),
        column("ratio_if_identities_agree", detectable_share_independent, "n_identities"),
        column("effect_if_independent", detectable_effect_size, "n"),
        column("effect_if_identities_agree", detectable_effect_size, "n_identities"),
        cells["n_attributes"],
    )


def _correlated(pairs: int, identities: int | None, attributes: int) -> float:
    """The ratio where answers about one identity and answers about one attribute are correlated."""
    if not identities or identities < fewest_units(ALPHA):
        return NAN
    # As in the analysis: too few attributes are no sample, and a kind without recurring units lies within the other.
    counts = [count for count in (identities, attributes) if fewest_units(ALPHA) <= count < pairs]
    sizes = [pairs // count + (np.arange(count) < pairs % count) for count in counts or [identities]]
    excess = sum(float((kind**2).sum()) / pairs - 1 for kind in sizes)
    return detectable_share_of(sizes, 1 + ASSUMED_CORRELATION * excess)


def detectable_ratio(name: str, values: np.ndarray, units: Units, *, confidence: float) -> Estimate:
    """Smallest preference ratio that the test of these pairs would probably have shown, were it the only one.

    Level, units and variance are those of the interval beside it (`endoxa.stats.two_way`), so that the two cannot
    contradict each other. Ties are left out.

    Args:
        name: of the estimate.
        values: differences of the pairs, raw or calibrated, not all 0.
        units: codes of the identity and of the attribute per pair.
        confidence: of the interval; its complement is the level.
    """
    untied = values != 0
    identity, attribute = (codes[untied] for codes in units)
    sides = (values[untied] > 0).astype(float)
    effect, sampled = design_effect(
        sides, *testable((identity, attribute), confidence), neutral=0.5, confidence=confidence
    )
    alpha, number = significance(confidence), len(sides)
    method = f"power {POWER}, two-sided level {alpha:g}, one test; design effect {effect:.2f}"
    return estimate(
        name,
        detectable_share_of([kind.sizes for kind in sampled], effect, alpha),
        Inference(UNDEFINED, NAN, method, IDENTITIES, len(np.unique(identity))),
        n=number,
        neutral=NAN,
        confidence=confidence,
    )


def _statistic(
    name: str, unit: str, function: Callable[[int], float], summary: str, source: str
) -> Statistic:
    def compute(sample: Sample, confidence: float, _seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        n = len(sample.difference)
        method = f"power {POWER}, two-sided level {ALPHA}, independent pairs"
        inference = Inference(UNDEFINED, NAN, method, PLANNED, n)
        return [estimate(name, function(n), inference, n=n, neutral=NAN, confidence=confidence)]

    return Statistic(name, unit, NAN, summary, source, compute)


MINIMUM_DETECTABLE_RATIO = _statistic(
    "minimum_detectable_ratio",
    "share of pairs",
    detectable_share_independent,
    "smallest preference ratio that this many pairs could have told from 0.5",
    "power of the exact sign test (scipy.stats.binom)",
)

MINIMUM_DETECTABLE_CALIBRATED = "minimum_detectable_calibrated_ratio"
"""The same of the pairs that could be calibrated, with the interval of identities only."""

MINIMUM_DETECTABLE_EFFECT_SIZE = _statistic(
    "minimum_detectable_effect_size",
    "standard deviations",
    detectable_effect_size,
    "smallest Cohen's d_z that this many pairs could have told from 0",
    "power of the paired t-test (noncentral t, scipy)",
)


FEW_GROUPS = (
    " Identities are groups; with fewer than six the statement is about these groups as they are, and the best case "
    "applies."
)


def cells(path: Path, settings: PairsSettings) -> pl.DataFrame:
    """Pairs, identities and attributes overall and per language and axis (for `--plan`).

    Returns:
        Columns language, axis ('all' in the first row), n, n_identities, n_attributes.

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
    rows = [(*cell, pairs[cell], len(identities[cell]), len(attributes[cell])) for cell in ordered]
    names = ["language", "axis", "n", "n_identities", "n_attributes"]
    return pl.DataFrame(rows, schema=names, orient="row")


def cost(path: Path, settings: PairsSettings) -> str:
    """How many sentences a model scores under a rule, and how many of them are about others, as a sentence."""
    comparisons = comparisons_of(path, settings)
    stated: set[str] = set()
    others: set[str] = set()
    for chunk in chunks(path, settings):
        for item in chunk.items:
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
    planned = plan_pairs(cells(locate(settings.data), settings))
    needed = fewest_units(significance(settings.confidence))
    warning = untestable(settings, planned["n_identities"][0], "identities", needed)
    ratios = ("ratio_if_independent", "ratio_if_correlated", "ratio_if_identities_agree")
    return Plan(
        title="Smallest detectable preference ratio (power 0.8, two-sided 0.05)",
        columns=("language", "axis", "pairs", "identities", "attributes", "best", "expected", "worst"),
        texts=2,
        rows=tuple(
            (
                row["language"],
                row["axis"],
                str(row["n"]),
                str(row["n_identities"]),
                str(row["n_attributes"]) if row["n_attributes"] < row["n"] else "",
                *("none" if isnan(row[name]) else f"{row[name]:.3f}" for name in ratios),
            )
            for row in planned.iter_rows(named=True)
        ),
        note=(
            "Best: all pairs independent. Expected: answers about one identity correlated 0.1, and those about one "
            "attribute too. Worst: all pairs about one identity answered alike. Ratios below 0.5: the mirror image. "
            "Before correction for several tests."
            f"\n{cost(locate(settings.data), settings)}"
            + (FEW_GROUPS if has_groups(locate(settings.data), settings) else "")
            + (f"\n{warning}" if warning else "")
        ),
    )
