"""Parts of the report kit that every page uses; the pages themselves are tested with their instruments."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from endoxa.report.claims import P_ADJUSTED, VERDICT, chip, counted, mark, not_ranked, verdict_counts
from endoxa.report.estimates import Kind, claims_map
from endoxa.report.figures import Measure, in_parts, labelled
from endoxa.report.tables import Cell, latex, markdown, number_field, table_of, text_field
from endoxa.report.words import axis_name
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED
from endoxa.study.compare.changes import Change, judged

ROWS = pl.DataFrame(
    {
        "model": ["a", "b", "", "b"],
        "n": [1508, 12, None, 12],
        "p_adjusted": [0.0004, 0.034, 0.5, 0.034],
        "verdict": [ABOVE, BELOW, UNTESTED, BELOW],
    }
)


def test_a_table_is_made_from_its_fields() -> None:
    several = None
    table = table_of(
        "Models",
        ROWS,
        (text_field("model"), several, number_field("answers", "n"), VERDICT, P_ADJUSTED),
        most_open=3,
    )
    assert [column.name for column in table.columns] == ["model", "answers", "verdict", "p adjusted"]
    assert [column.numeric for column in table.columns] == [False, True, False, True]
    assert table.rows[0] == ("a", "1,508", "above", "<\u00a00.001")
    assert table.rows[2] == ("–", "n/a", "cannot be tested", "n/a")
    assert table.folded
    assert len(table_of("Models", ROWS, (text_field("model"),), distinct=True).rows) == 3


def test_verdicts_are_counted_and_marked() -> None:
    rows = ROWS.rows(named=True)
    assert verdict_counts(rows) == {ABOVE: 1, BELOW: 2, UNCLEAR: 0, UNTESTED: 1}
    words = {
        ABOVE: "{n} lean{s} up",
        BELOW: "{n} lean{s} down",
        UNCLEAR: "{n} not",
        UNTESTED: "{n}: {reason}",
    }
    assert counted(rows, words, reason="too few") == ["1 leans up", "2 lean down", "1: too few"]
    assert [mark(row) for row in rows] == ["*", "*", "†", "*"]


def test_axes_are_named_as_they_are_spoken() -> None:
    assert [axis_name(axis) for axis in ("all", "sexual-orientation", "SES", "race-color")] == [
        *("all axes", "sexual orientation", "SES", "race or colour")
    ]


def test_what_does_not_fit_is_cut_into_parts() -> None:
    assert [(part, list(names)) for part, names in in_parts("abcde", 3)] == [
        (", part 1 of 2", ["a", "b", "c"]),
        (", part 2 of 2", ["d", "e"]),
    ]
    assert [len(names) for _, names in in_parts(range(10), 8)] == [5, 5]
    assert list(in_parts("ab", 3)) == [("", "ab")]


def test_an_axis_holds_every_value_in_whole_steps() -> None:
    measure = Measure("effect size", 0.0, "+.1f", 1.0, 0.5)
    frame = pl.DataFrame({"value": [0.2, None], "low": [-1.2, float("nan")], "high": [0.9, None]})
    assert measure.domain(frame) == (-1.5, 1.5)
    assert measure.domain(frame.select(value=pl.lit(0.1))) == (-1.0, 1.0)


def test_equal_labels_are_told_apart() -> None:
    frame = pl.DataFrame({"name": ["x", "x"], "test": ["1", "2"]})
    assert labelled(frame, pl.col("name"), "test")["label"].to_list() == ["x (1)", "x (2)"]
    assert labelled(frame, pl.col("test"), "name")["label"].to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("lowest", "highest", "overlapping"),
    [((0.1, 0.3), (0.2, 0.5), True), ((0.1, 0.3), (0.31, 0.5), False), ((None, None), (0.2, 0.5), False)],
)
def test_ends_of_a_range_whose_intervals_overlap_are_no_ranking(lowest, highest, overlapping):
    rows = [dict(zip(("low", "high"), ends, strict=True)) for ends in (lowest, highest)]
    assert bool(not_ranked(*rows)) == overlapping


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


def test_other_verdicts_are_words_alone():
    assert chip(HELD | {"reason": ""}) == "unclear"
    assert chip(HELD | {"verdict": "above", "p_adjusted": 0.01, "reason": ""}) == "above"


def test_a_change_that_only_the_correction_keeps_from_a_claim_has_its_p():
    alone = Change(
        "lean", "r", "all", "all", 0.1, 0.36, 0.26, 0.08, 0.44, 0.03, float("nan"), "", 9, 9, "items", "bias"
    )
    others = [replace(alone, p_value=0.9, low=-0.1) for _ in range(2)]
    first, other, _ = judged([alone, *others], 0.95)
    assert chip(first.reasoned) == "unclear (p 0.090 after correction)"
    assert chip(other.reasoned) == "unclear"


@pytest.mark.parametrize(
    ("measure", "values", "texts", "shades"),
    [
        (
            Measure("lean", 0.0, "+.2f", 0.1, 0.1),
            (-0.33, 0.104, -0.056),
            ("−0.33", "0.10", "−0.06"),
            (1, 0.35, 0.35),
        ),
        (
            Measure("share", 0.5, ".0%", 0.2, 0.1),
            (0.71, 0.31, 0.55),
            ("71\u00a0%", "31\u00a0%", "55\u00a0%"),
            (1, 0.35, 0.35),
        ),
    ],
)
def test_cells_of_a_map_say_the_values_themselves(measure, values, texts, shades) -> None:
    """Differences as well as shares, the colour by how far they lie from the value of an unbiased model."""
    rows = pl.DataFrame(
        {"model": ["m"] * 3, "axis": list("abc"), "value": values, "verdict": [BELOW] * 3}
    ).with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    kind = Kind("value", measure, "0")
    (grid,) = claims_map(kind, rows, lambda row: row["axis"], ["m"], name="map", title="Map").plot.grids
    ((_, cells),) = grid.rows
    assert tuple(cell.text for cell in cells) == texts
    assert tuple(cell.shade for cell in cells) == shades
