"""The page of association tests: complete, its words blurred, its directions right, broken tables refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import write_tests
from endoxa.instruments.association_tests.report.findings import sign_changes
from endoxa.instruments.reports import write_report
from endoxa.schema import AssociationTest, TermSet
from support.html_pages import Page, assert_complete
from support.report_samples import pairs, scored
from support.report_samples import run_folder as pairs_folder
from support.report_test_samples import completed, estimates, run_folder, undefined

HOSTILE = "<script>alert(1)</script>"


def one(**values: object) -> pl.DataFrame:
    row = {"test": "t", "model": "hf/m", "x": "bakers", "y": "sailors", "a": "calm", "b": "loud"}
    return completed(pl.DataFrame([{**row, "value": 0.5, **values}]))


@pytest.mark.slow
def test_the_page_is_complete_and_its_words_are_blurred_and_in_no_figure(tmp_path: Path) -> None:
    frame = undefined(estimates(("hf/a/one", "hf/two"), ("cls", "mean"), ("en", "hi")), 1, "no spread")
    folder = run_folder(tmp_path / "run", frame.filter(~pl.col("a").str.contains("करियर")))
    hidden = TermSet("hindu male", ("Kept words are here.", "Other words are here."), ("kept-a", HOSTILE))
    other = TermSet("muslim male", ("Third.", "Fourth."), ("kept-c", "kept-d"))
    write_tests([AssociationTest("t", hidden, other, other, hidden, language="en")], folder / "tests.json")
    page = Page(write_report([folder], tmp_path / "report.html").read_text(encoding="utf-8"))
    assert_complete(page)
    assert {f"kept-a, {HOSTILE}", "kept-c, kept-d"} <= set(page.sentences)
    assert "kept-a" not in page.text
    assert "are here" not in page.text
    for path in (tmp_path / "report_figures").glob("*.svg"):
        assert "kept" not in path.read_text(encoding="utf-8")


@given(st.lists(st.floats(-2, 2).map(lambda d: round(d, 3)), min_size=1, max_size=12))
@settings(max_examples=40)
def test_sign_changes_do_not_depend_on_which_pooling_comes_first(values: list[float]) -> None:
    """Every second test has the other sign under the other pooling; what is above 1 is claimed."""
    rows = [
        {"label": "m", "language": "", "pooling": pooling, "test": str(k)}
        | {"value": value if k % 2 else sign * value, "verdict": "above" if value > 1 else "unclear"}
        for pooling, sign in (("cls", 1), ("mean", -1))
        for k, value in enumerate(values)
    ]
    changed = sum(abs(value) > 0.0005 and k % 2 == 0 for k, value in enumerate(values))
    for order in (rows, rows[::-1]):
        (row,) = sign_changes(pl.DataFrame(order))
        assert (row["changed"], row["tests"]) == (changed, len(values))
        assert row["differ"] == sum(value > 1 for value in values)


def another(**values: object):
    """The table twice, the second time of another test with these values."""
    changed = {name: pl.lit(value) for name, value in {"test": "u", **values}.items()}
    return lambda frame: pl.concat([frame, frame.with_columns(**changed)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop("p_value"), "no column 'p_value'"),
        (lambda f: f.head(0), "no rows"),
        (lambda f: f.with_columns(value=pl.lit("big")), "holds text in place of a number"),
        (another(test="t"), "stands more than once"),
        (another(confidence=0.9), r"a different confidence \(0.9 and 0.95\)"),
        (another(alternative="two-sided"), r"a different alternative \(greater and two-sided\)"),
    ],
)
def test_broken_tables_are_refused(change, message: str, tmp_path: Path) -> None:
    change(one()).write_csv(tmp_path / "t.csv")
    with pytest.raises(UserError, match=message):
        write_report([tmp_path / "t.csv"], tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_kinds_and_levels_are_not_mixed(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", one())
    with pytest.raises(UserError, match=r"have confidence 0\.95, not 0\.9"):
        write_report([run], tmp_path / "r.html", confidence=0.9)
    other = pairs_folder(tmp_path / "pairs", scored(pairs(6), "hf/a", "sum", 0.5))
    with pytest.raises(UserError, match="write one report for each"):
        write_report([run, other], tmp_path / "r.html")
