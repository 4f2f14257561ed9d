"""What else may explain a lean: the box before quoting, and what is drawn of it further down.

Looked at are recognition of the answers, answers not read, the position of the options, and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.questions.estimates.analysis import SCHEMAS
from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.instruments.questions.headline import GUESSING, answer_counts, competences
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    BASELINE,
    CONTEXTS,
    QaResults,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.inputs import Run
from endoxa.report.quoting import FLIPS, LARGE, Diagnostic, answers_lost, points, precision, review
from endoxa.report.words import count, decimal, percent, plural, short_labels, signed, slug
from endoxa.runs.asking.likelihoods import OTHER_RULE, RULES, likeliest
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import read_run
from endoxa.schema import PROTOCOLS
from endoxa.sources.served import versions_apart
from endoxa.stats.two_way import two_way
from endoxa.stats.verdicts import significance

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
    for folder in folders:
        yield from answers_lost(answer_counts(folder), labels)
    confidence = float(estimates["confidence"][0])
    for folder in folders:
        yield from (_position(found, labels) for found in places(folder, confidence))
        columns = ["model", "ask", "context_condition", "unknown", "answer"]
        yield from _other_rule(pl.read_parquet(folder / RECORDS, columns=columns), labels)
    for folder in folders:
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
            share = cell.share.replace(" (", f" of {plural(cell.n, 'answer')} are right (", 1)
            sentence = f"{who}: where the text says who is meant, {share}."
        doubtful = cell.accuracy is None or cell.low is None or cell.low <= NEAR_GUESSING
        if doubtful and cell.accuracy is not None:
            sentence += " At or near guessing a lean says nothing about stereotypes."
        numbers = {"guessing": GUESSING, "data": cell.data, "confidence": cell.confidence}
        yield Diagnostic(
            "recognition of the answers",
            sentence,
            doubtful,
            cell.n,
            cell.model,
            cell.protocol,
            cell.accuracy,
            cell.low,
            cell.high,
            numbers,
        )


@dataclass(frozen=True, slots=True)
class Places:
    """How often one model takes the option at each place.

    Attributes:
        model: the model.
        data: label of the data set.
        items: a row per question: how often each place was `chosen_` and held the `right_` option, and the difference.
        level: confidence level of intervals, with a correction for the choice among three (Bonferroni).
    """

    model: str
    data: str
    items: pl.DataFrame
    level: float

    def share(self, column: str) -> float:
        """Mean of a column over the questions."""
        return float(self.items[column].to_numpy().mean())

    def excess(self, word: str) -> tuple[float, float | None, float | None, float | None]:
        """How much more often a place is chosen than right, its interval and p-value; None where nothing is tested."""
        codes = [self.items[name].rank("dense").cast(pl.Int64).to_numpy() for name in ("template", "unit")]
        values = self.items[word].to_numpy()
        found = two_way(values, *codes, neutral=0.0, confidence=self.level, flips=FLIPS)
        value, low, high = float(values.mean()), None, None
        if found.sampled == "none":
            return value, None, None, None
        if found.interval.defined:
            low, high = max(found.interval.low, -1.0), min(found.interval.high, 1.0)
        return value, low, high, found.p_value


def places(folder: Path, confidence: float) -> Iterator[Places]:
    """Each model of a run that was asked enough questions; none where orders or choices were not recorded."""
    lazy = versions_apart(pl.scan_parquet(folder / RECORDS))
    needed = {"order", "choice", "label", "template", "identity", "protocol", "outcome", "repeat"}
    if not needed <= set(lazy.collect_schema()):
        return
    unit = pl.when(pl.col("identity").fill_null("") != "").then("identity").otherwise("item_id")
    place = {
        name: pl.col("order").str.find(pl.col(name).cast(pl.String), literal=True)
        for name in ("choice", "label")
    }
    chosen = [(place["choice"] == k).mean().alias(f"chosen_{word}") for k, word in enumerate(PLACES)]
    right = [(place["label"] == k).mean().alias(f"right_{word}") for k, word in enumerate(PLACES)]
    table = (
        lazy.filter(is_read(), pl.col("order").fill_null("") != "", pl.col("protocol") == PROTOCOLS[0])
        .group_by("model", "item_id", "template", unit.alias("unit"))
        .agg(*chosen, *right)
        .with_columns((pl.col(f"chosen_{word}") - pl.col(f"right_{word}")).alias(word) for word in PLACES)
        .sort("model", "item_id")
        .collect(engine="streaming")
    )
    described = read_run(folder)["data"]
    data = described.get("label") or Path(described["path"]).stem
    for (model,), items in table.group_by(["model"], maintain_order=True):
        if items.height >= FEWEST_ITEMS:
            yield Places(str(model), data, items, 1 - significance(confidence) / len(PLACES))


def _position(found: Places, labels: Mapping[str, str]) -> Diagnostic:
    """The place with the largest excess."""
    word = max(PLACES, key=lambda name: abs(found.share(name)))
    value, low, high, p_value = found.excess(word)
    chosen, right = found.share(f"chosen_{word}"), found.share(f"right_{word}")
    by = points(value, low, high, f"{100 * found.level:.1f}\u00a0%")
    untested = " (too few templates to test)" if p_value is None else ""
    sentence = (
        f"{labels.get(found.model, found.model)} with {found.data}: the option shown {word} is chosen in "
        f"{percent(chosen)} of {plural(found.items.height, 'question')} and is the right one in {percent(right)}; "
        f"difference {by}, the largest of three places{untested}."
    )
    concerning = p_value is not None and p_value <= 1 - found.level and abs(value) >= LARGE
    numbers = {"chosen": chosen, "right": right, "p_value": p_value, "confidence": found.level}
    return Diagnostic(
        *("position of the options", sentence, concerning, found.items.height, found.model, ""),
        *(value, low, high, numbers),
    )


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
    rows = results.measure("bias_score").filter(protocol=BASELINE)
    if rows.select("model", "data").n_unique() > MOST_DRAWN:
        return None
    every = [found for run in runs for found in places(run.folder, results.confidence)]
    orders = [_order(results, found, several=len(every) > 1) for found in every]
    findings = tuple(_bounded(results, rows.filter(context_condition=AMBIGUOUS)))
    return Section(
        anchor="explained",
        title="What else explains it",
        findings=findings,
        figures=tuple(orders),
    )


def _order(results: QaResults, found: Places, *, several: bool) -> Figure:
    """How much more often the option at each place is taken than the right one stands there."""
    who = results.label(found.model)
    rows = []
    for word in PLACES:
        value, low, high, p_value = found.excess(word)
        chosen, right = found.share(f"chosen_{word}"), found.share(f"right_{word}")
        n = found.items.height
        rows.append(
            {
                "label": f"{word} option",
                "note": f"{signed(100 * value, 1)} {_number(chosen, n)} taken, {_number(right, n)} right",
                "value": value,
                "low": low,
                "high": high,
                "filled": p_value is not None and p_value <= 1 - found.level,
            }
        )
    texts = [f"{row['label']}: {row['note']}" for row in rows]
    frame = pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64}).with_columns(
        outer_low=pl.lit(None, pl.Float64), outer_high=pl.lit(None, pl.Float64), tip=pl.Series(texts)
    )
    return dot_figure(
        frame,
        EXCESS,
        name=f"order-{slug(who)}-{slug(found.data)}",
        title="Order of the options" + (f": {who}, {found.data}" if several else ""),
        alt=described(f"How often {who} takes the option at each place beyond the right one", texts),
        reading="How much more often the option at a place is taken than the right answer stands there, in "
        f"{plural(found.items.height, 'question')} with an answer that was read; 0 on average if places do not matter "
        f"and options are shuffled. Bands: {100 * found.level:.1f}\u00a0% intervals over templates and groups; filled: "
        "differs from 0 at this level, which allows for the three rows.",
    )


def _number(share: float, n: int) -> str:
    """How many of n questions a share is; repeats of a question count in parts."""
    number = round(share * n, 1)
    return f"{number:,.{0 if number == int(number) else 1}f}"


def _bounded(results: QaResults, rows: pl.DataFrame) -> Iterator[Finding]:
    """Between which values the bias scores lie, whatever the answers that were not read had been."""
    for row in rows.filter(pl.col("bound_low").is_not_null()).iter_rows(named=True):
        lost = row["n_asked"] - row["n_read"]
        if lost:
            yield Finding(
                f"{CONTEXTS[AMBIGUOUS]} {results.label(row['model'])} with {row['data']} has {count(lost)} of "
                f"{plural(row['n_asked'], 'answer')} refused or unreadable. Whichever option these had named, the bias "
                f"score would lie between {decimal(row['bound_low'])} and {decimal(row['bound_high'])}.",
                ({**row, "lost": lost},),
            )
