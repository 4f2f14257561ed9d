"""The model with crossed effects: statsmodels' estimates on small data, planted ones on large, and the edges."""

from __future__ import annotations

import numpy as np
import pytest

from endoxa.stats.crossed import fit_crossed


def drawn(seed, raters=15, items=25, count=200, effect=0.6, spread=(0.7, 0.5, 1.0)):
    rng = np.random.default_rng(seed)
    rater, item = rng.integers(raters, size=count), rng.integers(items, size=count)
    inside = rng.integers(2, size=count)
    y = 3 + effect * inside + rng.normal(0, spread[0], raters)[rater] + rng.normal(0, spread[1], items)[item]
    y += rng.normal(0, spread[2], count)
    return y, np.column_stack([np.ones(count), inside]), rater, item


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [1, 2])
def test_estimates_are_those_of_statsmodels(seed):
    import pandas as pd
    import statsmodels.formula.api as formulas

    y, x, rater, item = drawn(seed)
    fit = fit_crossed(y, x, rater, item)
    table = pd.DataFrame({"y": y, "x": x[:, 1], "rater": rater, "item": item, "all": 1})
    effects = {"rater": "0 + C(rater)", "item": "0 + C(item)"}
    theirs = formulas.mixedlm("y ~ x", table, groups="all", vc_formula=effects).fit(reml=True)
    assert fit.coefficients == pytest.approx(theirs.fe_params.to_numpy(), abs=1e-4)
    assert fit.standard_errors == pytest.approx(theirs.bse_fe.to_numpy(), rel=5e-3)
    assert fit.residual_variance == pytest.approx(theirs.scale, rel=1e-2)
    # In the order of their names: item, rater.
    assert [fit.item_variance, fit.rater_variance] == pytest.approx(theirs.vcomp, rel=2e-2, abs=2e-3)


def test_planted_numbers_are_found_in_large_data():
    y, x, rater, item = drawn(3, raters=150, items=800, count=6000)
    fit = fit_crossed(y, x, rater, item)
    assert fit.coefficients[1] == pytest.approx(0.6, abs=0.1)
    assert fit.rater_variance == pytest.approx(0.49, abs=0.15)
    assert fit.item_variance == pytest.approx(0.25, abs=0.06)
    assert fit.residual_variance == pytest.approx(1.0, abs=0.06)


def test_intervals_cover_the_planted_difference():
    """Of 200 small studies about 95 % cover; a naive interval (one level) would not be judged here."""
    covered = 0
    for seed in range(200):
        y, x, rater, item = drawn(seed, raters=12, items=30, count=150)
        low, high = fit_crossed(y, x, rater, item).interval(1, 0.95)
        covered += low <= 0.6 <= high
    assert 180 <= covered <= 198


def test_without_variance_of_raters_and_items_it_is_least_squares():
    y, x, rater, item = drawn(4, spread=(0.0, 0.0, 1.0), count=400)
    fit = fit_crossed(y, x, rater, item)
    plain = np.linalg.lstsq(x, y, rcond=None)[0]
    assert fit.coefficients == pytest.approx(plain, abs=0.05)
    assert fit.rater_variance < 0.1


def test_what_cannot_be_fitted_is_refused():
    y, x, rater, item = drawn(5, count=40)
    with pytest.raises(ValueError, match="full rank"):
        fit_crossed(y, np.column_stack([x, x[:, 1]]), rater, item)
    with pytest.raises(ValueError, match="more observations"):
        fit_crossed(y[:2], x[:2], rater[:2], item[:2])


def test_order_and_codes_do_not_matter():
    y, x, rater, item = drawn(6)
    order = np.random.default_rng(0).permutation(len(y))
    one = fit_crossed(y, x, rater, item)
    other = fit_crossed(y[order], x[order], 100 - rater[order], item[order] * 7)
    assert one.coefficients == pytest.approx(other.coefficients, abs=1e-6)
    assert one.rater_variance == pytest.approx(other.rater_variance, abs=1e-4)
