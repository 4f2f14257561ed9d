"""Tables of association tests: as in a paper, every number, the words behind the tests, what was run.

A row of the paper's table is a pair of groups and a pair of attributes, a column one encoder in one language, as in
Tables 3, 4 and 9 of IndiBias; the intervals are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.report.results import UNDEFINED, Associations
from endoxa.report import estimates as say
from endoxa.report import inputs
from endoxa.report.claims import CLAIMED, UNTESTABLE, mark
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.overview import data_field, fact_field, run_table, shortened, what_was_run
from endoxa.report.tables import (
    Cell,
    Column,
    Table,
    number_field,
    paper_texts,
    table_of,
    text_field,
    transposed,
)
from endoxa.report.words import (
    NO_VALUE,
    NOT_RECORDED,
    count,
    language_name,
    listed,
    p_value,
    plural,
    signed,
    signed_interval,
)
from endoxa.runs.folder import TESTS
from endoxa.runs.options import ReportOptions
from endoxa.stats.verdicts import UNTESTED

ROW = ("axis", "x", "y", "a", "b")
COLUMN = ("language", "label", "pooling")
MOST_CELLS = 400
"""Larger tables as in a paper stay closed until asked for."""

MOST_OPEN = 12
"""So do longer tables of every number."""


def paper_forms(results: Associations, paper: ReportOptions) -> dict[str, Callable[[], str]]:
    """The table as in a paper as Markdown, LaTeX and CSV, one for each axis."""

    def tables() -> list[Table]:
        made = paper_tables(results.estimates)
        return [transposed(table, "model") for table in made] if paper.transpose else made

    untestable = results.estimates.drop_nulls("value").filter(verdict=UNTESTED).height
    bounded = results.estimates["low"].count() > 0
    note = (
        f"Effect sizes (ddof {results.ddof}){f' with {results.kind().level} bootstrap intervals' if bounded else ''}; "
        "positive: the first group lies nearer to the first attribute, rather than the second, than the second group "
        "does. "
        f"{CLAIMED}: the groups differ ({results.sides} permutation p-value at most {results.level} after "
        f"Benjamini-Hochberg over all tests){f'; {UNTESTABLE}: cannot be tested' if untestable else ''}."
    )
    return paper_texts(tables, paper, title="axis", note=note)


def paper_tables(estimates: pl.DataFrame) -> list[Table]:
    """One table per axis, or per axis and language where languages do not share their set names.

    Columns of one language stand together. Tests that share their set names and differ in name only (other templates,
    say) get rows of their own, with the name of the test behind the attributes.
    """
    tables = []
    for (axis,), tests in estimates.group_by(["axis"], maintain_order=True):
        shared = tests.select("language", *ROW).n_unique() > tests.select(ROW).n_unique()
        parts = [tests] if shared else tests.partition_by("language", maintain_order=True)
        tables += [_paper_table(str(axis), part) for part in parts]
    return tables


def _paper_table(axis: str, tests: pl.DataFrame) -> Table:
    languages = tests["language"].unique(maintain_order=True).to_list()
    heads = sorted(
        tests.select(COLUMN).unique(maintain_order=True).rows(), key=lambda head: languages.index(head[0])
    )
    alike = tests.select(*ROW, *COLUMN).is_duplicated().any()
    rows: list[tuple[str | Cell, ...]] = []
    for key, group in tests.group_by([*ROW, "test"] if alike else ROW, maintain_order=True):
        cells = {tuple(row[name] for name in COLUMN): _effect(row) for row in group.iter_rows(named=True)}
        _, x, y, a, b, *test = key
        attributes = f"{a} / {b}" + (f" ({test[0]})" if test else "")
        rows.append((f"{x} / {y}", attributes, *(cells.get(head, Cell(NO_VALUE)) for head in heads)))
    columns = (
        Column(label, numeric=True, above=language_name(language) if language else "", below=pooling)
        for language, label, pooling in heads
    )
    return Table(axis, (Column("groups"), Column("attributes"), *columns), tuple(rows), stub=2)


def _effect(row: Mapping[str, Any]) -> Cell:
    """An effect size with its mark and its interval, '−0.212 to +0.988'."""
    if row["value"] is None:
        return Cell(UNDEFINED)
    interval = None if row["low"] is None else signed_interval(row["low"], row["high"])
    return Cell(signed(row["value"]), mark(row), interval)


def effect_sizes(results: Associations) -> Section:
    """Effect sizes as papers print them, with stars."""
    tables = paper_tables(results.estimates)
    folded = sum(len(table.rows) * len(table.columns) for table in tables) > MOST_CELLS
    note = f"*: the groups differ (adjusted {results.sides} p-value at most {results.level}); †: cannot be tested."
    captioned = (
        replace(table, caption=", ".join(filter(None, ("Effect sizes", table.caption))), folded=folded)
        for table in tables
    )
    return Section("effect-sizes", "Effect sizes as in a paper", tables=tuple(captioned), notes=(note,))


def all_tests(results: Associations) -> Section:
    """Every number of every test, what is undefined and why, and how the numbers were made."""
    estimates = results.estimates
    # The method between its name and the seed is of single tests.
    made = estimates["method"].str.replace(r";.*;", ";").replace("", NOT_RECORDED).unique(maintain_order=True)
    return Section(
        "all-tests",
        "Every number",
        tables=(
            say.numbers(
                results.kind(digits=3),
                "All tests (n: texts in X/Y/A/B)",
                estimates,
                (
                    *map(text_field, ("test", "encoder")),
                    text_field("language", shown=_language),
                    *map(text_field, ("x", "y", "a", "b")),
                    text_field("n", lambda row: "/".join(count(row[f"n_{letter}"]) for letter in "xyab")),
                ),
                (
                    number_field("p", "p_value", p_value),
                    number_field("one-sided p as published", "p_published", p_value),
                    text_field("kind of p", "p_kind"),
                    text_field("partitions", "n_partitions"),
                    text_field("reason"),
                    text_field("undefined"),
                ),
                most_open=MOST_OPEN,
            ),
        ),
        notes=(f"How the numbers were made: {'. '.join(made)}.",),
    )


def _language(code: str) -> str:
    return language_name(code) if code else NO_VALUE


def words(runs: Sequence[Run]) -> Section | None:
    """Every different set of the runs, in order of appearance; None where only tables were given.

    Raises:
        UserError: a run's tests cannot be read.
    """
    paths = [run.folder / TESTS for run in runs]
    tests = [test for path in paths if path.is_file() for test in read_tests(path)]
    sets = {(test.language, part): None for test in tests for part in (test.x, test.y, test.a, test.b)}
    if not sets:
        return None
    fields = (
        text_field("set", lambda entry: entry[1].name),
        text_field("language", lambda entry: _language(entry[0])),
        number_field("texts", lambda entry: str(len(entry[1].texts))),
        # The texts themselves where the terms are not known.
        text_field(
            "words",
            lambda entry: Cell(", ".join(dict.fromkeys(entry[1].terms or entry[1].texts)), language=entry[0]),
            veiled=True,
        ),
    )
    unveil = "Show the words (some are slurs or demeaning)"
    return Section(
        anchor="words",
        title="The words behind the tests",
        lead="Every set, with the words its texts were made from.",
        skip="Skip the words",
        tables=(table_of("Words of every set", sets, fields, unveil=unveil),),
        closing="The sentences around the words are in tests.json of the run folder.",
    )


def tests_overview(runs: Sequence[Run], results: Associations) -> Section:
    """Tables of runs and of encoders; what is missing is called 'not recorded'."""
    estimates = results.estimates
    models = {
        inputs.text(model, "name"): model for run in runs for model in inputs.entries(run.facts.get("models"))
    }
    encoders = estimates.select("label", "model", "pooling").unique(maintain_order=True).rows(named=True)
    tests = number_field("tests", lambda run: count(estimates.filter(run=str(run.folder))["test"].n_unique()))
    return what_was_run(
        [Finding(str(sentence)) for run in runs for sentence in inputs.items(run.facts.get("left_out"))],
        (
            run_table(runs, (data_field("tests from", "path"), tests), data="tests"),
            table_of(
                "Encoders",
                [{**models.get(row["model"], {}), **row} for row in encoders],
                (
                    text_field("model", "label"),
                    text_field("as named in the command", "model"),
                    text_field("pooling"),
                    *map(fact_field, ("kind", "layer", "revision", "dtype", "device")),
                    text_field("fingerprint", lambda facts: shortened(facts, "fingerprint")),
                ),
            ),
        ),
        runs,
    )


def summary(estimates: pl.DataFrame) -> str:
    """As in '24 tests (gender x religion; English and Hindi), 4 models, poolings cls and mean'."""
    axes, codes, poolings = (
        [name for name in estimates[column].unique(maintain_order=True) if name]
        for column in ("axis", "language", "pooling")
    )
    scope = "; ".join(listed(names) for names in (axes, list(map(language_name, codes))) if names)
    parts = (
        plural(estimates["test"].n_unique(), "test") + (f" ({scope})" if scope else ""),
        plural(estimates["model"].n_unique(), "model"),
        f"{'pooling' if len(poolings) == 1 else 'poolings'} {listed(poolings)}" if poolings else "",
    )
    return f"{', '.join(filter(None, parts))}."
