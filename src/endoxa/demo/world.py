"""The planted world: a sample data set and sentences whose probabilities are set here.

The world holds every identity of the sample, and every neutral identity, with every attribute that agrees with it. A
sentence is drawn in four steps: a language (uniformly), an identity of that language (uniformly), an attribute pair
(uniformly), and one attribute of the pair with

    log-odds(stereotypical : other | identity) = f + e + s    the identity of an item of the sample
                                               = f - e - s    its counterpart, thought to be the opposite
                                               = f            neutral identities

s is the strength of the stereotype, f that of word frequency, and e an identity effect of +0.3 or -0.3 nats, in turn
within each language and axis, so that exactly half of the items have either sign. The three plants are `neutral` (s =
f = 0), `stereotyped` (s = 1.5 or -1.5, f = 0) and `frequency` (s = 0, f = 1.5).

A stereotype is seldom all or nothing, so the `stereotyped` world has a scale: s is 1.5 for as many items of an axis as
`SHARES` says and -1.5 for the others, scattered over the axis.

The sample has 150 pairs in five languages, written for endoxa (data card: `SAMPLE.md`). It has two identities for each
language and axis, and each attribute pair makes an item of exactly one of them; the other one is the counterpart. The
counterpart has the opposite plant, so a stereotype changes no word's overall frequency: only f does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.probe.items import Comparisons, replace_identity
from endoxa.schema import Pair
from endoxa.words.people import neutral_identities

SAMPLE = Path(__file__).with_name("sample.csv")
"""The file itself, in columns of `endoxa.schema.PAIR_COLUMNS`."""


def load_sample() -> pl.DataFrame:
    """The sample as a table: its columns of `PAIR_COLUMNS`, all strings, none null, in file order."""
    return pl.read_csv(SAMPLE, infer_schema=False, empty_string_is_null=False)


Plant = Literal["neutral", "stereotyped", "frequency"]
PLANTS: tuple[Plant, ...] = get_args(Plant)

IDENTITY_EFFECT = 0.3
"""Size of the identity effects e, in nats."""
STEREOTYPE: Mapping[Plant, float] = {"neutral": 0.0, "stereotyped": 1.5, "frequency": 0.0}
"""Strength s of the planted stereotype, in nats."""
SHARES: Mapping[str, float] = {
    "age": 0.5,
    "profession": 0.6,
    "residence": 0.75,
    "family": 0.9,
    "leisure": 1.0,
}
"""Share of the items of each axis in which the `stereotyped` plant holds the stereotype; counts are rounded down."""
STRIDE = 7
"""Shares no factor with the 30 items of an axis, so that steps of it visit all: those held lie scattered."""
FREQUENCY: Mapping[Plant, float] = {"neutral": 0.0, "stereotyped": 0.0, "frequency": 1.5}
"""Strength f of the planted word frequency, in nats."""


@lru_cache
def turned_round() -> frozenset[str]:
    """Ids of the items in which the `stereotyped` plant holds the opposite of the stereotype."""
    items_turned = set()
    for (axis,), items in load_sample().group_by("axis", maintain_order=True):
        limit = int(SHARES[str(axis)] * items.height)
        items_turned |= {
            item for k, item in enumerate(items["item_id"]) if (k * STRIDE) % items.height >= limit
        }
    return frozenset(items_turned)


@lru_cache
def world(plant: Plant) -> Mapping[str, float]:
    """Probability of every sentence of the world under one plant; they add up to 1."""
    joint: defaultdict[str, float] = defaultdict(float)
    sample = load_sample()
    for (language,), items in sample.group_by("language", maintain_order=True):
        identities = _identities(str(language), items)
        share = 1 / (sample["language"].n_unique() * len(identities))
        for agreement, identity in identities:
            agreeing = items.filter(pl.col("agreement") == agreement).unique(
                "attribute_more", maintain_order=True
            )
            for item in agreeing.iter_rows(named=True):
                odds = float(np.exp(_log_odds(plant, items, identity, item["attribute_more"])))
                more, less = (
                    str(replace_identity(item[text], item["identity"], identity))
                    for text in ("sent_more", "sent_less")
                )
                joint[more] += share / agreeing.height * odds / (1 + odds)
                joint[less] += share / agreeing.height / (1 + odds)
    return dict(joint)


def planted_difference(plant: Plant, items: pl.DataFrame) -> np.ndarray:
    """Log P(sent_more) - log P(sent_less) in the world of a plant, nats, for each item (columns of `PAIR_COLUMNS`).

    Raises:
        UserError: a sentence is not of the planted world.
    """
    return np.array(
        [_difference(plant, Pair(*pair)) for pair in items.select(*_PAIR).iter_rows()], dtype=float
    )


def planted_neutral_difference(plant: Plant, items: pl.DataFrame) -> np.ndarray:
    """As `planted_difference`, the median over what each item is compared with among the sample.

    NaN where it can be compared with nothing (`endoxa.instruments.pairs.probe.items`).
    """
    comparisons = Comparisons(load_sample().iter_rows(named=True))
    groups = [comparisons.of(item)[1] for item in items.iter_rows(named=True)]
    return np.array(
        [np.median([_difference(plant, pair) for pair in pairs]) if pairs else np.nan for pairs in groups],
        dtype=float,
    )


_PAIR = ("sent_more", "sent_less", "direction")


def _difference(plant: Plant, pair: Pair) -> float:
    there = world(plant)
    try:
        return float(np.log(there[pair.sent_more] / there[pair.sent_less]))
    except KeyError as problem:
        raise UserError(
            f"{problem} is not a sentence of the planted world: score the sample data set."
        ) from None


def _identities(language: str, items: pl.DataFrame) -> list[tuple[str, str]]:
    """(agreement, identity) of one language: those of its items, then the neutral ones."""
    combinations = items.select("agreement", "identity").unique(maintain_order=True).rows()
    neutral = [
        (agreement, identity)
        for agreement in items["agreement"].unique(maintain_order=True)
        for identity in neutral_identities(language, agreement or "")
    ]
    return [*combinations, *neutral]


def _log_odds(plant: Plant, items: pl.DataFrame, identity: str, attribute: str) -> float:
    """Planted log-odds of the stereotypical attribute against the other one; `items` of one language."""
    axis = items.filter(pl.col("identity") == identity)["axis"]
    if axis.is_empty():
        return FREQUENCY[plant]
    of_axis = items.filter(pl.col("axis") == axis[0]).with_row_index("position")
    item = of_axis.row(by_predicate=pl.col("attribute_more") == attribute, named=True)
    effect = IDENTITY_EFFECT if item["position"] % 2 == 0 else -IDENTITY_EFFECT
    sign = 1 if item["identity"] == identity else -1
    weight = -1 if item["item_id"] in turned_round() else 1
    return FREQUENCY[plant] + sign * (effect + weight * STEREOTYPE[plant])
