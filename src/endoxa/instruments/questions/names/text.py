"""The text of an item as tokens, with the slips of the published files corrected, and the group words of a bank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import NameBank
from endoxa.sources.bbq.items import cleaned

_PIECES = r"(?P<word>[^\W_]+(?:-[^\W_]+)*)|(?P<end>['’](?:s|re)\b)|(?P<mark>[^\w\s]|_)"
_SENTENCE_END = re.compile(r"(?:^|[.!?][\"'”’)]*)\s*[\"'“‘(]*$")
_SLIPS = (
    (re.compile(r"\b(with|the|of|to|in) \1\b"), r"\1"),
    (re.compile(r"\btheir (?=\w+ of the\b)"), "the "),
    (re.compile(r" {2,}"), " "),
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark of a text.

    Attributes:
        text: as written.
        start: first character in the text.
        end: character after the last one.
        group: the group that the word names, or empty.
    """

    text: str
    start: int
    end: int
    group: str = ""

    @property
    def folded(self) -> str:
        """The word in lower case, with a straight apostrophe."""
        return self.text.lower().replace("’", "'")


@dataclass(frozen=True)
class GroupWords:
    """Words that name groups.

    Attributes:
        forms: word as written in texts -> group ("Sri Lankan" -> "Sri Lankan", "Jew" -> "Jewish").
    """

    forms: Mapping[str, str]

    @cached_property
    def _listed(self) -> str:
        return "|".join(re.escape(form) for form in sorted(self.forms, key=len, reverse=True))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a token is: a group's word (longest first), a word, an ending with apostrophe, or a mark."""
        return re.compile(rf"(?P<group>(?<!\w)(?<!\w-)(?:{self._listed})(?!\w|-\w))|{_PIECES}")

    @cached_property
    def _in_any_case(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{self._listed})(?:s|es|n|ans?|ish)?\b", re.IGNORECASE)

    def left_in(self, text: str) -> list[str]:
        """Words for groups in a text, in any case, also with an ending: what must not stand beside names."""
        return [word for word in self._in_any_case.findall(text) if word not in lexicon.ORDINARY]

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The tokens of a text, in order; a group of several words is one token."""
        return tuple(
            Token(
                match[0],
                match.start(),
                match.end(),
                self.forms[match[0]] if match.lastgroup == "group" else "",
            )
            for match in self.pattern.finditer(text)
        )


def mended(text: str) -> str:
    """A published text without its slips of the keyboard.

    Besides braces and missing blanks (`datasets.bbq.items.cleaned`): a preposition that stands twice stands once ("with
    with", BBQ Religion, template 5), "their parents of the" is "the parents of the" (Nationality, template 19), and
    blanks at the ends go (template 7).
    """
    text = cleaned(text)
    for pattern, replacement in _SLIPS:
        text = pattern.sub(replacement, text)
    return text.strip()


def starts_sentence(text: str, at: int) -> bool:
    """Whether a sentence begins at that character, the first of all included."""
    return bool(_SENTENCE_END.search(text[:at]))


def group_words(bank: NameBank) -> GroupWords:
    """The words of a bank's groups; a group also in lower case ("atheist"), unless that is another word."""
    forms: dict[str, str] = {}
    for group in bank.groups:
        for word in bank.words(group):
            forms.setdefault(word, group)
        if group.lower() not in lexicon.ORDINARY:
            forms.setdefault(group.lower(), group)
    return GroupWords(forms)


Row = Mapping[str, Any]

OPTIONS = ("ans0", "ans1", "ans2")
_UNKNOWN = "unknown"


def people_options(row: Row) -> tuple[str, ...]:
    """The fields of a record's options that are people: those that `answer_info` does not call unknown."""
    return tuple(field for field in OPTIONS if _answer_info(row, field)[-1:] != [_UNKNOWN])


def option_label(row: Row, field: str) -> str:
    """What `answer_info` calls an option ("Danish"), or empty."""
    return next(iter(_answer_info(row, field)), "")


def _answer_info(row: Row, field: str) -> list[str]:
    info: list[str] = row.get("answer_info", {}).get(field, [])
    return info


def bundles(rows: Iterable[Row]) -> Iterator[tuple[Row, ...]]:
    """Consecutive records that share question, people and options: in BBQ two contexts times two questions."""
    bundle: list[Row] = []
    shared: object = None
    seen: set[tuple[str, str]] = set()
    for row in rows:
        options = frozenset(row[field].strip().lower() for field in OPTIONS)
        key = (row["category"], row.get("question_index"), options)
        part = (row["context_condition"], row["question_polarity"])
        if bundle and (key != shared or part in seen):
            yield tuple(bundle)
            bundle, seen = [], set()
        bundle.append(row)
        seen.add(part)
        shared = key
    if bundle:
        yield tuple(bundle)
