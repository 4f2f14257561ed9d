"""Every two groups against an attribute pair, where groups were crossed: a matrix per encoder, on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt
import polars as pl

from endoxa.instruments.association_tests.report.results import CLAIMED, Associations
from endoxa.report.charts import (
    BLUE,
    INK,
    LABEL_LIMIT,
    ORANGE,
    PALE,
    PALE_BLUE,
    either,
    finish,
    label_width,
    symmetric_domain,
)
from endoxa.report.charts.series import MOST_APART
from endoxa.report.document import Figure, Section
from endoxa.report.words import language_name, listed, plural, signed, slug
from endoxa.stats.verdicts import CLEAR

COLUMNS = {
    "panel": "heading of the panel (a model)",
    "subpanel": "second line of the heading (a pooling), or empty",
    "row": "group of the row",
    "column": "group of the column",
    "value": "effect size of row against column; null where it is undefined",
    "mark": "'*' where a difference is claimed, else empty",
}
"""Columns of the frame: one row per cell. Cells of groups that were not tested against each other are left out."""

SCALE = (ORANGE, "#f0b287", "#f7f7f7", PALE_BLUE, BLUE)
"""From negative to positive: told apart with every common colour blindness; the sign is written in each cell."""

LINE = 13
MOST_WRITTEN = 12
"""Groups up to which numbers fit into the cells."""


CELLS = ("axis", "language", "a", "b")
"""What one matrix is about."""

LEAST_GROUPS = 3

PANEL_ROWS = 4
"""Rows of panels in one figure: more would not fit on a printed page."""


def matrix(
    frame: pl.DataFrame, groups: Sequence[str], *, reach: float, title: str, across: int
) -> alt.TopLevelMixin:
    """Panels of rows against columns; a dark outline and a star mark what is claimed.

    Args:
        frame: columns of `COLUMNS`; panels are drawn in the order given.
        groups: groups in the order of rows and columns.
        reach: the colours run from -reach to reach, the same for all matrices that are to be compared.
        title: title of the colour legend.
        across: panels side by side.
    """
    panels = list(frame.select("panel", "subpanel").unique(maintain_order=True).iter_rows())
    charts = [
        _panel(
            frame.filter((pl.col("panel") == panel) & (pl.col("subpanel") == subpanel)),
            groups,
            reach,
            title,
            alt.TitleParams(panel, subtitle=subpanel or alt.Undefined, frame="group", offset=6),
        )
        for panel, subpanel in panels
    ]
    rows = [
        alt.hconcat(*charts[start : start + across], spacing=22) for start in range(0, len(charts), across)
    ]
    return finish(alt.vconcat(*rows, spacing=16))


def _panel(
    cells: pl.DataFrame, groups: Sequence[str], reach: float, title: str, heading: alt.TitleParams
) -> alt.LayerChart | alt.FacetChart:
    written = len(groups) <= MOST_WRITTEN
    width, height = _cell_size(groups, written=written)
    tilted = _longest_word(groups) * 6 > width
    rows, columns = list(groups[:-1]), list(groups[1:])
    shown = cells.with_columns(
        dark=pl.col("value").abs().fill_null(0) > 0.75 * reach,
        text=pl.when(pl.col("value").is_null())
        .then(pl.lit("undefined"))
        .otherwise(pl.format("{}{}", pl.col("value").map_elements(_signed, return_dtype=pl.String), "mark")),
    )
    x = alt.X(
        "column:N",
        sort=columns,
        scale=alt.Scale(domain=columns, padding=0),
        title=None,
        axis=alt.Axis(
            orient="top",
            labelAngle=-40 if tilted else 0,
            labelLimit=LABEL_LIMIT,
            labelOverlap=False,
            labelExpr="datum.label" if tilted else "split(datum.label, ' ')",
            labelBaseline="bottom",
            labelPadding=5 if tilted else 5 + LINE * (max(len(group.split(" ")) for group in groups) - 1),
        ),
    )
    y = alt.Y(
        "row:N",
        sort=rows,
        scale=alt.Scale(domain=rows, padding=0),
        title=None,
        axis=alt.Axis(labelLimit=LABEL_LIMIT, labelOverlap=False, minExtent=label_width(groups)),
    )

    def layer(rows: pl.DataFrame) -> alt.Chart:
        return alt.Chart(rows).encode(x=x, y=y)

    known = shown.filter(pl.col("value").is_not_null())
    color = alt.Color(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[-reach, -reach / 2, 0, reach / 2, reach], range=list(SCALE), clamp=True),
        legend=alt.Legend(
            orient="bottom", gradientLength=260, titleLimit=560, format="+.1f", titleFontWeight="normal"
        ),
    )
    ink = either(alt.ColorValue, "datum.dark", "white", INK)
    layers: list[alt.Chart] = [
        layer(shown.filter(pl.col("value").is_null())).mark_rect(fill=PALE, stroke="white", strokeWidth=2),
        layer(known).mark_rect(stroke="white", strokeWidth=2).encode(color=color),
        layer(known.filter(pl.col("mark") != "")).mark_rect(
            fill="transparent", stroke=INK, strokeWidth=1.8, width=width - 3, height=height - 3
        ),
    ]
    if written:
        # One layer for each weight: Vega-Lite has no condition on it.
        marked, unmarked = shown.filter(pl.col("mark") != ""), shown.filter(pl.col("mark") == "")
        layers += [
            layer(marked)
            .mark_text(fontWeight="bold", fontSize=11)
            .encode(text=alt.Text("text:N"), color=ink),
            layer(unmarked).mark_text(fontSize=11).encode(text=alt.Text("text:N"), color=ink),
        ]
    return alt.layer(*layers).properties(width=width * len(columns), height=height * len(rows), title=heading)


def _cell_size(groups: Sequence[str], *, written: bool) -> tuple[int, int]:
    """Width and height of a cell in pixels: the more groups, the smaller."""
    if not written:
        return 18, 18
    return (62, 28) if len(groups) <= 4 else (52, 26)


def _longest_word(groups: Sequence[str]) -> int:
    return max((len(word) for group in groups for word in group.split(" ")), default=0)


def _signed(value: float) -> str:
    return signed(value, 2)


def matrices(results: Associations) -> Section | None:
    """A matrix of groups for every axis, language and attribute pair with three groups or more; None without one.

    Of more encoders than `MOST_APART` the maps of tests and encoders show the same cells.
    """
    if results.estimates["encoder"].n_unique() > MOST_APART:
        return None
    figures = tuple(_figures(results))
    if not figures:
        return None
    return Section("groups", "Every group against every other", figures=figures, notes=(_note(results),))


def _note(results: Associations) -> str:
    return (
        "Read a cell from its row. Blue, plus: the group of the row lies nearer to the first attribute, rather than "
        "the second, than the group of the column does; orange, minus: nearer to the second, rather than the first. "
        "Every pair of groups stands once; read from the column, its sign turns. A dark outline and a star: the groups "
        f"differ (adjusted p-value at most {results.level}; p-values are in the table of all tests). Grey cells are "
        "undefined, empty ones were not tested. All colours of this report are on one scale."
    )


def groups_of(tests: pl.DataFrame) -> list[str]:
    """Names of the target sets, so that tested cells lie above the diagonal where the tests allow it."""
    return list(dict.fromkeys([*tests["x"], *tests["y"]]))


def _figures(results: Associations) -> Iterator[Figure]:
    reach = symmetric_domain(results.estimates["effect_size"].drop_nulls(), 0, 1, 0.5)[1]
    for (axis, language, a, b), tests in results.estimates.group_by(CELLS, maintain_order=True):
        groups = groups_of(tests)
        if not _crossed(tests, groups):
            continue
        across = 2 if len(groups) <= 4 else 1
        ordered = pl.concat(tests.partition_by("model", maintain_order=True))
        encoders = ordered["encoder"].unique(maintain_order=True).to_list()
        size = PANEL_ROWS * across
        pages = [encoders[start : start + size] for start in range(0, len(encoders), size)]
        for number, page in enumerate(pages, start=1):
            shown = ordered.filter(pl.col("encoder").is_in(page))
            spoken = language_name(str(language)) if language else ""
            title = f"{a} or {b}" + (f", {spoken}" if spoken else "") + (f" ({axis})" if axis else "")
            yield Figure(
                name=f"groups-{slug(f'{language} {a} {b}')}",
                title=title if len(pages) == 1 else f"{title}, part {number} of {len(pages)}",
                chart=matrix(
                    _cells(shown, groups),
                    groups,
                    reach=reach,
                    title=f"effect size: row nearer than column to {b} (−), to {a} (+)",
                    across=across,
                ),
                alt=_alt(shown, groups, str(a), str(b)),
                wide=True,
            )


def _crossed(tests: pl.DataFrame, groups: list[str]) -> bool:
    """True where at least half of all pairs of three groups or more were tested, each once per encoder."""
    pairs = {frozenset(pair) for pair in tests.select("x", "y").iter_rows()}
    once = tests.height == len(
        {(frozenset((x, y)), e) for x, y, e in tests.select("x", "y", "encoder").iter_rows()}
    )
    return once and len(groups) >= LEAST_GROUPS and 4 * len(pairs) >= len(groups) * (len(groups) - 1)


def _cells(tests: pl.DataFrame, groups: Sequence[str]) -> pl.DataFrame:
    """A cell for every test, above the diagonal; the sign is turned where the test names its groups the other way."""
    places = {group: place for place, group in enumerate(groups)}
    x, y = (pl.col(name).replace_strict(places, return_dtype=pl.Int64) for name in ("x", "y"))
    turned = x > y
    return tests.select(
        panel="label",
        subpanel="pooling",
        row=pl.when(turned).then("y").otherwise("x"),
        column=pl.when(turned).then("x").otherwise("y"),
        value=pl.when(turned).then(-pl.col("effect_size")).otherwise("effect_size"),
        mark=pl.when(pl.col("verdict").is_in(CLEAR)).then(pl.lit(CLAIMED)).otherwise(pl.lit("")),
    )


def _alt(tests: pl.DataFrame, groups: list[str], a: str, b: str) -> str:
    known = tests.drop_nulls("effect_size")
    encoders = plural(tests["encoder"].n_unique(), "encoder")
    words = f"Matrices of {listed(groups)} against each other for {encoders}, {a} against {b}."
    if known.is_empty():
        return f"{words} Every effect size is undefined."
    values = known["effect_size"].to_list()
    return (
        f"{words} Effect sizes as tested run from {min(values):+.2f} to {max(values):+.2f}; "
        f"in {int(tests['verdict'].is_in(CLEAR).sum())} of {plural(tests.height, 'result')} the groups differ. The "
        "table of all tests holds every number."
    )
