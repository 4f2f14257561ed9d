"""Prompts as units of the tests of associations, and tests within languages: against enumeration and planted truth."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
import scipy.stats

from benchmarks.worlds.story_sets import StorySets
from endoxa.instruments.stories.associations import Discovery, cells, discover
from endoxa.instruments.stories.associations.cells import (
    Cells,
    at_confidence,
    design_effects,
    log_p_greater,
    log_p_units,
)
from endoxa.instruments.stories.associations.fisher import (
    Distance,
    Exchanged,
    improbability,
    is_sparse,
    stream,
)
from endoxa.instruments.stories.associations.tables import (
    MOST_SIZES,
    Units,
    has_repeats,
    least_p,
    units_of_prompts,
    units_of_stories,
)

QUICK = Discovery(draws=1000, jobs=1)


def units(rows, columns, prompts, languages=None):
    """Units from lists with one entry a story."""
    shape = (max(rows) + 1, max(columns) + 1)
    spoken = np.zeros(len(rows), dtype=int) if languages is None else np.array(languages)
    return units_of_prompts(np.array(rows), np.array(columns), np.array(prompts), shape, spoken)


def prompted(sizes, values, rows):
    """Units of prompts with so many stories, their values one after the other, and the base value of each prompt."""
    prompt = np.repeat(np.arange(len(sizes)), sizes)
    return units(np.array(rows)[prompt].tolist(), list(values), prompt.tolist())


SMALL = [
    # stories of each prompt, values of the stories, base value of each prompt
    ([2] * 6, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 1, 1, 1]),
    ([1, 2, 2, 1, 2, 2], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]),
    ([3, 1, 2, 3, 1, 2, 2], [0, 0, 0, 1, 2, 0, 2, 2, 2, 0, 1, 1, 1, 2], [0, 0, 1, 1, 1, 2, 2]),
]


def arrangements(sizes, values, rows):
    """Tables of every exchange of base values among prompts with as many stories."""
    start = np.concatenate([[0], np.cumsum(sizes)])
    groups = [[k for k, size in enumerate(sizes) if size == wanted] for wanted in sorted(set(sizes))]
    tables = []
    for orders in product(*(set(permutations([rows[k] for k in group])) for group in groups)):
        table = np.zeros((max(rows) + 1, max(values) + 1), dtype=int)
        for group, order in zip(groups, orders, strict=True):
            for prompt, row in zip(group, order, strict=True):
                for value in values[start[prompt] : start[prompt + 1]]:
                    table[row, value] += 1
        tables.append(table)
    return np.array(tables)


def test_what_a_prompt_is() -> None:
    """Stories with a prompt each have no units, but in strata; one name with two base values is two prompts."""
    assert units([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 4]) is None
    assert units([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 4], [0, 0, 1, 1]) is not None
    assert not has_repeats(np.array([1, 2, 3]), np.array([1, 1, 1]))
    assert has_repeats(np.array([1, 2, 1]), np.array([1, 1, 1]))
    assert units([0, 0, 1, 1], [0, 1, 0, 1], [7, 7, 7, 7]).prompts == 2
    tables = discover(StorySets(sets=3).profiles(), QUICK).tables
    assert tables.select("unit", "method").unique().rows() == [("story", "fisher-sampled")]
    assert tables["prompts"].equals(tables["n"].alias("prompts"))
    assert tables["stratified_p_value"].null_count() == 3


def test_prompts_of_like_size_exchange_where_sizes_are_many() -> None:
    sizes = list(range(1, 31))
    found = prompted(sizes, [k % 2 for k in range(sum(sizes))], [k % 3 for k in range(30)])
    assert found.rows.shape[1] == MOST_SIZES
    assert found.rows.sum() == 30


def test_least_p_by_hand() -> None:
    """Three prompts against three: 20 arrangements, and exchanging the names of both changes nothing."""
    assert least_p(np.array([[3], [3]])) == pytest.approx(2 / 20)
    assert least_p(np.array([[3], [2]])) == pytest.approx(1 / 10)
    assert least_p(np.array([[1, 0], [0, 1]])) == 1


@pytest.mark.parametrize("example", SMALL)
def test_p_values_are_those_of_all_arrangements(example) -> None:
    """The drawn one of the table, the least possible one, and the exact ones of cells."""
    found = prompted(*example)
    tables = arrangements(*example)
    statistic = improbability(found)
    every = statistic(tables)
    truth = float(np.mean(every >= statistic(found.table[None])[0] - 1e-9))
    test = Exchanged(found, statistic, stream(1, "x"))
    test.draw(20_000)
    assert abs(test.p_value - truth) < 5 * math.sqrt(truth * (1 - truth) / 20_000) + 1e-3
    assert 1 / len(tables) <= found.least_p <= np.mean(every >= every.max() - 1e-9) + 1e-12
    cells_truth = (tables >= found.table).mean(axis=0)
    np.testing.assert_allclose(np.exp(log_p_units(found)).reshape(cells_truth.shape), cells_truth, rtol=1e-9)


@pytest.mark.parametrize("repeats", [1, 3])
def test_cells_of_prompts_that_are_all_alike_are_fishers(repeats) -> None:
    """One story of each prompt, or equal stories: prompts count once."""
    counts = np.array([[30, 5, 1], [12, 20, 6], [9, 11, 25]])
    alike = Units(counts, repeats * np.eye(3, dtype=int), np.zeros(3, dtype=int))
    np.testing.assert_allclose(log_p_units(alike), log_p_greater(Cells.of(counts)), rtol=1e-9, atol=1e-12)


def test_the_approximation_is_close_and_used_beyond_so_many_prompts(monkeypatch) -> None:
    rng, stories = np.random.default_rng(4), 1200
    prompt = np.repeat(np.arange(400), 3)
    row = prompt % 4
    value = np.where((row == 0) & (rng.random(stories) < 0.4), 0, rng.integers(0, 4, stories))
    kept = rng.random(stories) > 0.2
    found = units(row[kept].tolist(), value[kept].tolist(), prompt[kept].tolist())
    monkeypatch.setattr(cells, "EXACT_PROMPTS", found.prompts)
    exact = log_p_units(found)
    monkeypatch.setattr(cells, "EXACT_PROMPTS", found.prompts - 1)
    apart = np.abs(np.expm1(log_p_units(found) - exact))
    assert 0 < apart[exact < math.log(0.3)].max() < 0.02
    assert exact.min() < math.log(1e-8)


def test_the_approximation_is_close_for_a_value_of_six_stories(monkeypatch) -> None:
    rng, prompt = np.random.default_rng(4), np.repeat(np.arange(300), 3)
    value = np.where(rng.random(900) < 0.5, 1, 2)
    value[rng.choice(900, 6, replace=False)] = 0
    found = units((prompt % 4).tolist(), value.tolist(), prompt.tolist())
    exact = log_p_units(found)
    monkeypatch.setattr(cells, "EXACT_PROMPTS", 0)
    np.testing.assert_allclose(np.exp(log_p_units(found)), np.exp(exact), rtol=0.03)


def test_tiny_p_values_do_not_underflow() -> None:
    """2,000 prompts of two stories, all alike: the largest possible sum is one arrangement."""
    prompt = np.repeat(np.arange(2000), 2)
    row = (prompt >= 1000).astype(int)
    found = units(row.tolist(), row.tolist(), prompt.tolist())
    assert log_p_units(found)[0] == pytest.approx(-math.log(math.comb(2000, 1000)), rel=1e-9)
    assert log_p_units(found)[1] == 0


def test_design_effects_by_hand() -> None:
    """Three equal stories a prompt: three times the variance, but for the factor n / (n - 1) of few prompts."""
    counts = np.array([[14, 6], [7, 13]])
    tripled = Units(counts, 3 * np.eye(2, dtype=int), np.zeros(2, dtype=int))
    own, others = design_effects(tripled)
    assert own == pytest.approx(3 * 20 / 19)
    assert others == pytest.approx(3 * 20 / 19)


def test_intervals_at_another_level_are_those_computed_there() -> None:
    data = StorySets(sets=10, lift=3.0, seed=2).profiles()
    narrow = discover(data, Discovery(draws=1000, jobs=1, confidence=0.8)).associations
    wide = discover(data, QUICK).associations
    assert len(wide) > 3
    for name in ("low", "high"):
        np.testing.assert_allclose(at_confidence(narrow, 0.8, 0.95)[name], wide[name], rtol=1e-9)


def test_with_one_stratum_the_statistic_is_pearsons() -> None:
    counts = np.array([[30, 5, 9], [12, 20, 6], [9, 11, 25]])
    distance = Distance.of(units_of_stories(counts[None]))
    pearson = scipy.stats.chi2_contingency(counts, correction=False).statistic
    assert distance.observed == pytest.approx(pearson * (counts.sum() - 1) / counts.sum())
    assert distance.freedom == 4


def test_two_by_two_tables_are_those_of_statsmodels() -> None:
    from statsmodels.stats.contingency_tables import StratifiedTable

    rng = np.random.default_rng(3)
    tables = rng.integers(3, 25, (5, 2, 2))
    theirs = StratifiedTable(list(tables)).test_null_odds(correction=False)
    ours = Distance.of(units_of_stories(tables))
    assert ours.observed == pytest.approx(theirs.statistic)
    assert math.exp(ours.log_p) == pytest.approx(theirs.pvalue)


def test_cells_within_languages_are_exact_conditional_tests() -> None:
    """Convolution of two hypergeometric distributions, by hand."""
    tables = np.array([[[6, 4], [3, 9]], [[5, 2], [4, 6]]])
    chances = [scipy.stats.hypergeom.pmf(np.arange(12), t.sum(), t[:, 0].sum(), t[0].sum()) for t in tables]
    truth = np.convolve(*chances)[11:].sum()
    assert math.exp(log_p_units(units_of_stories(tables))[0]) == pytest.approx(truth)


def test_nothing_is_tested_where_each_language_has_one_base_value() -> None:
    distance = Distance.of(units_of_stories(np.array([[[20, 9], [0, 0]], [[0, 0], [8, 22]]])))
    assert distance.freedom == 0
    assert math.isnan(distance.log_p)


def test_sparse_tables_are_drawn() -> None:
    balanced = units_of_stories(np.full((2, 4, 4), 9))
    assert not is_sparse(balanced)
    rng = np.random.default_rng(2)
    rows = np.array([60, 2, 2, 2, 2])
    sparse = units_of_stories(
        np.array([[rng.multinomial(n, [0.9, 0.04, 0.03, 0.02, 0.01]) for n in rows] for _ in range(2)])
    )
    assert is_sparse(sparse)
    assert not is_sparse(units_of_stories(np.full((1, 1, 4), 9)))
    distance = Distance.of(sparse)
    test = Exchanged(sparse, distance, stream(0))
    drawn = distance(test._drawn(4000))
    assert drawn.mean() == pytest.approx(distance.freedom, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("pooled", ["stratified", "published"])
def test_verdicts_follow_from_their_columns(pooled) -> None:
    sets = StorySets(
        sets=12, rows=3, columns=3, languages=2, confounded=True, lift=2.0, repeats=2, dependence=0.3
    )
    rows = discover(sets.profiles(), replace(QUICK, pooled=pooled)).associations
    assert len(rows) > 8
    for row in rows.iter_rows(named=True):
        within = row["stratified_p_adjusted"] < 0.05 and row["table_stratified_p_adjusted"] < 0.05
        assert row["p_adjusted"] < 0.05
        assert (row["verdict"] == "above") == (within or pooled == "published")
        assert row["interval"] == "prompts"
