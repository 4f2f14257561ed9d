"""Every number of every test, what is undefined and why, and how the numbers were made."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.report.association_table import MISSING, UNDEFINED
from endoxa.report.associations import Associations
from endoxa.report.claims import chip
from endoxa.report.document import Column, Finding, Section, Table
from endoxa.report.words import count, listed, p_value, signed, signed_interval


def all_tests(results: Associations) -> Section:
    """Every number, and what is undefined with its reason."""
    return Section(
        anchor="all-tests",
        title="Every number",
        findings=tuple(_undefined(results.estimates)),
        tables=(_full_table(results.estimates), _method_table(results.estimates)),
    )


def _undefined(estimates: pl.DataFrame) -> Iterator[Finding]:
    missing = estimates.filter(pl.col("effect_size").is_null() | pl.col("p_value").is_null())
    for (reason,), own in missing.group_by(["reason"], maintain_order=True):
        names = listed([f"{row['test']} ({row['encoder']})" for row in own.head(3).iter_rows(named=True)])
        more = f" and {own.height - 3} more" if own.height > 3 else ""
        yield Finding(
            f"Undefined: {names}{more}. Reason: {str(reason).rstrip('.') or 'not recorded'}.",
            (
                {"more": own.height - 3, "reason": str(reason)},
                *own.select("test", "encoder").iter_rows(named=True),
            ),
        )


def _full_table(estimates: pl.DataFrame) -> Table:
    texts = ("test", "encoder", "language", "x", "y", "a", "b", "n")
    numbers = ("effect size", "ddof 0", "interval", "p", "adjusted p")
    names = (*texts, *numbers, "verdict", "kind of p", "partitions", "reason of the verdict", "reason")
    rows = tuple(
        (
            *(row[name] or MISSING for name in texts[:-1]),
            "/".join(count(_whole(row[name])) for name in ("n_x", "n_y", "n_a", "n_b")),
            _shown(row["effect_size"]),
            _shown(row["effect_size_ddof0"]),
            signed_interval(row["low"], row["high"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            chip(row),
            row["p_kind"] or MISSING,
            row["n_partitions"] or MISSING,
            row["verdict_reason"] or MISSING,
            row["reason"] or MISSING,
        )
        for row in estimates.iter_rows(named=True)
    )
    return Table(
        "All tests (n: texts in X/Y/A/B)",
        tuple(Column(name, numeric=name in numbers) for name in names),
        rows,
        folded=len(rows) > 40,
    )


def _method_table(estimates: pl.DataFrame) -> Table:
    seed = pl.col("method").str.extract(r"seed (\d+)").fill_null("not recorded")
    named = estimates.select(method=pl.col("method").str.split(";").list.first(), seed=seed)
    rows = named.group_by("method", "seed", maintain_order=True).agg(n=pl.len()).iter_rows()
    return Table(
        "How the numbers were made",
        (Column("method"), Column("seed"), Column("results", numeric=True)),
        tuple((method or "not recorded", seed, count(n)) for method, seed, n in rows),
    )


def _shown(value: float | None) -> str:
    return UNDEFINED if value is None else signed(value)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
