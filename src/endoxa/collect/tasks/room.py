"""What a room is: one declaration, from which pages, draws, counts and exports are made.

A room is a folder of `endoxa.collect.tasks.rooms` with a `ROOM`. It says what a row of its items holds, how a judgement
is given and read, when an item has enough of them, and which columns its export has. Everything else (claims with
leases, undo, blindness, progress, the command line) is the same for all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from django import forms
from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict, Field

Content = Mapping[str, Any]
"""What an item holds: its columns."""
Answer = Mapping[str, Any]
"""What a judge said: the cleaned fields of the form, and how it was given."""


class TaskSettings(BaseModel):
    """Settings that tasks of every kind have; rooms add their own.

    Attributes:
        needed: judgements an item needs.
        minutes: how long an item stays with a judge who does nothing.
        block: items handed out at once.
        groups: groups of judges to choose from, for agreement by group; none where it does not matter.
        shows_source: who or what made an item (the column `source`) is shown to judges.
        instructions: what judges read above every item.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    needed: Annotated[int, Field(ge=1, le=100)] = 1
    minutes: Annotated[int, Field(ge=1, le=10_000)] = 15
    block: Annotated[int, Field(ge=1, le=500)] = 1
    groups: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(max_length=20)
    ] = ()
    shows_source: bool = False
    instructions: Annotated[str, Field(max_length=2_000)] = ""


class AnswerForm(forms.Form):
    """The form of one item. Rooms declare its fields.

    Args:
        content: the item.
        shown: what was drawn for this judge and item.
        data: what was sent, or None.
    """

    def __init__(self, content: Content, shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(data, auto_id="%s")
        self.content = content
        self.shown = shown

    def answer(self) -> dict[str, Any]:
        """What is stored of a valid form."""
        return dict(self.cleaned_data)


def _needed(settings: TaskSettings, _content: Content, _answers: Sequence[Answer]) -> int:
    return settings.needed


def _nothing_drawn(_content: Content, _rng: random.Random) -> dict[str, Any]:
    return {}


def _as_they_are(rows: Sequence[Content]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgement in force, as exports see it.

    Attributes:
        key: the item's name.
        content: the item.
        hidden: what judges did not see.
        judge: the judge's key in this export.
        group: the judge's group.
        answer: what was said.
        hour: when, to the hour.
        counts: the judge's judgements count (they neither failed nor left).
    """

    key: str
    content: Content
    hidden: Content
    judge: str
    group: str
    answer: Answer
    hour: str
    counts: bool


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item with every judgement of it in force, in the order in which they were made; there may be none."""

    key: str
    content: Content
    hidden: Content
    judged: tuple[Judged, ...]

    @property
    def counting(self) -> list[Judged]:
        """Judgements of judges who neither failed nor left."""
        return [one for one in self.judged if one.counts]


Rows = Sequence[Mapping[str, Any]]
"""Rows of a table that have the same columns; a table without rows is not written."""


@dataclass(frozen=True, slots=True)
class Room:
    """A kind of task.

    Attributes:
        kind: the word on the command line ("votes").
        title: what it is called on pages.
        columns: columns a file of items must have, with what stands in them.
        optional: further columns that mean something.
        hidden: columns that judges never see, such as `engine`.
        form: the form of an item.
        template: what is shown of an item, and the fields of the form.
        answers: columns that the export has for every judgement, with what stands in them.
        row: cells of these columns for a judgement.
        settings: its settings.
        needed: how many judgements an item needs, given those that it has.
        draw: what is drawn for one judge and item, such as the order of candidates.
        context: what the template needs besides `content` and `form`.
        check: refuses a row of the file of items: yields sentences.
        outcome: what the judgements of an item come to: a row for the table of outcomes; None where there is none.
        outcome_columns: columns of that row, with what stands in them.
        ids: columns that name an item, the first one that the file has; without any, rows are numbered.
        prepare: makes of the rows of the file those that are kept; nulls are empty texts already.
        tables: instead of `outcome`, whole tables made of all items in the order of the file, by their names. `items`
            is the table of outcomes; further ones are written beside it.
        blind_until_closed: what is hidden may be exported only after the task was closed, which is recorded.
        panel: people of a panel may judge, through pages of their own.
    """

    kind: str
    title: str | Promise
    columns: Mapping[str, str]
    form: type[AnswerForm]
    template: str
    answers: Mapping[str, str]
    row: Callable[[Judged], Mapping[str, Any]]
    optional: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    settings: type[TaskSettings] = TaskSettings
    needed: Callable[[Any, Content, Sequence[Answer]], int] = _needed
    draw: Callable[[Content, random.Random], dict[str, Any]] = _nothing_drawn
    context: Callable[[Content, Mapping[str, Any]], Mapping[str, Any]] = lambda _content, _shown: {}
    check: Callable[[Content], Iterable[str]] = lambda _content: ()
    outcome: Callable[[Any, Sequence[Judged]], Mapping[str, Any]] | None = None
    outcome_columns: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[str, ...] = ("item_id", "id")
    prepare: Callable[[Sequence[Content]], list[dict[str, Any]]] = _as_they_are
    tables: Callable[[Any, Sequence[JudgedItem]], Mapping[str, Rows]] | None = None
    blind_until_closed: bool = False
    panel: bool = False
