"""What may be claimed from association tests, decided over everything that stands in one table or on one page.

The family is all tests of the table: twenty encoders with one test each are twenty tests. Tables that are joined are
therefore judged again, from the p-values that each has.
"""

from __future__ import annotations

from itertools import count
from math import comb

import polars as pl

from endoxa.runs.families import ASSOCIATION_TESTS, adjusted, beside_a_test, decided
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.stats.verdicts import UNTESTED, Alternative, significance

OPPOSED = "effect size and permutation test point in different directions"
NO_EFFECT = "the effect size is undefined"
NO_TEST = "the p-value is undefined"


def judged(tests: pl.DataFrame) -> pl.DataFrame:
    """The tests with `p_adjusted` over all of them, `verdict` and `verdict_reason`; rows keep their order.

    Args:
        tests: columns of `TEST_COLUMNS`. Rows whose verdict is that they cannot be tested stay so.
    """
    undefined = {name: pl.col(name).fill_nan(None).is_null() for name in ("effect_size", "p_value")}
    reason = (
        pl.when(verdict=UNTESTED)
        .then("verdict_reason")
        .when(undefined["effect_size"])
        .then(pl.lit(NO_EFFECT))
        .when(undefined["p_value"])
        .then(pl.lit(NO_TEST))
        .otherwise(pl.lit(""))
    )
    corrected = adjusted(tests.with_columns(cannot=reason), ASSOCIATION_TESTS, reason="cannot")
    # The p-value of the permutation test is a published score: it stays, and weighs on no other test.
    tests = tests.with_columns(corrected["p_adjusted"])
    questions = tests.with_row_index("place").select(
        *("place", "effect_size", "p_value", "p_adjusted"),
        neutral=pl.lit(0.0),
        # A table of other software may lack its confidence.
        confidence=pl.col("confidence").fill_null(DEFAULT_CONFIDENCE),
        alternative=pl.Series([side_of(method) for method in tests["method"]], dtype=pl.String),
        reason=corrected["cannot"],
    )
    decisions = pl.concat(
        decided(group, value="effect_size", confidence=level, alternative=side)
        for (level, side), group in questions.group_by("confidence", "alternative", maintain_order=True)
    ).sort("place")
    judgements = tests.with_columns(verdict=decisions["verdict"], verdict_reason=decisions["reason"])
    # No interval stands in place of a test that cannot be made.
    return judgements.with_columns(
        *beside_a_test("low", "high"),
        interval=pl.when(pl.col("verdict") != UNTESTED).then("interval").otherwise(pl.lit("")),
    )


def side_of(method: str | None) -> Alternative:
    """The alternative of a test as its `method` has it; 'greater' where nothing is said, as in the literature."""
    if "two-sided" in (method or ""):
        return "two-sided"
    return "less" if "one-sided (less)" in (method or "") else "greater"


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


def opposed(effect: float, p_value: float, *, upper: bool, confidence: float) -> bool:
    """True where a small p-value belongs to the other direction than the effect size.

    The effect size is taken over texts, the test may exchange terms; and the mean of very skewed values can lie
    beyond the tail that rejects.
    """
    return p_value <= significance(confidence) + 1e-12 and (effect < 0 if upper else effect > 0)
