"""Which associations several instruments show, one, or none: how many, against chance, and a map of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, listed, p_value, plural, signed
from endoxa.schema.convergence import (
    AGAINST,
    AGREEMENTS,
    ALL,
    NONE,
    ONE,
    SEVERAL,
)
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED
from endoxa.study.convergence.correlations import tool
from endoxa.study.convergence.run import Convergence


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
"""What an instrument shows of an association with a verdict."""


def by_association(convergence: Convergence) -> Section | None:
    """How many associations several instruments show, one, or none; and what each shows of each."""
    if convergence.effects["instrument"].n_unique() < 2:
        return None
    rows, labels = convergence.agreement, convergence.labels
    kinds = [kind for kind in AGREEMENTS if kind in set(rows["agreement"])]
    counts = rows.group_by("model", maintain_order=True).agg(
        (pl.col("agreement") == kind).sum().alias(kind) for kind in kinds
    )
    seen = [verdict for verdict in SEEN if verdict in set(convergence.effects["verdict"])]
    by_instrument = convergence.effects.group_by("model", "instrument", maintain_order=True).agg(
        *((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in seen), pl.col("effect").mean()
    )
    sizes = convergence.reliabilities.select("model", "instrument", "n_associations", "parts")
    return Section(
        "associations",
        "Which associations several instruments show",
        findings=(*_together(convergence), *_coverage(convergence)),
        tables=(
            _chance_table(convergence),
            table_of(
                "Associations by what the instruments say together",
                counts,
                (text_field("model", "model", labels.__getitem__), *map(number_field, kinds)),
            ),
            model_table(
                "What each instrument shows",
                by_instrument.join(sizes, on=["model", "instrument"], how="left", maintain_order="left"),
                labels,
                INSTRUMENT,
                number_field("associations", "n_associations"),
                *(number_field(SEEN[verdict], verdict) for verdict in seen),
                number_field("mean effect", "effect", _effect),
                number_field("parts per association", "parts", "{:g}".format),
            ),
        ),
        notes=(
            "An instrument shows an association where its effect differs from 0 after correction over all associations "
            "of that instrument (Benjamini-Hochberg). Numbers: effects in standard deviations of single measurements, "
            "above 0 towards the stereotype. 'not measured': no item could be made of it. 'unclear' does not mean that "
            "there is nothing.",
            "By chance: what each instrument claims is kept, with its own share of claims and the means of attributes, "
            "but identities are exchanged in all instruments but one. So the number by chance holds what comes of "
            "error rates, of many tests, and of words that all instruments react to. The "
            "claims of an association whose attribute no other identity has stay: association or word. The range holds "
            f"{100 * convergence.options.confidence:g}\u00a0% of the exchanges.",
            "An instrument claims more the more alike its parts are: all sentences of an association test share their "
            "words, so even a small difference is claimed. Whether instruments go together at all is tested below, "
            "with identities and attributes as samples.",
        ),
    )


def _effect(value: float | None) -> str:
    return signed(value, 2)


def _chance_table(convergence: Convergence) -> Table:
    """How many associations are shown by how many instruments, beside chance."""
    return model_table(
        "Associations by how many instruments show them, and by chance",
        convergence.chance,
        convergence.labels,
        text_field("shown by", "together"),
        number_field("associations", lambda row: count(int(row["observed"]))),
        number_field("by chance", lambda row: _or_none(row["expected"])),
        number_field("range by chance", _range),
        number_field("tested", "n_associations"),
        number_field(
            "p adjusted", lambda row: NO_VALUE if row["p_adjusted"] is None else p_value(row["p_adjusted"])
        ),
    )


def _or_none(value: float | None) -> str:
    return NO_VALUE if value is None else decimal(value, 1)


def _range(row: Mapping[str, Any]) -> str:
    return (
        NO_VALUE
        if row["range_low"] is None
        else f"{count(int(row['range_low']))} to {count(int(row['range_high']))}"
    )


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


def _together(convergence: Convergence) -> Iterator[Finding]:
    """A sentence for each model and number that is tested, and one with the numbers that are not."""
    for (model,), rows in convergence.chance.group_by("model", maintain_order=True):
        label = convergence.labels[str(model)]
        by_kind = {row["together"]: row for row in rows.iter_rows(named=True)}
        for row in (by_kind[name] for name in (SEVERAL, ALL) if name in by_kind):
            beside = {"value": row["observed"], "neutral": row["expected"]}
            yield Finding(f"{label}: {chance_sentence(row)}", (row | beside,))
        words = {
            AGAINST: ("is shown against each other", "are shown against each other"),
            ONE: ("is shown by one instrument only", "are shown by one instrument only"),
            NONE: ("is shown by none", "are shown by none"),
        }
        numbers = {name: int(by_kind[name]["observed"]) for name in words}
        total = by_kind[NONE]["n_associations"]
        if total:
            parts = [f"{count(n)} {words[name][n != 1]}" for name, n in numbers.items() if n]
            if parts:
                text = f"{label}: of the same {plural(total, 'association')}, {listed(parts)}."
                yield Finding(text, (numbers | {"total": total},))


def chance_sentence(row: Mapping[str, Any]) -> str:
    """How many associations several or all instruments show, beside the number expected by chance."""
    many = row["n_instruments"]
    every = (
        f"all {many} instruments"
        if row["together"] == ALL
        else "both instruments"
        if many == 2
        else "several instruments"
    )
    tested = f"all {many}" if row["together"] == ALL else "both" if many == 2 else "two or more"
    if not row["n_associations"]:
        return f"what {every} show together cannot be tested: {row['reason']}."
    numbers = (
        f"{every} show {count(int(row['observed']))} of {plural(row['n_associations'], 'association')} tested with "
        f"{tested}"
    )
    if row["verdict"] == UNTESTED:
        return f"{numbers}; whether that is more than by chance cannot be tested: {row['reason']}."
    finding = "more often than by chance" if row["verdict"] == ABOVE else "not distinguishable from chance"
    between = f"{count(int(row['range_low']))} to {count(int(row['range_high']))}"
    beside = f"{decimal(row['expected'], 1)} would be by chance ({between})"
    return f"{numbers}, where {beside}: {finding} (p {p_value(row['p_adjusted'])})."
