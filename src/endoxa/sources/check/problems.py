"""A pair as the checks see it, and the problems they find in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Literal, Protocol

from endoxa.sources.drafts import Draft
from endoxa.sources.spans import Span, Word, differing_spans, words
from endoxa.sources.write import write_csv

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From what keeps a file from being read to what is only worth knowing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Attributes:
        severity: 'error': the pair cannot be scored, or means nothing; 'warning': its score says something
            else than intended; 'note': worth knowing.
        check: name of the check, explained in the manual.
        item_id: the pair, empty where the problem is the file's.
        row: record number from 1; 0 where the problem is the file's.
        column: the file's name of the column, empty where it is the whole record.
        message: what was found and what to do, without words of the data.
        text: the words of the data it is about, to be shown only on request.
    """

    severity: Severity
    check: str
    item_id: str
    row: int
    column: str
    message: str
    text: str = ""


def group_problems(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """Problems by check: errors first, then warnings, then notes; the most frequent first among them."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.check, []).append(problem)
    ranked = sorted(
        groups.items(), key=lambda group: (SEVERITIES.index(group[1][0].severity), -len(group[1]))
    )
    return dict(ranked)


def write_problems(problems: Iterable[Problem], path: Path, show_text: bool = False) -> None:
    """Write problems as CSV, one a row; the words of the data only where `show_text` says so."""
    columns = [field.name for field in fields(Problem)]
    kept = columns if show_text else [name for name in columns if name != "text"]
    rows = ([str(cell) for cell in astuple(problem)[: len(kept)]] for problem in problems)
    write_csv(rows, kept, path)


SENTENCES = ("sent_more", "sent_less")


class Checked(Protocol):
    """What the checks of cells look at: something in words that can have problems."""

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Column and text of what is in words."""
        ...

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of it."""
        ...


@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands in one sentence where the other has something else; one side may be empty."""

    more: tuple[Word, ...]
    less: tuple[Word, ...]

    @property
    def sides(self) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
        """Both sides, for checks that look at either."""
        return self.more, self.less


@dataclass(frozen=True, slots=True)
class Item:
    """A pair whose cells hold, with its words, the spans in which they differ, and the words of each span.

    `language` is the tag without script and region ('hi' for 'hi-Latn'). `compares_groups` is False where the pair
    keeps its group and changes what is said of it (S-AS, StereoSet).
    """

    draft: Draft
    language: str
    more: tuple[Word, ...]
    less: tuple[Word, ...]
    spans: tuple[Span, ...]
    replacements: tuple[Replacement, ...]
    compares_groups: bool

    @classmethod
    def of(cls, draft: Draft) -> Item:
        """Take the sentences of a draft without faults apart."""
        more, less = words(draft.pair["sent_more"] or ""), words(draft.pair["sent_less"] or "")
        language = (draft.pair.get("language") or "und").replace("_", "-").split("-")[0].lower()
        spans = differing_spans(more, less)
        replacements = tuple(
            Replacement(more[span.start_more : span.end_more], less[span.start_less : span.end_less])
            for span in spans
        )
        groups = _compares_groups(draft, more, less)
        return cls(draft, language, more, less, spans, replacements, groups)

    def cell(self, column: str) -> str:
        """Text of a cell; empty where there is none."""
        return self.draft.pair.get(column) or ""

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Column and text of both sentences."""
        return iter((("sent_more", self.cell("sent_more")), ("sent_less", self.cell("sent_less"))))

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of this pair; `column` is one of ours, or empty for the whole record."""
        named = self.draft.column(column) if column else ""
        return Problem(severity, check, self.cell("item_id"), self.draft.row, named, message, text)


def _compares_groups(draft: Draft, more: Sequence[Word], less: Sequence[Word]) -> bool:
    if draft.pair.get("attribute_more"):
        return False
    identity = {word.folded for word in words(draft.pair.get("identity") or "")}
    return (
        not identity
        or not identity.issubset(word.folded for word in more)
        or not identity.issubset(word.folded for word in less)
    )


def join(found: tuple[Word, ...]) -> str:
    """Words as text."""
    return " ".join(word.text for word in found)
