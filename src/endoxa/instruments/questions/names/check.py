"""Whether records with names are what they should be: fields, people, genders, and the text around the names.

The check looks at the finished text and at the original, not at the phrases that were written. It shares word lists,
the mending of slips and the reading of genders with the rules that write names, so that a word missing from a list is
missed by both. It may refuse what is right English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import NameBank
from endoxa.instruments.questions.names.phrases import folded, singular
from endoxa.instruments.questions.names.rewrite import Prepared, prepare
from endoxa.instruments.questions.names.text import (
    GroupWords,
    Row,
    Token,
    bundles,
    group_words,
    mended,
    option_label,
    people_options,
)
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.sources.check.wording import indefinite_article

_MAY_COME = frozenset(
    ["named", "the", "one", "from", "of", "'s", "a", "an", "supporters", "person", "man", "woman"]
)
_AROUND = (lexicon.DETERMINER | lexicon.BESIDE | lexicon.PERSON | lexicon.PEOPLE | lexicon.ATTRIBUTIVE) | (
    lexicon.COLLECTIVE | lexicon.COLLECTIVES | lexicon.FOLLOWING | lexicon.MINE | _MAY_COME
)
"""Words that may come, go or change places where a name stands for a group; all others stay as they are."""
_BEFORE_NAME = (lexicon.DETERMINER | lexicon.BESIDE | lexicon.QUANTIFIER) - {"that", "said", "only"}
_AFTER_NAME = lexicon.SINGULAR | lexicon.PLURAL | {"one", "ones", "young", "old", "new", "other"}
_SLIPS = re.compile(
    r"  | (?:['’]s\b|[,.;:!?])|['’]s ?['’]s|\b(\w+) \1\b|\b(?:the|my|your|our|their|an?) "
    rf"(?:the|an?|{'|'.join(sorted(lexicon.POSSESSIVE))})\b",
    re.IGNORECASE,
)
"""Two blanks, a blank before a mark, 's twice, a word twice, two determiners."""
_CAPITALS = re.compile(r"[a-z][.!?][A-Z]\w*|(?<=[a-z\"')][.!?] )[a-z]\w*|^[a-z]\w*| $")
"""A sentence without a blank or a capital at its beginning, a blank at the end."""
_ARTICLE = re.compile(r"\b([Aa]n?) ([^\W\d_]+)")
_SHOWN = 4
"""Words that are shown on either side of a fault."""


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
    before = {
        (str(row["category"]), str(row["example_id"])): (row, number, prepared)
        for number, rows in enumerate(bundles(originals))
        for prepared in [prepare(rows, words)]
        for row in rows
    }
    problems: list[str] = []
    variants: dict[str, set[tuple[str, str]]] = {}
    first: dict[tuple[str, int], tuple[int, object]] = {}
    records = 0
    for line, record in written:
        records += 1
        key, variant = (str(record["category"]), str(record["example_id"])), str(record.get("variant", ""))
        variants.setdefault(variant, set()).add(key)
        if key not in before:
            problems.append(f"line {line}: the original has no record {' '.join(key)}")
            continue
        row, people, prepared = before[key]
        found = (
            check_record(record, row, prepared, bank, words)
            if isinstance(prepared, Prepared)
            else ["the original cannot be written with names"]
        )
        problems += [f"line {line}: {problem}" for problem in found]
        at, names = first.setdefault((variant, people), (line, record.get("names")))
        if names != record.get("names"):
            problems.append(f"line {line}: names: others than in line {at}, which is about the same people")
    everywhere: set[tuple[str, str]] = set().union(*variants.values())
    problems += [
        f"variant {variant} lacks {len(everywhere - there)} records of the others"
        for variant, there in variants.items()
        if everywhere - there
    ]
    return Checked(records, tuple(problems), len(before.keys() - everywhere))


def check_record(
    record: Row, original: Row, prepared: Prepared, bank: NameBank, words: GroupWords
) -> list[str]:
    """Everything that is wrong with a record in which names stand for groups.

    Args:
        record: as written by `endoxa build names`.
        original: the record as published.
        prepared: the records about the same people.
        bank: where the names came from.
        words: the words of its groups.

    Returns:
        sentences, each with its field and the words at hand; empty where nothing is wrong.
    """
    people = people_options(original)
    texts = {field: mended(original[field]) for field in ("context", *people)}
    if problems := list(_field_problems(record, original, texts, bank)):
        return problems
    names = {name: group for group, name in record["names"].items()}
    vocabulary = {token.folded for text in texts.values() for token in words.tokens(text)}
    vocabulary |= _MAY_COME | {name.lower() for name in names}
    for field, text in texts.items():
        tokens = words.tokens(record[field])
        found = [
            *_wording(record[field], text, words, names),
            *(
                f"the word '{word}' came in"
                for word in sorted({token.folded for token in tokens} - vocabulary)
            ),
            # What the published text has too is not counted, slips at names always.
            *(
                f"a slip: '{slip}'"
                for slip in (Counter(_slips(record[field])) - Counter(_slips(text))).elements()
            ),
            *(
                problem
                for at, token in enumerate(tokens)
                if token.text in names
                for problem in _at_name(tokens, at)
            ),
        ]
        label = option_label(original, field)
        if label and label not in words.forms and label.lower() in record[field].lower():
            found.append(f"a word for a group is left: '{label}'")
        problems += [f"{field}: {problem}" for problem in found]
    first, second = (record[field] for field in people)
    if first.casefold() == second.casefold():
        problems.append(f"both options are '{first}'")
    for name, group in names.items():
        gender = prepared.genders.get(group)
        if gender and name not in {entry.name for entry in bank.names(group, gender)}:
            problems.append(f"'{name}' is no {gender} name, and the text asks for one")
    return problems


def _field_problems(record: Row, original: Row, texts: Mapping[str, str], bank: NameBank) -> Iterator[str]:
    """Fields that are missing, changed or empty, and names that are not the bank's."""
    for field in original.keys() - PROVENANCE_COLUMNS:
        value, now = original[field], record.get(field)
        if field not in record:
            yield f"{field}: missing"
        elif field in texts and not (isinstance(now, str) and now.strip()):
            yield f"{field}: empty"
        elif field in texts and now == value:
            yield f"{field}: not rewritten: {value!r}"
        elif field not in texts and now != value:
            yield f"{field}: changed from {value!r} to {now!r}"
    for field in sorted(record.keys() - original.keys() - {"names", "variant", *PROVENANCE_COLUMNS}):
        yield f"{field}: a field that the original does not have"
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


def _wording(text: str, original: str, words: GroupWords, names: Mapping[str, str]) -> Iterator[str]:
    """Groups that are left, people who are lost or mixed up, words and marks that are not those of the original."""
    for word in words.left_in(text):
        if word not in lexicon.ORDINARY and word not in names:
            yield f"a word for a group is left: '{word}'"
    here, there = (_fixed(words.tokens(side), names) for side in (text, original))
    people, published = ([part for part in side if part in names.values()] for side in (here, there))
    if people != published:
        spoken, expected = (", ".join(side) or "nobody" for side in (people, published))
        yield f"speaks of {spoken}, where the original speaks of {expected}"
    elif here != there:
        at = next((k for k, parts in enumerate(zip(here, there, strict=False)) if len({*parts}) > 1), -1)
        shown = " ".join(here[max(0, at - _SHOWN) : at + _SHOWN] if at >= 0 else here[-_SHOWN:])
        yield f"the words are not those of the original: '...{shown}...'"


def _fixed(tokens: Sequence[Token], names: Mapping[str, str]) -> list[str]:
    """Groups, words and marks in their order, without the words that names may change."""
    parts = (names.get(token.text) or token.group or token.folded for token in tokens)
    return [part for part in parts if part not in _AROUND and singular(part) not in lexicon.PERSON]


def _slips(text: str) -> Iterator[str]:
    """Slips of the keyboard and wrong articles."""
    yield from (match[0] for pattern in (_SLIPS, _CAPITALS) for match in pattern.finditer(text))
    for article, word in _ARTICLE.findall(text):
        if article.lower() != indefinite_article(word):
            yield f"{article} {word}"


def _at_name(tokens: Sequence[Token], at: int) -> Iterator[str]:
    """What cannot stand beside a name: 'the Viggo', 'a friend Viggo', 'Viggo friend', 'Viggo's and'."""
    name, before, after = tokens[at].text, folded(tokens, at - 1), folded(tokens, at + 1)
    if before in _BEFORE_NAME:
        yield f"a determiner or an adjective before a name: '{tokens[at - 1].text} {name}'"
    noun = at - 1
    while folded(tokens, noun) in lexicon.BESIDE or singular(folded(tokens, noun)) in lexicon.PERSON:
        noun -= 1
    if before not in _BEFORE_NAME and noun < at - 1 and folded(tokens, noun) not in lexicon.POSSESSIVE:
        yield f"a noun before a name without 'named': '{tokens[at - 1].text} {name}'"
    if after in _AFTER_NAME or singular(after) in lexicon.PERSON:
        yield f"a noun after a name without 's: '{name} {after}'"
    owned = folded(tokens, at + 2)
    if after == "'s" and (not owned[:1].isalpha() or owned in lexicon.DETERMINER | lexicon.AFTER_NOUN):
        yield f"nothing that could be owned: '{name}'s {owned}'"
