"""What models thought before they answered: leans of thoughts beside those of answers, and the reasons they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from endoxa.instruments.questions.report.results import CONTEXTS, QaResults, of_scores
from endoxa.instruments.questions.thoughts.estimates import THOUGHT_TYPES, thoughts_of_run
from endoxa.report import estimates as say
from endoxa.report.claims import Row, decimal_ends, is_clear
from endoxa.report.document import Finding, Section
from endoxa.report.estimates import Kind, nothing
from endoxa.report.inputs import Run
from endoxa.report.words import decimal, percent, percent_interval, plural
from endoxa.stats.verdicts import ABOVE, BELOW


def read_thoughts(runs: Sequence[Run], results: QaResults, *, seed: int) -> pl.DataFrame:
    """The measures of all runs with thoughts, with `label`; runs whose questions are not found are left out.

    Args:
        runs: runs of questions.
        results: names of models, and the confidence level.
        seed: of sign patterns that are drawn.
    """
    tables = [pl.DataFrame(schema=THOUGHT_TYPES)]
    for run in runs:
        table = thoughts_of_run(run.folder, confidence=results.confidence, seed=seed)
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
    return Section(
        anchor="thoughts",
        title="What models thought before they answered",
        findings=tuple(_findings(results)),
        notes=(
            "The lean of the thoughts has the formula of the lean of the answers, with the option that a thought "
            "argues for last in the place of the answer. A right answer has a stereotyped reason if its thought gives "
            "the group as the reason, speaks of a stereotype without rejecting it, or (in ambiguous contexts) argues "
            "for the stereotyped person last. Thoughts are read by rules; compare them with people or reader models "
            "before quoting shares (endoxa analyze run). Thoughts that did not end are counted apart. All "
            "measures are in thoughts.csv of each run folder.",
            "Thoughts need not be the reasons for which a model answers (Turpin et al. 2023): these numbers are about "
            "what is written.",
        ),
    )


def _lean(results: QaResults, answers: Mapping[tuple[str, ...], Row]) -> Kind:
    """The lean of the thoughts, with that of the answers behind it."""

    def beside(row: Row) -> str:
        other = answers[_cell(row)]
        return (
            f" The answers lean {decimal(other['value'])} ({results.level} interval {decimal_ends(other)})."
        )

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
        if is_clear(difference):  # others are in thoughts.csv
            more = "more" if difference["verdict"] == ABOVE else "less"
            yield Finding(
                f"{scope}: the thoughts lean {more} towards the stereotype than the answers: difference "
                f"{decimal(difference['value'])} ({results.level} interval {decimal_ends(difference)}).",
                (difference,),
            )
        yield from _reasons(scope, by_measure, results.level)


def _reasons(scope: str, rows: Mapping[str, Row], level: str) -> Iterator[Finding]:
    """What is said of the thoughts besides their lean, in parts that there is something to count for."""
    phrase = {
        "stereotyped_reason": ("right answer", "of {n}, {value} had a stereotyped reason ({ends})"),
        "noticed_missing": (
            "wrong answer",
            "of {n}, {value} followed a thought that noticed missing information ({ends})",
        ),
        "changed_mind": (
            "finished thought",
            "{value} of {n} argued for several options, one after the other",
        ),
        "cut_off": ("thought", "{value} of {n} did not end before an answer"),
    }
    used = [rows[name] for name in phrase if rows[name]["n"] and (rows[name]["value"] or name != "cut_off")]
    parts = []
    for row in used:
        noun, text = phrase[row["measure"]]
        ends = f"{level} interval {percent_interval(row['low'], row['high'])}"
        parts.append(text.format(n=plural(row["n"], noun), value=percent(row["value"]), ends=ends))
    if used:
        yield Finding(f"{scope}: {'; '.join(parts)}.", tuple(used))
