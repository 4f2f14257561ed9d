"""Estimates of a run: which tests are corrected together, and tables that are computed once and kept in its folder.

Every finding belongs to a family of tests; a page prints the families it uses (`endoxa.report.overview`).

What was estimated is kept in the run folder, and every page, table and command reads it there. `run.json` says with
which settings (`analysis`, or another key where a run has several analyses). With other settings the estimates are
computed again, by the command that asks; the run folder changes only when the run itself is repeated with those
settings. (Associations in stories differ: the command that discovers them leaves them in the folder.) Records, which
may be too many for memory, are written part by part.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError, first_line
from endoxa.runs.folder import RUN, write_json
from endoxa.schema import ALL
from endoxa.sources.files import replacing
from endoxa.sources.frames import write_table
from endoxa.sources.spreadsheets import read_csv
from endoxa.stats.verdicts import UNTESTED, Alternative, adjust_within, decide, significance

BENJAMINI_HOCHBERG = "Benjamini-Hochberg (1995)"
BENJAMINI_YEKUTIELI = "Benjamini-Yekutieli (2001)"
LARGEST = "single-step maxT (Westfall and Young 1993)"
TESTS = "tests"
"""Column of a table whose rows stand for several tests each."""


@dataclass(frozen=True, slots=True)
class Family:
    """Tests that are corrected together.

    Attributes:
        name: what pages call it.
        tests: what its tests are.
        claims: what is claimed from it.
        within: columns by whose values there is a family for each; none where all rows are one family.
        parts: columns that name a part of the data. Rows over all of it, 'all' in each of these columns, are tested
            first and alone: what parts can show takes nothing from the headline. The parts are a family after it.
        correction: how p-values are adjusted.
    """

    name: str
    tests: str
    claims: str
    within: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    correction: str = BENJAMINI_HOCHBERG

    @property
    def overall(self) -> pl.Expr:
        """Whether a row is about all of the data, where parts are tested after it."""
        whole = [pl.col(name) == ALL for name in self.parts]
        return pl.all_horizontal(whole) if whole else pl.lit(value=False)

    def numbers(self, table: pl.DataFrame) -> list[int]:
        """Tests in a table that are corrected together: rows with a p-value, or what the column `TESTS` adds up to.

        Where rows over everything are tested first and alone, these, and those after them.
        """
        if TESTS in table.columns:
            return [int(table[TESTS].sum())]
        tested, overall = pl.col("p_value").is_finite(), self.overall
        if "verdict" in table.columns:
            tested &= pl.col("verdict") != UNTESTED
        counts = table.select(first=(tested & overall).sum(), after=(tested & ~overall).sum()).row(0)
        return list(counts) if self.parts else [counts[1]]


PREFERENCES = Family(
    "preferences",
    "one test for each model over all languages and axes, first and alone; then one for each model, language and axis; "
    "for each rule, statistic and method",
    "preferences overall and by axis, raw and calibrated",
    ("rule", "name", "interval"),
    ("language", "axis"),
)
COMPARISONS = Family(
    "model comparisons",
    "one test for every two models, rule and language, raw and calibrated apart",
    "differences between models",
    ("name",),
)
ASSOCIATION_TESTS = Family(
    "association tests",
    "one test for each association test, encoder and pooling, over everything that stands in one table or on one page",
    "which of two groups lies nearer to an attribute",
)
INTERACTIONS = Family(
    "interactions of crossed groups",
    "one test for each model and rule over all crossed groups, first and alone; then one for each group",
    "whether a crossed group is stereotyped more or less than its parts explain",
    ("model", "rule"),
    ("identity",),
)
HARM_DIFFERENCES = Family(
    "models against people on harm",
    "one test over all associations, first and alone; then one for each attribute (on either side); of all models "
    "together",
    "whether models rate harm higher or lower than people, overall and by attribute",
    (),
    ("attribute",),
)
HARM_DETAILS = Family(
    "single models against people on harm",
    "one test for each model, and for each attribute, side and model; all models together by side",
    "verdicts in the tables of raters and attributes; no sentence",
)
REACH = Family(
    "reach of associations",
    "one test of harmful against benign associations",
    "whether harmful associations reach fewer or more languages than benign ones",
)
GROUPS_MOVED = Family(
    "harmful associations with groups",
    "one test for marked groups, for unmarked ones and for their difference: over all languages, for each language, "
    "and one for each group",
    "whether a language adds harmful associations with groups that are marked or unmarked where it is spoken",
    ("scope",),
)
_TABLE = ("model", "aggregation", "base_attribute")
STORY_TABLES = Family(
    "attributes in stories",
    "one test for each attribute read off the stories: a table of it against the attribute that prompts named",
    "tables that are searched for associations",
    _TABLE,
    correction=f"{BENJAMINI_HOCHBERG}, for each model, base attribute, and all languages or one",
)
STORY_CELLS = Family(
    "associations in stories",
    "one test for each cell of a table that was kept",
    "associations",
    (*_TABLE, "compared_attribute"),
    correction=f"{BENJAMINI_YEKUTIELI}, for each table",
)
STORY_TABLES_WITHIN = replace(
    STORY_TABLES,
    name="attributes in stories, within languages",
    tests="the same tables with languages as strata, where all languages of a model are analysed together",
    claims="whether a table of all languages together may be claimed",
)
STORY_CELLS_WITHIN = replace(
    STORY_CELLS,
    name="associations in stories, within languages",
    tests="the same cells with languages as strata",
    claims="whether an association of all languages together may be claimed",
)
PROTAGONISTS = Family(
    "differences of protagonists",
    "one test for each attribute that stories give their protagonists",
    "differences between models, between languages and between themes",
    ("by",),
    correction=f"{LARGEST}, for models, languages and themes apart",
)

LEANS = Family(
    "leans",
    "one test for each model, data set, protocol and kind of context over all categories, first and alone; then one "
    "for each category as well",
    "leans towards or against the stereotype",
    (),
    ("category",),
)
THOUGHTS = Family(
    "thoughts",
    "one test of the lean of the thoughts and one of its difference from the lean of the answers, for each model, data "
    "set, protocol and kind of context",
    "leans of what thoughts argue for, and whether thoughts lean more than answers",
)
NAME_DIFFERENCES = Family(
    "groups against names",
    "one test for each model, protocol, kind of context and pair of data sets, of the accuracy and of the lean",
    "differences between questions with groups and the same questions with names",
)
RETENTION = Family(
    "error retention",
    "one test for each model, protocol, kind of context and pair of data sets",
    "more or fewer errors with names than with groups",
)
SELF_DEBIASING = Family(
    "self-debiasing",
    "for each model and data set, one test of the score asked at once and one of the change under each other protocol",
    "scores nearer to 0 or farther from it",
)

SINGLE_ASSOCIATIONS = Family(
    "single associations",
    "one test for each association, by model and instrument",
    "which instruments see an association",
    ("model", "instrument"),
    correction=f"{BENJAMINI_HOCHBERG}, for each model and instrument",
)
CONVERGENCE = Family(
    "instruments that go together",
    "one test for each model and pair of instruments",
    "whether two instruments go together over associations",
)

CONTROVERSY = Family(
    "topics of disputed associations",
    "one test for each topic with at least 5 associations",
    "topics that are more or less common among the associations people disagree about",
)
LENIENCY = Family(
    "leniency",
    "one test over all ratings, first and alone; then one for each sentiment",
    "differences between ratings by people of the group and by others",
    (),
    ("sentiment",),
)
CHOICE_LEANS = Family(
    "choices",
    "one test for each model and premise over all axes, first and alone; then one for each model, premise and axis",
    "leans towards or against the stereotype",
    ("kind", "name"),
    ("axis",),
    correction=f"{BENJAMINI_HOCHBERG}, for each kind and measure",
)


def adjusted(table: pl.DataFrame, family: Family) -> pl.DataFrame:
    """The table with `p_adjusted` over the family; an undefined p-value (null, NaN) counts for nothing.

    A row that cannot be tested has no p-value: it would only weigh on those that can.

    Args:
        table: the tests, with the columns that the family names.
        family: which are corrected together.
    """
    if "reason" in table.columns:
        testable = pl.col("reason").fill_null("") == ""
        table = table.with_columns(p_value=pl.when(testable).then("p_value").otherwise(float("nan")))
    p_values = table["p_value"].fill_null(float("nan")).to_list()
    groups = table.with_columns(overall=family.overall).select(*family.within, "overall").rows()
    return table.with_columns(pl.Series("p_adjusted", adjust_within(p_values, groups), dtype=pl.Float64))


def decided(
    table: pl.DataFrame,
    *,
    value: str = "value",
    confidence: float,
    resolution: float | None = None,
    alternative: Alternative = "two-sided",
    ends: Collection[str] = ("low", "high"),
) -> pl.DataFrame:
    """The table with `verdict` and `reason`, by the one rule (`endoxa.stats.verdicts.decide`).

    What cannot be tested has no interval either: it would claim what no test can.

    Args:
        table: columns `value`, neutral, p_value, p_adjusted, and `reason`: why a row cannot be tested, or empty.
        value: name of the column that is compared with `neutral`.
        confidence: confidence level of the intervals, which is that of the verdicts.
        resolution: half of the last digit that is printed; by default 0.0005 of the unit.
        alternative: what the p-values test.
        ends: columns of the interval of `value`, where the table has them.
    """
    numbers = table.select(
        pl.col(value, "neutral", "p_value", "p_adjusted").cast(pl.Float64).fill_null(float("nan"))
    )
    more = {} if resolution is None else {"resolution": resolution}
    alpha = significance(confidence)
    decisions = [
        decide(*row, alpha=alpha, untestable=reason or "", alternative=alternative, **more)
        for row, reason in zip(numbers.rows(), table["reason"], strict=True)
    ]
    return table.with_columns(
        pl.Series("verdict", [decision.verdict for decision in decisions], dtype=pl.String),
        pl.Series("reason", [decision.reason for decision in decisions], dtype=pl.String),
    ).with_columns(beside_a_test(*(name for name in ends if name in table.columns)))


ESTIMATES: Mapping[str, Any] = {
    **dict.fromkeys(("model", "axis", "name", "sampled", "verdict", "reason"), pl.String),
    **dict.fromkeys(("value", "low", "high", "confidence", "p_value", "p_adjusted", "neutral"), pl.Float64),
    **dict.fromkeys(("n", "clusters", "attributes"), pl.Int64),
}
"""Columns of a table of estimates (`stats.estimate`) that has no others."""


def judged(
    rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any], family: Family, *, confidence: float
) -> pl.DataFrame:
    """Rows of estimates (`stats.estimate`) as their table, with corrected p-values, verdicts and reasons."""
    table = pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=dict(schema))
    return decided(adjusted(table, family), confidence=confidence).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def beside_a_test(*columns: str) -> list[pl.Expr]:
    """Ends of an interval, NaN where the `verdict` is that the estimate cannot be tested.

    Args:
        columns: the ends.
    """
    tested = pl.when(pl.col("verdict") != UNTESTED)
    return [tested.then(column).otherwise(float("nan")).alias(column) for column in columns]


ANALYSIS = "analysis"
Tables = dict[str, pl.DataFrame]
"""Tables by the names of their files, without '.csv'."""
Schemas = Mapping[str, Mapping[str, Any]]
"""Types of the columns of each table."""


def settings_of(folder: Path, key: str = ANALYSIS) -> dict[str, Any] | None:
    """The settings of what a run folder holds, whichever version made it; None where it holds nothing."""
    return _entry(folder, key).get("settings")


def holds(folder: Path, settings: Mapping[str, Any], key: str = ANALYSIS) -> bool:
    """Whether what a run folder holds was made with these settings by this version."""
    return _entry(folder, key) == {"settings": dict(settings), "endoxa": __version__}


def kept(folder: Path, settings: Mapping[str, Any], schemas: Schemas, key: str = ANALYSIS) -> Tables | None:
    """The tables of a run folder, if they were made with these settings by this version; else None."""
    if not holds(folder, settings, key):
        return None
    try:
        return {name: read(folder, name, schema) for name, schema in schemas.items()}
    except UserError:
        return None


def read(folder: Path, name: str, schema: Mapping[str, Any]) -> pl.DataFrame:
    """One table that a run folder holds, whatever it was made with.

    Args:
        folder: the run folder.
        name: the table, "estimates" for instance.
        schema: types of its columns.

    Raises:
        UserError: it is not there, or has other columns.
    """
    path = folder / f"{name}.csv"
    try:
        table = read_csv(path, schema_overrides=dict(schema))
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise UserError(f"{path} cannot be read: {first_line(problem)}") from problem
    if table.columns != list(schema):
        raise UserError(
            f"{path} has other columns than this version writes: repeat the command that made it."
        )
    return table


def keep(folder: Path, settings: Mapping[str, Any], tables: Tables, key: str = ANALYSIS) -> None:
    """Write the tables into a run folder, and their settings into its `run.json`, last.

    Raises:
        UserError: they cannot be written.
    """
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv")
    run = json.loads((folder / RUN).read_text(encoding="utf-8"))
    write_json(folder / RUN, {**run, key: {"settings": dict(settings), "endoxa": __version__}})


def once(
    folder: Path,
    settings: Mapping[str, Any],
    schemas: Schemas,
    analyze: Callable[[], Tables],
    key: str = ANALYSIS,
) -> Tables:
    """The tables that a run folder holds for these settings, or those of `analyze`, which it then holds."""
    tables = kept(folder, settings, schemas, key)
    if tables is None:
        tables = analyze()
        keep(folder, settings, tables, key)
    return tables


def _entry(folder: Path, key: str) -> dict[str, Any]:
    """What `run.json` says under a key; empty where it cannot be read."""
    try:
        return dict(json.loads((folder / RUN).read_text(encoding="utf-8"))[key])
    except (OSError, ValueError, TypeError, KeyError):
        return {}


@contextmanager
def parquet_in_parts(path: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Give a function that writes frames to disk at once; at the end they replace `path` as one Parquet file.

    Raises:
        UserError: the disk refuses.
    """
    parts = path.parent / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    number = 0

    def add(frame: pl.DataFrame) -> None:
        nonlocal number
        frame.write_parquet(parts / f"{number:08}.parquet")
        number += 1

    try:
        parts.mkdir()
        yield add
        with replacing(path) as draft:
            pl.scan_parquet(parts / "*.parquet").sink_parquet(draft)
    except (OSError, pl.exceptions.PolarsError) as problem:  # a full disk is either of them
        reason = getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
        raise UserError(
            f"The records cannot be written to {path.parent}: {reason}. Finished work is kept; run the "
            "same command again to continue."
        ) from problem
    shutil.rmtree(parts, ignore_errors=True)
