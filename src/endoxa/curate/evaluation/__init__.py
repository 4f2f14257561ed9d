"""How well statements are read, measured against what reviewers made of them, with intervals over respondents."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from math import isnan

import numpy as np
import polars as pl

from endoxa.curate.evaluation.gold import Gold, Pair, Reading
from endoxa.sources.typography import unseen_removed
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval

_IRREGULAR = {"women": "woman", "men": "man", "children": "child", "people": "person"}
_DENIED = re.compile(r"\b(?:(?:are|is|ca|should|have)nt|cannot)\b")
_DO_NOT = re.compile(r"\b(?:dont|doesnt|does not)\b")
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


def attribute_parts(*texts: str) -> frozenset[tuple[str, ...]]:
    """What attributes say together, cut at "and", "or", commas and slashes; contractions and empty words aside.

    Two readings are equivalent if they say the same parts: {"smart", "intelligent"} and "smart and intelligent".
    """
    pieces = (piece for text in texts for piece in re.split(r"\b(?:and|or)\b|,|/", loose_attribute(text)))
    return frozenset(part for piece in pieces if (part := _part(piece)))


def _part(piece: str) -> tuple[str, ...]:
    written_out = _DO_NOT.sub("do not", _DENIED.sub("not", piece))
    return tuple(map(singular, _EMPTY.sub(" ", written_out).split()))


def token_f1(first: str, second: str) -> float:
    """F1 of the words of two attributes in loose form, repeats counted."""
    left, right = loose_attribute(first).split(), loose_attribute(second).split()
    if not left or not right:
        return float(left == right)
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right))


_GoldPair = tuple[frozenset[str], str]
_Form = Callable[[str], str]

_SHARES = (
    "identity", "attribute", "both", "identity_loose", "attribute_loose", "both_loose", "equivalence",
    "attribute_token_f1",
)  # fmt: skip
COUNTS = (
    "statements", "kept", *_SHARES, "predicted", "gold", "matched", "matched_loose", "omitted", "proposed",
    "proposed_rightly",
)  # fmt: skip
"""Columns of counts, one row per statement; each is 0 or 1, or a number of pairs, or (token F1) a number up to 1."""


def counts(gold: Gold, read: Reading) -> np.ndarray:
    """`COUNTS` of one statement. Pairs of an omitted statement count as predicted and match nothing."""
    right: list[float] = []
    matched = []
    complete = [bool(who and what) for who, what in read.pairs]
    for of_identity, of_attribute in ((strict, strict), (loose_identity, loose_attribute)):
        wanted = _gold_pairs(gold, of_identity, of_attribute)
        pairs = [(of_identity(who), of_attribute(what)) for who, what in read.pairs]
        right += _right(wanted, pairs)
        matched.append(_matched(wanted, list(compress(pairs, complete))))
    words = (token_f1(what, other) for _, what in read.pairs for _, other in gold.pairs)
    right += [_equivalent(gold, wanted, read), max(words, default=0.0)]
    if not gold.kept:
        right = [0.0] * len(_SHARES)
    omitted = not gold.kept
    sizes = (sum(complete), len(gold.pairs), *matched)
    flags = (omitted, read.omit, read.omit and omitted)
    return np.array([1, gold.kept, *right, *sizes, *flags], dtype=float)


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


def _equivalent(gold: Gold, loose: Sequence[_GoldPair], read: Reading) -> bool:
    """An identity is right, and all pairs together say the same parts."""
    named = any(loose_identity(who) in names for who, _ in read.pairs for names, _ in loose)
    parts, wanted = (attribute_parts(*(what for _, what in each.pairs)) for each in (read, gold))
    return named and parts == wanted


MEASURES: Mapping[str, tuple[str, int, tuple[str, ...]]] = {
    **{name: (name, 1, ("kept",)) for name in _SHARES},
    **{
        f"pair_{name}{form}": (f"matched{form}", factor, below)
        for form in ("", "_loose")
        for name, factor, below in (
            ("precision", 1, ("predicted",)),
            ("recall", 1, ("gold",)),
            ("f1", 2, ("predicted", "gold")),
        )
    },
    "omission_precision": ("proposed_rightly", 1, ("proposed",)),
    "omission_recall": ("proposed_rightly", 1, ("omitted",)),
}
"""Every measure in the order of the table: a count, its factor, and the counts that are added up below the line."""


def measured(measure: str, totals: np.ndarray) -> np.ndarray:
    """A measure for rows of totals over `COUNTS`; NaN where its denominator is 0."""
    above, factor, names = MEASURES[measure]
    below = np.asarray(sum(totals[..., COUNTS.index(name)] for name in names))
    ratio: np.ndarray = np.divide(
        factor * totals[..., COUNTS.index(above)], below, out=np.full(below.shape, np.nan), where=below > 0
    )
    return ratio


RESAMPLES = 2_000

SCHEMA = {
    **dict.fromkeys(("reader", "subset", "measure"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("statements", "units"), pl.Int64),
}
"""Columns of the table."""


def subsets(gold: Sequence[Gold]) -> dict[str, list[int]]:
    """Places of the statements of each part: all, those that reviewers edited or left as they were, by question."""
    questions = dict.fromkeys(item.question.name for item in gold)
    parts = {
        "all": list(range(len(gold))),
        "edited": [place for place, item in enumerate(gold) if item.edited],
        "unedited": [place for place, item in enumerate(gold) if not item.edited],
        **{
            f"question: {name}": [place for place, item in enumerate(gold) if item.question.name == name]
            for name in questions
            if name
        },
    }
    return {
        name: places
        for name, places in parts.items()
        if places and (name != "edited" or len(places) < len(gold))
    }


def evaluate(
    gold: Sequence[Gold],
    readings: Mapping[str, Sequence[Reading]],
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Every measure of every reader on every part, with intervals from a bootstrap of units.

    Args:
        gold: the reviewed statements.
        readings: for each reader what it makes of them, in their order.
        confidence: of the intervals.
        seed: of the bootstrap.

    Returns:
        a table of `SCHEMA`; a measure whose denominator is 0 has no row, and no interval where there are fewer than
        five units or all resamples agree.
    """
    units = np.unique([item.unit for item in gold], return_inverse=True)[1]
    rows = []
    parts = subsets(gold)
    for reader, read in readings.items():
        table = np.array([counts(item, its) for item, its in zip(gold, read, strict=True)])
        for part, places in parts.items():
            clusters = Clusters.of(units[places], *table[places].T)
            rows += [(reader, part, *row) for row in _rows(clusters, confidence=confidence, seed=seed)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _rows(
    clusters: Clusters, *, confidence: float, seed: int
) -> Iterator[tuple[str, float, float | None, float | None, int, int]]:
    """Measure, value, interval, statements and units."""
    totals = clusters.totals.sum(axis=0)[1:]
    drawn = bootstrap(clusters, lambda totals: totals[:, 1:], RESAMPLES, seed)
    statements = int(totals[COUNTS.index("statements")])
    for measure in MEASURES:
        value = float(measured(measure, totals))
        if isnan(value):
            continue
        draws = measured(measure, drawn) if drawn.ndim > 1 else drawn
        interval = expanded_interval(draws, clusters, confidence)
        ends = (interval.low, interval.high) if interval.defined else (None, None)
        yield measure, value, *ends, statements, clusters.count
