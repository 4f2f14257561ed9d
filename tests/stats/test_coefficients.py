"""Every coefficient of agreement passes the common checks; the battery refuses a wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from endoxa.stats.agreement import COEFFICIENTS, LEVELS
from endoxa.testing.plugins import check_coefficient


@pytest.mark.parametrize("name", ["percent_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"])
def test_builtin_coefficients(name):
    coefficient = COEFFICIENTS.get(name)
    for level in LEVELS if coefficient.graded else LEVELS[:1]:
        check_coefficient(coefficient, level)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (lambda value: value / 2, "where all agree"),
        (lambda value: (1 + value) / 2, "for votes at random"),
        (lambda value: 0.0 if value != value else value, "all votes are the same"),
    ],
)
def test_a_wrong_coefficient_is_refused(changed, complaint):
    alpha = COEFFICIENTS.get("krippendorff_alpha")
    wrong = replace(alpha, value=lambda *votes: changed(alpha.value(*votes)))
    with pytest.raises(AssertionError, match=complaint):
        check_coefficient(wrong)
