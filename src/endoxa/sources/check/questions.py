"""Checks of questions about two persons, in BBQ's format: whom the stereotype is about, and what is not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from endoxa.sources.bbq.items import find_metadata, read_items, targets_note
from endoxa.sources.bbq.rows import Record, checked_rows
from endoxa.sources.check.characters import invisible_character
from endoxa.sources.check.problems import Problem, Severity

_TEXTS = ("context", "question", "ans0", "ans1", "ans2")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, as the checks see it."""

    line: int
    record: Record

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Field and text of context, question and options."""
        return ((name, str(getattr(self.record, name))) for name in _TEXTS)

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of this question."""
        return Problem(severity, check, self.record.example_id, self.line, column, message, text)


def check_questions(path: Path) -> list[Problem]:
    """Every problem of a file of questions, by line.

    Raises:
        UserError: a line is no question.
    """
    reasons = Counter(item.no_target for item in read_items(path, metadata=find_metadata(path)))
    note = targets_note(reasons, reasons.total())
    problems = [Problem("warning", "no-target", "", 0, "stereotyped_groups", note)] if note else []
    questions = (Question(line, record) for line, _, record in checked_rows(path))
    return problems + [problem for question in questions for problem in invisible_character(question)]
