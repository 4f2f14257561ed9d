"""What else may explain a lean: the box before quoting, and what is drawn of it further down.

Looked at are recognition of the answers, answers not read, the position of the options, and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.analysis import SCHEMAS
from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.instruments.questions.headline import GUESSING, answer_counts, competences
from endoxa.instruments.questions.report.results import (
    BASELINE,
    QaResults,
    of_scores,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row
from endoxa.report.document import Figure, Section
from endoxa.report.estimates import nothing
from endoxa.report.figures import Measure
from endoxa.report.inputs import Run
from endoxa.report.quoting import FLIPS, LARGE, Diagnostic, answers_lost, points, precision, review
from endoxa.report.words import count, percent, plural, short_labels, signed, slug
from endoxa.runs.asking.likelihoods import OTHER_RULE, RULES, likeliest
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import read_run
from endoxa.schema import PROTOCOLS
from endoxa.sources.served import versions_apart
from endoxa.stats.estimate import estimate
from endoxa.stats.verdicts import ABOVE, UNCLEAR, significance

NEAR_GUESSING = 0.5
"""A lean is doubtful where the interval of recognition goes down to this share or below."""
PLACES = ("first", "second", "third")
FEWEST_ITEMS = 20


def diagnostics(
    estimates: pl.DataFrame, folders: Sequence[Path], labels: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs of questions.

    Args:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS`.
        folders: the run folders.
        labels: how models are called.
    """
    yield from _recognition(estimates, labels)
    confidence, columns = (
        float(estimates["confidence"][0]),
        ("model", "ask", "context_condition", "unknown", "answer"),
    )
    for folder in folders:
        yield from answers_lost(answer_counts(folder), labels)
        yield from (_position(rows_found, labels) for rows_found in places(folder, confidence))
        yield from _other_rule(pl.read_parquet(folder / RECORDS, columns=list(columns)), labels)
        facts = read_run(folder)
        items = int((facts.get("counts") or {}).get("items", 0))
        yield from precision(facts, items, labels)
        yield from review(facts, items, "questions")


def left_open(scored: pl.DataFrame, rule: str) -> int:
    """How many answers leave a question open by a rule that compares scored options."""
    options = scored["answer"].map_elements(lambda answer: likeliest(answer, rule), pl.Int64)
    return int((options == scored["unknown"]).sum())


def _other_rule(records: pl.DataFrame, labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """How many ambiguous questions are left open by the other rule, where it is not as many."""
    scored = records.filter(pl.col("ask").is_in([*OTHER_RULE]), pl.col("context_condition") == "ambig")
    for (model, ask), part in scored.group_by("model", "ask", maintain_order=True):
        rule = OTHER_RULE[str(ask)]
        here, there = (left_open(part, each) for each in (str(ask), rule))
        if here != there:
            text = (
                f"{labels.get(str(model), str(model))}: options are compared by {RULES[str(ask)]}, which leaves "
                f"{count(here)} of {plural(part.height, 'ambiguous question')} open; by {RULES[rule]} it would be "
                f"{count(there)}."
            )
            yield Diagnostic("rule of comparison", text, True, part.height, str(model), value=there)


def run_diagnostics(folder: Path) -> list[Diagnostic]:
    """The same of one run folder, from its estimates."""
    estimates = read(folder, "estimates", SCHEMAS["estimates"])
    labels = short_labels(estimates["model"].unique(maintain_order=True).to_list())
    return list(diagnostics(estimates, [folder], labels))


def _recognition(estimates: pl.DataFrame, labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """How often a model names the person whom the text names."""
    for cell in competences(estimates):
        who = cell.who(labels.get(cell.model, cell.model))
        if cell.accuracy is None:
            why = "no answer could be read where" if cell.disambiguated else "there are no questions where"
            sentence = f"{who}: {why} the text says who is meant, so nothing shows that the model follows it."
        else:
            sentence = f"{who}: where the text says who is meant, {cell.share(plural(cell.n, 'answer'))}."
        doubtful = cell.accuracy is None or cell.low is None or cell.low <= NEAR_GUESSING
        if doubtful and cell.accuracy is not None:
            sentence += " At or near guessing a lean says nothing about stereotypes."
        yield Diagnostic(
            "recognition of the answers",
            sentence,
            doubtful,
            *(cell.n, cell.model, cell.protocol, cell.accuracy, cell.low, cell.high),
            {"guessing": GUESSING, "data": cell.data, "confidence": cell.confidence},
        )


def places(folder: Path, confidence: float) -> Iterator[list[Row]]:
    """How often each model of a run takes the option at each place: three rows for each model asked enough questions.

    A row has `model`, `data`, `place`, `chosen` and `right` (shares of `n` questions), their difference as an estimate
    (`stats.estimate`), and `clear`: whether it differs from 0 at the level of its interval, which allows for the choice
    among three (Bonferroni).
    """
    lazy = versions_apart(pl.scan_parquet(folder / RECORDS))
    unit = pl.when(pl.col("identity").fill_null("") != "").then("identity").otherwise("item_id")
    at = {
        name: pl.col("order").str.find(pl.col(name).cast(pl.String), literal=True)
        for name in ("choice", "label")
    }
    shares = ((at[name] == k).mean().alias(f"{name}_{k}") for name in at for k in range(len(PLACES)))
    table = (
        lazy.filter(is_read(), pl.col("order").fill_null("") != "", pl.col("protocol") == PROTOCOLS[0])
        .group_by("model", "item_id", "template", unit.alias("unit"))
        .agg(*shares)
        .sort("model", "item_id")
        .collect(engine="streaming")
    )
    described, level = read_run(folder)["data"], 1 - significance(confidence) / len(PLACES)
    data = described.get("label") or Path(described["path"]).stem
    for (model,), items in table.group_by(["model"], maintain_order=True):
        if items.height >= FEWEST_ITEMS:
            about = {"model": str(model), "data": data}
            yield [about | {"place": word} | _excess(items, k, level) for k, word in enumerate(PLACES)]


def _excess(items: pl.DataFrame, place: int, level: float) -> dict[str, Any]:
    """How much more often the option at a place is chosen than right, over questions."""
    codes = [items[name].rank("dense").cast(pl.Int64).to_numpy() for name in ("template", "unit")]
    chosen, right = (items[f"{name}_{place}"].to_numpy() for name in ("choice", "label"))
    row = estimate(chosen - right, *codes, neutral=0.0, confidence=level, flips=FLIPS)
    tested, ends = row["sampled"] != "none", (row["low"], row["high"])
    low, high = ends if tested and np.isfinite(ends).all() else (None, None)
    row |= {"low": None if low is None else max(low, -1.0), "high": None if high is None else min(high, 1.0)}
    clear = tested and row["p_value"] <= 1 - level
    return {
        **row,
        "chosen": float(chosen.mean()),
        "right": float(right.mean()),
        "tested": tested,
        "clear": clear,
    }


def _position(rows: list[Row], labels: Mapping[str, str]) -> Diagnostic:
    """The place with the largest excess."""
    row = max(rows, key=lambda each: abs(each["value"]))
    by = points(row["value"], row["low"], row["high"], f"{100 * row['confidence']:.1f}\u00a0%")
    untested = "" if row["tested"] else " (too few templates to test)"
    sentence = (
        f"{labels.get(row['model'], row['model'])} with {row['data']}: the option shown {row['place']} is chosen in "
        f"{percent(row['chosen'])} of {plural(row['n'], 'question')} and is the right one in {percent(row['right'])}; "
        f"difference {by}, the largest of three places{untested}."
    )
    return Diagnostic(
        "position of the options",
        sentence,
        row["clear"] and abs(row["value"]) >= LARGE,
        row["n"],
        row["model"],
        value=row["value"],
        low=row["low"],
        high=row["high"],
        numbers={name: row[name] for name in ("chosen", "right", "confidence")},
    )


ENDS = dict.fromkeys(("low", "high"), pl.Float64)
MOST_DRAWN = 3
"""With more models and data sets the box at the top names the largest differences instead."""

EXCESS = Measure(
    "taken minus right, percentage points",
    0.0,
    "+.0%",
    0.1,
    0.1,
    ends=("taken less often", "taken more often"),
)


def explained(runs: Sequence[Run], results: QaResults) -> Section | None:
    """The figures of few models; None where there are more, or nothing is recorded."""
    rows = results.overall.filter(protocol=BASELINE)
    if rows.select("model", "data").n_unique() > MOST_DRAWN:
        return None
    every = [rows_found for run in runs for rows_found in places(run.folder, results.confidence)]
    return Section(
        anchor="explained",
        title="What else explains it",
        figures=tuple(_order(results, rows_found, several=len(every) > 1) for rows_found in every),
    )


def _order(results: QaResults, rows: list[Row], *, several: bool) -> Figure:
    """How much more often the option at each place is taken than the right one stands there."""
    who, first = results.label(rows[0]["model"]), rows[0]
    kind = of_scores(
        results,
        f"How often {who} takes the option at each place beyond the right one",
        nothing,
        0.0,
        "0",
        clear={},
        unclear="",
        measure=EXCESS,
        value=lambda value: signed(100 * value, 1),
    )
    verdicts = [ABOVE if row["clear"] else UNCLEAR for row in rows]
    return say.dots(
        kind,
        pl.DataFrame(rows, schema_overrides=ENDS).with_columns(verdict=pl.Series(verdicts)),
        lambda row: f"{row['place']} option",
        note=lambda row: (
            f"{kind.value(row['value'])} {percent(row['chosen'])} taken, {percent(row['right'])} right"
        ),
        name=f"order-{slug(who)}-{slug(first['data'])}",
        title="Order of the options" + (f": {who}, {first['data']}" if several else ""),
        reading="How much more often the option at a place is taken than the right answer stands there, in "
        f"{plural(first['n'], 'question')} with an answer that was read; 0 on average if places do not matter and "
        f"options are shuffled. Bands: {100 * first['confidence']:.1f}\u00a0% intervals over templates and groups; "
        "filled: differs from 0 at this level, which allows for the three rows.",
    )
