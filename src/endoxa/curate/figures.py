"""Figures of a survey: the most frequent associations, and groupings over a range of thresholds."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl

from endoxa.errors import UserError
from endoxa.report.charts import BLUE, INK, MUTED, ORANGE, defined, finish
from endoxa.report.document import Figure

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


def save_frequencies(table: pl.DataFrame, folder: Path, *, top: int = 8) -> tuple[Path, Path]:
    """Write `frequencies.svg` and `frequencies.png` and return their paths.

    Args:
        table: axis, identity, attribute, respondents.
        folder: where to; it must be there.
        top: bars per axis at most.

    Raises:
        UserError: the folder cannot be written.
    """
    from endoxa.report.document import Figure
    from endoxa.report.render import picture, save

    first = table.sort("respondents", descending=True).row(0, named=True)
    figure = Figure(
        name="frequencies",
        title="Most frequent associations by axis",
        alt=(
            f"Bars of the number of respondents behind the most frequent associations of each axis; the longest "
            f"has {first['respondents']}. {NOTICE}"
        ),
        chart=frequencies(table, top=top),
    )
    try:
        save(figure, picture(figure), folder)
    except OSError as error:
        raise UserError(f"'{folder}' cannot be written: {error.strerror or error}.") from error
    return folder / "frequencies.svg", folder / "frequencies.png"


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
        _thresholds_panel(
            defined(table, column),
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


def _thresholds_panel(
    table: pl.DataFrame, column: str, *, legend: bool, note: str
) -> alt.LayerChart | alt.FacetChart:
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
