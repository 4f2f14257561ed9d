"""Chart primitives: one style, labelled bars, dots with intervals, heat maps. The instruments say what is drawn."""

from endoxa.page.charts.bars import bar_blocks, stacked_shares
from endoxa.page.charts.dots import (
    DotRows,
    beside,
    interval_rows,
    labelled_rows,
    neutral_line,
    notes_beside,
    pointed,
    sorted_dots,
)
from endoxa.page.charts.heat import heat_map, verdict_map
from endoxa.page.charts.series import MOST_SERIES, series_colors, series_dots
from endoxa.page.charts.style import (
    BLUE,
    GRID,
    INK,
    LABEL_LIMIT,
    MUTED,
    ORANGE,
    PALE,
    PALE_BLUE,
    SERIES_COLORS,
    either,
    finish,
    fixed,
    known,
    label_width,
    square_legend,
    symmetric_domain,
)

__all__ = [
    "BLUE",
    "GRID",
    "INK",
    "LABEL_LIMIT",
    "MOST_SERIES",
    "MUTED",
    "ORANGE",
    "PALE",
    "PALE_BLUE",
    "SERIES_COLORS",
    "DotRows",
    "bar_blocks",
    "beside",
    "either",
    "finish",
    "fixed",
    "heat_map",
    "interval_rows",
    "known",
    "label_width",
    "labelled_rows",
    "neutral_line",
    "notes_beside",
<<<<<<< HEAD
    "pointed",
=======
    "series_colors",
    "series_dots",
>>>>>>> others
    "sorted_dots",
    "square_legend",
    "stacked_shares",
    "symmetric_domain",
    "verdict_map",
]
