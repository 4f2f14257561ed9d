"""Figures of association tests: the strongest, every test in every encoder, every group against every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from endoxa.instruments.association_tests.report.results import (
    EFFECT,
    TEST,
    Associations,
    confidence_words,
)
from endoxa.report.claims import CLAIMED, clear, marked
from endoxa.report.closer import EACH, Box, closer_section
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import claim_map, described, dot_figure, in_parts, labelled, series_figure
from endoxa.report.grids import signed_grid
from endoxa.report.labels import isolated
from endoxa.report.plots import MOST_APART
from endoxa.report.words import decimal_interval, language_name, listed, plural, signed, slug

MOST_STRONGEST = 24
"""Tests in the first chart; of more, those with the largest mean effect size. The sections below hold all."""

MOST_ROWS = 108
"""Rows of forest plots in all; of more tests, those with the largest effect size."""

MOST_MARKS = 72
"""Marks of one forest plot below one another: more would not fit on a printed page."""

MOST_COLUMNS = 12
"""Encoders side by side in a map: more would not be readable."""

MOST_MAPPED = 60
"""Tests of one language in a map, those with the largest effect size of any encoder."""

LARGE = 0.8
"""From this effect size on (Cohen's 'large') a cell of a map has its full colour."""

LEAST_GROUPS = 3
PANEL_ROWS = 4
"""Rows of matrices in one figure: more would not fit on a printed page."""

ATTRIBUTES = ("axis", "language", "a", "b")
"""What one matrix is about."""

_SHOWN = pl.col("effect_size").map_elements(lambda effect: signed(effect, 2), return_dtype=pl.String)


def strongest_figure(results: Associations) -> tuple[Figure, ...]:
    """One sorted chart: a row for every test with its encoders, or of one test a row for every encoder."""
    defined = results.estimates.drop_nulls("effect_size").with_columns(
        value="effect_size", filled=marked(), series="encoder"
    )
    tests = defined.select(TEST).n_unique()
    if defined.height < 2:
        return ()
    return (_encoders(defined) if tests == 1 else _tests(defined, results.encoders, tests),)


def _tests(estimates: pl.DataFrame, encoders: Sequence[str], tests: int) -> Figure:
    few = len(encoders) <= MOST_APART
    sizes = estimates.group_by(TEST, maintain_order=True).agg(
        mean=pl.col("effect_size").mean(),
        note=_SHOWN.str.join(" · ") if few else pl.format("{} of {} differ", clear().sum(), pl.len()),
    )
    largest = sizes.sort(pl.col("mean").abs(), descending=True, maintain_order=True).head(MOST_STRONGEST)
    several = estimates["language"].n_unique() > 1
    rows = labelled(
        largest.sort("mean", descending=True, maintain_order=True), _label(language=several), "test"
    )
    frame = rows.join(estimates, on=TEST, maintain_order="left").select(
        "label", "note", "low", "high", "series", "value", "filled"
    )
    means = (f"{label}: mean {signed(mean, 2)}" for label, mean in rows.select("label", "mean").rows())
    return series_figure(
        frame,
        EFFECT,
        encoders,
        name="strongest",
        title=f"The {MOST_STRONGEST} largest of {tests:,} tests"
        if tests > MOST_STRONGEST
        else "Effect size of every test",
        alt=described(
            f"Effect sizes in {plural(len(encoders), 'encoder')}, no difference: 0",
            (text.replace("\n", ", ") for text in means),
        ),
    )


def _encoders(estimates: pl.DataFrame) -> Figure:
    """One test: encoders by their effect size."""
    title = estimates.select(_label(language=False)).item(0, 0).replace("\n", ", ")
    frame = estimates.sort("effect_size", descending=True, maintain_order=True).select(
        "low",
        "high",
        "value",
        "filled",
        label="encoder",
        note=_SHOWN,
        outer_low=pl.lit(None, dtype=pl.Float64),
        outer_high=pl.lit(None, dtype=pl.Float64),
    )
    return dot_figure(
        frame,
        EFFECT,
        name=f"strongest-{slug(estimates['test'][0])}",
        title=title,
        alt=described(
            f"Effect size of {title} in every encoder, no difference: 0",
            (f"{label} {note}" for label, note in frame.select("label", "note").rows()),
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


def every_test(results: Associations) -> Section:
    """Every test: forest plots of few encoders, maps of tests and encoders of many."""
    few = len(results.encoders) <= MOST_APART
    return forest_plots(results) if few else maps(results)


def _largest(estimates: pl.DataFrame, most: int, where: str = "") -> tuple[pl.DataFrame, tuple[Finding, ...]]:
    """The tests with the largest effect size of any encoder (`mean`: over encoders), and how many others there are."""
    effect = pl.col("effect_size")
    tests = estimates.group_by(TEST, maintain_order=True).agg(
        mean=effect.mean(), size=effect.abs().max().fill_null(-1)
    )
    left_out = Finding(
        f"Drawn are the {most} of {tests.height:,} tests{where} with the largest effect size of any encoder; the table "
        "of all tests holds the others.",
        ({"drawn": most, "tests": tests.height},),
    )
    largest = tests.sort("size", descending=True, maintain_order=True).head(most)
    return largest, (left_out,) if tests.height > most else ()


def forest_plots(results: Associations) -> Section:
    """Forest plots by language, tests about one attribute pair together, largest mean effect size first."""
    drawn, left_out = _largest(results.estimates, MOST_ROWS)
    levels = confidence_words(results.estimates) or "recorded"
    return Section(
        anchor="forest",
        title="Every test with its interval",
        findings=left_out,
        figures=tuple(_forests(results.estimates.join(drawn, on=TEST, maintain_order="left"), results)),
        notes=(
            "Marks right of the dashed line: the first group lies nearer to the first attribute, rather than the "
            "second, than the second group does; left of it: the second group does. Filled marks: the groups differ "
            f"(adjusted permutation p-value at most {results.level}). Lines are {levels} intervals, which draw the "
            "words of the two groups anew, not the attributes, the sentences around them or the encoder. A line that "
            "excludes zero beside a hollow mark is not a claim (not after adjustment over all tests).",
        ),
    )


def _forests(estimates: pl.DataFrame, results: Associations) -> Iterator[Figure]:
    series = list(results.labels.values())
    domain = EFFECT.domain(estimates.select("low", "high", value="effect_size"))
    rows_each = max(4, min(18, MOST_MARKS // len(series)))
    attributes = ["axis", "a", "b"]
    for (language,), tests in estimates.group_by(["language"], maintain_order=True):
        blocks = tests.select(attributes).unique(maintain_order=True).with_row_index("block")
        placed = (
            tests.join(blocks, on=attributes, maintain_order="left")
            .sort("block", "mean", descending=[False, True], nulls_last=True, maintain_order=True)
            .with_columns(place=pl.struct("block", "test").rle_id())
        )
        title = language_name(str(language)) if language else "Language not stated"
        for part, places in in_parts(placed["place"].unique(maintain_order=True).to_list(), rows_each):
            shown = placed.filter(pl.col("place").is_in(places))
            alike = shown.select(*ATTRIBUTES, "x", "y", "model", "pooling").is_duplicated().any()
            block = pl.format("{} (+) rather than {} (−)", *map(_name, ("a", "b")))
            frame = shown.select(
                block=pl.format("{} ({})", block, "axis") if shown["axis"].n_unique() > 1 else block,
                row=pl.col("test") if alike else pl.format("{}\nvs {}", "x", "y"),
                series="label",
                column=pl.when(pl.col("pooling") == "").then(pl.lit(" ")).otherwise("pooling"),
                value="effect_size",
                low="low",
                high="high",
                filled=marked(),
            )
            row = pl.col("row").str.replace_all("\n", " ")
            label = pl.format("{}, {}", row, "column") if frame["column"].n_unique() > 1 else row
            number = pl.col("value").map_elements(lambda value: signed(value, 2), return_dtype=pl.String)
            place = pl.col("series").replace_strict(series, list(range(len(series))))
            numbers = number.fill_null("undefined").sort_by(place).str.join(" · ")
            dots = frame.with_columns(label=label).with_columns(note=numbers.over("block", "label"))
            yield series_figure(
                dots,
                EFFECT,
                series,
                domain=domain,
                name=f"forest-{slug(str(language) or 'tests')}",
                title=title + part,
                alt=_forest_alt(shown),
                rows=frame,
            )


def _forest_alt(tests: pl.DataFrame) -> str:
    words = (
        f"Effect sizes with intervals of {plural(tests['test'].n_unique(), 'test')} for "
        f"{plural(tests['encoder'].n_unique(), 'encoder')}."
    )
    defined = tests.drop_nulls("effect_size")
    if defined.is_empty():
        return f"{words} All are undefined."
    top = defined.row(int(defined["effect_size"].arg_max() or 0), named=True)
    return (
        f"{words} The largest is {top['effect_size']:+.2f} ({top['x']} against {top['y']}, {top['encoder']}); "
        f"{_differ(tests)}."
    )


def _differ(tests: pl.DataFrame) -> str:
    return f"in {tests.filter(clear()).height} of {plural(tests.height, 'result')} the groups differ"


def maps(results: Associations) -> Section:
    """A map of tests and encoders for every language."""
    findings: list[Finding] = []
    figures: list[Figure] = []
    for (language,), tests in results.estimates.group_by(["language"], maintain_order=True):
        name = language_name(str(language)) if language else ""
        drawn, left_out = _largest(tests, MOST_MAPPED, f" in {name}" if name else "")
        findings += left_out
        figures += _maps(tests, drawn, str(language), name or "Effect sizes")
    return Section(
        anchor="forest",
        title="Every test in every encoder",
        findings=tuple(findings),
        figures=tuple(figures),
        notes=(
            "A cell is an effect size. Blue with a star: the first group lies nearer to the first attribute, rather "
            "than the second, than the second group does; orange with a star: the second group does (adjusted "
            f"permutation p-value at most {results.level}). Full colours: effect sizes of at least {LARGE}. Grey "
            "cells are not distinguishable or cannot be tested, empty ones undefined. Intervals and p-values are in "
            "the table of all tests.",
        ),
    )


def _maps(tests: pl.DataFrame, drawn: pl.DataFrame, language: str, title: str) -> Iterator[Figure]:
    ordered = drawn.sort("mean", descending=True, nulls_last=True, maintain_order=True)
    rows = labelled(ordered, pl.format("{} vs {}: {} / {}", *map(_name, ("x", "y", "a", "b"))), "test")
    star = pl.when(clear()).then(pl.lit(CLAIMED)).otherwise(pl.lit(""))
    cells = rows.join(tests, on=TEST, maintain_order="left").select(
        "verdict",
        row="label",
        column="encoder",
        value="effect_size",
        text=pl.format("{}{}", _SHOWN, star).fill_null(""),
        far=pl.col("effect_size").abs() >= LARGE,
    )
    encoders = tests["encoder"].unique(maintain_order=True).to_list()
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


def matrices(results: Associations) -> Section | None:
    """A matrix of groups for every axis, language and attribute pair with three groups or more; None without one.

    Of more encoders than `MOST_APART` the maps of tests and encoders show the same cells.
    """
    figures = tuple(_matrices(results.estimates)) if len(results.encoders) <= MOST_APART else ()
    if not figures:
        return None
    return Section(
        "groups",
        "Every group against every other",
        figures=figures,
        notes=(
            "Read a cell from its row. Blue, plus: the group of the row lies nearer to the first attribute, rather "
            "than the second, than the group of the column does; orange, minus: nearer to the second, rather than the "
            "first. Every pair of groups stands once; read from the column, its sign turns. A dark outline and a star: "
            f"the groups differ (adjusted p-value at most {results.level}; p-values are in the table of all tests). "
            "Grey cells are undefined, empty ones were not tested. All colours of this report are on one scale.",
        ),
    )


def _matrices(estimates: pl.DataFrame) -> Iterator[Figure]:
    reach = EFFECT.domain(estimates.select(value="effect_size"))[1]
    for (axis, language, a, b), tests in estimates.group_by(ATTRIBUTES, maintain_order=True):
        # Tested cells lie above the diagonal where the tests allow it.
        groups = list(dict.fromkeys([*tests["x"], *tests["y"]]))
        # True where at least half of all pairs of three groups or more were tested, each once per encoder.
        cells = {
            (frozenset((x, y)), encoder) for x, y, encoder in tests.select("x", "y", "encoder").iter_rows()
        }
        pairs = {pair for pair, _ in cells}
        enough = 4 * len(pairs) >= len(groups) * (len(groups) - 1)
        if not (tests.height == len(cells) and len(groups) >= LEAST_GROUPS and enough):
            continue
        across = 2 if len(groups) <= 4 else 1
        ordered = pl.concat(tests.partition_by("model", maintain_order=True))
        encoders = ordered["encoder"].unique(maintain_order=True).to_list()
        title = f"{a} or {b}" + (f", {language_name(str(language))}" if language else "")
        for part, page in in_parts(encoders, PANEL_ROWS * across, even=False):
            shown = ordered.filter(pl.col("encoder").is_in(list(page)))
            defined = shown["effect_size"].drop_nulls().to_list()
            sizes = (
                f"Effect sizes as tested run from {min(defined):+.2f} to {max(defined):+.2f}; {_differ(shown)}. The "
                "table of all tests holds every number."
                if defined
                else "Every effect size is undefined."
            )
            legend = f"effect size: row nearer than column to {isolated(b)} (−), to {isolated(a)} (+)"
            cells_shown = _cells(shown, groups)
            yield Figure(
                name=f"groups-{slug(f'{language} {a} {b}')}",
                title=title + (f" ({axis})" if axis else "") + part,
                plot=signed_grid(cells_shown, groups, reach=reach, title=legend),
                rows=cells_shown,
                alt=f"Matrices of {listed(groups)} against each other for {plural(len(page), 'encoder')}, {a} against "
                f"{b}. {sizes}",
                wide=True,
            )


def _cells(tests: pl.DataFrame, groups: Sequence[str]) -> pl.DataFrame:
    """A cell for every test, above the diagonal; the sign is turned where the test names its groups the other way."""
    places = {group: place for place, group in enumerate(groups)}
    x, y = (pl.col(name).replace_strict(places, return_dtype=pl.Int64) for name in ("x", "y"))
    turned = pl.when(x > y)
    return tests.select(
        panel="label",
        subpanel="pooling",
        row=turned.then("y").otherwise("x"),
        column=turned.then("x").otherwise("y"),
        value=turned.then(-pl.col("effect_size")).otherwise("effect_size"),
        mark=pl.when(clear()).then(pl.lit(CLAIMED)).otherwise(pl.lit("")),
    )


def closer(results: Associations) -> Section | None:
    """All effect sizes to choose from; None where there are few, or where tests share a name."""
    cells = results.estimates.drop_nulls("effect_size")
    rows = cells.select(
        "encoder",
        pl.col("language").map_elements(
            lambda code: language_name(code) if code else "not stated", return_dtype=pl.String
        ),
        pl.col("axis").replace({"": "not stated"}),
        "test",
        pl.col("effect_size").alias("value"),
        "low",
        "high",
        (pl.col("n_x") + pl.col("n_y")).alias("n"),
        "p_adjusted",
        "verdict",
        reading=pl.struct("effect_size", "low", "high").map_elements(_reading, return_dtype=pl.String),
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


def _reading(row: dict[str, float | None]) -> str:
    """'+0.52 (0.11 to 0.93)', or the effect size alone where it has no interval."""
    value = signed(row["effect_size"], 2)
    bounded = None not in (row["low"], row["high"])
    return f"{value} ({decimal_interval(row['low'], row['high'], 2)})" if bounded else value
