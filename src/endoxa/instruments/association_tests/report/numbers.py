"""Every number of every test, what is undefined and why, how the numbers were made, and from which words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.report.results import Associations
from endoxa.instruments.association_tests.report.tables import MISSING, UNDEFINED
from endoxa.report.claims import adjusted, chip
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import count, language_name, listed, p_value, signed, signed_interval
from endoxa.schema import TermSet

TESTS = "tests.json"
"""File of a run folder that holds its sets of words."""


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
            adjusted(row),
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


def words(runs: Sequence[Run]) -> Section | None:
    """Every different set of the runs, in order of appearance; None where only tables were given.

    Raises:
        UserError: a run's tests cannot be read.
    """
    paths = [run.folder / TESTS for run in runs]
    tests = [test for path in paths if path.is_file() for test in read_tests(path)]
    found = {(test.language, part): None for test in tests for part in (test.x, test.y, test.a, test.b)}
    if not found:
        return None
    return Section(
        anchor="words",
        title="The words behind the tests",
        lead="Every set, with the words its texts were made from.",
        skip="Skip the words",
        tables=(
            Table(
                "Words of every set",
                (
                    Column("set"),
                    Column("language"),
                    Column("texts", numeric=True),
                    Column("words", veiled=True),
                ),
                tuple(_word_row(language, part) for language, part in found),
                tall=True,
                unveil="Show the words (some are slurs or demeaning)",
            ),
        ),
        closing="The sentences around the words are in tests.json of the run folder.",
    )


def _word_row(language: str, part: TermSet) -> tuple[str | Cell, ...]:
    """A set with its terms, or with the texts themselves where the terms are not known."""
    return (
        part.name,
        language_name(language) if language else MISSING,
        str(len(part.texts)),
        Cell(", ".join(dict.fromkeys(part.terms or part.texts)), language=language),
    )
