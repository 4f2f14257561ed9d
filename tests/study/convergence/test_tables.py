"""Effects, reliabilities, correlations and agreement from tables of parts."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from endoxa.schema.study import (
    CORRELATION_COLUMNS,
    EFFECT_COLUMNS,
    PART_COLUMNS,
    RELIABILITY_COLUMNS,
)
from endoxa.study.convergence import estimates
from endoxa.study.convergence.chance import agreement
from endoxa.study.convergence.estimates import joined_parts, measured
from support.convergence_samples import TOOLS, planted_parts

TWO = {"pairs": 0.7, "tests": 0.9}


def effects(parts: pl.DataFrame) -> pl.DataFrame:
    return estimates.effects(measured(joined_parts(parts)))


def reliabilities(parts: pl.DataFrame) -> pl.DataFrame:
    return estimates.reliabilities(measured(joined_parts(parts)))


def correlations(parts: pl.DataFrame) -> pl.DataFrame:
    return estimates.correlations(measured(joined_parts(parts)))


def table(*rows: tuple[str, str, str, float], model: str = "m", tool: str = "pairs") -> pl.DataFrame:
    """Parts from (association, identity, part, value)."""
    cells = [(model, tool, *row) for row in rows]
    return pl.DataFrame(cells, schema=list(PART_COLUMNS), orient="row")


HAND = table(
    ("a1", "g1", "x1", 1.0),
    ("a1", "g1", "x2", 3.0),
    ("a2", "g2", "y1", 0.0),
    ("a2", "g2", "y2", 0.0),
    ("a2", "g2", "y3", 3.0),
)


def test_effects_by_hand():
    found = effects(HAND)
    assert found.columns == list(EFFECT_COLUMNS)
    scale = np.std([1, 3, 0, 0, 3], ddof=1)
    within = (2 + 6) / 3
    assert found["value"].to_list() == [2.0, 1.0]
    assert found["effect"].to_list() == pytest.approx([2 / scale, 1 / scale])
    assert found["se"].to_list() == pytest.approx(
        [math.sqrt(within / 2) / scale, math.sqrt(within / 3) / scale]
    )
    p = 2 * stats.t.sf(2 / math.sqrt(within / 2), 3)
    assert found["p_value"][0] == pytest.approx(p)
    reach = stats.t.ppf(0.975, 3) * math.sqrt(within / 2) / scale
    assert found["high"][0] == pytest.approx(2 / scale + reach)


@pytest.mark.slow
@settings(max_examples=6)
@given(st.sampled_from([0.01, 12.0]), st.integers(0, 99))
def test_neither_a_positive_factor_nor_the_order_of_rows_changes_effects_and_correlations(factor, seed):
    parts = planted_parts(tools=TWO)
    mixed = pl.concat(
        own.sample(fraction=1, shuffle=True, seed=seed) for own in parts.partition_by("instrument")
    ).with_columns(pl.col("value") * factor)
    before, after = (effects(found).sort("instrument", "association_id") for found in (parts, mixed))
    for name in ("effect", "se", "p_value"):
        assert after[name].to_list() == pytest.approx(before[name].to_list())
    one, two = (correlations(found).row(0, named=True) for found in (parts, mixed))
    for name in ("raw", "corrected", "low", "high", "p_value"):
        assert one[name] == pytest.approx(two[name])


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (HAND.unique("association_id", keep="first", maintain_order=True), "one part"),
        (
            table(("a", "g", "x", 1.0), ("a", "g", "y", 1.0), ("b", "h", "x", 2.0), ("b", "h", "y", 2.0)),
            "are the same",
        ),
    ],
)
def test_without_spread_of_parts_nothing_is_tested(parts, reason):
    found = effects(parts)
    assert set(found["verdict"]) == {"cannot-be-tested"}
    assert reason in found["reason"][0]
    assert found["effect"].is_not_null().all()
    assert found["se"].is_null().all()


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_four_instruments_show_the_planted_correlation(correlation):
    worlds = [planted_parts(seed, identities=20, correlation=correlation) for seed in range(6)]
    reliability = pl.concat(map(reliabilities, worlds))
    assert reliability.columns == list(RELIABILITY_COLUMNS)
    means = dict(reliability.group_by("instrument").agg(pl.col("reliability").mean()).iter_rows())
    assert means == {name: pytest.approx(planted, abs=0.05) for name, planted in TOOLS.items()}
    found = pl.concat(map(correlations, worlds))
    assert found.columns == list(CORRELATION_COLUMNS)
    assert len(found) == 6 * 6
    covered = found.select((pl.col("low") <= correlation) & (pl.col("high") >= correlation)).to_series()
    assert covered.mean() >= 0.86  # 95 % less three standard errors, pairs of a study being dependent
    assert found["corrected"].mean() == pytest.approx(correlation, abs=0.08)
    assert found["raw"].mean() == pytest.approx(correlation * 0.67, abs=0.07)
    if correlation == 0:
        assert found["verdict"].is_in(["above", "below"]).mean() <= 0.05
    elif correlation >= 0.6:
        # A reliability of 0.5 is not always known to be above 0.1.
        assert (found["verdict"] == "above").mean() > 0.8


def turned(parts: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Parts whose tests have the other sign in these parts."""
    opposed = (pl.col("instrument") == "tests") & pl.col("part").is_in(names)
    return parts.with_columns(value=pl.when(opposed).then(-pl.col("value")).otherwise("value"))


UNRELIABLE = {"pairs": 0.02, "tests": 0.02, "stories": 0.9}
ONE_PART = (pl.col("instrument") == "pairs") | (pl.col("part") == "t0")
APART = pl.when(instrument="tests").then(pl.format("z{}", "association_id")).otherwise("association_id")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (planted_parts(1, tools=UNRELIABLE, common_attribute=0.5), "too low or too uncertain"),
        (turned(planted_parts(tools=TWO), ["t1", "t3", "t5"]), "too low"),
        (
            planted_parts(tools=TWO).filter(ONE_PART),
            "tests cannot be told: there is one part per association",
        ),
        (planted_parts(tools=TWO).with_columns(association_id=APART), "no association was measured by both"),
        (planted_parts(identities=1, each=60, tools=TWO), "1 identity, at least 6"),
        (planted_parts(identities=8, each=1, tools=TWO), "8 associations, at least 10"),
    ],
)
def test_correlations_that_cannot_be_corrected_say_why(parts, reason):
    for row in correlations(parts).iter_rows(named=True):
        assert (row["verdict"], row["low"], row["p_value"]) == ("cannot-be-tested", None, None)
        assert row["corrected"] is None or "identity" in reason
        assert reason in row["reason"] + row["sentence"]
        if "one part" in reason:
            assert 0 < row["raw_low"] < row["raw"] < row["raw_high"]
            assert "raw correlation" in row["sentence"]


@pytest.mark.parametrize(
    ("above", "below", "unclear", "untested", "kind"),
    [
        (3, 0, 0, 0, "all agree"),
        (0, 2, 0, 0, "all agree"),
        (0, 2, 0, 1, "some agree"),
        (1, 1, 2, 0, "contradict"),
        (2, 0, 1, 0, "some agree"),
        (1, 0, 3, 0, "only one sees it"),
        (0, 0, 2, 0, "none sees it"),
        (1, 0, 0, 2, "one instrument"),
        (0, 0, 0, 2, "cannot be tested"),
    ],
)
def test_what_instruments_say_together(above, below, unclear, untested, kind):
    numbers = {"above": above, "below": below, "unclear": unclear, "cannot-be-tested": untested}
    verdicts = [verdict for verdict, number in numbers.items() for _ in range(number)]
    rows = [("m", f"i{k}", "a", "x", 0.1, verdict) for k, verdict in enumerate(verdicts)]
    columns = ("model", "instrument", "association_id", "identity", "effect", "verdict")
    alone = pl.DataFrame(rows, schema=columns, orient="row")
    assert agreement(alone, {})["agreement"].to_list() == [kind]
    # With an instrument more that did not measure the association, all cannot agree.
    more = pl.DataFrame([*rows, ("m", "other", "b", "x", 0.1, "unclear")], schema=columns, orient="row")
    assert agreement(more, {}).filter(association_id="a")["agreement"].item() == kind.replace("all", "some")
