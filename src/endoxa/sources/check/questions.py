"""Checks of questions about two persons, in BBQ's format: one script, articles, and what tells the two apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from endoxa.sources.bbq.items import UNKNOWN_WORDINGS, find_metadata, read_items, targets_note
from endoxa.sources.bbq.rows import Record, checked_rows
from endoxa.sources.check.agreement import tables_of
from endoxa.sources.check.characters import (
    html_entity,
    invisible_character,
    mojibake,
    replacement_character,
    scripts_of,
)
from endoxa.sources.check.problems import Problem, Severity
from endoxa.sources.check.wording import indefinite_article
from endoxa.sources.typography import differing_spans, words
from endoxa.words.packs import words_of

_TEXTS = ("context", "question", "ans0", "ans1", "ans2")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, as the checks see it."""

    line: int
    record: Record

    @property
    def language(self) -> str:
        """ISO 639 code without script and region; questions that say none are English, as BBQ's are."""
        return (self.record.language or "en").partition("-")[0].lower()

    @property
    def persons(self) -> tuple[str, ...]:
        """The options that name a person: two, where the third is known to be the one that it cannot be known."""
        unknown = self.record.unknown
        if unknown is None:
            marks = [self.record.text_and_group(option)[1].casefold() for option in range(3)]
            marked = [
                option
                for option, (mark, text) in enumerate(zip(marks, self.record.options, strict=True))
                if mark == "unknown" or text in UNKNOWN_WORDINGS
            ]
            unknown = marked[0] if len(marked) == 1 else None
        if unknown is None:
            return ()
        return tuple(text for option, text in enumerate(self.record.options) if option != unknown)

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Field and text of context, question and options."""
        return ((name, str(getattr(self.record, name))) for name in _TEXTS)

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of this question."""
        return Problem(severity, check, self.record.example_id, self.line, column, message, text)


def question_scripts(question: Question) -> Iterator[Problem]:
    """An option is written in another script than the context and the question: it stands out, whatever it says."""
    asked = scripts_of(f"{question.record.context} {question.record.question}")
    for name, text in list(question.sentences())[2:]:
        if asked and (scripts := scripts_of(text)) and not scripts & asked:
            message = "is written in another script than the question: translate it"
            yield question.problem("warning", "question-scripts", name, message, text)


def persons_differ(question: Question) -> Iterator[Problem]:
    """The two persons differ in more than one stretch of words, so that more than the group tells them apart.

    An article that follows the group ("un Marocain", "une Algérienne") is no second difference.
    """
    if len(question.persons) != 2:
        return
    first, second = map(words, question.persons)
    tables = tables_of(question.language)
    small = tables.articles | tables.function
    spans = [
        span
        for span in differing_spans(first, second)
        if not small.issuperset(
            word.folded
            for word in (*first[span.start_more : span.end_more], *second[span.start_less : span.end_less])
        )
    ]
    between = {
        word.folded
        for before, behind in pairwise(spans)
        for word in first[before.end_more : behind.start_more]
    }
    if between - small:
        message = f"the two persons differ in {len(spans)} places: let their groups alone differ"
        yield question.problem("warning", "persons-differ", "", message, " / ".join(question.persons))


def question_article(question: Question) -> Iterator[Problem]:
    """'a' before a vowel sound, or one noun with a masculine and a feminine article in one question ("un", "une")."""
    if question.language == "en":
        for name, text in question.sentences():
            for article, noun in pairwise(words(text)):
                if article.folded in ("a", "an") and article.folded != indefinite_article(noun.text):
                    message = "has 'a' where the next word needs 'an', or the other way round"
                    yield question.problem(
                        "warning", "question-article", name, message, f"{article.text} {noun.text}"
                    )
        return
    others = _other_articles(question.language)
    everything = [words(text) for _, text in question.sentences()]
    together = {(a.folded, b.folded) for text in everything for a, b in pairwise(text)}
    for written, following in sorted(together):
        other = others.get(written, "")
        if other > written and (other, following) in together:
            message = "has one noun with a masculine and with a feminine article: use the one of the person"
            yield question.problem(
                "warning", "question-article", "", message, f"{written} / {other} {following}"
            )


@cache
def _other_articles(language: str) -> dict[str, str]:
    """The article of the other gender, from `articles` of `checks.toml` ("un/une")."""
    pairs = [pair.split("/") for pair in words_of(language, "checks.toml").get("articles", "").split()]
    return {article: other for pair in pairs for article, other in (pair, pair[::-1])}


QUESTION_CHECKS: tuple[Callable[[Question], Iterator[Problem]], ...] = (
    question_scripts,
    persons_differ,
    question_article,
    replacement_character,
    mojibake,
    html_entity,
    invisible_character,
)


def check_questions(path: Path) -> list[Problem]:
    """Every problem of a file of questions, by line.

    Raises:
        UserError: a line is no question.
    """
    reasons = Counter(item.no_target for item in read_items(path, metadata=find_metadata(path)))
    note = targets_note(reasons, reasons.total())
    problems = [Problem("warning", "no-target", "", 0, "stereotyped_groups", note)] if note else []
    questions = (Question(line, record) for line, _, record in checked_rows(path))
    return problems + [
        problem for question in questions for check in QUESTION_CHECKS for problem in check(question)
    ]
