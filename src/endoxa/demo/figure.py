"""The picture of the demonstration: preferences found, raw and calibrated, beside those that were planted."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.charts import BLUE, INK, MUTED, ORANGE, SERIES_COLORS, finish
from endoxa.report.document import Figure

MEANINGS = {
    "neutral": "neutral: no stereotype",
    "stereotyped": "stereotyped: attributes tied to identities, in some axes more than in others",
    "frequency": "frequency: only knows which words are frequent",
}
MARKS = {
    "raw": (ORANGE, "triangle-right"),
    "calibrated": (BLUE, "circle"),
    "planted identity preference": (INK, "stroke"),
}


SCALE = (0.2, 1.06)
"""Range of both axes of the scale, in shares."""
APART = 0.019
"""Distance between marks of the same planted share."""


def scale_figure(scale: pl.DataFrame) -> Figure:
    """Shares found with their intervals against the shares planted; what is found right lies on the diagonal.

    Args:
        scale: the table of `recovery.scale_table`.
    """
    rules = scale["rule"].unique(maintain_order=True).to_list()
    middle = (len(rules) - 1) / 2
    beside = {rule: APART * (k - middle) for k, rule in enumerate(rules)}
    rows = scale.with_columns(
        x=pl.col("planted") + pl.col("rule").replace_strict(beside, return_dtype=pl.Float64),
        said=pl.format(
            "{}, {}: planted {}, found {}", "rule", "axis", _percent("planted"), _percent("found")
        ),
    )
    domain = alt.Scale(domain=list(SCALE), nice=False)
    ticks = sorted(set(scale["planted"].to_list()))
    x = alt.X("x:Q", scale=domain, axis=alt.Axis(title="planted", format=".0%", values=ticks, grid=False))
    y = alt.Y("found:Q", scale=domain, axis=alt.Axis(title="found", format=".0%", values=ticks))
    color = alt.Color(
        "rule:N",
        title=None,
        scale=alt.Scale(domain=rules, range=list(SERIES_COLORS[: len(rules)])),
        legend=alt.Legend(orient="bottom", columns=3),
    )
    ends = pl.DataFrame({"x": list(SCALE), "found": list(SCALE)})
    diagonal = alt.Chart(ends).mark_line(color=MUTED, strokeDash=[4, 3], strokeWidth=1).encode(x=x, y=y)
    base = alt.Chart(rows).encode(x=x, color=color)
    intervals = base.mark_rule(strokeWidth=2, opacity=0.55).encode(
        y=alt.Y("low:Q", scale=domain), y2=alt.Y2("high:Q")
    )
    points = base.mark_point(filled=True, size=32, opacity=1).encode(
        y=y,
        shape=alt.Shape("rule:N", scale=alt.Scale(domain=rules), legend=None),
        description="said:N",
    )
    chart = alt.layer(diagonal, intervals, points).properties(width=270, height=250)
    return Figure("scale", "Shares planted and shares found", finish(chart), "; ".join(rows["said"]) + ".")


def _percent(name: str) -> pl.Expr:
    return pl.format("{} %", (100 * pl.col(name)).round(1))


def recovery_figure(recovery: pl.DataFrame) -> Figure:
    """One panel for each plant, one row for each model and rule; the dashed line is an unbiased model.

    Args:
        recovery: the table of `recovery.recovery_table`.
    """
    rows = recovery.select(
        "plant",
        row=pl.col("model").str.replace(r"^(.*)-[a-z]+$", "$1") + ", " + pl.col("rule"),
        raw="raw_preference",
        calibrated="calibrated_preference",
        planted="planted_calibrated",
    ).rename({"planted": "planted identity preference"})
    long = rows.unpivot(index=["plant", "row"], variable_name="what", value_name="share").drop_nans()
    panels = [_panel(long.filter(plant=plant), title) for plant, title in MEANINGS.items()]
    chart = alt.vconcat(*panels, spacing=14).resolve_scale(color="shared", shape="shared")
    alternative = "; ".join(
        f"{plant} {row}: raw {raw:.2f}, calibrated {calibrated:.2f}, planted {planted:.2f}"
        for plant, row, raw, calibrated, planted in rows.iter_rows()
    )
    return Figure(
        "recovery", "Preference found and preference planted", finish(chart), alternative, wide=True
    )


def _panel(long: pl.DataFrame, title: str) -> alt.LayerChart | alt.FacetChart:
    rule = alt.Chart(pl.DataFrame({"x": [0.5]})).mark_rule(strokeDash=[4, 3], color=MUTED).encode(x="x:Q")
    points = (
        alt.Chart(long)
        .mark_point(size=90, opacity=1, strokeWidth=2)
        .encode(
            x=alt.X(
                "share:Q",
                scale=alt.Scale(domain=[-0.03, 1.03], nice=False),
                axis=alt.Axis(
                    format=".0%",
                    values=[0, 0.25, 0.5, 0.75, 1],
                    title="pairs with the stereotypical sentence preferred",
                ),
            ),
            y=alt.Y("row:N", title=None, axis=alt.Axis(labelLimit=260)),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=list(MARKS), range=[color for color, _ in MARKS.values()]),
                legend=alt.Legend(orient="top", symbolSize=90, labelLimit=300),
            ),
            shape=alt.Shape(
                "what:N",
                scale=alt.Scale(domain=list(MARKS), range=[shape for _, shape in MARKS.values()]),
                legend=None,
            ),
            yOffset=alt.YOffset("what:N", sort=list(MARKS)),
        )
    )
    return alt.layer(rule, points).properties(width=420, height=150, title=title)
