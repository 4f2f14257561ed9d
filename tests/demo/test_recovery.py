"""The table of recovered against planted values."""

from __future__ import annotations

import math

import polars as pl
import pytest

from endoxa.demo.page import recovery_section
from endoxa.demo.recovery import RECOVERY_COLUMNS, SCALE_COLUMNS, plant_of, recovery_table, scale_table
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
    assert found["planted_difference"].to_list() == pytest.approx([1.5, 0.74, 0.0])
    assert found["recovered_difference"].to_list() == pytest.approx([1.5, 0.74, 0.0])
    assert found["mean_absolute_error"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    held = 112 / 150
    assert found["raw_preference"].to_list() == found["planted_preference"].to_list() == [1.0, held, 0.5]
    assert (
        found["calibrated_preference"].to_list() == found["planted_calibrated"].to_list() == [0.5, held, 0.5]
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


def estimates(found: dict[str, float], model: str = "causal-stereotyped") -> pl.DataFrame:
    """Estimates of one rule by axis, and the rows that are no part of the scale."""
    rows = [
        {
            "axis": axis,
            "value": share,
            "low": share - 0.1,
            "high": min(1.0, share + 0.1),
            "interval": "wilson",
        }
        for axis, share in found.items()
    ]
    others = [{**rows[0], "axis": "all"}, {**rows[0], "interval": "identities"}]
    frame = pl.DataFrame([*rows, *others])
    return frame.with_columns(
        model=pl.lit(f"hf/x/{model}"), rule=pl.lit("sum"), language=pl.lit("all"),
        name=pl.lit("preference_ratio"), n=pl.lit(30),
    )  # fmt: skip


FOUND = {"leisure": 1.0, "age": 0.5, "family": 0.6, "profession": 0.6, "residence": 22 / 30}


def test_the_scale_says_what_was_planted_beside_what_was_found() -> None:
    table = scale_table(pl.concat([estimates(FOUND), estimates(FOUND, "causal-neutral")]))
    assert table.columns == list(SCALE_COLUMNS)
    assert table["axis"].to_list() == ["age", "profession", "residence", "family", "leisure"]
    assert table["planted"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.9, 1.0])
    assert table["found"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.6, 1.0])
    assert scale_table(estimates(FOUND, "causal-neutral")).is_empty()


def test_the_page_says_how_many_intervals_hold_what_was_planted_also_when_one_misses() -> None:
    """Planted exactly 1 and found 1 counts; family is found 30 points away."""
    recovery = recovery_table(
        pl.concat(
            [
                records("causal-frequency", "frequency", "sum"),
                records("masked-frequency", "frequency", "crows-token"),
            ]
        )
    )
    section = recovery_section(recovery, scale_table(estimates(FOUND)))
    scale, frequency = (str(finding) for finding in section.findings)
    assert scale.startswith("5 shares between 50.0\u00a0% and 100.0\u00a0% were planted")
    assert (
        "in 4 of 5; the largest distance between planted and found is 30.0\u00a0percentage points." in scale
    )
    assert (
        "under 1 rule they prefer 100.0\u00a0% of the stereotypical sentences, and 50.0\u00a0%" in frequency
    )
    assert [figure.name for figure in section.figures] == ["scale", "recovery"]
    assert "sum, family: planted 90.0 %, found 60.0 %" in section.figures[0].alt
    (table,) = section.tables
    assert table.rows[-1] == (
        "causal-stereotyped",
        "sum",
        "leisure",
        "30",
        "100.0\u00a0%",
        "100.0\u00a0%",
        "90.0 to 100.0",
    )


def test_other_models_are_refused() -> None:
    assert plant_of("hf/demo/models/masked-neutral") == ("masked-neutral", "neutral")
    with pytest.raises(UserError, match="'hf/gpt2' is not a planted model"):
        recovery_table(records("hf/gpt2", "neutral", "sum"))
