"""Typography of sentences, and their words: what is alike in two spellings, and where two sentences differ.

A tokenizer cuts `can’t` and `can't` into other tokens, so that a pair which differs there compares typography with the
stereotype. `differences` finds such places.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

import regex

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of the spelling in scripts of India and in Persian."""
_INVISIBLE = r"\p{Default_Ignorable_Code_Point}\p{Cf}\u0640"
_UNSEEN = regex.compile(f"[{_INVISIBLE}]")
_UNSEEN_BUT_JOINERS = regex.compile(f"[{_INVISIBLE}--[{JOINERS}]]", regex.VERSION1)
_JOINED = (
    r"[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}"
    r"\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Myanmar}\p{Khmer}]"
)
STRAY_JOINERS = regex.compile(rf"(?<!\p{{ccc=9}})(?:(?<!{_JOINED})[{JOINERS}]|[{JOINERS}](?!{_JOINED}))")
"""Joiners that are not between letters of a script that needs them, nor after a virama (Unicode, RFC 5892 A.1)."""
_OTHER_WIDTHS = regex.compile(r"[\ufb00-\ufdff\ufe70-\ufefc\uff01-\uffee\U0001d400-\U0001d7ff]+")
"""Full-width, joined and mathematical forms of letters and signs."""
_DASHES = "-\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
_TOKEN = regex.compile(rf"(\s*)([\p{{L}}\p{{M}}\p{{N}}{_INVISIBLE}]+|\.{{2,}}|[{_DASHES}]+|\S)")
_MARKS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛‹›ʼ′´`", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        "…": "...",
    }
)
_DASH = regex.compile(rf"[{_DASHES}]+")
_RUNS = ((_DASH, "-"), (regex.compile(r"\.{2,}"), "..."))
_FARSI = str.maketrans("يك٠١٢٣٤٥٦٧٨٩", "یک۰۱۲۳۴۵۶۷۸۹")
_ARABIC = str.maketrans("یک۰۱۲۳۴۵۶۷۸۹", "يك٠١٢٣٤٥٦٧٨٩")
_ODD_BLANKS = regex.compile(r"(?:\s{2,}|[^\S ])(?=\S)")
INVISIBLE = "joiners or invisible characters"
COMPOSITION = "composed and decomposed letters"
LETTERS = "Arabic and Farsi letters"
BLANKS = "blanks"
OTHER_FORMS = "full-width letters, ligatures or other forms"
_CONVENTIONS: dict[str, Callable[[str], str]] = {
    INVISIBLE: lambda text: _UNSEEN_BUT_JOINERS.sub("", text),
    COMPOSITION: lambda text: unicodedata.normalize("NFC", text),
    BLANKS: lambda text: _ODD_BLANKS.sub(" ", text),
}
"""What a whole sentence may have, and the sentence without it."""
_KINDS = {"'": "quotation marks", '"': "quotation marks", "-": "dashes", "...": "ellipses"}
_SPACED = frozenset("!?;:,.")
_OTHER_WAYS = regex.compile(f"[‘’‚‛‹›ʼ′“”„‟«»″يكیک٠-٩۰-۹\u2010-\u2015\u2212{_INVISIBLE}]")
_UNUSUAL_BLANKS = regex.compile(r"\s\s|\s[!?;:,.]|[\t\r\n\v\f]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark, with the blanks before it, and the form in which all its ways of writing are the same."""

    blank: str
    text: str
    plain: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What one sentence has (`more`) where the other one has `less`, in the same words; `kind` says what differs."""

    kind: str
    more: str
    less: str


@lru_cache(maxsize=4)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and marks of a text, in order."""
    return tuple(Token(match[1], match[2], plain_form(match[2])) for match in _TOKEN.finditer(text))


@lru_cache(maxsize=1 << 16)
def plain_form(text: str) -> str:
    """A text in the form that all ways of writing it share; it is for comparing, not for reading."""
    if text.isascii() and text.isalnum():
        return text
    plain: str = unicodedata.normalize("NFKC", unseen_removed(text.translate(_MARKS))).translate(_FARSI)
    for pattern, mark in _RUNS:
        plain = pattern.sub(mark, plain)
    return plain


def unseen_removed(text: str) -> str:
    """A text in composed letters (NFC) without what is not seen: marks of direction, joiners, soft hyphens, tatweel."""
    return text if text.isascii() else unicodedata.normalize("NFC", _UNSEEN.sub("", text))


def readable(text: str) -> str:
    """A text as people see it, for reading and showing: as `unseen_removed`, with letters in their usual width.

    Joiners stay between letters of scripts that need them; keys (`plain_form`) forget them there, too.
    """
    if text.isascii():
        return text
    usual = _OTHER_WIDTHS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return unicodedata.normalize("NFC", STRAY_JOINERS.sub("", _UNSEEN_BUT_JOINERS.sub("", usual)))


def _usual(text: str) -> bool:
    """Whether a text holds nothing that has another way of writing; most do not, and need no closer look."""
    plain = text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _OTHER_WAYS.search(text))
    return plain and not _UNUSUAL_BLANKS.search(text)


def differences(more: str, less: str) -> tuple[Difference, ...]:
    """Where two sentences follow other conventions, or write the same words differently.

    Args:
        more: one sentence.
        less: the other.
    """
    if _usual(more) and _usual(less):
        return ()
    differing = []
    for kind, mended in _CONVENTIONS.items():
        if (mended(more) == more) != (mended(less) == less):
            differing.append(Difference(kind, more, less))
            more, less = mended(more), mended(less)
    if {_letters(more), _letters(less)} == {"Arabic", "Farsi"}:
        differing.append(Difference(LETTERS, more, less))
        more, less = more.translate(_ARABIC), less.translate(_ARABIC)
    first, second = _ways(more), _ways(less)
    for plain in sorted(first.keys() & second.keys()):
        ways = first[plain], second[plain]
        if ways[0].isdisjoint(ways[1]):
            differing.append(Difference(_kind(plain, *ways), *(" ".join(sorted(way)) for way in ways)))
    return tuple(differing)


def same_words(more: str, less: str) -> bool:
    """Whether two texts differ in typography only: they have the same words and marks, written differently."""
    if _usual(more) and _usual(less):
        return False
    return "".join(token.plain for token in tokens(more)) == "".join(token.plain for token in tokens(less))


def _letters(text: str) -> str:
    """Whose letters a text has, where only one of the two has them."""
    farsi, arabic = text.translate(_FARSI) == text, text.translate(_ARABIC) == text
    return "" if farsi == arabic else "Farsi" if farsi else "Arabic"


def _ways(text: str) -> dict[str, set[str]]:
    """How each word and mark is written, two words as one, and a mark with or without a blank behind its word."""
    ways: defaultdict[str, set[str]] = defaultdict(set)
    for before, token in pairwise((Token("", "", ""), *tokens(text))):
        ways[token.plain].add(token.text)
        if before.plain.isalnum() and token.plain.isalnum():
            ways[before.plain + token.plain].add(before.text + token.blank + token.text)
        elif token.plain in _SPACED:
            ways[f"{before.plain} {token.plain}"].add(before.plain + token.blank + token.plain)
    return ways


def _kind(plain: str, first: set[str], second: set[str]) -> str:
    """What differs between two ways of writing."""
    if plain in _KINDS:
        return _KINDS[plain]
    if set(map(_single, first)) == set(map(_single, second)) or " " in plain:
        return BLANKS
    return INVISIBLE if set(map(_unjoined, first)) == set(map(_unjoined, second)) else OTHER_FORMS


def _single(text: str) -> str:
    return " ".join(text.split())


def _unjoined(text: str) -> str:
    return "".join(_UNSEEN.sub("", text).split())


_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in the text without punctuation at its ends, and the same case folded."""

    text: str
    folded: str


@dataclass(frozen=True, slots=True)
class Span:
    """Words `[start_more, end_more)` of one sentence against `[start_less, end_less)` of the other."""

    start_more: int
    end_more: int
    start_less: int
    end_less: int


@lru_cache(maxsize=16)  # checks of a pair ask for the same texts in turn
def words(text: str) -> tuple[Word, ...]:
    """Words of a text; what is only punctuation is no word."""
    return tuple(word for token in text.split() if (word := _word(token)) is not None)


@lru_cache(maxsize=1 << 16)
def _word(token: str) -> Word | None:
    """What stands between blanks as a word; None where it is only punctuation."""
    stripped = _EDGES.sub("", token)
    return Word(stripped, stripped.casefold()) if stripped else None


def differing_spans(more: Sequence[Word], less: Sequence[Word]) -> tuple[Span, ...]:
    """Stretches of words in which the two differ, in order; empty where they share every word.

    Common words at both ends are set aside first, so that the usual pair (one word replaced) costs no
    alignment; what remains is aligned by `difflib`.
    """
    a, b = [word.folded for word in more], [word.folded for word in less]
    shortest = min(len(a), len(b))
    head = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    tail = next((i for i in range(shortest - head) if a[-1 - i] != b[-1 - i]), shortest - head)
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(left) <= 1 and len(right) <= 1:
        return (Span(head, head + len(left), head, head + len(right)),) if left or right else ()
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return tuple(Span(head + i, head + j, head + k, head + m) for tag, i, j, k, m in blocks if tag != "equal")


def differing_words(sentence: str, second: str) -> str | None:
    """Words of `sentence` where it differs from `other`: lower case, each once, joined by blanks; or None."""
    left, right = words(sentence), words(second)
    matches = (
        word.text.lower()
        for span in differing_spans(left, right)
        for word in left[span.start_more : span.end_more]
    )
    return " ".join(dict.fromkeys(matches)) or None
