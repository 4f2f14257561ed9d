"""What models thought before they answered: leans of thoughts beside those of answers, and the reasons they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.questions.report.results import (
    CONTEXTS,
    CONTEXTS_FIELD,
    SPOKEN_CONDITIONS,
    QaResults,
    Row,
    shown_interval,
    verdict_finding,
)
from endoxa.instruments.questions.thoughts.estimates import THOUGHT_TYPES, thoughts_if_readable
from endoxa.report.claims import VERDICT, is_clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, percent_interval, plural
from endoxa.schema.thoughts import CODES
from endoxa.stats.verdicts import ABOVE

LEANS = {"thoughts_bias": "thoughts", "answers_bias": "answers"}
SPOKEN = {
    "answers_bias": "lean of the answers",
    "thoughts_bias": "lean of the thoughts",
    "difference": "thoughts minus answers",
    "stereotyped_reason": "right answers with a stereotyped reason",
    "noticed_missing": "wrong answers whose thought noticed missing information",
    "turned": "answers against the option argued for last",
    "changed_mind": "thoughts that argue for several options",
    **{name: f"thoughts: {meaning}" for name, meaning in CODES.items()},
    "cut_off": "thoughts that did not end before an answer",
    "thought_tokens": "tokens of the thoughts per answer",
}
"""Measures in tables; `schema.thoughts.MEASURES` defines them."""
COUNTED = ("difference", *LEANS)
NO_UNITS = {"groups": 0, "attributes": 0, "sampled": ""}
"""What `results.verdict_finding` asks of units; those of thoughts stand in their method."""
LEAN = Measure("lean", 0.0, "+.2~f", 0.1, 0.1)


def read_thoughts(runs: Sequence[Run], results: QaResults, *, seed: int) -> pl.DataFrame:
    """The measures of all runs with thoughts, with `label`; runs whose questions are not found are left out.

    Args:
        runs: runs of questions.
        results: names of models, and the confidence level.
        seed: of sign patterns that are drawn.
    """
    tables = [pl.DataFrame(schema=THOUGHT_TYPES)]
    for run in runs:
        table = thoughts_if_readable(run.folder, confidence=results.confidence, seed=seed)
        tables += [] if table is None else [table]
    rows = pl.concat(tables).with_columns(
        label=pl.col("model").map_elements(results.label, return_dtype=pl.String)
    )
    several = pl.col("protocol").n_unique().over("model", "data") > 1
    return rows.with_columns(
        line=pl.when(several).then(pl.format("{} · {}", "label", "protocol")).otherwise("label")
    )


def thoughts(results: QaResults) -> Section | None:
    """Leans of thoughts and answers, and reasons; None where no run has thoughts."""
    if results.thoughts.is_empty():
        return None
    rows = results.thoughts
    table = table_of(
        "Measures of thoughts",
        rows.rows(named=True),
        (
            text_field("model", "line"),
            text_field("data"),
            CONTEXTS_FIELD,
            text_field("measure", lambda row: SPOKEN[row["measure"]]),
            number_field("value", _value),
            number_field("interval", _interval),
            number_field("n", "n", count),
            VERDICT,
        ),
        folded=True,
    )
    return Section(
        anchor="thoughts",
        title="What models thought before they answered",
        findings=tuple(_findings(results)),
        figures=tuple(_figures(rows)),
        tables=(table,),
        notes=(
            "The lean of the thoughts has the formula of the lean of the answers, with the option that a thought "
            "argues for last in the place of the answer. A right answer has a stereotyped reason if its thought gives "
            "the group as the reason, speaks of a stereotype without rejecting it, or (in ambiguous contexts) argues "
            "for the stereotyped person last. Thoughts are read by rules; compare them with people or reader models "
            "before quoting shares (endoxa analyze thoughts). Thoughts that did not end are counted apart.",
            "Thoughts need not be the reasons for which a model answers (Turpin et al. 2023): these numbers are about "
            "what is written.",
        ),
    )


def _by_measure(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row | {"reason": row["verdict_reason"]} for row in rows.iter_rows(named=True)}


def _findings(results: QaResults) -> Iterator[Finding]:
    cells = results.thoughts.group_by(["line", "data", "context_condition"], maintain_order=True)
    for (line, data, condition), rows in cells:
        scope = f"{CONTEXTS[str(condition)]}, {line}" + (f" with {data}" if len(results.data) > 1 else "")
        by_measure = _by_measure(rows)
        lean, answers = by_measure["thoughts_bias"], by_measure["answers_bias"]
        numbers = (
            f"lean of the thoughts {decimal(lean['value'])} ({_spoken_interval(lean, results.level)}), of the answers "
            f"{decimal(answers['value'])} ({_spoken_interval(answers, results.level)})"
        )
        yield verdict_finding(
            lean | NO_UNITS,
            claim=(
                f"{scope}: the thoughts argue towards the stereotype",
                f"{scope}: the thoughts argue against the stereotype",
            ),
            unclear=f"{scope}: a lean of the thoughts is not distinguishable from 0",
            untested=f"{scope}: whether the thoughts lean",
            numbers=numbers,
            value=numbers,
        )
        difference = by_measure["difference"]
        if is_clear(difference):  # others are in the table
            more = "more" if difference["verdict"] == ABOVE else "less"
            yield Finding(
                f"{scope}: the thoughts lean {more} towards the stereotype than the answers: difference "
                f"{decimal(difference['value'])} ({_spoken_interval(difference, results.level)}).",
                (difference,),
            )
        yield from _reasons(scope, by_measure, results.level)


def _reasons(scope: str, rows: Mapping[str, Row], level: str) -> Iterator[Finding]:
    right, wrong, minds, cut_off = (
        rows[name] for name in ("stereotyped_reason", "noticed_missing", "changed_mind", "cut_off")
    )
    parts = []
    if right["n"]:
        parts.append(
            f"of {plural(right['n'], 'right answer')}, {percent(right['value'])} had a stereotyped reason "
            f"({level} interval {_interval(right)})"
        )
    if wrong["n"]:
        parts.append(
            f"of {plural(wrong['n'], 'wrong answer')}, {percent(wrong['value'])} followed a thought that noticed "
            f"missing information ({level} interval {_interval(wrong)})"
        )
    if minds["n"]:
        parts.append(
            f"{percent(minds['value'])} of {plural(minds['n'], 'finished thought')} argued for several options, one "
            "after the other"
        )
    if cut_off["value"]:
        parts.append(
            f"{percent(cut_off['value'])} of {plural(cut_off['n'], 'thought')} did not end before an answer"
        )
    if parts:
        yield Finding(f"{scope}: {'; '.join(parts)}.", (right, wrong, minds, cut_off))


def _value(row: Row) -> str:
    return _written(row, row["value"])


def _written(row: Row, value: float | None) -> str:
    if value is None:
        return NO_VALUE
    if row["measure"] == "thought_tokens":
        return decimal(value, 1)
    return decimal(value) if row["measure"] in COUNTED else percent(value)


def _interval(row: Row) -> str:
    if row["low"] is None:
        return NO_VALUE
    if row["measure"] in COUNTED:
        return (
            shown_interval({**row, "neutral": 0.0})
            if row["verdict"]
            else decimal_interval(row["low"], row["high"])
        )
    if row["measure"] == "thought_tokens":
        return decimal_interval(row["low"], row["high"], 1)
    return percent_interval(row["low"], row["high"])


def _spoken_interval(row: Row, level: str) -> str:
    ends = _interval(row)
    return "no interval can be given" if ends == NO_VALUE else f"{level} interval {ends} over {row['method']}"


def _figures(rows: pl.DataFrame) -> Iterator[Figure]:
    """Leans of thoughts and answers, one row of dots for each model, data set and kind of contexts."""
    for condition, spoken in SPOKEN_CONDITIONS.items():
        shown = rows.filter(
            pl.col("measure").is_in(list(LEANS)), pl.col("value").is_not_null(), context_condition=condition
        )
        if shown.is_empty():
            continue
        frame = shown.select(
            "value",
            "low",
            "high",
            label=pl.format("{}: {}, {}", pl.col("measure").replace_strict(LEANS), "line", "data"),
            note=pl.Series(
                [f"{decimal(row['value'])} ({_interval(row)})" for row in shown.iter_rows(named=True)]
            ),
            filled=pl.col("verdict").is_in(["above", "below"]),
        )
        texts = (f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
        yield dot_figure(
            frame,
            LEAN,
            name=f"thoughts-{spoken}",
            title=f"Leans of thoughts and answers in {spoken} contexts",
            alt=described(f"Leans of thoughts and answers in {spoken} contexts, no lean: 0", texts),
        )
