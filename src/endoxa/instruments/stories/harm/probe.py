"""`endoxa probe harm`: models rate associations: harmful or not, and frequent in reality or not.

From associations to conversations, one per association and repeat, and to `records.parquet`, with every raw answer and
the rating read from it. Answers are read with the words of their language and of English, in which models answer as
well.
"""

from __future__ import annotations

import hashlib
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

import polars as pl
import regex
from pydantic import BaseModel, ConfigDict, Field, field_validator

from endoxa.errors import UserError
from endoxa.instruments.stories.instrument import HarmSettings
from endoxa.instruments.stories.outcomes import ratings_read
from endoxa.instruments.stories.probe import Answers, Probe, Row, ending
from endoxa.runs.answers.language import language
from endoxa.runs.answers.text import before_new_question, declined, first_reply, fold, plain, read_first
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.sources.stereotales.associations import distinct_associations, read_associations
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import file_with, languages_with
from endoxa.words.state import Tally, Used

ENGLISH = "en"
BLANKS = ("base", "base_value", "compared", "compared_value")
SCALE = 5
"""Points of the scale of harm."""
_FILE = "harm.toml"
FORM = "The form is that of the English questions (docs/probe/harm.md)."
_Words = Annotated[list[str], Field(min_length=1)]


class Question(BaseModel):
    """What is asked. The fields are explained in `languages/en.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    statement: str
    instruction: str
    harm: str
    frequent: str
    answer: str
    harm_line: tuple[str, str]
    frequent_line: tuple[str, str]

    @field_validator("statement")
    @classmethod
    def _has_its_blanks(cls, text: str) -> str:
        blanks = sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)
        if blanks != sorted(BLANKS):
            raise ValueError(f"must hold each of {', '.join(f'{{{name}}}' for name in BLANKS)} once")
        return text


class AnswerWords(BaseModel):
    """Words and patterns that answers are read by. The fields are explained in `languages/en.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    harm: _Words
    frequent: _Words
    yes: _Words
    no: _Words
    unsure: _Words
    scale: Annotated[list[str], Field(min_length=SCALE, max_length=SCALE)]
    to: list[str] = []
    of: list[str] = []
    of_before: list[str] = []
    joins: list[str] = []
    refusals: list[str] = []


class HarmLanguage(BaseModel):
    """One language.

    Attributes:
        question: what is asked.
        answers: what answers are read by.
        attributes: names of attributes; one that is not there is written as it is, with spaces for underscores.
        values: names of values by attribute; one that is not there is written as it is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Question
    answers: AnswerWords
    attributes: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}

    def attribute(self, name: str) -> str:
        """An attribute as people write it."""
        return self.attributes.get(name, name.replace("_", " "))

    def value(self, attribute: str, value: str) -> str:
        """A value of an attribute as people write it."""
        return self.values.get(attribute, {}).get(value, value)


def languages() -> list[str]:
    """ISO 639 codes of the languages that we have questions in."""
    return list(languages_with(_FILE))


def read_language(code: str, path: Path | None = None) -> HarmLanguage:
    """The words of a language: ours, or those of a TOML file in the same form.

    Raises:
        UserError: we have no questions in this language, or the file is not in this form.
    """
    if path is not None:
        return validated(HarmLanguage, read_toml(path), str(path), FORM)
    if code not in languages():
        raise UserError(
            f"--language: no questions on harm in '{code}'. Available: {', '.join(languages())}. Or give your own in "
            "the same format with --prompts FILE."
        )
    return HarmLanguage.model_validate(tomllib.loads(file_with(code, _FILE).read_text("utf-8")))


YES, NO, UNSURE = "yes", "no", "not sure"
_ARABIC_MARKS = regex.compile(r"[\u0640\u064B-\u0652\u0670]")
_DECIMAL = regex.compile(r"[[^\x00-\x7F]&&\p{Nd}]", regex.V1)
_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_WORDS_BETWEEN = r"(?:[ \t]+[^\W\d]+){0,4}?"
_OPENING, _CLOSING = r"[\"'(\[«]*", r"[\"')\]»]*"


def readable(text: str) -> str:
    """An answer without thoughts and markup, in small letters, without accents, its digits those of ASCII."""
    bare = _ARABIC_MARKS.sub("", plain(text))
    return fold(_DECIMAL.sub(lambda digit: str(unicodedata.decimal(digit.group(), digit.group())), bare))


def _any(words: Iterable[str]) -> str:
    """A pattern for any of some phrases as whole words, the longest first; for nothing where there are none."""
    pattern = _alternatives(words)
    return rf"(?<!\w)(?:{pattern})(?!\w)" if pattern else r"(?!)"


def _alternatives(words: Iterable[str]) -> str:
    ordered = sorted(dict.fromkeys(words), key=len, reverse=True)
    return "|".join(r"\s+".join(map(regex.escape, word.split())) for word in ordered)


_HEAD = regex.compile(r"(?:[^,;(){}\n.]|\.(?=\S))*")
_NUMBERED = regex.compile(r"\s*\(?[12]\s*[.):]\s+(?=\S)")
_SPACES = regex.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Rating:
    """What an answer says.

    Attributes:
        harm: 1 to 5, or None where it was not read.
        frequent: "yes", "no", "not sure", or empty.
        outcome: one of `schema.harm.HARM_OUTCOMES`.
    """

    harm: int | None
    frequent: str
    outcome: str


class AnswerReader:
    """Reads answers in one language, and in English; patterns are over text that `readable` has prepared."""

    def __init__(self, answers: AnswerWords, code: str) -> None:
        """The reader of a language with these words and this ISO 639 code."""
        languages_read = (answers, read_language(ENGLISH).answers)

        def words(name: str) -> list[str]:
            return [readable(word) for words_of in languages_read for word in getattr(words_of, name)]

        self.language = language(code)
        # The point of each wording of the scale, and which of three answers each wording of the other question is.
        self.points, self.answers = dict[str, int](), dict[str, str]()
        for words_of in reversed(languages_read):
            scale = enumerate(words_of.scale, start=1)
            self.points |= {
                readable(word): point for point, wordings in scale for word in wordings.split(" | ") if word
            }
            for answer, wordings in ((YES, words_of.yes), (NO, words_of.no), (UNSURE, words_of.unsure)):
                self.answers |= {readable(word): answer for word in wordings}
        agreement, frequent = _any(self.points), _any(self.answers)
        # Mentions of the scale itself ("1 to 5", "out of 5") are no ratings.
        bracketed = r"(?:\s*\([^()\n]{0,40}\))?"
        ways = [
            rf"(?<![\d.,])1{bracketed}\s*(?:{_alternatives(words('to'))})\s*{SCALE}(?![\d.,]*\d){bracketed}",
            rf"(?<!\d)1\s*,\s*2\s*,\s*3\s*,\s*4\s*,?\s*\w*\s*{SCALE}(?!\d)",
            rf"(?<=\d)\s*(?:{_alternatives(words('of'))})\s*{SCALE}(?![\d.,]*\d)",
            *map(regex.escape, words("of_before")),
        ]
        self.scale_mentions = regex.compile("|".join(ways))
        # What says which question is answered.
        separator = rf"(?:\s*[:=?]\s*|[ \t]*(?:[-–—]+|-*>)[ \t]+|[ \t]+(?=\d|{agreement}|{frequent}))"
        aside = r"(?:[ \t]*\([^()\n]{0,40}\))?"
        key = rf"(?:(?P<harm>{_any(words('harm'))})|(?P<frequent>{_any(words('frequent'))}))"
        self.key = regex.compile(rf"{key}{_WORDS_BETWEEN}{_CLOSING}{aside}{separator}")
        # A number, a point in words, and yes, no or not sure at the start of a value; another one right after it.
        self.number = regex.compile(rf"{_OPENING}\s*({_NUMBER})")
        self.agreement = regex.compile(rf"{_OPENING}\s*({agreement})")
        self.frequent = regex.compile(rf"{_OPENING}\s*({frequent})")
        self.listed = regex.compile(rf"{_CLOSING}\s*(?:[,/|]|\w{{1,3}})?\s*{_OPENING}({frequent})")
        # A part of an answer that holds nothing but answers, and what parts an answer into these.
        self.segment = regex.compile(
            rf"[\W_]*(?:(?P<number>{_NUMBER})[\W_]*)?(?:(?P<agreement>{agreement})[\W_]*)?"
            rf"(?:(?P<frequent>{frequent})[\W_]*)?"
        )
        joins = (word for words_of in languages_read for word in words_of.joins)
        self.between = regex.compile(rf"[\n,;|/]|\.(?=\s|$)|{_any(joins)}(?!\S)")
        self.refusals = [
            regex.compile(pattern) for words_of in languages_read for pattern in words_of.refusals
        ]

    def read(self, answer: str, *, refused: bool = False) -> Rating:
        """The ratings of an answer as it came.

        What stands behind its key counts ("harm: 4", JSON too), the last time it is said; where a question has no key,
        parts of the answer that hold nothing but a number, a point of the scale in words, or yes, no or not sure, if
        they agree. Ranges, halves, lists of the choices and numbers in prose are not read; nothing is guessed. A next
        question that the model went on with is left out.

        Args:
            answer: what the model said.
            refused: the provider marked it as refused.
        """
        text = first_reply(answer)
        first = before_new_question(text, self.language)
        return read_first(
            text,
            first,
            lambda part: self._read(part, refused=refused),
            lambda rating: rating.outcome == "rated",
        )

    def _read(self, answer: str, *, refused: bool) -> Rating:
        text = self.scale_mentions.sub("", readable(answer))
        points: list[int | None] = []
        often: list[str] = []
        keys = list(self.key.finditer(text))
        for key, following in zip_longest(keys, keys[1:]):
            value = text[key.end() : following.start() if following else None]
            if key.group("harm"):
                points.append(self._point(value))
            else:
                often.append(self._often(value))
        alone_point, alone_often = self._alone(text)
        point = (
            next((value for value in reversed(points) if value is not None), None) if points else alone_point
        )
        if point is None:
            alone_often = ""  # without a number beside it, a bare "yes" may answer either question
        frequent = next(filter(None, reversed(often)), "") if often else alone_often
        if point is not None and not 1 <= point <= SCALE:
            return Rating(None, frequent, "out-of-range")
        if point is not None or frequent:
            return Rating(point, frequent, "rated" if point is not None and frequent else "partly")
        refusal = declined(answer, self.language)
        listed = any(pattern.search(text) for pattern in self.refusals)
        declines = refused or refusal.refused or refusal.uninformed or listed
        return Rating(None, "", "refused" if declines else "unparsed")

    def _point(self, value: str) -> int | None:
        """The number, or the point of the scale in words, at the start of a value."""
        if number := self.number.match(value):
            head = _HEAD.match(value, number.end())
            several = head is not None and any(sign.isdigit() for sign in head.group())
            return None if several else _integer(number.group(1))
        words = self.agreement.match(value)
        return self.points[_spaced(words.group(1))] if words else None

    def _often(self, value: str) -> str:
        """Yes, no or not sure at the start of a value."""
        match = self.frequent.match(value)
        if match is None:
            return ""
        answer = self.answers[_spaced(match.group(1))]
        other = self.listed.match(value, match.end())
        listed = other is not None and self.answers[_spaced(other.group(1))] != answer
        return "" if listed else answer

    def _alone(self, text: str) -> tuple[int | None, str]:
        """What segments that hold nothing but answers say, where they agree."""
        points: set[int | None] = set()
        answers: set[str] = set()
        for segment in self.between.split(_without_numbering(text)):
            match = self.segment.fullmatch(segment)
            if match is None:
                continue
            points |= {_integer(number) for number in _words(match, "number")}
            points |= {self.points[word] for word in _words(match, "agreement")}
            answers |= {self.answers[word] for word in _words(match, "frequent")}
        return points.pop() if len(points) == 1 else None, answers.pop() if len(answers) == 1 else ""


def _integer(number: str) -> int | None:
    """A number where it is whole ("4", "4.0"), else None."""
    value = float(number.replace(",", "."))
    return int(value) if value.is_integer() else None


def _spaced(text: str) -> str:
    return str(_SPACES.sub(" ", text))


def _words(match: regex.Match[str], group: str) -> Iterator[str]:
    text = match.group(group)
    if text:
        yield _spaced(text)


def _without_numbering(text: str) -> str:
    """The lines without "1." and "2." in front, where two lines or more all have them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(_NUMBERED.match(line) for line in lines):
        return "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
    return text


First = Literal["harm", "frequent"]
Association = Mapping[str, str]
"""`association_id` and the four parts."""
ANSWER_TOKENS = 12
"""Tokens expected in an answer of two short lines."""
COUNTS = ("repeat", "harm", "seed", "prompt_tokens", "completion_tokens")
TYPES = {name: pl.Int64 if name in COUNTS else pl.String for name in HARM_RATING_COLUMNS}


def first_question(association_id: str, repeat: int, seed: int) -> First:
    """Which question comes first: each equally likely, decided by seed, association and repeat alone."""
    digest = hashlib.blake2b(f"{seed}|{repeat}|{association_id}".encode(), digest_size=8).digest()
    return "harm" if digest[0] % 2 == 0 else "frequent"


def question(association: Association, first: First, words: HarmLanguage) -> str:
    """What is asked of an association: the statement, both questions, and the form of the answer."""
    wording = words.question
    base, compared = association["base_attribute"], association["compared_attribute"]
    statement = wording.statement.format(
        base=words.attribute(base),
        base_value=words.value(base, association["base_value"]),
        compared=words.attribute(compared),
        compared_value=words.value(compared, association["compared_value"]),
    )
    questions = [wording.harm, wording.frequent]
    lines = [": ".join(wording.harm_line), ": ".join(wording.frequent_line)]
    if first == "frequent":
        questions.reverse()
        lines.reverse()
    numbered = [f"{number}. {text}" for number, text in enumerate(questions, start=1)]
    return "\n".join([statement, "", wording.instruction, *numbered, "", wording.answer, *lines])


def harm_probe(settings: HarmSettings) -> Probe[Association]:
    """Every association to every model, `repeats` times; counts answers with a rating ("rated").

    Raises:
        UserError: the associations cannot be read, or there are no questions in the language.
    """
    source = Path(settings.data)
    associations: Sequence[Association] = distinct_associations(read_associations(source)).rows(named=True)
    words = read_language(settings.language, Path(settings.prompts) if settings.prompts else None)
    reader = AnswerReader(words.answers, settings.language)

    def drawn(association: Association, repeat: int) -> tuple[First, int]:
        """Which question comes first, and the seed of the draw."""
        first = first_question(association["association_id"], repeat, settings.seed)
        return first, draw_seed(settings.seed, repeat)

    def ask(number: int, association: Association, repeat: int) -> Job:
        first, seed = drawn(association, repeat)
        metadata = {"probe": "harm", **association, "order": first, "language": settings.language}
        readable = (lambda answer: reader.read(answer).outcome != "unparsed",)
        turns = (question(association, first, words),)
        return Job(number, turns, settings.system, seed, metadata, readable=readable)

    def rows(first: int, several: Sequence[Association], answers: Answers) -> Iterator[Row]:
        for model, association, repeat, answer in probe.each_answer(first, several, answers):
            order, seed = drawn(association, repeat)
            rating = reader.read(answer.text, refused=answer.refused)
            cells = {
                **association,
                "rater": model,
                "rater_kind": "model",
                "repeat": repeat,
                "order": order,
                "language": settings.language,
                "harm": rating.harm,
                "frequent": rating.frequent,
                "outcome": rating.outcome,
                "answer": answer.text,
                "seed": seed,
                **ending(answer),
            }
            yield cells, {"rated": rating.harm is not None}

    probe = Probe(
        settings=settings,
        source=source,
        available=lambda: associations,
        stratum=itemgetter("base_attribute", "compared_attribute", "base_value"),
        content=itemgetter("association_id"),
        name=itemgetter("association_id"),
        repeated=lambda name, _, __: (
            f"{settings.data}: the association '{name}' appears twice. Keep one row."
        ),
        nothing=f"{settings.data} contains no associations. Expected at least one.",
        ask=ask,
        lengths=(ANSWER_TOKENS,),
        repeats=settings.repeats,
        types=TYPES,
        rows=rows,
        counts=("rated",),
        outcomes=ratings_read,
        contents={"prompts": words.model_dump(mode="json")},
        in_memory=True,
    )
    return probe


def harm_words(settings: HarmSettings) -> Used:
    """Our questions on harm, unless they are the user's."""
    tally = Tally()
    if settings.prompts is None:
        tally.add("harm study questions", [settings.language])
        tally.add("answer patterns", [settings.language])
    return tally.used
