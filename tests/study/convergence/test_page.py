"""The sections: every sentence holds against its rows, and words of associations are blurred."""

from __future__ import annotations

import re

import polars as pl
import pytest

from endoxa.report.frame import Page, write_page
from endoxa.study.convergence.estimates import ends
from endoxa.study.convergence.page import sections
from endoxa.study.convergence.run import converge_parts
from endoxa.testing.sentences import check_findings
from support.convergence_samples import attributes, planted_parts

HOSTILE = "<script>alert(1)</script>"
LABELS = ("model-a", "model-b")


def one_part_less(parts: pl.DataFrame) -> pl.DataFrame:
    return parts.filter((pl.col("instrument") != "tests") | (pl.col("part") == "t0"))


def turned(parts: pl.DataFrame) -> pl.DataFrame:
    sign = pl.when(pl.col("instrument") == "tests").then(-1).otherwise(1)
    return parts.with_columns(pl.col("value") * sign)


WORLDS = {
    "usual": planted_parts(),
    "nothing": planted_parts(3, correlation=0.0),
    "opposed": turned(planted_parts(correlation=0.9)),
    "two models": pl.concat([planted_parts(), one_part_less(planted_parts(2, model="openai/model-b"))]),
    "one part": one_part_less(planted_parts()),
    "one instrument": planted_parts(tools={"pairs": 0.7}),
    "one identity": planted_parts(identities=1, each=60),
    "uncertain": planted_parts(5, identities=7, each=3, tools={"pairs": 0.3, "tests": 0.3}),
    "constant": planted_parts().with_columns(
        value=pl.when(pl.col("instrument") == "pairs").then(1.0).otherwise(pl.col("value"))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shared"), [*((name, True) for name in WORLDS), ("usual", False)])
def test_every_sentence_is_true_of_its_rows(name, shared):
    parts = WORLDS[name]
    found = converge_parts(parts, attributes(parts) if shared else {})
    made = sections(found)
    check_findings(made, LABELS)
    assert made[-1].anchor == "convergence-methods"
    anchors = {section.anchor for section in made}
    assert ("convergence" in anchors) == (name != "one instrument")
    assert (made[0].anchor == "associations") == (name not in {"one instrument"})


@pytest.mark.slow
def test_the_page_escapes_words_of_associations(tmp_path):
    parts = planted_parts(correlation=0.9).with_columns(identity=pl.col("identity") + HOSTILE)
    words = {name: f"{text} {HOSTILE}" for name, text in attributes(parts).items()}
    traits = {name: f"{text < 'attribute 2'} {HOSTILE}" for name, text in words.items()}
    made = sections(converge_parts(parts, words, traits=traits))
    write_page(Page("endoxa.study", "Convergence", "", tuple(made), (), ()), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert HOSTILE not in page
    figures = list(tmp_path.glob("**/*.svg"))
    assert figures
    assert not any(re.search(r"attribute \d", path.read_text(encoding="utf-8")) for path in figures)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "text"),
    [
        (0.31, 0.88, "", "0.31 to 0.88"),
        (0.001, 0.5, "above", "just above 0.00 to 0.50"),
        (-0.5, -0.001, "below", "−0.50 to just below 0.00"),
        (0.2, float("inf"), "above", "0.20 or more"),
        (float("-inf"), 0.2, "unclear", "0.20 or less"),
        (float("-inf"), float("inf"), "unclear", "unbounded"),
        (None, None, "", "n/a"),
    ],
)
def test_intervals_in_words(low, high, verdict, text):
    assert ends(low, high, verdict) == text
