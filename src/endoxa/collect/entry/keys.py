"""The key of an attribute: two texts with one key are the same attribute without anybody being asked.

So it only forgets what never changes the meaning: case, punctuation, vowel signs that Arabic leaves out at will, a
leading "they are" or article, and the number of the last word where that is safe. Accents stay: "papa" is no "papá".
Anything less certain is a question for people (`entry.alike`).
"""

from __future__ import annotations

import unicodedata

import regex

from endoxa.collect.entry.cleaning import MAX_LENGTH

_FILLERS = {
    "en": "they theyre are is be being to a an the",
    "es": "ellos ellas son es ser están estan estar el la los las un una unos unas",
    "fr": "ils elles sont est être etre le la les l un une des",
    "pt": "eles elas são sao é ser estão estao estar o a os as um uma uns umas",
}
"""Words that say nothing at the start of an attribute."""
_LEADING = {language: frozenset(words.split()) for language, words in _FILLERS.items()}

_PLURALS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"(?<=\w{2})ies", "y"),
        (r"(?<=ch|sh|ss|x|z)es", ""),
        (r"(?<=\w{3}[^\Wsuiy])s", ""),
        (r"(?<=\w[aeo]y)s", ""),
    ),
    "es": ((r"(?<=\w{2}(?:or|al))es", ""), (r"(?<=[ae]nte|[ai]ble)s", ""), (r"(?<=\w{2}[aoiu])s", "")),
    "fr": ((r"(?<=\w{3}[^\Wsuix])s", ""),),
    "pt": ((r"(?<=\w{2}or)es", ""), (r"(?<=\w)ões", "ão"), (r"(?<=\w{2}[aoe])s", "")),
}
"""Endings of the last word that are plurals with hardly an exception; the first that fits is replaced."""
_ENDINGS = {
    language: tuple((regex.compile(f"{pattern}$"), singular) for pattern, singular in rules)
    for language, rules in _PLURALS.items()
}

_IGNORED = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640\u064b-\u0652\u0670]")
"""Invisible characters, and tatweel and vowel signs of the Arabic script."""
_APOSTROPHES = regex.compile(r"['\u2018\u2019\u02bc\u02bb\uff07`\u00b4]")
_FRENCH_ARTICLE = regex.compile(r"^l['\u2018\u2019\u02bc\uff07`\u00b4]\s*(?=\w)")
_ARABIC_ARTICLE = regex.compile(r"^\u0627\u0644(?=\w{3})")
_SEPARATORS = regex.compile(r"[\p{P}\s]+")


def key(text: str, language: str) -> str:
    """What an attribute is called by; "" where the text has no letters, digits or symbols.

    Applying it to a key gives the same key. At most 120 characters.
    """
    while (shorter := _step(text, language)) != text:
        text = shorter
    return text


def fold(text: str) -> str:
    """Compatibility form, caseless, words apart by single spaces, no punctuation: for comparing in any language."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return str(_SEPARATORS.sub(" ", _APOSTROPHES.sub("", _IGNORED.sub("", folded)))).strip()


def _step(text: str, language: str) -> str:
    if language == "fr":
        text = _FRENCH_ARTICLE.sub("", text.casefold().strip())
    folded = fold(text)
    if language == "ar":
        folded = _ARABIC_ARTICLE.sub("", folded)
    folded = _without_leading(folded, _LEADING.get(language, frozenset()))
    return _singular(folded, language)[:MAX_LENGTH].strip()


def _without_leading(text: str, fillers: frozenset[str]) -> str:
    words = text.split(" ")
    while len(words) > 1 and words[0] in fillers:
        words = words[1:]
    return " ".join(words)


def _singular(text: str, language: str) -> str:
    for ending, singular in _ENDINGS.get(language, ()):
        shorter, found = ending.subn(singular, text)
        if found:
            return str(shorter)
    return text
