"""The planted world: a sample data set, and simulated models that score its sentences as was planted.

The world holds every identity of the sample, and every neutral identity, with every attribute that agrees with it. The
log-odds between the two attributes of a pair are

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

A model gives a sentence half of the log-odds, with their sign, and a scatter of its own. It serves to demonstrate and
test endoxa only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.probe.items import replace_identity
from endoxa.models.chat.simulated.draws import normal
from endoxa.models.live import PREFIX
from endoxa.schema import ALL
from endoxa.study.simulated import offer_scorer
from endoxa.words.people import neutral_identities

SAMPLE = Path(__file__).with_name("sample.csv")
"""The file itself, in columns of `endoxa.schema.PAIR_COLUMNS`."""

PLANTS = ("neutral", "stereotyped", "frequency")
NAMED = "planted-"

STEREOTYPE, FREQUENCY, IDENTITY_EFFECT = 1.5, 1.5, 0.3
"""Sizes of s in the stereotyped world, of f in the frequency world, and of e in each, nats."""
SCATTER = 0.1
"""Standard deviation of what a sentence's score has besides, nats."""
SHARES = {"age": 0.5, "profession": 0.6, "residence": 0.75, "family": 0.9, "leisure": 1.0}
"""Share of the items of each axis in which the `stereotyped` plant holds the stereotype; counts are rounded down."""
STRIDE = 7
"""Shares no factor with the 30 items of an axis, so that steps of it visit all: those held lie scattered."""


def load_sample() -> pl.DataFrame:
    """The sample as a table: its columns of `PAIR_COLUMNS`, all strings, none null, in file order."""
    return pl.read_csv(SAMPLE, infer_schema=False, empty_string_is_null=False)


@lru_cache
def items() -> pl.DataFrame:
    """The sample with its `position` in language and axis, and whether a `stereotyped` model `holds` the stereotype."""
    place, size = pl.int_range(pl.len()).over("axis"), pl.len().over("axis")
    share = pl.col("axis").replace_strict(SHARES)
    holds = (place * STRIDE) % size < (share * size).floor()
    return load_sample().with_columns(position=pl.int_range(pl.len()).over("language", "axis"), holds=holds)


def planted_share(plant: str, axis: str = ALL) -> float:
    """Share of the items in which a plant prefers the stereotype for the identity's sake, in an axis or all."""
    if plant != "stereotyped":
        return 0.5
    rows = items() if axis == ALL else items().filter(axis=axis)
    return float(rows["holds"].sum() / rows.height)


@lru_cache
def levels(plant: str) -> Mapping[str, float]:
    """Log-probability of every sentence of the world under one plant, but for a constant, nats."""
    made: dict[str, float] = {}
    for (language,), rows in items().group_by("language", maintain_order=True):
        identities = rows.select("agreement", "identity").unique(maintain_order=True).rows()
        for agreement in rows["agreement"].unique(maintain_order=True):
            identities += [(agreement, who) for who in neutral_identities(str(language), agreement)]
        for agreement, identity in identities:
            agreeing = rows.filter(agreement=agreement).unique("attribute_more", maintain_order=True)
            for item in agreeing.iter_rows(named=True):
                odds = _log_odds(plant, rows, identity, item["attribute_more"])
                for text, sign in (("sent_more", 0.5), ("sent_less", -0.5)):
                    made[str(replace_identity(item[text], item["identity"], identity))] = sign * odds
    return made


def planted_models(seed: int) -> tuple[str, ...]:
    """Offer a model of each plant; returns the words by which a run names them."""
    return tuple(
        offer_scorer(
            f"{NAMED}{plant}",
            {text: level + SCATTER * normal(f"{seed}", plant, text) for text, level in levels(plant).items()},
            {"plant": plant, "scatter": SCATTER, "seed": seed},
        )
        for plant in PLANTS
    )


def plant_of(model: str) -> str:
    """The plant of a planted model, from the words that name it."""
    return model.removeprefix(f"{PREFIX}{NAMED}")


def _log_odds(plant: str, rows: pl.DataFrame, identity: str, attribute: str) -> float:
    """Planted log-odds of the stereotypical attribute against the other one; `rows` of one language."""
    frequency = FREQUENCY if plant == "frequency" else 0.0
    axis = rows.filter(identity=identity)["axis"]
    if axis.is_empty():
        return frequency
    item = rows.row(
        by_predicate=(pl.col("axis") == axis[0]) & (pl.col("attribute_more") == attribute), named=True
    )
    effect = IDENTITY_EFFECT if item["position"] % 2 == 0 else -IDENTITY_EFFECT
    if plant == "stereotyped":
        effect += STEREOTYPE if item["holds"] else -STEREOTYPE
    return frequency + (effect if item["identity"] == identity else -effect)
