"""Sentence patterns: rows of a table that are read and written, in both directions.

A pattern is text with slots: `no {v}{rest}` matches "no hablan mucho" and is filled with the words of "hablan mucho".
`docs/build/patterns.md` explains the language of patterns, `words/LANGUAGE/grammar.csv` holds the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from endoxa.errors import UserError
from endoxa.words.packs import rows_of, stops, words_of

SLOTS = {
    "a": r"\S.*?",
    "x": r"\S.*?",
    "v": r"[\p{L}\p{M}'’-]+",
    "rest": r"(?: \S.*)?",
}
"""Slots of every language and the regular expression of each; a table may add some, or replace these."""

_TOKEN = regex.compile(
    r"\{(?P<slot>[^\W\d]+\d*)\}|(?P<open>\[)|(?P<close>\])|(?P<text>[^{}\[\]]+)|(?P<stray>.)"
)
_NESTED = regex.compile(r"(?<!\\[pP])\{([^\W\d]+)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern.

    Attributes:
        text: as it is filled: slots in braces, without square brackets.
        slots: names of its slots.
        expression: what it matches.
    """

    text: str
    slots: frozenset[str]
    expression: regex.Pattern[str]

    def match(self, text: str) -> dict[str, str] | None:
        """What stands in each slot, or None where the pattern is not that of the whole text."""
        match = self.expression.fullmatch(text)
        return None if match is None else match.groupdict()

    def fill(self, slots: Mapping[str, str]) -> str:
        """The pattern with words in its slots."""
        return " ".join(_TOKEN.sub(lambda token: slots.get(token["slot"], token[0]) or "", self.text).split())


def compiled(text: str, classes: Mapping[str, str] = SLOTS) -> Pattern:
    """The pattern of a cell: `{name}` or `{name2}` is a slot of the class `name`, `[text]` may be absent when read.

    `[~text]` may be there when read and is never written.

    Raises:
        ValueError: a slot that is not known, or a bracket without its other half; the message says which.
    """
    pieces: list[str] = []
    slots: set[str] = set()
    for token in _TOKEN.finditer(text):
        if name := token["slot"]:
            if (kind := name.rstrip("0123456789")) not in classes:
                raise ValueError(f"the slot {{{name}}} is not known; there are {', '.join(classes)}")
            pieces.append(f"(?P={name})" if name in slots else f"(?P<{name}>{classes[kind]})")
            slots.add(name)
        elif token["stray"]:
            raise ValueError(f"'{token['stray']}' stands alone")
        else:
            words = (token["text"] or "").removeprefix("~")
            pieces.append("(?:" if token["open"] else ")?" if token["close"] else regex.escape(words))
    try:
        expression = regex.compile("".join(pieces), regex.DOTALL)
    except regex.error as error:
        raise ValueError(f"the pattern cannot be read ({error})") from error
    written = regex.sub(r"\[~[^]]*\]|[][]", "", text)
    return Pattern(written, frozenset(slots), expression)


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence pattern and its denial; without one the note says why ("the denial of '{x}' is not known")."""

    set: str
    affirmed: Pattern
    denied: Pattern | None
    note: Pattern


@dataclass(frozen=True, slots=True)
class Reading:
    """How a row reads a text.

    Attributes:
        row: the row.
        here: the pattern of the row that is the text's.
        there: the other one; None where the row has none.
        slots: the words in the slots.
    """

    row: Row
    here: Pattern
    there: Pattern | None
    slots: Mapping[str, str]


COPULA, BARE, UNCLEAR, ANY_VERB = "copula", "bare", "unclear", "any verb"
"""Sets with a meaning of their own; the names of others are for people."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rows of a language in their order."""

    rows: tuple[Row, ...]
    classes: Mapping[str, str]

    def readings(
        self, text: str, wanted: Callable[[Row], bool] = lambda row: row.set not in (BARE, ANY_VERB)
    ) -> Iterator[Reading]:
        """How the rows read a text, the first row first, and its denial before what it affirms.

        A denial that has lost a word of the sentence it denies is not read: what it denied cannot be told.

        Args:
            text: a predicate.
            wanted: which rows are tried.
        """
        for row in self.rows:
            if not wanted(row):
                continue
            for here, there in ((row.denied, row.affirmed), (row.affirmed, row.denied)):
                if here is None or (there and there.slots - here.slots):
                    continue
                if (slots := here.match(text)) is not None:
                    yield Reading(row, here, there, slots)


@cache
def grammar(rows: Sequence[Sequence[str]], where: str) -> Grammar:
    """The grammar of a table.

    Args:
        rows: set, affirmed, denied and note of each row; in the set `slot` the name and the regular expression of a
            slot, which may hold slots of rows before it.
        where: the name of the table, for errors.

    Raises:
        UserError: a row is not as the page on packs describes it.
    """
    classes, result = dict(SLOTS), []
    for number, (kind, affirmed, denied, note) in enumerate(rows, start=1):
        try:
            if kind == "slot":
                classes[affirmed] = _NESTED.sub(lambda slot: f"(?:{classes[slot[1]]})", denied)
                compiled(f"{{{affirmed}}}", classes)
            else:
                result.append(_row(kind, affirmed, denied, note, classes))
        except (ValueError, KeyError) as error:
            raise UserError(f"{where}, row {number} ('{affirmed}'): {error}.") from error
    return Grammar(tuple(result), classes)


def _row(kind: str, affirmed: str, denied: str, note: str, classes: Mapping[str, str]) -> Row:
    if not affirmed or not (denied or note):
        raise ValueError("expected a pattern, and its denial or a note that says why it has none")
    here, there, remark = (compiled(text, classes) for text in (affirmed, denied, note))
    if there.slots - here.slots:
        raise ValueError("the denial has a slot that the sentence lacks")
    return Row(kind, here, there if denied else None, remark)


def copula_of(affirmed: str, denied: str) -> Grammar:
    """The sentence of a template ("son {attribute}") and its denial, as the one row of a grammar."""
    patterns = (text.replace("{attribute}", "{a}") for text in (affirmed, denied))
    return grammar(((COPULA, *patterns, ""),), "pairs.toml")


@cache
def grammars_of(language: str) -> tuple[Grammar, ...]:
    """The table of a language and the copula of its template; none where it has no table."""
    rows = tuple(tuple(row.values()) for row in rows_of(language, "grammar.csv"))
    template = words_of(language, "pairs.toml")
    copula = (copula_of(template["said"], template["denied"]),) if template else ()
    return (grammar(rows, f"{language}/grammar.csv"), *copula) if rows else ()


def is_predicate(text: str, language: str) -> bool:
    """Whether a sentence pattern of a language, affirmed or denied, is that of a text."""
    return any(
        each.row.set != UNCLEAR and each.there
        for rows in grammars_of(language)[:1]
        for each in rows.readings(text)
    )


def set_of(text: str, language: str) -> str:
    """The set of the first row that reads a predicate ("copula" for "si wavivu"); empty where none does."""
    return next((each.row.set for rows in grammars_of(language)[:1] for each in rows.readings(text)), "")


def denies(first: str, second: str, language: str) -> bool:
    """Whether a row makes one of two sentences of the other, behind the words with which both begin."""
    sides = [text.rstrip(f" {stops()}").split() for text in (first, second)]
    shared = next(
        (at for at, pair in enumerate(zip(*sides, strict=False)) if pair[0] != pair[1]), min(map(len, sides))
    )
    for start in range(shared + 1):
        ends = [" ".join(side[start:]) for side in sides]
        for here, there in (ends, reversed(ends)):
            for rows in grammars_of(language):
                readings = rows.readings(here)
                if any(each.there and each.there.fill(each.slots) == there for each in readings):
                    return True
    return False
