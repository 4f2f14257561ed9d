"""What was asked, as `run.json` has it, and what came back: runs, models, calls, tokens and cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.questions.outcomes import answer_counts
from endoxa.instruments.questions.report.results import QaResults
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.labels import visible_directions, without_directions
from endoxa.report.outcomes import outcome_table
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, NOT_RECORDED, count, listed, percent, plural

SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "reasoning")


COUNTS = ("calls", "prompt_tokens", "completion_tokens")

TOTAL = "all together"

NO_RUN = ""

UNKNOWN_PRICE = "not known"


def overview(runs: Sequence[Run], results: QaResults) -> Section:
    """What each model was asked, what could not be read, and where the answers came from."""
    return Section(
        anchor="what-was-asked",
        folded=True,
        title="What was asked",
        findings=tuple(_unread(results)),
        tables=(
            _asked_table(results),
            outcome_table([one for run in runs for one in answer_counts(run.folder)], results.label),
            _run_table(runs),
            _model_table(results),
            _version_table(runs),
        ),
        notes=(
            "An item is one question with its three options. It is asked once per repeat, and per variant where names "
            "were drawn more than once; variants × repeats are the seeds. Options shuffled means that they were shown "
            "in an order drawn for every item and repeat, so that a liking for the first letter is no lean.",
        ),
    )


def data_facts(run: Run) -> Mapping[str, object]:
    """What `run.json` says of the data."""
    data = run.facts.get("data")
    return data if isinstance(data, Mapping) else {}


def _unread(results: QaResults) -> Iterator[Finding]:
    for row in results.asked.iter_rows(named=True):
        lost = row["refused"] + row["unparsed"]
        if not lost:
            continue
        parts = [
            *([_refusals(row["refused"])] if row["refused"] else []),
            *([f"in {count(row['unparsed'])} no option could be read"] if row["unparsed"] else []),
        ]
        failed = f"; the provider declined {plural(row['failed'], 'request')}" if row["failed"] else ""
        counts = {name: row[name] for name in ("answers", "refused", "unparsed", "failed")}
        yield Finding(
            f"{row['line']} with {row['data']}: of {plural(row['answers'], 'answer')}, {listed(parts)} "
            f"({percent(lost / row['answers'])}{failed}). They are in no score; the tables give bounds.",
            ({**counts, "share": lost / row["answers"]},),
        )


def _refusals(number: int) -> str:
    return "1 was a refusal" if number == 1 else f"{count(number)} were refusals"


def _asked_table(results: QaResults) -> Table:
    numbers = ("items", "variants", "repeats", "answers", "refused", "unparsed")
    rows = tuple(
        (
            row["line"],
            row["data"],
            row["protocol"],
            row["ask"],
            *(count(row[name]) for name in numbers),
            "yes" if row["orders"] > 1 else "no",
        )
        for row in results.asked.iter_rows(named=True)
    )
    columns = (
        *(Column(name) for name in ("model", "data", "protocol", "asked for")),
        *(Column(name, numeric=True) for name in numbers),
        Column("options shuffled"),
    )
    return Table("What each model was asked", columns, rows)


def _run_table(runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        data, said = data_facts(run), run.facts.get("settings")
        settings = said if isinstance(said, Mapping) else {}
        rows.append(
            (
                run.origin,
                without_directions(inputs.text(data, "label")),
                visible_directions(inputs.text(data, "path")),
                inputs.text(settings, "seed"),
                _sampling(settings.get("sampling")),
                "yes" if settings.get("system") else "no",
                inputs.text(data, "sha256")[: inputs.SHOWN_DIGITS],
                inputs.text(run.facts, "endoxa"),
                inputs.text(run.facts, "finished")[:19].replace("T", " "),
            )
        )
    names = (
        "run",
        "data",
        "file",
        "seed",
        "sampling",
        "system message",
        "SHA-256 of the file",
        "endoxa",
        "finished",
    )
    return Table("Runs", tuple(Column(name) for name in names), tuple(rows), measured=False)


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


def _model_table(results: QaResults) -> Table:
    served = results.asked.group_by("model").agg(
        pl.col("served").explode().drop_nulls().unique(maintain_order=True)
    )
    found: dict[str, list[str]] = dict(served.iter_rows())
    rows = tuple(
        (
            name.label,
            visible_directions(name.model),
            name.provider,
            name.size or "not stated",
            visible_directions(", ".join(found.get(name.model, []))) or NOT_RECORDED,
            "simulated: its answers were planted" if name.simulated else NO_VALUE,
        )
        for name in results.names.values()
    )
    names = ("model", "as named in the command", "provider", "size", "served as", "kind")
    return Table("Models", tuple(Column(name) for name in names), rows, measured=False)


def _version_table(runs: Sequence[Run]) -> Table:
    rows = tuple((run.origin, inputs.settings(run.facts.get("versions"))) for run in runs)
    return Table(
        "Versions of the software", (Column("run"), Column("versions")), rows, folded=True, measured=False
    )


def summary(results: QaResults) -> str:
    """As in '9,240 answers of 2 models to Nationality and Name'."""
    answers = int(results.asked["answers"].sum())
    items = results.asked.group_by("data", maintain_order=True).agg(pl.col("items").max())
    data = ", ".join(f"{label} ({plural(n, 'item')})" for label, n in items.iter_rows())
    return f"{plural(answers, 'answer')}, {plural(len(results.names), 'model')}; {data}."


def cost(runs: Sequence[Run], results: QaResults) -> Section:
    """One row per run and model, and their sums."""
    entries = [entry for run in runs for entry in _usage(run, results)]
    rows = [
        (*words, *(_whole(used.get(name)) for name in COUNTS), _dollars(used.get("cost_usd")))
        for words, used in entries
    ]
    if len(entries) > 1:
        sums = [_sum([used.get(name) for _, used in entries]) for name in (*COUNTS, "cost_usd")]
        rows.append((TOTAL, NO_RUN, *(_whole(value) for value in sums[:-1]), _dollars(sums[-1])))
    columns = (
        Column("model"),
        Column("run"),
        *(
            Column(name, numeric=True)
            for name in ("calls", "tokens sent", "tokens received", "cost, US dollars")
        ),
    )
    return Section(
        anchor="cost",
        folded=True,
        title="What it took",
        tables=(Table("Calls, tokens and cost", columns, tuple(rows)),),
        notes=(
            "Tokens as the providers counted them, cost from the list prices that the run knew; a provider's bill "
            f"decides. “{UNKNOWN_PRICE}”: no price was known, as for models of one's own.",
        ),
    )


def _usage(run: Run, results: QaResults) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """((label, run), usage) of every model of the run."""
    usage = run.facts.get("usage")
    where = f"{run.folder.name} ({without_directions(str(data_facts(run).get('label', NOT_RECORDED)))})"
    for model, used in usage.items() if isinstance(usage, Mapping) else ():
        name = results.names.get(model)
        yield (
            (name.label if name else without_directions(str(model)), where),
            used if isinstance(used, Mapping) else {},
        )


def _sum(values: Sequence[object]) -> float | None:
    """Their sum; None where one is not known, because a part is no total."""
    numbers = [value for value in values if isinstance(value, int | float)]
    return sum(numbers) if len(numbers) == len(values) else None


def _whole(value: object) -> str:
    return f"{int(value):,}" if isinstance(value, int | float) else NOT_RECORDED


def _dollars(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, int | float) else UNKNOWN_PRICE
