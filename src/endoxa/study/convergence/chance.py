"""What instruments that know nothing of each other would agree on: identities exchanged in all instruments but one.

An attribute that is said of many identities has a level of its own in every instrument (a harsh word, a frequent one),
and so have the instruments themselves. So attribute means are removed first, what is left of whole identities is
exchanged, and the attribute means are put back: what attributes alone make alike stays, what is about an association or
an identity is broken up. Parts of one association may depend on each other as they like: they move together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from endoxa.runs.families import BENJAMINI_HOCHBERG, Family, adjusted, decided
from endoxa.schema.convergence import CHANCE_COLUMNS
from endoxa.stats.reliability import FEWEST_UNITS
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, significance, too_few
from endoxa.study.convergence.effects import attribute_codes, identity_codes, types_of

EXCHANGES = 999
"""Exchanges of identities that are drawn."""

COINCIDENCE = Family(
    "associations seen by all instruments",
    "one test for each model",
    (),
    BENJAMINI_HOCHBERG,
    "whether more associations are seen by all instruments than by chance",
)


def seen_by_all(
    effects: pl.DataFrame,
    attributes: Mapping[str, str],
    confidence: float = 0.95,
    seed: int = 0,
    exchanges: int = EXCHANGES,
) -> pl.DataFrame:
    """How many associations all instruments of a model see, and how many they would see by chance.

    Over the associations that every instrument of the model tested. An instrument sees an association under an
    exchange where the exchanged effect is as many standard errors from 0 as the least effect that it claims.

    Args:
        effects: columns of `schema.convergence.EFFECT_COLUMNS`.
        attributes: attribute of each association, by id.
        confidence: confidence level of the verdicts.
        seed: seed of the exchanges.
        exchanges: how many are drawn.

    Returns:
        Columns of `schema.convergence.CHANCE_COLUMNS`, a row for each model with two instruments or more.
    """
    models = effects.partition_by("model", maintain_order=True)
    rows = [
        _row(part, attributes, confidence, (seed, exchanges))
        for part in models
        if part["instrument"].n_unique() > 1
    ]
    table = adjusted(pl.DataFrame(rows, schema=types_of(CHANCE_COLUMNS)), COINCIDENCE)
    table = decided(
        table.with_columns(neutral=pl.col("expected").fill_null(0.0)),
        value="observed",
        confidence=confidence,
        alternative="greater",
    )
    return table.select(list(CHANCE_COLUMNS)).fill_nan(None)


def _row(
    effects: pl.DataFrame, attributes: Mapping[str, str], confidence: float, drawn: tuple[int, int]
) -> dict[str, Any]:
    tools = effects["instrument"].unique(maintain_order=True).to_list()
    tested = effects.filter(pl.col("se") > 0)
    common = tested.filter(pl.len().over("association_id") == len(tools)).sort("association_id")
    by_tool = [common.filter(instrument=tool) for tool in tools]
    first = by_tool[0]
    identity = identity_codes(tuple(first["identity"]))
    attribute = attribute_codes(first["association_id"].to_list(), attributes)
    number = first.height
    row = {
        "model": effects["model"][0],
        "n_instruments": len(tools),
        "n_associations": number,
        "n_identities": len(np.unique(identity)),
        "n_attributes": len(np.unique(attribute)),
        "observed": 0.0,
        "confidence": confidence,
    }
    if number:
        counts = np.fromiter(_counts(by_tool, identity, attribute, *drawn), float)
        row |= {
            "observed": counts[0],
            "expected": float(counts[1:].mean()),
            "p_value": float((counts >= counts[0]).mean()),
        }
    reason = (
        "no association was tested with all instruments"
        if not number
        else too_few(number, "associations", FEWEST_UNITS)
        or too_few(row["n_identities"], "identities", fewest_units(significance(confidence)))
    )
    return row | ({"reason": reason, "p_value": float("nan")} if reason else {"reason": ""})


def _counts(
    by_tool: Sequence[pl.DataFrame],
    identity: np.ndarray,
    attribute: np.ndarray,
    seed: int,
    exchanges: int,
) -> Iterator[int]:
    """Associations that all claim in one direction: as measured, then under each exchange."""
    rng = np.random.default_rng(seed)
    statistics, levels, errors, bounds = [], [], [], []
    for table in by_tool:
        effect, error = table["effect"].to_numpy(), table["se"].to_numpy()
        claimed = table["verdict"].is_in([ABOVE, BELOW]).to_numpy()
        statistics.append(effect)
        errors.append(error)
        levels.append(attribute_levels(effect, identity, attribute))
        # A rounding error is no difference.
        bounds.append(float(np.abs(effect / error)[claimed].min()) * (1 - 1e-9) if claimed.any() else np.inf)
    order = _order(identity, attribute)
    for draw in range(exchanges + 1):
        sides = []
        for k, (effect, error, level, bound) in enumerate(
            zip(statistics, errors, levels, bounds, strict=True)
        ):
            moved = effect
            if draw and k:
                source = exchanged(identity, order, rng)
                moved = level + (effect - level)[source]
            sides.append(np.sign(moved) * (np.abs(moved) >= bound * error))
        yield int((np.abs(np.sum(sides, axis=0)) == len(sides)).sum())


def correlation_p_value(
    x: np.ndarray, y: np.ndarray, identity: np.ndarray, attribute: np.ndarray, seed: int = 0
) -> float:
    """Two-sided p-value of no correlation of what is left of attribute means, identities of one side exchanged."""
    rng = np.random.default_rng(seed)
    rest_x, rest_y = (values - attribute_levels(values, identity, attribute) for values in (x, y))
    order = _order(identity, attribute)
    observed = abs(float(rest_x @ rest_y)) * (1 - 1e-9)
    hits = sum(
        abs(float(rest_x @ rest_y[exchanged(identity, order, rng)])) >= observed for _ in range(EXCHANGES)
    )
    return (hits + 1) / (EXCHANGES + 1)


def attribute_levels(values: np.ndarray, identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Mean over the associations of the same attribute; of all those whose attribute one identity has, their mean.

    Args:
        values: one of each association.
        identity: code of its identity.
        attribute: code of its attribute.
    """
    pairs = np.unique(np.stack([attribute, identity]), axis=1)
    shared = np.bincount(pairs[0], minlength=int(attribute.max()) + 1)[attribute] > 1
    _, place = np.unique(np.where(shared, attribute, -1), return_inverse=True)
    return np.asarray((np.bincount(place, values) / np.bincount(place))[place])


def _order(identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Code of the attribute, and of the how many-th association of its identity with it."""
    cell = np.stack([identity, attribute])
    place = np.lexsort(cell)
    ordered = cell[:, place]
    starts = np.flatnonzero(np.r_[True, (np.diff(ordered) != 0).any(axis=0)])
    rank = np.empty(len(identity), dtype=np.int64)
    rank[place] = np.arange(len(place)) - np.repeat(starts, np.diff(np.r_[starts, len(place)]))
    return np.asarray(attribute * (int(rank.max()) + 1) + rank)


def exchanged(identity: np.ndarray, attribute: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each association the one whose value it takes: of the identity that takes the place of its own.

    The association of that identity with the same attribute, where there is one; else another one of it, in turn.

    Args:
        identity: code of the identity of each association, 0 and up.
        attribute: code of its attribute; no two associations share both.
        rng: source of the exchange.
    """
    sizes = np.bincount(identity)
    partner = rng.permutation(len(sizes))[identity]
    width = int(attribute.max()) + 1
    key = identity * width + attribute
    order = np.argsort(key)
    wanted = partner * width + attribute
    place = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
    same = order[place]
    starts = np.cumsum(sizes) - sizes
    within = np.empty(len(key), dtype=np.int64)
    within[order] = np.arange(len(key)) - starts[identity[order]]
    turn = (within + rng.integers(len(key))) % sizes[partner]
    return np.asarray(np.where(key[same] == wanted, same, order[starts[partner] + turn]))
