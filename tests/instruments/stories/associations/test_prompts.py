"""Prompts as units of the tests of associations, and tests within languages: against enumeration and planted truth."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
import scipy.stats

from benchmarks.worlds.story_sets import StorySets, Studies
from endoxa.instruments.stories.associations import Discovery, cells, discover
from endoxa.instruments.stories.associations.cells import (
    Cells,
    at_confidence,
    design_effects,
    lift_interval,
    log_p_greater,
    log_p_units,
)
from endoxa.instruments.stories.associations.fisher import (
    Distance,
    Exchanged,
    Sampled,
    improbability,
    is_sparse,
    stream,
)
from endoxa.instruments.stories.associations.permutations import differences
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
    return units(np.array(rows)[prompt].tolist(), list(values), prompt.tolist()), prompt


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


# ------------------------------------------------------------------ units


def test_units_add_up_to_the_table() -> None:
    found, _prompt = prompted(*SMALL[2])
    assert found.table.tolist() == [[3, 1, 0], [2, 0, 4], [0, 3, 1]]
    assert found.prompts == 7
    assert found.rows.tolist() == [[1, 0, 1], [1, 1, 1], [0, 2, 0]]  # prompts of one, two and three stories
    assert (np.diff(found.blocks) >= 0).all()


def test_stories_with_a_prompt_each_have_no_units() -> None:
    assert units([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 4]) is None
    assert units([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 4], [0, 0, 1, 1]) is not None
    assert not has_repeats(np.array([1, 2, 3]), np.array([1, 1, 1]))
    assert has_repeats(np.array([1, 2, 1]), np.array([1, 1, 1]))


def test_one_name_with_two_base_values_is_two_prompts() -> None:
    found = units([0, 0, 1, 1], [0, 1, 0, 1], [7, 7, 7, 7])
    assert found is not None
    assert found.prompts == 2


def test_prompts_of_like_size_exchange_where_sizes_are_many() -> None:
    sizes = list(range(1, 31))
    found, _ = prompted(sizes, [k % 2 for k in range(sum(sizes))], [k % 3 for k in range(30)])
    assert found.rows.shape[1] == MOST_SIZES
    assert found.rows.sum() == 30


@pytest.mark.parametrize("example", SMALL)
def test_the_least_p_value_is_that_of_enumeration(example) -> None:
    found, _ = prompted(*example)
    tables = arrangements(*example)
    statistic = improbability(found)(tables)
    smallest = np.mean(statistic >= statistic.max() - 1e-9)
    assert found.least_p <= smallest + 1e-12
    assert 1 / found.least_p <= len(tables)


def test_least_p_by_hand() -> None:
    """Three prompts against three: 20 arrangements, and exchanging the names of both changes nothing."""
    assert least_p(np.array([[3], [3]])) == pytest.approx(2 / 20)
    assert least_p(np.array([[3], [2]])) == pytest.approx(1 / 10)
    assert least_p(np.array([[1, 0], [0, 1]])) == 1


# ------------------------------------------------------------------ step 1


@pytest.mark.parametrize("example", SMALL)
def test_drawn_p_values_are_those_of_all_arrangements(example) -> None:
    found, _ = prompted(*example)
    statistic = improbability(found)
    truth = float(np.mean(statistic(arrangements(*example)) >= statistic(found.table[None])[0] - 1e-9))
    test = Exchanged(found, statistic, stream(1, "x"))
    test.draw(20_000)
    assert abs(test.p_value - truth) < 5 * math.sqrt(truth * (1 - truth) / 20_000) + 1e-3


def test_with_one_story_each_it_is_fishers_test() -> None:
    counts = np.array([[8, 2, 1], [3, 7, 2], [2, 3, 9]])
    single = Units(counts, np.eye(3, dtype=int), np.zeros(3, dtype=int))
    ours, theirs = Exchanged(single, improbability(single), stream(1, "a")), Sampled(counts, stream(1, "b"))
    ours.draw(20_000)
    theirs.draw(20_000)
    assert ours.p_value == pytest.approx(theirs.p_value, abs=0.004)


def test_wide_tables_keep_their_totals() -> None:
    rng = np.random.default_rng(0)
    prompt = np.repeat(np.arange(60), 5)
    found = units((prompt % 4).tolist(), rng.integers(0, 40, 300).tolist(), prompt.tolist())
    tables = Exchanged(found, improbability(found), stream(0))._drawn(20)
    assert (tables.sum(axis=1) == found.table.sum(axis=0)).all()
    assert (tables.sum(axis=2) == found.table.sum(axis=1)).all()


def kept_families(sets, **more):
    """Shares of sets in which a table is kept, and in which an association is claimed."""
    found = discover(sets.profiles(**more), QUICK)
    tested = found.tables.filter(status="tested")
    kept = tested.group_by("model").agg(pl.col("significant").max())["significant"].sum()
    return kept / sets.sets, found.associations.filter(verdict="above")["model"].n_unique() / sets.sets


@pytest.mark.slow
def test_repeats_that_depend_on_their_prompt_are_no_evidence() -> None:
    """Taken as independent, stories of one prompt keep a family in 0.4; at 0.05, more than 17 of 150 are 1 in 1,000."""
    sets = StorySets(sets=150, repeats=3, dependence=0.6, unknown=0.2)
    assert kept_families(sets, prompt_per_story=True)[0] > 0.3
    assert kept_families(sets)[0] <= 17 / 150
    unequal = StorySets(sets=150, repeats=5, dependence=1.0, unknown=0.5, unequal=True, seed=1)
    assert kept_families(unequal)[0] <= 17 / 150


@pytest.mark.slow
def test_independent_repeats_are_as_good_as_prompts_of_their_own() -> None:
    sets = StorySets(sets=60, repeats=3, lift=2.5, unknown=0.1)
    as_stories, as_prompts = kept_families(sets, prompt_per_story=True), kept_families(sets)
    assert as_stories[0] > 0.6
    assert as_prompts[0] > as_stories[0] - 0.1


@pytest.mark.slow
def test_rows_that_stand_eight_times_make_no_association() -> None:
    sets = StorySets(sets=60, rows=3, scenarios=12)
    exact = replace(QUICK, draws=4000, early_stop=False)
    once = discover(sets.profiles(), exact)
    data = sets.profiles()
    again = {
        name: np.tile(getattr(data, name), (8, 1) if name == "codes" else 8)
        for name in ("model", "language", "sample", "base", "base_value", "codes")
    }
    eight = discover(replace(data, rows=8 * data.rows, **again), exact)
    keys = ["model", "compared_attribute"]
    both = once.tables.join(eight.tables, on=keys, suffix="_eight").drop_nulls("p_value")
    assert set(both["unit_eight"]) == {"prompt"}
    assert both["prompts_eight"].equals(both["n"].alias("prompts_eight"))
    # The statistic weighs tables a little differently; p-values are alike.
    assert (both["p_value"] - both["p_value_eight"]).abs().median() < 0.02  # type: ignore[operator]
    assert eight.tables["significant"].sum() <= 9


def test_few_prompts_cannot_be_tested_however_many_stories() -> None:
    sets = StorySets(sets=3, rows=2, scenarios=2, repeats=20, dependence=1.0)
    tables = discover(sets.profiles(), QUICK).tables
    assert set(tables["verdict"]) == {"cannot-be-tested"}
    assert "4 prompts are too few for a p-value of 0.05" in set(tables["reason"])


def test_one_story_a_prompt_says_so() -> None:
    tables = discover(StorySets(sets=3).profiles(), QUICK).tables
    assert set(tables["unit"]) == {"story"}
    assert tables["prompts"].equals(tables["n"].alias("prompts"))
    assert set(tables["method"]) == {"fisher-sampled"}
    assert tables["stratified_p_value"].null_count() == 3


# ------------------------------------------------------------------ step 2


@pytest.mark.parametrize("example", SMALL)
def test_cells_are_those_of_all_arrangements(example) -> None:
    found, _ = prompted(*example)
    truth = (arrangements(*example) >= found.table).mean(axis=0)
    ours = np.exp(log_p_units(found)).reshape(truth.shape)
    np.testing.assert_allclose(ours, truth, rtol=1e-9)


def test_cells_of_stories_with_a_prompt_each_are_fishers() -> None:
    counts = np.array([[30, 5, 1], [12, 20, 6], [9, 11, 25]])
    single = Units(counts, np.eye(3, dtype=int), np.zeros(3, dtype=int))
    np.testing.assert_allclose(log_p_units(single), log_p_greater(Cells.of(counts)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("prompts", [60, 400])
def test_the_approximation_is_close(prompts, monkeypatch) -> None:
    """It is used beyond 500 prompts."""
    rng, stories = np.random.default_rng(4), 3 * prompts
    prompt = np.repeat(np.arange(prompts), 3)
    row = prompt % 4
    value = np.where((row == 0) & (rng.random(stories) < 0.4), 0, rng.integers(0, 4, stories))
    kept = rng.random(stories) > 0.2
    found = units(row[kept].tolist(), value[kept].tolist(), prompt[kept].tolist())
    exact = log_p_units(found)
    monkeypatch.setattr(cells, "EXACT_PROMPTS", 0)
    approximate = log_p_units(found)
    assert np.abs(np.expm1(approximate - exact))[exact < math.log(0.3)].max() < 0.02
    assert prompts < 400 or exact.min() < math.log(1e-8)


def test_tiny_p_values_do_not_underflow() -> None:
    """2,000 prompts of two stories, all alike: the largest possible sum is one arrangement."""
    prompt = np.repeat(np.arange(2000), 2)
    row = (prompt >= 1000).astype(int)
    found = units(row.tolist(), row.tolist(), prompt.tolist())
    assert log_p_units(found)[0] == pytest.approx(-math.log(math.comb(2000, 1000)), rel=1e-9)
    assert log_p_units(found)[1] == 0


def test_prompts_that_are_all_alike_count_once() -> None:
    """Three equal stories of each prompt: the cell's p-value is Fisher's of one story of each."""
    counts = np.array([[14, 6], [7, 13]])
    tripled = Units(counts, 3 * np.eye(2, dtype=int), np.zeros(2, dtype=int))
    np.testing.assert_allclose(log_p_units(tripled), log_p_greater(Cells.of(counts)), rtol=1e-9)


# ------------------------------------------------------------------ lifts


def test_design_effects_by_hand() -> None:
    """Three equal stories a prompt: three times the variance, but for the factor n / (n - 1) of few prompts."""
    counts = np.array([[14, 6], [7, 13]])
    tripled = Units(counts, 3 * np.eye(2, dtype=int), np.zeros(2, dtype=int))
    own, others = design_effects(tripled)
    assert own == pytest.approx(3 * 20 / 19)
    assert others == pytest.approx(3 * 20 / 19)


def test_intervals_of_lifts_hold_the_truth_with_repeats() -> None:
    """The second value has a share of 0.24 everywhere: every lift is 1."""
    held, as_stories, number = 0, 0, 0
    profiles = StorySets(sets=150, repeats=3, dependence=0.6, unknown=0.2, seed=3).profiles()
    for model in range(150):
        here = (profiles.model == model) & (profiles.codes[:, 1] < 4)
        row, value, prompt = profiles.base_value[here], profiles.codes[here, 1], profiles.sample[here]
        found = units(row.tolist(), value.tolist(), prompt.tolist())
        counted = Cells.of(found.table)
        low, high = lift_interval(counted, 0.95, design_effects(found))
        plain = lift_interval(counted, 0.95)
        held += int(((low <= 1) & (high >= 1)).sum())
        as_stories += int(((plain[0] <= 1) & (plain[1] >= 1)).sum())
        number += len(low)
    assert 0.92 < held / number < 0.98
    assert as_stories / number < 0.9


def test_intervals_at_another_level_are_those_computed_there() -> None:
    data = StorySets(sets=10, lift=3.0, seed=2).profiles()
    narrow = discover(data, Discovery(draws=1000, jobs=1, confidence=0.8)).associations
    wide = discover(data, QUICK).associations
    assert len(wide) > 3
    for name in ("low", "high"):
        np.testing.assert_allclose(at_confidence(narrow, 0.8, 0.95)[name], wide[name], rtol=1e-9)


# ------------------------------------------------------------------ within languages


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
    distance = Distance.of(sparse)
    test = Exchanged(sparse, distance, stream(0))
    test.draw(2000)
    drawn = distance(test._drawn(4000))
    assert drawn.mean() == pytest.approx(distance.freedom, rel=0.1)


@pytest.mark.slow
def test_what_languages_explain_is_not_claimed() -> None:
    """Simpson: the pooled test finds it in every set, within languages nothing is there."""
    sets = StorySets(sets=40, rows=3, columns=3, languages=2, confounded=True, scenarios=30)
    found = discover(sets.profiles(), QUICK)
    assert found.tables["significant"].mean() > 0.9  # type: ignore[operator]
    claimed = found.associations.filter(verdict="above")
    assert claimed["model"].n_unique() <= 6
    unclear = found.associations.filter(verdict="unclear")
    assert set(unclear["reason"]) == {"not distinguishable from chance within languages"}
    alone = discover(sets.profiles(), replace(QUICK, pooled="published"))
    assert set(alone.associations["verdict"]) == {"above"}
    columns = [name for name in found.associations.columns if name not in ("verdict", "reason")]
    assert alone.associations.select(columns).equals(found.associations.select(columns))


def test_an_association_within_languages_is_claimed() -> None:
    sets = StorySets(sets=20, languages=2, lift=2.5)
    found = discover(sets.profiles(), QUICK)
    rows = found.associations.filter(base_value="b0", compared_value="1")
    assert len(rows) >= 15
    assert (rows["verdict"] == "above").mean() > 0.9  # type: ignore[operator]
    one = discover(sets.profiles(), replace(QUICK, by_language=True))
    assert one.associations["stratified_p_value"].null_count() == len(one.associations)
    assert set(one.associations["verdict"]) <= {"above"}


@pytest.mark.slow
@pytest.mark.parametrize("pooled", ["stratified", "published"])
def test_verdicts_follow_from_their_columns(pooled) -> None:
    sets = StorySets(
        sets=30, rows=3, columns=3, languages=2, confounded=True, lift=2.0, repeats=2, dependence=0.3
    )
    rows = discover(sets.profiles(), replace(QUICK, pooled=pooled)).associations
    assert len(rows) > 20
    for row in rows.iter_rows(named=True):
        within = row["stratified_p_adjusted"] < 0.05 and row["table_stratified_p_adjusted"] < 0.05
        assert row["p_adjusted"] < 0.05
        assert (row["verdict"] == "above") == (within or pooled == "published")
        assert row["interval"] == "prompts"


# ------------------------------------------------------------------ protagonists


def claimed(study, by, number):
    """Share of studies in which a difference is claimed."""
    made = (study.stories(np.random.default_rng(seed)) for seed in range(number))
    found = (differences(stories, by, seed=0, permutations=59) for stories in made)
    return sum("above" in set(one["verdict"]) for one in found) / number


@pytest.mark.slow
def test_what_a_prompt_suggests_to_all_models_is_no_difference_of_themes() -> None:
    """Taken apart by model, prompts make themes differ in 0.5; at 0.05, more than 8 of 50 are 1 in 500."""
    study = Studies((1,) * 4, themes=2, shared=0.3)
    assert claimed(study, "theme", 50) <= 8 / 50
    stories = study.stories(np.random.default_rng(0))
    row = differences(stories, "theme", seed=0, permutations=59).row(0, named=True)
    assert row["prompts"] == stories["prompt"].n_unique() == stories.height / 4


def test_models_that_tell_a_prompt_unequally_often_cannot_be_compared() -> None:
    for repeats, verdict in (((1, 5), "cannot-be-tested"), ((4, 5), "unclear")):
        stories = Studies(repeats).stories(np.random.default_rng(1))
        found = differences(stories, "model", seed=0, permutations=59)
        assert set(found["verdict"]) == {verdict}
    assert found["reason"].to_list() == ["", "", ""]


def test_a_difference_of_models_is_found_with_repeats() -> None:
    assert claimed(Studies((3, 3), scenarios=24, within=0.3, raised=0.5), "model", 8) == 1
