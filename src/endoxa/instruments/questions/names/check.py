"""Whether records with names are what they should be: strict, and apart from the rules that wrote them.

The rules here look at the finished text and at the original. They share word lists and the mending of slips with the
rules that wrote it, so that a word missing from a list is missed by both. They may refuse what is right English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import Gender, NameBank
from endoxa.instruments.questions.names.gender import noun_gender, pronoun_gender
from endoxa.instruments.questions.names.phrases import singular
from endoxa.instruments.questions.names.text import (
    bundles,
    group_words,
)
from endoxa.instruments.questions.names.wording import Published, published, wording_problems
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.sources.check.wording import indefinite_article


def field_problems(record: Mapping[str, Any], before: Published, bank: NameBank) -> Iterator[str]:
    """Fields that are missing, changed or empty, and names that are not the bank's."""
    published_fields = {field: before.row[field] for field in before.row if field not in PROVENANCE_COLUMNS}
    for field, value in published_fields.items():
        if field not in record:
            yield f"{field}: missing"
        elif field in before.texts and not (isinstance(record[field], str) and record[field].strip()):
            yield f"{field}: empty"
        elif field not in before.texts and record[field] != value:
            yield f"{field}: changed from {value!r} to {record[field]!r}"
        elif field in before.texts and record[field] == value:
            yield f"{field}: not rewritten: {value!r}"
    added = record.keys() - before.row.keys() - {"names", "variant", *PROVENANCE_COLUMNS}
    if added:
        yield f"{sorted(added)[0]}: a field that the original does not have"
    if not isinstance(record.get("variant"), str) or not record["variant"]:
        yield "variant: empty"
    names = record.get("names")
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


_WORD = re.compile(r"['’]s\b|[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?]) ")


def gender_problems(record: Mapping[str, Any], before: Published, bank: NameBank) -> Iterator[str]:
    """Names of the other gender than a noun or a pronoun says."""
    genders = {
        name: {entry.gender for entry in bank.names(group) if entry.name == name}
        for group, name in record["names"].items()
    }
    required = [
        *_by_nouns(record, before, bank),
        *_by_naming(record["context"], genders),
    ]
    for sentence in _SENTENCE.split(record["context"]):
        required += _by_pronouns(sentence, genders)
    required += _by_question(before.row["question"], record, genders)
    for name, gender, why in dict.fromkeys(required):
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
    tokens = [*_WORD.findall(sentence), ""]
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
    words = [word.lower() for word in _WORD.findall(question)]
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


_TOKEN = re.compile(r"['’]s\b|[^\W_]+|[^\w\s]|_")
_ARTICLES = frozenset(["a", "an", "the", "my", "your", "our", "their"])
_MAY_STAND_BEFORE = frozenset(["that", "said", "only"])
_BEFORE_NAME = (lexicon.DETERMINER | lexicon.BESIDE | lexicon.QUANTIFIER) - _MAY_STAND_BEFORE
_AFTER_NAME = lexicon.SINGULAR | lexicon.PLURAL | {"one", "ones", "young", "old", "new", "other"}
_NOT_OWNED = lexicon.DETERMINER | lexicon.AFTER_NOUN
_BLOTS = (
    ("a brace or a bracket", re.compile(r"[{}\[\]<>]")),
    ("two blanks", re.compile(r"  ")),
    ("a blank before a mark", re.compile(r" (?:['’]s\b|[,.;:!?])")),
    ("'s twice", re.compile(r"['’]s['’]s|['’]s ['’]s")),
    ("two marks", re.compile(r"[,;:]\s*[,.;:!?]")),
    ("a sentence without a capital", re.compile(r"(?<=[a-z\"')][.!?] )[a-z]\w*")),
    ("a sentence that follows without a blank", re.compile(r"[a-z][.!?][A-Z]\w*")),
)


def surface_problems(record: Mapping[str, Any], before: Published, bank: NameBank) -> Iterator[str]:
    """Glitches of the rewritten texts; what the published text has too is not counted, glitches at names always."""
    names = frozenset(record["names"].values()) | (
        bank.all_names & frozenset(re.findall(r"\b[^\W\d_a-z][^\W\d_]+", record["context"]))
    )
    for field, old in before.texts.items():
        text = record[field]
        for look in (_blots, _words):
            for what, words in (Counter(look(text)) - Counter(look(old))).elements():
                yield f"{field}: {what}: '{words}'"
        if old[:1].isupper() and text[0].islower():
            yield f"{field}: begins without a capital: '{text}'"
        if text != text.strip():
            yield f"{field}: a blank at the end"
        yield from (f"{field}: {what}" for what in _at_names(text, names))


def _blots(text: str) -> Iterator[tuple[str, str]]:
    for what, pattern in _BLOTS:
        for match in pattern.finditer(text):
            yield what, match[0]


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Doubled words, two determiners, 'a' before a vowel and 'an' before a consonant."""
    for first, second in pairwise(_TOKEN.findall(text)):
        low, next_low = first.lower(), second.lower()
        words = f"{first} {second}"
        if low == next_low and low.isalpha():
            yield "a word stands twice", words
        if low in _ARTICLES and next_low in lexicon.POSSESSIVE | {"a", "an", "the"}:
            yield "two determiners", words
        if low in ("a", "an") and second.isalpha() and low != indefinite_article(second):
            yield "'a' for 'an', or 'an' for 'a'", words


def _at_names(text: str, names: frozenset[str]) -> Iterator[str]:
    tokens = ["", *_TOKEN.findall(text), "", ""]
    for at, name in enumerate(tokens):
        if name not in names:
            continue
        before, after, then = tokens[at - 1], tokens[at + 1], tokens[at + 2]
        if before.lower() in _BEFORE_NAME:
            yield f"a determiner or an adjective before a name: '{before} {name}'"
        if after.lower() in _AFTER_NAME or singular(after.lower()) in lexicon.PERSON:
            yield f"a noun after a name without 's: '{name} {after}'"
        if after in names or after[:1].isupper() or after in lexicon.NAMING:
            yield f"two names side by side: '{name} {after}'"
        if after == "," and then[:1].isupper() and then not in (*names, "I"):
            yield f"two names for one person: '{name}, {then}'"
        if after in ("'s", "’s") and (not then.isalpha() or then.lower() in _NOT_OWNED or then in names):
            yield f"nothing that could be owned: '{name}{after} {then}'"
    for name in sorted(names):
        if re.search(rf"(?:\w|-){re.escape(name)}(?!\w)|(?<!\w){re.escape(name)}(?:[^\W_]|-)", text):
            yield f"a name within a word: '{name}'"


def problems(record: Mapping[str, Any], original: Mapping[str, Any], bank: NameBank) -> list[str]:
    """Everything that is wrong with a record in which names stand for groups.

    Args:
        record: as written by `endoxa build names`.
        original: the record as published.
        bank: where the names came from.

    Returns:
        sentences, each with its field and the words at hand; empty where nothing is wrong.
    """
    return check_record(record, published(original, group_words(bank)), bank)


def check_record(record: Mapping[str, Any], before: Published, bank: NameBank) -> list[str]:
    """The same as `problems`, for many records of one original."""
    problems = list(field_problems(record, before, bank))
    if problems:
        return problems
    return [
        *wording_problems(record, before),
        *surface_problems(record, before, bank),
        *gender_problems(record, before, bank),
    ]


Row = Mapping[str, Any]
Key = tuple[str, str]
"""Category and example_id."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a file.

    Attributes:
        records: how many were looked at.
        problems: each with its line, or with its variant.
        absent: originals that are in no variant: left out when the file was made, or lost.
    """

    records: int
    problems: tuple[str, ...]
    absent: int


def check_file(written: Iterable[tuple[int, Row]], originals: Iterable[Row], bank: NameBank) -> Checked:
    """Look at every record of a file.

    Besides each record (`check_record`): records about the same people must have the same names in a variant, and each
    variant the same records.

    Args:
        written: line number and record with names.
        originals: the published records, in their order.
        bank: where the names came from.
    """
    words = group_words(bank)
    together = list(bundles(originals))
    before = {_key(row): published(row, words) for rows in together for row in rows}
    people = {_key(row): number for number, rows in enumerate(together) for row in rows}
    problems: list[str] = []
    variants: dict[str, set[Key]] = {}
    first: dict[tuple[str, int], tuple[int, object]] = {}
    records = 0
    for line, record in written:
        records += 1
        key, variant = _key(record), str(record.get("variant", ""))
        variants.setdefault(variant, set()).add(key)
        if key not in before:
            problems.append(f"line {line}: the original has no record {' '.join(key)}")
            continue
        problems += [f"line {line}: {problem}" for problem in check_record(record, before[key], bank)]
        at, names = first.setdefault((variant, people[key]), (line, record.get("names")))
        if names != record.get("names"):
            problems.append(f"line {line}: names: others than in line {at}, which is about the same people")
    everywhere: set[Key] = set().union(*variants.values())
    problems += [
        f"variant {variant} lacks {len(everywhere - there)} records of the others"
        for variant, there in variants.items()
        if everywhere - there
    ]
    return Checked(records, tuple(problems), len(before.keys() - everywhere))


def _key(row: Row) -> Key:
    return str(row["category"]), str(row["example_id"])
