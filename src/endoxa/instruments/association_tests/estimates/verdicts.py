"""What may be claimed from association tests, decided over everything that stands in one table or on one page.

The family is all tests of the table: twenty encoders with one test each are twenty tests. Tables that are joined are
therefore judged again, from the p-values that each has.
"""

from __future__ import annotations

from itertools import count
from math import comb, isnan

import polars as pl

from endoxa.instruments.association_tests.estimates.permutation import PermutationTest
from endoxa.runs.families import ASSOCIATION_TESTS, adjusted, decided
from endoxa.stats.verdicts import UNTESTED, significance

OPPOSED = "effect size and permutation test point in different directions"
NO_EFFECT = "the effect size is undefined"
NO_TEST = "the p-value is undefined"


def judged(tests: pl.DataFrame) -> pl.DataFrame:
    """The tests with `p_adjusted` over all of them, `verdict` and `reason`; rows keep their order.

    Args:
        tests: columns of `TEST_COLUMNS`, of one confidence and one alternative. Rows whose verdict is that they cannot
            be tested stay so.
    """
    tests = tests.with_columns(reason=pl.when(verdict=UNTESTED).then("reason").otherwise(pl.lit("")))
    # The p-value of the permutation test is a published score: it stays, and weighs on no other test.
    tests = tests.with_columns(adjusted(tests, ASSOCIATION_TESTS)["p_adjusted"])
    confidence, alternative = tests.select("confidence", "alternative").row(0)
    return decided(tests, confidence=confidence, alternative=alternative).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def least_p(partitions: int, draws: int | None = None) -> float:
    """The least two-sided p-value that a permutation test can have, ties aside: both tails hold one partition.

    Args:
        partitions: how many there are.
        draws: how many were drawn where not all are counted; the observed one is added to them.
    """
    return min(1.0, 2 / (partitions if draws is None else draws + 1))


def too_small(partitions: int, confidence: float, *, draws: int | None = None, sizes: str = "") -> str:
    """Why a two-sided test cannot reach its level, and what would do; empty where it can.

    It holds for one-sided tests too: three words against three are no evidence, whichever side was asked about.

    Args:
        partitions: how many there are.
        confidence: one minus the level.
        draws: partitions drawn, None where all are counted.
        sizes: '3 against 3 texts', empty where it is not known.
    """
    alpha, least = significance(confidence), least_p(partitions)
    if least > alpha + 1e-12:
        enough = next(n for n in count(1) if least_p(comb(2 * n, n)) <= alpha + 1e-12)
        return (
            f"{sizes or f'{partitions} partitions'}, with a least possible two-sided p-value of {least:.2g}; "
            f"{enough} against {enough} would be enough"
        )
    if draws is not None and least_p(partitions, draws) > alpha + 1e-12:
        needed = next(n for n in count(draws) if 2 / (n + 1) <= alpha + 1e-12)
        return (
            f"{draws} partitions drawn, with a least possible two-sided p-value of "
            f"{least_p(partitions, draws):.2g}; {needed} would be enough"
        )
    return ""


def obstacle(effect: float, test: PermutationTest, sizes: str, confidence: float) -> str:
    """Why a test cannot be made, or nothing.

    A small p-value may belong to the other direction than the effect size: this is taken over texts, the test may
    exchange terms; and the mean of very skewed values can lie beyond the tail that rejects.
    """
    if isnan(effect):
        return NO_EFFECT
    if isnan(test.p_value):
        return NO_TEST
    small = test.p_value <= significance(confidence) + 1e-12
    opposed = small and (effect < 0 if test.upper else effect > 0)
    few = too_small(test.partitions, confidence, draws=test.draws, sizes=sizes)
    return few or (OPPOSED if opposed else "")
