"""What reviewers say, row by row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from endoxa.curate.review.origin import Origin, OriginRow


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reviewer says about one row.

    Attributes:
        reviewer: who says it.
        sheet: file of the sheet.
        number: row in the sheet.
        origin: the row as it was handed out; of an added row, the first row of its id.
        added: whether the reviewer added the row.
        decision: keep, edit, omit, unsure, or empty. Changed words make an edit of an empty decision and of 'keep'.
        reason: why it is to be left out, or empty.
        note: a remark, or empty.
        words: the columns that could be changed, as they are to stand in the table.
        incomplete: whether the reviewer has not said everything, so that it counts as unsure.
    """

    reviewer: str
    sheet: Path
    number: int
    origin: OriginRow
    added: bool
    decision: str
    reason: str
    note: str
    words: Mapping[str, str]
    incomplete: bool = False

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.sheet.name}, row {self.number}"

    @property
    def changes_words(self) -> bool:
        """Whether a word differs from what was handed out."""
        return any(word != self.origin.words[name] for name, word in self.words.items())

    @property
    def says_something(self) -> bool:
        """Whether the reviewer did anything in this row."""
        return bool(self.decision or self.reason or self.note) or self.changes_words

    def says_the_same(self, other: Answer) -> bool:
        """Whether both say the same about a row."""
        return (self.decision, self.reason, self.note, self.words) == (
            other.decision,
            other.reason,
            other.note,
            other.words,
        )

    @property
    def row(self) -> str:
        """Name of the row; of an added row, its id and a hash of its words, so that it is the same every time."""
        if not self.added:
            return self.origin.row
        words = json.dumps(sorted(self.words.items()))
        return f"{self.origin.key}+{hashlib.sha256(words.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Returned:
    """A sheet that came back.

    Attributes:
        path: its file.
        reviewer: whose it is.
        origin: what it was made from.
        origins: its rows as they were handed out, by name.
        answers: the rows that it holds, in its order.
    """

    path: Path
    reviewer: str
    origin: Origin
    origins: Mapping[str, OriginRow]
    answers: tuple[Answer, ...]
