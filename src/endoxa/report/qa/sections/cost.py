"""Calls, tokens and cost of every run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from endoxa.report.document import Column, Section, Table
from endoxa.report.inputs import Run
from endoxa.report.qa.labels import one_direction
from endoxa.report.qa.results import QaResults
from endoxa.report.qa.sections.overview import data_facts
from endoxa.report.words import NOT_RECORDED

COUNTS = ("calls", "prompt_tokens", "completion_tokens")
TOTAL = "all together"


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
        title="What it took",
        tables=(Table("Calls, tokens and cost", columns, tuple(rows)),),
        notes=(
            "Tokens as the providers counted them, cost from the list prices that the run knew; a provider's bill "
            f"decides. “{UNKNOWN_PRICE}”: no price was known, as for models of one's own.",
        ),
    )


NO_RUN = ""
UNKNOWN_PRICE = "not known"


def _usage(run: Run, results: QaResults) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """((label, run), usage) of every model of the run."""
    usage = run.facts.get("usage")
    where = f"{run.folder.name} ({one_direction(str(data_facts(run).get('label', NOT_RECORDED)))})"
    for model, used in usage.items() if isinstance(usage, Mapping) else ():
        name = results.names.get(model)
        yield (
            (name.label if name else one_direction(str(model)), where),
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
