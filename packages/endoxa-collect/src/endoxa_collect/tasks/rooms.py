"""What a room is: one declaration, from which pages, draws, counts and exports are made; and the rooms by kind.

A room is a module of `endoxa_collect.tasks` with a `ROOM`, and a line in `rooms`. It says what a row of its items
holds, how a judgement is given and read, when an item has enough of them, and which columns its export has. Everything
else (claims with leases, undo, blindness, progress, the command line) is the same for all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from urllib.parse import urlsplit

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, field_validator

from endoxa.errors import UserError

if TYPE_CHECKING:
    from endoxa_collect.tasks.harm import HarmRoom, QuizForm

Content = Mapping[str, Any]
"""What an item holds: its columns."""
Answer = Mapping[str, Any]
"""What a judge said: the cleaned fields of the form, and how it was given."""


Number = Annotated[int, Field(ge=1, le=100)]
"""How many people an item needs."""


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

    needed: Number = 1
    minutes: Annotated[int, Field(ge=1, le=10_000)] = 15
    block: Annotated[int, Field(ge=1, le=500)] = 1
    groups: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(max_length=20)
    ] = ()
    shows_source: bool = False
    instructions: Annotated[str, Field(max_length=2_000)] = ""


class PanelSettings(TaskSettings):
    """Settings of tasks in which people of a panel may judge.

    Attributes:
        participant: name of the parameter in which the panel's link hands over its id of a person (PROLIFIC_PID); with
            one, nobody takes part twice, and nobody without an id.
        completion: the panel's address for people who have finished.
        screened: the panel's address for people who failed a quiz or an attention rule.
    """

    participant: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{0,40}$")] = ""
    completion: Annotated[str, Field(max_length=500)] = ""
    screened: Annotated[str, Field(max_length=500)] = ""

    @field_validator("completion", "screened")
    @classmethod
    def _address(cls, text: str) -> str:
        """Only addresses of pages: others, such as javascript:, would run in the browsers of people."""
        if not text:
            return text
        parts = urlsplit(text)
        if parts.scheme not in {"http", "https"} or not parts.netloc or not text.isprintable() or " " in text:
            raise ValueError("expected an address that begins with https:// or http://")
        return text


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


OTHER = "other"
"""A reason to reject an item that must be told in the note."""


class RejectingForm(AnswerForm):
    """A form whose item is kept in some words, or rejected for a `reason`, a field of choices that rooms declare.

    Attributes:
        rejected: what is stored of an item that was rejected.
    """

    note = forms.CharField(required=False, max_length=1_000)
    rejected: ClassVar[Mapping[str, Any]]

    def clean(self) -> dict[str, Any]:
        """Which decision it is, and whether it has all that it needs."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        reason, note = cleaned["reason"], cleaned["note"]
        if reason == OTHER and not note:
            self.add_error("note", gettext("Say why in the note."))
        decided = dict(self.rejected) if reason else self.kept(cleaned)
        return {**decided, "reason": reason, "note": note}

    def kept(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """What is stored of an item that was not rejected; adds errors where something is missing."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Step:
    """A page that people of a panel read before the first item.

    Attributes:
        name: last part of its address.
        template: the page, by its name in `templates/panel/`.
        form: what they fill in there; None where they only read.
        tries: how often they may send a form with mistakes; after the last they have failed.
        shown: what the page needs beside its own sentences.
    """

    name: str
    template: str
    form: type[QuizForm] | None = None
    tries: int = 1
    shown: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence, and what marks it; "" for nothing."""

    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgement in force, as exports see it.

    Attributes:
        judge: the judge's key in this export.
        group: the judge's group.
        answer: what was said.
        hour: when, to the hour.
        counts: the judge's judgements count (they neither failed nor left).
    """

    judge: str
    group: str
    answer: Answer
    hour: str
    counts: bool


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item with every judgement of it in force, in the order in which they were made; there may be none.

    Attributes:
        key: the item's name.
        content: the item.
        hidden: what judges did not see; of a check, the answer that is right.
        judged: the judgements.
    """

    key: str
    content: Content
    hidden: Content
    judged: tuple[Judged, ...] = ()

    @property
    def cells(self) -> dict[str, Any]:
        """Name and content of the item, what judges did not see included."""
        return {"item_id": self.key, **self.content, **self.hidden}

    @property
    def notes(self) -> list[str]:
        """What judges whose judgements count wrote, with their keys."""
        return [
            f"{judged.judge}: {judged.answer['note']}" for judged in self.counting if judged.answer["note"]
        ]

    @property
    def counting(self) -> list[Judged]:
        """Judgements of judges who neither failed nor left."""
        return [judgement for judgement in self.judged if judgement.counts]


Rows = Sequence[Mapping[str, Any]]
"""Rows of a table that have the same columns; a table without rows is not written."""


UNJUDGED, WAITING, AGREED, MAJORITY, DISPUTED = "unjudged", "waiting", "agreed", "majority", "disputed"
"""How far an item is: nobody has judged it; another judge is needed; all judges said the same; more than half did; no
answer has more than half of the judges."""


def needed_with_third(needed: int, values: Sequence[Hashable]) -> int:
    """Judges that an item needs: one more where the first `needed`, at least two, have no majority."""
    first = values[:needed]
    return needed + (needed >= 2 and len(first) == needed and majority(first) is None)


def majority(values: Sequence[Hashable]) -> Hashable | None:
    """The majority answer; None without a majority."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


class Room:
    """A kind of task: an item is handed to a judge, who fills in its form. Subclasses say what is different.

    Attributes:
        kind: the word on the command line ("votes").
        title: what it is called on pages.
        columns: columns a file of items must have, with a description each.
        optional: further columns that mean something.
        hidden: columns that judges never see, such as `engine`. They may be exported only after the task was closed,
            which is recorded.
        ids: columns that name an item, the first one that the file has; without any, rows are numbered.
        settings: its settings.
        form: the form of an item.
        template: what is shown of an item, and the fields of the form.
        answers: columns that the export has for every judgement.
        panel: people of a panel may judge, through pages of their own; `settings` are `PanelSettings` then.
    """

    kind: ClassVar[str]
    title: ClassVar[str | Promise]
    columns: ClassVar[Mapping[str, str]] = {}
    optional: ClassVar[Mapping[str, str]] = {}
    hidden: ClassVar[frozenset[str]] = frozenset()
    ids: ClassVar[tuple[str, ...]] = ("item_id", "id", "draft_id")
    settings: ClassVar[type[TaskSettings]] = TaskSettings
    form: ClassVar[type[AnswerForm]] = AnswerForm
    template: ClassVar[str] = ""
    answers: ClassVar[tuple[str, ...]] = ()
    panel: ClassVar[bool] = False

    @property
    def study(self) -> HarmRoom | None:
        """The room as one in which only people of a panel judge, a block of items each with checks; None elsewhere.

        Accounts do not judge then, and every task has a code. `needed` is a minimum: items that have enough are still
        handed out, after those that have fewer.
        """
        return None

    def prepare(self, rows: Iterable[Content]) -> Iterable[Content]:
        """The rows of the file as they are kept, one for one and one at a time; nulls are empty texts already."""
        return rows

    def check(self, content: Content) -> Iterable[str]:  # noqa: ARG002
        """Sentences about a row of the file that cannot be used."""
        return ()

    def draw(self, content: Content, rng: random.Random) -> dict[str, Any]:  # noqa: ARG002
        """What is drawn for one judge and item, such as the order of candidates."""
        return {}

    def context(self, content: Content) -> Mapping[str, Any]:  # noqa: ARG002
        """What the template needs besides `content` and `form`."""
        return {}

    def needed(self, settings: Any, content: Content, answers: Sequence[Answer]) -> int:  # noqa: ARG002
        """How many judgements an item needs, given those that it has."""
        return int(settings.needed)

    def row(self, answer: Answer, hidden: Content) -> Mapping[str, Any]:  # noqa: ARG002
        """Cells of the columns `answers` for a judgement; `hidden` is what the judge did not see of the item."""
        return {name: answer[name] for name in self.answers}

    def tables(self, settings: Any, items: Sequence[JudgedItem]) -> Mapping[str, Rows]:
        """Tables made of all items in the order of the file, by their names: `items` has what each one came to."""
        return {"items": [{**item.cells, **self.outcome(settings, item)} for item in items]}

    def outcome(self, settings: Any, item: JudgedItem) -> Mapping[str, Any]:
        """What the judgements of an item come to: columns of the table of outcomes, the same for every item."""
        raise NotImplementedError


class AgreementRoom(Room):
    """A room in which judges must agree: two or more without a majority get another one."""

    def decision(self, answer: Answer) -> Hashable:
        """What an answer comes to, so that two can be compared."""
        raise NotImplementedError

    def needed(self, settings: Any, content: Content, answers: Sequence[Answer]) -> int:  # noqa: ARG002
        """One judgement more than planned where those have no majority."""
        return needed_with_third(settings.needed, [self.decision(answer) for answer in answers])

    def settled(self, settings: TaskSettings, item: JudgedItem) -> tuple[str, list[Answer]]:
        """How far an item is (`UNJUDGED` and so on), and the answers that say what was agreed, if anything was."""
        answers = [judgement.answer for judgement in item.counting]
        decisions = [self.decision(answer) for answer in answers]
        if len(answers) < needed_with_third(settings.needed, decisions):
            return WAITING if answers else UNJUDGED, []
        winner = majority(decisions)
        if winner is None:
            return DISPUTED, []
        agreeing = [answer for answer, decision in zip(answers, decisions, strict=True) if decision == winner]
        return AGREED if len(agreeing) == len(answers) else MAJORITY, agreeing

    def review(self, item: JudgedItem, state: str) -> dict[str, Any]:
        """Columns of every table of outcomes: the state, the number of judgements, and the notes with their judges."""
        return {
            "review_state": state,
            "review_judgements": len(item.counting),
            "review_notes": " | ".join(item.notes),
        }


@cache
def rooms() -> dict[str, Room]:
    """Every room by its kind."""
    kinds = ("extraction", "harm", "pairs", "translation", "votes", "words")
    return {kind: import_module(f"endoxa_collect.tasks.{kind}").ROOM for kind in kinds}


def room(kind: str) -> Room:
    """The room of a kind.

    Raises:
        UserError: unknown kind.
    """
    chosen = rooms().get(kind)
    if chosen is None:
        raise UserError(f"Unknown kind of task '{kind}'. Expected one of: {', '.join(sorted(rooms()))}.")
    return chosen
