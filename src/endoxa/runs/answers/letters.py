"""Letters in sentences of any language, by where they stand and not by what is said.

A letter is the answer where it ends a clause ("Die Antwort ist C", "答案是C", "정답은 C입니다"), also after another was
denied ("Niet A maar B"). What opens a clause is what is spoken about ("A wäre ...") or a word of the
language. A denial in the clause, or before the letter of a person in its sentence, leaves it unread, and so do two
letters without a decision: a misread person is worse than an unread answer. The few words that are needed are in
`letters.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import regex

from endoxa.runs.answers.language import Language
from endoxa.runs.answers.options import Mention
from endoxa.runs.answers.text import fold, normal

_ALPHABETS = r"\p{Latin}\p{Cyrillic}\p{Greek}\p{N}"
"""Scripts beside whose letters an A is a part of a word."""
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts that are written without spaces, or with endings on any word."""
_LETTER = regex.compile(rf"(?<![{_ALPHABETS}]['-]?)[ABC](?![{_ALPHABETS}]|-[\p{{Lu}}\p{{N}}])")
_QUOTED = regex.compile(r"""(?<!\w)[(\["«「『【]\s?[A-C]\s?[)\]"»」』】]|'[A-C]'""")
_SENTENCE = regex.compile(r"(?:[^.!?。।؟۔\n]|\.(?=\w))+[.!?。।؟۔]?")
_STOPS = " .!?。।؟۔'\""
_CLAUSE = regex.compile(r"[^,;:()\[\]{}\"«»「」『』【】、،؛–—]+")
_ENDING = regex.compile(
    rf"['-]\p{{Ll}}{{1,4}}|(?![はがもと은는가와과도])[{_UNSPACED}](?:[{_UNSPACED}]|\s(?=[{_UNSPACED}])){{0,7}}|\s\p{{L}}[\p{{L}}\p{{M}}]{{1,4}}|"
)
"""What may follow an answer in its clause: an ending, a copula, or a short verb at the end of the sentence."""
_HOUSE = regex.compile(rf"[^{_UNSPACED}\p{{Cyrillic}}\p{{Greek}}\s\p{{P}}]")
"""Letters of the scripts of languages that have words of ours."""
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_NAME = "\ufffc"
"""Stands for the letters of a person's text."""
_RESETS = (":", ";", "–", "—")
"""Behind these a denial before them is over."""
MOST = 5
"""Characters of a short verb behind a letter; three times as many with a word such as "correct"."""
_TELLING = 6
"""Characters of a word of the question that show that a clause is about the story and does not answer."""


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(
        files(__package__).joinpath("letters.toml").read_text(encoding="utf-8")
    )
    return table


@cache
def _words(row: str, end: str = r"(?![\p{L}\p{M}])") -> regex.Pattern[str]:
    """Any of the words of a row of `letters.toml`, over folded text; whole words where they are written apart."""
    unspaced = regex.compile(rf"[{_UNSPACED}]")
    words = ((unspaced.match(word), regex.escape(fold(word))) for word in _table()[row])
    return regex.compile(
        "|".join(word if apart else rf"(?<![\p{{L}}\p{{M}}]){word}{end}" for apart, word in words)
    )


@dataclass(slots=True)
class Letters:
    """Letters of a text.

    Attributes:
        answers: those that a clause gives as the answer.
        others: those that are spoken of in another way, but for what opens a clause.
        unread: where those stand that are denied or undecided.
    """

    answers: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    unread: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause with letters.

    Attributes:
        answer: the one letter that ends it, or empty.
        inside: the one letter that stands between its words, or empty.
        others: letters that it leaves undecided.
        denied: places of denied letters, in the clause.
        only_denied: it says nothing but that a letter is not the answer.
    """

    answer: str = ""
    inside: str = ""
    others: frozenset[str] = frozenset()
    denied: tuple[int, ...] = ()
    only_denied: bool = False


def latin_letters(text: str) -> str:
    """A text with its letters as A, B and C, place for place: without quotes and brackets, and from other scripts."""
    text = _QUOTED.sub(lambda match: regex.sub(r"\W", " ", match.group()), text)
    letters = {letter: latin for row in _table()["letters"] for letter, latin in zip(row, "ABC", strict=True)}
    single = rf"(?<=[\p{{L}}:]\s*)(?<![\p{{L}}\p{{M}}'-])[{''.join(letters)}](?![\p{{L}}\p{{M}}'-])"
    return str(regex.sub(single, lambda match: letters[match.group()], text))


def with_names(text: str, names: Iterable[Mention], unknown: int) -> str:
    """The text with a mark for each person named by an option's text, and a stop for that it cannot be known."""
    signs = list(text)
    for name in names:
        signs[name.start : name.end] = (";" if name.option == unknown else _NAME) * (name.end - name.start)
    return "".join(signs)


def letters_in(text: str, story: str, unknown: str, spoken: Language) -> Letters:
    """The letters of a text, by what is done with them.

    Args:
        text: of `latin_letters` and `with_names`.
        story: the story and the question: a clause with a word of theirs tells the story, and a letter that stands
            there is a name.
        unknown: the letter that it cannot be known.
        spoken: a sentence in it or in English is left out. Where it has words of its own, only clauses count in which a
            word for "answer" or the script shows that they are in another language.
    """
    result = Letters()
    if not _LETTER.search(text) or any(not _opens(story, letter) for letter in _LETTER.finditer(story)):
        return result
    about = frozenset(word for word in _WORD.findall(fold(normal(story))) if len(word) >= _TELLING)
    for sentence in _SENTENCE.finditer(text):
        tokens = _WORD.findall(_LETTER.sub("", sentence.group()).lower())
        if not 2 * sum(word in spoken.plain or word in spoken.common for word in tokens) >= len(tokens) > 1:
            part = _of_sentence(sentence.group(), about, unknown, foreign=spoken.covered)
            result.answers |= part.answers
            result.others |= part.others
            result.unread |= {sentence.start() + place for place in part.unread}
    return result


def _opens(text: str, letter: regex.Match[str]) -> bool:
    """Whether a letter is an A at the beginning of a sentence, which is a word of many languages."""
    return letter.group() == "A" and text[: letter.start()].rstrip()[-1:] in ("", *_STOPS)


def _of_sentence(sentence: str, about: Collection[str], unknown: str, *, foreign: bool) -> Letters:
    folded, result = fold(sentence), Letters()
    blocked = denied = undecided = False
    inside = ""
    for match in _CLAUSE.finditer(sentence):
        if folded[: match.start()].rstrip()[-1:] in _RESETS:
            blocked = denied = False
        clause = _read(match.group(), about, foreign=foreign)
        result.unread.update(match.start() + place for place in clause.denied)
        if clause.only_denied and inside:
            result.answers.add(inside)
            inside = ""
        listed = (
            denied and match.group().strip(_STOPS) == clause.answer
        )  # "Nicht A, B": B may be denied as well
        if clause.answer and not listed and (clause.answer == unknown or not blocked):
            result.answers.add(clause.answer)
        elif clause.answer or clause.others:
            result.others |= {*clause.others, clause.answer} - {""}
            result.unread.update(match.start() + place for place in _places(match.group()))
            undecided = undecided or len(clause.others) > 1
        denies = _words("denials").search(folded, *match.span()) is not None
        blocked = blocked or (denies and not clause.denied)
        denied = denies and bool(clause.denied)
        if clause.inside and not blocked:
            inside = clause.inside
    if undecided or sentence.endswith("?"):
        result.answers.clear()
        result.unread.update(_places(sentence))
    if _words("criticism", "").search(folded):
        result.answers &= {unknown}
    return result


def _places(text: str) -> list[int]:
    return [letter.start() for letter in _LETTER.finditer(text)]


def _read(clause: str, about: Collection[str], *, foreign: bool) -> _Clause:
    folded, labels = fold(clause), _words("labels", "")
    letters = list(_LETTER.finditer(clause))
    if len(letters) > 1 and labels.search(folded, 0, letters[1].start()) and clause.strip().startswith("A"):
        del letters[0]  # an article ("A válasz C")
    if not letters:
        return _Clause()
    before, after = _words("denials").search(folded), _words("denials_after").search(folded)
    turn = _words("contrasts").search(folded, letters[0].end()) if before else after
    left = letters
    if before or after:
        left = [letter for letter in letters if turn and letter.start() >= turn.end()]
    denied = tuple(letter.start() for letter in letters if letter not in left)
    if len(left) != 1:
        tokens = _WORD.findall(folded)
        return _Clause(
            others=frozenset(letter.group() for letter in left),
            denied=denied,
            only_denied=len(letters) == 1
            and bool(before)
            and len(tokens) == len(_WORD.findall(before.group())) + 1,
        )
    (letter,) = left
    head, tail = clause[: letter.start()], clause[letter.end() :].rstrip(_STOPS)
    if not _tells(head, tail, about, foreign=foreign):
        named = frozenset({letter.group()})
        return _Clause(others=named if _WORD.search(head) or not tail else frozenset(), denied=denied)
    heads = bool(_WORD.search(head))
    ends = regex.match(_ENDING, tail).end() == len(tail)
    short = len(tail) <= 3 * MOST and labels.search(fold(tail))
    if (ends and (heads or not tail or regex.match(rf"\s?[{_UNSPACED}]", tail))) or short:
        return _Clause(answer=letter.group(), denied=denied)
    return _Clause(
        inside=letter.group() if heads else "",
        others=frozenset({letter.group()}) if heads else frozenset(),
        denied=denied,
    )


def _tells(head: str, tail: str, about: Collection[str], *, foreign: bool) -> bool:
    """Whether what stands around a letter may give an answer: it does not tell the story, and "Typ C" is a name."""
    if _NAME in head + tail:
        return False
    labels = _words("labels", "")
    heads = _WORD.findall(head)
    tokens = [fold(word) for word in (*heads, *_WORD.findall(tail))]
    labelled = any(labels.match(word) for word in tokens)
    if any(word in about and not labels.match(word) for word in tokens):
        return False
    if foreign and not labelled and (not tokens or _HOUSE.search(head + tail)):
        return False
    return not (len(heads) > 1 and heads[-1].istitle() and not labels.match(fold(heads[-1])))
