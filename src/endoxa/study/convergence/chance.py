"""Which associations several instruments show, and how many instruments that know nothing of each other would.

For chance, identities are exchanged in all instruments but one.

An attribute that is said of many identities has a level of its own in every instrument (a harsh word, a frequent one),
and so have the instruments themselves. So attribute means are removed first, what is left of whole identities is
exchanged, and the attribute means are put back: what attributes alone make alike stays, what is about an association or
an identity is broken up. Parts of one association may depend on each other as they like: they move together.

Where no other identity has the attribute of an association, nothing tells the one from the other: it stays as it is,
and where there are no others, nothing is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from endoxa.runs.estimates import Family
from endoxa.schema.study import (
    AGREEMENT_COLUMNS,
    AGREEMENTS,
    ALL,
    ALL_AGREE,
    CHANCE_COLUMNS,
    CONTRADICT,
    LONE_FINDING,
    NONE_SEES,
    NOT_TESTED,
    SEVERAL,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
    TOGETHER,
)
from endoxa.stats.reliability import FEWEST_UNITS
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance, too_few
from endoxa.study.convergence.estimates import ASSOCIATION_OR_WORD, attribute_codes, identity_codes, judged

EXCHANGES = 999
"""Exchanges of identities that are drawn."""

COINCIDENCE = Family(
    "associations that several instruments show",
    "one test for each model: several instruments, and all of them where they are more than two",
    "whether several, or all, instruments show the same associations more often than by chance",
)
TESTED = (SEVERAL, ALL)
"""Numbers that are tested; the others are beside them to be read."""


def seen_together(
    effects: pl.DataFrame,
    attributes: Mapping[str, str],
    confidence: float = 0.95,
    seed: int = 0,
    exchanges: int = EXCHANGES,
) -> pl.DataFrame:
    """How many associations several, all, one or none of the instruments of a model show, and how many by chance.

    Over the associations that two or more instruments tested. An instrument shows an association under an exchange
    where the exchanged effect is as many standard errors from 0 as the least effect that it claims, so each keeps its
    own share of claims: what its error rate and its correction for several tests make of it.

    Args:
        effects: columns of `schema.study.EFFECT_COLUMNS`.
        attributes: attribute of each association, by id.
        confidence: confidence level of the verdicts, and of the range by chance.
        seed: seed of the exchanges.
        exchanges: how many are drawn.

    Returns:
        Columns of `schema.study.CHANCE_COLUMNS`, rows for each model with two instruments or more.
    """
    models = effects.partition_by("model", maintain_order=True)
    rows = (
        row
        for part in models
        if part["instrument"].n_unique() > 1
        for row in _rows(part, attributes, confidence, (seed, exchanges))
    )
    how: dict[str, Any] = {"value": "observed", "alternative": "greater", "ends": ()}
    return judged(rows, CHANCE_COLUMNS, COINCIDENCE, confidence=confidence, **how)


def _rows(
    effects: pl.DataFrame, attributes: Mapping[str, str], confidence: float, drawn: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    instruments = effects["instrument"].n_unique()
    tested = effects.filter(pl.col("se") > 0)
    tested = tested.filter(pl.len().over("association_id") > 1).sort("association_id", maintain_order=True)
    each = tested.group_by("association_id", maintain_order=True).agg(pl.col("identity").first(), n=pl.len())
    names = each["association_id"].to_list()
    attribute, identity = attribute_codes(names, attributes), identity_codes(each["identity"].to_list())
    by_instrument = tested.partition_by("instrument", as_dict=True)
    claims = [
        sides_of(by_instrument[name,], names, attribute)
        for name in effects["instrument"].unique(maintain_order=True)
        if (name,) in by_instrument
    ]
    counts = np.array(list(_counts(claims, instruments, *drawn))) if names else None
    for place, together in enumerate(TOGETHER):
        if together == ALL and instruments < 3:
            continue
        counted = (each["n"] >= (instruments if together == ALL else 2)).to_numpy()
        reason = _untested(
            identity[counted], attribute[counted], "all" if together == ALL else "two", confidence
        )
        row = {
            "model": effects["model"][0],
            "n_instruments": instruments,
            "n_identities": each["identity"].n_unique(),
            "n_attributes": len(np.unique(attribute)),
            "confidence": confidence,
            "together": together,
            "n_associations": int(counted.sum()),
            "observed": 0.0,
            "neutral": 0.0 if together in TESTED else None,
            "reason": reason,
        }
        if counts is not None and counted.any():
            ours, others = counts[0, place], counts[1:, place]
            row["observed"] = float(ours)
            if reason != ASSOCIATION_OR_WORD:
                tail = (1 - confidence) / 2
                row |= {
                    "expected": float(others.mean()),
                    "neutral": float(others.mean()) if together in TESTED else None,
                    "range_low": float(np.quantile(others, tail, method="inverted_cdf")),
                    "range_high": float(np.quantile(others, 1 - tail, method="inverted_cdf")),
                }
            if not reason and together in TESTED:
                row["p_value"] = float((counts[:, place] >= ours).mean())
        yield row


def _untested(identity: np.ndarray, attribute: np.ndarray, instruments: str, confidence: float) -> str:
    """Why exchanges cannot say what is by chance: too little was tested, or too few attributes recur; else empty."""
    if not len(identity):
        return f"no association was tested with {instruments} instruments"
    recur = with_partner(identity, attribute)
    recurring = "with an attribute of two or more identities"
    needed = fewest_units(significance(confidence))
    return (
        too_few(len(identity), "associations", FEWEST_UNITS)
        or too_few(len(np.unique(identity)), "identities", needed)
        or ("" if recur.any() else ASSOCIATION_OR_WORD)
        or too_few(int(recur.sum()), f"associations {recurring}", FEWEST_UNITS)
        or too_few(len(np.unique(identity[recur])), f"identities {recurring}", needed)
    )


Sides = Callable[[np.random.Generator | None], np.ndarray]
"""1, -1 or 0 for each association: what an instrument claims, identities exchanged where there is a source of it."""


def sides_of(table: pl.DataFrame, names: Sequence[str], attribute: np.ndarray) -> Sides:
    """What an instrument claims of each association.

    Args:
        table: its rows of effects, those that were tested.
        names: associations of all instruments.
        attribute: code of the attribute of each of them.
    """
    index = {name: k for k, name in enumerate(names)}
    place = np.array([index[name] for name in table["association_id"]])
    effects, error = table["effect"].to_numpy(), table["se"].to_numpy()
    claimed = table["verdict"].is_in([ABOVE, BELOW]).to_numpy()
    # The standard errors of the least claim; a rounding error is no difference.
    bound = float(np.abs(effects / error)[claimed].min()) * (1 - 1e-9) if claimed.any() else np.inf
    identity = identity_codes(table["identity"].to_list())
    moves = with_partner(identity, attribute[place])
    identity, codes = (
        np.unique(codes[moves], return_inverse=True)[1] for codes in (identity, attribute[place])
    )
    level, order = attribute_levels(effects[moves], codes), _order(identity, codes)

    def sides(rng: np.random.Generator | None) -> np.ndarray:
        effect = effects.copy()
        if rng is not None and moves.any():
            effect[moves] = level + (effect[moves] - level)[exchanged(identity, order, rng)]
        made = np.zeros(len(names))
        made[place] = np.sign(effect) * (np.abs(effect) >= bound * error)
        return made

    return sides


def _counts(
    claims: Sequence[Sides], instruments: int, seed: int, exchanges: int
) -> Iterator[tuple[int, ...]]:
    """Associations by what the instruments show together (`TOGETHER`): as measured, then under each exchange."""
    rng = np.random.default_rng(seed)
    for draw in range(exchanges + 1):
        table = np.array([sides(rng if draw and k else None) for k, sides in enumerate(claims)])
        above, below = (table > 0).sum(axis=0), (table < 0).sum(axis=0)
        most, against = np.maximum(above, below), np.minimum(above, below) > 0
        yield tuple(
            int(chosen.sum())
            for chosen in (
                (most > 1) & ~against,
                most == instruments,
                against,
                (most == 1) & ~against,
                most == 0,
            )
        )


def attribute_levels(values: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Mean over the associations of the same attribute, whose codes are 0 and up, for each of them."""
    return np.asarray((np.bincount(attribute, values) / np.bincount(attribute))[attribute])


def with_partner(identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """True where another identity has the same attribute."""
    _, first = np.unique(np.stack([identity, attribute]), axis=1, return_index=True)
    return np.asarray(np.bincount(attribute[first])[attribute] > 1)


def _order(identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Code of the attribute, and of the how many-th association of its identity with it."""
    cells = pl.DataFrame({"identity": identity, "attribute": attribute})
    rank = cells.select(pl.int_range(pl.len()).over("identity", "attribute")).to_series().to_numpy()
    return np.asarray(attribute * (int(rank.max(initial=0)) + 1) + rank)


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


_CLAIMS = {ABOVE: "above", BELOW: "below", UNCLEAR: "unclear", UNTESTED: "untested"}


def agreement(effects: pl.DataFrame, attributes: Mapping[str, str]) -> pl.DataFrame:
    """What the instruments say together about each association of each model.

    Associations that all instruments see come first, then those on which they contradict each other, and so on in the
    order of `schema.study.AGREEMENTS`; within a kind the stereotype before its opposite, and the largest mean
    effect first.

    Args:
        effects: columns of `schema.study.EFFECT_COLUMNS`.
        attributes: attribute of each association, by id.

    Returns:
        Columns of `schema.study.AGREEMENT_COLUMNS`.
    """
    named = {
        name: pl.col("instrument").filter(pl.col("verdict") == verdict) for verdict, name in _CLAIMS.items()
    }
    table = (
        effects.with_columns(instruments=pl.col("instrument").n_unique().over("model"))
        .group_by("model", "association_id", maintain_order=True)
        .agg(
            pl.col("identity", "instruments").first(),
            n_instruments=pl.len().cast(pl.Int64),
            mean_effect=pl.col("effect").mean(),
            **{name: claims.str.join("; ") for name, claims in named.items()},
            **{f"n_{name}": claims.len() for name, claims in named.items()},
        )
    )
    above, below = pl.col("n_above"), pl.col("n_below")
    tested, most = above + below + pl.col("n_unclear"), pl.max_horizontal(above, below)
    contradict = (above > 0) & (below > 0)
    kinds = {
        NOT_TESTED: tested == 0,
        SINGLE_INSTRUMENT: tested == 1,
        CONTRADICT: contradict,
        NONE_SEES: most == 0,
        ALL_AGREE: most == pl.col("instruments"),  # every one that measured the model at all
        SOME_AGREE: most > 1,
        LONE_FINDING: most == 1,
    }
    directions = {"": contradict | (most == 0), "above": above > 0, "below": below > 0}
    table = table.with_columns(
        attribute=pl.col("association_id").replace_strict(attributes, default="", return_dtype=pl.String),
        agreement=pl.coalesce(pl.when(holds).then(pl.lit(kind)) for kind, holds in kinds.items()),
        direction=pl.coalesce(pl.when(holds).then(pl.lit(side)) for side, holds in directions.items()),
    )
    order: dict[str, Sequence[str]] = {
        "model": effects["model"].unique(maintain_order=True).to_list(),
        "agreement": AGREEMENTS,
        "direction": ("above", "", "below"),
    }
    table = table.sort(
        *(pl.col(name).cast(pl.Enum(values)) for name, values in order.items()),
        -pl.col("mean_effect").abs().fill_null(0.0),
        "association_id",
    )
    place = pl.int_range(1, pl.len() + 1).over("model").cast(pl.Int64).alias("place")
    return table.with_columns(place).select(list(AGREEMENT_COLUMNS))
