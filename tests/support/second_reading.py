"""A second reading of finished texts with names, which knows the original and not the phrases that were written.

Only articles, adjectives, nouns for persons, families and the like may change around a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import NameBank
from endoxa.instruments.questions.names.phrases import singular
from endoxa.instruments.questions.names.text import (
    GroupWords,
    Row,
    Token,
    group_words,
    mended,
    people_options,
)
from endoxa.sources.check.wording import indefinite_article

_MAY_COME = frozenset(
    ["named", "the", "one", "from", "of", "'s", "a", "an", "supporters", "person", "man", "woman"]
)
_AROUND = (lexicon.DETERMINER | lexicon.BESIDE | lexicon.PERSON | lexicon.PEOPLE | lexicon.ATTRIBUTIVE) | (
    lexicon.COLLECTIVE | lexicon.COLLECTIVES | lexicon.FOLLOWING | lexicon.MINE | _MAY_COME
)
"""Words that may come, go or change places where a name stands for a group; all others stay as they are."""
_QUANTIFIERS = frozenset(
    [
        "its",
        "these",
        "those",
        "any",
        "every",
        "each",
        "no",
        "many",
        "few",
        "several",
        "two",
        "three",
        "four",
        "five",
    ]
)
_BEFORE_NAME = (lexicon.DETERMINER | lexicon.BESIDE | _QUANTIFIERS) - {"that", "said", "only"}
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


def second_reading(record: Row, original: Row, bank: NameBank) -> list[str]:
    """What is wrong with the English of a record in which names stand for groups, each with its field."""
    words = group_words(bank)
    texts = {field: mended(original[field]) for field in ("context", *people_options(original))}
    names = {name: group for group, name in record["names"].items()}
    vocabulary = {token.folded for text in texts.values() for token in words.tokens(text)}
    vocabulary |= _MAY_COME | {name.lower() for name in names}
    return [
        f"{field}: {problem}"
        for field, text in texts.items()
        for problem in _problems(record[field], text, words, names, vocabulary)
    ]


def _problems(
    text: str, original: str, words: GroupWords, names: Mapping[str, str], vocabulary: set[str]
) -> Iterator[str]:
    tokens = words.tokens(text)
    yield from _wording(text, original, words, names)
    for word in sorted({token.folded for token in tokens} - vocabulary):
        yield f"the word '{word}' came in"
    # What the published text has too is not counted, slips at names always.
    for slip in (Counter(_slips(text)) - Counter(_slips(original))).elements():
        yield f"a slip: '{slip}'"
    for at, token in enumerate(tokens):
        if token.text in names:
            yield from _at_name(tokens, at)


def _folded(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].folded if 0 <= at < len(tokens) else ""


def _wording(text: str, original: str, words: GroupWords, names: Mapping[str, str]) -> Iterator[str]:
    """Groups that are left, people who are lost or mixed up, words and marks that are not those of the original."""
    for word in words.left_in(text):
        if word not in names:
            yield f"a word for a group is left: '{word}'"
    here, there = (_fixed(words.tokens(side), names) for side in (text, original))
    people, published = ([part for part in side if part in names.values()] for side in (here, there))
    if people != published:
        spoken, expected = (", ".join(side) or "nobody" for side in (people, published))
        yield f"speaks of {spoken}, where the original speaks of {expected}"
    elif here != there:
        yield f"the words are not those of the original: {here}"


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
    name, before, after = tokens[at].text, _folded(tokens, at - 1), _folded(tokens, at + 1)
    if before in _BEFORE_NAME:
        yield f"a determiner or an adjective before a name: '{tokens[at - 1].text} {name}'"
    noun = at - 1
    while _folded(tokens, noun) in lexicon.BESIDE or singular(_folded(tokens, noun)) in lexicon.PERSON:
        noun -= 1
    if before not in _BEFORE_NAME and noun < at - 1 and _folded(tokens, noun) not in lexicon.POSSESSIVE:
        yield f"a noun before a name without 'named': '{tokens[at - 1].text} {name}'"
    if after in _AFTER_NAME or singular(after) in lexicon.PERSON:
        yield f"a noun after a name without 's: '{name} {after}'"
    owned = _folded(tokens, at + 2)
    if after == "'s" and (not owned[:1].isalpha() or owned in lexicon.DETERMINER | lexicon.AFTER_NOUN):
        yield f"nothing that could be owned: '{name}'s {owned}'"
