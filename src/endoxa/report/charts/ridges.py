"""Distributions as a ridgeline: a kernel density for every model, one below the other, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from endoxa.report.charts.dots import neutral_line, pointed
from endoxa.report.charts.style import (
    BLUE,
    LABEL_LIMIT,
    MUTED,
    PALE,
    PALE_BLUE,
    finish,
    fixed,
    label_width,
)

RIDGE_COLUMNS = {
    "label": "the model, written at the left of its curve",
    "note": "written at the right of its curve",
    "tip": "what is shown to who points at its line",
    "difference": "score of the stereotypical sentence minus the other one, one row per pair",
}
"""Columns of the frame; models are drawn in the order of their first rows."""

LEAST_PAIRS = 20
"""With fewer pairs a density would be a drawing, not a finding: the pairs are shown as ticks."""

GRID_POINTS = 106
ROW_HEIGHT = 34
CURVE_HEIGHT = 52
"""Height of the highest curve; curves reach into the row above."""
WIDTH = 420
LABEL_GAP = 8


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


def ridgeline(frame: pl.DataFrame, *, domain: tuple[float, float], title: str) -> alt.TopLevelMixin:
    """One density per model on a common scale; right of zero, the stereotypical sentence scores higher.

    Args:
        frame: columns of `RIDGE_COLUMNS`.
        domain: range of the difference axis, the same for all panels of a rule.
        title: title of the difference axis, with the unit.
    """
    curves, ticks, rows = ridge_curves(frame, domain)
    height = float(rows["base"].max()) + 4  # type: ignore[arg-type]
    x = alt.X(
        "difference:Q",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(title=title, grid=False, ticks=True, tickColor=MUTED, tickCount=6),
    )
    vertical = alt.Scale(domain=(0, height), range=(0, height), nice=False)
    top, base = alt.Y("top:Q", scale=vertical, axis=None), alt.Y("base:Q", scale=vertical, axis=None)
    heads = alt.Chart(rows).encode(y=base)
    # Grey left of zero, blue right of it, for a shape that is as wide as the domain.
    zero = (0 - domain[0]) / (domain[1] - domain[0])
    stops = ((0, PALE), (zero, PALE), (zero, PALE_BLUE), (1, PALE_BLUE))
    layers: list[alt.Chart] = [
        pointed(heads.mark_rule(color=PALE), rows).encode(
            x=fixed(alt.XValue, 0), x2=fixed(alt.X2Value, "width")
        ),
        alt.Chart(curves)
        .mark_line(
            color=BLUE,
            strokeWidth=1.2,
            fill={"gradient": "linear", "stops": [{"offset": at, "color": color} for at, color in stops]},
            fillOpacity=0.85,
        )
        .encode(x=x, y=top, detail=alt.Detail("label:N"), order=alt.Order("place:Q")),
        alt.Chart(ticks).mark_rule(color=BLUE, opacity=0.5).encode(x=x, y=top, y2=alt.Y2("base:Q")),
        neutral_line().encode(x=alt.X("neutral:Q", scale=alt.Scale(domain=domain, nice=False))),
        heads.mark_text(align="right", baseline="bottom", dx=-LABEL_GAP, limit=LABEL_LIMIT).encode(
            x=fixed(alt.XValue, 0), text=alt.Text("label:N")
        ),
        heads.mark_text(align="left", baseline="bottom", dx=LABEL_GAP).encode(
            x=fixed(alt.XValue, "width"), text=alt.Text("note:N")
        ),
    ]
    # Browsers may have wider letters than vl-convert.
    padding = {"left": 4 + label_width(rows["label"].to_list()) // 4, "right": 4, "top": 4, "bottom": 4}
    return finish(alt.layer(*layers).properties(width=WIDTH, height=height, padding=padding))


def ridge_curves(
    frame: pl.DataFrame, domain: tuple[float, float]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Curves, single pairs (where no curve is defined) and one row per model, in pixels from the top."""
    grid = np.linspace(*domain, GRID_POINTS)
    rows = frame.unique("label", maintain_order=True).drop("difference").with_row_index("row")
    rows = rows.with_columns(base=pl.col("row") * float(ROW_HEIGHT) + CURVE_HEIGHT + 4).drop("row")
    bases = dict(rows.select("label", "base").iter_rows())
    values = {label: frame.filter(label=label)["difference"].to_numpy() for label in bases}
    densities = {label: density(sample, grid) for label, sample in values.items()}
    peak = max((float(curve.max()) for curve in densities.values() if curve is not None), default=1.0) or 1.0
    curves: list[pl.DataFrame] = []
    ticks: list[pl.DataFrame] = []
    for label, curve in densities.items():
        base = bases[label]
        if curve is not None:
            tops = [base, *(base - CURVE_HEIGHT * curve / peak).round(1), base]
            curves.append(
                pl.DataFrame({"difference": np.concatenate([grid[:1], grid, grid[-1:]]), "top": tops})
                .with_columns(label=pl.lit(label))
                .with_row_index("place")
            )
        else:
            inside = values[label][(values[label] >= domain[0]) & (values[label] <= domain[1])]
            ticks.append(pl.DataFrame({"difference": inside, "top": base - 12, "base": base}))
    nothing = {"difference": pl.Float64, "top": pl.Float64}
    return (
        pl.concat([pl.DataFrame(schema={"place": pl.UInt32, **nothing, "label": pl.String}), *curves]),
        pl.concat([pl.DataFrame(schema={**nothing, "base": pl.Float64}), *ticks]),
        rows,
    )
