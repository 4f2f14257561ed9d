"""The picture and the sentence of what was planted and found."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.demo.figure import CALIBRATED, PLANTED, RAW, marks, planted_figure, planted_finding
from endoxa.demo.planted import PLANTS, levels, load_sample

ITEMS = load_sample()


def records(plant: str, shift: float = 0.0) -> pl.DataFrame:
    """Records of a model that scores as planted, with `shift` nats added to every difference."""
    more, less = ([levels(plant)[text] for text in ITEMS[side]] for side in ("sent_more", "sent_less"))
    scored = ITEMS.with_columns(score_more=pl.Series(more) + shift, score_less=pl.Series(less))
    return scored.with_columns(model=pl.lit(f"live/planted-{plant}"))


def estimates(found: dict[str, float], plant: str = "stereotyped") -> pl.DataFrame:
    """Estimates of one rule by axis, and the rows that are no part of the scale; what is over 0.85 is claimed."""
    rows = [
        {
            "axis": axis,
            "name": "preference_ratio",
            "value": share,
            "low": None if axis == "profession" else share - 0.1,
            "high": None if axis == "profession" else min(1.0, share + 0.1),
            "interval": "identities",
            "verdict": "cannot-be-tested" if axis == "profession" else "above" if share > 0.85 else "unclear",
        }
        for axis, share in found.items()
    ]
    overall = {**rows[0], "axis": "all", "value": 0.7, "low": 0.6, "high": 0.8, "verdict": "unclear"}
    calibrated = {**overall, "name": "calibrated_preference_ratio", "value": 0.503, "verdict": "above"}
    frame = pl.DataFrame([*rows, overall, calibrated, {**rows[0], "interval": "wilson"}])
    return frame.with_columns(model=pl.lit(f"live/planted-{plant}"), language=pl.lit("all"))


FOUND = {"leisure": 1.0, "age": 0.5, "family": 0.6, "profession": 0.6, "residence": 22 / 30}
EVERY = pl.concat([estimates(FOUND, plant) for plant in PLANTS])


def test_the_figure_shows_what_was_planted_beside_what_was_found() -> None:
    """Only what is claimed is filled; nothing is said of what cannot be tested."""
    real = {RAW: {"value": 0.8, "low": 0.6, "high": 0.9, "verdict": "above"}}
    table = marks(EVERY, "SmolLM2-135M", real)
    assert table.select("row", "what", "share", "claimed").rows()[:4] == [
        ("SmolLM2-135M", RAW, 0.8, True),
        ("no stereotype", PLANTED, 0.5, True),
        ("no stereotype", RAW, 0.7, False),
        ("no stereotype", CALIBRATED, 0.503, True),
    ]
    assert table.filter(row="stereotypes")["share"][0] == pytest.approx(112 / 150)
    axes = table.filter(pl.col("row").str.starts_with("– "))
    assert axes["row"].unique(maintain_order=True).to_list() == [
        f"– {axis}" for axis in ("age", "profession", "residence", "family", "leisure")
    ]
    assert axes.filter(what=PLANTED)["share"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.9, 1.0])
    assert axes.filter(what=RAW)["share"].to_list() == pytest.approx([0.5, 0.6, 22 / 30, 0.6, 1.0])
    assert axes.filter(what=RAW)["claimed"].to_list() == [False, None, False, False, True]
    assert axes.filter(row="– profession")["low"].to_list() == [None, None]
    assert "– family, planted: 90.0 %; – family, found: 60.0 %" in planted_figure(table).alt


def test_the_finding_counts_signs_and_errors() -> None:
    """One sign in two of the neutral model is wrong."""
    scored = pl.concat([records("stereotyped"), records("neutral", shift=0.4), records("frequency")])
    text = str(planted_finding(scored, EVERY)).replace("\u00a0", " ")
    assert text.startswith("In 3 simulated models 375 of 450 differences have the planted sign")
    assert "a mean error of at most 0.400 nats" in text
    assert text.endswith(
        "prefers 70.0 % of the stereotypical sentences, and 50.3 % compared with other groups."
    )
