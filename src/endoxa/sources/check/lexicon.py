"""The word lists of `checks.toml` of English and of each language, and the definition of a negation.

The definition serves the check of pairs and the column `how` of pairs that `build` makes. A sentence negates another
where both say the same except for negating words (not, never, cannot; ne ... pas) and what comes or goes with them:
do-support, "anymore", "always" in the place of "never", a French article. An opposite is a different word, however it
is formed: "impatient" and "unkind" are antonyms of "patient" and "kind" (Huddleston and Pullum 2002, ch. 9: a negative
prefix makes no negative clause).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import zip_longest

from endoxa.sources.spans import words
from endoxa.words.packs import words_by_language, words_of

_LISTS = words_of("en", "checks.toml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _by_language(name: str) -> dict[str, frozenset[str]]:
    by_language = words_by_language("checks.toml")
    return {code: frozenset(lists[name].split()) for code, lists in by_language.items() if name in lists}


MASCULINE_PRONOUNS = _words("masculine_pronouns")
FEMININE_PRONOUNS = _words("feminine_pronouns")
PRONOUNS = MASCULINE_PRONOUNS | FEMININE_PRONOUNS
MASCULINE = MASCULINE_PRONOUNS | _words("masculine_nouns")
FEMININE = FEMININE_PRONOUNS | _words("feminine_nouns")
GENDERED = MASCULINE | FEMININE
AGREEMENT = PRONOUNS | _words("agreement")
FUNCTION_WORDS = _words("agreement") | _words("function_words")
CASE_OPTIONAL = _words("case_optional")
DOUBLED_ALLOWED = _words("doubled_allowed")
VOWEL_SOUND = tuple(_LISTS["vowel_sound"].split())
CONSONANT_SOUND = tuple(_LISTS["consonant_sound"].split())
LETTERS_AN = _words("letters_an")
NEGATIONS = _by_language("negations")
COMPANIONS = _by_language("companions")


NOT = "not"
_ENGLISH_TAILS = re.compile(r"\b(?:any more|at all)\b", re.IGNORECASE)
_ENGLISH_CONTRACTED = {"won't": ["will", NOT], "cannot": ["can", NOT], "can't": ["can", NOT]}
_FRENCH_ELIDED = re.compile(r"\b([ndl])['’](?=\w)", re.IGNORECASE)
_SWAHILI_SHORT = {
    "hawali": "wanakula",
    "hawanywi": "wanakunywa",
    "hawaji": "wanakuja",
    "hawafi": "wanakufa",
    "hawaendi": "wanakwenda",
}


def negates(more: str, less: str, language: str) -> bool:
    """Whether one sentence is only the negation of the other; False where the language is not known.

    Args:
        more: a sentence.
        less: another.
        language: ISO 639 code without script and region.
    """
    negating = NEGATIONS.get(language)
    if negating is None:
        return False
    sides = [_SPLITTERS.get(language, _folded)(text) for text in (more, less)]
    denials = [sum(word in negating for word in side) for side in sides]
    if denials[0] == denials[1]:
        return False
    passing = negating | COMPANIONS.get(language, frozenset())
    one, other = ([word for word in side if word not in passing] for side in sides)
    return len(one) == len(other) and all(
        a == b or (language == "en" and _same_verb(a, b)) for a, b in zip(one, other, strict=True)
    )


def _folded(text: str) -> list[str]:
    return [word.folded.replace("’", "'") for word in words(text)]


def _english(text: str) -> list[str]:
    """Contractions written out; "need not" denies "must"; "any more" and "at all" come with a negation."""
    full: list[str] = []
    for word in _folded(_ENGLISH_TAILS.sub(" ", text)):
        if word in _ENGLISH_CONTRACTED:
            full += _ENGLISH_CONTRACTED[word]
        elif word.endswith("n't"):
            full += [word.removesuffix("n't"), NOT]
        else:
            full.append(word)
    if "need" not in full:
        return full
    following = zip_longest(full, full[1:], fillvalue="")
    return ["must" if pair == ("need", NOT) else pair[0] for pair in following]


def _same_verb(one: str, other: str) -> bool:
    """Whether an auxiliary took the ending of a verb: "likes" and "like", "used" and "use", "has" and "have"."""
    short, long = sorted((one, other), key=len)
    return {short, long} == {"has", "have"} or long in (f"{short}s", f"{short}es", f"{short}d", f"{short}ed")


def _french(text: str) -> list[str]:
    return _folded(_FRENCH_ELIDED.sub(r"\1e ", text))


def _swahili(text: str) -> list[str]:
    """The present "wana-" and its denial "hawa-" with -i for a final -a; "hawana" denies "wana" ("have")."""
    found: list[str] = []
    for word in _folded(text):
        said = _SWAHILI_SHORT.get(word, word)
        denied = said.startswith("hawa") and len(said) > len("hawa")
        stem = said.removeprefix("hawa" if denied else "wana")
        if stem == said:
            found.append(said)
        else:
            found += [*([NOT] if said != word or denied else []), stem.removesuffix("na").rstrip("ai")]
    return found


def _arabic(text: str) -> list[str]:
    """After "laysū" a plural stands in the accusative: -īn for -ūn."""
    return [re.sub("ين$", "ون", word) for word in _folded(text)]


_SPLITTERS: Mapping[str, Callable[[str], list[str]]] = {
    "en": _english,
    "fr": _french,
    "sw": _swahili,
    "ar": _arabic,
}
