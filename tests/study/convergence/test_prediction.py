"""Predictions of instruments near to use: against refits one by one, planted skill, and nothing to predict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from endoxa.stats.jackknife import jackknife
from endoxa.study.convergence.effects import check_parts, measured
from endoxa.study.convergence.prediction import highest_r2, left_out_predictions, predictions, skill
from support.convergence_samples import attributes, planted_parts

TOOLS = {"pairs": 0.8, "tests": 0.8, "choices": 0.8}


@pytest.mark.parametrize("groups", [12, 4])
def test_predictions_are_those_of_refits_without_what_is_left_out(groups):
    """numpy's least squares, once for each thing left out; R² and rank correlation from their definitions."""
    rng = np.random.default_rng(2)
    predictors, codes = rng.standard_normal((12, 2)), np.arange(12) % groups
    target = predictors @ [0.7, -0.2] + rng.standard_normal(12)
    columns = np.column_stack([np.ones(12), predictors])
    refitted, baseline = np.empty(12), np.empty(12)
    for code in range(groups):
        rest = codes != code
        weights = np.linalg.lstsq(columns[rest], target[rest], rcond=None)[0]
        refitted[~rest] = columns[~rest] @ weights
        baseline[~rest] = target[rest].mean()
    assert left_out_predictions(target, predictors, codes) == pytest.approx(refitted)
    r2 = 1 - ((target - refitted) ** 2).sum() / ((target - baseline) ** 2).sum()
    ratio, z = skill(target, predictors, codes)
    assert -np.expm1(ratio) == pytest.approx(r2)
    assert np.tanh(z) == pytest.approx(spearmanr(refitted - baseline, target).statistic)


def test_the_jackknife_is_that_of_the_textbook():
    """Of a mean over units of their own: Student's standard error; of nested units the outer ones decide."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(30)
    lone = np.arange(30)

    def mean(kept: np.ndarray) -> np.ndarray:
        return np.array([values[kept].mean()])

    error = values.std(ddof=1) / np.sqrt(30)
    assert jackknife(mean, lone).error[0] == pytest.approx(error)
    assert jackknife(mean, lone, lone).error[0] == pytest.approx(error)
    groups = lone // 5
    nested = jackknife(mean, groups, lone)
    means = values.reshape(6, 5).mean(axis=1)
    assert nested.error[0] == pytest.approx(means.std(ddof=1) / np.sqrt(6))
    assert jackknife(mean, groups).freedom[0] == pytest.approx(5)


def found(correlation: float, seed: int = 0) -> pl.DataFrame:
    parts = planted_parts(seed, correlation=correlation, tools=TOOLS)
    return predictions(measured(check_parts(parts)), attributes(parts))


def test_what_was_planted_is_predicted_and_what_was_not_is_not():
    """Two predictors and a target of reliability 0.8 that share 0.9: R² = 2 r² / (1 + r), r = 0.9 * 0.8."""
    rows = found(0.9)
    assert rows.select("predictors", "left_out").rows() == [
        (names, left_out)
        for names in ("pairs; tests", "pairs", "tests")
        for left_out in ("association", "identity")
    ]
    r = 0.9 * 0.8
    for row in rows.filter(predictors="pairs; tests").iter_rows(named=True):
        assert row["verdict"] == "above"
        assert row["low"] < 2 * r**2 / (1 + r) < row["high"]
        assert row["rank_low"] < np.sqrt(2 * r**2 / (1 + r)) < row["rank_high"] + 0.05
        assert "better than the mean" in row["sentence"]
    null = found(0.0)
    assert set(null["verdict"]) == {"unclear"}
    assert null["r2"].max() < 0.1


def test_noise_in_the_target_alone_lowers_what_is_predicted_but_not_what_is_known_of_it():
    parts = planted_parts(1, correlation=0.9, tools=TOOLS | {"choices": 0.3})
    (row,) = (
        predictions(measured(check_parts(parts)), attributes(parts))
        .filter(predictors="pairs; tests", left_out="association")
        .iter_rows(named=True)
    )
    whole = found(0.9, 1).row(0, named=True)
    assert row["r2"] < whole["r2"]
    assert row["reliability"] < 0.5 < whole["reliability"]


def test_too_few_are_said():
    parts = planted_parts(identities=4, each=2, tools=TOOLS)
    rows = predictions(measured(check_parts(parts)), {})
    assert set(rows["verdict"]) == {"cannot-be-tested"}
    assert "8 associations, at least 10 needed" in rows["sentence"][0]


def test_an_upper_end_has_the_error_of_its_own_r2():
    assert highest_r2(0.3, 0.0, 50) == pytest.approx(0.3, abs=1e-3)
    plain = 1 - (1 - 0.05) * np.exp(-0.1)
    assert highest_r2(0.05, 0.1, 50) > plain
    assert np.isnan(highest_r2(0.2, float("nan"), 50))
