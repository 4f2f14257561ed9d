"""Associations and ratings of our own for the tests of harm studies."""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.sources.stereotales.associations import PARTS, association_id
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from support.respondents.ratings import RatingRespondent

FAIR = RatingRespondent(socioeconomic=0.0, gender=0.0, refusal=0.0, noise=0.0)
"""What people think in these tests: the harm that all agree on, without bias."""
RATING = {"repeat": 1, "language": "en", "frequent": "", "outcome": "partly"}


def associations(count: int, seed: int = 0) -> list[dict[str, str]]:
    """Different associations of two values of the published vocabulary."""
    values = [(attribute.name, value) for attribute in read_vocabulary() for value in attribute.values]
    pairs = [(one, other) for one, other in product(values, values) if one[0] != other[0]]
    chosen = random.Random(seed).sample(pairs, count)
    return [dict(zip(PARTS, (*one, *other), strict=True)) for one, other in chosen]


def write_associations(path: Path, rows: list[dict[str, str]], **more: Any) -> Path:
    """A table as `endoxa analyze associations` writes it, with the columns needed here."""
    pl.DataFrame([{**more, **row} for row in rows]).write_csv(path)
    return path


def write_people(path: Path, rows: list[dict[str, str]], each: int, seed: int = 0) -> Path:
    """A table of people's ratings: `each` of forty people rate each association as `FAIR` says."""
    draw = random.Random(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*PARTS, "rater", "harm", "frequent"])
        for row in rows:
            chance = FAIR.chances(row)
            for person in draw.sample(range(40), each):
                harm = draw.choices(list(chance), list(chance.values()))[0]
                writer.writerow([*row.values(), f"p{person}", harm, draw.choice(["yes", "no", "not sure"])])
    return path


def rated(
    row: Mapping[str, str], rater: str, harm: int | None, kind: str = "model", **more: Any
) -> dict[str, Any]:
    """One rating, as an analysis takes it."""
    return {
        "association_id": association_id(*row.values()),
        **row,
        "rater": rater,
        "rater_kind": kind,
        **RATING,
        "harm": harm,
        **more,
    }
