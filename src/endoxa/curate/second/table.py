"""A second reading of a table of statements: asked, compared, and written with the same columns.

Two readers of the same statements compared row by row.

Where they agree, the reading is more likely right than either alone; where they differ, one reading stands until people
decide, and the row says what the other one read.

Nobody knows the truth of a new survey, so reliability is estimated from agreement (Dawid and Skene 1979, reduced to two
readers). A rule's confidence is the share of its readings that were right on reviewed data. If wrong readings rarely
coincide, the readers agree where both are right: the accuracy of the model is about its agreement divided by the mean
confidence of the rules, for pairs and for omissions apart, and the accuracy of each rule is its agreement divided by
that of the model, shrunk to its confidence by `PRIOR` rows. Where they differ, a second piece of evidence is how well a
reading fits the words: a right one accounts for most words of the statement and adds none (`fit`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp, log
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

PRIOR = 20.0
"""Rows that a rule's confidence on reviewed data counts for."""
COINCIDENCE = 0.1
"""Chance that two wrong readings are the same one; a guess, it matters little."""
OMISSIONS = 0.8
"""Share of proposed omissions that reviewers made on reviewed data."""
FIT = 4.0
"""Weight of the fit in the log-odds of a reading; chosen by reason, not fitted: a reading of half the words loses."""
_LEAST, _MOST = 0.05, 0.99
_UNNAMED = frozenset({"question", "inherited", "pronoun"})
"""Rules that read a statement whose group is not named in it."""


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
    statements: Sequence[str],
    rules: Sequence[Sequence[Extraction]],
    model: Sequence[Sequence[Extraction] | None],
    *,
    model_first: bool = False,
) -> list[Combined]:
    """The reading that stands for each statement.

    Args:
        statements: the words.
        rules: what the rules read, in the order of the statements.
        model: what the model read; None where its answer could not be read.
        model_first: where they differ, the model's reading stands, not the likelier one. The rules' confidence comes
            from one survey; of other people they can be far less right than they claim.
    """
    agreed = [
        second is not None and same_reading(first, second) for first, second in zip(rules, model, strict=True)
    ]
    by_rule, by_kind = _accuracies(rules, model, agreed)
    combined = []
    for statement, first, second, same in zip(statements, rules, model, agreed, strict=True):
        if second is None:
            combined.append(Combined(tuple(first), None))
            continue
        rule_odds, kind_odds = by_rule[_rule(first)], by_kind[_omits(second)]
        if same:
            odds = rule_odds * kind_odds
            sure = odds / (odds + COINCIDENCE * (1 - rule_odds) * (1 - kind_odds))
            combined.append(
                Combined(
                    _sure(
                        second
                        if kind_odds > rule_odds and not (len(first) == len(second) or _omits(first))
                        else first,
                        sure,
                    ),
                    None,
                )
            )
        else:
            accuracy = (rule_odds, kind_odds)
            combined.append(_differing(statement, (first, second), accuracy, model_first=model_first))
    return combined


def _differing(
    statement: str,
    readings: tuple[Sequence[Extraction], Sequence[Extraction]],
    accuracy: tuple[float, float],
    *,
    model_first: bool,
) -> Combined:
    """The model's reading, or the one likelier right by its reader's accuracy and its fit; the rules' where alike."""
    rule_pairs, model_pairs = (
        log(right / (1 - right)) + FIT * fit(statement, pairs)
        for pairs, right in zip(readings, accuracy, strict=True)
    )
    share = 1 / (1 + exp(model_pairs - rule_pairs))
    neither = (1 - accuracy[0]) * (1 - accuracy[1])
    first, second = readings
    if model_first or model_pairs > rule_pairs:
        return Combined(_sure(second, (1 - share) * (1 - neither)), tuple(first))
    return Combined(_sure(first, share * (1 - neither)), tuple(second))


def fit(statement: str, pairs: Sequence[Extraction]) -> float:
    """F1 of the words of a reading and those of the statement, empty words aside; 0.5 for an omission.

    A group that the statement need not name (that of the question, or inherited) costs nothing.
    """
    if _omits(pairs):
        return 0.5
    words = _words(statement)
    named = frozenset().union(*(_words(pair.identity) for pair in pairs))
    attributes = frozenset().union(*(_words(pair.attribute) for pair in pairs))
    read = attributes | (named & words if any(pair.rule in _UNNAMED for pair in pairs) else named)
    shared = len(words & read)
    return 2 * shared / (len(words) + len(read)) if shared else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(word for part in attribute_parts(text) for word in part)


def _sure(pairs: Sequence[Extraction], confidence: float) -> tuple[Extraction, ...]:
    return tuple(replace(pair, confidence=min(round(confidence, 2), _MOST)) for pair in pairs)


def _omits(pairs: Sequence[Extraction]) -> bool:
    return all(pair.omit for pair in pairs)


def _rule(pairs: Sequence[Extraction]) -> str:
    return "omission" if _omits(pairs) else pairs[0].rule


def _prior(pairs: Sequence[Extraction]) -> float:
    return OMISSIONS if _omits(pairs) else pairs[0].confidence


def _accuracies(
    rules: Sequence[Sequence[Extraction]],
    model: Sequence[Sequence[Extraction] | None],
    agreed: Sequence[bool],
) -> tuple[Mapping[str, float], Mapping[bool, float]]:
    """Accuracy of each rule, and of the model where it does not or does propose omission."""
    by_kind = {}
    for kind in (False, True):
        omitted_places = [
            place for place, second in enumerate(model) if second is not None and _omits(second) == kind
        ]
        confidence = sum(_prior(rules[place]) for place in omitted_places)
        by_kind[kind] = _bounded(
            sum(agreed[place] for place in omitted_places) / confidence if omitted_places else 0.0
        )
    places: dict[str, list[int]] = defaultdict(list)
    for place, first in enumerate(rules):
        places[_rule(first)].append(place)
    by_rule = {}
    for rule, omitted_places in places.items():
        prior = sum(_prior(rules[place]) for place in omitted_places) / len(omitted_places)
        seen = [second for place in omitted_places if (second := model[place]) is not None]
        right = sum(agreed[place] for place in omitted_places) / max(
            (sum(by_kind[_omits(second)] for second in seen) / len(seen)) if seen else 1.0, _LEAST
        )
        by_rule[rule] = _bounded((PRIOR * prior + right) / (PRIOR + len(seen)))
    return by_rule, by_kind


def _bounded(share: float) -> float:
    return min(max(share, _LEAST), _MOST)


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
    model_first: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> SecondReading:
    """Ask a model about every statement of a table, and compare its readings with those of the table.

    Args: see `endoxa.runs.asking.readers.read_with_models` and `combine`; `table` is one of
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
    both = combine([item.statement for item in items], rules, answers, model_first=model_first)
    by_id = {item.statement_id: result for item, result in zip(items, both, strict=True)}
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
        sum(result.other is not None for result in both),
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
