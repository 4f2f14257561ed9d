"""The key of an attribute: two texts with one key are the same attribute without anybody being asked.

So it only forgets what does not change the meaning: case, punctuation round words, Arabic short vowels, a leading
"they are", the English article where no word of amount follows, and the plural of a single Spanish or Portuguese
word in -ante, -able, -dor and the like. Accents, gendered articles, "estar" and all other plurals stay: "papa" is no
"papá", "el papa" no "la papa", "goods" are not "good". Anything less certain is a question for people
(`entry.alike`).
"""

from __future__ import annotations

import unicodedata
from hashlib import sha256

import regex

from endoxa.collect.entry.cleaning import MAX_LENGTH

APOSTROPHE = "\u02bc"
"""The letter that every apostrophe within a word becomes."""
_DIGEST = 16

_LEADING = {
    language: regex.compile(f"^(?:{words})+")
    for language, words in {
        # "are like cats" is no "like cats", "are to blame" no "blame", "are a few" no "are few".
        "en": (
            rf"(?:they|they{APOSTROPHE}?re|to)\s|(?:are|is|be|being)\s(?!(?:like|used|to|hit|hurt)\b)"
            r"|(?:an?|the)\s(?!(?:few|little|lot|bit)\b)"
        ),
        "es": r"(?:ellos|ellas|son|es)\s",
        "fr": r"(?:ils|elles|sont)\s",
        "pt": r"(?:eles|elas|são|sao|é)\s",
    }.items()
}
"""Words that say nothing at the start of an attribute, where another word follows."""

_IBERIAN = regex.compile(r"^(\w+(?:[ae]nte|[ai]ble)(?=s$)|\w+[aei]dor(?=es$))(?:s|es)$")
_PLURALS = {"es": _IBERIAN, "pt": _IBERIAN}
"""Plurals of words that mean the same in the singular, where such a word is the whole attribute."""

_IGNORED = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640\u064b-\u0650\u0652\u0670]")
"""Invisible characters, and tatweel and short vowels of the Arabic script; doubling (shadda) tells words apart."""
_APOSTROPHES = regex.compile(r"['\u2018\u2019\u02bc\u02bb\uff07`\u00b4]")
_WITHIN = regex.compile(rf"(?<=[\p{{L}}\p{{M}}\p{{N}}]){_APOSTROPHES.pattern}(?=\p{{L}})")
_BEFORE = regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}]){_APOSTROPHES.pattern}(?=\p{{L}})")
_HELD = "\ufdd0"
"""Stands for an apostrophe that stays while the others go; no character of any text."""
_SEPARATORS = regex.compile(r"(?:[\p{P}--[#%\&]]|(?<!\p{L})#|(?<!\p{N})%|\s)+", regex.V1)
"""Punctuation, but for the sharp of "C#" and the percent of "100%"."""


def key(text: str, language: str) -> str:
    """What an attribute is called by; "" where the text has no letters, digits or symbols.

    Applying it to a key gives the same key. At most 120 characters: a digest stands for the end of a longer one.
    """
    while (shorter := _step(text, language)) != text:
        text = shorter
    return text


def fold(text: str, *, glottal: bool = False) -> str:
    """Compatibility form, caseless, words apart by single spaces, no punctuation: for comparing in any language.

    Apostrophes within words stay; with `glottal` those before words, too, as they are letters in Hausa.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    held = _WITHIN.sub(_HELD, _IGNORED.sub("", folded).replace(_HELD, ""))
    held = _BEFORE.sub(_HELD, held) if glottal else held
    plain = _APOSTROPHES.sub("", held).replace(_HELD, APOSTROPHE)
    return str(_SEPARATORS.sub(" ", plain)).strip()


def _step(text: str, language: str) -> str:
    folded = fold(text, glottal=language == "ha")
    if language in _LEADING:
        folded = _LEADING[language].sub("", folded)
    if language in _PLURALS:
        folded = _PLURALS[language].sub(r"\1", folded)
    return _shortened(folded)


def _shortened(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{text[: MAX_LENGTH - _DIGEST - 1].strip()} {digest}"
