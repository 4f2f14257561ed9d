"""The rooms by kind. A new one is a folder here and a line in `_rooms`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlsplit

from django import forms
from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict, Field, field_validator

from endoxa.errors import UserError

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


class StepForm(forms.Form):
    """The form of a page that comes before the first item."""

    def mistakes(self) -> list[str]:
        """What was wrong in a valid form, a sentence each; none lets the person go on."""
        return []


@dataclass(frozen=True, slots=True)
class Step:
    """A page that people of a panel read before the first item.

    Attributes:
        name: last part of its address.
        template: the page.
        form: what they fill in there; None where they only read.
        tries: how often they may send a form with mistakes; after the last they have failed.
    """

    name: str
    template: str
    form: type[StepForm] | None = None
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Check:
    """An item with a known answer.

    Attributes:
        key: its name among the items.
        content: what judges see.
        hidden: the answer that is right.
    """

    key: str
    content: Content
    hidden: Content


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
        return [judgement for judgement in self.judged if judgement.counts]


Rows = Sequence[Mapping[str, Any]]
"""Rows of a table that have the same columns; a table without rows is not written."""


@dataclass(frozen=True, slots=True)
class Study:
    """What a room has in which only people of a panel judge, each one block of items and none of them left out.

    Accounts do not judge, and every task has a code. `needed` is a minimum: items that have enough are still handed
    out, after those that have fewer.

    Attributes:
        item: the cells of a row that an item keeps; the first of the room's `ids` names it, and rows of one name are
            one item.
        stratum: what a block is balanced by, among items that are equally urgent.
        checks: items with a known answer, made with the task.
        passed: whether a judge's answers to checks (what was right, what was said) keep the rule.
        rules: rules of the settings, as sentences that people read before they agree to take part.
        steps: pages before the first item.
        person: what is drawn once for each judge, such as the order of questions.
    """

    item: Callable[[Content], Content]
    stratum: Callable[[Content], str]
    checks: Callable[[Any], Sequence[Check]]
    passed: Callable[[Any, Sequence[tuple[Content, Answer]]], bool]
    rules: Callable[[Any], Sequence[str]]
    steps: Callable[[Any], Sequence[Step]]
    person: Callable[[random.Random], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Workspace:
    """What a room has in which all judges work on all items together, on a page of its own.

    Attributes:
        page: name of the page.
        progress: what lists say of a task's progress.
        begin: what is done once the items are stored.
        tables: instead of judgements, the tables that a task comes to, the main one first.
    """

    page: str
    progress: Callable[[Any], str]
    begin: Callable[[Any], None]
    tables: Callable[[Any], Mapping[str, Rows]]


@dataclass(frozen=True, slots=True)
class Room:
    """A kind of task.

    Attributes:
        kind: the word on the command line ("votes").
        title: what it is called on pages.
        columns: columns a file of items must have, with a description each.
        optional: further columns that mean something.
        hidden: columns that judges never see, such as `engine`.
        form: the form of an item.
        template: what is shown of an item, and the fields of the form.
        answers: columns that the export has for every judgement, with a description each.
        row: cells of these columns for a judgement.
        settings: its settings.
        needed: how many judgements an item needs, given those that it has.
        draw: what is drawn for one judge and item, such as the order of candidates.
        context: what the template needs besides `content` and `form`.
        check: refuses a row of the file of items: yields sentences.
        outcome: what the judgements of an item come to: a row for the table of outcomes; None where there is none.
        outcome_columns: columns of that row, with a description each.
        ids: columns that name an item, the first one that the file has; without any, rows are numbered.
        prepare: makes of the rows of the file those that are kept; nulls are empty texts already.
        tables: instead of `outcome`, whole tables made of all items in the order of the file, by their names. `items`
            is the table of outcomes; further ones are written beside it.
        blind_until_closed: what is hidden may be exported only after the task was closed, which is recorded.
        panel: people of a panel may judge, through pages of their own; `settings` are `PanelSettings` then.
        study: what the room has where nobody but people of a panel judges.
        workspace: what the room has where nothing is handed out.
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
    ids: tuple[str, ...] = ("item_id", "id", "draft_id")
    prepare: Callable[[Sequence[Content]], list[dict[str, Any]]] = _as_they_are
    tables: Callable[[Any, Sequence[JudgedItem]], Mapping[str, Rows]] | None = None
    blind_until_closed: bool = False
    panel: bool = False
    study: Study | None = None
    workspace: Workspace | None = None


Value = TypeVar("Value", bound=Hashable)

UNJUDGED, WAITING, AGREED, MAJORITY, DISPUTED = "unjudged", "waiting", "agreed", "majority", "disputed"

STATES: dict[str, str] = {
    UNJUDGED: "nobody has judged the item",
    WAITING: "another judge is needed",
    AGREED: "all judges said the same",
    MAJORITY: "more than half said the same",
    DISPUTED: "no answer has more than half of the judges",
}
"""How far an item is, with its meaning."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[Value]):
    """What judges come to.

    Attributes:
        state: one of `STATES`.
        value: what was agreed; None where nothing was (yet).
        differ: two judges or more said different things.
    """

    state: str
    value: Value | None
    differ: bool


def needed_with_third(needed: int, values: Sequence[Hashable]) -> int:
    """Judges that an item needs: one more where the first `needed`, at least two, have no majority."""
    first = values[:needed]
    if needed >= 2 and len(first) == needed and majority(first) is None:
        return needed + 1
    return needed


def majority(values: Sequence[Value]) -> Value | None:
    """The majority answer; None without a majority."""
    if not values:
        return None
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def settle(needed: int, values: Sequence[Value]) -> Settled[Value]:
    """What the answers of judges come to, in the order in which they were given."""
    differ = len(set(values)) > 1
    if not values:
        return Settled(UNJUDGED, None, differ)
    if len(values) < needed_with_third(needed, values):
        return Settled(WAITING, None, differ)
    winner = majority(values)
    if winner is None:
        return Settled(DISPUTED, None, differ)
    return Settled(MAJORITY if differ else AGREED, winner, differ)


@cache
def rooms() -> dict[str, Room]:
    """Every room by its kind."""
    from endoxa_collect.tasks.extraction import ROOM as EXTRACTION
    from endoxa_collect.tasks.groups import ROOM as GROUPS
    from endoxa_collect.tasks.harm import ROOM as HARM
    from endoxa_collect.tasks.pairs import ROOM as PAIRS
    from endoxa_collect.tasks.translation import ROOM as TRANSLATION
    from endoxa_collect.tasks.votes import ROOM as VOTES
    from endoxa_collect.tasks.words import ROOM as WORDS

    every = (EXTRACTION, GROUPS, HARM, PAIRS, TRANSLATION, VOTES, WORDS)
    return {room.kind: room for room in every}


def room(kind: str) -> Room:
    """The room of a kind.

    Raises:
        UserError: unknown kind.
    """
    chosen = rooms().get(kind)
    if chosen is None:
        raise UserError(f"Unknown kind of task '{kind}'. Expected one of: {', '.join(sorted(rooms()))}.")
    return chosen
