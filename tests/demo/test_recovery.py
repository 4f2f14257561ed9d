"""The table of recovered against planted values."""

from __future__ import annotations

import math

import polars as pl
import pytest

from endoxa.demo.recovery import RECOVERY_COLUMNS, plant_of, recovery_table
from endoxa.demo.truth import planted_difference, planted_neutral_difference
from endoxa.demo.world import Plant, load_sample
from endoxa.errors import UserError

ITEMS = load_sample()


def records(model: str, plant: Plant, rule: str, shift: float = 0.0) -> pl.DataFrame:
    """Records of a model that scores as planted, with `shift` nats added to every difference."""
    neutral = planted_neutral_difference(plant, rule, ITEMS)
    return ITEMS.with_columns(
        model=pl.lit(model),
        rule=pl.lit(rule),
        score_more=planted_difference(plant, rule, ITEMS) + shift - 20.0,
        score_less=pl.lit(-20.0),
        neutral_difference=pl.Series(neutral).fill_nan(None),
    )


def test_a_perfect_model_recovers_everything() -> None:
    found = recovery_table(
        pl.concat(
            [
                records("hf/out/models/causal-frequency", "frequency", "sum"),
                records("hf//tmp/masked-stereotyped", "stereotyped", "crows-token"),
                records("encoder-decoder-neutral", "neutral", "completion"),
            ]
        )
    )
    assert found.columns == list(RECOVERY_COLUMNS)
    assert found["model"].to_list() == ["causal-frequency", "masked-stereotyped", "encoder-decoder-neutral"]
    assert found["plant"].to_list() == ["frequency", "stereotyped", "neutral"]
    assert found["planted_difference"].to_list() == pytest.approx([1.5, 1.5, 0.0])
    assert found["recovered_difference"].to_list() == pytest.approx([1.5, 1.5, 0.0])
    assert found["mean_absolute_error"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    assert found["raw_preference"].to_list() == found["planted_preference"].to_list() == [1.0, 1.0, 0.5]
    assert (
        found["calibrated_preference"].to_list() == found["planted_calibrated"].to_list() == [0.5, 1.0, 0.5]
    )
    assert found["n"].to_list() == [150, 150, 150]


def test_errors_are_seen() -> None:
    row = recovery_table(records("causal-neutral", "neutral", "sum", shift=0.4)).row(0, named=True)
    assert row["mean_absolute_error"] == pytest.approx(0.4)
    assert row["recovered_difference"] == pytest.approx(0.4)
    assert (row["planted_preference"], row["raw_preference"]) == (0.5, 1.0)


def test_calibration_is_nan_without_neutral_differences() -> None:
    without = records("causal-neutral", "neutral", "sum").with_columns(neutral_difference=pl.lit(None))
    assert math.isnan(recovery_table(without)["calibrated_preference"].item())


def test_rules_without_a_planted_value_are_left_out_and_order_does_not_matter() -> None:
    one = records("causal-frequency", "frequency", "sum")
    assert recovery_table(one.with_columns(rule=pl.lit("afristereo"))).is_empty()
    shuffled = recovery_table(one.sample(fraction=1, shuffle=True, seed=3))
    for name, value in recovery_table(one).row(0, named=True).items():
        assert shuffled[name].item() == (pytest.approx(value) if isinstance(value, float) else value)


def test_other_models_are_refused() -> None:
    assert plant_of("hf/demo/models/masked-neutral") == ("masked-neutral", "neutral")
    with pytest.raises(UserError, match="'hf/gpt2' is not a planted model"):
        recovery_table(records("hf/gpt2", "neutral", "sum"))
