"""Associations in stories: the two steps against the reference, exact sums, planted truth and nothing planted."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
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
from endoxa.instruments.stories.associations import Discovery, discover, nothing_known
from endoxa.instruments.stories.associations.cells import (
    Cells,
    category,
    chi_square,
    cramer_v,
    lift_interval,
    log_p_greater,
)
from endoxa.instruments.stories.associations.fisher import (
    Sampled,
    binomial_bounds,
    decide,
    rejected,
    stream,
)
from endoxa.runs import executors
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.stereotales import profiles as reading
from endoxa.sources.stereotales.profiles import Profiles, decode, read_profiles
from support.story_samples import stories

QUICK = Discovery(draws=20_000, jobs=1)


def profiles(tmp_path: Path, frame: pl.DataFrame) -> Profiles:
    path = tmp_path / "stories.parquet"
    frame.write_parquet(path)
    return read_profiles(path)


# ------------------------------------------------------------------ the reference


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


# ------------------------------------------------------------------ cells


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


# ------------------------------------------------------------------ tables


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
        (0.5, (2, 2), "large"),
        (0.25, (5, 5), "large"),
        (0.249, (5, 5), "medium"),
        (0.05, (5, 5), "small"),
    ],
)
def test_categories_depend_on_the_shape(v: float, shape: tuple[int, int], name: str) -> None:
    assert category(v, shape) == name


def slow_p(counts: np.ndarray) -> Fraction:
    """Fisher's exact p of a small table, by listing every table with its margins."""
    rows, columns = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    weight = {}
    for first in product(*(range(min(rows[0], c) + 1) for c in columns)):
        if sum(first) != rows[0]:
            continue
        left = [c - x for c, x in zip(columns, first, strict=True)]
        if len(rows) == 2:
            weight[first, tuple(left)] = math.prod(map(math.comb, columns, first))
            continue
        for second in product(*(range(min(rows[1], c) + 1) for c in left)):
            if sum(second) == rows[1]:
                ways = math.prod(map(math.comb, columns, first)) * math.prod(map(math.comb, left, second))
                weight[first, second, tuple(c - x for c, x in zip(left, second, strict=True))] = ways
    observed = weight[tuple(tuple(row) for row in counts.tolist())]
    return Fraction(sum(w for w in weight.values() if w <= observed), sum(weight.values()))


@pytest.mark.parametrize(
    "counts", [[[3, 1], [1, 4]], [[4, 1, 0], [1, 3, 3]], [[3, 0, 1], [1, 2, 1], [0, 1, 3]]]
)
def test_sampled_p_values_are_those_of_all_tables(counts: list[list[int]]) -> None:
    test = Sampled(np.array(counts), stream(1, "x"))
    test.draw(40_000)
    truth = float(slow_p(np.array(counts)))
    assert abs(test.p_value - truth) < 5 * math.sqrt(truth * (1 - truth) / 40_000)


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
    """400 families of 2 x 2 tables, half of them with an effect: decided as with exact p-values, with few draws."""
    generator = np.random.default_rng(3)
    wrong = uncertain = 0
    draws = []
    for number in range(400):
        tables = []
        for _ in range(6):
            shift = generator.choice([0.0, 0.35])
            tables.append(
                np.array(
                    [
                        generator.multinomial(40, [0.3 + shift, 0.7 - shift]),
                        generator.multinomial(40, [0.3, 0.7]),
                    ]
                )
            )
        tables = [t for t in tables if (t.sum(axis=0) > 0).all()]
        tests = [Sampled(t, stream(number, k)) for k, t in enumerate(tables)]
        ours = decide(tests, Discovery(draws=20_000))
        exact = rejected(np.array([scipy.stats.fisher_exact(t).pvalue for t in tables]), 0.05)
        wrong += int((ours.significant != exact)[ours.certain].sum())
        uncertain += int((~ours.certain).sum())
        draws += [test.draws for test in tests]
    assert wrong <= 2
    assert uncertain < 0.05 * len(draws)
    assert np.mean(draws) < 5000


def test_all_draws_are_made_without_early_stopping(tmp_path: Path) -> None:
    found = discover(profiles(tmp_path, stories(20)), Discovery(draws=1500, early_stop=False, jobs=1))
    assert set(found.tables.filter(status="tested")["n_resamples"]) == {1500}


@pytest.mark.slow
def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = profiles(tmp_path, stories(25, models=("m/one", "m/two")))
    one = discover(data, QUICK)
    monkeypatch.setattr(executors, "ALONE", 0.0)
    two = discover(data, Discovery(draws=20_000, jobs=2))
    assert one.tables.equals(two.tables)
    assert one.associations.equals(two.associations)


# ------------------------------------------------------------------ planted and not planted


def test_what_was_planted_is_found_and_nothing_else(tmp_path: Path) -> None:
    effects = {("harbour", "tea", "mint"): 4.0, ("dog", "season", "spring"): 3.0}
    found = discover(profiles(tmp_path, stories(150, planted=effects)), QUICK)
    pairs = set(found.associations.select("base_value", "compared_attribute", "compared_value").iter_rows())
    assert {("harbour", "tea", "mint"), ("dog", "season", "spring")} <= pairs
    bases = set(found.associations["base_attribute"])
    assert bases <= {"town", "pet"}
    assert found.tables.columns == list(ASSOCIATION_TEST_COLUMNS)
    assert found.associations.columns == list(DISCOVERED_COLUMNS)


@pytest.mark.slow
def test_an_association_of_one_language_is_found_there(tmp_path: Path) -> None:
    data = stories(150, languages=("en", "hi"), planted={("hill", "pet", "cat"): 4.0}, only="hi")
    found = discover(profiles(tmp_path, data), Discovery(by_language=True, draws=20_000, jobs=1))
    cats = found.associations.filter(base_value="hill", compared_value="cat")
    assert cats["aggregation"].to_list() == ["hi"]


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    families = kept = 0
    for seed in range(40):
        found = discover(profiles(tmp_path, stories(60, seed=seed)), Discovery(draws=5000, jobs=1)).tables
        tested = found.filter(status="tested").group_by("base_attribute").agg(pl.col("significant").max())
        families, kept = families + len(tested), kept + int(tested["significant"].sum())
    assert families == 160
    # 160 families, at most 5 % with a false discovery: more than 18 would be a chance of one in a thousand.
    assert kept <= 18


@pytest.mark.parametrize(
    ("row", "values", "here", "elsewhere", "least"),
    [(60, 5, 0.4, 0.15, 0.93), (30, 3, 0.98, 0.3, 0.92), (10, 5, 0.2, 0.1, 0.9), (20, 5, 0.1, 0.04, 0.86)],
)
def test_intervals_of_lifts_hold_the_truth(
    row: int, values: int, here: float, elsewhere: float, least: float
) -> None:
    generator = np.random.default_rng(0)
    rest = row * (values - 1)
    truth = here / (here / values + elsewhere * (values - 1) / values)
    a, b = generator.binomial(row, here, 4000), generator.binomial(rest, elsewhere, 4000)
    a, b = a[a > 0], b[a > 0]
    cells = Cells(a, np.full(len(a), row), a + b, np.full(len(a), row + rest))
    low, high = lift_interval(cells, 0.95)
    assert least < np.mean((low <= truth) & (truth <= high)) < 0.97
    assert (high <= values).all()


# ------------------------------------------------------------------ reading


def test_a_bad_cell_costs_its_row_only(tmp_path: Path) -> None:
    frame = stories(12)
    cells = frame["extracted_attributes_json"].to_list()
    bad = [None, "", "{}", cells[3][:20], "[1, 2]", '{"town": }', "nothing", '{"town": "hill", "pet": }']
    frame = frame.with_columns(pl.Series("extracted_attributes_json", [*bad, *cells[len(bad) :]]))
    for name in ("stories.parquet", "stories.csv", "stories.jsonl"):
        path = tmp_path / name
        {".parquet": frame.write_parquet, ".csv": frame.write_csv, ".jsonl": frame.write_ndjson}[path.suffix](
            path
        )
        read = read_profiles(path)
        assert (read.rows, read.unusable, len(read)) == (len(frame), len(bad), len(frame) - len(bad))


def test_values_that_are_no_text_are_kept_as_text(tmp_path: Path) -> None:
    frame = stories(12)
    cells = [json.dumps({**json.loads(text), "tea": 3}) for text in frame["extracted_attributes_json"]]
    read = profiles(tmp_path, frame.with_columns(pl.Series("extracted_attributes_json", cells)))
    assert (read.unusable, read.not_text) == (0, len(cells))
    assert read.values[read.attributes.index("tea")][0] in {"3", "green"}


def test_refusals_and_unknowns_are_counted(tmp_path: Path) -> None:
    frame = stories(10, unknown=0.0)
    blank = json.dumps(dict.fromkeys(("town", "pet", "tea", "season"), "unknown"))
    cells = [blank if k < 7 else text for k, text in enumerate(frame["extracted_attributes_json"])]
    seen = nothing_known(
        profiles(tmp_path, frame.with_columns(pl.Series("extracted_attributes_json", cells)))
    )
    assert seen["nothing_known"].to_list() == [7]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.drop("language"), "no column 'language'"),
        (
            lambda f: f.with_columns(extracted_attributes_json=pl.lit("{}")),
            "none of 33 rows has a valid profile",
        ),
        (
            lambda f: f.with_columns(target_attribute=pl.lit(None, dtype=pl.String)),
            "row 1: the column 'target_attribute' is empty",
        ),
        (
            lambda f: f.with_columns(
                generator_model=pl.when(pl.arange(0, len(f)) != 7).then("generator_model")
            ),
            "row 8: the column 'generator_model' is empty",
        ),
        (lambda f: f.with_columns(language=pl.lit("  ")), "row 1: the column 'language' is empty"),
        (lambda f: f.with_columns(sample_id=pl.lit("")), "row 1: the column 'sample_id' is empty"),
        (
            lambda f: f.with_columns(pl.concat_list("extracted_attributes_json")),
            "values of the type List",
        ),
    ],
)
def test_files_that_cannot_be_used_are_one_sentence(tmp_path: Path, change, said: str) -> None:
    with pytest.raises(UserError, match=said):
        profiles(tmp_path, change(stories(3)))


def test_the_prompts_spellings_are_the_extractors(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        [
            {
                "sample_id": "1",
                "generator_model": "m",
                "language": "en",
                "target_attribute": "professional_field",
                "target_attribute_value": "trades and manual labor (e.g. construction, manufacturing)",
                "extracted_attributes_json": '{"professional_field": "unknown", "age": "senior (65+)"}',
            }
        ]
    )
    read = profiles(tmp_path, frame)
    assert read.attributes[read.base[0]] == "professional_field"
    assert read.values[read.base[0]][read.base_value[0]] == "trades and manual labor"


@pytest.mark.parametrize("first", [None, '{"town": "hill"}'])
def test_attributes_that_come_late_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str | None
) -> None:
    """As if the file had been read at once, although its first chunks hold no profile or one attribute only."""
    frame = stories(20)
    monkeypatch.setattr(reading, "CHUNK", 50)
    cells = [first] * 120 + frame["extracted_attributes_json"].to_list()[120:]
    read = profiles(tmp_path, frame.with_columns(pl.Series("extracted_attributes_json", cells)))
    assert read.attributes == ("pet", "season", "tea", "town")
    assert len(read) == len(frame) - (120 if first is None else 0)
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


def test_profiles_may_be_structs(tmp_path: Path) -> None:
    frame = stories(12)
    kind = pl.Struct(dict.fromkeys(("town", "pet", "tea", "season"), pl.String))
    one = profiles(tmp_path, frame)
    two = profiles(tmp_path, frame.with_columns(pl.col("extracted_attributes_json").str.json_decode(kind)))
    assert np.array_equal(one.codes, two.codes)


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    frame = stories(25, models=("m/one", "m/two"), planted={("harbour", "tea", "mint"): 4.0})
    one = discover(profiles(tmp_path, frame), QUICK)
    two = discover(profiles(tmp_path, frame.sample(fraction=1, shuffle=True, seed=4)), QUICK)
    assert one.tables.equals(two.tables)
    assert one.associations.equals(two.associations)


def test_stories_that_come_twice_are_counted(tmp_path: Path) -> None:
    frame = stories(12)
    twice = pl.concat([frame, frame.head(5)])
    assert profiles(tmp_path, frame).duplicates == 0
    assert profiles(tmp_path, twice).duplicates == 5
    repeats = pl.Series("repeat", [1] * len(frame) + [2] * 5)
    assert profiles(tmp_path, twice.with_columns(repeats)).duplicates == 0


@pytest.mark.slow
def test_attributes_may_have_more_values_than_16_bits_count(tmp_path: Path) -> None:
    frame = stories(4000)
    cells = [json.dumps({"town": "hill", "pet": f"pet {k}"}) for k in range(len(frame))]
    read = profiles(tmp_path, frame.with_columns(pl.Series("extracted_attributes_json", cells)))
    place = read.attributes.index("pet")
    assert [read.values[place][code] for code in read.codes[:, place]] == [
        json.loads(c)["pet"] for c in cells
    ]


# ------------------------------------------------------------------ the command


def command(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["analyze", "associations", *map(str, words)])
    return done.exit_code, " ".join((done.output + str(done.exception or "")).split())


def test_the_command_says_what_it_counted(tmp_path: Path) -> None:
    frame = stories(15)
    cells = [
        None,
        json.dumps({"tea": "unknown"}),
        json.dumps({"tea": 3}),
        *frame["extracted_attributes_json"][3:],
    ]
    frame = frame.with_columns(pl.Series("extracted_attributes_json", cells))
    pl.concat([frame, frame.tail(1)]).write_parquet(tmp_path / "stories.parquet")
    code, said = command(tmp_path / "stories.parquet", "-o", tmp_path / "a.csv", "--jobs", 1)
    assert code == 0
    assert "1 without a usable profile; no attribute could be read in 1 other" in said
    assert "Warning: 1 story with the same prompt, model, language and repeat as another" in said
    assert "1 value not text in the JSON" in said
