"""Chart primitives: one style, labelled bars, dots with intervals, heat maps. The instruments say what is drawn."""

from endoxa.report.charts.bars import bar_blocks, stacked_shares
from endoxa.report.charts.chord import MOST_ARCS, Arc, chord_figure
from endoxa.report.charts.dots import (
    beside,
    interval_rows,
    neutral_line,
    pointed,
    sorted_dots,
)
from endoxa.report.charts.forest import series_forest
from endoxa.report.charts.heat import heat_map, signed_matrix, verdict_map
from endoxa.report.charts.ridges import LEAST_PAIRS, density, ridgeline, robust_range
from endoxa.report.charts.series import MOST_APART, MOST_SERIES, series_colors, series_dots
from endoxa.report.charts.style import (
    BLUE,
    GRID,
    INK,
    LABEL_LIMIT,
    MUTED,
    ORANGE,
    defined,
    either,
    finish,
    fixed,
    square_legend,
    symmetric_domain,
)

__all__ = [
    "BLUE",
    "GRID",
    "INK",
    "LABEL_LIMIT",
    "LEAST_PAIRS",
    "MOST_APART",
    "MOST_ARCS",
    "MOST_SERIES",
    "MUTED",
    "ORANGE",
    "Arc",
    "bar_blocks",
    "beside",
    "chord_figure",
    "defined",
    "density",
    "either",
    "finish",
    "fixed",
    "heat_map",
    "interval_rows",
    "neutral_line",
    "pointed",
    "ridgeline",
    "robust_range",
    "series_colors",
    "series_dots",
    "series_forest",
    "signed_matrix",
    "sorted_dots",
    "square_legend",
    "stacked_shares",
    "symmetric_domain",
    "verdict_map",
]
