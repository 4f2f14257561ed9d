"""The planted world: sentences whose probabilities are known, because they are set here.

The world holds every identity of the sample, and every neutral identity, with every attribute that agrees with
it. A sentence is drawn in four steps: a language (uniformly), an identity of that language (uniformly), an
attribute pair (uniformly), and one attribute of the pair with

    log-odds(stereotypical : other | identity) = e + s     the identity of an item of the sample
                                               = -(e + s)  its counterpart, which is thought the opposite
                                               = 0         neutral identities

plus f everywhere. e is an identity effect of +0.3 or -0.3 nats, in turn within each language and axis, so that
exactly half of the items have each sign; s is the strength of the stereotype and f that of word frequency. The
three plants are `neutral` (s = f = 0), `stereotyped` (s = 1.5) and `frequency` (f = 1.5).

The sample has two identities per language and axis, and each attribute pair is an item of exactly one of them; the
other one is the counterpart. With the counterpart planted the other way round, no attribute becomes more
frequent by a stereotype: only f makes words frequent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import polars as pl

from endoxa.demo.sample import load_sample

Plant = Literal["neutral", "stereotyped", "frequency"]
PLANTS: tuple[Plant, ...] = get_args(Plant)

IDENTITY_EFFECT = 0.3
"""Size of the identity effects e, in nats."""
STEREOTYPE: Mapping[Plant, float] = {"neutral": 0.0, "stereotyped": 1.5, "frequency": 0.0}
"""Strength s of the planted stereotype, in nats."""
FREQUENCY: Mapping[Plant, float] = {"neutral": 0.0, "stereotyped": 0.0, "frequency": 1.5}
"""Strength f of the planted word frequency, in nats."""

NEUTRAL_IDENTITIES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("en", ""): ("people", "they"),
    ("fr", "m"): ("les gens", "ils"),
    ("fr", "f"): ("les personnes", "elles"),
    ("es", "m"): ("los seres humanos", "ellos"),
    ("es", "f"): ("las personas", "ellas"),
    ("hi", "m"): ("लोग", "वे"),
    ("hi", "f"): ("वे", "ये"),
    ("sw", ""): ("watu", "wao"),
}
"""Neutral identities by language and agreement."""


@dataclass(frozen=True, slots=True)
class World:
    """All sentences, the prompt each one answers, and their joint probability (aligned, summing to 1)."""

    sentences: tuple[str, ...]
    prompts: tuple[str, ...]
    probability: np.ndarray


def swap_identity(text: str, identity: str, other: str) -> str:
    """`text` with `other` in the place of `identity`, capitalised where the identity opens the text."""
    start = text.lower().index(identity.lower())
    if start == 0:
        other = other[:1].upper() + other[1:]
    return text[:start] + other + text[start + len(identity) :]


@lru_cache
def world(plant: Plant) -> World:
    """The sentences of the world and their probabilities under one plant."""
    joint: Counter[tuple[str, str]] = Counter()
    sample = load_sample()
    for (language,), items in sample.group_by("language", maintain_order=True):
        identities = _identities(str(language), items)
        share = 1 / (sample["language"].n_unique() * len(identities))
        for agreement, identity in identities:
            agreeing = items.filter(pl.col("agreement") == agreement).unique("attribute_more", maintain_order=True)
            for item in agreeing.iter_rows(named=True):
                odds = np.exp(_log_odds(plant, items, identity, item["attribute_more"]))
                prompt = swap_identity(item["prompt"], item["identity"], identity)
                for column, within in (("sent_more", odds / (1 + odds)), ("sent_less", 1 / (1 + odds))):
                    sentence = swap_identity(item[column], item["identity"], identity)
                    joint[prompt, sentence] += share / agreeing.height * within
    prompts, sentences = zip(*joint, strict=True)
    return World(sentences, prompts, np.array(list(joint.values())))


def _identities(language: str, items: pl.DataFrame) -> list[tuple[str, str]]:
    """(agreement, identity) of one language: those of its items, then the neutral ones."""
    own = items.select("agreement", "identity").unique(maintain_order=True).rows()
    neutral = [
        (agreement, identity)
        for agreement in items["agreement"].unique(maintain_order=True)
        for identity in NEUTRAL_IDENTITIES[language, agreement]
    ]
    return [*own, *neutral]


def _log_odds(plant: Plant, items: pl.DataFrame, identity: str, attribute: str) -> float:
    """Planted log-odds of the stereotypical attribute against the other one; `items` of one language."""
    axis = items.filter(pl.col("identity") == identity)["axis"]
    if axis.is_empty():
        return FREQUENCY[plant]
    of_axis = items.filter(pl.col("axis") == axis[0]).with_row_index("position")
    item = of_axis.row(by_predicate=pl.col("attribute_more") == attribute, named=True)
    effect = IDENTITY_EFFECT if item["position"] % 2 == 0 else -IDENTITY_EFFECT
    sign = 1 if item["identity"] == identity else -1
    return sign * (effect + STEREOTYPE[plant]) + FREQUENCY[plant]
