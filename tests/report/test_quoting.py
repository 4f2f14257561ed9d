"""The box before a number is quoted: what concerns it first, the rest folded, one line for the terminal."""

from __future__ import annotations

import pytest

from endoxa.report.quoting import (
    Diagnostic,
    answers_lost,
    ordered,
    quoting,
    with_diagnostics,
)
from endoxa.runs.asking.outcomes import AnswerCounts
from endoxa.schema.headline import Headline
from endoxa.testing.sentences import check_finding

TIES = Diagnostic("ties", "a: 0 ties in 12 pairs.", False, 12, "a", value=0.0)
SMALL = Diagnostic("length", "a: difference 11.0 points.", True, 12, "a", value=0.11)
LARGE = Diagnostic("length", "b: difference −42.0 points.", True, 12, "b", value=-0.42)
TABLE = Headline("Pairs", ("model",), (("a",),), ({"model": "a"},), notes=("Cannot be tested.",))


def test_what_concerns_the_number_stands_first_the_largest_before_the_others():
    assert ordered([TIES, SMALL, LARGE]) == [LARGE, SMALL, TIES]
    section = quoting([TIES, SMALL, LARGE])
    assert [str(finding) for finding in section.findings] == [
        "Length. b: difference −42.0 points.",
        "Length. a: difference 11.0 points.",
    ]
    (table,) = section.tables
    assert table.folded
    assert table.summary == "Also looked at: ties"
    assert table.rows == (("ties", "a: 0 ties in 12 pairs.", "12"),)
    for finding in section.findings:
        check_finding(finding)


def test_the_terminal_has_the_most_important_line_and_scripts_all():
    made = with_diagnostics(TABLE, [TIES, SMALL, LARGE])
    assert made.notes == (
        "Cannot be tested.",
        "Before you quote this number: length. b: difference −42.0 points. 1 more in report.html.",
    )
    assert "Before you quote this number" in str(made)
    assert [row["concerning"] for row in made.diagnostics] == [True, True, False]
    assert made.diagnostics[0]["value"] == -0.42


@pytest.mark.parametrize(
    ("read", "cut_off", "concerning"), [(100, 0, False), (79, 0, True), (81, 0, False), (100, 6, True)]
)
def test_lost_answers_concern_the_number_above_the_shares_of_the_warnings(read, cut_off, concerning):
    counts = [AnswerCounts("m", context, 50, 50, read // 2, cut_off // 2, 0, 0, 0) for context in ("x", "y")]
    counts[0] = AnswerCounts("m", "x", 50, 50, read - read // 2, cut_off - cut_off // 2, 0, 0, 0)
    (found,) = answers_lost(counts, {"m": "a model"})
    assert found.concerning == concerning
    assert found.n == 100
    assert found.sentence.startswith(f"a model: {100 - read}.0\u00a0% of 100 answers were not read")
    check_finding(found.finding, ["a model"])
