"""Verdicts: what agrees, what differs, and what must never be called either."""

from __future__ import annotations

import pytest

from endoxa.schema.study import REPRODUCTION_COLUMNS
from endoxa.study.reproduce import EXACT, Cell, Ours, Tolerance, rounding
from endoxa.study.reproduce.catalogue import compare, counted, finding

SHARE = Cell("Table 1", "accuracy", 0.685, rounding(3), "the prompts are not printed")
COUNT = Cell("Table 1", "n", 1508, EXACT)


def verdict(cell, ours):
    found = compare("x", "Paper, table 1", [cell], {} if ours is None else {cell.key: ours}).row(
        0, named=True
    )
    return found["verdict"], found["why"]


@pytest.mark.parametrize(
    ("cell", "ours", "expected", "why"),
    [
        (SHARE, Ours(0.685), "agrees", ""),
        (SHARE, Ours(0.6855), "agrees", ""),  # half of the last printed digit, and a little by floating point
        (SHARE, Ours(0.6845), "agrees", ""),
        (SHARE, Ours(0.68551), "differs", "the prompts are not printed"),
        (SHARE, Ours(0.0), "differs", "the prompts are not printed"),
        (SHARE, Ours(0.5, "20 rows"), "differs", "20 rows; the prompts are not printed"),
        (COUNT, Ours(1508), "agrees", ""),
        (COUNT, Ours(1507), "differs", "knows no reason"),
        (SHARE, Ours(None, "needs weights"), "not-computed", "needs weights"),
        (SHARE, Ours(float("nan"), "nobody is named"), "not-computed", "nobody is named"),
        (SHARE, None, "not-computed", "what it needs was not given"),
    ],
)
def test_what_agrees_within_the_rounding_of_the_print_or_exactly_and_why_not(cell, ours, expected, why):
    found = verdict(cell, ours)
    assert (found[0], why in found[1]) == (expected, True)


@pytest.mark.parametrize("ours", [0.685, 0.1])
def test_another_model_is_neither_agreement_nor_disagreement(ours):
    found = compare("x", "Paper", [SHARE], {SHARE.key: Ours(ours, "with sim/biased", comparable=False)})
    row = found.row(0, named=True)
    assert (row["verdict"], row["why"]) == ("not-comparable", "with sim/biased")
    assert (row["ours"], row["difference"]) == (ours, None)


def test_a_number_that_cannot_be_read_is_not_judged():
    unread = Cell("Table 2", "score", None, rounding(1))
    assert verdict(unread, Ours(60.5)) == (
        "not-comparable",
        "endoxa does not hold the printed number",
    )


def test_numbers_without_a_printed_cell_stand_below_and_have_no_verdict():
    found = compare(
        "x",
        "Paper",
        [SHARE],
        {SHARE.key: Ours(0.685), ("Table 1", "sim/a"): Ours(0.4, "sim/a is no model of it")},
    )
    assert found.columns == list(REPRODUCTION_COLUMNS)
    assert found["verdict"].to_list() == ["agrees", "not-comparable"]
    assert found["source"].to_list() == ["Paper", ""]
    assert found["why"][1].endswith("the paper has no such cell")


def test_the_finding_counts_every_printed_cell():
    cells = [Cell("T", str(k), 1.0, Tolerance(0.1, "rounding")) for k in range(5)]
    ours = {
        ("T", "0"): Ours(1.0),
        ("T", "1"): Ours(2.0),
        ("T", "2"): Ours(1.0, "other model", comparable=False),
        ("T", "sim"): Ours(1.0, "other model"),
    }
    found = compare("x", "Paper", cells, ours)
    assert counted(found) == {
        "agrees": 1, "differs": 1, "not-comparable": 2, "not-computed": 2, "printed": 5,
    }  # fmt: skip
    assert finding(found) == (
        "1 of 5 published cells agree with ours; 1 differs; 1 cannot be compared; 2 were not computed. "
        "1 further value has no published counterpart."
    )
    assert (
        finding(compare("x", "Paper", cells, {}))
        == "None of the 5 published cells can be judged; 5 were not computed."
    )
    assert (
        finding(compare("x", "Paper", cells[:1], {("T", "0"): Ours(1.0)}))
        == "1 of 1 published cells agrees with ours."
    )
