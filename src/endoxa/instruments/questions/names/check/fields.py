"""Fields of a published record: those that must be unchanged, and valid values of `names` and `variant`.

The record is parsed once for all its variants. Also checked: names agree in gender with the nouns and pronouns for the
same person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import Gender, NameBank
from endoxa.instruments.questions.names.gender import noun_gender, pronoun_gender
from endoxa.instruments.questions.names.rows import people_options
from endoxa.instruments.questions.names.text import GroupWords, Token, mended


@dataclass(frozen=True, slots=True)
class Published:
    """A record before names.

    Attributes:
        row: as published.
        people: the fields of the options that are people.
        texts: field -> text without slips, for the fields in which names may stand.
        mentions: field -> the words for groups, in order.
        words: what names a group.
    """

    row: Mapping[str, Any]
    people: tuple[str, ...]
    texts: Mapping[str, str]
    mentions: Mapping[str, tuple[Token, ...]]
    words: GroupWords


def published(row: Mapping[str, Any], words: GroupWords) -> Published:
    """A record, read for the checks."""
    people = people_options(row)
    texts = {field: mended(row[field]) for field in ("context", *people)}
    mentions = {
        field: tuple(token for token in words.tokens(text) if token.group) for field, text in texts.items()
    }
    return Published(row, people, texts, mentions, words)


def field_problems(record: Mapping[str, Any], before: Published, bank: NameBank) -> Iterator[str]:
    """Fields that are missing, changed or empty, and names that are not the bank's."""
    for field, value in before.row.items():
        if field not in record:
            yield f"{field}: missing"
        elif field in before.texts and not (isinstance(record[field], str) and record[field].strip()):
            yield f"{field}: empty"
        elif field not in before.texts and record[field] != value:
            yield f"{field}: changed from {value!r} to {record[field]!r}"
        elif field in before.texts and record[field] == value:
            yield f"{field}: not rewritten: {value!r}"
    added = record.keys() - before.row.keys() - {"names", "variant"}
    if added:
        yield f"{sorted(added)[0]}: a field that the original does not have"
    if not isinstance(record.get("variant"), str) or not record["variant"]:
        yield "variant: empty"
    yield from _names(record.get("names"), bank)


def _names(names: Any, bank: NameBank) -> Iterator[str]:
    if not isinstance(names, dict) or len(names) < 2:
        yield f"names: {names!r} does not name two people"
        return
    for group, name in names.items():
        if group not in bank.groups:
            yield f"names: '{group}' is no group of the bank"
        elif name not in {entry.name for entry in bank.names(group)}:
            yield f"names: '{name}' is no name that the bank has for '{group}'"
    if len({str(name).casefold() for name in names.values()}) < len(names):
        yield f"names: one name for two people: {names!r}"


_TOKEN = re.compile(r"['’]s\b|[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?]) ")


def gender_problems(record: Mapping[str, Any], before: Published, bank: NameBank) -> Iterator[str]:
    """Names of the other gender than a noun or a pronoun says."""
    genders = {
        name: {entry.gender for entry in bank.names(group) if entry.name == name}
        for group, name in record["names"].items()
    }
    asked = [*_by_nouns(record, before, bank), *_by_naming(record["context"], genders)]
    for sentence in _SENTENCE.split(record["context"]):
        asked += _by_pronouns(sentence, genders)
    asked += _by_question(before.row["question"], record, genders)
    for name, gender, why in dict.fromkeys(asked):
        if gender not in genders[name]:
            yield f"'{name}' is no {gender} name, and the text says '{why}'"


def _by_nouns(
    record: Mapping[str, Any], before: Published, bank: NameBank
) -> Iterator[tuple[str, Gender, str]]:
    """'the X woman', in the original."""
    for group, name in record["names"].items():
        words = "|".join(re.escape(word) for word in bank.words(group))
        for text in before.texts.values():
            for noun in re.findall(rf"\b(?:{words}) (\w+)", text):
                if gender := noun_gender(noun.lower()):
                    yield name, gender, f"{group} {noun}"


def _by_naming(text: str, names: Mapping[str, object]) -> Iterator[tuple[str, Gender, str]]:
    """'a woman named NAME', 'my girlfriend NAME'."""
    for name in names:
        for noun, words in re.findall(rf"\b(\w+)((?: of \w+)?(?: named)? {re.escape(name)})\b", text):
            if gender := noun_gender(noun.lower()):
                yield name, gender, noun + words


def _by_pronouns(sentence: str, names: Mapping[str, object]) -> Iterator[tuple[str, Gender, str]]:
    """A pronoun after a name, with nobody in between of whom it could speak."""
    tokens = [*_TOKEN.findall(sentence), ""]
    last: dict[Gender, str] = {"female": "", "male": ""}
    for at, token in enumerate(tokens):
        low = token.lower()
        if token in names:
            owner = tokens[at + 1] in ("'s", "’s")
            last = last if owner else {"female": token, "male": token}
        elif gender := pronoun_gender(low):
            if last[gender]:
                yield last[gender], gender, sentence
        elif gender := noun_gender(low):
            last[gender] = ""
        elif low in ("one", "other", "ones", "others"):
            last = {"female": "", "male": ""}


def _by_question(
    question: str, record: Mapping[str, Any], names: Mapping[str, object]
) -> Iterator[tuple[str, Gender, str]]:
    """'Who ... his wife?' speaks of everybody, unless only their families are known."""
    words = [word.lower() for word in _TOKEN.findall(question)]
    if not words or words[0] != "who":
        return
    owners = frozenset(
        re.findall(r"\b(\w+)['’]s\b", " ".join(record[field] for field in ("ans0", "ans1", "ans2")))
    )
    for word in words:
        if noun_gender(word) or word in lexicon.COLLECTIVE:
            return
        if gender := pronoun_gender(word):
            yield from ((name, gender, question) for name in names if name not in owners)
