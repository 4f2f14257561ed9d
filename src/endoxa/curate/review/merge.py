"""Sheets merged into the table that they were made from: every answer is votes, and one rule settles each place.

A reviewer who decides on a row votes whether it stays and for all of its words, changed or not; one who is unsure, or
gives no decision, votes for none. A table that was changed meanwhile has a vote of its own. Disagreements are listed,
never decided silently.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from endoxa.curate.review import DISPUTED, EDIT, KEEP, OMIT, REVIEW_COLUMNS, ROW_KEY, UNSURE, kind_of, same
from endoxa.curate.review.returned import Answer, Returned
from endoxa.curate.review.sheet import Row, fingerprint, rows_of, with_row_keys
from endoxa.errors import UserError
from endoxa.sources.frames import read_table

Resolve = Literal["none", "first", "majority"]
TABLE = "the table"
NEW_ROW = "(new row)"
"""What stands for a column where a whole row is meant."""
SEPARATOR = "; "
CHANGES = dict.fromkeys(("row", "column", "before", "after", "by"), pl.String)
CONFLICTS = dict.fromkeys(("row", "column", "problem", "voices", "outcome", "sheets"), pl.String) | {
    "settled": pl.Boolean
}
"""Columns of the two lists."""
_STAY, _ADDED, _DECIDED, _DECISION = "stay", "added", (KEEP, EDIT, OMIT), "review_decision"

Voice = tuple[str, str]
"""Who wants something, and what."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What stands in one place (None: nothing was settled), by whom, and whether all said the same."""

    value: str | None
    by: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What comes of a review.

    Attributes:
        table: the reviewed table: its own columns, then `REVIEW_COLUMNS`.
        changes: one row per cell that changed and per row that was added.
        conflicts: one row per disagreement and per answer that could not be applied.
        left_out: how many rows were decided to be left out.
        dropped: whether those rows are not in the table any more.
        incomplete: how many answers were not said to the end, and count as unsure.
    """

    table: pl.DataFrame
    changes: pl.DataFrame
    conflicts: pl.DataFrame
    left_out: int
    dropped: bool
    incomplete: int


def settle(voices: Sequence[Voice], resolve: Resolve) -> Outcome:
    """What stands in one place, by voices of which the table's is first, then those in the order of the sheets."""
    values = [next(first for _, first in voices if same(first, value)) for _, value in voices]
    counts = Counter(values)
    value, count = counts.most_common(1)[0]
    if len(counts) == 1 or resolve == "first":
        value = values[0]
    elif resolve != "majority" or 2 * count <= len(values):
        return Outcome(None, "", agreed=False)
    by = SEPARATOR.join(name for (name, _), said in zip(voices, values, strict=True) if said == value)
    return Outcome(value, by, agreed=len(counts) == 1)


def joined(parts: Iterable[str], *, in_order: bool) -> str:
    """Names or reasons, each once; `in_order` of their appearance, else of the alphabet."""
    single = dict.fromkeys(piece for part in parts for piece in part.split(SEPARATOR) if piece)
    return SEPARATOR.join(single if in_order else sorted(single))


class _Merge:
    """The rows of the table, with what changed and what was not wanted by all."""

    def __init__(self, rows: Mapping[str, Row], resolve: Resolve) -> None:
        self.rows, self.resolve = rows, resolve
        self.changes: list[tuple[str, ...]] = []
        self.conflicts: list[tuple[str | bool, ...]] = []

    def settle(
        self, place: tuple[str, str], voices: list[Voice], answers: Iterable[Answer], problem: str, unsettled: str, *,
        spoken: Sequence[Voice] = (),
    ) -> Outcome:  # fmt: skip
        """What stands in a place (row, column), and a conflict where not all said so.

        Args:
            place: the row and the column.
            voices: who wants what.
            answers: where they stand in the sheets.
            problem: what a conflict would be about.
            unsettled: what is done where nothing can be settled.
            spoken: the voices as a conflict lists them, where these are other words.
        """
        outcome = settle(voices, self.resolve)
        if not outcome.agreed:
            done = unsettled if outcome.value is None else f"as wanted by {outcome.by}"
            self.conflict(place, problem, spoken or voices, done, answers, settled=outcome.value is not None)
        return outcome

    def conflict(
        self, place: tuple[str, str], problem: str, voices: Sequence[Voice], outcome: str, answers: Iterable[Answer], *,
        settled: bool,
    ) -> None:  # fmt: skip
        """Note who wants what in a place, what was done, and where it stands in the sheets."""
        said = SEPARATOR.join(f"{name}: {value or '(empty)'}" for name, value in voices)
        where = SEPARATOR.join(answer.place for answer in answers)
        self.conflicts.append((*place, problem, said, outcome, where, settled))

    def row(self, now: Row, answers: Sequence[Answer]) -> Row:
        """The row as reviewers want it."""
        deciding = [answer for answer in answers if answer.decision in _DECIDED]
        unsure = [answer for answer in answers if answer.decision == UNSURE]
        row, name, before = dict(now), now[ROW_KEY], len(self.conflicts)
        if deciding:
            voices = [(answer.reviewer, OMIT if answer.decision == OMIT else _STAY) for answer in deciding]
            said = [(a.reviewer, f"{a.decision} ({a.reason})" if a.reason else a.decision) for a in deciding]
            standing = now[_DECISION]
            if standing in _DECIDED:
                said.insert(0, (TABLE, standing))
                if any(answer.origin.decision != standing for answer in deciding):
                    voices.insert(0, (TABLE, OMIT if standing == OMIT else _STAY))
            decision = self.settle(
                (name, _DECISION), voices, deciding, "reviewers disagree whether the row is to be left out",
                "disputed: nothing was decided", spoken=said,
            )  # fmt: skip
            row |= (
                self._omitted(now, deciding)
                if decision.value == OMIT
                else self._kept(now, deciding, decision)
            )
            for column, empty in (("omit", "false"), ("omit_reason", "")):
                if (now[column].lower() or empty) != (row[column] or empty):
                    self.changes.append((name, column, now[column], row[column], decision.by))
        elif unsure and now[_DECISION] not in (*_DECIDED, DISPUTED):
            row[_DECISION] = UNSURE
        names = [now["reviewed_by"], *(answer.reviewer for answer in (*deciding, *unsure))]
        row["reviewed_by"] = joined(names, in_order=False)
        notes = [f"{answer.reviewer}: {answer.note}" for answer in answers if answer.note]
        unsettled = (conflict for conflict in self.conflicts[before:] if not conflict[-1])
        notes += [f"disputed {column} ({said})" for _, column, _, said, *_ in unsettled]
        for note in notes:  # each once, however often a sheet is applied
            if note not in row["review_note"]:
                row["review_note"] = f"{row['review_note']} | {note}" if row["review_note"] else note
        return row

    def _omitted(self, now: Row, deciding: Sequence[Answer]) -> Row:
        """Left out, with every reason that was given; the proposed one where nobody gave any."""
        omitting = [answer for answer in deciding if answer.decision == OMIT]
        giving = [answer for answer in omitting if answer.reason]
        if len({answer.reason for answer in giving}) > 1:
            voices = [(answer.reviewer, answer.reason) for answer in giving]
            problem, done = "reviewers leave the row out for different reasons", "left out, with all reasons"
            self.conflict((now[ROW_KEY], "omit_reason"), problem, voices, done, giving, settled=True)
        before = [now["omit_reason"]] if now[_DECISION] == OMIT or not giving else []
        reasons = joined([*before, *(answer.reason for answer in omitting)], in_order=True)
        return {"omit": "true", "omit_reason": reasons, _DECISION: OMIT}

    def _kept(self, now: Row, deciding: Sequence[Answer], decision: Outcome) -> Row:
        """The words of a row that stays, as far as they could be settled."""
        staying = [answer for answer in deciding if answer.decision != OMIT]
        words: Row = {}
        disputed = decision.value is None
        for column in dict.fromkeys(name for answer in staying for name in answer.words):
            saying = [answer for answer in staying if column in answer.words]
            voices = [(answer.reviewer, answer.words[column]) for answer in saying]
            problem = "reviewers want different words"
            if any(not same(answer.origin.words[column], now[column]) for answer in saying):
                voices.insert(0, (TABLE, now[column]))
                problem = "the table was changed since the sheet was made"
            outcome = self.settle(
                (now[ROW_KEY], column), voices, saying, problem, "disputed: the table's words stay"
            )
            disputed |= outcome.value is None
            if outcome.value is not None and not same(outcome.value, now[column]):
                words[column] = outcome.value
                self.changes.append((now[ROW_KEY], column, now[column], outcome.value, outcome.by))
        flags = {} if decision.value is None else {"omit": "false", "omit_reason": ""}
        final = now | words
        edited = now[_DECISION] == EDIT or any(
            answer.decision == EDIT and all(same(word, final[name]) for name, word in answer.words.items())
            for answer in staying
        )
        return words | flags | {_DECISION: DISPUTED if disputed else EDIT if edited else KEEP}

    def added(self, rows: Mapping[str, Row], answers: Sequence[Answer], key: str) -> dict[str, list[Row]]:
        """The rows that reviewers add, by id; who decided on a row of the id without adding speaks against it."""
        siblings = {row[key]: row for row in reversed(list(rows.values()))}
        proposed: dict[str, list[Answer]] = defaultdict(list)
        for answer in answers:
            if answer.added and answer.decision != OMIT and answer.row not in rows:
                proposed[answer.row].append(answer)
        complete: dict[str, list[Row]] = defaultdict(list)
        for name, adding in proposed.items():
            identifier, adders = adding[0].origin.key, dict.fromkeys(answer.reviewer for answer in adding)
            deciding = [
                a.reviewer for a in answers if a.origin.key == identifier and a.decision not in ("", UNSURE)
            ]
            names = dict.fromkeys([*deciding, *adders])
            voices = [(voter, _ADDED if voter in adders else f"not {_ADDED}") for voter in names]
            outcome = self.settle(
                (name, NEW_ROW), voices, adding, "only some reviewers add this row", "disputed: not added"
            )
            if outcome.value != _ADDED:
                continue
            notes = dict.fromkeys(f"{answer.reviewer}: {answer.note}" for answer in adding if answer.note)
            review = {"omit": "false", "omit_reason": "", "reviewed_by": joined(adders, in_order=False)}
            review |= {_DECISION: EDIT, "review_note": " | ".join(notes), ROW_KEY: name}
            complete[identifier].append({**siblings[identifier], **adding[0].words, **review})
            words = ", ".join(f"{column}: {word}" for column, word in adding[0].words.items())
            self.changes.append(
                (name, NEW_ROW, "", words, joined(outcome.by.split(SEPARATOR), in_order=True))
            )
        return complete


def apply_review(
    path: Path, sheets: Sequence[Returned], *, resolve: Resolve = "none", drop_omitted: bool | None = None
) -> Reviewed:
    """Merge sheets into the table that they were made from; the same sheets twice give the same table.

    Args:
        path: the table.
        sheets: what came back, in the order that counts for `resolve='first'`.
        resolve: what to do where reviewers disagree; every disagreement is listed anyway.
        drop_omitted: whether rows decided to be left out are taken out of the table; None: as is usual for this
            kind of table (`Kind.keeps_omitted`).

    Raises:
        UserError: the table cannot be read, or a sheet was made from another table.
    """
    table = read_table(
        path, optional=sorted({name for s in sheets for name in (*s.origin.shown, *s.origin.edited)})
    )
    kind = kind_of(table.columns, path)
    now = {
        row[ROW_KEY]: dict.fromkeys(REVIEW_COLUMNS, "") | row
        for row in with_row_keys(rows_of(table), kind, path)
    }
    merge = _Merge(now, resolve)
    answers = [answer for sheet in sheets for answer in _current(sheet, merge, kind.name, kind.key, path)]
    of_row: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        of_row["" if answer.added else answer.row].append(answer)
    rows = {name: merge.row(row, of_row.get(name, ())) for name, row in now.items()}
    added = merge.added(rows, answers, kind.key)
    last = {row[kind.key]: name for name, row in rows.items()}
    complete = [
        each
        for name, row in rows.items()
        for each in (row, *(added[row[kind.key]] if last[row[kind.key]] == name else ()))
    ]
    drop = not kind.keeps_omitted if drop_omitted is None else drop_omitted
    omitted = [row[_DECISION] == OMIT for row in complete]
    names = dict.fromkeys([*table.columns, *REVIEW_COLUMNS], pl.String)
    kept = [row for row, out in zip(complete, omitted, strict=True) if not (drop and out)]
    return Reviewed(
        table=pl.DataFrame(
            [[row[name] or None for name in names] for row in kept], schema=names, orient="row"
        ),
        changes=pl.DataFrame(merge.changes, schema=CHANGES, orient="row"),
        conflicts=pl.DataFrame(merge.conflicts, schema=CONFLICTS, orient="row"),
        left_out=sum(omitted),
        dropped=drop,
        incomplete=sum(answer.incomplete for answer in answers),
    )


def _current(sheet: Returned, merge: _Merge, kind: str, key: str, path: Path) -> Iterable[Answer]:
    """The answers about rows that still are what the reviewer saw; conflicts for the others.

    Raises:
        UserError: no row of the sheet stands in the table as it was shown.
    """
    prints = {name: fingerprint(row, sheet.origin.shown) for name, row in merge.rows.items()}
    if sheet.origin.kind != kind or not any(
        prints.get(row.row) == row.fingerprint for row in sheet.origins.values()
    ):
        raise UserError(
            f"{sheet.path} was made from another table ({sheet.origin.table}, {sheet.origin.kind}): {path} contains "
            "none of its rows as shown to the reviewer. Name the table that the sheet was made from."
        )
    first = {row[key]: name for name, row in reversed(list(merge.rows.items()))}
    current = []
    for answer in sheet.answers:
        if not answer.says_something or (answer.added and answer.row in merge.rows):
            continue
        name = first.get(answer.origin.key, "") if answer.added else answer.row
        if prints.get(name) == answer.origin.fingerprint:
            current.append(answer)
        elif name in prints or answer.decision != OMIT:
            # A row that is not there and shall not be there is no conflict.
            changed = "the table's row was changed since the sheet was made"
            problem = changed if name in prints else "the row is not in the table any more"
            said = [(answer.reviewer, answer.decision or "a note")]
            merge.conflict((answer.row, ""), problem, said, "not applied", [answer], settled=False)
    return current
