"""What each instrument measured and sees of every association: how many all see, against chance, and the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.tables import Cell, Field, Table, number_field, table_of, text_field
from endoxa.report.words import count, decimal, listed, p_value, plural, signed
from endoxa.schema.convergence import (
    AGREEMENTS,
    CONTRADICT,
    LONE_FINDING,
    NOT_TESTED,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
)
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED
from endoxa.study.convergence.correlations import tool
from endoxa.study.convergence.run import Convergence

MOST_LISTED = 40
"""Associations of a model in the list on the page; the table has all."""


def model_table(
    caption: str,
    rows: pl.DataFrame,
    labels: Mapping[str, str],
    *fields: Field,
    stub: int = 2,
    **settings: Any,
) -> Table:
    """A table whose first column names the model, which is left out where there is one model only."""
    several = len(labels) > 1
    model = text_field("model", "model", labels.__getitem__) if several else None
    return table_of(caption, rows, (model, *fields), stub=stub - (not several), **settings)


INSTRUMENT = text_field("instrument", "instrument", tool)
SEEN = {ABOVE: "stereotype", BELOW: "opposite", UNCLEAR: "unclear", UNTESTED: "cannot be tested"}
"""What an instrument sees of an association with a verdict."""


def by_association(convergence: Convergence) -> Section | None:
    """What was measured by how many instruments, what each of them sees, and how much all see."""
    rows, labels = convergence.agreement, convergence.labels
    if convergence.effects["instrument"].n_unique() < 2:
        return None
    kinds = [kind for kind in AGREEMENTS if kind in set(rows["agreement"])]
    counts = rows.group_by("model", maintain_order=True).agg(
        (pl.col("agreement") == kind).sum().alias(kind) for kind in kinds
    )
    seen = [verdict for verdict in SEEN if verdict in set(convergence.effects["verdict"])]
    by_instrument = convergence.effects.group_by("model", "instrument", maintain_order=True).agg(
        *((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in seen), pl.col("effect").mean()
    )
    return Section(
        "associations",
        "Associations and instruments",
        findings=(*_coverage(convergence), *_shares(convergence)),
        tables=(
            _listed(convergence),
            table_of(
                "Associations by what the instruments say together",
                counts,
                (text_field("model", "model", labels.__getitem__), *map(number_field, kinds)),
            ),
            model_table(
                "What each instrument sees",
                by_instrument,
                labels,
                INSTRUMENT,
                *(number_field(SEEN[verdict], verdict) for verdict in seen),
                number_field("mean effect", "effect", _effect),
            ),
        ),
        notes=(
            "First come associations that all instruments see, then contradictions, then what several see, then what "
            "only one sees; within a kind, the stereotype before its opposite and the largest mean effect first. "
            f"Up to {MOST_LISTED} associations of each model are listed; agreement.csv and effects.csv hold all.",
            "An instrument sees an association where its effect differs from 0 after correction. It sees more the more "
            "alike its parts are: all sentences of an association test share their words, so even a small difference "
            "is claimed. An unclear effect does not show that there is nothing.",
        ),
    )


def _effect(value: float | None) -> str:
    return signed(value, 2)


def _coverage(convergence: Convergence) -> Iterator[Finding]:
    """'60 associations: 40 measured with all 3 instruments, 20 with one', once for models that are alike."""
    counted = convergence.agreement.group_by("model", "n_instruments", maintain_order=True).len()
    tools = dict(convergence.effects.group_by("model").agg(pl.col("instrument").n_unique()).iter_rows())
    several = len(convergence.labels) > 1
    for model, label in convergence.labels.items():
        numbers = dict(
            counted.filter(model=model).select("n_instruments", "len").sort("n_instruments").iter_rows()
        )
        every, total = tools[model], sum(numbers.values())
        parts = [
            f"{count(numbers[many])} with {f'all {many} instruments' if many == every else plural(many, 'instrument')}"
            for many in sorted(numbers, reverse=True)
        ]
        begun = f"{label}, {plural(total, 'association')}" if several else plural(total, "association")
        begun += " measured"
        values = {"total": total, "every": every} | {f"with_{many}": n for many, n in numbers.items()}
        values |= {f"instruments_{many}": many for many in numbers}
        yield Finding(f"{begun}: {listed(parts)}.", (values,))


def _listed(convergence: Convergence) -> Table:
    """The first associations of each model, with a column for each instrument."""
    labels = convergence.labels
    tools = list(dict.fromkeys(convergence.effects["instrument"]))
    cells = {
        (row["model"], row["association_id"], row["instrument"]): row
        for row in convergence.effects.iter_rows(named=True)
    }

    def seen(instrument: str) -> Callable[[Mapping[str, Any]], Cell]:
        def cell(row: Mapping[str, Any]) -> Cell:
            effect = cells.get((row["model"], row["association_id"], instrument))
            if effect is None:
                return Cell("not measured")
            below = "" if effect["effect"] is None else _effect(effect["effect"])
            return Cell(SEEN[effect["verdict"]], below=below)

        return cell

    return model_table(
        "Associations by instrument, those to look at first on top",
        convergence.agreement.filter(pl.int_range(pl.len()).over("model") < MOST_LISTED),
        labels,
        number_field("place", lambda row: Cell(count(row["place"]), order=row["place"])),
        text_field(
            "association",
            lambda row: f"{row['identity']}: {row['attribute'] or row['association_id']}",
            veiled=True,
        ),
        *(text_field(tool(instrument), seen(instrument)) for instrument in tools),
        number_field(
            "measured with",
            lambda row: Cell(f"{row['n_instruments']} of {len(tools)}", order=row["n_instruments"]),
        ),
        text_field("together", "agreement"),
        number_field("mean effect", "mean_effect", _effect),
        stub=3,
        tall=True,
        headed=False,
    )


def _shares(convergence: Convergence) -> Iterator[Finding]:
    """A sentence for each model: how many associations all see against chance, and what several or one see."""
    words = {
        CONTRADICT: "on which instruments contradict each other",
        SOME_AGREE: "seen by several but not all",
        LONE_FINDING: "seen by only one",
    }
    labels = convergence.labels
    several = convergence.agreement.filter(~pl.col("agreement").is_in([SINGLE_INSTRUMENT, NOT_TESTED]))
    for row in convergence.chance.iter_rows(named=True):
        beside = {"value": row["observed"], "neutral": row["expected"]}
        yield Finding(f"{labels[row['model']]}: {chance_sentence(row)}", (row | beside,))
        part = several.filter(model=row["model"])
        numbers = {"total": part.height} | {kind: int((part["agreement"] == kind).sum()) for kind in words}
        counts = [f"{count(numbers[kind])} {words[kind]}" for kind in words if numbers[kind]]
        if counts:
            text = (
                f"{plural(part.height, 'association')} tested with two or more instruments: {listed(counts)}"
            )
            yield Finding(f"{labels[row['model']]}, {text}.", (numbers,))


def chance_sentence(row: Mapping[str, Any]) -> str:
    """How many associations all instruments see, beside the number expected by chance."""
    every = "both instruments" if row["n_instruments"] == 2 else f"all {row['n_instruments']} instruments"
    if not row["n_associations"]:
        return f"what {every} see together cannot be tested: {row['reason']}."
    numbers = (
        f"of {plural(row['n_associations'], 'association')} tested with {every}, {count(int(row['observed']))} "
        f"{'is' if row['observed'] == 1 else 'are'} seen by all of them"
    )
    if row["verdict"] == UNTESTED:
        return f"{numbers}; whether that is more than by chance cannot be tested: {row['reason']}."
    finding = "more often than by chance" if row["verdict"] == ABOVE else "not distinguishable from chance"
    beside = f"{decimal(row['expected'], 1)} would be by chance"
    return f"{numbers}, where {beside}: {finding} (p {p_value(row['p_adjusted'])})."
