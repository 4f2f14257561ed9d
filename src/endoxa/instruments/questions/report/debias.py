"""Self-debiasing: the same questions asked at once, after an explanation, and once more (Gallegos et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.instruments.questions.estimates.estimates import ITEMS, TEMPLATES
from endoxa.instruments.questions.report.results import (
    BASELINE,
    QaResults,
    because,
    evidence,
    missing,
    spoken_interval,
)
from endoxa.report.charts import interval_rows, symmetric_domain
from endoxa.report.claims import chip, is_clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import (
    NO_VALUE,
    count,
    decimal,
    decimal_interval,
    p_value,
    percent,
    percent_interval,
    plural,
)
from endoxa.runs.families import beside_a_test
from endoxa.stats.verdicts import ABOVE, UNCLEAR, UNTESTED

SPOKEN = {
    BASELINE: "asked at once",
    "explanation": "asked to explain invalid assumptions first",
    "reprompting": "asked once more, without bias",
}
CELL = ("label", "data", "protocol")


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
        figures=_figures(rows, several=len(results.data) > 1),
        tables=(_table(results, rows),),
        notes=(
            "Bias score (1 − accuracy) (2 n_biased / n_non_unknown − 1), accuracy over all evaluated items, as "
            "Gallegos et al. (2025) score it. Only items with a valid answer under every protocol are evaluated, so "
            "that all protocols are compared on the same ones. What counts is the distance of the score from 0: it may "
            "shrink from either side. The thick lines are intervals as published, which resample items; thin ones "
            f"resample templates ({results.level} both). Verdicts rest on templates and are corrected over all "
            "protocols, models and data sets; a filled dot marks a claim: a baseline away from 0, another protocol "
            "whose score is nearer to 0 or farther from it.",
            "A score near 0 is not all that matters: a model that answers “unknown” to everything has one too, so "
            "look at its accuracy in disambiguated contexts as well.",
        ),
    )


def _findings(results: QaResults, rows: pl.DataFrame) -> Iterator[Finding]:
    for row in rows.filter(interval=TEMPLATES).iter_rows(named=True):
        scope = f"{row['label']} with {row['data']}, {SPOKEN[row['protocol']]}"
        if row["bias_score"] is not None:
            yield _score(results, row, scope) if row["protocol"] == BASELINE else _change(results, row, scope)
    for (label, data), protocols in rows.group_by(["label", "data"], maintain_order=True):
        dropped, kept = protocols["n_dropped"][0], protocols["n_evaluated"][0]
        if dropped:
            yield Finding(
                f"{label} with {data}: {count(dropped)} of {plural(dropped + kept, 'question')} asked were left out, "
                "because under some protocol no answer could be read or none was given.",
                ({"n_dropped": dropped, "asked": dropped + kept},),
            )


def _score(results: QaResults, row: dict[str, Any], scope: str) -> Finding:
    """Whether the score of the baseline is away from 0."""
    facts, score = (
        evidence(row, "bias_score", "bias_score_low", "bias_score_high"),
        decimal(row["bias_score"]),
    )
    numbers = f"{score} ({spoken_interval(facts, results.level)})"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            return Finding(
                f"{scope}: whether the bias score differs from 0 {_untested(facts)}; score {score}.", (facts,)
            )
        case verdict if verdict == UNCLEAR:
            text = f"{scope}: the bias score is not distinguishable from 0: {numbers}.{because(facts)}"
        case verdict:
            text = (
                f"{scope}: the bias score is {'higher' if verdict == ABOVE else 'lower'} than 0: {numbers}."
            )
    return Finding(text, (facts,))


def _change(results: QaResults, row: dict[str, Any], scope: str) -> Finding:
    """Whether the score of another protocol lies nearer to 0 than the baseline's, or farther from it."""
    facts = evidence(row, "distance_change", "distance_change_low", "distance_change_high")
    if row["distance_change"] is None:
        return Finding(f"{scope}: a change of the distance from 0 {_untested(facts)}.", (facts,))
    change, ends = _moved(results, facts)
    score = f"score {decimal(row['bias_score'])}"
    numbers = f"{change} ({ends}; no change: 0); {score}"
    match row["verdict"]:
        case verdict if verdict == UNTESTED:
            text = f"{scope}: a change of the distance from 0 {_untested(facts)}; {change}, {score}."
            return Finding(text, (facts,))
        case verdict if verdict == UNCLEAR:
            text = f"{scope}: the distance of the bias score from 0 is not distinguishable from that asked at once"
            return Finding(f"{text}: {numbers}.{because(facts)}", (facts,))
        case verdict:
            where = "nearer to 0" if verdict == ABOVE else "farther from 0"
            text = f"{scope}: the bias score is {where} than asked at once: {numbers}.{_share(row)}"
            return Finding(text, (facts,))


def _moved(results: QaResults, facts: dict[str, Any]) -> tuple[str, str]:
    """'0.120 nearer' or '0.120 farther', and the interval in the same direction."""
    if facts["value"] >= 0:
        return f"{decimal(facts['value'])} nearer", spoken_interval(facts, results.level)
    back: dict[str, Any] = {end: None if facts[end] is None else -facts[end] for end in ("low", "high")}
    turned = {**facts, "low": back["high"], "high": back["low"]}
    turned["verdict"] = ABOVE if is_clear(facts) else facts["verdict"]
    return f"{decimal(-facts['value'])} farther", spoken_interval(turned, results.level)


def _untested(facts: dict[str, Any]) -> str:
    return f"cannot be tested ({facts['reason']})"


def _share(row: dict[str, Any]) -> str:
    """How much of the baseline's distance is gone; only where that is claimed to be there."""
    if row["distance_share"] is None or row["verdict"] != ABOVE:
        return ""
    return f" The distance is {percent(row['distance_share'])} smaller."


def _figures(rows: pl.DataFrame, *, several: bool) -> tuple[Figure, ...]:
    scored = rows.drop_nulls("bias_score")
    if scored.is_empty():
        return ()
    ends = ("bias_score_low", "bias_score_high")
    outer = scored.filter(interval=TEMPLATES).select(
        *CELL,
        outer_low=ends[0],
        outer_high=ends[1],
        claim=pl.struct("verdict").map_elements(is_clear, pl.Boolean),
    )
    label = "{}, {}\n{}" if several else "{}\n{}"
    shown = scored.filter(interval=ITEMS).join(outer, on=CELL, how="left", maintain_order="left")
    frame = shown.select(
        "outer_low",
        "outer_high",
        label=pl.format(label, *(CELL if several else ("label", "protocol"))),
        note=pl.col("bias_score").map_elements(decimal, return_dtype=pl.String),
        value="bias_score",
        low=ends[0],
        high=ends[1],
        filled=pl.col("claim").fill_null(value=False),
    )
    reach = pl.concat(
        [frame[name] for name in ("value", "low", "high", "outer_low", "outer_high")]
    ).drop_nulls()
    spoken = "; ".join(
        f"{', '.join(row[name] for name in CELL)} {decimal(row['bias_score'])} (interval "
        f"{decimal_interval(*(row[end] for end in ends))})"
        for row in scored.filter(interval=TEMPLATES).iter_rows(named=True)
    )
    chart = interval_rows(
        frame,
        neutral=0.0,
        domain=symmetric_domain(reach, 0.0, 0.1, 0.1),
        title="bias score",
        axis_format="+.2f",
    )
    return (
        Figure(
            "debias",
            "Bias score by protocol",
            chart,
            f"Bias score of each protocol. {spoken}.",
        ),
    )


def _table(results: QaResults, rows: pl.DataFrame) -> Table:
    counts = ("evaluated", "dropped", "unread", "right", "naming a person", "stereotyped")
    fields = ("n_evaluated", "n_dropped", "n_unread", "n_correct", "n_non_unknown", "n_biased")
    level = f"{results.level} interval"
    measured = ("bias score", level, "nearer to 0 by", "its interval", "of the distance at once")
    published = ("reduction", "its interval", "of the baseline", "its interval")
    numeric = (*measured, "p adjusted", *published, *counts)
    columns = (
        *(Column(name) for name in ("model", "data", "protocol", "resampled", "verdict")),
        *(Column(name, numeric=True) for name in numeric),
    )
    body = tuple(
        (
            row["label"],
            row["data"],
            row["protocol"],
            row["interval"],
            chip(row),
            decimal(row["bias_score"]),
            decimal_interval(row["bias_score_low"], row["bias_score_high"]),
            decimal(row["distance_change"]),
            decimal_interval(row["distance_change_low"], row["distance_change_high"]),
            NO_VALUE if row["distance_share"] is None else percent(row["distance_share"]).replace("-", "−"),
            NO_VALUE if row["p_adjusted"] is None else p_value(row["p_adjusted"]),
            *_reduction(row),
            *(count(row[field]) for field in fields),
        )
        for row in rows.iter_rows(named=True)
    )
    return Table("Self-debiasing", columns, body, notes=tuple(_notes(rows)))


def _notes(rows: pl.DataFrame) -> Iterator[str]:
    """What every dash means."""
    compared = rows.filter(pl.col("protocol") != BASELINE)
    shown = ((rows, ("bias_score",)), (compared, ("distance_change", "reduction", "reduction_share")))
    yield from missing(
        (f"{row['label']}, {row['data']}, {row['protocol']}, over {row['interval']}", row, name)
        for frame, names in shown
        for row in frame.iter_rows(named=True)
        for name in names
    )
    yield f"{NO_VALUE} as a verdict: rows that resample items are as published and decide nothing."
    if compared.height < rows.height:
        yield f"{NO_VALUE} in the rows of the baseline: it is what the others are compared with."
        yield (
            "Reduction: the baseline's score minus this one, as published; below 0 it may still be nearer to 0. Shares "
            "of the distance are given only where the baseline is claimed to be away from 0."
        )


def _reduction(row: dict[str, Any]) -> tuple[str, str, str, str]:
    """The published reduction and its share of the baseline's score; the baseline has none."""
    if row["protocol"] == BASELINE or row["reduction"] is None:
        return (NO_VALUE,) * 4
    share, low, high = (row[f"reduction_share{end}"] for end in ("", "_low", "_high"))
    return (
        decimal(row["reduction"]),
        decimal_interval(row["reduction_low"], row["reduction_high"]),
        NO_VALUE if share is None else percent(share).replace("-", "−"),
        NO_VALUE if low is None or high is None else percent_interval(low, high).replace("-", "−"),
    )
