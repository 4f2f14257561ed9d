"""The multitrait-multimethod matrix: entries by hand, latent traits and method effects told apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.study.convergence.estimates import joined_parts, measured
from endoxa.study.convergence.mtmm import Traits, matrices

pytestmark = pytest.mark.slow

TOOLS = ("pairs", "tests", "choices")
ATTRIBUTES, IDENTITIES = 30, 8
ATTRIBUTE = {f"{i}-{a}": f"word {a}" for i in range(IDENTITIES) for a in range(ATTRIBUTES)}
IDENTITY = {name: f"group {name.split('-')[0]}" for name in ATTRIBUTE}
AXIS = {name: "gender" if int(name.split("-")[0]) % 2 else "age" for name in ATTRIBUTE}


def world(
    seed: int, *, latent: float, method: float, shift: float = 0.0, tools: tuple[str, ...] = TOOLS
) -> pl.DataFrame:
    """Parts in which a trait has a latent level for each word that all instruments share.

    Args:
        seed: of the draws.
        latent: variance of the levels of words by trait, shared by the instruments.
        method: variance of the levels of words in the first instrument, shared by its traits.
        shift: added to everything in the first instrument.
        tools: instruments.
    """
    rng = np.random.default_rng(seed)
    trait = {axis: np.sqrt(latent) * rng.standard_normal(ATTRIBUTES) for axis in ("age", "gender")}
    own = np.sqrt(method) * rng.standard_normal(ATTRIBUTES)
    rows = []
    for tool in tools:
        for name in ATTRIBUTE:
            word = int(name.split("-")[1])
            strength = trait[AXIS[name]][word] + (tool == tools[0]) * (own[word] + shift)
            strength += 0.3 * rng.standard_normal()
            rows += [
                ("m", tool, name, IDENTITY[name], f"t{k}", strength + rng.standard_normal()) for k in range(3)
            ]
    columns = ["model", "instrument", "association_id", "identity", "part", "value"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def made(parts: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, dict]]:
    traits = Traits.read(AXIS, IDENTITY, ATTRIBUTE)
    matrix, validity = matrices(measured(joined_parts(parts)), traits)
    return matrix, {row["measure"]: row for row in validity.iter_rows(named=True)}


def test_entries_are_correlations_of_means_over_the_words_of_both_traits():
    parts = world(0, latent=1, method=0)
    matrix, _ = made(parts)
    means = (
        parts.group_by("instrument", "association_id")
        .agg(pl.col("value").mean())
        .with_columns(
            trait=pl.col("association_id").replace_strict(AXIS),
            word=pl.col("association_id").replace_strict(ATTRIBUTE),
        )
    )
    by_word = means.group_by("instrument", "trait", "word").agg(pl.col("value").mean())
    assert matrix.height == 6 + 15  # six measurements: a diagonal, and every two
    for row in matrix.filter(pl.col("kind") != "reliability").iter_rows(named=True):
        sides = [
            by_word.filter(instrument=row[f"instrument_{k}"], trait=row[f"trait_{k}"]).sort("word")["value"]
            for k in (1, 2)
        ]
        assert row["value"] == pytest.approx(np.corrcoef(*sides)[0, 1])
        assert row["n_units"] == ATTRIBUTES
        assert row["low"] < row["value"] < row["high"]
    kinds = dict(matrix["kind"].value_counts().iter_rows())
    assert kinds == {
        "reliability": 6,
        "monotrait-heteromethod": 6,
        "heterotrait-monomethod": 3,
        "heterotrait-heteromethod": 6,
    }


def test_a_latent_trait_and_a_method_effect_are_told_apart():
    _, latent = made(world(1, latent=1, method=0))
    assert latent["convergent validity"]["verdict"] == latent["discriminant validity"]["verdict"] == "above"
    assert latent["method effect"]["verdict"] == "unclear"
    matrix, method = made(world(2, latent=0, method=1, shift=2))
    assert method["convergent validity"]["verdict"] == "unclear"
    assert method["discriminant validity"]["verdict"] == "unclear"
    lone = matrix.filter(kind="heterotrait-monomethod", instrument_1="pairs").row(0, named=True)
    assert lone["low"] > 0.5
    others = matrix.filter(pl.col("kind") == "heterotrait-monomethod", pl.col("instrument_1") != "pairs")
    assert others["value"].abs().max() < 0.5
    assert method["method effect"]["value"] > latent["method effect"]["value"]
