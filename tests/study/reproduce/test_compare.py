"""Verdicts: what agrees, what differs, and what must never be called either."""

from __future__ import annotations

import pytest

from endoxa.schema.study import REPRODUCTION_COLUMNS
from endoxa.study.reproduce import EXACT, Cell, Ours, rounding
from endoxa.study.reproduce.catalogue import compare, counted, finding

SHARE = Cell("Table 1", "accuracy", 0.685, rounding(3), "the prompts are not printed")
COUNT = Cell("Table 1", "n", 1508, EXACT)
UNREAD = Cell("Table 2", "score", None, rounding(1))


@pytest.mark.parametrize(
    ("cell", "ours", "verdict", "why"),
    [
        (SHARE, Ours(0.6855), "agrees", ""),  # half of the last printed digit, and a little by floating point
        (SHARE, Ours(0.6845), "agrees", ""),
        (SHARE, Ours(0.68551), "differs", "the prompts are not printed"),
        (SHARE, Ours(0.5, "20 rows"), "differs", "20 rows; the prompts are not printed"),
        (COUNT, Ours(1508), "agrees", ""),
        (COUNT, Ours(1507), "differs", "knows no reason"),
        (SHARE, Ours(None, "needs weights"), "not-computed", "needs weights"),
        (SHARE, Ours(float("nan"), "nobody is named"), "not-computed", "nobody is named"),
        (SHARE, None, "not-computed", "what it needs was not given"),
        (SHARE, Ours(0.685, "with sim/biased", comparable=False), "not-comparable", "with sim/biased"),
        (SHARE, Ours(0.1, "with sim/biased", comparable=False), "not-comparable", "with sim/biased"),
        (UNREAD, Ours(60.5), "not-comparable", "endoxa does not hold the printed number"),
    ],
)
def test_what_agrees_within_the_rounding_of_the_print_or_exactly_and_why_not(cell, ours, verdict, why):
    found = compare("x", "Paper, table 1", [cell], {} if ours is None else {cell.key: ours})
    row = found.row(0, named=True)
    assert (row["verdict"], why in row["why"]) == (verdict, True)
    assert (row["difference"] is not None) == (verdict in ("agrees", "differs"))


def test_the_finding_counts_every_printed_cell():
    cells = [Cell("T", str(k), 1.0, rounding(1)) for k in range(5)]
    ours = {
        ("T", "0"): Ours(1.0),
        ("T", "1"): Ours(2.0),
        ("T", "2"): Ours(1.0, "other model", comparable=False),
        ("T", "sim"): Ours(1.0, "sim/a is no model of it"),
    }
    found = compare("x", "Paper", cells, ours)
    assert found.columns == list(REPRODUCTION_COLUMNS)
    counts = {"agrees": 1, "differs": 1, "not-comparable": 2, "not-computed": 2, "printed": 5}
    assert counted(found) == counts
    assert finding(found) == (
        "1 of 5 published cells agree with ours; 1 differs; 1 cannot be compared; 2 were not computed. "
        "1 further value has no published counterpart."
    )
    # Numbers without a printed cell stand below, without a source.
    below = found.row(-1, named=True)
    assert (below["verdict"], below["source"]) == ("not-comparable", "")
    assert below["why"].endswith("the paper has no such cell")
    nothing = finding(compare("x", "Paper", cells, {}))
    assert nothing == "None of the 5 published cells can be judged; 5 were not computed."
