"""Groups that sentence pairs are about, read from a table of words: `words/en/identity_groups.csv` or the user's own.

CrowS-Pairs and IndiBias name no group, and the words in which their sentences differ are no units: "blacks", "couldn't
black" and "african-americans" are one group, and counted as three they make a preference look better founded than it
is. A pair whose words the table does not have gets no group: it is counted, and none is made up for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.source import understood_once
from endoxa.sources.typography import Span, Word, differing_spans, words
from endoxa.words.packs import rows_of

NO_GROUP = ""
"""Group of a pair for which its table has none; a pair that no table was asked about has null."""

FORMATS_WITHOUT_GROUPS = ("crows-pairs", "indibias")
"""Published formats that name no group: `published_groups` holds the words of their data."""
ITEMS_WITHOUT_GROUPS = ("crows-", "indibias-")
"""How the ids of their pairs begin."""

_SEPARATOR = ";"
_ANY_AXIS = ""

Term = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A term of the table in a sentence: where it stands, and the group it names."""

    start: int
    end: int
    group: str


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Terms by axis and the groups that they name.

    Attributes:
        terms: group of each term, by axis; the axis '' holds for all others, the group '' says that a phrase names
            none.
    """

    terms: Mapping[str, Mapping[Term, str]]

    def knows(self, axis: str) -> bool:
        """Whether the table has terms for an axis."""
        return axis in self.terms or _ANY_AXIS in self.terms

    def mentions(self, sentence: Sequence[Word], axis: str) -> list[Mention]:
        """Terms of an axis in a sentence, the longest at each place."""
        terms = self.terms.get(axis) or self.terms.get(_ANY_AXIS, {})
        longest = max(map(len, terms), default=0)
        parts = [part for place, word in enumerate(sentence) for part in _parts(word.folded, place)]
        mentions: list[Mention] = []
        at = 0
        while at < len(parts):
            sizes = (n for n in range(longest, 0, -1) if tuple(t for t, _ in parts[at : at + n]) in terms)
            size = min(next(sizes, 0), len(parts) - at)
            if size:
                group = terms[tuple(text for text, _ in parts[at : at + size])]
                mentions += [Mention(parts[at][1], parts[at + size - 1][1] + 1, group)] if group else []
            at += size or 1
        return mentions

    def group(self, sentence: str, second: str, axis: str) -> str:
        """The group that a sentence is about: the one named where it differs from the other.

        Where no word of the table differs, the only group in all of the sentence, unless capitals differ: those may be
        names of persons, and what else the sentence names need not be who it is about.

        Args:
            sentence: the sentence about the group.
            second: the other sentence of the pair.
            axis: social axis of the pair.

        Returns:
            The group, or `NO_GROUP` where no term stands there or terms of several groups do.
        """
        left, right = words(sentence), words(second)
        spans = differing_spans(left, right)
        mentions = self.mentions(left, axis)
        named = differing(mentions, [(span.start_more, span.end_more) for span in spans])
        if not named and all(word.text.islower() for word in changed_words(left, right, spans)):
            named = mentions
        groups = {mention.group for mention in named}
        return groups.pop() if len(groups) == 1 else NO_GROUP


def changed_words(left: Sequence[Word], right: Sequence[Word], spans: Sequence[Span]) -> list[Word]:
    """Words of both sentences that stand in the spans in which they differ."""
    sides = ((*left[s.start_more : s.end_more], *right[s.start_less : s.end_less]) for s in spans)
    return list(chain.from_iterable(sides))


def differing(mentions: Sequence[Mention], stretches: Sequence[tuple[int, int]]) -> list[Mention]:
    """Mentions that stand, in part at least, in one of some stretches of words."""
    return [m for m in mentions if any(m.start < end and start < m.end for start, end in stretches)]


def _parts(word: str, place: int) -> Iterator[tuple[str, int]]:
    """Parts of a word as terms have them: no hyphens, no possessive."""
    for part in word.replace("’", "'").replace("-", " ").split():
        yield part.removesuffix("'s").rstrip("'"), place


def term_of(text: str) -> Term:
    """A word or phrase as sentences are searched for it: folded, without hyphens and possessives."""
    return tuple(part for word in words(text) for part, _ in _parts(word.folded, 0))


@cache
def published_groups(*, names: bool = True) -> GroupTable:
    """The table that comes with endoxa: English words of CrowS-Pairs and IndiBias.

    Args:
        names: with given names that stand for a group in one axis.
    """
    rows = rows_of("en", "identity_groups.csv")
    return _table([row for row in rows if names or row["kind"] != "name"], "identity_groups.csv")


@understood_once
def read_groups(path: Path) -> GroupTable:
    """A table of the user's: columns group and words (several separated by ';'), and axis if it is for some axes only.

    Raises:
        UserError: the file cannot be read or lacks a column, a row has no words, or a word names two groups.
    """
    rows = read_table(path, ("group", "words"), optional=("axis",)).iter_rows(named=True)
    return _table(list(rows), str(path))


def groups_of(path: Path | None) -> GroupTable:
    """The user's table, or the one that comes with endoxa."""
    return published_groups() if path is None else read_groups(path)


def _table(rows: Sequence[Mapping[str, str | None]], name: str) -> GroupTable:
    terms: dict[str, dict[Term, str]] = {}
    for number, row in enumerate(rows, start=1):
        group = (row.get("group") or "").strip()
        listed = [term for text in (row.get("words") or "").split(_SEPARATOR) if (term := term_of(text))]
        if not listed:
            raise UserError(
                f"{name}, row {number}: the group '{group}' has no words. Separate several with ';'."
            )
        for axis in (row.get("axis") or _ANY_AXIS).lower().split(_SEPARATOR):
            of_axis = terms.setdefault(axis.strip(), {})
            for term in listed:
                if of_axis.setdefault(term, group) != group:
                    raise UserError(
                        f"{name}, row {number}: '{' '.join(term)}' stands for '{group}' and, in an earlier row, for "
                        f"'{of_axis[term]}'. A word names one group of an axis."
                    )
    everywhere = terms.get(_ANY_AXIS, {})
    return GroupTable({axis: {**everywhere, **of_axis} for axis, of_axis in terms.items()})


def group_of_pair(table: GroupTable, pair: Mapping[str, str | None]) -> str:
    """The group that a pair is about, or `NO_GROUP`.

    It is looked for in the sentence about the disadvantaged group, which is `sent_less` where the label is
    'antistereo' (CrowS-Pairs, section 2; IndiBias, section 6.1.1) and `sent_more` else. Where that says nothing, an
    identity that stands in both sentences does, and the identity in English of a sentence in another language.

    Args:
        table: the words.
        pair: columns of `endoxa.schema.PAIR_COLUMNS`.
    """
    axis = pair["axis"] or ""
    sides = pair["sent_more"] or "", pair["sent_less"] or ""
    group = table.group(*(sides[::-1] if pair["direction"] == "antistereo" else sides), axis)
    if group:
        return group
    identity = pair["identity"] or ""
    stated = all(identity.casefold() in side.casefold() for side in sides)
    name = identity if stated else "" if pair["language"] == "en" else pair["identity_key"] or ""
    groups = {mention.group for mention in table.mentions(words(name), axis)}
    return groups.pop() if len(groups) == 1 else NO_GROUP


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many pairs a table gives a group.

    Attributes:
        pairs: pairs by axis.
        unnamed: those without a group, by axis.
        groups: the groups of the others.
    """

    pairs: Counter[str]
    unnamed: Counter[str]
    groups: set[str]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Coverage:
        """From axis and group of each pair."""
        several = list(pairs)
        unnamed = Counter(axis for axis, group in several if group == NO_GROUP)
        return cls(
            Counter(axis for axis, _ in several), unnamed, {group for _, group in several} - {NO_GROUP}
        )

    @property
    def sentence(self) -> str:
        """'1,299 of 1,508 pairs name one of 83 groups; 209 name none (age 16, gender 23)'."""
        total, unnamed = self.pairs.total(), self.unnamed.total()
        start = f"{total - unnamed:,} of {total:,} pairs name one of {len(self.groups)} groups"
        axes = ", ".join(f"{axis} {count:,}" for axis, count in self.unnamed.most_common())
        return f"{start}; {unnamed:,} name none ({axes})" if unnamed else start
