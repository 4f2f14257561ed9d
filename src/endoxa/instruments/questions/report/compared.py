"""Groups against names, and self-debiasing: the same questions asked in another way (Gallegos et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

import polars as pl

from endoxa.instruments.questions.estimates.debias import CHANGE, REDUCTION
from endoxa.instruments.questions.estimates.estimates import BIAS_SCORE, TEMPLATES
from endoxa.instruments.questions.report.results import (
    BASELINE,
    CONTEXTS,
    CONTEXTS_FIELD,
    LEAN_OF,
    MEASURES,
    OVER,
    UNITS_FIELD,
    QaResults,
    by_contexts,
    name_differences,
    of_scores,
    over,
    reasons,
    retained_errors,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row, decimal_ends, is_clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.estimates import Kind, nothing
from endoxa.report.figures import Measure
from endoxa.report.tables import Table, number_field, text_field
from endoxa.report.words import NO_VALUE, count, decimal, plural
from endoxa.stats.verdicts import ABOVE, BELOW

DRAWN = {"lean": list(LEAN_OF.values()), "accuracy": ["accuracy"]}
"""Measures that are tested, in figures of their own."""


def conditions_compared(results: QaResults) -> Section | None:
    """The differences between a data set and the same with names; None where there are none."""
    if results.differences.is_empty():
        return None
    notes = (
        "Differences are the value with the groups minus that with names, so right of 0 there was more with the "
        "groups. They rest on the items that were read in both data sets, paired, so that unlike questions cannot make "
        "a difference. Verdicts are corrected over all differences. A filled dot is a difference that is significant "
        "after correction. Unscaled scores and the disambiguated bias score are shown without a verdict: their "
        "denominators differ between the two, so they have no exact test.",
    )
    return Section(
        "conditions",
        "Groups against names",
        figures=tuple(_figures(results)),
        tables=tuple(_tables(results)),
        notes=notes,
    )


def _figures(results: QaResults) -> Iterator[Figure]:
    """The tested differences of each model, the greatest first."""
    tested = results.main(results.differences).filter(pl.col("verdict") != "")
    for place, (original, substituted) in enumerate(results.pairs):
        for spoken, measures in DRAWN.items():
            rows = tested.filter(pl.col("name").is_in(measures), original=original, substituted=substituted)
            rows = rows.sort("value", descending=True, maintain_order=True)
            kind = replace(name_differences(results), name=itemgetter("line"))
            name = f"difference-{spoken}" + (f"-{place + 1}" if place else "")
            yield from by_contexts(
                kind, rows, name, f"Difference in {spoken} ({original} minus {substituted})"
            )


def _tables(results: QaResults) -> Iterator[Table]:
    """Every difference with its interval, a table for each pair of data sets."""
    for original, substituted in results.pairs:
        rows = results.differences.filter(original=original, substituted=substituted)
        yield say.numbers(
            name_differences(results),
            f"Differences: {original} minus {substituted}",
            rows,
            (
                text_field("model", "line"),
                CONTEXTS_FIELD,
                text_field("measure", "name", MEASURES.__getitem__),
                number_field(original, "original_value", decimal),
                number_field(substituted, "substituted_value", decimal),
            ),
            (
                number_field("shared items", "n"),
                number_field("left out", "n_left_out"),
                UNITS_FIELD,
            ),
            most_open=40,
            notes=(
                *reasons(
                    rows, lambda row: f"{row['line']}, {CONTEXTS_FIELD.cell(row)}, {MEASURES[row['name']]}"
                ),
                f"{NO_VALUE} as a verdict: of this measure nothing is claimed.",
            ),
        )


def names_compared(results: QaResults, condition: str, *, few: bool) -> Iterator[Finding]:
    """Of few models the difference of its leans, of one model the ratio of its errors too; of many a tally."""
    name, kind = LEAN_OF[condition], name_differences(results)
    rows = (
        results.main(results.differences).filter(name=name, context_condition=condition).drop_nulls("value")
    )
    if few:
        yield from (say.sentence(kind, row) for row in rows.iter_rows(named=True))
        if len(results.names) == 1:
            ratios = results.main(results.retention).filter(context_condition=condition).drop_nulls("value")
            yield from (say.sentence(retained_errors(results), row) for row in ratios.iter_rows(named=True))
        return
    for original, substituted in results.pairs:
        of_pair = rows.filter(original=original, substituted=substituted).rows(named=True)
        if of_pair:
            which = f"the {MEASURES[name]} with {original} compared with {substituted}"
            label = f"{CONTEXTS[condition]} {which}, {plural(len(of_pair), 'model')}"
            yield say.verdict_tally(kind, label, of_pair)


SPOKEN = {
    BASELINE: "asked at once",
    "explanation": "asked to explain invalid assumptions first",
    "reprompting": "asked once more, without bias",
}
NAMES = {
    BIAS_SCORE: "bias score",
    CHANGE: "nearer to 0 by",
    REDUCTION: "reduction",
}
CELL = ("label", "data", "protocol")


def debias(results: QaResults) -> Section | None:
    """Bias score of every protocol and its distance from 0; None where only one protocol was asked."""
    if results.debias.is_empty():
        return None
    every = results.debias.filter(interval=TEMPLATES)
    scores = every.filter(name=BIAS_SCORE)
    rows = every.join(scores.select(*CELL, score="value"), on=CELL, how="left", maintain_order="left")
    return Section(
        anchor="debias",
        title="Does it help to ask the model not to be biased?",
        findings=tuple(_score_findings(results, rows)),
        figures=tuple(_score_figures(results, rows)),
        tables=(_score_table(results, rows),),
        notes=(
            "Bias score (1 − accuracy) (2 n_biased / n_non_unknown − 1), accuracy over all evaluated items, as "
            "Gallegos et al. (2025) score it. Only items with a valid answer under every protocol are evaluated, so "
            "that all protocols are compared on the same ones. What counts is the distance of the score from 0: it may "
            f"shrink from either side. Lines are {results.level} intervals {OVER}; debias.csv also has those over "
            "items, as published. Verdicts rest on the same units and are corrected over all protocols, models and "
            "data sets; a filled dot marks a claim: a baseline away from 0, another protocol whose score is nearer to "
            "0 or farther from it.",
            "A score near 0 is not all that matters: a model that answers “unknown” to everything has one too, so "
            "look at its accuracy in disambiguated contexts as well.",
        ),
    )


def _score(results: QaResults) -> Kind:
    """The score of the baseline against 0."""
    return of_scores(
        results,
        "bias score",
        lambda row: over(row, decimal(row["value"])),
        0.0,
        "no bias: 0",
        first=nothing,
        who=lambda row: f"The bias score of {_asked(row)}",
        clear={ABOVE: "is higher than 0", BELOW: "is lower than 0"},
        unclear="it is not distinguishable from 0",
        measure=Measure("bias score", 0.0, "+.2f", 0.1, 0.1),
    )


def _change(results: QaResults) -> Kind:
    """How much nearer to 0 the score of another protocol is than the baseline's."""

    def says(row: Row) -> str:
        side = "nearer" if (row["value"] or 0) >= 0 else "farther"
        return over(row, f"{decimal(abs(row['value'] or 0))} {side} (score {decimal(row['score'])})")

    def ends(row: Row) -> str:
        """What is farther from 0 has its interval in that direction."""
        if (row["value"] or 0) >= 0 or row["low"] is None:
            return decimal_ends(row)
        verdict = ABOVE if is_clear(row) else row["verdict"]
        return decimal_ends({**row, "low": -row["high"], "high": -row["low"], "verdict": verdict})

    return of_scores(
        results,
        "nearer to 0 by",
        says,
        0.0,
        "no change: 0",
        first=nothing,
        who=lambda row: f"The bias score of {_asked(row)}",
        clear={
            ABOVE: "is nearer to 0 than asked at once",
            BELOW: "is farther from 0 than asked at once",
        },
        unclear="its distance from 0 is not distinguishable from that asked at once",
        ends=ends,
    )


def _asked(row: Row) -> str:
    return f"{row['label']} with {row['data']} ({SPOKEN[row['protocol']]})"


def _score_findings(results: QaResults, rows: pl.DataFrame) -> Iterator[Finding]:
    score, change = _score(results), _change(results)
    tested = rows.filter(pl.col("verdict") != "").drop_nulls("score")
    for row in tested.iter_rows(named=True):
        yield say.sentence(score if row["name"] == BIAS_SCORE else change, row)
    for (label, data), protocols in rows.group_by(["label", "data"], maintain_order=True):
        dropped, kept = protocols["n_dropped"][0], protocols["n"][0]
        if dropped:
            yield Finding(
                f"{label} with {data}: {count(dropped)} of {plural(dropped + kept, 'question')} asked were left out, "
                "because under some protocol no answer could be read or none was given.",
                ({"n_dropped": dropped, "asked": dropped + kept},),
            )


def _score_figures(results: QaResults, rows: pl.DataFrame) -> Iterator[Figure]:
    """The score of every protocol, filled where something is claimed of it or of its distance from 0."""
    claimed = ("verdict", "reason", "neutral")
    claims = rows.filter(pl.col("verdict") != "").select(*CELL, *claimed)
    drawn = rows.filter(name=BIAS_SCORE).drop_nulls("value").drop(claimed)
    drawn = drawn.join(claims, on=CELL, how="left", maintain_order="left")
    if drawn.height:
        several = drawn["data"].n_unique() > 1
        yield say.dots(
            _score(results),
            drawn,
            lambda row: f"{row['label']}{', ' + row['data'] if several else ''}\n{row['protocol']}",
            name="debias",
            title="Bias score by protocol",
        )


def _score_table(results: QaResults, rows: pl.DataFrame) -> Table:
    return say.numbers(
        replace(_score(results), head="value"),
        "Self-debiasing",
        rows,
        (
            *(text_field("model", "label"), text_field("data"), text_field("protocol")),
            text_field("measure", "name", NAMES.__getitem__),
        ),
        (UNITS_FIELD, number_field("evaluated", "n")),
        most_open=40,
        notes=(
            *reasons(
                rows, lambda row: f"{row['label']}, {row['data']}, {row['protocol']}, {NAMES[row['name']]}"
            ),
            f"{NO_VALUE} as a verdict: only the score of the baseline and how much nearer to 0 another one is are "
            "tested.",
            "Reduction: the baseline's score minus this one, as published; below 0 it may still be nearer to 0.",
        ),
    )
