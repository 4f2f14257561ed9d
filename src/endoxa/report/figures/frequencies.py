"""The most frequent associations of each axis, as horizontal bars."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.figures.style import BLUE, MUTED, finish

COLUMNS = {
    "axis": "heading of the panel",
    "identity": "the group of people",
    "attribute": "what is said of it",
    "respondents": "how many respondents said it",
}
"""Columns of the frame."""

NOTICE = "Stereotypes as respondents reported them: not facts, and not the view of those who publish them."

LEAST = 2
WIDTH = 190
ROW_HEIGHT = 18
LABEL_WIDTH = 210
PANELS_ABREAST = 2


def frequencies(frame: pl.DataFrame, *, top: int = 8) -> alt.TopLevelMixin:
    """A panel per axis with its `top` associations, all on one scale; ties by alphabet.

    What a single respondent said is not frequent: it is only drawn where nothing was said twice.

    Args:
        frame: columns of `COLUMNS`.
        top: how many bars a panel has at most.
    """
    repeated = frame.filter(pl.col("respondents") >= LEAST)
    drawn = frame if repeated.is_empty() else repeated
    ranked = drawn.sort(["respondents", "identity", "attribute"], descending=[True, False, False])
    most = ranked["respondents"].to_list()[0]
    panels = [
        _panel(ranked.filter(pl.col("axis") == axis).head(top), axis, most)
        for axis in sorted(ranked["axis"].unique().to_list())
    ]
    title = alt.TitleParams(
        "Most frequent associations by axis",
        subtitle=["Number of respondents who said it.", NOTICE],
        frame="bounds",
        offset=14,
    )
    chart = alt.concat(*panels, columns=PANELS_ABREAST, spacing=24, title=title)
    return finish(chart.resolve_scale(x="shared"))


def _panel(rows: pl.DataFrame, axis: str, most: int) -> alt.LayerChart | alt.FacetChart:
    labelled = rows.with_columns(label=pl.format("{}: {}", "identity", "attribute"))
    order = labelled["label"].to_list()
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABEL_WIDTH, minExtent=LABEL_WIDTH))
    x = alt.X("respondents:Q", scale=alt.Scale(domain=(0, most), nice=False), axis=None)
    base = alt.Chart(labelled).encode(x=x, y=y)
    return alt.layer(
        base.mark_bar(color=BLUE, height=ROW_HEIGHT - 6),
        base.mark_text(align="left", dx=4, color=MUTED).encode(text="respondents:Q"),
    ).properties(width=WIDTH, height=ROW_HEIGHT * rows.height, title=alt.TitleParams(axis, frame="bounds"))
