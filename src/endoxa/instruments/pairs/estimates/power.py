"""What a number of pairs can show at all: the smallest effect found with 80 % power."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.inference import (
    IDENTITIES,
    PLANNED,
    Inference,
    check_sample,
    estimate,
    listed,
    units_of,
)
from endoxa.instruments.pairs.probe.items import cells, group_table
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.runs.instrument import Plan
from endoxa.runs.items import untestable
from endoxa.schema import Estimate, Sample, Statistic
from endoxa.sources.sources import locate
from endoxa.stats.intervals import NAN, UNDEFINED
from endoxa.stats.power import (
    ALPHA,
    ASSUMED_CORRELATION,
    POWER,
    correlation_within,
    detectable_effect_size,
    detectable_share,
    detectable_share_independent,
)
from endoxa.stats.resampling import Clusters
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

PLAN_COLUMNS: dict[str, str] = {
    "language": "a language, or 'all'",
    "axis": "an axis, or 'all'",
    "n": "pairs",
    "n_identities": "identities they are about",
    "ratio_if_independent": "smallest preference ratio the exact sign test tells from 0.5, pairs independent",
    "ratio_if_correlated": f"the same for the test on identities, correlation {ASSUMED_CORRELATION:g} within them",
    "ratio_if_identities_agree": "the same where pairs sharing an identity always answer alike",
    "effect_if_independent": "smallest Cohen's d_z the t-test tells from 0, pairs independent",
    "effect_if_identities_agree": "the same where pairs sharing an identity always answer alike",
}
"""Columns of `plan_pairs`."""


def plan_pairs(cells: pl.DataFrame) -> pl.DataFrame:
    """What each cell of a planned run can show, before anything is scored and before any correction for many tests.

    Args:
        cells: columns language, axis, n (pairs) and n_identities (null where identities are not known).

    Returns:
        The same rows with the columns of `PLAN_COLUMNS`. Identities are taken to have as many pairs each. NaN where
        the test cannot become significant, or where the number of identities is not known.

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

    correlated = [
        NAN
        if not identities
        else detectable_share(
            (n // identities + (np.arange(identities) < n % identities)), ASSUMED_CORRELATION
        )
        for n, identities in cells.select("n", "n_identities").iter_rows()
    ]
    return cells.select("language", "axis", "n", "n_identities").with_columns(
        column("ratio_if_independent", detectable_share_independent, "n"),
        pl.Series("ratio_if_correlated", correlated, dtype=pl.Float64),
        column("ratio_if_identities_agree", detectable_share_independent, "n_identities"),
        column("effect_if_independent", detectable_effect_size, "n"),
        column("effect_if_identities_agree", detectable_effect_size, "n_identities"),
    )


NOUNS = ("identities", "attributes")


def detectable_ratio(sample: Sample, tests: int, confidence: float, alpha: float) -> Estimate:
    """Smallest preference ratio that the test would have shown, were it the only one of its family.

    Ties are left out. Of identities and attributes the kind that adds more to the variance decides, its correlation
    raised by what the other one adds. Correlations are those of the sample, mixed with an assumed one
    (`endoxa.stats.power.correlation_within`), and stand in `method`.

    Args:
        sample: the pairs of a cell.
        tests: tests of the family, among which alpha is shared (Bonferroni): what a single effect must pass.
        confidence: for the column of that name.
        alpha: level of the verdicts.
    """
    untied = sample.difference != 0
    kinds = [Clusters.of(codes[untied], sample.difference[untied] > 0) for codes in units_of(sample)]
    correlations = [correlation_within(kind.sizes, kind.totals[:, 1]) for kind in kinds]
    cells = np.unique(np.stack([codes[untied] for codes in units_of(sample)]), axis=1).shape[1]
    # What each kind adds to the variance of independent pairs (Kish 1965); a kind with too few units is no sample, and
    # one that lies within the other adds nothing.
    excess = [
        (float((kind.sizes**2).sum()) / kind.sizes.sum() - 1) * correlation
        if kind.count >= fewest_units(alpha)
        else 0.0
        for kind, correlation in zip(kinds, correlations, strict=True)
    ]
    if cells in (kinds[0].count, kinds[1].count):
        excess[int(cells == kinds[1].count)] = 0.0
    fixed = listed(sample.cluster) and kinds[0].count < fewest_units(alpha)
    deciding = int(fixed or (excess[1] > excess[0] and kinds[0].count >= fewest_units(alpha)))
    clusters, correlation = kinds[deciding], correlations[deciding]
    if excess[deciding]:
        correlation = round(min(correlation * sum(excess) / excess[deciding], 1.0), 4)
    level = f"two-sided level {alpha:g}" + (f" / {tests} tests" if tests > 1 else "")
    method = f"power {POWER}, {level}; correlation {correlation:g} within {clusters.count} {NOUNS[deciding]}"
    return estimate(
        MINIMUM_DETECTABLE_RATIO.name,
        detectable_share(clusters.sizes, correlation, alpha / max(tests, 1)),
        Inference(UNDEFINED, NAN, method, IDENTITIES, kinds[0].count),
        n=int(untied.sum()),
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
        columns=("language", "axis", "pairs", "identities", "best", "expected", "worst"),
        texts=2,
        rows=tuple(
            (
                row["language"],
                row["axis"],
                str(row["n"]),
                str(row["n_identities"]),
                *("none" if isnan(row[name]) else f"{row[name]:.3f}" for name in ratios),
            )
            for row in planned.iter_rows(named=True)
        ),
        note=(
            "Best: all pairs independent. Expected: answers about one identity correlated 0.1. Worst: all "
            "pairs about one identity answered alike. Ratios below 0.5: the mirror image. Before correction for "
            "several tests."
            + (FEW_GROUPS if group_table(locate(settings.data), settings) else "")
            + (f"\n{warning}" if warning else "")
        ),
    )
