"""How well statements are read, measured against what reviewers made of them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.curate.evaluation.gold import Gold, Pair, Reading
from endoxa.sources.typography import unseen_removed

_IRREGULAR = {"women": "woman", "men": "man", "children": "child", "people": "person"}
_CONTRACTED = (
    (" arent ", " not "),
    (" isnt ", " not "),
    (" dont ", " do not "),
    (" doesnt ", " do not "),
    (" does not ", " do not "),
    (" cant ", " can not "),
    (" cannot ", " can not "),
    (" shouldnt ", " should not "),
    (" havent ", " have not "),
)
_EMPTY = re.compile(
    r"\b(the|a|an|all|very|so|too|always|just|that|have|has|can|should|must|be|are|to|people|somehow|individuals)\b"
)


def strict(text: str) -> str:
    """Lower case, letters and digits only, single spaces; apostrophes are deleted, other marks are spaces."""
    folded = unicodedata.normalize("NFKC", unseen_removed(text)).lower()
    without = re.sub(r"[^\w\s]|_", " ", re.sub(r"[’‘`´']", "", folded))
    return " ".join(without.split())


def loose_attribute(text: str) -> str:
    """The strict form without one copula in front."""
    return re.sub(r"^(?:are|is|was|were|be|being) (?=\S)", "", strict(text))


def loose_identity(text: str) -> str:
    """The strict form in the singular, without a determiner in front and a final "people" or "state"."""
    bare = re.sub(r"^(?:the|all|most|some|many) (?=\S)", "", strict(text))
    bare = re.sub(r"(?<=\S) (?:people|state)$", "", bare)
    return " ".join(map(singular, bare.split()))


def singular(word: str) -> str:
    """The word without a plural's ending, by rule."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def attribute_parts(text: str) -> frozenset[tuple[str, ...]]:
    """What an attribute says, cut at "and", "or", commas and slashes; contractions and empty words aside.

    Two readings are equivalent if they say the same parts: {"smart", "intelligent"} and "smart and intelligent".
    """
    pieces = re.split(r"\b(?:and|or)\b|,|/", loose_attribute(text))
    return frozenset(part for piece in pieces if (part := _part(piece)))


def _part(piece: str) -> tuple[str, ...]:
    padded = f" {piece} "
    for contracted, full in _CONTRACTED:
        padded = padded.replace(contracted, full)
    return tuple(map(singular, _EMPTY.sub(" ", padded).split()))


def token_f1(first: str, second: str) -> float:
    """F1 of the words of two attributes in loose form, repeats counted."""
    left, right = loose_attribute(first).split(), loose_attribute(second).split()
    if not left or not right:
        return float(left == right)
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right))


_GoldPair = tuple[frozenset[str], str]
_Form = Callable[[str], str]

COUNTS = (
    "statements", "kept", "identity", "attribute", "both", "identity_loose", "attribute_loose", "both_loose",
    "attribute_token_f1", "equivalent", "predicted", "gold", "matched", "matched_loose", "omitted", "proposed",
    "proposed_rightly",
)  # fmt: skip
"""Columns of counts, one row per statement; each is 0 or 1, or a number of pairs, or (token F1) a number up to 1."""


def counts(gold: Gold, read: Reading) -> np.ndarray:
    """`COUNTS` of one statement. Pairs of an omitted statement count as predicted and match nothing."""
    exact = _gold_pairs(gold, strict, strict)
    loose = _gold_pairs(gold, loose_identity, loose_attribute)
    theirs = [(strict(who), strict(what)) for who, what in read.pairs]
    loosely = [(loose_identity(who), loose_attribute(what)) for who, what in read.pairs]
    full = [place for place, (who, what) in enumerate(read.pairs) if who and what]
    of_kept = (
        _right(exact, theirs)
        + _right(loose, loosely)
        + (
            max(
                (token_f1(what, right) for _, what in read.pairs for _, right in gold.pairs),
                default=0.0,
            ),
            float(_equivalent(gold, loose, read)),
        )
        if gold.kept
        else (0.0,) * 8
    )
    return np.array(
        [
            1,
            gold.kept,
            *of_kept,
            len(full),
            len(gold.pairs),
            _matched(exact, [theirs[place] for place in full]),
            _matched(loose, [loosely[place] for place in full]),
            not gold.kept,
            read.omit,
            read.omit and not gold.kept,
        ],
        dtype=float,
    )


def _gold_pairs(gold: Gold, who: _Form, what: _Form) -> list[_GoldPair]:
    """Gold pairs in one form: the identities that count, and the attribute."""
    pairs = [(frozenset({who(identity)}), what(attribute)) for identity, attribute in gold.pairs]
    if pairs and gold.other_identities:
        pairs[0] = (pairs[0][0] | {who(other) for other in gold.other_identities if other}, pairs[0][1])
    return pairs


def _right(gold: Sequence[_GoldPair], read: Sequence[Pair]) -> tuple[float, ...]:
    """Whether some identity, some attribute, and both of one pair are right."""
    return (
        float(any(who in names for who, _ in read for names, _ in gold)),
        float(any(what == right for _, what in read for _, right in gold)),
        float(any(_is(pair, wanted) for pair in read for wanted in gold)),
    )


def _is(pair: Pair, gold: _GoldPair) -> bool:
    return pair[0] in gold[0] and pair[1] == gold[1]


def _matched(gold: Sequence[_GoldPair], read: Sequence[Pair]) -> int:
    """How many predicted pairs are gold pairs, each gold pair counted once."""
    left = list(gold)
    for pair in read:
        hit = next((wanted for wanted in left if _is(pair, wanted)), None)
        if hit is not None:
            left.remove(hit)
    return len(gold) - len(left)


def matched_pairs(gold: Gold, pairs: Sequence[Pair]) -> int:
    """How many pairs of a statement are gold pairs, strictly."""
    exact = _gold_pairs(gold, strict, strict)
    return _matched(exact, [(strict(who), strict(what)) for who, what in pairs])


def _equivalent(gold: Gold, loose: Sequence[_GoldPair], read: Reading) -> bool:
    """An identity is right, and all pairs together say the same parts."""
    named = any(loose_identity(who) in names for who, _ in read.pairs for names, _ in loose)
    parts = frozenset().union(*(attribute_parts(what) for _, what in read.pairs))
    return named and parts == frozenset().union(*(attribute_parts(what) for _, what in gold.pairs))


@dataclass(frozen=True, slots=True)
class Measure:
    """A ratio of summed counts.

    Attributes:
        name: as in the table.
        above: counts that are added up above the line, each with its factor.
        below: counts that are added up below it.
        meaning: one sentence for the reader of the table.
    """

    name: str
    above: tuple[tuple[str, float], ...]
    below: tuple[str, ...]
    meaning: str

    def value(self, totals: np.ndarray) -> np.ndarray:
        """The measure for rows of totals over `COUNTS`; NaN where its denominator is 0."""
        above = sum(factor * totals[..., COUNTS.index(name)] for name, factor in self.above)
        below = sum(totals[..., COUNTS.index(name)] for name in self.below)
        empty = np.full(np.shape(above), np.nan)
        return np.asarray(np.divide(above, below, out=empty, where=np.asarray(below) > 0))


def _share(name: str, count: str, meaning: str) -> Measure:
    return Measure(name, ((count, 1.0),), ("kept",), meaning)


def _pairs(matched: str, suffix: str, words: str) -> tuple[Measure, ...]:
    return (
        Measure(
            f"pair_precision{suffix}",
            ((matched, 1.0),),
            ("predicted",),
            f"predicted pairs that are gold pairs, {words}",
        ),
        Measure(
            f"pair_recall{suffix}", ((matched, 1.0),), ("gold",), f"gold pairs that were predicted, {words}"
        ),
        Measure(f"pair_f1{suffix}", ((matched, 2.0),), ("predicted", "gold"), f"F1 of pairs, {words}"),
    )


MEASURES = (
    _share("identity", "identity", "identity right, strictly"),
    _share("attribute", "attribute", "attribute right, strictly"),
    _share("both", "both", "both right in one pair, strictly"),
    _share("identity_loose", "identity_loose", "identity right, loosely"),
    _share("attribute_loose", "attribute_loose", "attribute right, loosely"),
    _share("both_loose", "both_loose", "both right in one pair, loosely"),
    _share("equivalence", "equivalent", "identity right, and all pairs say the same"),
    _share("attribute_token_f1", "attribute_token_f1", "F1 of the attribute's words"),
    *_pairs("matched", "", "strictly"),
    *_pairs("matched_loose", "_loose", "loosely"),
    Measure(
        "omission_precision",
        (("proposed_rightly", 1.0),),
        ("proposed",),
        "proposed omissions that reviewers made",
    ),
    Measure(
        "omission_recall",
        (("proposed_rightly", 1.0),),
        ("omitted",),
        "omissions of reviewers that were proposed",
    ),
)
"""Every measure, in the order of the table."""
