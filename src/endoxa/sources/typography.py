"""Typography of sentences, and their words: what is alike in two spellings, and where two sentences differ.

A tokenizer cuts `can’t` and `can't` into other tokens, so that a pair which differs there compares typography with the
stereotype. `differences` finds such places, `made_alike` mends them and leaves everything else as it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate

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
_FARSI_LANGUAGES = ("ckb", "fa", "ku", "ps", "sd", "ug", "ur")
INVISIBLE = "joiners or invisible characters"
COMPOSITION = "composed and decomposed letters"
LETTERS = "Arabic and Farsi letters"
OTHER_FORMS = "full-width letters, ligatures or other forms"
_FORMS: dict[str, Callable[[str], str]] = {
    INVISIBLE: lambda text: "".join(_UNSEEN.sub("", text).split()),
    COMPOSITION: lambda text: unicodedata.normalize("NFC", text),
    LETTERS: lambda text: text.translate(_FARSI),
}
"""What makes two texts equal that differ in nothing else."""
_KINDS = {"'": "quotation marks", '"': "quotation marks", "-": "dashes", "...": "ellipses"}
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
    """Tokens `more` of one sentence that are `less` in the other, in the same words; `kind` says what differs."""

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
    return _composed(usual)


def _usual(text: str) -> bool:
    """Whether a text holds nothing that has another way of writing; most do not, and need no closer look."""
    plain = text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _OTHER_WAYS.search(text))
    return plain and not _UNUSUAL_BLANKS.search(text)


def differences(more: str, less: str) -> tuple[Difference, ...]:
    """Where two sentences are written differently in the same words, or in different words by different conventions.

    Args:
        more: one sentence.
        less: the other.
    """
    if _usual(more) and _usual(less):
        return ()
    return tuple(
        Difference(_kind(stretch), _written(stretch.more), _written(stretch.less))
        for stretch in _stretches(tokens(more), tokens(less))
        if _differs(stretch)
    )


def same_words(more: str, less: str) -> bool:
    """Whether two texts differ in typography only: they have the same words and marks, written differently."""
    if _usual(more) and _usual(less):
        return False
    return "".join(token.plain for token in tokens(more)) == "".join(token.plain for token in tokens(less))


def made_alike(more: str, less: str, language: str) -> tuple[str, str]:
    """The two sentences, written alike where they differ in how they are written; all other places stay as they are.

    Quotes become straight, dashes hyphens, ellipses three dots, blanks plain ones, letters composed. Joiners stay where
    the script needs them, and come to the side that lacks them.

    Args:
        more: one sentence.
        less: the other.
        language: ISO 639 code: Farsi or Arabic letters.
    """
    if not differences(more, less):
        return more, less
    sides: tuple[list[str], list[str]] = ([], [])
    for stretch in _stretches(tokens(more), tokens(less)):
        for side, text in zip(sides, _alike(stretch, language), strict=True):
            side.append(text)
    ends = [text[len(text.rstrip()) :] for text in (more, less)]
    return "".join(sides[0]) + ends[0], "".join(sides[1]) + ends[1]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Tokens of both sentences: the same words or not; `opens` where what stands before them differs."""

    more: Sequence[Token]
    less: Sequence[Token]
    same: bool
    opens: bool


def _stretches(more: Sequence[Token], less: Sequence[Token]) -> Iterator[_Stretch]:
    """Both sentences in stretches; what they begin and end with alike is set aside: in most pairs nearly all."""
    shortest = min(len(more), len(less))
    head = next((n for n in range(shortest) if more[n] != less[n]), shortest)
    tail = next((n for n in range(shortest - head) if more[-1 - n] != less[-1 - n]), shortest - head)
    yield from (_Stretch((token,), (token,), same=True, opens=False) for token in more[:head])
    yield from _aligned(more[head : len(more) - tail], less[head : len(less) - tail], opens=not head)
    yield from (_Stretch((token,), (token,), same=True, opens=False) for token in more[len(more) - tail :])


def _aligned(more: Sequence[Token], less: Sequence[Token], *, opens: bool) -> Iterator[_Stretch]:
    plain = [[token.plain for token in side] for side in (more, less)]
    if len(more) <= 1 and len(less) <= 1 and plain[0] != plain[1]:
        yield from _parts(more, less)
        return
    for tag, i, j, k, m in SequenceMatcher(None, plain[0], plain[1], autojunk=False).get_opcodes():
        if tag == "equal":
            for n in range(j - i):
                first = n == 0 and (opens or i > 0 or k > 0)
                yield _Stretch((more[i + n],), (less[k + n],), same=True, opens=first)
        else:
            yield from _parts(more[i:j], less[k:m])


def _parts(more: Sequence[Token], less: Sequence[Token]) -> Iterator[_Stretch]:
    """What differs, without the words at its ends that only one side writes as several."""
    (i, k), (j, m) = _shared(more, less), _shared(_backwards(more), _backwards(less))
    if i + j > len(more) or k + m > len(less):
        j = m = 0
    bounds = ((0, i, 0, k, True), (i, len(more) - j, k, len(less) - m, False))
    for start, end, first, last, same in (
        *bounds,
        (len(more) - j, len(more), len(less) - m, len(less), True),
    ):
        if end > start or last > first:
            yield _Stretch(more[start:end], less[first:last], same, opens=True)


def _backwards(side: Sequence[Token]) -> list[Token]:
    return [replace(token, plain=token.plain[::-1]) for token in reversed(side)]


def _shared(more: Sequence[Token], less: Sequence[Token]) -> tuple[int, int]:
    """How many tokens at the start of both are the same letters, where both have a boundary."""
    first, second = _boundaries(more), _boundaries(less)
    return next(((first[text], second[text]) for text in reversed(first) if text and text in second), (0, 0))


def _boundaries(side: Sequence[Token]) -> dict[str, int]:
    """The letters up to each token -> the number of tokens."""
    letters = accumulate(token.plain for token in side)
    return {text: number for number, text in enumerate(letters, start=1)}


def _differs(stretch: _Stretch) -> bool:
    first, second = _blanks(stretch)
    blanks = first != second and bool(first and second)
    if not stretch.same:
        return blanks or bool(_other_conventions(stretch))
    if _text(stretch.more) != _text(stretch.less):
        return True
    # Where words before it differ, a blank on one side only belongs to them ("non-Muslims").
    return blanks or (first != second and not stretch.opens)


def _blanks(stretch: _Stretch) -> tuple[str, str]:
    """What stands before the words of both sides."""
    more, less = (side[0].blank if side else "" for side in (stretch.more, stretch.less))
    return more, less


def _other_conventions(stretch: _Stretch) -> str:
    """How words that differ are written by different conventions, or an empty text."""
    first, second = _text(stretch.more), _text(stretch.less)
    if first.isascii() and second.isascii():
        return ""
    unseen = [_UNSEEN_BUT_JOINERS.search(text) is not None for text in (first, second)]
    if unseen[0] != unseen[1]:
        return INVISIBLE
    composed = [unicodedata.normalize("NFC", text) == text for text in (first, second)]
    if composed[0] != composed[1]:
        return COMPOSITION
    farsi, arabic = (
        [text.translate(table) == text for text in (first, second)] for table in (_FARSI, _ARABIC)
    )
    return LETTERS if farsi == arabic[::-1] and farsi[0] != farsi[1] else ""


def _composed(text: str) -> str:
    """Letters composed (NFC), and nothing that is not seen but joiners where the script needs them."""
    return unicodedata.normalize("NFC", STRAY_JOINERS.sub("", _UNSEEN_BUT_JOINERS.sub("", text)))


def _text(stretch: Sequence[Token]) -> str:
    """The tokens without the blanks before the first."""
    return _written(stretch).removeprefix(stretch[0].blank if stretch else "")


def _written(stretch: Sequence[Token]) -> str:
    return "".join(token.blank + token.text for token in stretch)


def _kind(stretch: _Stretch) -> str:
    if not stretch.same:
        return _other_conventions(stretch) or "blanks"
    first, second = _text(stretch.more), _text(stretch.less)
    if first == second:
        return "blanks"
    if stretch.more[0].plain in _KINDS:
        return _KINDS[stretch.more[0].plain]
    return next((kind for kind, form in _FORMS.items() if form(first) == form(second)), OTHER_FORMS)


def _alike(stretch: _Stretch, language: str) -> tuple[str, str]:
    """Both sides as they are written alike; the blanks before them stay where words before them differ."""
    first, second = _written(stretch.more), _written(stretch.less)
    if not _differs(stretch):
        return first, second
    code = language.replace("_", "-").partition("-")[0].lower()
    letters = _FARSI if code in _FARSI_LANGUAGES else _ARABIC
    if not stretch.same:
        if all(_blanks(stretch)):
            first, second = f" {_text(stretch.more)}", f" {_text(stretch.less)}"
        if _other_conventions(stretch) == LETTERS:
            first, second = first.translate(letters), second.translate(letters)
        return _composed(first), _composed(second)
    text = _common_text(stretch.more, stretch.less, letters)
    blanks = _blanks(stretch)
    if all(blanks):
        blanks = (" ", " ")
    elif not stretch.opens:
        blanks = (blanks[0], blanks[0])
    return blanks[0] + text, blanks[1] + text


def _common_text(more: Sequence[Token], less: Sequence[Token], letters: dict[int, int]) -> str:
    first, second = _text(more), _text(less)
    if first == second:
        return first
    if (
        len(more) != 1 or len(less) != 1
    ):  # one word on one side, several on the other: joined where they can be
        return max((first, second), key=lambda text: sum(text.count(joiner) for joiner in JOINERS))
    texts = [_composed(text) for text in (first, second)]
    longest = max(texts, key=len)
    if _UNSEEN.sub("", texts[0]) == _UNSEEN.sub("", texts[1]):
        return longest
    marks = _DASH.sub("-", longest.translate(_MARKS))
    return unicodedata.normalize("NFKC", marks).translate(letters)


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
