"""Every number of every test, what is undefined and why, and how the numbers were made.

The words behind the tests: every set with its terms, as the runs keep them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.report.results import Associations
from endoxa.instruments.association_tests.report.tables import MISSING, UNDEFINED
from endoxa.page.claims import chip
from endoxa.page.document import Column, Finding, Section, Table
from endoxa.page.inputs import Run
from endoxa.page.words import count, language_name, listed, p_value, signed, signed_interval
from endoxa.schema import TermSet


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


TESTS = "tests.json"


@dataclass(frozen=True, slots=True)
class WordSet:
    """A set of words as it stands in one or several tests, finished texts.

    Attributes:
        name: what it stands for.
        language: name of its language, or empty.
        language_code: the code, or empty.
        texts: how many texts were encoded.
        words: its terms, or the texts themselves where the terms are not known.
    """

    name: str
    language: str
    language_code: str
    texts: int
    words: str


def word_sets(runs: Sequence[Run]) -> tuple[WordSet, ...]:
    """Every different set of the runs, in order of appearance; nothing where only a table was given.

    Raises:
        UserError: a run's tests cannot be read.
    """
    paths = [run.folder / TESTS for run in runs]
    tests = [test for path in paths if path.is_file() for test in read_tests(path)]
    found = {(test.language, part): None for test in tests for part in (test.x, test.y, test.a, test.b)}
    return tuple(_word(language, part) for language, part in found)


def _word(language: str, part: TermSet) -> WordSet:
    return WordSet(
        name=part.name,
        language=language_name(language) if language else "",
        language_code=language,
        texts=len(part.texts),
        words=", ".join(dict.fromkeys(part.terms or part.texts)),
    )
