"""Associations in stories: the two steps against the reference, exact sums, planted truth and nothing planted."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.stories.associations import Discovery, discover, fisher, nothing_known
from endoxa.instruments.stories.associations.cells import Cells, category, chi_square, cramer_v, log_p_greater
from endoxa.instruments.stories.associations.fisher import Sampled, binomial_bounds, decide, rejected, stream
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.stereotales import profiles as reading
from endoxa.sources.stereotales.profiles import Profiles, decode, read_profiles
from support.story_samples import stories

QUICK = Discovery(draws=20_000, jobs=1)


def profiles(tmp_path: Path, frame: pl.DataFrame) -> Profiles:
    path = tmp_path / "stories.parquet"
    frame.write_parquet(path)
    return read_profiles(path)


@pytest.fixture(scope="module")
def reference(shared: Path):
    folder = shared / "data" / "stereotales"
    found = discover(read_profiles(folder / "stories.parquet"), Discovery(jobs=1))
    tables = pl.read_csv(folder / "expected_tables.csv")
    return found, tables, pl.read_csv(folder / "expected_associations.csv")


@pytest.mark.slow
def test_tables_are_those_of_the_reference(reference) -> None:
    found, tables, _ = reference
    keys = ["model", "aggregation", "base_attribute", "compared_attribute"]
    both = tables.join(found.tables, on=keys, suffix="_ours")
    assert len(both) == len(tables) == len(found.tables)
    for name in ("status", "rows", "columns", "n", "dof", "effect_category"):
        assert both[name].equals(both[f"{name}_ours"].alias(name), null_equal=True), name
    tested_ones = both.filter(status="tested")
    for name in ("chi_square", "cramer_v"):
        np.testing.assert_allclose(tested_ones[f"{name}_ours"], tested_ones[name], rtol=1e-9, atol=1e-12)
    stable = tested_ones.filter(decision_stable=1)
    assert (stable["significant"] == stable["significant_ours"]).all()


@pytest.mark.slow
def test_associations_are_those_of_the_reference(reference) -> None:
    found, _, expected = reference
    keys = ["model", "aggregation", "base_attribute", "base_value", "compared_attribute", "compared_value"]
    expected = expected.rename({"lift": "value", "table_total": "n"})
    both = expected.join(found.associations, on=keys, how="full", suffix="_ours")
    assert len(both) == len(expected) == len(found.associations)
    for name in ("p_value", "p_adjusted", "cramer_v", "fraction", "value"):
        np.testing.assert_allclose(both[f"{name}_ours"], both[name], rtol=1e-9)
    for name in ("count", "row_total", "column_total", "n", "paper_rule", "effect_category"):
        assert (both[name] == both[f"{name}_ours"]).all(), name
    np.testing.assert_allclose(10 ** both["log10_p"].to_numpy(), both["p_value"], rtol=1e-9)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 120), st.data())
@settings(max_examples=60)
def test_cells_are_exact(row: int, column: int, rest: int, data: st.DataObject) -> None:
    total = row + column + rest
    count = data.draw(st.integers(max(0, row + column - total), min(row, column)))
    exact = sum(
        (
            Fraction(math.comb(column, x) * math.comb(total - column, row - x))
            for x in range(count, min(row, column) + 1)
        ),
        Fraction(0),
    ) / math.comb(total, row)
    ours = log_p_greater(_cells(count, row, column, total))[0]
    assert math.exp(ours) == pytest.approx(float(exact), rel=1e-10)


def test_tiny_p_values_do_not_underflow() -> None:
    """1,000 stories of 1,000 in one cell: one table in C(2000, 1000)."""
    ours = log_p_greater(_cells(1000, 1000, 1000, 2000))[0]
    assert ours == pytest.approx(-math.log(math.comb(2000, 1000)), rel=1e-13)


def _cells(*numbers: int) -> Cells:
    return Cells(*(np.array([number]) for number in numbers))


def test_strength_by_hand() -> None:
    """phi2 = 4/20 = 0.2; corrected 0.2 - 1/19; r' = k' = 2 - 1/19; V = sqrt(phi2c / (r' - 1))."""
    counts = np.array([[8, 2], [4, 6]])
    assert chi_square(counts) == pytest.approx(20 * (8 * 6 - 2 * 4) ** 2 / (10 * 10 * 12 * 8))
    phi2 = chi_square(counts) / 20 - 1 / 19
    assert cramer_v(counts) == pytest.approx(math.sqrt(phi2 / (1 - 1 / 19)))
    assert chi_square(counts) == pytest.approx(
        scipy.stats.chi2_contingency(counts, correction=False).statistic
    )


@pytest.mark.parametrize(
    ("v", "shape", "name"),
    [
        (0.09, (2, 5), "negligible"),
        (0.1, (2, 5), "small"),
        (0.3, (5, 2), "medium"),
        (0.25, (5, 5), "large"),
        (0.249, (5, 5), "medium"),
    ],
)
def test_categories_depend_on_the_shape(v: float, shape: tuple[int, int], name: str) -> None:
    assert category(v, shape) == name


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_rejections_are_benjamini_and_hochbergs(p_values: list[float]) -> None:
    ours = rejected(np.array(p_values), 0.05)
    theirs = scipy.stats.false_discovery_control(p_values)
    sure = np.abs(theirs - 0.05) > 1e-12
    assert (ours == (theirs < 0.05))[sure].all()


def test_an_adjusted_p_value_of_alpha_is_not_below_it() -> None:
    assert rejected(np.array([0.05, 0.05]), 0.05).tolist() == [False, False]


def test_bounds_are_clopper_and_pearsons() -> None:
    hits, draws = np.array([0, 3, 50, 200]), np.array([200, 200, 200, 200])
    low, high = binomial_bounds(hits, draws, 0.01)
    for k, (h, d) in enumerate(zip(hits.tolist(), draws.tolist(), strict=True)):
        interval = scipy.stats.binomtest(h, d).proportion_ci(0.99, method="exact")
        assert (low[k], high[k]) == pytest.approx((interval.low, interval.high))


@pytest.mark.slow
def test_early_decisions_are_those_of_exact_p_values() -> None:
    """60 families of 2 x 2 tables, half of them with an effect: decided as with exact p-values, with few draws."""
    generator = np.random.default_rng(3)
    wrong = uncertain = 0
    draws = []
    for number in range(60):
        tables = []
        for _ in range(6):
            shift = generator.choice([0.0, 0.35])
            shares = [0.3 + shift, 0.7 - shift], [0.3, 0.7]
            tables.append(np.array([generator.multinomial(40, share) for share in shares]))
        tables = [t for t in tables if (t.sum(axis=0) > 0).all()]
        tests = [Sampled(t, stream(number, k)) for k, t in enumerate(tables)]
        ours = decide(tests, Discovery(draws=20_000))
        exact = rejected(np.array([scipy.stats.fisher_exact(t).pvalue for t in tables]), 0.05)
        wrong += int((ours.significant != exact)[ours.certain].sum())
        uncertain += int((~ours.certain).sum())
        draws += [test.draws for test in tests]
    assert wrong <= 1
    assert uncertain < 0.05 * len(draws)
    assert np.mean(draws) < 5000


def elsewhere(task, pieces, jobs):
    """As other processes compute: pickled on the way there and back, and in another order."""
    assert jobs == 2
    sent = pickle.dumps(task), [pickle.dumps(piece) for piece in pieces]
    made = [pickle.dumps(pickle.loads(sent[0])(pickle.loads(piece))) for piece in reversed(sent[1])]
    return map(pickle.loads, reversed(made))


def test_processes_change_nothing_and_all_draws_are_made_without_early_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = profiles(tmp_path, stories(25, models=("m/one", "m/two")))
    alone = Discovery(draws=1500, early_stop=False, jobs=1)
    one = discover(data, alone)
    assert set(one.tables.filter(status="tested")["n_resamples"]) == {1500}
    monkeypatch.setattr(fisher, "computed", elsewhere)
    two = discover(data, replace(alone, jobs=2))
    assert one.tables.equals(two.tables)
    assert one.associations.equals(two.associations)


def test_what_was_planted_is_found_and_nothing_else(tmp_path: Path) -> None:
    effects = {("harbour", "tea", "mint"): 4.0, ("dog", "season", "spring"): 3.0}
    found = discover(profiles(tmp_path, stories(150, planted=effects)), QUICK)
    pairs = set(found.associations.select("base_value", "compared_attribute", "compared_value").iter_rows())
    assert {("harbour", "tea", "mint"), ("dog", "season", "spring")} <= pairs
    bases = set(found.associations["base_attribute"])
    assert bases <= {"town", "pet"}
    assert found.tables.columns == list(ASSOCIATION_TEST_COLUMNS)
    assert found.associations.columns == list(DISCOVERED_COLUMNS)


def with_cells(frame: pl.DataFrame, cells: list[str | None]) -> pl.DataFrame:
    """Stories with other profiles in their first rows."""
    rest = frame["extracted_attributes_json"].to_list()[len(cells) :]
    return frame.with_columns(pl.Series("extracted_attributes_json", [*cells, *rest]))


def test_a_bad_cell_costs_its_row_only(tmp_path: Path) -> None:
    bad = [None, "", "{}", '{"town": "hill"', "[1, 2]", '{"town": }', "nothing", '{"town": "hill", "pet": }']
    frame = with_cells(stories(12), bad)
    frame.write_parquet(tmp_path / "stories.parquet")
    frame.write_csv(tmp_path / "stories.csv")
    frame.write_ndjson(tmp_path / "stories.jsonl")
    for path in tmp_path.iterdir():
        read = read_profiles(path)
        assert (read.rows, read.unusable, len(read)) == (len(frame), len(bad), len(frame) - len(bad))
    with pytest.raises(UserError, match="values of the type List"):
        profiles(tmp_path, frame.with_columns(pl.concat_list("extracted_attributes_json")))


def test_what_was_read_of_stories_is_counted_and_the_command_says_it(tmp_path: Path) -> None:
    unknown = json.dumps(dict.fromkeys(("town", "pet", "tea", "season"), "unknown"))
    told = with_cells(stories(15, unknown=0.0), [None, unknown, unknown, json.dumps({"tea": 3})])
    read = profiles(tmp_path, pl.concat([told, told.tail(1)]))
    assert (read.unusable, read.not_text, read.duplicates) == (1, 1, 1)
    assert "3" in read.values[read.attributes.index("tea")]
    assert nothing_known(read)["nothing_known"].to_list() == [2]
    words = ["analyze", "associations", str(tmp_path / "stories.parquet"), "-o", str(tmp_path / "a.csv")]
    done = CliRunner().invoke(app, [*words, "--jobs", "1", "--draws", "200"])
    assert done.exit_code == 0
    said = " ".join(done.output.split())
    assert "1 without a usable profile; no attribute could be read in 2 others" in said
    assert "Warning: 1 story with the same prompt, model, language and repeat as another" in said
    assert "1 value not text in the JSON" in said
    repeats = pl.Series("repeat", [1] * len(told) + [2])
    assert profiles(tmp_path, pl.concat([told, told.tail(1)]).with_columns(repeats)).duplicates == 0


def test_attributes_that_come_late_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the file had been read at once, although its first chunks hold no profile or one attribute only."""
    frame = stories(20)
    monkeypatch.setattr(reading, "CHUNK", 50)
    frame = with_cells(frame, [None] * 60 + ['{"town": "hill"}'] * 60)
    cells = frame["extracted_attributes_json"].to_list()
    read = profiles(tmp_path, frame)
    assert read.attributes == ("pet", "season", "tea", "town")
    assert len(read) == len(frame) - 60
    for place, name in enumerate(read.attributes):
        told = [read.values[place][code] if code >= 0 else None for code in read.codes[:, place]]
        assert told == [json.loads(text).get(name) for text in cells if text]


KEYS = st.sampled_from(["a", "b", " a", "", "c:", 'q"', "\u00e9"])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.lists(st.integers(), max_size=2)
)


@pytest.mark.slow
@given(
    st.lists(st.one_of(st.dictionaries(KEYS, VALUES), st.just("[1]"), st.just("{")), min_size=1),
    st.booleans(),
)
def test_a_cell_means_the_same_whatever_stands_beside_it(cells: list, ascii_only: bool) -> None:
    texts = [c if isinstance(c, str) else f" {json.dumps(c, ensure_ascii=ascii_only)}\n" for c in cells]
    together = decode(pl.Series(texts, dtype=pl.String)).columns.to_dicts()
    for number, text in enumerate(texts):
        alone = decode(pl.Series([text])).columns.to_dicts() or [{}]
        here = together[number] if together else {}
        assert {k: v for k, v in alone[0].items() if v} == {k: v for k, v in here.items() if v}


def test_of_a_name_given_twice_the_last_value_counts() -> None:
    cells = ['{"a": "x", "a": "y"}', '{"a": "x"}', '{"a": " y ", "b": ""}', '{"a": "\\ud800"}', "{a}"]
    decoded = decode(pl.Series(cells))
    assert decoded.columns["a"].to_list() == ["y", "x", " y ", "\ufffd", None]
    assert decoded.columns["b"].to_list() == [None, None, "", None, None]


def test_neither_the_order_of_rows_nor_the_form_of_profiles_changes_anything(tmp_path: Path) -> None:
    frame = stories(25, models=("m/one", "m/two"), planted={("harbour", "tea", "mint"): 4.0})
    kind = pl.Struct(dict.fromkeys(("town", "pet", "tea", "season"), pl.String))
    first = discover(profiles(tmp_path, frame), QUICK)
    mixed = frame.sample(fraction=1, shuffle=True, seed=4)
    again = discover(
        profiles(tmp_path, mixed.with_columns(pl.col("extracted_attributes_json").str.json_decode(kind))),
        QUICK,
    )
    assert first.tables.equals(again.tables)
    assert first.associations.equals(again.associations)
