"""Text of answers: markup removed, JSON objects found, cut into clauses, and checked for refusals."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
import warnings
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar

import regex

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.answers.language import Language

Reading = TypeVar("Reading")

_BOXED = regex.compile(r"\\boxed\s*\{\s*(?:\\text\w*\s*\{)?([^{}\n]{0,300})\}+")
_TAGGED = regex.compile(r"<(answer|final_answer|final|choice)>([^<]{0,500})</\1>", regex.IGNORECASE)
_BRACKETED = regex.compile(r"<([A-C])>(?![^<>\n]*</)")
_LATEX = regex.compile(r"\\(?:text\w*|math\w*)\s*\{([^{}\n]{0,300})\}")
_MARKS = regex.compile(r"[*`$\\]+|__+|(?<!\w)_|_(?!\w)|<[^<>\n]{1,40}>|(?m:^[ \t]*[#>]+)")
_STRAIGHT = str.maketrans(
    "’‘ʼ`´“”„«»‹›،؛؟٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९", '\'\'\'\'\'""""""",;?' + 3 * "0123456789"
)
"""Quotation marks, the stops of Arabic, and the digits of Arabic, Persian and Devanagari."""
_VOWEL_SIGNS = regex.compile("[\u064b-\u0652\u0670]|\u0640(?=\\w)")
"""Signs that Arabic may be written with or without; the stroke that only makes a word longer."""
_WORD = regex.compile(
    r"(?:[cdjlmnst]|qu)'(?=\w{2})|(?<!\w)(?:[وف]?[بك]?ال|[وف]?لل)(?!(?:ذي|تي|ذين)\b)(?=\w{2})|[^\W_]+(?:'[^\W_]+)*"
)
"""A word, or an article that is written as one with the next word: "l'" in French, "ال" in Arabic."""
_STEM, _ENDING = 3, 3
"""Letters that two forms of a word share at least, and letters that may follow them."""
_STANDALONE_E = regex.compile(r"(?<!\w)[éÉ](?!\w)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, without a possessive 's, and where it stands."""

    text: str
    start: int
    end: int


_TURN = regex.compile(
    r"<\|(?:im_start|im_end|start_header_id|eot_id|user|system|end|endoftext|return)\|>|</?s>|\[/?INST\]"
    r"|<(?:start|end)_of_turn>|<｜(?:User|end▁of▁sentence)｜>"
    r"|(?m:^)[ \t*#]*(?:(?:User|Human|USER|HUMAN)[ \t*]*:|(?:user|human)[ \t]*(?=\n))"
    r"|(?m:^)#{2,3} (?:Instruction|Input|Human|User)\b"
)
"""How chat templates and prompts begin a next turn: of ChatML, Llama, Gemma, Mistral, DeepSeek, Alpaca, Vicuna."""


def first_reply(answer: str) -> str:
    """An answer without thoughts, up to where a model that does not stop begins the next turn."""
    text = without_thoughts(answer)
    following = next((match for match in _TURN.finditer(text) if text[: match.start()].strip()), None)
    return text if following is None else text[: following.start()]


def before_new_question(text: str, language: Language) -> str:
    """A text up to the first sign of a new question; all of it where there is none.

    A text that begins by repeating its question goes up to the next such beginning.
    """
    folded = fold(text)
    questions = list(language.new_question.finditer(folded))
    if questions and not folded[: questions[0].start()].strip():
        questions = [match for match in questions[1:] if match["label"] == questions[0]["label"]]
    return text[: questions[0].start()] if questions else text


def read_first(
    text: str, first: str, read: Callable[[str], Reading], settled: Callable[[Reading], object]
) -> Reading:
    """What the first part of a text says where that settles it, else what the whole text says."""
    reading = read(first)
    return reading if first == text or settled(reading) else read(text)


def normal(text: str) -> str:
    """A text in the one form in which texts are compared: NFKC, without vowel signs of Arabic."""
    return str(_VOWEL_SIGNS.sub("", unicodedata.normalize("NFKC", text)))


def plain(answer: str) -> str:
    """The own turn of an answer without Markdown, tags and LaTeX; a boxed or tagged answer becomes 'answer: ...'."""
    text = normal(first_reply(answer)).translate(_STRAIGHT)
    text = _BRACKETED.sub(r"(\1)", text)
    text = _BOXED.sub(r"\nanswer: \1\n", text)
    text = _TAGGED.sub(r"\nanswer: \2\n", text)
    return str(_MARKS.sub("", _LATEX.sub(r"\1", text)))


@lru_cache(maxsize=1024)
def fold(text: str, *, accents: bool = False) -> str:
    """The same text in small letters and without Latin accents, place for place.

    A lone "é" stays: in Portuguese it is "is", and "e" is "and". With `accents` all stay.
    """
    if accents:
        return "".join(map(_small, text))
    return "".join(map(_folded, _STANDALONE_E.sub("\0", text))).replace("\0", "é")


@cache
def _folded(letter: str) -> str:
    base = "".join(part for part in unicodedata.normalize("NFD", letter) if not "̀" <= part <= "ͯ")
    return _small(base) if len(base) == 1 else letter


@cache
def _small(letter: str) -> str:
    lower = letter.lower()
    return lower if len(lower) == 1 else letter


@lru_cache(maxsize=1024)  # the steps of reading look at the same text and at the same options again
def words(folded: str) -> tuple[Word, ...]:
    """The words of a folded text, in order."""
    return tuple(
        Word(match.group().removesuffix("'s"), match.start(), match.end()) for match in _WORD.finditer(folded)
    )


def key(text: str, articles: Container[str], *, accents: bool = False) -> tuple[str, ...]:
    """What of a text is compared with an option: its words, without articles in front."""
    tokens = [word.text for word in words(fold(normal(text), accents=accents))]
    first = next((place for place, word in enumerate(tokens) if word not in articles), len(tokens) - 1)
    return tuple(tokens[max(first, 0) :])


@lru_cache(maxsize=65_536)
def same_word(word: str, other: str) -> bool:
    """Whether two words are forms of one ("late", "later"); "bombed" and "bombing" are not."""
    if word == other or word.endswith("ing") != other.endswith("ing"):
        return word == other
    shared = next(
        (k for k, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    return shared >= _STEM and max(len(word), len(other)) - shared <= _ENDING


_SENTENCE = regex.compile(r"[^.!?।\n]*(?:[.!?।](?![\s\"')\]]|$)[^.!?।\n]*)*[.!?।]*[\"')\]]*\n*")
_PARTING = (";", ":", "-", "–", "—")
_ASIDE = regex.compile(
    r",\s*(?:who|whose|which|whom|que|quien|quienes|cuy[oa]s?|cuj[oa]s?|quem|qui|dont)\b[^,.;:!?\n]{1,160},"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes:
        start: where it begins; the word that sets it off belongs to it.
        end: where it ends.
        sentence: number of its sentence.
        background: it gives a reason, or the sentence is a question: who is named there is not the answer.
        concluding: it follows a word such as "therefore".
        contrasting: it follows or holds a word such as "but" or "probably".
        conceding: it follows a word such as "although".
        asking: its sentence is a question.
        parted: it stands after a semicolon, colon or dash.
        lead: the word that sets it off, or nothing.
    """

    start: int
    end: int
    sentence: int
    background: bool
    concluding: bool
    contrasting: bool
    conceding: bool
    asking: bool
    parted: bool
    lead: str


def without_asides(folded: str) -> str:
    """The text with relative clauses between commas blanked: who is named in them is not the answer."""
    return str(_ASIDE.sub(lambda match: " " * len(match.group()), folded))


def clauses(folded: str, language: Language) -> Iterator[Clause]:
    """The clauses of a text in order."""
    for number, (start, end) in enumerate(sentences(folded)):
        yield from _of_sentence(folded, start, end, number, language)


def sentences(folded: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends; every line ends one."""
    for match in _SENTENCE.finditer(folded):
        if match.group().strip():
            yield match.span()


def _of_sentence(folded: str, start: int, end: int, number: int, language: Language) -> Iterator[Clause]:
    asks = folded[start:end].rstrip("\"') \n").endswith("?")
    reason_runs = reason_first = concluded = False
    for place, (begin, stop) in enumerate(_pieces(folded, start, end, language)):
        match = language.leads.match(folded, begin, stop)
        lead = match[1] if match else ""
        after_comma = place > 0 and folded[begin - 1] == ","
        if reason_runs and reason_first and after_comma:
            reason_runs = False
        as_reason = (place == 0 or after_comma) and language.comma_reasons.match(folded, begin, stop)
        if as_reason or language.reasons.fullmatch(lead):
            reason_first = place == 0
            reason_runs = True
        concluded = concluded or bool(language.conclusions.fullmatch(lead))
        yield Clause(
            begin,
            stop,
            number,
            background=asks or reason_runs,
            concluding=concluded,
            contrasting=bool(language.contrasts.search(folded, begin, stop)),
            conceding=bool(language.concessions.fullmatch(lead)),
            asking=asks,
            parted=folded[max(start, begin - 3) : begin].rstrip()[-1:] in _PARTING,
            lead=lead,
        )


def _pieces(folded: str, start: int, end: int, language: Language) -> Iterator[tuple[int, int]]:
    """A sentence cut at punctuation (which is dropped) and before words that begin a clause (which are kept)."""
    begin = start
    for match in language.breaks.finditer(folded, start, end):
        if folded[begin : match.start()].strip():
            yield begin, match.start()
        elif match.group()[0].isalpha():
            continue  # a word such as "so" at the very beginning leads the clause that follows
        begin = match.start() if match.group()[0].isalpha() else match.end()
    if folded[begin:end].strip():
        yield begin, end


@dataclass(frozen=True, slots=True)
class Declined:
    """An answer and what in it declines to answer.

    Attributes:
        text: the answer, with sentences that decline blanked.
        refused: it declines.
        uninformed: it declines because the text does not say enough ("I cannot answer from the context").
    """

    text: str
    refused: bool
    uninformed: bool


def declined(text: str, language: Language) -> Declined:
    """What of a text declines to answer: only the first person does; "Cannot answer" alone is an option of BBQ."""
    folded = fold(text)
    kept: list[str] = []
    refused = uninformed = False
    for start, end in sentences(folded):
        blank = bool(language.refusals.search(folded, start, end))
        if not blank and language.declines.search(folded, start, end):
            blank = not language.information.search(folded, start, end)
            uninformed = uninformed or not blank
        refused = refused or blank
        kept.append(" " * (end - start) if blank else text[start:end])
    return Declined("".join(kept), refused, uninformed)


MOST_DEPTH = 4
"""Objects inside objects that are looked at."""
MOST_STARTS = 200
"""Braces at which an object is looked for; a text of nothing but braces must not take forever."""
MOST_LENGTH = 20_000
"""Characters of an object that is no JSON and may be mended."""
_BRACE = re.compile(r"[{}]")
_TRAILING = re.compile(r",(?=\s*[}\]])")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_CONSTANT = re.compile(r"\b(?:true|false|null)\b")


def outer_objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in the text that stand in no other one, in order.

    A comma too many and single quotes are forgiven.
    """
    decoder = json.JSONDecoder()
    place = text.find("{")
    for _ in range(MOST_STARTS):
        if place < 0:
            return
        try:
            parsed, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = _closing(text, place)
            parsed = _mended(text[place:end]) if end else None
            end = end if parsed else place + 1
        if parsed:
            yield parsed
        place = text.find("{", end)


def nested(value: Any, depth: int = MOST_DEPTH) -> Iterator[dict[str, Any]]:
    """An object and those inside it, outer ones first."""
    if isinstance(value, dict) and depth:
        yield value
        for inside in value.values():
            yield from nested(inside, depth - 1)


def _closing(text: str, place: int) -> int:
    """Where the object ends that opens at `place`, braces in quotes being counted too; 0 where it does not."""
    depth = 0
    for brace in _BRACE.finditer(text, place, place + MOST_LENGTH):
        depth += 1 if brace.group() == "{" else -1
        if not depth:
            return brace.end()
    return 0


def _mended(text: str) -> dict[str, Any] | None:
    """An object with a comma too many, or written as Python writes it."""
    try:
        parsed = json.loads(_TRAILING.sub("", text))
    except (ValueError, RecursionError):
        parsed = _as_python(_CONSTANT.sub(lambda word: _WORDS[word.group()], text))
    return parsed if isinstance(parsed, dict) else None


def _as_python(text: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash that means nothing
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None
