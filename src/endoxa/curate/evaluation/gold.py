"""Statements with the pairs that people made of them, and what readers make of the same statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

import polars as pl

from endoxa.curate.extract import Question, as_annotated, extract
from endoxa.curate.extract.reader import plain
from endoxa.curate.normalise import Tables, tables
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.survey.rows import question_named
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.tables import require_columns

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader makes of a statement.

    Attributes:
        pairs: identity and attribute, perhaps with an empty part.
        omit: whether it proposes to leave the whole statement out.
    """

    pairs: tuple[Pair, ...]
    omit: bool


_PUBLISHED = (
    "statement_id", "respondent", "question", "statement", "status", "gold_identity", "gold_attribute",
)  # fmt: skip
_REVIEWED = (*_PUBLISHED[:4], "identity", "attribute", "review_decision")
_TEXTS = ("statement", "sentence")
"""Names of the column of statements in an annotated table."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A statement with what reviewers made of it.

    Attributes:
        statement_id: unique name.
        unit: what intervals are taken over, usually the respondent.
        question: what it answers.
        country: country of the respondent.
        statement: the words that were read, in English.
        kept: False where the reviewers left it out.
        edited: whether the reviewers changed, split or left out anything.
        pairs: the right pairs; empty where the statement was left out.
        other_identities: further names that count as the identity of the first pair.
        subject: group that the statement inherits from the one before it, or empty.
        published: reading of another extractor that stands in the file, or None.
    """

    statement_id: str
    unit: str
    question: Question
    country: str
    statement: str
    kept: bool
    edited: bool
    pairs: tuple[Pair, ...]
    other_identities: tuple[str, ...] = ()
    subject: str = ""
    published: Reading | None = None


def read_gold(path: Path, by: str = "respondent", statement: str | None = None) -> list[Gold]:
    """Statements of a file with the pairs that people made of them; one that nobody decided on is left out.

    Three forms are read. A published gold file has `status` (kept, omitted, not_reviewed), `gold_identity`,
    `gold_attribute` and perhaps `gold_identity_final`, `gold_extra_pairs` (JSON), `human_edited` and the reading of
    another extractor in `authors_identity` and `authors_attribute`. A table of `endoxa curate review` has
    `review_decision` (keep, edit, omit). Any other table with `identity` and `attribute` holds one annotated pair in
    a row, and rows of one statement and one unit are its pairs.

    Args:
        path: the file.
        by: column of the units that intervals are taken over.
        statement: column of the statements in an annotated table; `statement` or else `sentence` where None.

    Raises:
        UserError: a column is missing, a cell is not as expected, or nothing was reviewed.
    """
    table = read_table(path, (by, *([statement] if statement else ()))).fill_null("")
    if "gold_identity" in table.columns:
        require_columns(path, table.columns, _PUBLISHED)
        rows = list(_of_published(path, table, by))
    elif statement is None and "review_decision" in table.columns:
        require_columns(path, table.columns, _REVIEWED)
        rows = list(_of_review(table, by))
    else:
        text = statement or next((name for name in _TEXTS if name in table.columns), _TEXTS[0])
        require_columns(path, table.columns, (text, "identity", "attribute"))
        rows = list(_of_annotators(table, by, text))
    if not any(row.kept for row in rows):
        raise UserError(
            f"{path}: no statement was kept by a reviewer. Expected a gold file with status 'kept', a table of "
            "endoxa curate review with review_decision 'keep' or 'edit', or identities and attributes."
        )
    return rows


def _of_annotators(table: pl.DataFrame, by: str, text: str) -> Iterator[Gold]:
    """Statements of a table with a row for each pair; a statement without a complete pair was not annotated."""
    together: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in table.iter_rows(named=True):
        if row["identity"].strip() and row["attribute"].strip():
            together.setdefault((row[by], row[text]), []).append(row)
    for number, ((unit, statement), rows) in enumerate(together.items(), start=1):
        yield Gold(
            rows[0].get("statement_id", "") or f"row-{number}",
            unit,
            question_named(rows[0].get("question", ""), axis=rows[0].get("axis", "").lower()),
            rows[0].get("country", ""),
            statement,
            kept=True,
            edited=True,
            pairs=tuple((row["identity"].strip(), row["attribute"].strip()) for row in rows),
            other_identities=(normal_identity(rows[0]["identity"], rows[0].get("country", ""), _forms()),),
        )


@cache
def _forms() -> Tables:
    """Names without synonyms: what is left of normalisation are forms of one name ("Gas", "ga people")."""
    return replace(tables(), synonyms={}, terms={})


def _of_published(path: Path, table: pl.DataFrame, by: str) -> Iterator[Gold]:
    for number, row in enumerate(table.iter_rows(named=True), start=2):
        status = row["status"]
        if status not in {"kept", "omitted", "not_reviewed"}:
            raise UserError(
                f"{path}, row {number}, column 'status': '{status}'. Expected kept, omitted or not_reviewed."
            )
        if status == "not_reviewed":
            continue
        kept = status == "kept"
        theirs = "authors_identity" in row and "authors_attribute" in row
        yield Gold(
            row["statement_id"],
            row[by],
            question_named(row["question"]),
            row.get("country", ""),
            row["statement"],
            kept,
            row.get("human_edited", "") == "true",
            ((row["gold_identity"], row["gold_attribute"]), *_extra(path, number, row)) if kept else (),
            (row.get("gold_identity_final", ""),) if kept else (),
            published=Reading(((row["authors_identity"], row["authors_attribute"]),), omit=False)
            if theirs
            else None,
        )


def _extra(path: Path, number: int, row: Mapping[str, str]) -> tuple[Pair, ...]:
    text = row.get("gold_extra_pairs", "")
    try:
        return tuple((str(who), str(what)) for who, what in json.loads(text or "[]"))
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{path}, row {number}, column 'gold_extra_pairs': not a JSON list of [identity, attribute]."
        ) from error


def _of_review(table: pl.DataFrame, by: str) -> Iterator[Gold]:
    """Statements of a reviewed table; one on which somebody was unsure or disagreed is left out whole."""
    last: tuple[str, str, str] = ("", "", "")
    for statement_id, group in groupby(table.iter_rows(named=True), key=lambda row: row["statement_id"]):
        rows = list(group)
        first = rows[0]
        answer = (first["respondent"], first["question"])
        subject = last[2] if first.get("rule") == "inherited" and last[:2] == answer else ""
        decisions = [row["review_decision"] for row in rows]
        if not all(decision in {"keep", "edit", "omit"} for decision in decisions):
            continue
        kept = [row for row, decision in zip(rows, decisions, strict=True) if decision != "omit"]
        pairs = tuple((row["identity"], row["attribute"]) for row in kept)
        question = question_named(first["question"], axis=first.get("axis", ""))
        yield Gold(
            statement_id,
            first[by],
            question,
            first.get("country", ""),
            first["statement"],
            bool(pairs),
            set(decisions) != {"keep"},
            pairs,
            subject=subject,
        )
        if pairs:
            last = (*answer, pairs[-1][0])


def read_all(gold: Iterable[Gold]) -> list[Reading]:
    """What is compared of each statement alone as the rules read it; a statement that is not read is no pair."""
    readings = []
    for item in gold:
        pairs = extract(item.statement, item.question, item.country, item.subject)
        named = tuple((pair.identity, pair.attribute) for pair in pairs)
        readings.append(Reading(named, omit=bool(pairs) and all(pair.omit for pair in pairs)))
    return readings


def read_readings(path: Path, gold: Sequence[Gold]) -> list[Reading]:
    """Readings of a table of statements (columns statement_id, identity, attribute, omit), in the order of the gold.

    Raises:
        UserError: a column or a statement of the gold is missing.
    """
    rows: dict[str, list[dict[str, str]]] = {}
    table = read_table(path, ("statement_id", "identity", "attribute", "omit")).fill_null("")
    for row in table.iter_rows(named=True):
        rows.setdefault(row["statement_id"], []).append(row)
    missing = [item.statement_id for item in gold if item.statement_id not in rows]
    if missing:
        raise UserError(
            f"{path} has no statement_id '{missing[0]}' ({len(missing)} missing). Expected a reading of every reviewed "
            "statement."
        )
    return [
        Reading(
            tuple((row["identity"], row["attribute"]) for row in rows[item.statement_id]),
            omit=all(row["omit"].lower() == "true" for row in rows[item.statement_id]),
        )
        for item in gold
    ]


_COPULA = r"(?:are|is|were|was|tends? to be|seems? to be)"
_VERB = r"(?:ha(?:ve|s)|can(?:'t|not)?|do(?:es)?(?:n't)?|will|should|must|likes?|loves?)"
_STATEMENT = re.compile(
    r"^(?:(?:the|an?|all|most|some|many|every) )?(?P<who>.+?)\s+(?:"
    + _COPULA
    + r"\s+(?P<is>.+)|(?P<does>"
    + _VERB
    + r"\b.+))$",
    re.IGNORECASE,
)


def read_by_expression(gold: Gold, *, normalised: bool) -> Reading:
    """Who stands in front of the first usual verb, and what behind it; else the first word and the rest.

    Args:
        gold: the statement.
        normalised: with all that the rules have besides their grammar: what is reported is taken off, an answer without
            a subject is about the group of its question, and names and attributes are in the forms of our tables.
    """
    text = plain(gold.statement) if normalised else " ".join(gold.statement.split())
    match = _STATEMENT.match(text.rstrip("."))
    who, _, what = text.rstrip(".").partition(" ")
    if match:
        who, what = match["who"], match["is"] or match["does"]
    elif normalised and (group := gold.subject or gold.question.identity):
        who, what = group, text
    if normalised:
        pair = as_annotated(who, what, gold.question, gold.country, None, language="en")
        who, what = pair.identity, pair.attribute
    return Reading(((who, what),), omit=False)
