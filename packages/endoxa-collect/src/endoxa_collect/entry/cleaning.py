"""Clean typed words before they are stored and shown, say what is wrong with them, and find their key.

The key is what an attribute is called by; the looser form is compared for attributes being nearly the same.

Two texts with one key are the same attribute without anybody being asked. So the key only forgets what does not change
the meaning: case, punctuation round words, Arabic short vowels, a leading "they are", the English article where no word
of amount follows, and the plural of a single Spanish or Portuguese word in -ante, -able, -dor and the like. Accents,
gendered articles, "estar" and all other plurals stay: "papa" is no "papá", "el papa" no "la papa", "goods" are not
"good". Anything less certain is a question for people (`entry.proposing`).

The looser form, only for such questions, forgets what people leave out or write in several ways: accents, Arabic hamza
and final letters, Devanagari nasals and dots, the dot of the Turkish i, digits of other scripts, words such as "very"
or "people", number and gender.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from hashlib import sha256

import regex
from django.utils.translation import gettext, ngettext

from endoxa_collect.visible import READ, single_line, visible

MAX_LENGTH = 120
"""Characters of an attribute."""


class EntryError(ValueError):
    """Words that cannot become a pair. `str()` is a sentence to show beside the field, in the active language."""


class EmptyTextError(EntryError):
    """Nothing is left once spaces and signs are taken away."""


class TooLongError(EntryError):
    """More characters than an attribute may have."""


class AlreadyShownError(EntryError):
    """The person was shown this very pair, so that saying it is no unprompted mention."""


def clean(text: str) -> str:
    """One line of at most 120 visible characters, in Unicode's composed form (NFC); otherwise as it was typed.

    Raises:
        EmptyTextError: if nothing is left.
        TooLongError: if more is left than fits.
    """
    line = single_line(text)
    if len(line) <= READ:
        line = visible(line)
    if not line:
        raise EmptyTextError(gettext("Please write a few words first."))
    over = len(line) - MAX_LENGTH
    if over > 0:
        raise TooLongError(
            ngettext(
                "This is %(over)d character too long. Please say it in fewer words.",
                "This is %(over)d characters too long. Please say it in fewer words.",
                over,
            )
            % {"over": over}
        )
    return line


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
_PLACEHOLDER = "\ufdd0"
"""Stands for an apostrophe that stays while the others go; no character of any text."""
_SEPARATORS = regex.compile(r"(?:[\p{P}--[#%\&]]|(?<!\p{L})#|(?<!\p{N})%|\s)+", regex.V1)
"""Punctuation, but for the sharp of "C#" and the percent of "100%"."""

_LETTERS = str.maketrans(
    {"ı": "i", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ء": None}
    | {"ँ": "ं", "\u093c": None, APOSTROPHE: None}
)
_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)
_NASALS = regex.compile(r"[ङञणनम]\u094d(?=[क-ह])")
_DIGITS = regex.compile(r"\p{Nd}")

_FILLERS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "they theyre she he we are is be being to a an the people folk folks very really so quite always lots",
        "es": "ellos ellas son es ser estan esta estar el la los las un una unos unas muy tan le les se gente siempre",
        "fr": "ils elles on cest ce sont est etre le la les l un une des du de tres gens toujours",
        "pt": "eles elas sao e ser esta estao estar o a os as um uma uns umas muito tao gente sempre",
        "de": "sie sind ist sehr der die das ein eine leute immer",
        "ar": "هم هن هو هي انهم جدا الناس ناس دايما",
        "hi": "वे वो वह हैं है हे लोग बहुत हमेशा",
        "sw": "wao ni watu sana daima",
        "ha": "su ne sunada mutane sosai",
    }.items()
}
"""Words without which an attribute says nearly the same, as they look once the marks are gone."""

_ENDINGS = {
    language: tuple((regex.compile(pattern), instead) for pattern, instead in rules)
    for language, rules in {
        "en": ((r"(?<=\w{2})ies$", "y"), (r"(?<=ch|sh|ss|x|z)es$", ""), (r"(?<=\w{2}[^suiy])s$", "")),
        "es": ((r"(?<=\w{2})ces$", "z"), (r"(?<=\w{2}[^aeiou])es$", ""), (r"(?<=\w{2}[aeiou])s$", "")),
        "fr": ((r"(?<=\w{3})aux$", "al"), (r"(?<=\w{3}[^s])[sx]$", ""), (r"(?<=\w{3})e$", "")),
        "pt": (
            (r"(?<=\w{2})(?:oes|aes)$", "ao"),
            (r"(?<=\w{2})ns$", "m"),
            (r"(?<=\w{2}[rz])es$", ""),
            (r"(?<=\w{2}[aeiou])is$", "l"),
            (r"(?<=\w{2}[aeiou])s$", ""),
        ),
        "ar": ((r"^\u0627\u0644(?=\w{3})", ""),),
        "hi": ((r"(?<=\w{2})[\u0940\u0947\u093e\u094b]$", ""),),
        "sw": ((r"^(?:wana|ana|hu|wa|m)(?=\w{4})", ""),),
    }.items()
}
_GENDERED = frozenset({"es", "pt"})
_GENDER = regex.compile(r"(?<=\w{3})[ao]$")


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
    marked = _WITHIN.sub(_PLACEHOLDER, _IGNORED.sub("", folded).replace(_PLACEHOLDER, ""))
    marked = _BEFORE.sub(_PLACEHOLDER, marked) if glottal else marked
    plain = _APOSTROPHES.sub("", marked).replace(_PLACEHOLDER, APOSTROPHE)
    return str(_SEPARATORS.sub(" ", plain)).strip()


def _step(text: str, language: str) -> str:
    folded = fold(text, glottal=language == "ha")
    if language in _LEADING:
        folded = _LEADING[language].sub("", folded)
    if language in _PLURALS:
        folded = _PLURALS[language].sub(r"\1", folded)
    if len(folded) <= MAX_LENGTH:
        return folded
    digest = sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{folded[: MAX_LENGTH - _DIGEST - 1].strip()} {digest}"


@lru_cache(maxsize=65_536)
def comparable(name: str, language: str) -> str:
    """The form of a key; the key itself where nothing would be left."""
    spread = unicodedata.normalize("NFD", name)
    plain = _MARKS.sub("", spread).translate(_LETTERS)
    # Digits of any script as 0 to 9, or as they are where their script is newer than Python's tables.
    plain = _DIGITS.sub(
        lambda digit: str(unicodedata.decimal(digit.group(), digit.group())), _NASALS.sub("ं", plain)
    )
    words = plain.split()
    fillers = _FILLERS.get(language, frozenset())
    telling = [word for word in words if word not in fillers] or words
    return unicodedata.normalize("NFC", " ".join(_stem(word, language) for word in telling)) or name


def is_filler(word: str, language: str) -> bool:
    """Whether a word, in any case, says little and is no part of names as "La" is: "very", "people"."""
    return len(word) > 3 and word.casefold() in _FILLERS.get(language, ())


def _stem(word: str, language: str) -> str:
    for ending, instead in _ENDINGS.get(language, ()):
        shorter, count = ending.subn(instead, word)
        if count:
            word = str(shorter)
            break
    return str(_GENDER.sub("", word)) if language in _GENDERED else word
