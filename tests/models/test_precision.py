"""Half precision and 4 bits beside float32: by how much scores move, and how many pairs change sides.

The bounds are twice what was measured (docs/performance.md) with these models on CrowS-Pairs.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.models.spec import ModelOptions
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import measure

pytestmark = pytest.mark.slow

ON_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
IN_4_BITS = pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="bitsandbytes is not installed")
PAIRS = 40


def scored(shared: Path, folder: Path, model: str, rule: str, options: ModelOptions) -> pl.DataFrame:
    settings = PairsSettings(
        data=str(shared / "data/crows_pairs/crows_pairs_anonymized.csv"),
        models=(f"hf/{shared / 'data/models' / model}",),
        rules=(rule,),
        options=options,
        calibrate=False,
        limit=PAIRS,
    )
    measure(INSTRUMENTS.get("pairs"), settings, folder)
    return pl.read_parquet(folder / "records.parquet").sort("item_id")


@pytest.mark.parametrize(
    ("model", "rule", "dtype", "nats", "sides"),
    [
        ("tiny-gpt2", "sum", "bfloat16", 0.25, 0.02),
        ("tiny-bert", "pll", "float16", 0.036, 0.005),
    ],
)
def test_half_precision_moves_scores_and_sides_by_no_more_than_was_measured(
    shared: Path,
    tmp_path: Path,
    model: str,
    rule: str,
    dtype: str,
    nats: float,
    sides: float,
) -> None:
    half = scored(shared, tmp_path / "half", model, rule, ModelOptions(dtype=dtype, device="cpu"))  # type: ignore[arg-type]
    whole = scored(shared, tmp_path / "whole", model, rule, ModelOptions(dtype="float32", device="cpu"))
    moved, changed = compared(whole, half)
    assert 0 < moved <= nats
    assert changed <= sides


@ON_GPU
@IN_4_BITS
def test_4_bits_are_a_different_model_and_most_pairs_keep_their_side(shared: Path, tmp_path: Path) -> None:
    whole = scored(shared, tmp_path / "whole", "tiny-gpt2", "sum", ModelOptions(dtype="float32"))
    small = scored(shared, tmp_path / "small", "tiny-gpt2", "sum", ModelOptions(four_bit=True))
    moved, changed = compared(whole, small)
    assert moved > 0
    assert changed < 0.5  # worse than a coin would mean that the weights are lost


def compared(one: pl.DataFrame, other: pl.DataFrame) -> tuple[float, float]:
    """The largest gap between two scores in nats, and the share of pairs with another preference."""
    assert one["item_id"].equals(other["item_id"])
    gap = np.abs(one["score_more"].to_numpy() - other["score_more"].to_numpy()).max()
    prefers = [np.sign((t["score_more"] - t["score_less"]).to_numpy()) for t in (one, other)]
    return float(gap), float((prefers[0] != prefers[1]).mean())
