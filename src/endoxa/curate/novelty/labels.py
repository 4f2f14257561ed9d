"""Pairs of texts that people called related or not: the table by which a threshold is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Encoder
from endoxa.curate.novelty.concepts import Kind, normalise
from endoxa.errors import UserError
from endoxa.sources.frames import read_table

NEEDED = ("text_a", "text_b", "related")
PARTS = ("identity_a", "attribute_a", "identity_b", "attribute_b")
"""Columns that labels of associations have besides, since identity and attribute are compared one by one."""

YES = ("yes", "y", "true", "1", "related")
NO = ("no", "n", "false", "0", "unrelated", "distinct")

Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Two concepts, each as its compared texts."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labelled pairs, each once.

    Attributes:
        pairs: the two concepts of each pair.
        related: what people said.
        repeated: rows left out because an earlier one has the same pair, in this order or the other.
        unlabelled: rows without an answer.
        equal: rows of two equal texts, which say nothing about a threshold.
    """

    pairs: tuple[Pair, ...]
    related: npt.NDArray[np.bool_]
    repeated: int = 0
    unlabelled: int = 0
    equal: int = 0

    def cosines(self, encoder: Encoder, *, same_identity: bool = False) -> npt.NDArray[np.float64]:
        """Likeness of each pair, as `nearest.likeness` has it: the smallest cosine of its parts.

        Args:
            encoder: texts to unit vectors.
            same_identity: compare attributes alone.
        """
        first = 1 if same_identity else 0
        texts = sorted({text for pair in self.pairs for side in pair for text in side[first:]})
        place = {text: row for row, text in enumerate(texts)}
        vectors = encoder(texts).astype(np.float64)
        values = [
            min(
                float(vectors[place[a]] @ vectors[place[b]])
                for a, b in zip(side[first:], other[first:], strict=True)
            )
            for side, other in self.pairs
        ]
        return np.array([round(min(side, 1.0), 6) for side in values], dtype=np.float64)


def read_labels(path: Path, kind: Kind = "attribute") -> Labels:
    """The labelled pairs of a table with `text_a`, `text_b` and `related` (yes or no; empty rows are left out).

    Args:
        path: the table; a sheet of `--sheet` that was filled in.
        kind: of the concepts; associations need the columns `PARTS`.

    Raises:
        UserError: the table cannot be read, a text is empty, an answer is neither yes nor no, a pair has both answers,
            two equal texts are called unrelated, or one of the two answers never occurs.
    """
    table = read_table(path, NEEDED)
    if kind == "association" and not set(PARTS) <= set(table.columns):
        raise UserError(
            f"{path} has no columns {', '.join(PARTS)}, which labels of associations need. Have a sheet written with "
            "--sheet, and fill it in."
        )
    labels: dict[frozenset[tuple[str, ...]], tuple[bool, int]] = {}
    pairs: list[Pair] = []
    repeated = unlabelled = equal = 0
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        answer = _answer(path, number, row["related"])
        if answer is None:
            unlabelled += 1
            continue
        pair = _pair(path, number, row, kind)
        key = frozenset(pair)
        if len(key) == 1:
            if not answer:
                raise UserError(
                    f"{path}, row {number}: two equal texts are called unrelated. Correct it, or leave the row out."
                )
            equal += 1
        elif key in labels:
            _require_same(path, number, answer, labels[key])
            repeated += 1
        else:
            labels[key] = answer, number
            pairs.append(pair)
    related = np.array([answer for answer, _ in labels.values()], dtype=bool)
    _require_yes_and_no(path, related)
    return Labels(tuple(pairs), related, repeated, unlabelled, equal)


def _answer(path: Path, number: int, cell: str | None) -> bool | None:
    """Yes, no, or None where nobody answered."""
    word = (cell or "").strip().lower().removesuffix(".0")
    if not word:
        return None
    if word not in (*YES, *NO):
        raise UserError(
            f"{path}, row {number}, column 'related': '{cell}' is neither yes nor no. Correct it."
        )
    return word in YES


def _pair(path: Path, number: int, row: dict[str, str | None], kind: Kind) -> Pair:
    columns = PARTS if kind == "association" else ("text_a", "text_b")
    cells = [normalise(row[name] or "") for name in columns]
    empty = next((name for name, text in zip(columns, cells, strict=True) if not text), None)
    if empty is not None:
        raise UserError(f"{path}, row {number}, column '{empty}': empty. Expected a text.")
    half = len(cells) // 2
    return tuple(cells[:half]), tuple(cells[half:])


def _require_same(path: Path, number: int, answer: bool, earlier: tuple[bool, int]) -> None:
    if answer != earlier[0]:
        raise UserError(
            f"{path}, row {number}: this pair has the other answer in row {earlier[1]}. Agree on one (endoxa analyze "
            "agreement says how far raters agree), and keep one row."
        )


def _require_yes_and_no(path: Path, related: Sequence[bool] | npt.NDArray[np.bool_]) -> None:
    if not len(related):
        raise UserError(f"{path} has no labelled pair of two different texts. Fill in the column 'related'.")
    yes = int(np.sum(related))
    if yes in (0, len(related)):
        raise UserError(
            f"{path}: all {len(related)} pairs are labelled {'related' if yes else 'unrelated'}. A threshold needs "
            "pairs of both kinds."
        )
