"""Surface forms: attributes that differ in spelling only are one term from the start.

"are very loud" and "loud", "cheat" and "cheats", "old-school" and "old school", "organised" and "organized" are united
before anything is compared by meaning, whatever an encoder makes of them. One term represents each group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict

from endoxa.curate import english
from endoxa.curate.encoders import Vectors
from endoxa.curate.opposites.lexicon import Lexicon, Words, plain
from endoxa.words.packs import words_of

DIGITS = 4
"""Digits to which likeness is compared."""


class Surface(BaseModel):
    """The word lists of `surface.toml` of a language; `endoxa/words/en/surface.toml` says what each holds."""

    model_config = ConfigDict(frozen=True)
    copulas: Words = frozenset()
    articles: Words = frozenset()
    passed: Words = frozenset()
    denials: Words = frozenset()
    particles: Words = frozenset()
    hedges: tuple[Annotated[tuple[str, ...], BeforeValidator(str.split)], ...] = ()
    spellings: Annotated[
        tuple[tuple[str, str], ...], BeforeValidator(lambda text: [pair.split("/") for pair in text.split()])
    ] = ()


@lru_cache
def surface_of(language: str) -> Surface:
    """The word lists of a language; empty ones where it has no `surface.toml`."""
    return Surface.model_validate(words_of(language, "surface.toml"))


def clean(text: str, lexicon: Lexicon) -> str:
    """The attribute as it reads best: no copula, hedge, article or word of degree in front, plain apostrophes.

    "are very loud" and "are seen as loud" give "loud"; a text of which nothing would be left stays as it is.
    """
    words = plain(text).strip(" .,;:!?\"'").split()
    return " ".join(words[_start(words, lexicon) :])


def _start(words: Sequence[str], lexicon: Lexicon) -> int:
    """How many words stand before what the attribute says; never all of them."""
    surface = surface_of(lexicon.language)
    passed = surface.copulas | lexicon.rules.degree | surface.articles
    start = 0
    while start < len(words) - 1:
        rest = tuple(words[start:])
        length = max((len(hedge) for hedge in surface.hedges if rest[: len(hedge)] == hedge), default=0)
        step = length or int(words[start] in passed)
        if not step or start + step >= len(words):
            return start
        start += step
    return start


def key(text: str, lexicon: Lexicon) -> str:
    """What an attribute and its surface variants have in common; equal keys are one term.

    Copula, hedges ("seen as"), articles, possessives, words of degree, number, person, comparison, hyphens, white space
    and British or American spelling do not count; negation does, however it is written. Forms of words are undone in
    English only.
    """
    surface = surface_of(lexicon.language)
    words = lexicon.split(text)
    words = words[_start(words, lexicon) :]
    dropped = surface.copulas | surface.articles | surface.passed | lexicon.rules.degree
    kept = [word for word in words if word not in dropped]
    if lexicon.language == "en":
        kept = [_english(word) for word in kept]
        if len(kept) == 2 and kept[1] in ("person", "people") and english.is_adjective(kept[0]):
            kept.pop()
    return "".join(kept or words) or text


@lru_cache(maxsize=65536)
def _english(word: str) -> str:
    surface = surface_of("en")
    if word in surface.denials:
        return "not"
    word = _uninflected(word)
    if len(word) > 4:
        for british, american in surface.spellings:
            other = word[: -len(british)] + american
            if word.endswith(british) and english.lemmas(other):
                return other
    return word


def _uninflected(word: str) -> str:
    """Without plural, comparison or the -s of verbs; a participle stays ("trusted" is not "trust")."""
    lemmas = english.lemmas(word)
    if lemmas.get("ADJ") == word:
        return word
    parts = ("ADJ", "NOUN", "VERB") if word.endswith("s") else ("ADJ", "NOUN")
    return next((lemmas[part] for part in parts if part in lemmas), word)


@dataclass(frozen=True, slots=True)
class Term:
    """Attributes that are the same but for their surface.

    Attributes:
        key: what they have in common.
        text: how the term reads best ("loud" for "are very loud").
        attributes: the attributes as they stand, in alphabetical order.
        count: respondents behind all of them.
    """

    key: str
    text: str
    attributes: tuple[str, ...]
    count: int


def make_terms(counts: Mapping[str, int], lexicon: Lexicon) -> list[Term]:
    """Terms of the attributes in `counts` (respondents by attribute), in the order of their keys."""
    by_key: dict[str, list[str]] = {}
    for attribute in sorted(counts):
        by_key.setdefault(key(attribute, lexicon), []).append(attribute)
    return [
        Term(name, _text(members, counts, lexicon), tuple(members), sum(counts[member] for member in members))
        for name, members in sorted(by_key.items())
    ]


def _text(members: list[str], counts: Mapping[str, int], lexicon: Lexicon) -> str:
    """The cleaned form of most respondents; then the shortest, then the first in the alphabet."""
    support: dict[str, int] = {}
    for member in members:
        form = clean(member, lexicon)
        support[form] = support.get(form, 0) + counts[member]
    return min(support, key=lambda form: (-support[form], len(form), form))


def canonical(terms: Sequence[Term], vectors: Vectors) -> str:
    """The term of most respondents; of several the most central (cosine to the mean), then the shortest.

    Args:
        terms: members of the group.
        vectors: their unit vectors, in the same order.
    """
    central = np.round(vectors @ vectors.mean(axis=0), DIGITS)
    order = sorted(
        range(len(terms)),
        key=lambda row: (-terms[row].count, -central[row], len(terms[row].text), terms[row].text),
    )
    return terms[order[0]].text
