"""Every two groups against an attribute pair: the matrices, where groups were crossed."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.report.associations import CLAIMED, Associations
from endoxa.report.document import Figure, Section
from endoxa.report.figures.association_matrix import matrix
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.words import language_name, listed, p_value, plural, slug
from endoxa.stats.verdicts import CLEAR

CELLS = ("axis", "language", "a", "b")
"""What one matrix is about."""

LEAST_GROUPS = 3
PANEL_ROWS = 4
"""Rows of panels in one figure: more would not fit on a printed page."""


def matrices(results: Associations) -> Section | None:
    """A matrix of groups for every axis, language and attribute pair with three groups or more; None without one."""
    figures = tuple(_figures(results))
    if not figures:
        return None
    return Section("groups", "Every group against every other", figures=figures, notes=(_note(results),))


def _note(results: Associations) -> str:
    side = (
        "A one-sided p-value of an effect against the tested direction is close to 1 for that reason alone. "
        if results.sides != "two-sided"
        else ""
    )
    return (
        "Read a cell from its row. Blue, plus: the group of the row lies nearer to the first attribute, rather than "
        "the second, than the group of the column does; orange, minus: nearer to the second, rather than the first. "
        "Every pair of groups stands twice, read from either side, so the sign turns across the diagonal; the adjusted "
        "p-value stands on the side that was tested. A dark outline and a star: the groups differ (adjusted p-value "
        f"at most {results.level}). {side}Grey cells are undefined, white ones were not tested. All colours of this "
        "report are on one scale."
    )


def groups_of(tests: pl.DataFrame) -> list[str]:
    """Names of the target sets, so that tested cells lie above the diagonal where the tests allow it."""
    return list(dict.fromkeys([*tests["x"], *tests["y"]]))


def _figures(results: Associations) -> Iterator[Figure]:
    reach = symmetric_domain(results.estimates["effect_size"].drop_nulls(), 0, 1, 0.5)[1]
    for (axis, language, a, b), tests in results.estimates.group_by(CELLS, maintain_order=True):
        groups = groups_of(tests)
        if not _crossed(tests, groups):
            continue
        across = 2 if len(groups) <= 4 else 1
        ordered = pl.concat(tests.partition_by("model", maintain_order=True))
        encoders = ordered["encoder"].unique(maintain_order=True).to_list()
        size = PANEL_ROWS * across
        pages = [encoders[start : start + size] for start in range(0, len(encoders), size)]
        for number, page in enumerate(pages, start=1):
            shown = ordered.filter(pl.col("encoder").is_in(page))
            spoken = language_name(str(language)) if language else ""
            title = f"{a} or {b}" + (f", {spoken}" if spoken else "") + (f" ({axis})" if axis else "")
            yield Figure(
                name=f"groups-{slug(f'{language} {a} {b}')}",
                title=title if len(pages) == 1 else f"{title}, part {number} of {len(pages)}",
                chart=matrix(
                    _cells(shown),
                    groups,
                    reach=reach,
                    title=f"effect size: row nearer than column to {b} (−), to {a} (+)",
                    across=across,
                ),
                alt=_alt(shown, groups, str(a), str(b)),
                wide=True,
            )


def _crossed(tests: pl.DataFrame, groups: list[str]) -> bool:
    """True where at least half of all pairs of three groups or more were tested, each once per encoder."""
    pairs = {frozenset(pair) for pair in tests.select("x", "y").iter_rows()}
    once = tests.height == len(
        {(frozenset((x, y)), e) for x, y, e in tests.select("x", "y", "encoder").iter_rows()}
    )
    return once and len(groups) >= LEAST_GROUPS and 4 * len(pairs) >= len(groups) * (len(groups) - 1)


def _cells(tests: pl.DataFrame) -> pl.DataFrame:
    """Cells as tested and, with the sign turned, their mirror images."""
    p = pl.col("p_adjusted").map_elements(p_value, return_dtype=pl.String)
    cells = tests.select(
        panel="label",
        subpanel="pooling",
        row="x",
        column="y",
        value="effect_size",
        mark=pl.when(pl.col("verdict").is_in(CLEAR)).then(pl.lit(CLAIMED)).otherwise(pl.lit("")),
        note=pl.when(pl.col("p_adjusted").is_null()).then(pl.lit("")).otherwise(pl.format("p {}", p)),
    )
    mirrored = cells.with_columns(row="column", column="row", value=-pl.col("value"), note=pl.lit(""))
    return pl.concat([cells, mirrored])


def _alt(tests: pl.DataFrame, groups: list[str], a: str, b: str) -> str:
    known = tests.drop_nulls("effect_size")
    encoders = plural(tests["encoder"].n_unique(), "encoder")
    words = f"Matrices of {listed(groups)} against each other for {encoders}, {a} against {b}."
    if known.is_empty():
        return f"{words} Every effect size is undefined."
    values = known["effect_size"].to_list()
    return (
        f"{words} Effect sizes as tested run from {min(values):+.2f} to {max(values):+.2f}; "
        f"in {int(tests['verdict'].is_in(CLEAR).sum())} of {plural(tests.height, 'result')} the groups differ. The "
        "table of all tests holds every number."
    )
