"""The sections of one data set: finding, headline, axes, what else explains it, score differences, all cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.estimates.references import lacking
from endoxa.instruments.pairs.estimates.statistics import KINDS
from endoxa.instruments.pairs.report.compared import first_rule, groups, many, single
from endoxa.instruments.pairs.report.preference import (
    CALIBRATED_NOTE,
    PREFERENCE,
    alone,
    basis,
    by_kind,
    calibrated,
    compared_with,
    first_words,
    limits,
    pairs_preferred,
    power,
    preference,
    prefers,
    ratio_fields,
    raw,
    raw_fields,
    rounding_notes,
    same_side,
    some_calibrated,
)
from endoxa.instruments.pairs.report.quoting import Preferences
from endoxa.instruments.pairs.report.results import (
    CELL,
    Results,
    by_language,
    identity_rows,
    kind_cells,
    overall,
    preference_cells,
    rule_unit,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row, agreed, corrected, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.plots import LEAST_PAIRS, Axis, ridge_plot, robust_range
from endoxa.report.quoting import FEWEST
from endoxa.report.tables import Field, Table, number_field, text_field
from endoxa.report.words import (
    axis_name,
    count,
    language_name,
    percent,
    plural,
    signed,
    signed_interval,
    slug,
)
from endoxa.schema import ALL
from endoxa.stats.intervals import FEWEST_CLUSTERS
from endoxa.stats.verdicts import ABOVE, BELOW, NO_QUESTION, UNCLEAR, UNTESTED

MOST_ROWS, MOST_CELLS = 60, 300
"""Rows of the tables of models and of cells; of more, the rows to download have the numbers."""
MOST_DRAWN = 30
"""Axes of a figure; of more, those that can be tested are drawn and the table has all."""
STATED = {"stereo": "states a stereotype", "antistereo": "contradicts a stereotype"}
MOST_EXPLAINED = 3
"""With more models and rules the box at the top names the largest differences instead."""
TITLES = {**say.BY_CHANCE, UNCLEAR: "not distinguishable from a coin toss"}
"""What a verdict says of a preference, in a title."""


def title(results: Results) -> str:
    """The finding as the title of a page: the verdict on the only model and rule, how many prefer what, or groups."""
    if many(results):
        return str(groups(results, first_rule(results))).removesuffix(".")
    rows = claiming(results)
    if len(rows) > 1:
        return _title_of_many(results, rows)
    (row,) = rows
    under = f" under {row['rule']}" if len(results.combinations) > 1 else ""
    names = row["references"]
    claim = f"{names} alone {prefers(names)} the same side" if names else TITLES[row["verdict"]]
    who = f"{first_words(row)}{results.labels[row['model']]}"
    return f"{who} prefers the stereotypical sentence in {_hundred(row)}{under}: {claim}"


def claiming(results: Results) -> Sequence[Row]:
    """The rows over everything under the rule that decides: those of others make no claim."""
    cells = overall(preference_cells(results.estimates))
    return cells.filter(pl.col("verdict") != NO_QUESTION).rows(named=True)


def _hundred(row: Row) -> str:
    """'54 of 100 pairs'; the exact share where that would round to one half, or where there are fewer pairs."""
    rounded = round(100 * row["value"])
    if row["n"] < 100 or rounded == 50:
        return f"{percent(row['value'])} of {plural(row['n'], 'pair')}"
    return f"{rounded} of 100 pairs"


def _title_of_many(results: Results, rows: Sequence[Row]) -> str:
    shared = same_side(rows).removesuffix(".").replace(" ", "; ", 1).lower()
    return say.title(preference(results), rows, "models") + shared


def lead(results: Results) -> str:
    """The finding of the only model and rule in one sentence with its interval; of many models how many prefer what.

    Empty where there are several.
    """
    rows = claiming(results)
    if many(results):
        return f"{_title_of_many(results, rows)}."
    if len(rows) > 1:
        return ""
    (row,) = rows
    return say.lead(preference(results), row, f"{pairs_preferred(row)} of {basis(row)}, rule {row['rule']}")


def remarks(row: Row) -> str:
    """What the page of a single row says below its number: correction, power, limits, the raw ratio, references."""
    unclear = f"{corrected(row)}{power(row)}" if row["verdict"] == UNCLEAR else ""
    return f"{unclear}{limits([row])}{raw(row)}{alone(row)}".strip()


def where_fields(results: Results, *columns: str) -> tuple[Field, ...]:
    """Columns of tables that say what a row is about."""
    shown: dict[str, Callable[[Any], str]] = {"language": language_name, "axis": axis_name}
    return (
        text_field("model", lambda row: results.labels[row["model"]]),
        text_field("rule"),
        *(text_field(name, name, shown[name]) for name in columns),
    )


def headline(results: Results) -> Section:
    """What each model prefers overall, under each rule."""
    kind, every = preference(results), preference_cells(results.estimates)
    ties = overall(results.estimates.filter(name="tie_share")).select("model", "rule", ties="value")
    cells = overall(every).join(ties, on=("model", "rule"), how="left", maintain_order="left")
    rows = cells.rows(named=True)
    number: dict[str, Any] = {}
    if len(rows) == 1:
        compared = f" compared with {compared_with(rows[0])}" if calibrated(rows[0]) else ""
        number = {
            "number": percent(rows[0]["value"]),
            "meaning": f"of {plural(rows[0]['n'], 'pair')}: the model prefers the stereotypical sentence{compared}. "
            "Without a preference: 50\u00a0%.",
        }
    drawn = (
        "Dot: share of pairs, a tie counting one half; filled where it is significant after correction. "
        f"Band: {results.level} interval that takes identities and attributes as samples, because pairs "
        "that share one are alike. Thin line: the interval (Wilson) if all pairs were independent, for "
        "comparison only."
    )
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often the stereotypical sentence is preferred",
        findings=tuple(_findings(results, kind, every)),
        figures=() if many(results) else tuple(_figures(results, kind, cells)),
        tables=() if cells.height > MOST_ROWS else tuple(_tables(results, kind, cells)),
        notes=(
            *([remarks(rows[0])] if len(rows) == 1 and remarks(rows[0]) else []),
            *([CALIBRATED_NOTE] if some_calibrated(cells) else []),
            *filter(None, [lacking(results.languages)]),
            *agreed(rows, kind.neutral),
            *rounding_notes(rows, lambda row: results.label(row["model"], row["rule"])),
            *([] if many(results) else [drawn]),
        ),
        **number,
    )


def _findings(results: Results, kind: say.Kind, every: pl.DataFrame) -> Iterator[Finding]:
    """What is preferred overall; where languages cannot be pooled, each language first, then what all look like."""
    several = len(results.languages) > 1
    rows = overall(every).rows(named=True)
    pooled = [row for row in rows if not (several and row["verdict"] == UNTESTED)]
    yield from say.sentences(kind, pooled, lambda row: f"Under {row['rule']}")
    for row in rows:
        if row not in pooled:
            single = every.filter(pl.col("language") != ALL, axis=ALL, model=row["model"], rule=row["rule"])
            for part in single.iter_rows(named=True):
                yield say.sentence(kind, part, f" in {language_name(part['language'])}")
            yield say.sentence(kind, row, ", all languages together")


def _figures(results: Results, kind: say.Kind, cells: pl.DataFrame) -> Iterator[Figure]:
    """All models and rules in one figure, or of many one for each rule, the highest share first."""
    together = cells.height <= say.FEW
    if not together:
        cells = cells.sort("value", descending=True, maintain_order=True)
    compared = ", compared with others" if all(map(calibrated, cells.rows(named=True))) else ""
    for rule in [""] if together else sorted(set(cells["rule"])):
        yield say.dots(
            kind,
            cells if together else cells.filter(rule=rule),
            lambda row: results.label(row["model"], row["rule"]) if together else kind.name(row),
            note=lambda row: (
                f"{percent(row['value'])} of {count(row['n'])}"
                + (f" (raw {percent(row['raw'])})" if calibrated(row) else "")
            ),
            outer=("pair_low", "pair_high"),
            name=f"headline-{results.slug}" + (f"-{slug(rule)}" if rule else ""),
            title=f"Preference for the stereotypical sentence{compared}" + (f", {rule}" if rule else ""),
        )


def _tables(results: Results, kind: say.Kind, cells: pl.DataFrame) -> Iterator[Table]:
    """Models and rules; kinds and directions of pairs apart, since one can hide another; mean differences."""
    ties = number_field("ties", "ties", percent)
    fields = (*ratio_fields(results, cells), ties)
    yield say.numbers(kind, "Preference ratio, all pairs", cells, where_fields(results), fields)
    kinds = kind_cells(results.estimates)
    if kinds.height:
        several = ("language",) if len(results.languages) > 1 else ()
        where = (
            *where_fields(results, *several),
            text_field("pairs that are", "kind", lambda name: KINDS[name]),
        )
        yield say.numbers(kind, "By kind of pair", kinds, where, ratio_fields(results, kinds))
    names = ("mean_difference", "calibrated_mean_difference")
    differences = deciding(overall(identity_rows(results.estimates, *names)), CELL, names)
    ends = number_field(
        f"{results.level} t interval, pairs", lambda row: signed_interval(row["pair_low"], row["pair_high"])
    )
    unit = text_field("unit", "rule", rule_unit)
    yield say.numbers(
        replace(kind, head="mean difference", value=signed, ends=signed_ends),
        "Mean score difference (stereotypical minus other sentence)",
        differences,
        where_fields(results),
        (unit, ends, *raw_fields(differences, "raw mean", signed)),
    )


def axes(results: Results) -> Section:
    """Preference ratio for every axis and language: a forest plot per model and rule, or a map per rule."""
    kind = preference(results)
    order = {language: number for number, language in enumerate([ALL, *results.languages])}
    cells = by_language(results).sort(
        *("model", "rule"), pl.col("language").replace_strict(order), pl.col("axis") != ALL, "axis"
    )

    def place(row: Row) -> str:
        several = len(results.languages) > 1 and row["language"] != ALL
        return axis_name(row["axis"]) + (f" ({language_name(row['language'])})" if several else "")

    few = len(results.combinations) <= say.FEW
    parts = _few_axes(results, kind, cells, place) if few else _many_axes(results, kind, cells)
    findings, figures = zip(*parts, strict=True)
    listed_groups = (
        ", unless they are groups of a table: then the bar is about these groups as they are"
        if "attributes" in cells["sampled"]
        else ""
    )
    reading = (
        f"Bands are {results.level} intervals that take identities and attributes as samples; an axis with fewer than "
        f"{FEWEST_CLUSTERS} identities has none{listed_groups}. The line is an unbiased model. A filled dot is "
        "significant after Benjamini-Hochberg correction over the axes, languages and models of the rule. Small axes "
        "have wide bands: a dot far from the line with few identities is weak evidence."
        if few
        else "Blue cells prefer the stereotypical sentence more often than chance, orange ones less often (significant "
        "after Benjamini-Hochberg correction over the axes, languages and models of the rule, identities and "
        "attributes taken as samples); grey cells are not distinguishable or cannot be tested. Intervals and "
        "single languages are in the " + ("table." if cells.height <= MOST_CELLS else "rows to download.")
    )
    table = say.numbers(
        kind,
        "The numbers behind these figures",
        cells,
        where_fields(results, "language", "axis"),
        ratio_fields(results, cells),
        folded=True,
    )
    return Section(
        anchor=f"axes-{results.slug}",
        title=_axes_title(results, cells),
        findings=tuple(finding for some in findings for finding in some),
        figures=tuple(figure for some in figures for figure in some),
        pick_by=MAP_TITLE if many(results) else "",
        tables=(table,) if cells.height <= MOST_CELLS else (),
        notes=(
            reading
            + (" Ratios are compared with others where the table says so." if some_calibrated(cells) else ""),
            *agreed(cells.rows(named=True), kind.neutral),
            *rounding_notes(
                cells.filter(pl.col("axis") != ALL).rows(named=True),
                lambda row: f"{results.label(row['model'], row['rule'])}, {place(row)}",
            ),
        ),
    )


MAP_TITLE = "Pairs with the stereotypical sentence preferred"
Parts = Iterator[tuple[list[Finding], list[Figure]]]


def _axes_title(results: Results, cells: pl.DataFrame) -> str:
    """The highest and the lowest axis that can be tested and how many are decided, of one model in one language."""
    every = cells.filter(pl.col("axis") != ALL, pl.col("value").is_not_nan()).sort("value")
    rows = every.filter(pl.col("verdict") != UNTESTED).rows(named=True)
    if not single(results) or len(rows) < 2:
        return "By axis and language" if len(results.languages) > 1 else "By axis"
    decided = sum(row["verdict"] in (ABOVE, BELOW) for row in rows)
    alike = sum(bool(row["references"]) for row in rows)
    same = f", {alike} of them as word frequency or length alone" if alike else ""
    return (
        f"Highest on {axis_name(rows[-1]['axis'])} ({percent(rows[-1]['value'], 0)}), lowest on "
        f"{axis_name(rows[0]['axis'])} ({percent(rows[0]['value'], 0)}); {decided or 'none'} of {len(rows)} axes "
        f"{'that can be tested ' * (every.height > len(rows))}"
        f"{'differs' if decided == 1 else 'differ' if decided else 'is distinguishable'} from chance{same}"
    )


def _few_axes(results: Results, kind: say.Kind, cells: pl.DataFrame, place: Callable[[Row], str]) -> Parts:
    """Of each model and rule which axes show a preference, and a figure for each language, all on one scale."""
    several = len(results.languages) > 1
    for model, rule in results.combinations:
        rows = cells.filter(model=model, rule=rule)
        label, single = f"{results.labels[model]} under {rule} by axis", rows.filter(pl.col("axis") != ALL)
        spoken = {
            "": single,
            ", all languages": single.filter(language=ALL),
            ", single languages": single.filter(pl.col("language") != ALL),
        }
        findings = [
            say.by_verdict(kind, f"{label}{scope}", part.rows(named=True), place)
            for scope, part in spoken.items()
            if several == bool(scope)
        ]
        figures = [
            _axes_figure(results, kind, of_language, PREFERENCE.domain(cells))
            for _, of_language in rows.group_by("language", maintain_order=True)
        ]
        yield findings, figures


def _axes_figure(results: Results, kind: say.Kind, rows: pl.DataFrame, domain: tuple[float, float]) -> Figure:
    """The axes of a model under a rule in a language, the highest share first."""
    model, rule, language = rows.select("model", "rule", "language").row(0)
    every = rows.drop_nulls("value").sort(
        pl.col("axis") == ALL, "value", descending=True, nulls_last=True, maintain_order=True
    )
    tested = every.filter((pl.col("verdict") != UNTESTED) | (pl.col("axis") == ALL))
    shown = tested if every.height > MOST_DRAWN and tested.height > 1 else every
    left_out = every.height - shown.height
    where = {"language": language_name(language)} if len(results.languages) > 1 else {}
    label = results.label(model, rule)
    return say.dots(
        kind,
        shown,
        lambda row: axis_name(row["axis"]),
        note=lambda row: f"{percent(row['value'], 0)} {pairs_preferred(row)} of {count(row['n'])}",
        name="-".join([f"axes-{results.slug}-{slug(label)}", *(slug(language) for _ in where)]),
        title=": ".join([label, *where.values()]),
        domain=domain,
        reading=f"Left out: {plural(left_out, 'axis', 'axes')} that cannot be tested." if left_out else "",
    )


def _many_axes(results: Results, kind: say.Kind, cells: pl.DataFrame) -> Parts:
    """Of each rule how many models prefer what on how many axes, and a map in the order of their overall ratio."""
    language = ALL if len(results.languages) > 1 else results.languages[0]
    pooled = cells.filter(pl.col("axis") != ALL, language=language)
    for rule in dict.fromkeys(rule for _, rule in results.combinations):
        rows = pooled.filter(rule=rule)
        order = cells.filter(rule=rule, axis=ALL).sort("value", descending=True, maintain_order=True)
        label = f"Preference for the stereotypical sentence under {rule}, in {rows.height} cells"
        figure = say.claims_map(
            kind,
            rows,
            lambda row: axis_name(row["axis"]),
            [results.labels[model] for model in order["model"].unique(maintain_order=True)],
            name=f"axes-{results.slug}-{slug(rule)}",
            title=f"Models by axis, {rule}" if many(results) else f"{MAP_TITLE}, {rule}",
        )
        yield [say.verdict_tally(kind, f"{label} (a model on an axis)", rows.rows(named=True))], [figure]


def explained(results: Results, every: Sequence[Preferences]) -> Section | None:
    """Shares by length, direction and flags of the pairs, all on one scale; None of more models and rules."""
    if len(every) > MOST_EXPLAINED:
        return None
    figures = tuple(figure for preferences in every for figure in _explained_figures(results, preferences))
    note = (
        f"Bands: {results.level} intervals, identities and attributes taken as samples; none where they are too few. A "
        "filled dot differs from 50\u00a0% by a test of this row alone: a description, not corrected for the number of "
        "rows."
    )
    return Section(
        anchor=f"explained-{results.slug}",
        title="What else explains it",
        findings=tuple(of_kinds(results)),
        figures=figures,
        notes=(note,) if figures else (),
    )


def _explained_figures(results: Results, preferences: Preferences) -> Iterator[Figure]:
    """A row for each group of at least `FEWEST` pairs; no figure of a single one."""
    items = preferences.items
    length, direction, flagged = (items[name] for name in ("length", "direction", "flagged"))
    groups_by: dict[str, tuple[str, dict[str, pl.Series]]] = {
        "length": (
            f"By length of the stereotypical sentence beside the other one, in {items['measure'][0]}",
            {"shorter": length < 0, "same length": length == 0, "longer": length > 0},
        ),
        "direction": (
            "Pairs that state or contradict a stereotype",
            {name: direction == code for code, name in STATED.items()},
        ),
        "flagged": (
            "Pairs flagged by the dataset checks",
            {"flagged": flagged, "not flagged": ~flagged},
        ),
    }
    for name, (title, parts) in groups_by.items():
        rows = [
            {"label": label, **preferences.row(chosen.to_numpy())}
            for label, chosen in parts.items()
            if chosen.sum() >= FEWEST
        ]
        if len(rows) > 1:
            left_out = sum(int(chosen.sum()) for chosen in parts.values()) - sum(row["n"] for row in rows)
            fewer = f" Left out: {plural(left_out, 'pair')} in groups of fewer than {FEWEST}."
            yield say.dots(
                preference(results),
                pl.DataFrame(rows),
                lambda row: str(row["label"]),
                note=lambda row: f"{percent(row['value'], 0)} of {count(row['n'])}",
                name=f"{name}-{results.slug}-{slug(preferences.label)}",
                title=title,
                domain=(0.0, 1.0),
                reading="Share of pairs in which the stereotypical sentence is "
                f"{preferences.word.removesuffix(',')}; {preferences.label}.{fewer if left_out else ''}",
                wide=name == "length",
            )


def of_kinds(results: Results) -> Iterator[Finding]:
    """The kinds and directions of pairs apart, where a table holds several."""
    kinds = overall(kind_cells(results.estimates))
    if len(results.combinations) <= say.FEW:
        for (model, rule), rows in kinds.group_by("model", "rule", maintain_order=True):
            parts = rows.rows(named=True)
            text = f"{results.labels[model]} under {rule} by kind of pair: {by_kind(parts)}."
            yield Finding(text, tuple(parts))


QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
"""Columns of the rows to download."""


def distributions(results: Results) -> Section:
    """Score differences: a ridgeline of the models for each rule and language (IndiBias, appendix C)."""
    records = results.records.with_columns(label=results.labelled).sort("model", "rule", maintain_order=True)
    figures = []
    for (rule,), of_rule in records.group_by("rule", maintain_order=True):
        domain = robust_range(of_rule["difference"].to_numpy())
        for (language,), rows in of_rule.group_by("language", maintain_order=True):
            figures.append(_distribution(results, rows, str(rule), language_name(str(language)), domain))
    return Section(
        anchor=f"differences-{results.slug}",
        title="Score differences",
        figures=tuple(figures),
        notes=(
            "Kernel density (Gaussian, Scott's bandwidth) of the score of the stereotypical sentence minus "
            "that of the other one; blue, right of the line at zero, the stereotypical sentence scores "
            "higher. Models are sorted by their share of pairs above 0. The range holds 99\u00a0% of the pairs or "
            "more. Curves in one panel share one scale, and panels of one rule share the horizontal range; panels of "
            f"different rules do not compare, because their units differ. With fewer than {LEAST_PAIRS} pairs each "
            "pair is a tick. The rows to download are means, standard deviations and quantiles of the differences.",
        ),
    )


def _distribution(
    results: Results, rows: pl.DataFrame, rule: str, language: str, domain: tuple[float, float]
) -> Figure:
    difference = pl.col("difference")
    summary = rows.group_by(model="label", maintain_order=True).agg(
        pairs=pl.len(),
        share_above_0=(difference > 0).mean(),
        mean=difference.mean(),
        standard_deviation=difference.std(),
        **{name: difference.quantile(share, "linear") for name, share in QUANTILES.items()},
    )
    summary = summary.sort("share_above_0", descending=True, maintain_order=True)
    notes = [f"{percent(share)} above 0" for share in summary["share_above_0"]]
    tips = [
        f"{row['model']}: {plural(row['pairs'], 'pair')}, mean {signed(row['mean'])}, {note}"
        for row, note in zip(summary.iter_rows(named=True), notes, strict=True)
    ]
    frame = summary.select(label="model", note=pl.Series(notes), tip=pl.Series(tips))
    frame = frame.join(rows.select("label", "difference"), on="label", maintain_order="left")
    unit = rule_unit(rule)
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(rows['language'][0])}",
        title=f"{rule}, {language}" if len(results.languages) > 1 else rule,
        plot=ridge_plot(frame, Axis(domain, f"stereotypical − other sentence ({unit})", ".2~f", neutral=0.0)),
        alt=f"Distribution of score differences under {rule}, {language}, in {unit}. {'; '.join(tips)}.",
        rows=summary.select("model", rule=pl.lit(rule), language=pl.lit(language), unit=pl.lit(unit)).hstack(
            summary.drop("model")
        ),
    )
