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
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NOT_RECORDED, count, listed, percent, plural

SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "reasoning")
USED = {"calls": "calls", "tokens sent": "prompt_tokens", "tokens received": "completion_tokens"}
UNKNOWN_PRICE = "not known"


def overview(runs: Sequence[Run], results: QaResults) -> Section:
    """What each model was asked, what could not be read, and where the answers came from."""
    questions = table_of(
        "What each model was asked",
        results.question_counts,
        (
            text_field("model", "line"),
            text_field("as named in the command", "model", visible_directions),
            text_field("served as", lambda row: visible_directions(", ".join(row["served"])) or NOT_RECORDED),
            *(text_field("data"), text_field("protocol"), text_field("asked for", "ask")),
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
        (questions, outcome_table(counts, results.label), run_table(runs, fields, data="file")),
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


def summary(results: QaResults) -> str:
    """As in '9,240 answers of 2 models to Nationality and Name'."""
    answers = int(results.question_counts["answers"].sum())
    items = results.question_counts.group_by("data", maintain_order=True).agg(pl.col("items").max())
    data = ", ".join(f"{label} ({plural(n, 'item')})" for label, n in items.iter_rows())
    return f"{plural(answers, 'answer')}, {plural(len(results.names), 'model')}; {data}."


def cost(runs: Sequence[Run], results: QaResults) -> Section:
    """What every model of every run took."""
    rows = [
        {"model": results.label(model), "run": run.folder.name, **used}
        for run in runs
        for model, used in (run.facts.get("usage") or {}).items()
    ]
    return Section(
        anchor="cost",
        folded=True,
        title="What it took",
        tables=(
            table_of(
                "Calls, tokens and cost",
                rows,
                (
                    *(text_field("model", shown=without_directions), text_field("run")),
                    *(
                        number_field(name, lambda row, key=key: _number(row.get(key), "{:,.0f}"))
                        for name, key in USED.items()
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


def _number(value: object, form: str, missing: str = NOT_RECORDED) -> str:
    return form.format(value) if isinstance(value, int | float) else missing
