"""What reviewers' corrections teach, counted: a lexicon for the next batch of the same campaign.

Nothing is fitted beyond counts. A correction is learned where people made it at least `FEWEST` times and in more than
`SHARE` of the cases in which it could be made; rows that nobody changed count against it. What would turn a graded or
denied attribute into another one is never learned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from endoxa.curate.english import can_be, in_dictionary, tokens
from endoxa.curate.evaluation.gold import Gold
from endoxa.curate.evaluation.scores import loose_attribute, loose_identity, matched_pairs
from endoxa.curate.extract import Extraction, extract
from endoxa.curate.extract.lexicon import CONVENTIONS, Lexicon
from endoxa.curate.extract.omission import MISSING

FEWEST = 2
"""Corrections from which a name is learned; corrections and respondents from which a habit of wording is."""
FEWEST_HABITS = 5
"""Statements that a convention makes right from which it is learned, if it makes at most half as many wrong."""
SHARE = 0.5
LONGEST = 3
"""Words at the edge of an attribute that are learned as one habit."""
SPELLING = 0.75
"""Similarity of letters from which a replaced word is another spelling and no other word."""

_GRADED = frozenset(
    {
        "not",
        "no",
        "never",
        "nor",
        "neither",
        "nobody",
        "none",
        "cannot",
        "hardly",
        "rarely",
        "seldom",
        "barely",
    }
    | {"less", "least", "more", "most", "too", "than", "without", "lack"}
)
"""Words without which an attribute would say something else."""


@dataclass
class _Counts:
    """Units of corrections by what was written and what it became, and how often it could have been corrected."""

    made: dict[str, dict[str, list[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    seen: Counter[str] = field(default_factory=Counter)

    def learned(self, *, rows: int, units: int) -> Iterator[tuple[str, str]]:
        """Every written form with the correction that most cases got, where enough rows and units have it."""
        for written, rights in self.made.items():
            right, where = min(rights.items(), key=lambda item: (-len(item[1]), item[0]))
            often = len(where) > SHARE * self.seen[written]
            if often and len(where) >= rows and len(set(where)) >= units:
                yield written, right


def learn(gold: Sequence[Gold], read: Sequence[Sequence[Extraction]] | None = None) -> Lexicon:
    """The lexicon that corrections teach.

    Args:
        gold: reviewed statements.
        read: what the rules make of them, in their order; read here where None.
    """
    read = read if read is not None else read_by_rules(gold)
    names, words, leading, trailing = (_Counts() for _ in range(4))
    reasons: Counter[tuple[str, bool]] = Counter()
    verbs: set[str] = set()
    for item, pairs in zip(gold, read, strict=True):
        reasons.update((why, item.kept) for why in {pair.omit_reason for pair in pairs if pair.omit})
        if not item.kept:
            continue
        _count_names(item, pairs, names)
        if len(pairs) == len(item.pairs) == 1:
            _count_words(item, pairs[0], words, leading, trailing)
        if item.edited and all(pair.omit_reason == MISSING and not pair.identity for pair in pairs):
            verbs |= _verb(item)
    return Lexicon(
        identities=dict(sorted(names.learned(rows=FEWEST, units=1))),
        spellings=dict(sorted(words.learned(rows=FEWEST, units=FEWEST))),
        leading=_longest_first(written for written, _ in leading.learned(rows=FEWEST, units=FEWEST)),
        trailing=_longest_first(written for written, _ in trailing.learned(rows=FEWEST, units=FEWEST)),
        verbs=frozenset(verbs),
        overruled=frozenset(
            why
            for why in {why for why, _ in reasons} - {"", MISSING}
            if reasons[why, True] >= FEWEST and reasons[why, True] > 2 * reasons[why, False]
        ),
        conventions=_habits(gold, read),
    )


def read_by_rules(gold: Iterable[Gold]) -> list[list[Extraction]]:
    """What the rules make of each statement alone."""
    return [extract(item.statement, item.question, item.country, item.subject) for item in gold]


def _count_names(item: Gold, pairs: Sequence[Extraction], names: _Counts) -> None:
    """Names that reviewers replaced, in pairs whose attribute they left."""
    for pair in pairs:
        if not pair.identity:
            continue
        names.seen[pair.identity] += 1
        right = [who for who, what in item.pairs if loose_attribute(what) == loose_attribute(pair.attribute)]
        wanted = {loose_identity(who) for who in (*right, *item.other_identities)}
        if item.edited and len(set(right)) == 1 and loose_identity(pair.identity) not in wanted and right[0]:
            names.made[pair.identity][right[0].lower()].append(item.unit)


def _habits(gold: Sequence[Gold], read: Sequence[Sequence[Extraction]]) -> frozenset[str]:
    """Conventions that make more statements right than wrong, strictly compared."""
    habits = set()
    for name, convention in CONVENTIONS.items():
        gains: Counter[float] = Counter()
        for item, pairs in zip(gold, read, strict=True):
            changed = convention(item.statement, pairs)
            if item.kept and changed != list(pairs):
                gains[_matched(item, changed) - _matched(item, pairs)] += 1
        better = sum(count for gain, count in gains.items() if gain > 0)
        worse = sum(count for gain, count in gains.items() if gain < 0)
        if better >= FEWEST_HABITS and better > 2 * worse:
            habits.add(name)
    return frozenset(habits)


def _matched(item: Gold, pairs: Sequence[Extraction]) -> float:
    """F1 of a statement's pairs, strictly compared."""
    right = matched_pairs(item, [(pair.identity, pair.attribute) for pair in pairs])
    return 2 * right / (len(item.pairs) + len(pairs))


def _count_words(item: Gold, pair: Extraction, words: _Counts, leading: _Counts, trailing: _Counts) -> None:
    """Words at the edges that reviewers left out, and words that they spelt in another way."""
    before, after = loose_attribute(pair.attribute).split(), loose_attribute(item.pairs[0][1]).split()
    for length in range(1, min(LONGEST, len(before) - 1) + 1):
        _count_edge(" ".join(before[:length]), before[length:] == after, item, leading)
        _count_edge(" ".join(before[-length:]), before[:-length] == after, item, trailing)
    for word in set(before):
        words.seen[word] += 1
    if not item.edited:
        return
    for kind, start, end, first, last in SequenceMatcher(None, before, after).get_opcodes():
        written, right = " ".join(before[start:end]), " ".join(after[first:last])
        alike = SequenceMatcher(None, written.replace(" ", ""), right.replace(" ", "")).ratio() >= SPELLING
        if kind == "replace" and alike and not (_GRADED & {*before[start:end], *after[first:last]}):
            if end - start > 1:
                words.seen[written] += 1
            words.made[written][right].append(item.unit)


def _count_edge(edge: str, left_out: bool, item: Gold, counts: _Counts) -> None:
    if _GRADED & set(edge.split()) or "nt " in f"{edge} ":
        return
    counts.seen[edge] += 1
    if left_out and item.edited:
        counts.made[edge][""].append(item.unit)


def _verb(item: Gold) -> set[str]:
    """The first word of what is said, where reviewers cut a statement that the rules could not, and it is no noun."""
    who, what = item.pairs[0]
    parts = [part.lower() for part in tokens(item.statement)]
    predicate_words = what.lower().split()
    if (
        not who
        or not predicate_words
        or predicate_words[0] not in parts[1:]
        or can_be(predicate_words[0], "ADJ")
    ):
        return set()
    return (
        {predicate_words[0]}
        if can_be(predicate_words[0], "VERB") or not in_dictionary(predicate_words[0])
        else set()
    )


def _longest_first(written: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(written, key=lambda words: (-len(words.split()), words)))
