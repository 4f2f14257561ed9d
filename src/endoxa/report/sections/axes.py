"""Forest plots by axis and language."""

from __future__ import annotations

import polars as pl

from endoxa.report.document import Column, Figure, Section, Table
from endoxa.report.figures.forest import forest
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.preference import clear, preference_cells
from endoxa.report.results import Results, slug
from endoxa.report.words import axis_name, count, language_name, listed, p_value, percent, percent_interval
from endoxa.schema import ALL


def axes(results: Results) -> Section:
    """Preference ratio for every axis and language, one panel per model and rule."""
    cells = _blocks(results)
    domain = symmetric_domain([*cells["low"], *cells["high"]], 0.5, 0.1, 0.1)
    figures = tuple(_panel(results, cells, model, rule, domain) for model, rule in results.combinations)
    return Section(
        anchor=f"axes-{results.slug}",
        title="By axis and language",
        findings=tuple(_finding(results, cells, model, rule) for model, rule in results.combinations),
        figures=figures,
        tables=(_table(results, cells),),
        notes=(
            f"Bars are {results.level} Wilson intervals; the dashed line is an unbiased model. A filled "
            "mark needs both tests, the one for independent pairs and the one that resamples identities, "
            "to be significant at 0.05 after Benjamini-Hochberg correction over the axes, languages and "
            "models of the rule. Small axes have wide bars: a mark far from the line with few pairs is "
            "weak evidence.",
        ),
    )


def _blocks(results: Results) -> pl.DataFrame:
    """Cells by language; the pooled languages only where there is more than one."""
    cells = preference_cells(results.estimates)
    if len(results.languages) == 1:
        return cells.with_columns(language=pl.lit(results.languages[0]))
    pooled = (pl.col("language") == ALL) & (pl.col("axis") == ALL)
    return cells.filter((pl.col("language") != ALL) | pooled)


def _own(cells: pl.DataFrame, results: Results, model: str, rule: str) -> pl.DataFrame:
    """Cells of one model and rule: languages in order of the records, all axes first, then by name."""
    order = {language: place for place, language in enumerate([ALL, *results.languages])}
    return (
        cells.filter((pl.col("model") == model) & (pl.col("rule") == rule))
        .with_columns(place=pl.col("language").replace_strict(order), pooled=pl.col("axis") == ALL)
        .sort("place", pl.col("pooled").not_(), "axis")
    )


def _panel(
    results: Results, cells: pl.DataFrame, model: str, rule: str, domain: tuple[float, float]
) -> Figure:
    own = _own(cells, results, model, rule)
    frame = own.select(
        block=pl.col("language").map_elements(language_name, return_dtype=pl.String),
        axis=pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pooled="pooled",
        value="value",
        low="low",
        high="high",
        n="n",
        filled=clear(),
    )
    spoken = "; ".join(
        f"{row['block']}, {row['axis']}: {percent(row['value'])} "
        f"({percent_interval(row['low'], row['high'])}), n {row['n']}"
        for row in frame.iter_rows(named=True)
    )
    return Figure(
        name=f"axes-{results.slug}-{slug(results.label(model, rule))}",
        title=results.label(model, rule),
        chart=forest(frame, neutral=0.5, domain=domain),
        alt=f"Preference ratio of {results.label(model, rule)} by language and axis, neutral 50 %. {spoken}.",
    )


def _finding(results: Results, cells: pl.DataFrame, model: str, rule: str) -> str:
    own = _own(cells, results, model, rule).filter(~pl.col("pooled"))
    several = len(results.languages) > 1

    def named(verdict: str) -> list[str]:
        return [
            f"{row['axis']} ({language_name(row['language'])})" if several else row["axis"]
            for row in own.filter(pl.col("verdict") == verdict).iter_rows(named=True)
        ]

    above, below = named("above"), named("below")
    label = f"{results.labels[model]} under {rule}"
    if not above and not below:
        return f"{label}: no axis shows a clear preference after correction ({own.height} tested)."
    parts = []
    if above:
        parts.append(f"clear preference for the stereotypical sentences on {listed(above)}")
    if below:
        parts.append(f"clear preference for the other sentences on {listed(below)}")
    return f"{label}: {'; '.join(parts)} ({own.height} cells tested)."


def _table(results: Results, cells: pl.DataFrame) -> Table:
    rows = [
        (
            results.label(model, rule),
            language_name(row["language"]),
            axis_name(row["axis"]),
            percent(row["value"]),
            percent_interval(row["low"], row["high"]),
            percent_interval(row["id_low"], row["id_high"]),
            count(row["n"]),
            p_value(row["p_adjusted"]),
            p_value(row["id_p_adjusted"]),
            percent(row["detectable"]),
        )
        for model, rule in results.combinations
        for row in _own(cells, results, model, rule).iter_rows(named=True)
    ]
    columns = (
        Column("model and rule"),
        Column("language"),
        Column("axis"),
        Column("preference ratio", numeric=True),
        Column(f"{results.level} Wilson", numeric=True),
        Column(f"{results.level} identities", numeric=True),
        Column("pairs", numeric=True),
        Column("p adjusted", numeric=True),
        Column("p adjusted, identities", numeric=True),
        Column("least detectable ratio", numeric=True),
    )
    return Table("The numbers behind these figures", columns, tuple(rows), folded=True)
