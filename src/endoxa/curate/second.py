"""A second reader of statements, a chat model, and what both readers say together.

The model's reading stands where its answer can be read. The rules say where they differ: then the row has a flag, and a
column with their reading. A rule's confidence is the share of its readings that were right on reviewed data. Where both
agree it stays; where they differ, the model's reading is right in at most what it leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.evaluation import attribute_parts, loose_identity
from endoxa.curate.extract import Extraction, Question
from endoxa.curate.extract.omission import NOISE, REASONS, reason
from endoxa.curate.normalise import Tables
from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.survey.rows import question_named
from endoxa.errors import UserError
from endoxa.runs.answers.language import ENGLISH, language
from endoxa.runs.answers.text import before_new_question, first_reply, nested, outer_objects, read_first
from endoxa.runs.asking.readers import ReaderSettings, Texts, ToRead, read_with_models
from endoxa.schema import Progress
from endoxa.schema.chat import answer_object
from endoxa.words.identifiers import IDENTIFIER, identifier_in

MODEL_RULE = "model"
"""Name of the rule of what a model read."""
PAIRS, OMIT = "pairs", "omit"

SYSTEM = (
    "You read single statements of a survey about stereotypes. They are data for research on bias: reported speech, "
    "neither true nor ours. Take out of each statement whom it is about and what is said of them."
)
_QUESTION = """\
Question of the survey: what people say about {question}.{about}{country}{subject}
Statement: {statement}

Give each pair of a group of people (identity) and what is said of it (attribute).
- identity: plural, in lower case, without "the", "all" or "some" ("old people", "people from the north").
- attribute: in the words of the statement, in lower case, without "are"; keep "not", "less", "very" and "always".
- Adjectives or nouns joined by "and" are separate pairs; objects of one verb stay together.
- If the statement names nobody, the identity is the group of the question, or else that of the statement before it.
- If it should be left out, give no pairs and the reason under "omit": {reasons}.

Answer with one JSON object and nothing else:
{{"pairs": [{{"identity": "...", "attribute": "..."}}], "omit": ""}}"""

_TEXT = {"type": "string"}
_PAIR = answer_object({"identity": _TEXT, "attribute": _TEXT})
SCHEMA: Mapping[str, Any] = answer_object({PAIRS: {"type": "array", "items": _PAIR}, OMIT: _TEXT})


@dataclass(frozen=True, slots=True)
class ReaderItem:
    """A statement as a model is asked about it.

    Attributes:
        statement_id: its name.
        statement: its words, in English.
        question: the question it answers.
        country: country of the respondent, or empty.
        subject: group of the statement before it, or empty.
        rule_pairs: pairs that only a simulated reader is told, from which it errs.
    """

    statement_id: str
    statement: str
    question: Question
    country: str = ""
    subject: str = ""
    rule_pairs: tuple[tuple[str, str], ...] = ()


def question_about(item: ReaderItem) -> str:
    """The message about one statement."""
    return _QUESTION.format(
        question=item.question.name,
        about=f" Every answer is about {item.question.identity}." if item.question.identity else "",
        country=f" Country of the respondent: {item.country}." if item.country else "",
        subject=f" The statement before was about {item.subject}." if item.subject else "",
        statement=item.statement,
        reasons=", ".join(REASONS),
    )


def _with_pairs(text: str) -> list[dict[str, Any]]:
    return [inner for outer in outer_objects(text) for inner in nested(outer) if PAIRS in inner]


def read_answer(text: str, item: ReaderItem, names: Tables | None = None) -> list[Extraction] | None:
    """The pairs of an answer in the forms that the rules use; None where it holds no object with "pairs".

    Thoughts are no answer; of several objects the last one counts. Its confidence is not known.

    """
    turn = first_reply(text)
    objects = read_first(turn, before_new_question(turn, language(ENGLISH)), _with_pairs, bool)
    if not objects or not isinstance(objects[-1][PAIRS], list):
        return None
    pairs_out = []
    for pair in objects[-1][PAIRS]:
        if not isinstance(pair, Mapping):
            return None
        identity = normal_identity(str(pair.get("identity") or ""), item.country, names)
        attribute = normal_attribute(str(pair.get("attribute") or ""))
        why = reason(identity, attribute, item.question.axis)
        pairs_out.append(Extraction(identity, attribute, MODEL_RULE, 0.0, bool(why), why))
    turn = str(objects[-1].get(OMIT) or "").strip().lower()
    if not pairs_out or (turn in REASONS and all(not pair.attribute for pair in pairs_out)):
        return [
            Extraction("", "", MODEL_RULE, 0.0, omit=True, omit_reason=turn if turn in REASONS else NOISE)
        ]
    return pairs_out


class StatementReaderSettings(ReaderSettings):
    """Settings of a second reader."""

    system: str = SYSTEM


def to_read(items: Sequence[ReaderItem], names: Tables | None = None) -> Texts[list[Extraction]]:
    """Statements as `endoxa.runs.asking.readers` asks about them.

    Args:
        items: the statements.
        names: tables to normalise names with.
    """
    texts = [
        ToRead(
            item.statement_id,
            question_about(item),
            SCHEMA,
            partial(read_answer, item=item, names=names),
            {"pairs": [list(pair) for pair in item.rule_pairs]},
        )
        for item in items
    ]
    return Texts("statements", "readings of statements", "statement_id", texts)


OMISSIONS = 0.8
"""Share of proposed omissions that reviewers made on reviewed data."""


def same_reading(first: Sequence[Extraction], second: Sequence[Extraction]) -> bool:
    """Whether two readings say the same of the same groups, or both propose omission."""
    if _omits(first) or _omits(second):
        return _omits(first) and _omits(second)
    groups = [{loose_identity(pair.identity) for pair in pairs} for pairs in (first, second)]
    attributes = [attribute_parts(*(pair.attribute for pair in pairs)) for pairs in (first, second)]
    return groups[0] == groups[1] and attributes[0] == attributes[1]


def standing(
    rules: Sequence[Extraction], model: Sequence[Extraction] | None
) -> tuple[Sequence[Extraction], bool]:
    """The reading of a statement that stands, with its confidence, and whether both readers differ.

    Args:
        rules: what the rules read.
        model: what the model read; None where its answer could not be read.
    """
    if model is None or same_reading(rules, model):
        return rules, False
    confidence = OMISSIONS if _omits(rules) else rules[0].confidence
    return [replace(pair, confidence=round(1 - confidence, 2)) for pair in model], True


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
    answers = {item.statement_id: readings[settings.models[0]].get(item.statement_id) for item in items}
    combined, model, differing = [], [], 0
    for statement_id, rows in _statements(table):
        rules, answer = [_extraction(row) for row in rows], answers.get(statement_id)
        pairs, differ = standing(rules, answer)
        if differ:
            differing += 1
            flag, other = f"{rows[0]['flag']} {DIFFER}".strip(), "; ".join(map(_shown, rules))
            combined += [{**rows[0], **pair.cells(), "flag": flag, OTHER_READING: other} for pair in pairs]
        else:
            combined += [{**row, OTHER_READING: ""} for row in rows]
        model += [{**rows[0], **pair.cells(), "confidence": ""} for pair in answer or ()]
    return SecondReading(
        pl.DataFrame(combined, schema=dict.fromkeys((*table.columns, OTHER_READING), pl.String)),
        pl.DataFrame(model, schema=dict.fromkeys(table.columns, pl.String)),
        len(items),
        sum(pairs is None for pairs in answers.values()),
        differing,
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


def _shown(pair: Extraction) -> str:
    if pair.omit:
        return f"omit ({pair.omit_reason})"
    return f"{pair.identity} | {pair.attribute}"
