"""Leans of questions: gaps, tests and intervals against independent values and at their edges."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from endoxa.instruments.questions.estimates import analyze_qa, analyze_run, load_answers
from endoxa.instruments.questions.estimates.inference import integer_totals, templates_test
from endoxa.instruments.questions.estimates.measures import COUNTED, Counts, gap_of
from endoxa.stats.intervals import difference_of_shares
from endoxa.stats.permutation import stratified_permutation_test
from support.qa_answers import ANTI, STEREOTYPED, answers
from support.report_qa_samples import Lean, qa_folder, questions, records


def counts(rows: list[tuple[int, int, int, int]]) -> Counts:
    """From aligned, right among them, nonaligned, right among them, per template."""
    names = ("aligned", "aligned_correct", "nonaligned", "nonaligned_correct")
    matrix = np.zeros((len(rows), len(COUNTED)))
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        matrix[:, COUNTED.index(name)] = column
    return Counts.of(matrix)


ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)).map(
        lambda row: (row[0], min(row[0], row[1]), row[2], min(row[2], row[3]))
    ),
    min_size=1,
    max_size=9,
)


@given(ROWS)
def test_the_gap_is_mantel_haenszels_risk_difference(rows):
    gap = gap_of(counts(rows))
    above, below = Fraction(0), Fraction(0)
    for first, right, second, other in rows:
        if first and second:
            above += Fraction(right * second - other * first, first + second)
            below += Fraction(first * second, first + second)
    assert gap.value == pytest.approx(float(above / below) if below else np.nan, nan_ok=True)
    if gap.denominator <= 10_000:
        assert np.allclose(
            integer_totals(gap.totals, gap.denominator), gap.totals * gap.denominator, atol=1e-6
        )


def test_the_test_within_strata_is_fishers_and_that_of_every_way_of_dealing_them():
    for right, other in ((8, 2), (10, 3), (5, 5), (9, 9)):
        one, two = (np.repeat([1.0, 0.0], [k, 10 - k]) for k in (right, other))
        expected = fisher_exact([[right, 10 - right], [other, 10 - other]]).pvalue
        assert stratified_permutation_test([(one, two)]) == pytest.approx(expected)
    strata = [
        (np.array([1.0, 1, 0]), np.array([0.0, 0, 1, 0])),
        (np.array([1.0, 1]), np.array([0.0, 0])),
        (np.array([0.0]), np.array([0.0])),  # cannot differ
    ]

    def dealt(one: np.ndarray, two: np.ndarray) -> list[float]:
        both = np.concatenate([one, two])
        return [float(both[list(places)].sum()) for places in combinations(range(len(both)), len(one))]

    totals = np.array([sum(pattern) for pattern in product(*(dealt(*stratum) for stratum in strata))])
    share = np.mean(np.abs(totals - totals.mean()) >= 4.0 - totals.mean() - 1e-9)
    assert stratified_permutation_test(strata) == pytest.approx(share)
    # The same with each answer given twice: drawn, and near.
    twice = [(2 * one, 2 * two) for one, two in strata]
    assert stratified_permutation_test(twice, draws=20_000) == pytest.approx(share, abs=0.01)
    assert np.isnan(stratified_permutation_test(strata[2:]))


@pytest.mark.parametrize("templates", [6, 9, 14, 30])
def test_templates_of_one_size_have_the_sign_tests_p_value(templates):
    for for_it in range(templates + 1):
        totals = np.repeat([1.0, -1.0], [for_it, templates - for_it])
        test = templates_test(totals, totals != 0, happens="x", confidence=0.95, seed=0)
        assert test.p_value == pytest.approx(binomtest(for_it, templates).pvalue)


def test_intervals_of_differences_mirror_and_exist_at_the_ends():
    rng = np.random.default_rng(4)
    sizes = rng.integers(5, 40, 12).astype(float)
    first, second = (np.floor(sizes * rng.random(12)) for _ in range(2))
    spreads = (0.25, 0.25)
    one, other = (
        difference_of_shares(sizes, *pair, spreads, 0.95) for pair in ((first, second), (second, first))
    )
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.low < (first.sum() - second.sum()) / sizes.sum() < one.high
    for all_first, all_second in ((sizes, 0 * sizes), (0 * sizes, 0 * sizes), (sizes, sizes)):
        ends = difference_of_shares(sizes, all_first, all_second, (0.0, 0.0), 0.95)
        assert -1 <= ends.low <= (all_first - all_second).sum() / sizes.sum() <= ends.high <= 1
        assert ends.low < ends.high
    # Shares that move together differ by less than shares that do not.
    apart = difference_of_shares(sizes, first, sizes - first, spreads, 0.95)
    together = difference_of_shares(sizes, first, np.maximum(first - 1, 0), spreads, 0.95)
    assert together.high - together.low < apart.high - apart.low
    assert not difference_of_shares(sizes[:4], first[:4], second[:4], spreads, 0.95).defined


def test_a_rare_kind_needs_the_test_within_templates():
    """One aligned question a template beside forty: the sign flips alone would claim from single answers."""
    rows = [
        answers([STEREOTYPED] * 12, templates=12, condition="disambig", label=STEREOTYPED),
        answers([ANTI] * 468 + [STEREOTYPED] * 12, templates=12, condition="disambig", label=ANTI, start=500),
    ]
    row = analyze_qa(pl.concat(rows), resamples=100).estimates.row(0, named=True)
    assert row["name"] == "lean"
    assert row["value"] == pytest.approx(12 / 480)
    assert row["p_value"] > 0.05  # all twelve templates agree: 2 / 2^12 by sign flips
    assert row["verdict"] == "unclear"


def test_a_folder_is_analyzed_once(tmp_path):
    asked = questions()
    folder = qa_folder(tmp_path / "q", asked, records(asked, {"openai/big": Lean()}), "Town")
    fresh = analyze_qa(load_answers([folder]), resamples=100)
    kept = analyze_run(folder, resamples=100, keep=True)
    (folder / "records.parquet").write_bytes(b"no longer needed")
    again = analyze_run(folder, resamples=100)
    for name in ("estimates", "debias", "identities", "counts", "retention", "differences"):
        tables = [getattr(found, name) for found in (fresh, kept, again)]
        assert (folder / f"{name}.csv").exists() or name in ("retention", "differences")
        assert tables[0].columns == tables[1].columns == tables[2].columns
        assert tables[0].height == tables[2].height
    same = ("name", "value", "low", "p_adjusted", "verdict")
    assert again.estimates.select(same).equals(fresh.estimates.select(same))
    assert again.counts.equals(fresh.counts)
    facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert facts["analysis"]["settings"]["resamples"] == 100
    with pytest.raises(Exception, match="records"):  # other settings need the answers
        analyze_run(folder, resamples=200)
