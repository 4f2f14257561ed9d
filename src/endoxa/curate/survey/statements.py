"""From answers to the table of statements: split, identify the language, translate on request, extract.

Respondents whose answers look pasted from a chatbot are proposed to a reviewer and never deleted. There are two
independent signs. *Amount*: at least 200 statements, and an outlier among the respondents, with a modified z-score of
the logarithm of the count above 3.5 (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). *Form*: lines that
are rare in a survey field and usual for chatbots: numbered or bulleted items with an emphasised label and a colon,
headings in Markdown, an introductory sentence "Here are some ...:".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.curate.associations import WORKING_LANGUAGE
from endoxa.curate.english import in_dictionary, is_plural, lemma, tokens, words
from endoxa.curate.extract import Extraction, Question, as_annotated, begins_statement, extract
from endoxa.curate.extract.omission import NOISE
from endoxa.curate.extract.omission import heading as is_heading
from endoxa.curate.extract.split import is_closed
from endoxa.curate.language import COMMON, identify
from endoxa.curate.normalise import Tables, is_group
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.survey import SurveyMap
from endoxa.curate.survey.reading import LONG_ANSWER, Survey
from endoxa.curate.survey.splitting import AGENT, LONG_STATEMENT, is_pronoun, split_answer
from endoxa.curate.translation import Translator, translate_all
from endoxa.report.words import plural
from endoxa.schema import STATEMENT_COLUMNS, Progress
from endoxa.schema.provenance import BUILT_BY, PROVENANCE_COLUMNS, WORDS, words_cell
from endoxa.sources.identities import identity_key
from endoxa.sources.typography import readable
from endoxa.words.identifiers import IDENTIFIER, identifier_in
from endoxa.words.packs import languages_with

_LABELLED = re.compile(r"\s(?:[-–—:=]|[-=]?>)\s|\w:\s|[→⇒]")
_KINDS = re.compile(
    r"(?:answer|aspect|assumption|attribute|bad|belief|characteristic|comment|common|con"
    r"|disadvantage|example|following|general|generalization|generalisation|good|idea|label"
    r"|negative|one|opinion|other|perception|point|positive|prejudice|pro|quality|reason|remark"
    r"|saying|side|statement|stereotype|strength|thing|trait|view|weakness|word)"
)
"""What a heading calls its items; such a word names no group, and leaves the group of the heading above."""


@dataclass(frozen=True, slots=True)
class Named:
    """The groups that an answer has named so far.

    Attributes:
        heading: those of the last heading.
        last: those that the last piece was about.
    """

    heading: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


def inherited(text: str, question: Question, named: Named, *, opens: bool) -> tuple[str, ...]:
    """The subjects of a piece that has none of its own; none where it has, or where the question's group is meant.

    A continuation of the same sentence and a pronoun take up the last subject. At the beginning of a line, sentence
    or item the heading holds, then the question's group, then the last subject; but the last one is not taken up by an
    item with a dash, colon or arrow, which names a subject that could not be read.
    """
    pronoun = is_pronoun(text)
    if begins_statement(text) and not pronoun:
        return ()
    pairs = named.last
    if opens and not pronoun:
        apart = question.identity is not None or bool(_LABELLED.search(text))
        pairs = named.heading or (() if apart else named.last)
    return () if pairs == (question.identity,) else pairs


def after(named: Named, pairs: Sequence[Extraction], subjects_before: tuple[str, ...]) -> Named:
    """What is named behind a piece: who its last attribute was said of, else whom it inherited."""
    last = pairs[-1].attribute
    subjects = tuple(
        dict.fromkeys(pair.identity for pair in pairs if pair.attribute == last and pair.identity)
    )
    return Named(named.heading, subjects or subjects_before)


def below_heading(
    text: str, question: Question, country: str, tables: Tables | None, *, opens: bool
) -> Named | None:
    """What is named behind a heading ("Men:", "Stereotypes about men:", "Men are:"); None where a piece is none.

    A heading that names neither a group nor a kind of item ends the one before: its items may be about anybody. The
    known name of a group alone in its line stands for one where the question fixes no group.
    """
    bare = text.strip(" *_#")
    if opens and question.identity is None and is_group(bare, tables):
        return Named((), (normal_identity(bare, country, tables),))
    if not is_heading(bare):
        return None
    who = tokens(bare.rstrip(" :*_").rpartition(" about ")[2])
    parts = list(takewhile(lambda word: not is_closed(word.lower()), who))
    if not parts or _is_kind(parts[-1]):
        return None
    names = re.split(r"\s+(?:and|or|&)\s+|\s*[,/]\s*", " ".join(parts))
    if not all(_is_name(name, question) for name in names):
        return Named()
    groups = tuple(normal_identity(name, country, tables) for name in names)
    return Named(groups, groups)


def _is_kind(word: str) -> bool:
    return bool(_KINDS.fullmatch(word.lower()) or _KINDS.fullmatch(lemma(word, "NOUN")))


def _is_name(text: str, question: Question) -> bool:
    """Whether words name a group: a known one, or a plural ("nurses").

    Where the question fixes the group, a plural may be a theme ("looks"): there it must be formed as people are.
    """
    low = text.lower().split()
    if not low or low[0] in words("prepositions") | words("pronouns") | words("first_persons"):
        return False
    end = next((place for place, word in enumerate(low) if place and word in words("prepositions")), len(low))
    head = low[end - 1]
    formed = question.identity is None or bool(AGENT.search(head)) or not in_dictionary(head)
    return is_group(text) or is_group(head) or (is_plural(head) and formed)


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
        flags = [f"{counts[code]} statements, far more than the others"] if many.get(code) else []
        if lines >= FORMATTED_LINES:
            flags.append(f"{lines} lines formatted as a chatbot does")
        if flags:
            reasons[code] = " and ".join(flags)
    return reasons


UNREAD = Extraction("", "", "none", 0.0, omit=True, omit_reason=NOISE)
"""What stands for a statement that is kept but not read: longer than `LONG_STATEMENT`, or with an identifier."""

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
        pair: identity and attribute, where the table has them; nothing is read then.
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
    pair: tuple[str, str] | None = None


def split_survey(survey: Survey, survey_map: SurveyMap) -> list[Statement]:
    """Every statement of every answer, in the order of the file; languages only where they are declared.

    Flags: 'repeat' (said before in the same answer), 'long-answer' (the answer has more than `LONG_ANSWER`
    characters, or the statement more than `LONG_STATEMENT`), 'identifier' (an e-mail
    address, phone number or the like stands in the answer, whichever statement it is part of).
    """
    short = survey_map.short_names()
    statements = []
    for respondent in survey.respondents:
        code = respondent.code.zfill(3) if respondent.code.isdigit() else respondent.code
        declared = respondent.language or survey_map.language or ""
        for question, answer in zip(survey.questions, respondent.answers, strict=True):
            seen: set[str] = set()
            identified = any(map(identifier_in, (answer, respondent.country)))
            pieces = split_answer(answer, elliptical=bool(question.identity))
            for position, piece in enumerate(pieces, start=1):
                original = " ".join(piece.text.split())
                flags = {
                    "repeat": identity_key(original) in seen,
                    "long-answer": len(answer) > LONG_ANSWER or bool(length_flags(original)),
                    IDENTIFIER: identified,
                }
                statements.append(
                    Statement(
                        statement_id=f"{code}-{short[question.name]}-{position:03d}",
                        respondent=respondent.code,
                        question=question,
                        position=position,
                        country=respondent.country,
                        original=original,
                        language=declared,
                        text=original,
                        kept=respondent.kept,
                        flags=tuple(flag for flag, holds in flags.items() if holds),
                        opens=piece.opens,
                    )
                )
                seen.add(identity_key(original))
    return statements


def length_flags(text: str) -> tuple[str, ...]:
    """The flag 'long-answer' for a statement that is too long to be read, else none."""
    return ("long-answer",) if len(text) > LONG_STATEMENT else ()


def flag_chatbots(statements: Sequence[Statement], survey: Survey) -> tuple[list[Statement], dict[str, str]]:
    """The statements with the flag 'chatbot' where due, and the reason per respondent."""
    counts = dict.fromkeys((respondent.code for respondent in survey.respondents), 0)
    for statement in statements:
        counts[statement.respondent] += 1
    answers = {respondent.code: respondent.answers for respondent in survey.respondents}
    reasons = chatbot_reasons(answers, counts)
    flags = dict.fromkeys(reasons, ("chatbot",))
    return [replace(each, flags=each.flags + flags.get(each.respondent, ())) for each in statements], reasons


def identify_languages(statements: Sequence[Statement], candidates: Sequence[str] = ()) -> list[Statement]:
    """The statements with a language each; declared ones stay as they are.

    Raises:
        UserError: see `endoxa.curate.language.identify`.
    """
    undecided = [statement for statement in statements if not statement.language]
    people = [each.statement_id if each.alone else each.respondent for each in undecided]
    languages = iter(identify([each.original for each in undecided], people, candidates or COMMON))
    return [
        statement
        if statement.language
        else replace(
            statement, language=(guess := next(languages)).code, language_confidence=guess.confidence
        )
        for statement in statements
    ]


def translate_statements(
    statements: Sequence[Statement], translator: Translator, memory: Path, progress: Progress | None = None
) -> list[Statement]:
    """The statements in the working language; the flag 'untranslated' where the original had to stay.

    A statement whose text differs from the original words was translated before and is left as it is; one
    flagged 'identifier' is never sent anywhere.

    Raises:
        UserError: see `endoxa.curate.translation.translate_all`.
    """
    languages = [
        WORKING_LANGUAGE if IDENTIFIER in each.flags or length_flags(each.text) else _spoken(each)
        for each in statements
    ]
    texts = [statement.text for statement in statements]
    translated = translate_all(
        texts, languages, translator, target=WORKING_LANGUAGE, memory=memory, progress=progress
    )
    result = []
    for statement, text in zip(statements, translated, strict=True):
        withheld = IDENTIFIER in statement.flags and _spoken(statement) != WORKING_LANGUAGE
        failed = text is None or withheld
        flags = (*statement.flags, *(["untranslated"] if failed else []))
        result.append(replace(statement, text=text or statement.text, flags=flags))
    return result


def extract_all(
    statements: Sequence[Statement],
    kept: Sequence[str],
    progress: Progress | None = None,
    names: Tables | None = None,
) -> pl.DataFrame:
    """The table of statements: `STATEMENT_COLUMNS` and the kept demographics, one row per pair that was read.

    A piece without a subject of its own gets the subject of its sentence, of the heading above it, of its question, or
    of the piece before it (`inherited`); where that had several subjects of one attribute, it gets
    each of them. `names` are tables of names of groups to normalise with, those of the package where None.
    """
    rows = []
    answer: tuple[str, str] | None = None
    named = Named()
    for done, statement in enumerate(statements, start=1):
        if statement.alone or (statement.respondent, statement.question.name) != answer:
            answer, named = (statement.respondent, statement.question.name), Named()
        if statement.pair is not None:
            language = statement.language or WORKING_LANGUAGE
            pair = as_annotated(
                *statement.pair, statement.question, statement.country, names, language=language
            )
            rows.append(_row(statement, pair, kept))
            continue
        text = readable(statement.text)
        if not text.strip() or length_flags(statement.text) or identifier_in(statement.text):
            rows.append(_row(statement, UNREAD, kept))
            continue
        heading = below_heading(text, statement.question, statement.country, names, opens=statement.opens)
        foreign = _spoken(statement) != WORKING_LANGUAGE
        alone = heading is not None or (foreign and len(statement.text.split()) > FEW_WORDS)
        subjects = () if alone else inherited(text, statement.question, named, opens=statement.opens)
        # The pairs of what is read of a statement, without repeats, for every subject it inherits.
        pairs = [
            pair
            for subject in subjects or ("",)
            for pair in extract(
                text, statement.question, statement.country, subject, names=names, language=_spoken(statement)
            )
        ]
        distinct = list({(pair.identity, pair.attribute): pair for pair in reversed(pairs)}.values())[::-1]
        named = after(named, distinct, subjects) if heading is None else heading
        rows += [_row(statement, pair, kept) for pair in distinct]
        if progress:
            progress("extracting", done, len(statements))
    further = ("identity_key", "agreement", *PROVENANCE_COLUMNS)
    table = pl.DataFrame(rows, schema=dict.fromkeys((*STATEMENT_COLUMNS, *further, *kept), pl.String))
    return table.drop(name for name in further if (table[name] == "").all())


def _spoken(statement: Statement) -> str:
    """Language of the text that is read: the working one where it was translated."""
    return (statement.text == statement.original and statement.language) or WORKING_LANGUAGE


def _row(statement: Statement, pair: Extraction, kept: Sequence[str]) -> dict[str, str]:
    sure = "" if statement.language_confidence is None else f"{statement.language_confidence:.3f}"
    return {
        "statement_id": statement.statement_id,
        "respondent": statement.respondent,
        "question": statement.question.name,
        "axis": statement.question.axis,
        "position": str(statement.position),
        "country": statement.country,
        "language": statement.language,
        "language_confidence": sure,
        "original_statement": statement.original,
        "statement": statement.text,
        **pair.cells(),
        "flag": " ".join(statement.flags),
        "identity_key": pair.identity_key,
        "agreement": pair.agreement,
        **dict.fromkeys(PROVENANCE_COLUMNS, ""),
        **_words(statement, pair),
        **{name: statement.kept.get(name, "") for name in kept},
    }


def _words(statement: Statement, pair: Extraction) -> dict[str, str]:
    """The words of a language by which a statement in it was read."""
    language = _spoken(statement)
    if pair.rule != "foreign" or language not in languages_with("extract.toml"):
        return {}
    return {BUILT_BY: "endoxa curate extract", WORDS: words_cell([("statement words", language)])}


def count_lines(statements: Sequence[Statement], table: pl.DataFrame, *, translated: bool) -> Iterator[str]:
    """How many statements, extracted pairs, proposed omissions and flags there are, as lines.

    Args:
        statements: of the survey.
        table: rows of `extract_all`.
        translated: whether statements were to be translated.
    """

    def listed(counted: Counter[str]) -> str:
        return ", ".join(f"{name} {count}" for name, count in counted.most_common())

    people = len({statement.respondent for statement in statements})
    yield f"{plural(len(statements), 'statement')} of {plural(people, 'respondent')}"
    yield f"  languages: {listed(Counter(statement.language for statement in statements))}"
    if translated:
        failed = sum("untranslated" in statement.flags for statement in statements)
        done = sum(statement.text != statement.original for statement in statements)
        yield f"  translated: {done}" + (f", not translated: {failed}" if failed else "")
    pairs = table.filter(table["identity"].str.len_chars() > 0, table["attribute"].str.len_chars() > 0)
    yield (
        f"  with identity and attribute: {plural(pairs['statement_id'].n_unique(), 'statement')}, "
        f"{plural(pairs.height, 'pair')}"
    )
    omitted = table.filter(omit="true")
    if reasons := Counter(omitted["omit_reason"]):
        yield f"  proposed for omission: {plural(omitted.height, 'row')} ({listed(reasons)})"
    if flags := Counter(flag for statement in statements for flag in statement.flags):
        yield f"  flagged: {listed(flags)}"
