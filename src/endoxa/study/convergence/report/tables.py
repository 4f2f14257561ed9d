"""Tables of convergence for the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from endoxa.report.claims import chip
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, count, p_value, signed
from endoxa.schema.convergence import AGREEMENTS
from endoxa.study.convergence.words import ends, number, tool

MOST_LISTED = 40
"""Associations of a model in the list on the page; the table has all."""
BRIEF = {"all agree", "contradict", "some agree", "only one sees it"}
"""Kinds that the list shows; nobody needs to look at the others first."""

Labels = Mapping[str, str]
Row = tuple[str | Cell, ...]


def correlation_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """Every model and pair of instruments."""
    columns = (
        Column("model"),
        Column("instruments"),
        Column("verdict"),
        Column("corrected", numeric=True),
        Column("raw", numeric=True),
        Column("reliability, first", numeric=True),
        Column("reliability, second", numeric=True),
        Column("associations", numeric=True),
        Column("identities", numeric=True),
        Column("p adjusted", numeric=True),
    )
    body = (
        (
            labels[row["model"]],
            f"{tool(row['instrument_1'])}, {tool(row['instrument_2'])}",
            chip(row),
            with_interval(row["corrected"], row["low"], row["high"], row["verdict"]),
            with_interval(row["raw"], row["raw_low"], row["raw_high"], row["verdict"]),
            with_interval(row["reliability_1"], row["reliability_1_low"], row["reliability_1_high"], ""),
            with_interval(row["reliability_2"], row["reliability_2_low"], row["reliability_2_high"], ""),
            count(row["n_associations"]),
            count(row["n_identities"]),
            p_value(row["p_adjusted"]),
        )
        for row in rows.iter_rows(named=True)
    )
    return _of_models("Correlations of instruments over associations", columns, body, labels, stub=2)


def with_interval(value: float | None, low: float | None, high: float | None, verdict: str) -> Cell:
    """A correlation with its interval behind it, where it has one."""
    return Cell(number(value), below="" if low is None else ends(low, high, verdict), order=value)


def _of_models(
    caption: str, columns: tuple[Column, ...], body: Iterable[Row], labels: Labels, **more: Any
) -> Table:
    """A table whose first column names the model, which is left out where there is one model only."""
    rows = tuple(body)
    if len(labels) > 1:
        return Table(caption, columns, rows, **more)
    more["stub"] = max(1, more.get("stub", 1) - 1)
    return Table(caption, columns[1:], tuple(row[1:] for row in rows), **more)


def reliability_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """Every model and instrument."""
    columns = (
        Column("model"),
        Column("instrument"),
        Column("associations", numeric=True),
        Column("identities", numeric=True),
        Column("parts per association", numeric=True),
        Column("reliability", numeric=True),
        Column("random halves", numeric=True),
        Column("why not"),
    )
    body = tuple(
        (
            labels[row["model"]],
            tool(row["instrument"]),
            count(row["n_associations"]),
            count(row["n_identities"]),
            f"{row['parts']:g}",
            with_interval(row["reliability"], row["low"], row["high"], ""),
            number(row["split_half"]),
            row["reason"] or NO_VALUE,
        )
        for row in rows.iter_rows(named=True)
    )
    return _of_models("Reliability of every instrument", columns, body, labels, folded=True, stub=2)


def discriminant_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """Every model and pair of instruments whose agreement can be compared with other identities."""
    columns = (
        Column("model"),
        Column("instruments"),
        Column("verdict"),
        Column("difference", numeric=True),
        Column("same association", numeric=True),
        Column("other identity", numeric=True),
        Column("other identity, same instrument", numeric=True),
        Column("associations", numeric=True),
        Column("attributes", numeric=True),
        Column("p adjusted", numeric=True),
    )
    body = (
        (
            labels[row["model"]],
            f"{tool(row['instrument_1'])}, {tool(row['instrument_2'])}",
            chip(row),
            with_interval(row["difference"], row["low"], row["high"], row["verdict"]),
            number(row["same"]),
            number(row["other"]),
            f"{number(row['within_1'])}, {number(row['within_2'])}",
            count(row["n_associations"]),
            count(row["n_attributes"]),
            p_value(row["p_adjusted"]),
        )
        for row in rows.iter_rows(named=True)
    )
    return _of_models("The same association against other identities", columns, body, labels, stub=2)


def count_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """How many associations of each model are of each kind."""
    kinds = [kind for kind in AGREEMENTS if kind in set(rows["agreement"])]
    columns = (Column("model"), *(Column(kind, numeric=True) for kind in kinds))
    body = tuple(
        (labels[str(model)], *(count(int((part["agreement"] == kind).sum())) for kind in kinds))
        for (model,), part in rows.group_by("model", maintain_order=True)
    )
    return Table("Associations by what the instruments say together", columns, body)


def seen_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """How many associations each instrument sees, from the effects."""
    words = {
        "above": "stereotype",
        "below": "opposite",
        "unclear": "unclear",
        "cannot-be-tested": "cannot be tested",
    }
    kinds = [verdict for verdict in words if verdict in set(rows["verdict"])]
    columns = (
        Column("model"),
        Column("instrument"),
        *(Column(words[kind], numeric=True) for kind in kinds),
        Column("mean effect", numeric=True),
    )
    groups = rows.group_by("model", "instrument", maintain_order=True)
    body = tuple(
        (
            labels[str(model)],
            tool(str(instrument)),
            *(count(int((part["verdict"] == kind).sum())) for kind in kinds),
            signed(_mean(part["effect"]), 2),
        )
        for (model, instrument), part in groups
    )
    return _of_models("What each instrument sees", columns, body, labels, stub=2)


def _mean(values: pl.Series) -> float | None:
    numbers = values.drop_nulls().to_list()
    return sum(numbers) / len(numbers) if numbers else None


def list_table(rows: pl.DataFrame, labels: Labels) -> Table:
    """The associations to look at first, of each model the first `MOST_LISTED`."""
    columns = (
        Column("model"),
        Column("place", numeric=True),
        Column("association", veiled=True),
        Column("agreement"),
        Column("see the stereotype"),
        Column("see the opposite"),
        Column("unclear"),
        Column("mean effect", numeric=True),
    )
    shown = rows.filter(pl.col("agreement").is_in(BRIEF))
    shown = shown.filter(pl.int_range(pl.len()).over("model") < MOST_LISTED)
    body = tuple(
        (
            labels[row["model"]],
            Cell(count(row["place"]), order=row["place"]),
            f"{row['identity']}: {row['attribute'] or row['association_id']}",
            row["agreement"],
            _tools(row["above"]),
            _tools(row["below"]),
            _tools(row["unclear"]),
            signed(row["mean_effect"], 2),
        )
        for row in shown.iter_rows(named=True)
    )
    return _of_models("Associations to look at first", columns, body, labels, tall=True, stub=3, headed=False)


def _tools(names: str) -> str:
    return ", ".join(tool(name) for name in names.split("; ") if name) or NO_VALUE
