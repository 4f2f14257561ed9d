"""Dots as rows of a page: where they stand, what is filled, what the axis says."""

from __future__ import annotations

import polars as pl

from endoxa.report.plots import Axis, dot_plot

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


def test_ticks_are_round_values_within_the_axis() -> None:
    assert [text for _, text in SHARE.ticks] == [f"{share}\u00a0%" for share in range(20, 81, 10)]
    log = Axis((0.5, 10), "lift", "~g", 1.0, log=True)
    assert [text for _, text in log.ticks] == ["0.5", "1", "2", "5", "10"]
    assert log.ticks[-1][0] == 100
