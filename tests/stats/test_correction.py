"""Adjusted p-values are those of scipy and statsmodels, to the last digit."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from endoxa.stats.verdicts import adjust, holm

P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=30)


@given(P_VALUES)
@settings(max_examples=50)
def test_adjusted_p_values_are_those_of_the_libraries(p_values: list[float]) -> None:
    with patch("gc.collect"):  # it collects garbage at each call, a quarter of a second behind other tests
        benjamini, holms = (
            multipletests(p_values, method=method)[1].tolist() for method in ("fdr_bh", "holm")
        )
    theirs = false_discovery_control(p_values, method="by")
    assert adjust(p_values).tolist() == benjamini
    assert holm(p_values) == holms
    assert adjust(p_values, dependent=True).tolist() == theirs.tolist()


def test_missing_p_values_count_for_nothing() -> None:
    found = adjust([0.01, float("nan"), 0.04])
    np.testing.assert_allclose(found, [0.02, np.nan, 0.04])
    np.testing.assert_allclose(holm([0.04, float("nan"), 0.01]), [0.04, np.nan, 0.02])
    assert np.isnan([*adjust([float("nan")]), *holm([float("nan")])]).all()
    assert len(adjust([])) == len(holm([])) == 0
