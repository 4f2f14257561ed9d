"""What was asked, as `run.json` has it, and what came back: runs, models, tokens, cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.questions.headline import answer_counts
from endoxa.instruments.questions.report.results import QaResults
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.labels import visible_directions, without_directions
from endoxa.report.outcomes import outcome_table
from endoxa.report.overview import data_field, run_table, what_was_run
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, NOT_RECORDED, count, listed, percent, plural

SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "reasoning")
COUNTS = ("calls", "prompt_tokens", "completion_tokens")
UNKNOWN_PRICE = "not known"


def overview(runs: Sequence[Run], results: QaResults) -> Section:
    """What each model was asked, what could not be read, and where the answers came from."""
    questions = table_of(
        "What each model was asked",
        results.question_counts,
        (
            *(text_field("model", "line"), text_field("data"), text_field("protocol")),
            text_field("asked for", "ask"),
            *map(number_field, ("items", "variants", "repeats", "answers", "refused", "unparsed")),
            text_field("options shuffled", lambda row: "yes" if row["orders"] > 1 else "no"),
        ),
    )
    counts = [counts for run in runs for counts in answer_counts(run.folder)]
    fields = (
        data_field("data", "label", without_directions),
        data_field("file", "path", visible_directions),
        text_field("seed", lambda run: inputs.text(_settings(run), "seed")),
        text_field("sampling", lambda run: _sampling(_settings(run).get("sampling"))),
        text_field("system message", lambda run: "yes" if _settings(run).get("system") else "no"),
    )
    return what_was_run(
        _unread(results),
        (
            questions,
            outcome_table(counts, results.label),
            run_table(runs, fields, data="file"),
            _models(results),
        ),
        runs,
        anchor="what-was-asked",
        title="What was asked",
        notes=(
            "An item is one question with its three options. It is asked once per repeat, and per variant where names "
            "were drawn more than once; variants × repeats are the seeds. Options shuffled means that they were shown "
            "in an order drawn for every item and repeat, so that a liking for the first letter is no lean.",
        ),
    )


def _settings(run: Run) -> Mapping[str, Any]:
    settings = run.facts.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def _unread(results: QaResults) -> Iterator[Finding]:
    for row in results.question_counts.iter_rows(named=True):
        refused, unparsed = row["refused"], row["unparsed"]
        if not refused + unparsed:
            continue
        share = (refused + unparsed) / row["answers"]
        refusals = "1 was a refusal" if refused == 1 else f"{count(refused)} were refusals"
        parts = [refusals] * bool(refused) + [f"in {count(unparsed)} no option could be read"] * bool(
            unparsed
        )
        failed = f"; the provider declined {plural(row['failed'], 'request')}" if row["failed"] else ""
        counts = {name: row[name] for name in ("answers", "refused", "unparsed", "failed")}
        yield Finding(
            f"{row['line']} with {row['data']}: of {plural(row['answers'], 'answer')}, {listed(parts)} "
            f"({percent(share)}{failed}). They are in no score; the tables give bounds.",
            ({**counts, "share": share},),
        )


def _sampling(value: object) -> str:
    """How answers were drawn; settings that were left to the provider are not named."""
    if not isinstance(value, Mapping):
        return NOT_RECORDED
    extra = value.get("extra")
    stated = {name: value.get(name) for name in SAMPLING} | (
        dict(extra) if isinstance(extra, Mapping) else {}
    )
    return (
        ", ".join(f"{name} {entry}" for name, entry in stated.items() if entry is not None)
        or "left to the provider"
    )


def _models(results: QaResults) -> Table:
    served = results.question_counts.group_by("model").agg(
        pl.col("served").explode().drop_nulls().unique(maintain_order=True).str.join(", ")
    )
    names: dict[str, str] = dict(served.iter_rows())
    return table_of(
        "Models",
        results.names.values(),
        (
            text_field("model", lambda name: name.label),
            text_field("as named in the command", lambda name: visible_directions(name.model)),
            text_field("provider", lambda name: name.provider),
            text_field("size", lambda name: name.size or "not stated"),
            text_field(
                "served as", lambda name: visible_directions(names.get(name.model) or "") or NOT_RECORDED
            ),
            text_field(
                "kind", lambda name: "simulated: its answers were planted" if name.simulated else NO_VALUE
            ),
        ),
    )


def summary(results: QaResults) -> str:
    """As in '9,240 answers of 2 models to Nationality and Name'."""
    answers = int(results.question_counts["answers"].sum())
    items = results.question_counts.group_by("data", maintain_order=True).agg(pl.col("items").max())
    data = ", ".join(f"{label} ({plural(n, 'item')})" for label, n in items.iter_rows())
    return f"{plural(answers, 'answer')}, {plural(len(results.names), 'model')}; {data}."


def cost(runs: Sequence[Run], results: QaResults) -> Section:
    """One row per run and model, and their sums."""
    rows = [row for run in runs for row in _usage(run, results)]
    if len(rows) > 1:
        total: dict[str, Any] = {"model": "all together", "run": ""}
        for name in (*COUNTS, "cost_usd"):
            numbers = [row.get(name) for row in rows]
            # A part is no total.
            total[name] = sum(numbers) if all(isinstance(number, int | float) for number in numbers) else None
        rows.append(total)
    return Section(
        anchor="cost",
        folded=True,
        title="What it took",
        tables=(
            table_of(
                "Calls, tokens and cost",
                rows,
                (
                    text_field("model", lambda row: row["model"]),
                    text_field("run", lambda row: row["run"]),
                    number_field("calls", lambda row: _number(row.get("calls"), "{:,.0f}")),
                    number_field("tokens sent", lambda row: _number(row.get("prompt_tokens"), "{:,.0f}")),
                    number_field(
                        "tokens received", lambda row: _number(row.get("completion_tokens"), "{:,.0f}")
                    ),
                    number_field(
                        "cost, US dollars",
                        lambda row: _number(row.get("cost_usd"), "{:,.2f}", UNKNOWN_PRICE),
                    ),
                ),
            ),
        ),
        notes=(
            "Tokens as the providers counted them, cost from the list prices that the run knew; a provider's bill "
            f"decides. “{UNKNOWN_PRICE}”: no price was known, as for models of one's own.",
        ),
    )


def _usage(run: Run, results: QaResults) -> Iterator[dict[str, Any]]:
    """What every model of a run took."""
    usage = run.facts.get("usage")
    where = f"{run.folder.name} ({without_directions(str(run.data.get('label', NOT_RECORDED)))})"
    for model, used in usage.items() if isinstance(usage, Mapping) else ():
        name = results.names.get(model)
        label = name.label if name else without_directions(str(model))
        yield {**(used if isinstance(used, Mapping) else {}), "model": label, "run": where}


def _number(value: object, form: str, missing: str = NOT_RECORDED) -> str:
    return form.format(value) if isinstance(value, int | float) else missing
