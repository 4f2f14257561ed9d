"""Figures of association tests: every test in every encoder, and rows to choose from."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.association_tests.report.results import EFFECT, TEST, Associations
from endoxa.report import estimates as say
from endoxa.report.claims import CLAIMED, clear, marked
from endoxa.report.closer import EACH, Box, closer_section
from endoxa.report.document import Figure, Section
from endoxa.report.figures import claim_map, described, in_parts, labelled, series_figure
from endoxa.report.labels import isolated
from endoxa.report.plots import MOST_APART
from endoxa.report.words import language_name, plural, signed, slug

MOST_STRONGEST = 24
"""Tests in the first chart; of more, those with the largest mean effect size. The sections below hold all."""

MOST_COLUMNS = 12
"""Encoders side by side in a map: more would not be readable."""

MOST_MAPPED = 60
"""Tests of one language in a map, those with the largest effect size of any encoder."""

LARGE = 0.8
"""From this effect size on (Cohen's 'large') a cell of a map has its full colour."""

MAPS = (
    "A cell is an effect size. Blue with a star: the first group lies nearer to the first attribute, rather than the "
    "second, than the second group does; orange with a star: the second group does (adjusted permutation p-value "
    "at most {level}). Full colours: effect sizes of at least {large}. Grey cells are not distinguishable or cannot be "
    "tested, empty ones undefined. Intervals and p-values are in the table of all tests."
)
"""How to read them."""

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
        return say.dots(results.kind(), rows, lambda row: str(row["encoder"]), title=name, name=stem)
    encoders, several = results.encoders, results.estimates["language"].n_unique() > 1
    largest = _ranked(defined).sort(pl.col("mean").abs(), descending=True, maintain_order=True)
    ordered = largest.head(MOST_STRONGEST).sort("mean", descending=True, maintain_order=True)
    rows = labelled(ordered, _label(language=several), "test").join(
        results.estimates, on=TEST, maintain_order="left"
    )
    spoken = (
        _SHOWN.fill_null("undefined").str.join(" · ")
        if len(encoders) <= MOST_APART
        else pl.format("{} of {} differ", clear().sum(), pl.len())
    )
    means = rows.unique("label", keep="first", maintain_order=True).select("label", "mean").rows()
    return series_figure(
        rows.select(
            *("label", "value", "low", "high"),
            note=spoken.over("label"),
            series="encoder",
            filled=marked(),
        ),
        EFFECT,
        encoders,
        name="strongest",
        title=f"The {MOST_STRONGEST} largest of {tests:,} tests"
        if tests > MOST_STRONGEST
        else "Effect size of every test",
        alt=described(
            f"Effect sizes in {plural(len(encoders), 'encoder')}, no difference: 0",
            (f"{label}: mean {signed(mean, 2)}".replace("\n", ", ") for label, mean in means),
        ),
    )


def _ranked(estimates: pl.DataFrame) -> pl.DataFrame:
    """Every test with its effect size over encoders: `mean`, and the largest (`size`)."""
    effect = pl.col("value")
    return estimates.group_by(TEST, maintain_order=True).agg(
        mean=effect.mean(), size=effect.abs().max().fill_null(-1)
    )


def _label(*, language: bool) -> pl.Expr:
    """The two groups, with their language where there are several, and below them the attributes."""
    spoken = pl.col("language").map_elements(
        lambda code: f", {language_name(code)}" if code and language else "", return_dtype=pl.String
    )
    return pl.format("{} vs {}{}\n{} (+) / {} (−)", *map(_name, ("x", "y")), spoken, *map(_name, ("a", "b")))


def _name(column: str) -> pl.Expr:
    return pl.col(column).map_elements(isolated, return_dtype=pl.String)


def maps(results: Associations) -> Section | None:
    """Maps of tests and encoders by language; None of few encoders, whose tests the other figures show."""
    if len(results.encoders) <= MOST_APART or results.estimates.select(TEST).n_unique() == 1:
        return None
    figures: list[Figure] = []
    for (language,), estimates in results.estimates.group_by(["language"], maintain_order=True):
        tests = _ranked(estimates).sort("size", descending=True, maintain_order=True)
        drawn = tests.head(MOST_MAPPED).sort("mean", descending=True, nulls_last=True, maintain_order=True)
        largest = (
            f", the {MOST_MAPPED} largest of {tests.height:,} tests" if tests.height > MOST_MAPPED else ""
        )
        figures += _maps(estimates, drawn, str(language), largest)
    note = MAPS.format(level=results.level, large=LARGE)
    return Section("forest", "Every test in every encoder", figures=tuple(figures), notes=(note,))


def _maps(estimates: pl.DataFrame, drawn: pl.DataFrame, language: str, largest: str) -> Iterator[Figure]:
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
        shown = cells.filter(pl.col("column").is_in(list(columns)))
        yield claim_map(
            shown,
            rows["label"].to_list(),
            columns,
            name=f"tests-{slug(language or 'all')}",
            title=f"{language_name(language) if language else 'Effect sizes'}{largest}{part}",
            alt=f"Effect sizes of {plural(rows.height, 'test')} in {plural(len(columns), 'encoder')}; in "
            f"{shown.filter(clear()).height} of {plural(shown.height, 'result')} the groups differ.",
        )


def closer(results: Associations) -> Section | None:
    """All effect sizes to choose from; None where there are few, or where tests share a name."""
    cells = results.estimates.drop_nulls("value")
    rows = cells.select(
        *("encoder", "test", "value", "low", "high", "n", "p_adjusted", "verdict"),
        axis=pl.col("axis").replace("", "not stated"),
        language=pl.Series([language_name(code) if code else "not stated" for code in cells["language"]]),
        reading=pl.Series(map(results.kind().reading, cells.rows(named=True)), dtype=pl.String),
    )
    return closer_section(
        rows,
        (
            Box("encoder", "encoder", rows["encoder"][0] if rows["test"].n_unique() > 1 else EACH),
            Box("test", "test"),
            Box("axis", "axis"),
            Box("language", "language"),
        ),
        EFFECT,
        title="Effect size of every test",
        reading="Effect sizes with their intervals.",
        line="no difference",
    )
