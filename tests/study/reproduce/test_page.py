"""The page of a reproduction: the finding first, every cell with its verdict, associations blurred."""

from __future__ import annotations

import pytest

from endoxa.study.reproduce import (
    Cell,
    Need,
    Ours,
    PublishedResult,
    Tolerance,
    reproduce,
    rounding,
)
from endoxa.study.reproduce.catalogue import LeftOut
from support.html_pages import Page

SAID = "people <b>x</b>: lazy"
CELLS = [
    Cell("Table 1", "accuracy, A", 0.50, rounding(2)),
    Cell("Table 1", "accuracy, B", 0.62, rounding(2), "prompts are <not> printed"),
    Cell("Table 1", "accuracy, C", 0.7, rounding(2)),
    Cell("Table 2", SAID, 3, Tolerance(0.0, "a count")),
]
OURS = {
    CELLS[0].key: Ours(0.5),
    CELLS[1].key: Ours(0.7),
    CELLS[2].key: Ours(0.7, "computed with sim/biased, not with the published model C", comparable=False),
}


class Planted(PublishedResult):
    """A result with the cells above."""

    def cells(self, inputs):
        return CELLS

    def compute(self, inputs):
        return OURS


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a reproduction of the cells above."""
    folder = tmp_path_factory.mktemp("page")
    result = Planted(
        name="planted",
        title="A planted table",
        citation="Nobody 2026, table 1",
        needs=(Need("nothing", "nothing", "here"),),
        notes=("Read with `--care`.",),
        left_out=(LeftOut(numbers="table 3, standard deviations", cells=4, why="of <unknown> samples"),),
        veiled=("Table 2",),
    )
    reproduce(result, None, folder / "out", command=["endoxa", "reproduce", "planted"])
    return Page((folder / "out" / "report.html").read_text(encoding="utf-8"))


def test_associations_are_blurred_and_simulated_models_are_said_to_be(page):
    assert SAID in page.sentences
    assert SAID not in page.text
    assert "sim/ are simulated respondents" in page.text
