"""Distributions of score differences (kernel density), one row per model, after IndiBias Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from endoxa.instruments.pairs.report.results import Results, rule_unit
from endoxa.page.charts import BLUE, INK, MUTED, PALE, PALE_BLUE, finish, fixed
from endoxa.page.document import Figure, Section
from endoxa.page.words import language_name, percent, plural, signed, slug

COLUMNS = {
    "label": "the model, written above its curve",
    "note": "written above the right end of its curve",
    "difference": "score of the stereotypical sentence minus the other one, one row per pair",
}
"""Columns of the frame; models are drawn in the order of their first rows."""

LEAST_PAIRS = 20
"""With fewer pairs a density would be a drawing, not a finding: the pairs are shown as ticks."""

GRID_POINTS = 121
ROW_HEIGHT = 62
CURVE_HEIGHT = 40
WIDTH = 310


def robust_range(differences: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Range with 99 % of the differences, zero, and the slopes of a density; (-1, 1) where all are zero."""
    values = np.asarray(differences, dtype=float)
    values = values[np.isfinite(values)]
    if not values.size or not np.any(values):
        return -1.0, 1.0
    low, high = np.quantile(values, [0.005, 0.995])
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    bandwidth = float(values.std()) * values.size**-0.2  # Scott's rule, as in `density`
    margin = max(0.06 * (high - low), 1.5 * bandwidth) or 1.0
    return low - margin, high + margin


def density(differences: np.ndarray, grid: np.ndarray) -> np.ndarray | None:
    """Gaussian kernel density on the grid with Scott's bandwidth (scipy), or None where it is not defined."""
    from scipy.stats import gaussian_kde

    if differences.size < LEAST_PAIRS or np.ptp(differences) <= 1e-9 * max(1.0, np.abs(differences).max()):
        return None
    return np.asarray(gaussian_kde(differences)(grid), dtype=float)


def distribution(frame: pl.DataFrame, *, domain: tuple[float, float], title: str) -> alt.TopLevelMixin:
    """One density per model on a common scale; right of zero, the stereotypical sentence scores higher.

    Args:
        frame: columns of `COLUMNS`.
        domain: range of the difference axis, the same for all panels of a rule.
        title: title of the difference axis, with the unit.
    """
    labels = frame["label"].unique(maintain_order=True).to_list()
    grid = np.union1d(np.linspace(*domain, GRID_POINTS), [0.0])
    curves, ticks, heads = _curves(frame, labels, grid, domain)
    height = ROW_HEIGHT * len(labels)
    x = alt.X(
        "difference:Q",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(title=title, grid=False, ticks=True, tickColor=MUTED, tickCount=6),
    )
    vertical = alt.Scale(domain=(0, height), range=(0, height), nice=False)
    y = alt.Y("top:Q", scale=vertical, axis=None)
    layers: list[alt.Chart] = []
    for side, colour in (("left", PALE), ("right", PALE_BLUE)):
        layers.append(
            alt.Chart(curves.filter(pl.col(side)))
            .mark_area(color=colour, opacity=1)
            .encode(x=x, y=y, y2=alt.Y2("base:Q"), detail=alt.Detail("label:N"))
        )
    layers += [
        alt.Chart(curves)
        .mark_line(color=BLUE, strokeWidth=1.4)
        .encode(x=x, y=y, detail=alt.Detail("label:N"), order=alt.Order("difference:Q")),
        alt.Chart(ticks).mark_rule(color=BLUE, opacity=0.5).encode(x=x, y=y, y2=alt.Y2("base:Q")),
        alt.Chart(heads).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=x, y=y, y2=alt.Y2("base:Q")),
        alt.Chart(heads)
        .mark_text(align="left", baseline="top", fontWeight="bold", color=INK)
        .encode(
            x=fixed(alt.XValue, 0), y=alt.Y("head:Q", scale=vertical, axis=None), text=alt.Text("label:N")
        ),
        alt.Chart(heads)
        .mark_text(align="right", baseline="top", color=MUTED)
        .encode(
            x=fixed(alt.XValue, WIDTH), y=alt.Y("head:Q", scale=vertical, axis=None), text=alt.Text("note:N")
        ),
    ]
    return finish(alt.layer(*layers).properties(width=WIDTH, height=height))


def _curves(
    frame: pl.DataFrame, labels: list[str], grid: np.ndarray, domain: tuple[float, float]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Curves, single pairs (where no curve is defined) and row heads, in pixels from the top."""
    values = {label: frame.filter(pl.col("label") == label)["difference"].to_numpy() for label in labels}
    found = {label: density(values[label], grid) for label in labels}
    peak = max((float(curve.max()) for curve in found.values() if curve is not None), default=1.0) or 1.0
    curves: list[pl.DataFrame] = []
    ticks: list[pl.DataFrame] = []
    heads: list[dict[str, object]] = []
    for row, label in enumerate(labels):
        base = float(ROW_HEIGHT * (row + 1) - 4)
        curve = found[label]
        if curve is not None:
            curves.append(
                pl.DataFrame({"difference": grid, "top": base - CURVE_HEIGHT * curve / peak}).with_columns(
                    label=pl.lit(label), base=pl.lit(base)
                )
            )
        else:
            inside = values[label][(values[label] >= domain[0]) & (values[label] <= domain[1])]
            ticks.append(pl.DataFrame({"difference": inside, "top": base - 12, "base": base}))
        heads.append(
            {
                "label": label,
                "note": frame.filter(pl.col("label") == label)["note"][0],
                "head": base - ROW_HEIGHT + 6,
                "difference": 0.0,
                "top": base - CURVE_HEIGHT,
                "base": base,
            }
        )
    empty_tick = pl.DataFrame(schema={"difference": pl.Float64, "top": pl.Float64, "base": pl.Float64})
    empty_curve = empty_tick.with_columns(label=pl.lit(None, dtype=pl.String))
    every = pl.concat([empty_curve, *[c.select(empty_curve.columns) for c in curves]]).with_columns(
        left=pl.col("difference") <= 0, right=pl.col("difference") >= 0
    )
    return every, pl.concat([empty_tick, *ticks]), pl.DataFrame(heads)


def distributions(results: Results) -> Section:
    """Score differences per rule and language, models below one another (IndiBias, appendix C)."""
    records = results.records.sort("model", "rule", maintain_order=True)
    figures = []
    for rule in records["rule"].unique(maintain_order=True):
        own = records.filter(pl.col("rule") == rule)
        domain = robust_range(own["difference"].to_numpy())
        figures += [
            _panel(results, own.filter(pl.col("language") == language), rule, language, domain)
            for language in own["language"].unique(maintain_order=True)
        ]
    return Section(
        anchor=f"differences-{results.slug}",
        title="Score differences",
        figures=tuple(figures),
        notes=(
            "Kernel density (Gaussian, Scott's bandwidth) of the score of the stereotypical sentence minus "
            "that of the other one; blue, right of the dashed zero line, the stereotypical sentence scores "
            "higher. The range holds 99\u00a0% of the pairs or more. Curves in one panel share one scale, "
            "and panels of one rule share the horizontal range; panels of different rules do not compare, "
            f"because their units differ. With fewer than {LEAST_PAIRS} pairs each pair is a tick.",
        ),
    )


def _panel(
    results: Results, records: pl.DataFrame, rule: str, language: str, domain: tuple[float, float]
) -> Figure:
    summary = (
        records.group_by("model", maintain_order=True)
        .agg(
            right=(pl.col("difference") > 0).mean(),
            mean=pl.col("difference").mean(),
            deviation=pl.col("difference").std(),
            n=pl.len(),
        )
        .with_columns(
            label=pl.col("model").replace_strict(results.labels),
            note=pl.col("right").map_elements(
                lambda share: f"{percent(share)} above 0", return_dtype=pl.String
            ),
        )
    )
    frame = records.join(summary, on="model", maintain_order="left").select("label", "note", "difference")
    unit, name = rule_unit(rule), language_name(language)
    spoken = "; ".join(
        f"{row['label']}: {plural(row['n'], 'pair')}, mean {signed(row['mean'])}, standard deviation "
        f"{signed(row['deviation']).lstrip('+')}, {row['note']}"
        for row in summary.iter_rows(named=True)
    )
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(language)}",
        title=f"{rule}, {name}",
        chart=distribution(frame, domain=domain, title=f"stereotypical − other sentence ({unit})"),
        alt=f"Distribution of score differences under {rule}, {name}, in {unit}. {spoken}.",
    )
