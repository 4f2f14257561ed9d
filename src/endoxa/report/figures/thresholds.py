"""Number of groups, silhouette and constraint scores over the threshold of a grouping."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.document import Figure
from endoxa.report.figures.style import BLUE, INK, MUTED, ORANGE, finish, known

PUBLISHED = 0.55
METHODS = {"endoxa": BLUE, "afristereo": ORANGE}
PANELS = {
    "groups": ("Groups", ",d"),
    "silhouette": ("Silhouette (1: groups far apart)", ".2f"),
    "united": ("Surface variants in one group", "~%"),
    "f1": ("F1 over all known pairs", ".2f"),
    "opposites_merged": ("Opposites in one group", "~%"),
    "negations_merged": ("Negations in one group", "~%"),
}
"""Column, title and number format of each panel."""
OF_PAIRS = ("united", "f1", "opposites_merged", "negations_merged")
OWN_RULES = "pairs made by our own rules"


def thresholds_figure(table: pl.DataFrame, *, own_rules: bool = False) -> Figure:
    """Small panels side by side, one line for each method; the dashed line is the published threshold.

    Args:
        table: the table of `endoxa.curate.group.thresholds`. A score that is nowhere known has no panel.
        own_rules: whether the known pairs come from the rules that our own method follows, so that they say nothing
            about it; each panel of pairs then says so.
    """
    shown = [column for column in PANELS if table[column].count()]
    panels = [
        _panel(
            known(table, column),
            column,
            legend=column == shown[0],
            note=OWN_RULES if own_rules and column in OF_PAIRS else "",
        )
        for column in shown
    ]
    chart = alt.concat(*panels, columns=2, spacing={"row": 22, "column": 36}).resolve_scale(color="shared")
    return Figure(
        "thresholds",
        "Groupings over the threshold",
        finish(chart),
        _in_words(table, shown) + (f" ({OWN_RULES})" if own_rules else ""),
        wide=True,
    )


def _panel(table: pl.DataFrame, column: str, *, legend: bool, note: str) -> alt.LayerChart | alt.FacetChart:
    title, form = PANELS[column]
    zero = column != "silhouette"
    x = alt.X(
        "tau:Q",
        title="least cosine (tau)",
        scale=alt.Scale(zero=False, nice=False),
        axis=alt.Axis(grid=False),
    )
    lines = (
        alt.Chart(table)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y(
                f"{column}:Q",
                title=None,
                scale=alt.Scale(zero=zero),
                axis=alt.Axis(format=form, tickCount=5),
            ),
            color=alt.Color(
                "method:N",
                title=None,
                scale=alt.Scale(domain=list(METHODS), range=list(METHODS.values())),
                legend=alt.Legend(orient="top", labelFontSize=11) if legend else None,
            ),
        )
    )
    published = alt.Chart(pl.DataFrame({"tau": [PUBLISHED]}))
    rule = published.mark_rule(strokeDash=[4, 3], color=MUTED).encode(x="tau:Q")
    label = published.mark_text(align="left", dx=4, dy=-4, baseline="bottom", color=INK, fontSize=10).encode(
        x="tau:Q", y=alt.value(0), text=alt.value("published 0.55")
    )
    heading = alt.Title(title, dy=-8, subtitle=note) if note else alt.Title(title, dy=-8)
    return alt.layer(rule, lines, label).properties(width=300, height=150, title=heading)


def _in_words(table: pl.DataFrame, shown: list[str]) -> str:
    nearest = table.filter((pl.col("tau") - PUBLISHED).abs() == (pl.col("tau") - PUBLISHED).abs().min())
    parts = [
        f"{row['method']} at {row['tau']:g}: "
        + ", ".join(
            f"{PANELS[column][0].lower()} {row[column]:.4g}" for column in shown if row[column] is not None
        )
        for row in nearest.iter_rows(named=True)
    ]
    return "; ".join(parts)
