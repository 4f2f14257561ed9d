"""The report of association tests: what the page says follows from the table, and no more than that."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import write_tests
from endoxa.instruments.association_tests.report.figures import closer, maps
from endoxa.instruments.association_tests.report.findings import findings, sign_changes, spoken
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.instruments.association_tests.report.tables import all_tests, effect_sizes
from endoxa.instruments.reports import write_report
from endoxa.report.document import Section
from endoxa.report.draw import drawing
from endoxa.report.inputs import Run
from endoxa.schema import AssociationTest, TermSet
from support.html_pages import Page, assert_complete
from support.report_samples import pairs, scored
from support.report_samples import run_folder as pairs_folder
from support.report_test_samples import completed, estimates, run_folder, undefined

REASON = "all targets have the same association"
HOSTILE = "<script>alert(1)</script>"
SMALL = {
    "verdict": "cannot-be-tested",
    "reason": "2 against 2 texts, with a least possible two-sided p-value of 0.33; 4 against 4 would be enough",
}


def table(tmp_path: Path, frame: pl.DataFrame) -> Associations:
    frame.write_csv(tmp_path / "tests.csv")
    return read_associations([Run(tmp_path / "tests.csv", {})])


def text_of(section: Section) -> str:
    return " ".join(finding.text for finding in section.findings)


def one(**values: object) -> pl.DataFrame:
    row = {"test": "t", "model": "hf/m", "x": "bakers", "y": "sailors", "a": "calm", "b": "loud"}
    return completed(pl.DataFrame([{**row, "value": 0.5, **values}]))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    frame = undefined(estimates(("hf/a/one", "hf/two"), ("cls", "mean"), ("en", "hi")), 1, REASON)
    frame = frame.filter((pl.col("language") == "en") | ~pl.col("a").str.contains("करियर"))
    folder = run_folder(
        tmp_path_factory.mktemp("runs") / "r",
        frame,
        notice="The encoders were made for this test.",
        left_out=["cls is left out for hf/two."],
        models=[{"name": "hf/a/one", "layer": 2, "unknown_tokens": {"en": 0.0, "hi": 0.61}}],
    )
    hidden = TermSet("hindu male", ("Kept words are here.", "Other words are here."), ("kept-a", HOSTILE))
    other = TermSet("muslim male", ("Third.", "Fourth."), ("kept-c", "kept-d"))
    write_tests([AssociationTest("t", hidden, other, other, hidden, language="en")], folder / "tests.json")
    return folder


@pytest.fixture(scope="module")
def output(run: Path) -> Path:
    return write_report([run], run.parent / "page" / "report.html")


@pytest.fixture(scope="module")
def page(output: Path) -> Page:
    return Page(output.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_page_is_complete_and_its_words_are_blurred_and_in_no_figure(page: Page, output: Path) -> None:
    assert_complete(page)
    assert {f"kept-a, {HOSTILE}", "kept-c, kept-d"} <= set(page.sentences)
    assert "kept-a" not in page.text
    assert "are here" not in page.text
    for path in (output.parent / "report_figures").glob("*.svg"):
        assert "kept" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_limits_counts_and_what_was_left_out_are_said(page: Page, run: Path) -> None:
    verdicts = pl.read_csv(run / "estimates.csv", infer_schema_length=None)["verdict"].to_list()
    for words in (
        "A distance between sets, not a behaviour.",
        "a test that cannot be made says nothing at all",
        "These tests set names of groups beside words",
        "The encoders were made for this test.",
        "cls is left out for hf/two.",
        "one: 61.0\u00a0% of the tokens of its Hindi texts are unknown to it.".replace("\u00a0", " "),
        "endoxa probe embeddings --data tests.json --out 'a folder'",
        "72 results: 18 tests in 2 models under 2 poolings. After adjustment over all tests the two groups",
        *([f"differ in {verdicts.count('above')}"] * ("above" in verdicts)),
        f"are not distinguishable in {verdicts.count('unclear')} and cannot be tested in 1.",
    ):
        assert words in page.text.replace("\u00a0", " "), words
    rows = page.table("All tests")
    assert len(rows) == 72
    assert {row["effect size"] for row in rows if row["undefined"] == REASON} == {"undefined"}


@pytest.mark.slow
def test_figures_are_in_the_page_and_beside_it(page: Page, output: Path) -> None:
    folder = output.parent / "report_figures"
    stems = {path.stem for path in folder.glob("*.svg")}
    drawn = [tag for tag, own in page.elements if tag == "svg" or own.get("class", "").startswith("plot")]
    assert stems == {"strongest", "closer"}
    assert len(drawn) == 2
    for stem in stems:
        text = (folder / f"{stem}.svg").read_text(encoding="utf-8")
        assert [c.tag.rpartition("}")[2] for c in ElementTree.fromstring(text)][:2] == ["title", "desc"]
        assert (folder / f"{stem}.png").exists() != ("मुस्लिम" in text)
    strongest = (folder / "strongest.svg").read_text(encoding="utf-8")
    assert all(word in strongest for word in ("hindu", "female", "one · cls", "two · mean", "career (+)"))


def test_a_run_given_twice_is_one_and_no_old_png_stays_beside_a_figure_without_one(tmp_path: Path) -> None:
    small = run_folder(tmp_path / "run", estimates(languages=("hi",)).head(1))
    folder = tmp_path / "b_figures"
    folder.mkdir()
    (folder / "strongest-x.png").write_bytes(b"old")
    first = write_report([small], tmp_path / "a.html").read_bytes()
    assert write_report([small, small], tmp_path / "b.html").read_bytes() == first
    assert {path.suffix for path in folder.iterdir()} == {".svg", ".csv"}


# ------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (0.5, "bakers lies nearer to calm (rather than loud) than sailors does"),
        (-0.5, "bakers lies nearer to loud (rather than calm) than sailors does"),
        (0.0, "no difference between bakers and sailors"),
        (-0.0004, "no difference between bakers and sailors"),
    ],
)
def test_directions_are_said_in_the_names_of_the_sets(effect: float, words: str) -> None:
    assert spoken({"x": "bakers", "y": "sailors", "a": "calm", "b": "loud", "value": effect}) == words


def test_planted_effects_are_told_from_chance(tmp_path: Path) -> None:
    strong = one(test="s", value=1.5, p_value=0.0001)
    weak = one(test="w", value=-1.7, p_value=0.99)
    both = findings(table(tmp_path, pl.concat([weak, strong])))
    assert "in 1 of 2 tests the groups differ" in text_of(both)
    nearer = "bakers lies nearer to calm (rather than loud) than sailors does (effect size +1.500"
    assert nearer in text_of(both)
    assert "1 effect size has the sign against the direction" in text_of(both)
    assert both.number == "1 of 2"
    alone = findings(table(tmp_path, strong))
    assert (alone.number, "Without a difference: 0." in alone.meaning) == ("+1.500", True)


def test_a_two_sided_test_has_no_wrong_direction(tmp_path: Path) -> None:
    method = "two-sided permutation test, effect size with ddof 0 (WEFE); seed 3"
    results = table(tmp_path, one(value=-1.0, alternative="two-sided", method=method))
    said = findings(results)
    assert "against the direction" not in text_of(said)
    assert "ddof 0 (WEFE)" in said.notes[1]
    assert "two-sided" in said.notes[1]
    assert all_tests(results).notes == (f"How the numbers were made: {method}.",)


def test_sets_too_small_and_undefined_tests_are_named(tmp_path: Path) -> None:
    small = findings(table(tmp_path, one(**SMALL)))
    assert f"1 result cannot be tested: {SMALL['reason'].partition(';')[0]}" in text_of(small)
    assert not small.number
    assert "cannot" not in text_of(findings(table(tmp_path, one(n_partitions="2" * 40))))
    results = table(tmp_path, undefined(one(), 0, REASON))
    said = findings(results)
    assert "1 result cannot be tested: the effect size is undefined." in text_of(said)
    assert str(effect_sizes(results).tables[0].rows[0][2]) == "undefined"
    assert not said.figures
    assert all_tests(results).tables[0].rows[0][-1] == REASON


# ------------------------------------------------------------------- figures


@pytest.mark.slow
def test_the_first_figure_has_a_row_for_every_test_and_a_dot_for_every_encoder(tmp_path: Path) -> None:
    results = table(tmp_path, estimates(("hf/one", "hf/two"), ("cls", "mean")))
    (figure,) = findings(results).figures
    assert maps(results) is None, "nothing is drawn twice"
    assert len(figure.plot.rows) == 12
    assert {len(row.dots) for row in figure.plot.rows} == {4}
    filled = sum(dot.filled is True for row in figure.plot.rows for dot in row.dots)
    assert filled == results.estimates["verdict"].is_in(["above", "below"]).sum()
    largest = results.estimates.with_columns(mean=pl.col("value").mean().over("test"))
    largest = largest.filter(pl.col("mean") == pl.col("mean").max())
    assert figure.rows["value"].to_list()[:4] == largest["value"].to_list()
    # Of one test there is a row for every encoder.
    frame = pl.concat([one(model=f"hf/m{k}", value=k / 10) for k in range(6)])
    (figure,) = findings(table(tmp_path, frame)).figures
    assert [row.label for row in figure.plot.rows] == [f"m{k}" for k in range(5, -1, -1)]
    assert figure.plot.rows[0].value == "+0.50"


@pytest.mark.slow
def test_tests_that_share_their_sets_are_told_apart_in_figures(tmp_path: Path) -> None:
    twice = pl.concat([estimates(), estimates().with_columns(pl.col("test") + " other sentences")])
    (figure,) = findings(table(tmp_path, twice)).figures
    assert len({row.label for row in figure.plot.rows}) == len(figure.plot.rows) == 24


@pytest.mark.slow
def test_of_many_tests_the_largest_are_drawn_and_all_are_there_to_choose(tmp_path: Path) -> None:
    many = pl.concat([one(test=f"t{k}", x=f"a rather long name {k}", value=k / 100) for k in range(40)])
    results = table(tmp_path, many)
    (figure,) = findings(results).figures
    assert figure.title == "The 24 largest of 40 tests"
    assert [row.value for row in figure.plot.rows] == [f"+{k / 100:.2f}" for k in range(39, 15, -1)]
    assert figure.rows["label"][0] == "a rather long name 39 vs sailors\ncalm (+) / loud (−)"
    assert drawing(figure).svg.count("a rather long name") >= 24
    assert closer(results).figures[0].rows.height == 40


@pytest.mark.slow
def test_maps_of_many_encoders_have_a_colour_only_where_something_is_claimed(tmp_path: Path) -> None:
    rows = [
        one(test=test, x=test, model=f"hf/m{k}", value=effect, p_value=0.0001 if k == 5 else 0.5)
        for test, effect in (("t", 1.5), ("u", -0.3))
        for k in range(6)
    ]
    results = table(tmp_path, pl.concat(rows))
    (figure,) = maps(results).figures
    cells = [cell for grid in figure.plot.grids for _, row in grid.rows for cell in row if cell]
    assert len(cells) == results.estimates.height
    claimed = results.estimates["verdict"].is_in(["above", "below"]).sum()
    assert sum(bool(cell.side) for cell in cells) == claimed > 0
    assert sum(cell.text.endswith("*") for cell in cells) == claimed


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


# ------------------------------------------------------------------- what is refused


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
