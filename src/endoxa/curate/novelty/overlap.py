"""Which concepts of a data set are in no other (LACES, section 5.2), and how many every two have in common.

A concept of A is present in B if its largest cosine to any concept of B reaches the threshold. So A can have much of B
while B has little of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from endoxa.curate.encoders import Encoder, Vectors, in_blocks
from endoxa.curate.novelty import Concepts
from endoxa.errors import UserError
from endoxa.stats.intervals import FEWEST_CLUSTERS, Interval, clustered_or_wilson

Rows = npt.NDArray[np.int64]

CELLS = 1 << 22
"""Cosines computed at a time (float32: 16 MiB)."""
TOLERANCE = 1e-6
"""Rounding of a cosine in float32: two equal texts have 0.9999999 as often as 1."""
Side = tuple[Vectors, ...]
"""Concepts as vectors: unit vectors, one array of shape (n, d) for each part of a concept."""


def encoded(datasets: Sequence[Concepts], encoder: Encoder) -> list[Side]:
    """The vectors of all data sets, all with the same kind of concept; each different text is encoded once."""
    texts = sorted({text for dataset in datasets for part in dataset.parts for text in part})
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder(texts)
    return [tuple(vectors[[place[text] for text in part]] for part in dataset.parts) for dataset in datasets]


def likeness(first: Side, second: Side) -> Vectors:
    """Cosines of all concepts of one side to all of the other, shape (n, m).

    Two associations are as alike as the less alike of their identities and their attributes: the joined text would
    call 'X are lazy' and 'X are generous' alike for their identity.
    """
    return reduce(np.minimum, (mine @ theirs.T for mine, theirs in zip(first, second, strict=True)))


def nearest(first: Side, second: Side, cells: int = CELLS) -> tuple[Vectors, Rows]:
    """For each concept of the first side the largest cosine to the second, and the row that has it (the first).

    Args:
        first: whose nearest are looked for.
        second: where they are looked for.
        cells: cosines in a block.
    """

    def best(start: int, stop: int) -> tuple[Vectors, Rows]:
        cosines = likeness(tuple(part[start:stop] for part in first), second)
        return cosines.max(axis=1), cosines.argmax(axis=1)

    blocks = in_blocks(len(first[0]), max(1, cells // len(second[0])), best)
    cosine, row = map(np.concatenate, zip(*blocks, strict=True))
    return np.minimum(cosine, np.float32(1)), row


def reaches(cosine: Vectors, threshold: float) -> npt.NDArray[np.bool_]:
    """Whether cosines are at or above the threshold, exactly there included."""
    return np.asarray(cosine, dtype=np.float64) >= threshold - TOLERANCE


SHARE_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "n_concepts": "different concepts",
    "n_unique": "concepts that are found in none of the other data sets",
    "share_unique": "n_unique / n_concepts",
    "low": "lower end of the interval of share_unique",
    "high": "upper end",
    "interval": "'identities' (identities are resampled) or 'wilson' (concepts count as independent)",
    "identities": "different identities that the concepts are said of",
    "confidence": "confidence level of the interval",
    "concept": "what a concept is: attribute, association or sentence",
    "threshold": "least cosine at which a concept is present in another data set",
    "threshold_from": "'given' or 'labels'",
    "encoder": "the sentence encoder",
    "format": "how the file was read",
    "rows": "rows that hold a concept",
    "left_out": "rows in other languages",
    "empty": "rows without the concept",
}
"""Columns of the table of data sets."""

SHARED_COLUMNS: dict[str, str] = {
    "from_dataset": "whose concepts are looked for",
    "to_dataset": "where they are looked for",
    "n_concepts": "concepts of from_dataset",
    "n_shared": "of these, found in to_dataset",
    "share": "n_shared / n_concepts",
}
"""Columns of `FILE_shared`, a row for every two data sets in either direction."""

CONCEPT_COLUMNS: dict[str, str] = {
    "dataset": "whose concept it is",
    "concept": "its text as it was compared",
    "unique": "whether it is found in none of the other data sets",
    "cosine": "largest cosine to any concept of the others",
    "nearest_dataset": "the data set that has that concept",
    "nearest": "its text",
}
"""Columns of `FILE_concepts`, a row for every concept."""

CURVE_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "threshold": "from 0 to 1",
    "share_unique": "the share that would be unique at this threshold",
}
"""Columns of `FILE_curve`."""

GRID = 100
"""Steps of the curve between 0 and 1."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Novelty:
    """What was found.

    Attributes:
        shares: columns of `SHARE_COLUMNS`, data sets in the order given.
        shared: columns of `SHARED_COLUMNS`.
        concepts: columns of `CONCEPT_COLUMNS`.
        curve: columns of `CURVE_COLUMNS`.
    """

    shares: pl.DataFrame
    shared: pl.DataFrame
    concepts: pl.DataFrame
    curve: pl.DataFrame


def analyze_novelty(
    datasets: Sequence[Concepts],
    encoder: Encoder,
    threshold: float,
    *,
    kind: str = "attribute",
    encoder_name: str = "",
    threshold_from: str = "given",
    confidence: float = 0.95,
    cells: int = CELLS,
) -> Novelty:
    """Unique and shared concepts of two or more data sets.

    Args:
        datasets: their concepts, all of one kind.
        encoder: texts to unit vectors.
        threshold: least cosine at which a concept is present in another data set.
        kind: of the concepts, for the table.
        encoder_name: for the table.
        threshold_from: 'given' or 'labels', for the table.
        confidence: confidence level of the intervals.
        cells: cosines computed at a time.

    Raises:
        UserError: fewer than two data sets.
    """
    check_inputs(len(datasets))
    sides = encoded(datasets, encoder)
    between = pl.concat(
        _between(datasets, sides, a, b, cells).with_columns(a=a)
        for a, b in permutations(range(len(datasets)), 2)
    )
    reached = pl.col("cosine") >= threshold - TOLERANCE
    # The first of the others that has the largest cosine.
    concepts = between.group_by("a", "place", maintain_order=True).agg(
        pl.all().get(pl.col("cosine").arg_max())
    )
    facts = {
        "confidence": confidence,
        "concept": kind,
        "threshold": threshold,
        "threshold_from": threshold_from,
        "encoder": encoder_name,
    }
    parts = concepts.with_columns(unique=~reached).partition_by("a", maintain_order=True)
    rows = [
        _share_row(dataset, part["unique"].to_numpy(), confidence) | facts
        for dataset, part in zip(datasets, parts, strict=True)
    ]
    return Novelty(
        shares=pl.DataFrame(rows).select(list(SHARE_COLUMNS)),
        shared=between.group_by(from_dataset="dataset", to_dataset="nearest_dataset", maintain_order=True)
        .agg(n_concepts=pl.len().cast(pl.Int64), n_shared=reached.sum().cast(pl.Int64), share=reached.mean())
        .select(list(SHARED_COLUMNS)),
        concepts=pl.concat(parts).with_columns(pl.col("cosine").round(6)).select(list(CONCEPT_COLUMNS)),
        curve=concepts.select("dataset", "cosine")
        .join(pl.DataFrame({"threshold": np.arange(GRID + 1) / GRID}), how="cross")
        .group_by("dataset", "threshold", maintain_order=True)
        .agg(share_unique=(pl.col("cosine") < pl.col("threshold") - TOLERANCE).mean()),
    )


def _between(datasets: Sequence[Concepts], sides: Sequence[Side], a: int, b: int, cells: int) -> pl.DataFrame:
    """For each concept of a data set the largest cosine to any concept of another one, which has it."""
    cosine, row = nearest(sides[a], sides[b], cells)
    return pl.DataFrame({"place": np.arange(len(cosine)), "cosine": cosine.astype(np.float64)}).with_columns(
        dataset=pl.lit(datasets[a].dataset),
        concept=pl.Series(datasets[a].texts),
        nearest_dataset=pl.lit(datasets[b].dataset),
        nearest=pl.Series(datasets[b].texts).gather(row),
    )


def check_inputs(count: int) -> None:
    """Refuse what cannot be compared; ask before anything is encoded.

    Raises:
        UserError: fewer than two data sets.
    """
    if count < 2:
        raise UserError("One data set has nothing to be compared with. Name at least two files.")


def share_interval(
    unique: Flags, identities: Sequence[Sequence[str]], confidence: float
) -> tuple[Interval, str, int]:
    """Interval of the share of unique concepts, its method, and the number of identities.

    Concepts that are said of one identity are not independent, so identities are what is resampled (delete-one
    jackknife, `clustered_share`): a concept said of several counts for each of them by an equal part, one that is said
    of nobody is its own. With fewer than five identities concepts count as independent (Wilson). It covers other
    concepts, of other identities, of the same kind; the other data sets, the encoder and the threshold are taken as
    they are.
    """
    rows = [
        (1 / max(1, len(names)), flag, name)
        for flag, names in zip(unique.tolist(), identities, strict=True)
        for name in names or ("",)
    ]
    interval, named = clustered_or_wilson(*map(np.array, zip(*rows, strict=True)), confidence)
    return interval, "wilson" if named < FEWEST_CLUSTERS else "identities", named


def _share_row(dataset: Concepts, unique: Flags, confidence: float) -> dict[str, Any]:
    interval, method, named = share_interval(unique, dataset.identities, confidence)
    return {
        "dataset": dataset.dataset,
        "n_concepts": len(dataset),
        "n_unique": int(unique.sum()),
        "share_unique": float(unique.mean()),
        "low": interval.low,
        "high": interval.high,
        "interval": method,
        "identities": named,
        "format": dataset.format,
        "rows": dataset.rows,
        "left_out": dataset.left_out,
        "empty": dataset.empty,
    }
