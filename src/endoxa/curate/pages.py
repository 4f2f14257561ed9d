"""What pages about tables of `endoxa analyze` and `endoxa author` share: reading them, their charts, the frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl

from endoxa.errors import UserError
from endoxa.report.charts import (
    BLUE,
    INK,
    LABEL_LIMIT,
    MUTED,
    ORANGE,
    defined,
    finish,
    series_colors,
    series_dots,
    square_legend,
)
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described, share_figure
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import Run
from endoxa.report.plots import Axis, series_plot
from endoxa.report.words import percent
from endoxa.sources.frames import read_table

LEAST_WRITTEN = 0.08
"""Share from which on its percentage fits into the bar."""
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """A table and the companions beside it.

    Attributes:
        path: the table.
        texts: names of columns that hold texts; all others hold numbers.
    """

    path: Path
    texts: Collection[str]

    @classmethod
    def of(cls, runs: Sequence[Run], texts: Collection[str], several: str) -> TableFiles:
        """The files of a page.

        Raises:
            UserError: there are several tables; `several` says it.
        """
        if len(runs) > 1:
            raise UserError(several)
        return cls(runs[0].folder, texts)

    def read(self, columns: Iterable[str], path: Path | None = None) -> pl.DataFrame:
        """The table itself, or the one at `path`.

        Raises:
            UserError: it cannot be read, or lacks a column.
        """
        table = read_table(path or self.path, tuple(columns))
        return table.select(
            pl.col(name).fill_null("") if name in self.texts else pl.col(name).cast(pl.Float64, strict=False)
            for name in columns
        )

    def beside(self, name: str, columns: Iterable[str]) -> pl.DataFrame:
        """A companion; empty where it is not there."""
        companion = self.path.with_name(f"{self.path.stem}_{name}{self.path.suffix}")
        if companion.is_file():
            return self.read(columns, companion)
        return pl.DataFrame(
            schema={column: pl.String if column in self.texts else pl.Float64 for column in columns}
        )


def page_of(
    package: str | None,
    runs: Sequence[Run],
    title: str,
    subtitle: str,
    sections: Iterable[Section | None],
    *,
    models: Iterable[str] = (),
) -> Page:
    """The page with the sections that have something to say."""
    assert package is not None
    return Page(package, title, subtitle, (*present(sections), CITE), runs, models)


def integer(number: float) -> str:
    """A whole number that a table holds as a decimal one."""
    return f"{number:.0f}"


def series_rows(
    rows: pl.DataFrame,
    label: str,
    series: pl.Expr,
    value: str,
    shown: Callable[[float], str],
    *,
    ends: tuple[str, str] = ("low", "high"),
) -> pl.DataFrame:
    """Rows of a chart of dots, with the values of all series of a label beside it."""
    notes = {
        name: " · ".join(map(shown, part[value]))
        for (name,), part in rows.group_by(label, maintain_order=True)
    }
    low, high = (pl.col(end).fill_nan(None) for end in ends)
    return rows.select(
        label=label,
        series=series,
        note=pl.col(label).replace_strict(notes, return_dtype=pl.String),
        value=value,
        low=low,
        high=high,
        filled=pl.lit(value=True),
    )


def free_figure(
    frame: pl.DataFrame,
    series: Sequence[str],
    axis: str,
    domain: tuple[float, float],
    *,
    name: str,
    title: str,
    alt: str,
    axis_format: str = ".0%",
    label_limit: int = LABEL_LIMIT,
    rows: pl.DataFrame | None = None,
) -> Figure:
    """Dots as `report.figures.series_figure` draws them, of a value that has no neutral one.

    Args:
        frame: rows of `series_rows`.
        series: every series.
        axis: title of the value axis.
        domain: its range.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        axis_format: d3 format of the axis labels.
        label_limit: room for the labels at most, in pixels.
        rows: what readers download, where it is not what is drawn.
    """
    chart = series_dots(
        frame,
        series_colors(series),
        neutral=None,
        domain=domain,
        title=axis,
        axis_format=axis_format,
        label_limit=label_limit,
    )
    plot = series_plot(frame, series, Axis(domain, axis, axis_format))
    return Figure(name, title, chart, alt, wide=True, rows=rows, plot=plot)


def bar_figure(
    bars: pl.DataFrame,
    colors: Mapping[str, str],
    dark: Collection[str],
    of: str,
    *,
    name: str,
    title: str,
    alt: str,
    per_row: int,
) -> Figure:
    """A bar of 100 % for each label.

    Args:
        bars: columns label, part, share.
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        of: of what the shares are ("the ratings").
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, before the shares of each bar.
        per_row: parts in a row of the legend.
    """
    written = pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String)
    frame = bars.with_columns(
        text=pl.when(pl.col("share") >= LEAST_WRITTEN).then(written).otherwise(pl.lit(""))
    )
    spoken = (
        f"{label}: "
        + ", ".join(f"{part} {percent(share, 0)}" for part, share in rows.select("part", "share").rows())
        for (label,), rows in frame.group_by("label", maintain_order=True)
    )
    return share_figure(
        frame,
        colors,
        dark=dark,
        of=f"of {of}",
        legend=square_legend(columns=per_row),
        name=name,
        title=title,
        alt=described(alt, spoken),
    )


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

    first = table.sort("respondents", descending=True, maintain_order=True).row(0, named=True)
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
METHOD_COLORS = {"endoxa": BLUE, "afristereo": ORANGE}
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
FROM_RULES = "pairs made by our own rules"


def thresholds_figure(table: pl.DataFrame, *, from_rules: bool = False) -> Figure:
    """Small panels side by side, one line for each method; the dashed line is the published threshold.

    Args:
        table: the table of `endoxa.curate.group.thresholds`. A score that is nowhere known has no panel.
        from_rules: whether the known pairs come from the rules that our own method follows, so that they say nothing
            about it; each panel of pairs then says so.
    """
    shown = [column for column in PANELS if table[column].count()]
    panels = [
        _thresholds_panel(
            defined(table, column),
            column,
            legend=column == shown[0],
            note=FROM_RULES if from_rules and column in OF_PAIRS else "",
        )
        for column in shown
    ]
    chart = alt.concat(*panels, columns=2, spacing={"row": 22, "column": 36}).resolve_scale(color="shared")
    nearest = table.filter((pl.col("tau") - PUBLISHED).abs() == (pl.col("tau") - PUBLISHED).abs().min())
    parts = [
        f"{row['method']} at {row['tau']:g}: "
        + ", ".join(
            f"{PANELS[column][0].lower()} {row[column]:.4g}" for column in shown if row[column] is not None
        )
        for row in nearest.iter_rows(named=True)
    ]
    return Figure(
        "thresholds",
        "Groupings over the threshold",
        finish(chart),
        "; ".join(parts) + (f" ({FROM_RULES})" if from_rules else ""),
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
                scale=alt.Scale(domain=list(METHOD_COLORS), range=list(METHOD_COLORS.values())),
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
