"""The table of recovered against planted values."""

from __future__ import annotations

import math

import polars as pl
import pytest

from endoxa.demo.figure import CALIBRATED, PLANTED, RAW, figure_table, planted_figure
from endoxa.demo.recovery import (
    CLAIM_COLUMNS,
    RECOVERY_COLUMNS,
    SCALE_COLUMNS,
    claims_table,
    recovery_table,
    scale_table,
)
from endoxa.demo.run import simulated_finding
from endoxa.demo.world import Plant, load_sample, planted_difference, planted_neutral_difference
from endoxa.errors import UserError

ITEMS = load_sample()


def records(plant: Plant, shift: float = 0.0) -> pl.DataFrame:
    """Records of a model that scores as planted, with `shift` nats added to every difference."""
    neutral = planted_neutral_difference(plant, ITEMS)
    return ITEMS.with_columns(
        model=pl.lit(f"live/planted-{plant}"),
        score_more=planted_difference(plant, ITEMS) + shift - 20.0,
        score_less=pl.lit(-20.0),
        neutral_difference=pl.Series(neutral).fill_nan(None),
    )


def test_a_perfect_model_recovers_everything() -> None:
    found = recovery_table(
        pl.concat(
            [
                records("frequency"),
                records("stereotyped"),
                records("neutral"),
            ]
        )
    )
    assert found.columns == list(RECOVERY_COLUMNS)
    assert found["plant"].to_list() == ["frequency", "stereotyped", "neutral"]
    assert found["planted_difference"].to_list() == pytest.approx([1.5, 0.74, 0.0])
    assert found["recovered_difference"].to_list() == pytest.approx([1.5, 0.74, 0.0])
    assert found["mean_absolute_error"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    held = 112 / 150
    assert found["raw_preference"].to_list() == found["planted_preference"].to_list() == [1.0, held, 0.5]
    assert found["planted_calibrated"].to_list() == pytest.approx([0.5, held, 0.5], abs=0.03)
    assert found["calibrated_preference"].to_list() == found["planted_calibrated"].to_list()
    assert found["n"].to_list() == found["signs_as_planted"].to_list() == [150, 150, 150]


def test_errors_are_seen() -> None:
    row = recovery_table(records("neutral", shift=0.4)).row(0, named=True)
    assert row["mean_absolute_error"] == pytest.approx(0.4)
    assert row["recovered_difference"] == pytest.approx(0.4)
    assert (row["planted_preference"], row["raw_preference"], row["signs_as_planted"]) == (0.5, 1.0, 75)


def test_calibration_is_nan_without_neutral_differences() -> None:
    without = records("neutral").with_columns(neutral_difference=pl.lit(None))
    assert math.isnan(recovery_table(without)["calibrated_preference"].item())


def test_order_does_not_matter() -> None:
    one = records("frequency")
    shuffled = recovery_table(one.sample(fraction=1, shuffle=True, seed=3))
    for name, value in recovery_table(one).row(0, named=True).items():
        assert shuffled[name].item() == (pytest.approx(value) if isinstance(value, float) else value)


def estimates(found: dict[str, float], plant: Plant = "stereotyped") -> pl.DataFrame:
    """Estimates of one rule by axis, and the rows that are no part of the scale; what is over 0.85 is claimed."""
    rows = [
        {
            "axis": axis,
            "name": "preference_ratio",
            "value": share,
            "low": None if axis == "profession" else share - 0.1,
            "high": None if axis == "profession" else min(1.0, share + 0.1),
            "interval": "identities",
            "clusters": 2 if axis == "profession" else 6,
            "verdict": "cannot-be-tested" if axis == "profession" else "above" if share > 0.85 else "unclear",
        }
        for axis, share in found.items()
    ]
    whole = {
        **rows[0],
        "axis": "all",
        "value": 0.7,
        "low": 0.6,
        "high": 0.8,
        "clusters": 28,
        "verdict": "unclear",
    }
    calibrated = {**whole, "name": "calibrated_preference_ratio", "verdict": "above"}
    frame = pl.DataFrame([*rows, whole, calibrated, {**rows[0], "interval": "wilson"}])
    return frame.with_columns(
        model=pl.lit(f"live/planted-{plant}"), language=pl.lit("all"),
        n=pl.lit(150), attributes=pl.lit(39), p_adjusted=pl.lit(0.0594),
    )  # fmt: skip


FOUND = {"leisure": 1.0, "age": 0.5, "family": 0.6, "profession": 0.6, "residence": 22 / 30}


def test_the_scale_says_what_was_planted_beside_what_was_found() -> None:
    table = scale_table(pl.concat([estimates(FOUND), estimates(FOUND, "neutral")]))
    assert table.columns == list(SCALE_COLUMNS)
    assert table["axis"].to_list() == ["age", "profession", "residence", "family", "leisure"]
    assert table["planted"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.9, 1.0])
    assert table["found"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.6, 1.0])
    assert table["verdict"].to_list() == ["unclear", "cannot-be-tested", "unclear", "unclear", "above"]
    assert scale_table(estimates(FOUND, "neutral")).is_empty()


def test_the_figure_shows_what_was_planted_beside_what_was_found() -> None:
    """One sign in two of the neutral model is wrong; only what is claimed is filled."""
    recovery = recovery_table(
        pl.concat(
            [
                records("stereotyped"),
                records("neutral", shift=0.4),
                records("frequency"),
            ]
        )
    )
    every = pl.concat([estimates(FOUND), estimates(FOUND, "neutral")])
    claims = claims_table(every)
    assert claims.columns == list(CLAIM_COLUMNS)
    assert claims.select("plant", "calibrated").rows() == [
        ("stereotyped", False), ("stereotyped", True), ("neutral", False), ("neutral", True)
    ]  # fmt: skip
    real = {RAW: {"value": 0.8, "low": 0.6, "high": 0.9, "verdict": "above"}}
    marks = figure_table(claims, scale_table(every), recovery, {"SmolLM2-135M": real})
    assert marks.select("row", "what", "share", "claimed").rows()[:6] == [
        ("SmolLM2-135M", RAW, 0.8, True),
        ("no stereotype", PLANTED, pytest.approx(0.5, abs=0.03), True),
        ("no stereotype", RAW, 0.7, False),
        ("no stereotype", CALIBRATED, 0.7, True),
        ("word frequency", PLANTED, pytest.approx(0.5, abs=0.03), True),
        ("stereotypes", PLANTED, pytest.approx(112 / 150, abs=0.03), True),
    ]
    assert marks.filter(row="– family")["share"].to_list() == pytest.approx([0.9, 0.6])
    assert marks.filter(row="– profession")["low"].to_list() == [None, None]
    assert "– family, planted: 90.0 %; – family, found: 60.0 %" in planted_figure(marks).alt
    text = str(simulated_finding(recovery)).replace("\u00a0", " ")
    assert text.startswith("In 3 simulated models 375 of 450 differences have the planted sign")
    assert "a mean error of at most 0.400 nats" in text
    assert text.endswith(
        "prefers 100.0 % of the stereotypical sentences, and 50.3 % compared with other groups."
    )


def test_other_models_are_refused() -> None:
    with pytest.raises(UserError, match="'hf/gpt2' is not a planted model"):
        recovery_table(records("neutral").with_columns(model=pl.lit("hf/gpt2")))
