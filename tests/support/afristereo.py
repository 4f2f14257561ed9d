"""How extractions are scored against the reviewers' gold (definitions: README of the shared folder `afristereo`)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl

Pair = tuple[str, str]
IRREGULAR = {"women": "woman", "men": "man", "children": "child", "people": "person"}


def strict(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text or "").lower()
    without = re.sub(r"[^\w\s]|_", " ", re.sub(r"[’‘`´']", "", folded))
    return " ".join(without.split())


def loose_attribute(text: str) -> str:
    return re.sub(r"^(?:are|is|was|were|be|being) (?=\S)", "", strict(text))


def singular(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def loose_identity(text: str) -> str:
    bare = re.sub(r"^(?:the|all|most|some|many) (?=\S)", "", strict(text))
    bare = re.sub(r"(?<=\S) (?:people|state)$", "", bare)
    return " ".join(map(singular, bare.split()))


@dataclass(frozen=True)
class Row:
    """A reviewed statement."""

    id: str
    respondent: str
    question: str
    country: str
    language: str
    statement: str
    status: str
    edited: bool
    pairs: tuple[tuple[frozenset[str], str], ...]
    """Gold pairs in loose form: the identities that count, and the attribute."""
    published: Pair
    """What the authors' extractor made of it."""


def read_gold(shared: Path) -> list[Row]:
    table = pl.read_csv(shared / "data/afristereo/gold_dev.csv", infer_schema=False).fill_null("")
    return [row(cells) for cells in table.iter_rows(named=True) if cells["status"] != "not_reviewed"]


def row(cells: dict[str, str]) -> Row:
    pairs = []
    if cells["status"] == "kept":
        identities = {cells["gold_identity"], cells["gold_identity_final"]}
        pairs.append((identities, cells["gold_attribute"]))
        pairs += [({one}, other) for one, other in json.loads(cells["gold_extra_pairs"] or "[]")]
    return Row(
        id=cells["statement_id"],
        respondent=cells["respondent"],
        question=cells["question"],
        country=cells["country"],
        language=cells["language"],
        statement=cells["statement"],
        status=cells["status"],
        edited=cells["human_edited"] == "true",
        pairs=tuple((frozenset(map(loose_identity, who)), loose_attribute(what)) for who, what in pairs),
        published=(cells["authors_identity"], cells["authors_attribute"]),
    )


def right(gold: Row, predicted: list[Pair]) -> bool:
    """Whether identity and attribute of one prediction are those of one gold pair, loosely."""
    return any(
        loose_identity(who) in identities and loose_attribute(what) == attribute
        for who, what in predicted
        for identities, attribute in gold.pairs
    )


def both_loose(rows: list[Row], predicted: dict[str, list[Pair]]) -> float:
    kept = [gold for gold in rows if gold.status == "kept"]
    return sum(right(gold, predicted[gold.id]) for gold in kept) / len(kept)


def pair_f1(rows: list[Row], predicted: dict[str, list[Pair]]) -> float:
    """Micro-averaged over kept and omitted statements; a pair of an omitted one is a false positive."""
    count: Counter[str] = Counter()
    for gold in rows:
        left = list(gold.pairs)
        count["gold"] += len(left)
        for who, what in predicted[gold.id]:
            if not who or not what:
                continue
            count["predicted"] += 1
            hit = next(
                (
                    pair
                    for pair in left
                    if loose_identity(who) in pair[0] and loose_attribute(what) == pair[1]
                ),
                None,
            )
            if hit:
                left.remove(hit)
                count["right"] += 1
    return 2 * count["right"] / (count["gold"] + count["predicted"])
