"""From answers to the table of statements: split, identify the language, translate on request, extract.

Respondents whose answers look pasted from a chatbot are proposed to a reviewer and never deleted. There are two
independent signs. *Amount*: at least 200 statements, and an outlier among the respondents, with a modified z-score of
the logarithm of the count above 3.5 (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). *Form*: lines that
are rare in a survey field and usual for chatbots: numbered or bulleted items with an emphasised label and a colon,
headings in Markdown, an introductory sentence "Here are some ...:".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.curate.extract import Extraction, Question, begins_statement, extract
from endoxa.curate.extract.lexicon import Lexicon, apply_lexicon
from endoxa.curate.extract.omission import NOISE
from endoxa.curate.language import COMMON, identify
from endoxa.curate.normalise import Tables
from endoxa.curate.survey.commas import with_mark, without_report
from endoxa.curate.survey.mapping import SurveyMap
from endoxa.curate.survey.reading import LONG_ANSWER, Survey
from endoxa.curate.survey.splitting import LONG_STATEMENT, split_answer
from endoxa.curate.survey.subjects import Named, after, below_heading, inherited
from endoxa.curate.translation import Translator, translate_all
from endoxa.schema import STATEMENT_COLUMNS, Progress
from endoxa.words.persons.identifiers import IDENTIFIER, find_identifiers, identifier_in

MANY = 200
OUTLIER = 3.5
FORMATTED_LINES = 5
"""Lines of chatbot form from which a respondent is flagged; one answer rarely has that many by chance."""

_MAD_TO_SD = 0.6745
_LEAST_SPREAD = 0.1
_FORM = re.compile(
    r"^[^\S\n]*(?:(?:\d{1,3}[.)]|[-*•])\s+[*_]{1,2}[^*_\n]{2,60}[*_]{1,2}\s*:?"  # 1. **Label**: ...
    r"|#{1,6}\s+\S"  # ## Heading
    r"|\*{1,2}[^*\n]{2,60}:?\*{1,2}:?\s*$"  # **Heading:**
    r"|(?:[-*•]\s+)[A-Z][^:.,\n]{2,40}:\s+[A-Z][^\n]{20,}"  # - Label: A sentence that explains it
    r"|(?:sure|certainly|of course|here (?:are|is)|voici|below are)\b[^\n]{0,120}:\s*$)",
    re.IGNORECASE | re.MULTILINE,
)


def formatted_lines(text: str) -> int:
    """How many lines of `text` have the form of a chatbot's answer."""
    return len(_FORM.findall(text))


def outliers(counts: Sequence[int]) -> list[bool]:
    """For each count whether it is at least `MANY` and an outlier among the others (see the module)."""
    logs = np.log([max(count, 1) for count in counts])
    middle = np.median(logs)
    spread = max(float(np.median(np.abs(logs - middle))), _LEAST_SPREAD)
    scores = _MAD_TO_SD * (logs - middle) / spread
    return [count >= MANY and bool(score > OUTLIER) for count, score in zip(counts, scores, strict=True)]


def chatbot_reasons(answers: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> dict[str, str]:
    """Why a respondent's answers look pasted, for those whose do.

    Args:
        answers: the answers of each respondent, by code.
        counts: how many statements each respondent made.
    """
    many = dict(zip(counts, outliers(list(counts.values())), strict=True)) if counts else {}
    reasons = {}
    for code, texts in answers.items():
        lines = sum(map(formatted_lines, texts))
        found = [f"{counts[code]} statements, far more than the others"] if many.get(code) else []
        if lines >= FORMATTED_LINES:
            found.append(f"{lines} lines formatted as a chatbot does")
        if found:
            reasons[code] = " and ".join(found)
    return reasons


WORKING_LANGUAGE = "en"
"""The language the extractor reads."""

UNREAD = Extraction("", "", "none", 0.0, omit=True, omit_reason=NOISE)
"""What stands for a statement that is kept but not read: longer than `LONG_STATEMENT`, or an identifier alone."""

_JOINED = re.compile(
    r"^(?:and|but|or|so)\s+|^(?:on \w+ )?(?:says?|said|thinks?|thought|believes?|told me)\s+(?:that\s+)?",
    re.IGNORECASE,
)
"""What only joins words to an identifier in front of them: "and", or that its owner says so."""

FEW_WORDS = 3
"""A statement of another language with more words is taken to have a subject of its own."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement before anything is read out of it.

    Attributes:
        statement_id: unique name.
        respondent: who said it.
        question: what it answers.
        position: place within the answer, from 1.
        country: of the respondent.
        original: the words as they stand, white space collapsed.
        language: ISO 639-1 code, or empty as long as it is not known.
        language_confidence: from 0 to 1; None where the table named the language.
        text: the statement in the working language.
        kept: kept demographics by name.
        flags: what a reviewer should know.
        alone: nothing is inherited from the statement before.
        opens: a line, a sentence or an item of a list begins with it.
    """

    statement_id: str
    respondent: str
    question: Question
    position: int
    country: str
    original: str
    language: str = ""
    language_confidence: float | None = None
    text: str = ""
    kept: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    alone: bool = False
    opens: bool = True


def split_survey(survey: Survey, survey_map: SurveyMap) -> list[Statement]:
    """Every statement of every answer, in the order of the file; languages only where they are declared.

    Flags: 'repeat' (said before in the same answer), 'long-answer' (the answer has more than `LONG_ANSWER`
    characters, or the statement more than `LONG_STATEMENT`), 'identifier' (an e-mail
    address, phone number or the like stands in the answer, whichever statement it is part of).
    """
    short = survey_map.short_names()
    found = []
    for respondent in survey.respondents:
        code = respondent.code.zfill(3) if respondent.code.isdigit() else respondent.code
        for question, answer in zip(survey.questions, respondent.answers, strict=True):
            seen: set[str] = set()
            identified = any(map(identifier_in, (answer, respondent.country)))
            for position, piece in enumerate(
                split_answer(answer, elliptical=bool(question.identity)), start=1
            ):
                original = " ".join(piece.text.split())
                found.append(
                    Statement(
                        statement_id=f"{code}-{short[question.name]}-{position:03d}",
                        respondent=respondent.code,
                        question=question,
                        position=position,
                        country=respondent.country,
                        original=original,
                        language=respondent.language or survey_map.language or "",
                        text=original,
                        kept=respondent.kept,
                        flags=_flags(original, answer, seen, identified=identified),
                        opens=piece.opens,
                    )
                )
                seen.add(original.casefold())
    return found


def _flags(original: str, answer: str, seen: set[str], *, identified: bool) -> tuple[str, ...]:
    flags = {
        "repeat": original.casefold() in seen,
        "long-answer": len(answer) > LONG_ANSWER or bool(length_flags(original)),
        IDENTIFIER: identified,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def length_flags(text: str) -> tuple[str, ...]:
    """The flag 'long-answer' for a statement that is too long to be read, else none."""
    return ("long-answer",) if len(text) > LONG_STATEMENT else ()


def flag_chatbots(statements: Sequence[Statement], survey: Survey) -> tuple[list[Statement], dict[str, str]]:
    """The statements with the flag 'chatbot' where due, and the reason per respondent."""
    counts = dict.fromkeys((one.code for one in survey.respondents), 0)
    for one in statements:
        counts[one.respondent] += 1
    answers = {one.code: one.answers for one in survey.respondents}
    reasons = chatbot_reasons(answers, counts)
    return [
        replace(one, flags=(*one.flags, "chatbot")) if one.respondent in reasons else one
        for one in statements
    ], reasons


def identify_languages(statements: Sequence[Statement], candidates: Sequence[str] = ()) -> list[Statement]:
    """The statements with a language each; declared ones stay as they are.

    Raises:
        UserError: see `endoxa.curate.language.identify`.
    """
    open_ones = [one for one in statements if not one.language]
    people = [one.statement_id if one.alone else one.respondent for one in open_ones]
    found = iter(identify([one.original for one in open_ones], people, candidates or COMMON))
    named = []
    for one in statements:
        if one.language:
            named.append(one)
        else:
            guess = next(found)
            named.append(replace(one, language=guess.code, language_confidence=guess.confidence))
    return named


def translate_statements(
    statements: Sequence[Statement], translator: Translator, memory: Path, progress: Progress | None = None
) -> list[Statement]:
    """The statements in the working language; the flag 'untranslated' where the original had to stay.

    A statement whose text differs from the original words was translated before and is left as it is; one
    flagged 'identifier' is never sent anywhere.

    Raises:
        UserError: see `endoxa.curate.translation.translate_all`.
    """
    translated = translate_all(
        [one.text for one in statements],
        [WORKING_LANGUAGE if _stays(one) else one.language for one in statements],
        translator,
        target=WORKING_LANGUAGE,
        memory=memory,
        progress=progress,
    )
    return [
        replace(
            one,
            text=new.text,
            flags=(*one.flags, "untranslated") if new.failed or _private(one) else one.flags,
        )
        for one, new in zip(statements, translated, strict=True)
    ]


def _stays(one: Statement) -> bool:
    """Whether a statement is not sent to be translated: it was before, may tell who somebody is, or is not read."""
    return one.text != one.original or IDENTIFIER in one.flags or bool(length_flags(one.text))


def _private(one: Statement) -> bool:
    return IDENTIFIER in one.flags and one.text == one.original and one.language != WORKING_LANGUAGE


def extract_all(
    statements: Sequence[Statement],
    kept: Sequence[str],
    progress: Progress | None = None,
    known: Tables | None = None,
    lexicon: Lexicon | None = None,
) -> pl.DataFrame:
    """The table of statements: `STATEMENT_COLUMNS` and the kept demographics, one row per pair that was read.

    A piece without a subject of its own gets the subject of its sentence, of the heading above it, of its question, or
    of the piece before it (`endoxa.curate.survey.subjects`); where that had several subjects of one attribute, it gets
    each of them. `known` are tables of names of groups to normalise with, those of the package where None; `lexicon` is
    what reviewers of the same campaign taught.
    """
    rows = []
    answer: tuple[str, str] | None = None
    named = Named()
    for done, one in enumerate(statements, start=1):
        if one.alone or (one.respondent, one.question.name) != answer:
            answer, named = (one.respondent, one.question.name), Named()
        text = "" if len(one.text) > LONG_STATEMENT else _as_read(one)
        if not text.strip():
            rows.append(_row(one, UNREAD, kept))
            continue
        heading = below_heading(text, one.question, one.country, known, opens=one.opens)
        alone = heading is not None or _is_foreign(one)
        subjects = () if alone else inherited(text, one.question, named, opens=one.opens)
        found = _extractions(one, text, subjects, known, lexicon)
        named = after(named, found, subjects) if heading is None else heading
        rows += [_row(one, pair, kept) for pair in found]
        if progress:
            progress("extracting", done, len(statements))
    return pl.DataFrame(rows, schema=dict.fromkeys((*STATEMENT_COLUMNS, *kept), pl.String))


def _as_read(one: Statement) -> str:
    """The words that are read: without identifiers and reports, and with a mark where a verb was left out."""
    text = without_identifiers(one.text)
    if _spoken(one) != WORKING_LANGUAGE:
        return text
    return with_mark(without_report(text), elliptical=one.question.identity is not None)


def without_identifiers(text: str) -> str:
    """What stands between the identifiers of a text and has a subject and a verb; the text where it holds none."""
    found = find_identifiers(text)
    if not found:
        return text
    starts, ends = [0, *(one.end for one in found)], [*(one.start for one in found), len(text)]
    between = [
        _JOINED.sub("", text[start:end].strip(" ,.;:")) for start, end in zip(starts, ends, strict=True)
    ]
    return "; ".join(part for part in between if begins_statement(part))


def _is_foreign(one: Statement) -> bool:
    """Whether a statement is of another language and too long to do without a verb, which may not be recognised."""
    return one.text == one.original and one.language != WORKING_LANGUAGE and len(one.text.split()) > FEW_WORDS


def _spoken(one: Statement) -> str:
    """Language of the text that is read: the working one where it was translated."""
    return one.language if one.text == one.original and one.language else WORKING_LANGUAGE


def _extractions(
    one: Statement, text: str, subjects: Iterable[str], known: Tables | None, lexicon: Lexicon | None
) -> list[Extraction]:
    """The pairs of what is read of a statement, without repeats, for every subject it inherits."""
    pairs = [
        pair
        for subject in subjects or ("",)
        for pair in extract(text, one.question, one.country, subject, known=known, language=_spoken(one))
    ]
    if lexicon:
        pairs = apply_lexicon(lexicon, text, pairs, one.question, one.country)
    return list({(pair.identity, pair.attribute): pair for pair in reversed(pairs)}.values())[::-1]


def _row(one: Statement, pair: Extraction, kept: Sequence[str]) -> dict[str, str]:
    sure = "" if one.language_confidence is None else f"{one.language_confidence:.3f}"
    return {
        "statement_id": one.statement_id,
        "respondent": one.respondent,
        "question": one.question.name,
        "axis": one.question.axis,
        "position": str(one.position),
        "country": one.country,
        "language": one.language,
        "language_confidence": sure,
        "original_statement": one.original,
        "statement": one.text,
        "identity": pair.identity,
        "attribute": pair.attribute,
        "verb": pair.verb,
        "rule": pair.rule,
        "confidence": f"{pair.confidence:.2f}",
        "omit": "true" if pair.omit else "false",
        "omit_reason": pair.omit_reason,
        "flag": " ".join(one.flags),
        **{name: one.kept.get(name, "") for name in kept},
    }
