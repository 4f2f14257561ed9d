"""Parts of the report kit that every page uses; the pages themselves are tested with their instruments."""

from __future__ import annotations

import polars as pl

from endoxa.report.claims import chip, mark
from endoxa.report.estimates import Kind, claims_map
from endoxa.report.figures import Measure, in_parts
from endoxa.report.tables import Cell, latex, markdown, number_field, table_of, text_field
from endoxa.stats.verdicts import BELOW

HELD = {"verdict": "unclear", "p_value": 0.03, "p_adjusted": 0.091}


def test_a_verdict_that_its_interval_seems_to_contradict_has_its_p():
    row = HELD | {"reason": "not after correction for the number of tests"}
    assert chip(row) == "unclear (p 0.091 after correction)"
    assert mark(row) == " (p 0.091)"
    table = table_of(
        "Leans",
        [row],
        (
            text_field("model", lambda _: "m"),
            number_field("lean", lambda row: Cell("0.26", mark(row), "0.08–0.44")),
        ),
    )
    assert "0.26 (p 0.091) (0.08–0.44)" in markdown([table])
    assert "0.26 (p 0.091)" in latex([table])
    assert "corrected for the number of tests" in markdown([table])


def test_cells_of_a_map_say_the_values_and_are_darker_the_farther_they_lie_from_an_unbiased_model() -> None:
    measure = Measure("share", 0.5, ".0%", 0.2, 0.1)
    rows = pl.DataFrame(
        {"model": ["m"] * 3, "axis": list("abc"), "value": (0.71, 0.31, 0.55), "verdict": [BELOW] * 3}
    ).with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    kind = Kind("value", measure, "0")
    (grid,) = claims_map(kind, rows, lambda row: row["axis"], ["m"], name="map", title="Map").plot.grids
    ((_, cells),) = grid.rows
    assert [cell.text for cell in cells] == ["71\u00a0%", "31\u00a0%", "55\u00a0%"]
    assert [cell.shade for cell in cells] == [1, 0.35, 0.35]


def test_what_does_not_fit_is_cut_into_parts_of_about_one_size() -> None:
    cut = [(part, len(names)) for part, names in in_parts(range(10), 8)]
    assert cut == [(", part 1 of 2", 5), (", part 2 of 2", 5)]
    assert list(in_parts("ab", 3)) == [("", "ab")]
