"""Figures of association tests: every test in every encoder, and rows to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from endoxa.instruments.association_tests.report.results import EFFECT, TEST, Associations
from endoxa.report import estimates as say
from endoxa.report.claims import CLAIMED, clear, marked
from endoxa.report.closer import EACH, Box, closer_section
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import claim_map, described, in_parts, labelled, series_figure
from endoxa.report.labels import isolated
from endoxa.report.plots import MOST_APART
from endoxa.report.words import language_name, plural, signed, slug

MOST_STRONGEST = 24
"""Tests in the first chart; of more, those with the largest mean effect size. The sections below hold all."""

MOST_ROWS = 108
"""Tests drawn with intervals in all, those with the largest effect size of any encoder."""

MOST_MARKS = 72
"""Marks of one figure below one another: more would not fit on a printed page."""

MOST_COLUMNS = 12
"""Encoders side by side in a map: more would not be readable."""

MOST_MAPPED = 60
"""Tests of one language in a map, those with the largest effect size of any encoder."""

LARGE = 0.8
"""From this effect size on (Cohen's 'large') a cell of a map has its full colour."""

INTERVALS = (
    "Marks right of the dashed line: the first group lies nearer to the first attribute, rather than the second, than "
    "the second group does; left of it: the second group does. Filled marks: the groups differ (adjusted permutation "
    "p-value at most {level}). Lines are {levels} intervals, which draw the words of the two groups anew, not the "
    "attributes, the sentences around them or the encoder. A line that excludes zero beside a hollow mark is not a "
    "claim (not after adjustment over all tests)."
)
MAPS = (
    "A cell is an effect size. Blue with a star: the first group lies nearer to the first attribute, rather than the "
    "second, than the second group does; orange with a star: the second group does (adjusted permutation p-value "
    "at most {level}). Full colours: effect sizes of at least {large}. Grey cells are not distinguishable or cannot be "
    "tested, empty ones undefined. Intervals and p-values are in the table of all tests."
)
"""How to read the figures of every test: of few encoders, and of many."""

_SHOWN = pl.col("value").map_elements(lambda effect: signed(effect, 2), return_dtype=pl.String)


def strongest(results: Associations) -> Figure | None:
    """One sorted chart: a row for every test with its encoders, or of one test a row for every encoder."""
    defined = results.estimates.drop_nulls("value")
    if defined.is_empty():
        return None
    tests = defined.select(TEST).n_unique()
    if tests == 1:
        name = defined.select(_label(language=False)).item(0, 0).replace("\n", ", ")
        rows = defined.sort("value", descending=True, maintain_order=True)
        stem = f"strongest-{slug(defined['test'][0])}"
        return say.dots(results.kind, rows, lambda row: str(row["encoder"]), title=name, name=stem)
    ranked = _ranked(defined).sort(pl.col("mean").abs(), descending=True, maintain_order=True)
    title = (
        f"The {MOST_STRONGEST} largest of {tests:,} tests"
        if tests > MOST_STRONGEST
        else "Effect size of every test"
    )
    return _rows_of_tests(results, ranked.head(MOST_STRONGEST), "strongest", title)


def _ranked(estimates: pl.DataFrame) -> pl.DataFrame:
    """Every test with its effect size over encoders: `mean`, and the largest (`size`)."""
    effect = pl.col("value")
    return estimates.group_by(TEST, maintain_order=True).agg(
        mean=effect.mean(), size=effect.abs().max().fill_null(-1)
    )


def _rows_of_tests(results: Associations, tests: pl.DataFrame, name: str, title: str) -> Figure:
    """A row for every test, the largest mean effect size first, with a dot for every encoder."""
    encoders, several = results.encoders, results.estimates["language"].n_unique() > 1
    spoken = (
        _SHOWN.fill_null("undefined").str.join(" · ")
        if len(encoders) <= MOST_APART
        else pl.format("{} of {} differ", clear().sum(), pl.len())
    )
    ordered = tests.sort("mean", descending=True, nulls_last=True, maintain_order=True)
    rows = labelled(ordered, _label(language=several), "test").join(
        results.estimates, on=TEST, maintain_order="left"
    )
    frame = rows.select(
        *("label", "value", "low", "high"),
        note=spoken.over("label"),
        series="encoder",
        filled=marked(),
    )
    means = rows.unique("label", keep="first", maintain_order=True).select("label", "mean").rows()
    return series_figure(
        frame,
        EFFECT,
        encoders,
        name=name,
        title=title,
        alt=described(
            f"Effect sizes in {plural(len(encoders), 'encoder')}, no difference: 0",
            (f"{label}: mean {signed(mean, 2)}".replace("\n", ", ") for label, mean in means),
        ),
    )


def _label(*, language: bool) -> pl.Expr:
    """The two groups, with their language where there are several, and below them the attributes."""
    spoken = pl.col("language").map_elements(
        lambda code: f", {language_name(code)}" if code and language else "", return_dtype=pl.String
    )
    return pl.format("{} vs {}{}\n{} (+) / {} (−)", *map(_name, ("x", "y")), spoken, *map(_name, ("a", "b")))


def _name(column: str) -> pl.Expr:
    return pl.col(column).map_elements(isolated, return_dtype=pl.String)


def every_test(results: Associations) -> Section | None:
    """Every test by language: with its intervals in few encoders, maps of tests and encoders of many.

    None where the first figure of the page shows all of them.
    """
    few = len(results.encoders) <= MOST_APART
    if results.estimates.select(TEST).n_unique() <= (MOST_STRONGEST if few else 1):
        return None
    most = MOST_ROWS if few else MOST_MAPPED
    findings: list[Finding] = []
    figures: list[Figure] = []
    for (language,), estimates in results.estimates.group_by(["language"], maintain_order=True):
        name = language_name(str(language)) if language else ""
        tests = _ranked(estimates).sort("size", descending=True, maintain_order=True)
        if tests.height > most:
            where = f" in {name}" if name else ""
            text = (
                f"Drawn are the {most} of {tests.height:,} tests{where} with the largest effect size of any encoder; "
                "the table of all tests holds the others."
            )
            findings.append(Finding(text, ({"drawn": most, "tests": tests.height},)))
        drawn = tests.head(most).sort("mean", descending=True, nulls_last=True, maintain_order=True)
        if few:
            stem, each = f"forest-{slug(str(language) or 'tests')}", MOST_MARKS // len(results.encoders)
            for part, places in in_parts(range(drawn.height), each):
                shown = drawn[list(places)]
                figures.append(_rows_of_tests(results, shown, stem, (name or "Language not stated") + part))
        else:
            figures += _maps(estimates, drawn, str(language), name or "Effect sizes")
    note = (INTERVALS if few else MAPS).format(level=results.level, levels=results.kind.level, large=LARGE)
    title = "Every test with its interval" if few else "Every test in every encoder"
    return Section("forest", title, findings=tuple(findings), figures=tuple(figures), notes=(note,))


def _maps(estimates: pl.DataFrame, drawn: pl.DataFrame, language: str, title: str) -> Iterator[Figure]:
    rows = labelled(drawn, pl.format("{} vs {}: {} / {}", *map(_name, ("x", "y", "a", "b"))), "test")
    star = pl.when(clear()).then(pl.lit(CLAIMED)).otherwise(pl.lit(""))
    cells = rows.join(estimates, on=TEST, maintain_order="left").select(
        *("verdict", "value"),
        row="label",
        column="encoder",
        text=pl.format("{}{}", _SHOWN, star).fill_null(""),
        far=pl.col("value").abs() >= LARGE,
    )
    encoders = estimates["encoder"].unique(maintain_order=True).to_list()
    for part, columns in in_parts(encoders, MOST_COLUMNS):
        first = 1 + encoders.index(columns[0])
        shown = cells.filter(pl.col("column").is_in(list(columns)))
        yield claim_map(
            shown,
            rows["label"].to_list(),
            columns,
            name=f"tests-{slug(language or 'all')}",
            title=f"{title}, encoders {first} to {first + len(columns) - 1}" if part else title,
            alt=f"Effect sizes of {plural(rows.height, 'test')} in {plural(len(columns), 'encoder')}; "
            f"{_differ(shown)}.",
        )


def _differ(tests: pl.DataFrame) -> str:
    return f"in {tests.filter(clear()).height} of {plural(tests.height, 'result')} the groups differ"


def closer(results: Associations) -> Section | None:
    """All effect sizes to choose from; None where there are few, or where tests share a name."""
    cells = results.estimates.drop_nulls("value")
    names = {
        "axis": {"": "not stated"},
        "language": {code: language_name(code) for code in cells["language"].unique() if code}
        | {"": "not stated"},
    }
    rows = cells.select(
        *("encoder", "test", "value", "low", "high", "n", "p_adjusted", "verdict"),
        *(pl.col(name).replace(words) for name, words in names.items()),
        reading=pl.Series(map(results.kind.reading, cells.rows(named=True)), dtype=pl.String),
    )
    several = rows["test"].n_unique() > 1
    return closer_section(
        rows,
        (
            Box("encoder", "encoder", rows["encoder"][0] if several else EACH),
            Box("test", "test"),
            Box("axis", "axis"),
            Box("language", "language"),
        ),
        replace(EFFECT, least=0.5),
        title="Effect size of every test",
        reading="Effect sizes with their intervals.",
        line="no difference",
        noun="tests",
    )
