"""Dots as rows of a page: where they stand, what is filled, what the axis says."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.report.plots import Axis, dot_plot, label_of, series_plot

SHARE = Axis((0.2, 0.8), "share", ".0%", 0.5)
FRAME = pl.DataFrame(
    {
        "label": ["all axes", "age & <b>", "none"],
        "note": ["70.0 % of 1,000", "50 % 10 of 20", ""],
        "value": [0.7, 0.5, float("nan")],
        "low": [0.6, float("nan"), None],
        "high": [0.9, 0.6, None],
        "filled": [True, False, False],
    }
)


def test_dots_and_intervals_stand_in_percent_of_the_width_and_end_with_the_axis() -> None:
    first, second, third = dot_plot(FRAME, SHARE).rows
    (dot,) = first.dots
    assert (dot.place, dot.bar, dot.filled) == (83.33, (66.67, 33.33), True)
    assert (second.dots[0].place, second.dots[0].bar, second.dots[0].filled) == (50.0, None, False)
    assert third.dots == ()
    assert (first.value, first.rest) == ("70.0 %", "of 1,000")
    assert (second.value, second.rest) == ("50 %", "10 of 20")
    assert SHARE.neutral_place == 50


@pytest.mark.parametrize(
    ("value", "axis_format", "text"),
    [
        (0.5, ".0%", "50\u00a0%"),
        (0.725, ".0%", "73\u00a0%"),
        (-0.125, ".0%", "−13\u00a0%"),
        (-0.25, "+.2~f", "−0.25"),
        (1.0, "+.2~f", "+1"),
        (0.0, "+.0f", "0"),
        (3, "d", "3"),
    ],
)
def test_labels_of_an_axis_are_those_of_the_chart(value: float, axis_format: str, text: str) -> None:
    assert label_of(value, axis_format) == text


def test_ticks_are_round_values_within_the_axis() -> None:
    assert [text for _, text in SHARE.ticks] == [f"{share}\u00a0%" for share in range(20, 81, 10)]
    log = Axis((0.5, 10), "lift", "~g", 1.0, log=True)
    assert [text for _, text in log.ticks] == ["0.5", "1", "2", "5", "10"]
    assert log.ticks[-1][0] == 100


def test_series_have_lines_of_their_own_up_to_four() -> None:
    rows = pl.concat([FRAME.with_columns(series=pl.lit(name)) for name in "abc"])
    plot = series_plot(rows, list("abc"), SHARE)
    assert [(dot.line, dot.color) for dot in plot.rows[0].dots] == [(0, 0), (1, 1), (2, 2)]
    assert plot.legend == (("a", 0), ("b", 1), ("c", 2))
    many = series_plot(rows.with_columns(series=pl.lit("a")), list("abcde"), SHARE)
    assert {dot.line for row in many.rows for dot in row.dots} == {0}
    assert {dot.bar for row in many.rows for dot in row.dots} == {None}
