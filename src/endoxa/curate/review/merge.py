"""Three-way merge of one row and its reviews: the reviewed row, its changes, and conflicts.

The three versions are the row as it was handed out, as a reviewer returned it, and as it stands in the table now. A
reviewer who decides on a row approves all of its words, changed or not; one who is unsure, or gives no decision,
approves none. Conflicts between reviewers are listed, never decided silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from endoxa.curate.review.form import DISPUTED, EDIT, KEEP, OMIT, ROW_KEY, UNSURE, same
from endoxa.curate.review.returned import Answer
from endoxa.curate.review.sheet import Row

Resolve = Literal["none", "first", "majority"]
RESOLVES: dict[Resolve, str] = {
    "none": "the table stays as it is",
    "first": "the table's voice counts where it has one, else that of the first sheet",
    "majority": "more than half of the voices decide, else the table stays as it is",
}
"""What to do where reviewers disagree, with its meaning."""

TABLE = "the table"
"""Name of the voice of a table that was changed since a sheet was made."""


@dataclass(frozen=True, slots=True)
class Voice:
    """What one reviewer, or the table, wants to stand in one place."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of some voices.

    Attributes:
        value: what stands; None where nothing was settled.
        by: whose value it is.
        agreed: whether all said the same.
    """

    value: str | None
    by: tuple[str, ...]
    agreed: bool


def settle(voices: Sequence[Voice], resolve: Resolve) -> Outcome:
    """What stands in one place.

    Args:
        voices: at least one; the table's first, then in the order of the sheets.
        resolve: what to do where they differ (`RESOLVES`).
    """
    values = [next(first.value for first in voices if same(first.value, voice.value)) for voice in voices]
    counts = Counter(values)
    if len(counts) == 1:
        return _outcome(values[0], values, voices, agreed=True)
    if resolve == "first":
        return _outcome(values[0], values, voices, agreed=False)
    value, count = counts.most_common(1)[0]
    if resolve == "majority" and 2 * count > len(values):
        return _outcome(value, values, voices, agreed=False)
    return Outcome(None, (), agreed=False)


def _outcome(value: str, values: Sequence[str], voices: Sequence[Voice], *, agreed: bool) -> Outcome:
    by = tuple(voice.name for voice, answer in zip(voices, values, strict=True) if answer == value)
    return Outcome(value, by, agreed)


SEPARATOR = "; "
"""Between names, and between reasons."""

_STAY = "stay"
_STANDING = (KEEP, EDIT, OMIT)
_DECISION = "review_decision"


@dataclass(frozen=True, slots=True)
class Change:
    """A cell of the table that is another one now, or (column '(new row)') a row that was added."""

    row: str
    column: str
    before: str
    after: str
    by: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something that not all want so, or that cannot be applied.

    Attributes:
        row: name of the row.
        column: column it is about, or empty where it is about the whole row.
        problem: what is wrong.
        voices: who says what.
        outcome: what was done.
        sheets: where it stands in the sheets.
        settled: whether something was decided.
    """

    row: str
    column: str
    problem: str
    voices: str
    outcome: str
    sheets: str
    settled: bool


@dataclass(frozen=True, slots=True)
class Merged:
    """A row afterwards, with what changed and what was not wanted by all."""

    row: Row
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def merge_row(now: Row, answers: Sequence[Answer], resolve: Resolve) -> Merged:
    """Merge what reviewers say into a row of the table.

    Args:
        now: the row, with the columns `REVIEW_COLUMNS` (empty where nobody has reviewed it).
        answers: what they say, in the order of the sheets; all about the row as it still is.
        resolve: what to do where they disagree.
    """
    deciding = [answer for answer in answers if answer.decision in _STANDING]
    unsure = [answer for answer in answers if answer.decision == UNSURE]
    row = dict(now)
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    if deciding:
        # Who wants the row to be left out or to stay;.
        voices = [Voice(answer.reviewer, OMIT if answer.decision == OMIT else _STAY) for answer in deciding]
        standing = now[_DECISION]
        if standing in _STANDING and any(answer.origin.decision != standing for answer in deciding):
            voices.insert(0, Voice(TABLE, OMIT if standing == OMIT else _STAY))
        decision = settle(voices, resolve)
        conflicts += _decision_conflict(now, deciding, decision)
        if decision.value == OMIT:
            row |= _omitted(now, [answer for answer in deciding if answer.decision == OMIT])
            conflicts += _reason_conflict(now, deciding)
        else:
            staying = [answer for answer in deciding if answer.decision != OMIT]
            words, cell_changes, cell_conflicts = _merge_words(now, staying, resolve)
            changes += cell_changes
            conflicts += cell_conflicts
            row |= words | _kept(
                now,
                words,
                staying,
                decision,
                disputed=any(not conflict.settled for conflict in cell_conflicts),
            )
        changes += _flag_changes(now, row, decision)
    elif unsure and now[_DECISION] not in (*_STANDING, DISPUTED):
        row[_DECISION] = UNSURE
    row["reviewed_by"] = joined(
        [now["reviewed_by"], *(answer.reviewer for answer in (*deciding, *unsure))], in_order=False
    )
    row["review_note"] = _noted(now["review_note"], answers, conflicts)
    return Merged(row, tuple(changes), tuple(conflicts))


def joined(parts: Iterable[str], *, in_order: bool) -> str:
    """Names or reasons, each once; `in_order` of their appearance, else of the alphabet."""
    single = dict.fromkeys(piece for part in parts for piece in part.split(SEPARATOR) if piece)
    return SEPARATOR.join(single if in_order else sorted(single))


def voices_words(voices: Iterable[Voice]) -> str:
    """Who says what, for people."""
    return SEPARATOR.join(f"{voice.name}: {voice.value or '(empty)'}" for voice in voices)


def places(answers: Iterable[Answer]) -> str:
    """Where the answers stand in the sheets."""
    return SEPARATOR.join(answer.place for answer in answers)


def outcome_words(outcome: Outcome, unsettled: str) -> str:
    """What was done about a conflict, for people."""
    return unsettled if outcome.value is None else f"as wanted by {SEPARATOR.join(outcome.by)}"


def _decision_conflict(now: Row, deciding: Sequence[Answer], outcome: Outcome) -> Iterator[Conflict]:
    if outcome.agreed:
        return
    voices = [
        Voice(answer.reviewer, (f"{answer.decision} ({answer.reason})" if answer.reason else answer.decision))
        for answer in deciding
    ]
    if now[_DECISION] in _STANDING:
        voices.insert(0, Voice(TABLE, now[_DECISION]))
    yield Conflict(
        row=now[ROW_KEY],
        column=_DECISION,
        problem="reviewers disagree whether the row is to be left out",
        voices=voices_words(voices),
        outcome=outcome_words(outcome, "disputed: nothing was decided"),
        sheets=places(deciding),
        settled=outcome.value is not None,
    )


def _omitted(now: Row, omitting: Sequence[Answer]) -> Row:
    """Left out, with every reason that was given; the proposed one where nobody gave any."""
    reasons = [answer.reason for answer in omitting]
    if now[_DECISION] == OMIT or not any(reasons):
        reasons.insert(0, now["omit_reason"])
    return {"omit": "true", "omit_reason": joined(reasons, in_order=True), _DECISION: OMIT}


def _reason_conflict(now: Row, deciding: Sequence[Answer]) -> Iterator[Conflict]:
    giving = [answer for answer in deciding if answer.decision == OMIT and answer.reason]
    if len({answer.reason for answer in giving}) > 1:
        yield Conflict(
            row=now[ROW_KEY],
            column="omit_reason",
            problem="reviewers leave the row out for different reasons",
            voices=voices_words(Voice(answer.reviewer, answer.reason) for answer in giving),
            outcome="left out, with all reasons",
            sheets=places(giving),
            settled=True,
        )


def _merge_words(
    now: Row, staying: Sequence[Answer], resolve: Resolve
) -> tuple[Row, list[Change], list[Conflict]]:
    """The words of a row that stays, as far as they could be settled."""
    words: Row = {}
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    for column in dict.fromkeys(name for answer in staying for name in answer.words):
        saying = [answer for answer in staying if column in answer.words]
        voices = [Voice(answer.reviewer, answer.words[column]) for answer in saying]
        if any(not same(answer.origin.words[column], now[column]) for answer in saying):
            voices.insert(0, Voice(TABLE, now[column]))
        outcome = settle(voices, resolve)
        if outcome.value is not None and not same(outcome.value, now[column]):
            words[column] = outcome.value
            changes.append(
                Change(now[ROW_KEY], column, now[column], outcome.value, SEPARATOR.join(outcome.by))
            )
        if not outcome.agreed:
            changed = voices[0].name == TABLE
            conflicts.append(
                Conflict(
                    row=now[ROW_KEY],
                    column=column,
                    problem="the table was changed since the sheet was made"
                    if changed
                    else "reviewers want different words",
                    voices=voices_words(voices),
                    outcome=outcome_words(outcome, "disputed: the table's words stay"),
                    sheets=places(saying),
                    settled=outcome.value is not None,
                )
            )
    return words, changes, conflicts


def _kept(now: Row, words: Row, staying: Sequence[Answer], decision: Outcome, *, disputed: bool) -> Row:
    """The review columns of a row that is not left out."""
    if decision.value is None:
        return {_DECISION: DISPUTED}
    stays = {"omit": "false", "omit_reason": ""}
    if disputed:
        return {**stays, _DECISION: DISPUTED}
    final = {**now, **words}
    edited = any(
        answer.decision == EDIT and all(same(word, final[name]) for name, word in answer.words.items())
        for answer in staying
    )
    return {**stays, _DECISION: EDIT if edited or now[_DECISION] == EDIT else KEEP}


def _flag_changes(now: Row, row: Row, decision: Outcome) -> Iterator[Change]:
    """Changes of `omit` and its reason; an empty flag means 'false'."""
    by = SEPARATOR.join(decision.by)
    for column, empty in (("omit", "false"), ("omit_reason", "")):
        before, after = now[column].lower() or empty, row[column] or empty
        if before != after:
            yield Change(now[ROW_KEY], column, now[column], row[column], by)


def _noted(note: str, answers: Sequence[Answer], conflicts: Sequence[Conflict]) -> str:
    """The notes, with what could not be settled; each once, however often a sheet is applied."""
    entries = [f"{answer.reviewer}: {answer.note}" for answer in answers if answer.note]
    entries += [
        f"disputed {conflict.column} ({conflict.voices})" for conflict in conflicts if not conflict.settled
    ]
    for entry in entries:
        if entry not in note:
            note = f"{note} | {entry}" if note else entry
    return note
