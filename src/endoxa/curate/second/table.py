"""A second reading of a table of statements: asked, compared row by row, and written with the same columns.

The model's reading stands where its answer can be read. The rules say where they differ: then the row has a flag, and a
column with their reading. A rule's confidence is the share of its readings that were right on reviewed data. Where both
agree it stays; where they differ, the model's reading is right in at most what it leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import polars as pl

from endoxa.curate.evaluation import attribute_parts, loose_identity
from endoxa.curate.extract import Extraction
from endoxa.curate.normalise import Tables
from endoxa.curate.second import ReaderItem, to_read
from endoxa.curate.survey.rows import question_named
from endoxa.errors import UserError
from endoxa.runs.asking.readers import ReaderSettings, read_with_models
from endoxa.schema import Progress
from endoxa.words.identifiers import IDENTIFIER, identifier_in

OMISSIONS = 0.8
"""Share of proposed omissions that reviewers made on reviewed data."""


@dataclass(frozen=True, slots=True)
class Combined:
    """What both readers say of a statement.

    Attributes:
        pairs: the reading that stands, with its confidence.
        other: the other reading where they differ; None where they agree, or the model's answer could not be read.
    """

    pairs: tuple[Extraction, ...]
    other: tuple[Extraction, ...] | None


def same_reading(first: Sequence[Extraction], second: Sequence[Extraction]) -> bool:
    """Whether two readings say the same of the same groups, or both propose omission."""
    if _omits(first) or _omits(second):
        return _omits(first) and _omits(second)
    groups = [{loose_identity(pair.identity) for pair in pairs} for pairs in (first, second)]
    attributes = [
        frozenset().union(*(attribute_parts(pair.attribute) for pair in pairs)) for pairs in (first, second)
    ]
    return groups[0] == groups[1] and attributes[0] == attributes[1]


def combine(
    rules: Sequence[Sequence[Extraction]], model: Sequence[Sequence[Extraction] | None]
) -> list[Combined]:
    """The reading that stands for each statement.

    Args:
        rules: what the rules read.
        model: what the model read, in the same order; None where its answer could not be read.
    """
    return [_stands(tuple(first), second) for first, second in zip(rules, model, strict=True)]


def _stands(first: tuple[Extraction, ...], second: Sequence[Extraction] | None) -> Combined:
    if second is None or same_reading(first, second):
        return Combined(first, None)
    confidence = OMISSIONS if _omits(first) else first[0].confidence
    return Combined(tuple(replace(pair, confidence=round(1 - confidence, 2)) for pair in second), first)


def _omits(pairs: Sequence[Extraction]) -> bool:
    return all(pair.omit for pair in pairs)


DIFFER = "readers-differ"
"""Flag of a statement that both readers read in different ways."""
OTHER_READING = "other_reading"
"""Column with the reading that does not stand ("identity | attribute; ..."), empty where both agree."""
_NOT_SENT = frozenset({IDENTIFIER, "long-answer"})
"""Flags of statements that no model is shown."""

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SecondReading:
    """Both readings of a table.

    Attributes:
        combined: the table with the reading that stands, and the column `other_reading`.
        model: the model's reading of what it was shown and could be read, in the columns of the table.
        n_read: number of statements that the model was shown.
        unread: number of its answers that could not be read.
        differing: number of statements that both read in different ways.
        cost: lines about the cost.
    """

    combined: pl.DataFrame
    model: pl.DataFrame
    n_read: int
    unread: int
    differing: int
    cost: tuple[str, ...]


def reader_items(table: pl.DataFrame) -> list[ReaderItem]:
    """The statements of a table that a model is shown; a simulated reader is told the rules' pairs.

    Raises:
        UserError: there is none.
    """
    items_out = []
    identified = {
        _answer(row)
        for row in table.fill_null("").iter_rows(named=True)
        if any(identifier_in(row[name]) for name in ("statement", "original_statement", "country"))
    }
    before: tuple[tuple[str, ...], str] = ((), "")
    for statement_id, rows in _statements(table):
        first = rows[0]
        answer = _answer(first)
        subject = before[1] if before[0] == answer else ""
        before = (answer, rows[-1]["identity"] or subject)
        if _answer(first) in identified or _NOT_SENT & set(first["flag"].split()):
            continue
        pairs = tuple((row["identity"], row["attribute"]) for row in rows if row["omit"] != "true")
        question = question_named(first["question"])
        items_out.append(
            ReaderItem(statement_id, first["statement"], question, first["country"], subject, pairs)
        )
    if not items_out:
        raise UserError(
            "No statement can be shown to a model: all are flagged 'identifier' or 'long-answer'."
        )
    return items_out


def second_reading(
    table: pl.DataFrame,
    settings: ReaderSettings,
    folder: Path,
    *,
    names: Tables | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> SecondReading:
    """Ask a model about every statement of a table, and compare its readings with those of the table.

    Args: see `endoxa.runs.asking.readers.read_with_models`; `table` is one of
        `endoxa.curate.survey.extract_all`.

    Raises:
        UserError: any user error: model, key, money, folder, or nothing to ask.
    """
    items = reader_items(table)
    readings, cost = read_with_models(
        to_read(items, names), settings, folder, progress=progress, command=command
    )
    answers = [readings[settings.models[0]].get(item.statement_id) for item in items]
    rows_of = dict(_statements(table))
    rules = [[_extraction(row) for row in rows_of[item.statement_id]] for item in items]
    compared = combine(rules, answers)
    by_id = {item.statement_id: result for item, result in zip(items, compared, strict=True)}
    combined = []
    for statement_id, rows in rows_of.items():
        result = by_id.get(statement_id)
        if result is None:
            combined += [{**row, OTHER_READING: ""} for row in rows]
            continue
        other = "; ".join(_shown(pair) for pair in result.other) if result.other is not None else ""
        flag = f"{rows[0]['flag']} {DIFFER}".strip() if result.other is not None else rows[0]["flag"]
        combined += [
            {**_row(rows[0], pair, f"{pair.confidence:.2f}"), "flag": flag, OTHER_READING: other}
            for pair in result.pairs
        ]
    model = [
        _row(rows_of[item.statement_id][0], pair, "")
        for item, pairs in zip(items, answers, strict=True)
        for pair in pairs or ()
    ]
    return SecondReading(
        pl.DataFrame(combined, schema=dict.fromkeys((*table.columns, OTHER_READING), pl.String)),
        pl.DataFrame(model, schema=dict.fromkeys(table.columns, pl.String)),
        len(items),
        sum(pairs is None for pairs in answers),
        sum(result.other is not None for result in compared),
        tuple(cost),
    )


def _answer(row: Row) -> tuple[str, ...]:
    """The answer that a statement is part of; without a respondent, the statement itself."""
    return (row["respondent"], row["question"]) if row["respondent"] else (row["statement_id"],)


def _statements(table: pl.DataFrame) -> list[tuple[str, list[Row]]]:
    """The rows of each statement."""
    rows = table.fill_null("").iter_rows(named=True)
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: str(row["statement_id"]))]


def _extraction(row: Row) -> Extraction:
    return Extraction(
        row["identity"],
        row["attribute"],
        row["rule"],
        float(row["confidence"] or 0),
        row["omit"] == "true",
        row["omit_reason"],
        row["verb"],
    )


def _row(row: Row, pair: Extraction, confidence: str) -> dict[str, str]:
    return {
        **row,
        "identity": pair.identity,
        "attribute": pair.attribute,
        "verb": pair.verb,
        "rule": pair.rule,
        "confidence": confidence,
        "omit": "true" if pair.omit else "false",
        "omit_reason": pair.omit_reason,
    }


def _shown(pair: Extraction) -> str:
    if pair.omit:
        return f"omit ({pair.omit_reason})"
    return f"{pair.identity} | {pair.attribute}"
