"""What models thought before they answered: leans of thoughts beside those of answers, and the reasons they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from endoxa.instruments.questions.report.kinds import of_scores
from endoxa.instruments.questions.report.results import CONTEXTS, CONTEXTS_FIELD, QaResults
from endoxa.instruments.questions.thoughts.estimates import THOUGHT_TYPES, thoughts_if_readable
from endoxa.report import estimates as say
from endoxa.report.claims import VERDICT, Row, decimal_ends, is_clear
from endoxa.report.document import Finding, Section
from endoxa.report.estimates import Kind, nothing
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, percent_interval, plural
from endoxa.schema.thoughts import CODES
from endoxa.stats.verdicts import ABOVE, BELOW

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
COUNTED = ("difference", "thoughts_bias", "answers_bias")


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
        label=pl.col("model").map_elements(results.label, return_dtype=pl.String), reason="verdict_reason"
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
            number_field("value", lambda row: _written(row, row["value"])),
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
        tables=(table,),
        notes=(
            "The lean of the thoughts has the formula of the lean of the answers, with the option that a thought "
            "argues for last in the place of the answer. A right answer has a stereotyped reason if its thought gives "
            "the group as the reason, speaks of a stereotype without rejecting it, or (in ambiguous contexts) argues "
            "for the stereotyped person last. Thoughts are read by rules; compare them with people or reader models "
            "before quoting shares (endoxa analyze run). Thoughts that did not end are counted apart.",
            "Thoughts need not be the reasons for which a model answers (Turpin et al. 2023): these numbers are about "
            "what is written.",
        ),
    )


def _lean(results: QaResults, answers: Mapping[tuple[str, ...], Row]) -> Kind:
    """The lean of the thoughts, with that of the answers behind it."""

    def beside(row: Row) -> str:
        other = answers[_cell(row)]
        return f" The answers lean {decimal(other['value'])} ({results.level} interval {_interval(other)})."

    return of_scores(
        results,
        "lean",
        lambda row: "" if row["value"] is None else f"{decimal(row['value'])} over {row['method']}",
        0.0,
        "no lean: 0",
        who=lambda row: f"the thoughts of {row['line']} with {row['data']}",
        clear={ABOVE: "lean towards the stereotype", BELOW: "lean against the stereotype"},
        unclear="a lean is not distinguishable from 0",
        after=beside,
        unsure=nothing,
    )


def _cell(row: Row) -> tuple[str, ...]:
    return row["line"], row["data"], row["context_condition"]


def _findings(results: QaResults) -> Iterator[Finding]:
    of_answers = results.thoughts.filter(measure="answers_bias").rows(named=True)
    kind = _lean(results, {_cell(row): row for row in of_answers})
    cells = results.thoughts.group_by(["line", "data", "context_condition"], maintain_order=True)
    for (line, data, condition), rows in cells:
        by_measure = {row["measure"]: row for row in rows.iter_rows(named=True)}
        yield say.sentence(kind, by_measure["thoughts_bias"])
        scope = f"{CONTEXTS[str(condition)]}, {line}" + (f" with {data}" if len(results.data) > 1 else "")
        difference = by_measure["difference"]
        if is_clear(difference):  # others are in the table
            more = "more" if difference["verdict"] == ABOVE else "less"
            yield Finding(
                f"{scope}: the thoughts lean {more} towards the stereotype than the answers: difference "
                f"{decimal(difference['value'])} ({results.level} interval {_interval(difference)}).",
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


def _written(row: Row, value: float | None) -> str:
    if row["measure"] == "thought_tokens":
        return decimal(value, 1)
    return decimal(value) if value is None or row["measure"] in COUNTED else percent(value)


def _interval(row: Row) -> str:
    if row["low"] is None:
        return NO_VALUE
    if row["measure"] in COUNTED:
        return decimal_ends(row)
    if row["measure"] == "thought_tokens":
        return decimal_interval(row["low"], row["high"], 1)
    return percent_interval(row["low"], row["high"])
