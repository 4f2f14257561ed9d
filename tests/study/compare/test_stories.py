"""What changed between two runs of stories: planted changes, none where none is, values by hand, edges."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Discovery
from endoxa.sources.stereotales.associations import association_id
from endoxa.study.compare.stories import association_change, changes_of, compare_stories
from endoxa.study.compare.story_lists import jaccard, lists_of
from support.story_pairs import frame, in_memory, write_run

QUICK = Discovery(draws=2000, jobs=1)


def test_one_association_by_hand_and_by_scipy():
    named = np.array([True] * 5 + [False] * 6)
    before = np.array([1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0])
    after = np.array([0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0])
    values, p_value, interval, changed = association_change((before, after), named, np.arange(11), 0.95)
    assert values == pytest.approx((4 / 5 - 2 / 6, 1 / 5 - 2 / 6))
    assert changed == 5
    # Every way in which the two runs can exchange the stories of a prompt.
    observed = values[1] - values[0]
    as_extreme = 0
    for swapped in product((False, True), repeat=11):
        first, second = np.where(swapped, after, before), np.where(swapped, before, after)
        excess = [side[named].mean() - side[~named].mean() for side in (first, second)]
        as_extreme += abs(excess[1] - excess[0]) >= abs(observed) - 1e-9
    assert p_value == pytest.approx(as_extreme / 2**11)
    change = (after - before).astype(float)
    welch = stats.ttest_ind(change[named], change[~named], equal_var=False).confidence_interval(0.95)
    # The exact test does not reject, so the interval is extended to 0 where it did not reach it.
    assert interval.low == pytest.approx(welch.low)
    assert interval.high == pytest.approx(max(welch.high, 0.0))


def simulated(seed: int, before: float, after: float, **settings):
    rng = np.random.default_rng([seed, 35])
    prompts = rng.normal(0, 0.7, size=200)
    return in_memory(*(frame(rng, share, prompts=prompts, **settings) for share in (before, after)))


def chosen(comparison, compared="religion: muslim"):
    return [c for c in comparison.of("association") if (c.identity, c.rule) == ("low", compared)]


@pytest.mark.slow
def test_size_of_one_association_over_300_sets():
    rejected = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        prompts = np.repeat(np.arange(60), 2)
        chances = rng.beta(2, 3, size=60)[prompts]
        said = tuple(rng.random(120) < chances for _ in range(2))
        rejected.append(association_change(said, prompts < 20, prompts, 0.95)[1] <= 0.05)
    assert np.mean(rejected) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
def test_nothing_is_found_where_nothing_changed_and_what_changed_is_found():
    """200 sets whose runs are of one model, 40 with an association that falls from 0.85 to 0.4."""
    claimed = []
    for seed in range(200):
        comparison = changes_of(simulated(seed, 0.75, 0.75), QUICK, swaps=0)
        claimed.append(
            any(
                change.verdict in ("above", "below") for change in comparison.changes if change.kind == "bias"
            )
        )
    assert np.mean(claimed) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
    # What stories say of the prompts of one low income, on average over what prompts add to the odds.
    adds = np.exp(np.random.default_rng(0).normal(0, 0.7, size=100_000))
    shares = [np.mean(share / (1 - share) * adds / (1 + share / (1 - share) * adds)) for share in (0.85, 0.4)]
    true = 0.7 * (shares[1] - shares[0])
    found, wrong, covered = [], 0, []
    for seed in range(40):
        comparison = changes_of(simulated(1000 + seed, 0.85, 0.4, scenarios=45, repeats=2), QUICK, swaps=0)
        changes = chosen(comparison)
        found.append(bool(changes) and changes[0].verdict == "below")
        wrong += any(
            change.verdict == "above" and change.rule.startswith("urban")
            for change in comparison.of("association")
        )
        covered += [change.low <= true <= change.high for change in changes]
    assert np.mean(found) >= 0.8
    assert wrong <= 2
    assert np.mean(covered) >= 0.88


@pytest.mark.slow
def test_lists_differ_by_chance_as_those_of_one_model_do():
    alike = [lists_of(simulated(seed, 0.6, 0.6), QUICK, swaps=4) for seed in range(40)]
    observed = np.mean([lists.changed for lists in alike])
    by_chance = np.concatenate([lists.by_chance for lists in alike])
    assert abs(observed - by_chance.mean()) <= 3 * np.sqrt(by_chance.var() / 40) + 0.05
    lists = lists_of(simulated(5, 0.85, 0.34, repeats=2), QUICK, swaps=10)
    assert lists.number("lost") >= 1
    row = lists.associations.row(by_predicate=(pl.col("compared_value") == "muslim"), named=True)
    assert (row["status"], row["base_value"], row["lift_after"]) == ("lost", "low", None)
    assert row["lift_before"] > 1.5


def test_jaccard_is_the_share_kept_and_resamples_base_values():
    rows = [
        ("kept", "a"),
        ("kept", "a"),
        ("lost", "b"),
        ("gained", "c"),
        ("kept", "d"),
        ("kept", "e"),
        ("lost", "f"),
    ]
    table = pl.DataFrame(rows, schema=["status", "base_value"], orient="row").with_columns(
        base_attribute=pl.lit("x")
    )
    index, interval = jaccard(table, 0.95, 0)
    assert index == 4 / 7
    assert interval.low < index < interval.high
    nothing, ends = jaccard(table.clear(), 0.95, 0)
    assert np.isnan(nothing)
    assert not ends.defined


def test_all_refused_in_one_run(tmp_path):
    rng = np.random.default_rng(1)
    before, after = frame(rng, 0.8, scenarios=12), frame(rng, 0.8, scenarios=12, refused=1.0)
    comparison = compare_stories(write_run(tmp_path / "a", before), write_run(tmp_path / "b", after), swaps=2)
    assert comparison.compared == 0
    assert not [change for change in comparison.changes if change.kind == "bias"]
    assert comparison.lists.associations.is_empty()
    refused = comparison.of("refused")[0]
    assert (refused.before, refused.after, refused.kind) == (0.0, 1.0, "price")
    assert not comparison.of("words")


def test_harmful_stories_and_money(tmp_path):
    rng = np.random.default_rng(2)
    before, after = frame(rng, 0.9, unknown=0.0), frame(rng, 0.1, unknown=0.0)
    runs = [
        write_run(tmp_path / name, table, stories_run=tmp_path / f"stories-{name}")
        for name, table in (("a", before), ("b", after.with_columns(completion_tokens=pl.lit(11))))
    ]
    harmful = {association_id("income_level", "low", "religion", "muslim")}
    comparison = compare_stories(*runs, harmful=harmful, swaps=0)
    change = comparison.of("harmful_stories")[0]
    counts = [
        table.filter(
            pl.col("target_attribute_value") == "low",
            pl.col("extracted_attributes_json").str.contains("muslim"),
        ).height
        for table in (before, after)
    ]
    assert (change.before, change.after) == pytest.approx((counts[0] / 120, counts[1] / 120))
    dollars = comparison.of("usd_per_1000")[0]
    # 10 tokens of the request at 0.001 dollars and 6 or 11 of the answer at 0.002, a thousand times.
    assert (dollars.before, dollars.after) == pytest.approx((22.0, 32.0))


def test_what_cannot_be_compared(tmp_path):
    rng = np.random.default_rng(3)
    table = frame(rng, 0.8, scenarios=3)
    one = write_run(tmp_path / "a", table)
    other = write_run(tmp_path / "b", table.with_columns(pl.col("sample_id") + "x"))
    with pytest.raises(UserError, match="no prompt in common"):
        compare_stories(one, other)
    reread = write_run(tmp_path / "c", table, extractor="other")
    with pytest.raises(UserError, match="read in different ways"):
        compare_stories(one, reread)
    named = write_run(tmp_path / "d", table.with_columns(target_attribute_value=pl.lit("low")))
    with pytest.raises(UserError, match="another attribute"):
        compare_stories(one, named)
    with pytest.raises(UserError, match="not a run folder"):
        compare_stories(one, tmp_path)
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "run.json").write_text('{"kind": "stories"}')
    with pytest.raises(UserError, match="endoxa probe extract"):
        compare_stories(one, tmp_path / "e")


def test_one_prompt_decides_nothing(tmp_path):
    rng = np.random.default_rng(4)
    runs = [write_run(tmp_path / name, frame(rng, 0.8, scenarios=3).head(1)) for name in "ab"]
    comparison = compare_stories(*runs, swaps=1)
    assert comparison.prompts == 1
    assert {change.verdict for change in comparison.changes} == {"cannot-be-tested"}
