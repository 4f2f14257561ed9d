"""Self-debiasing: the same questions asked at once, after an explanation, and once more (Gallegos et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.instruments.questions.estimates.estimates import ITEMS, TEMPLATES
from endoxa.instruments.questions.headline import units_of
from endoxa.instruments.questions.report.results import (
    BASELINE,
    OVER,
    P_FIELD,
    QaResults,
    evidence,
    missing,
    spoken_interval,
    verdict_finding,
    written,
)
from endoxa.report.claims import VERDICT, is_clear, marked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.tables import Cell, Field, Table, number_field, table_of, text_field
from endoxa.report.words import (
    NO_VALUE,
    count,
    decimal,
    decimal_interval,
    percent,
    percent_interval,
    plural,
)
from endoxa.runs.families import beside_a_test
from endoxa.stats.verdicts import ABOVE

SPOKEN = {
    BASELINE: "asked at once",
    "explanation": "asked to explain invalid assumptions first",
    "reprompting": "asked once more, without bias",
}
CELL = ("label", "data", "protocol")
SCORE = ("bias_score", "bias_score_low", "bias_score_high")
CHANGE = ("distance_change", "distance_change_low", "distance_change_high")
COUNTS = {
    "evaluated": "n_evaluated",
    "dropped": "n_dropped",
    "unread": "n_unread",
    "right": "n_correct",
    "naming a person": "n_non_unknown",
    "stereotyped": "n_biased",
}


def debias(results: QaResults) -> Section | None:
    """Bias score of every protocol and its distance from 0; None where only one protocol was asked."""
    if results.debias.is_empty():
        return None
    tested = results.debias.filter(interval=TEMPLATES).select(*CELL, tested="verdict")
    rows = results.debias.join(tested, on=CELL, how="left", maintain_order="left").with_columns(
        end.fill_nan(None)
        for end in beside_a_test(
            *(name for name in results.debias.columns if name.endswith(("_low", "_high"))), verdict="tested"
        )
    )
    return Section(
        anchor="debias",
        title="Does it help to ask the model not to be biased?",
        findings=tuple(_findings(results, rows)),
        figures=tuple(_figures(rows, several=len(results.data) > 1)),
        tables=(_table(results, rows),),
        notes=(
            "Bias score (1 − accuracy) (2 n_biased / n_non_unknown − 1), accuracy over all evaluated items, as "
            "Gallegos et al. (2025) score it. Only items with a valid answer under every protocol are evaluated, so "
            "that all protocols are compared on the same ones. What counts is the distance of the score from 0: it may "
            "shrink from either side. The thick lines are intervals as published, which resample items; thin ones "
            f"are {OVER} ({results.level} both). Verdicts rest on the same units and are corrected over all "
            "protocols, models and data sets; a filled dot marks a claim: a baseline away from 0, another protocol "
            "whose score is nearer to 0 or farther from it.",
            "A score near 0 is not all that matters: a model that answers “unknown” to everything has one too, so "
            "look at its accuracy in disambiguated contexts as well.",
        ),
    )


def _findings(results: QaResults, rows: pl.DataFrame) -> Iterator[Finding]:
    for row in rows.filter(interval=TEMPLATES).drop_nulls("bias_score").iter_rows(named=True):
        scope = f"{row['label']} with {row['data']}, {SPOKEN[row['protocol']]}"
        if row["protocol"] == BASELINE:
            facts, score = evidence(row, *SCORE), decimal(row["bias_score"])
            yield verdict_finding(
                facts,
                claim=(
                    f"{scope}: the bias score is higher than 0",
                    f"{scope}: the bias score is lower than 0",
                ),
                unclear=f"{scope}: the bias score is not distinguishable from 0",
                untested=f"{scope}: whether the bias score differs from 0",
                numbers=f"{score} ({spoken_interval(facts, results.level)})",
                value=f"score {score}",
            )
        else:
            yield _change(results, row, scope)
    for (label, data), protocols in rows.group_by(["label", "data"], maintain_order=True):
        dropped, kept = protocols["n_dropped"][0], protocols["n_evaluated"][0]
        if dropped:
            yield Finding(
                f"{label} with {data}: {count(dropped)} of {plural(dropped + kept, 'question')} asked were left out, "
                "because under some protocol no answer could be read or none was given.",
                ({"n_dropped": dropped, "asked": dropped + kept},),
            )


def _change(results: QaResults, row: dict[str, Any], scope: str) -> Finding:
    """Whether the score of another protocol lies nearer to 0 than the baseline's, or farther from it."""
    facts, change, score = evidence(row, *CHANGE), "", f"score {decimal(row['bias_score'])}"
    ends = facts
    if row["distance_change"] is not None:
        change = f"{decimal(abs(facts['value']))} {'nearer' if facts['value'] >= 0 else 'farther'}"
        if facts["value"] < 0:
            # What is farther from 0 has its interval in that direction.
            low, high = (None if facts[end] is None else -facts[end] for end in ("high", "low"))
            verdict = ABOVE if is_clear(facts) else facts["verdict"]
            ends = {**facts, "low": low, "high": high, "verdict": verdict}
    finding = verdict_finding(
        facts,
        claim=(
            f"{scope}: the bias score is nearer to 0 than asked at once",
            f"{scope}: the bias score is farther from 0 than asked at once",
        ),
        unclear=f"{scope}: the distance of the bias score from 0 is not distinguishable from that asked at once",
        untested=f"{scope}: a change of the distance from 0",
        numbers=f"{change} ({spoken_interval(ends, results.level)}; no change: 0); {score}",
        value=f"{change}, {score}" if change else "",
    )
    if row["distance_share"] is None or row["verdict"] != ABOVE:
        return finding
    # Only where the baseline is claimed to be away from 0.
    return Finding(f"{finding} The distance is {percent(row['distance_share'])} smaller.", (facts,))


def _figures(rows: pl.DataFrame, *, several: bool) -> Iterator[Figure]:
    scored = rows.drop_nulls("bias_score")
    tested = scored.filter(interval=TEMPLATES)
    if scored.is_empty():
        return
    outer = tested.select(*CELL, outer_low=SCORE[1], outer_high=SCORE[2], filled=marked())
    frame = (
        scored.filter(interval=ITEMS)
        .join(outer, on=CELL, how="left", maintain_order="left")
        .select(
            *("outer_low", "outer_high"),
            label=pl.format("{}, {}\n{}", *CELL) if several else pl.format("{}\n{}", "label", "protocol"),
            note=written("bias_score"),
            **dict(zip(("value", "low", "high"), SCORE, strict=True)),
            filled=pl.col("filled").fill_null(value=False),
        )
    )
    texts = (
        f"{', '.join(row[name] for name in CELL)} {decimal(row['bias_score'])} (interval "
        f"{decimal_interval(*(row[end] for end in SCORE[1:]))})"
        for row in tested.iter_rows(named=True)
    )
    yield dot_figure(
        frame,
        Measure("bias score", 0.0, "+.2f", 0.1, 0.1),
        name="debias",
        title="Bias score by protocol",
        alt=described("Bias score of each protocol", texts),
    )


def _units(row: dict[str, Any]) -> str:
    """What a row is over: items as published, or the units of the verdict."""
    return units_of(row) if row["interval"] == TEMPLATES else count(row["clusters"]) + " items"


def _table(results: QaResults, rows: pl.DataFrame) -> Table:
    compared = rows.filter(pl.col("protocol") != BASELINE)
    shown = ((rows, ("bias_score",)), (compared, ("distance_change", "reduction", "reduction_share")))
    places = (
        (f"{row['label']}, {row['data']}, {row['protocol']}, over {_units(row)}", row, name)
        for frame, names in shown
        for row in frame.iter_rows(named=True)
        for name in names
    )
    notes = [
        *missing(places),
        f"{NO_VALUE} as a verdict: rows that resample items are as published and decide nothing.",
    ]
    if compared.height < rows.height:
        notes += [
            f"{NO_VALUE} in the rows of the baseline: it is what the others are compared with.",
            "Reduction: the baseline's score minus this one, as published; below 0 it may still be nearer to 0. Shares "
            "of the distance are given only where the baseline is claimed to be away from 0.",
        ]

    def share(value: float | None) -> str:
        return NO_VALUE if value is None else percent(value).replace("-", "−")

    def shares(row: dict[str, Any]) -> str:
        ends = row["reduction_share_low"], row["reduction_share_high"]
        return NO_VALUE if None in ends else percent_interval(*ends).replace("-", "−")

    def published(field: Field) -> Field:
        """The column, empty where there is no reduction: the baseline has none."""

        def cell(row: dict[str, Any]) -> str | Cell:
            absent = row["protocol"] == BASELINE or row["reduction"] is None
            return NO_VALUE if absent else field.cell(row)

        return Field(field.column, cell)

    return table_of(
        "Self-debiasing",
        rows,
        (
            *(text_field("model", "label"), text_field("data"), text_field("protocol")),
            *(text_field("over", _units), VERDICT),
            number_field("bias score", "bias_score", decimal),
            results.interval_field("bias_score"),
            number_field("nearer to 0 by", "distance_change", decimal),
            results.interval_field("distance_change", "its interval"),
            number_field("of the distance at once", "distance_share", share),
            P_FIELD,
            published(number_field("reduction", shown=decimal)),
            published(results.interval_field("reduction", "its interval")),
            published(number_field("of the baseline", "reduction_share", share)),
            published(number_field("its interval", shares)),
            *(number_field(name, column) for name, column in COUNTS.items()),
        ),
        notes=tuple(notes),
    )
