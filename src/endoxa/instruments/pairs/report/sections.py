"""The sections of one data set: finding, headline, axes, what else explains it, score differences, all cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.records import lacking
from endoxa.instruments.pairs.estimates.statistics import KINDS
from endoxa.instruments.pairs.report.compared import first_rule, groups, many
from endoxa.instruments.pairs.report.preference import (
    CALIBRATED_NOTE,
    PREFERENCE,
    alone,
    basis,
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
    rounding_notes,
    same_side,
    some_calibrated,
)
from endoxa.instruments.pairs.report.quoting import EXPLAINED, Preferences
from endoxa.instruments.pairs.report.results import (
    Results,
    by_language,
    kind_cells,
    overall,
    preference_cells,
    rule_unit,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row, agreed, corrected
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.plots import LEAST_PAIRS, Axis, ridge_plot, robust_range
from endoxa.report.quoting import FEWEST
from endoxa.report.tables import Field, Table, number_field, text_field
from endoxa.report.words import axis_name, count, language_name, percent, plural, signed, slug
from endoxa.schema import ALL
from endoxa.stats.intervals import FEWEST_CLUSTERS
from endoxa.stats.verdicts import NO_QUESTION, UNCLEAR, UNTESTED

MOST_CELLS = 300
"""Rows of the table of cells; of more, the rows to download have the numbers."""
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
    # 'in 54 of 100 pairs'; the exact share where that would round to one half, or where there are fewer pairs.
    rounded = round(100 * row["value"])
    exact = f"{percent(row['value'])} of {plural(row['n'], 'pair')}"
    share = exact if row["n"] < 100 or rounded == 50 else f"{rounded} of 100 pairs"
    who = f"{first_words(row)}{results.labels[row['model']]}"
    return f"{who} prefers the stereotypical sentence in {share}{under}: {claim}"


def claiming(results: Results) -> Sequence[Row]:
    """The rows over everything under the rule that decides: those of others make no claim."""
    cells = overall(preference_cells(results.estimates))
    return cells.filter(pl.col("verdict") != NO_QUESTION).rows(named=True)


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
    notes = (
        remarks(rows[0]) if len(rows) == 1 else "",
        CALIBRATED_NOTE if some_calibrated(cells) else "",
        lacking(results.languages),
        *agreed(rows, kind.neutral),
        *rounding_notes(rows, lambda row: results.label(row["model"], row["rule"])),
        "" if many(results) else drawn,
    )
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often the stereotypical sentence is preferred",
        findings=tuple(_findings(results, kind, every)),
        figures=() if many(results) else tuple(_figures(results, kind, cells)),
        tables=tuple(_tables(results, kind, cells)),
        notes=tuple(filter(None, notes)),
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
    few = cells.height <= say.FEW
    compared = ", compared with others" if all(map(calibrated, cells.rows(named=True))) else ""
    ordered = cells if few else cells.sort("value", descending=True, maintain_order=True)
    for rule in [""] if few else sorted(set(cells["rule"])):
        yield say.dots(
            kind,
            ordered.filter(rule=rule) if rule else ordered,
            lambda row: results.label(row["model"], row["rule"]) if few else kind.name(row),
            note=lambda row: (
                f"{percent(row['value'])} of {count(row['n'])}"
                + (f" (raw {percent(row['raw'])})" if calibrated(row) else "")
            ),
            outer=("pair_low", "pair_high"),
            name="-".join(filter(None, (f"headline-{results.slug}", slug(rule) if rule else ""))),
            title=f"Preference for the stereotypical sentence{compared}" + (f", {rule}" if rule else ""),
        )


def _tables(results: Results, kind: say.Kind, cells: pl.DataFrame) -> Iterator[Table]:
    """Models and rules; kinds and directions of pairs apart, since one can hide another."""
    fields = (*ratio_fields(results, cells), number_field("ties", "ties", percent))
    yield say.numbers(kind, "Preference ratio, all pairs", cells, where_fields(results), fields)
    kinds = kind_cells(results.estimates)
    if kinds.height:
        several = ("language",) if len(results.languages) > 1 else ()
        of_kind = text_field("pairs that are", "kind", lambda name: KINDS[name])
        where = (*where_fields(results, *several), of_kind)
        yield say.numbers(kind, "By kind of pair", kinds, where, ratio_fields(results, kinds))


def axes(results: Results) -> Section:
    """Preference ratio for every axis and language: a forest plot per model and rule, or a map per rule."""
    kind, several = preference(results), len(results.languages) > 1
    order = {language: number for number, language in enumerate([ALL, *results.languages])}
    cells = by_language(results).sort(
        *("model", "rule"), pl.col("language").replace_strict(order), pl.col("axis") != ALL, "axis"
    )

    def place(row: Row) -> str:
        language = f" ({language_name(row['language'])})" if several and row["language"] != ALL else ""
        return f"{axis_name(row['axis'])}{language}"

    few = len(results.combinations) <= say.FEW
    findings, figures = (_few_axes if few else _many_axes)(results, kind, cells, place)
    reading = (
        f"Bands are {results.level} intervals that take identities and attributes as samples; an axis with fewer than "
        f"{FEWEST_CLUSTERS} identities has none. The line is an unbiased model. A filled dot is "
        "significant after Benjamini-Hochberg correction over the axes, languages and models of the rule. Small axes "
        "have wide bands: a dot far from the line with few identities is weak evidence."
        if few
        else "Blue cells prefer the stereotypical sentence more often than chance, orange ones less often (significant "
        "after Benjamini-Hochberg correction over the axes, languages and models of the rule, identities and "
        "attributes taken as samples); grey cells are not distinguishable or cannot be tested. Intervals and "
        "single languages are in the " + ("table." if cells.height <= MOST_CELLS else "rows to download.")
    )
    compared = " Ratios are compared with others where the table says so." if some_calibrated(cells) else ""
    table = say.numbers(
        kind,
        "The numbers behind these figures",
        cells,
        where_fields(results, "language", "axis"),
        ratio_fields(results, cells),
        folded=True,
    )
    single = cells.filter(pl.col("axis") != ALL).rows(named=True)
    return Section(
        anchor=f"axes-{results.slug}",
        title="By axis and language" if several else "By axis",
        findings=tuple(findings),
        figures=tuple(figures),
        pick_by="Models by axis" if many(results) else "",
        tables=(table,) if cells.height <= MOST_CELLS else (),
        notes=(
            f"{reading}{compared}",
            *agreed(cells.rows(named=True), kind.neutral),
            *rounding_notes(single, lambda row: f"{results.label(row['model'], row['rule'])}, {place(row)}"),
        ),
    )


Parts = tuple[list[Finding], list[Figure]]


def _few_axes(results: Results, kind: say.Kind, cells: pl.DataFrame, place: Callable[[Row], str]) -> Parts:
    """Of each model and rule which axes show a preference, and a figure for each language, all on one scale."""
    several, domain = len(results.languages) > 1, PREFERENCE.domain(cells)
    findings, figures = [], []
    for model, rule in results.combinations:
        rows, label = cells.filter(model=model, rule=rule), results.label(model, rule)
        single, under = rows.filter(pl.col("axis") != ALL), f"{results.labels[model]} under {rule} by axis"
        findings.append(say.by_verdict(kind, under, single.rows(named=True), place))
        for (language,), part in rows.group_by("language", maintain_order=True):
            where = [language_name(str(language))] if several else []
            figures.append(
                say.dots(
                    kind,
                    part.drop_nulls("value").sort(
                        pl.col("axis") == ALL, "value", descending=True, nulls_last=True, maintain_order=True
                    ),
                    lambda row: axis_name(row["axis"]),
                    note=lambda row: (
                        f"{percent(row['value'], 0)} {pairs_preferred(row)} of {count(row['n'])}"
                    ),
                    name="-".join(["axes", results.slug, slug(label), *map(slug, where)]),
                    title=": ".join([label, *where]),
                    domain=domain,
                )
            )
    return findings, figures


def _many_axes(results: Results, kind: say.Kind, cells: pl.DataFrame, _place: Callable[[Row], str]) -> Parts:
    """Of each rule how many models prefer what on how many axes, and a map in the order of their overall ratio."""
    language = ALL if len(results.languages) > 1 else results.languages[0]
    pooled = cells.filter(pl.col("axis") != ALL, language=language)
    findings, figures = [], []
    for rule in dict.fromkeys(rule for _, rule in results.combinations):
        rows = pooled.filter(rule=rule)
        order = cells.filter(rule=rule, axis=ALL).sort("value", descending=True, maintain_order=True)
        label = f"Preference for the stereotypical sentence under {rule}, in {rows.height} cells"
        findings.append(say.verdict_tally(kind, f"{label} (a model on an axis)", rows.rows(named=True)))
        figures.append(
            say.claims_map(
                kind,
                rows,
                lambda row: axis_name(row["axis"]),
                [results.labels[model] for model in order["model"].unique(maintain_order=True)],
                name=f"axes-{results.slug}-{slug(rule)}",
                title=f"Models by axis, {rule}",
            )
        )
    return findings, figures


def explained(results: Results, every: Sequence[Preferences]) -> Section | None:
    """Shares by length, direction and flags of the pairs, all on one scale; None of many models and rules."""
    figures = tuple(figure for each in every for figure in _explained(results, each))
    if len(every) > say.FEW or not figures:
        return None
    return Section(
        anchor=f"explained-{results.slug}",
        title="What else explains it",
        figures=figures,
        notes=(
            f"Bands: {results.level} intervals, identities and attributes taken as samples; none where they are too "
            "few. A filled dot differs from 50\u00a0% by a test of this row alone: a description, not corrected for "
            f"the number of rows. Groups of fewer than {FEWEST} pairs are left out.",
        ),
    )


def _explained(results: Results, preferences: Preferences) -> Iterator[Figure]:
    """A figure for each look of which both kinds have at least `FEWEST` pairs."""
    for look in EXPLAINED:
        groups = look.groups(preferences)
        kinds = dict(zip(look.words(preferences), (groups == 1, groups == -1), strict=True))
        if min(int(chosen.sum()) for chosen in kinds.values()) >= FEWEST:
            rows = [{"label": label, **preferences.row(chosen)} for label, chosen in kinds.items()]
            yield say.dots(
                preference(results),
                pl.DataFrame(rows),
                lambda row: str(row["label"]),
                note=lambda row: f"{percent(row['value'], 0)} of {count(row['n'])}",
                name=f"{slug(look.name)}-{results.slug}-{slug(preferences.label)}",
                title=look.name.capitalize(),
                domain=(0.0, 1.0),
                reading="Share of pairs in which the stereotypical sentence is "
                f"{preferences.word.removesuffix(',')}; {preferences.label}.",
            )


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
    difference, unit = pl.col("difference"), rule_unit(rule)
    summary = (
        rows.group_by(model="label", maintain_order=True)
        .agg(
            rule=pl.lit(rule),
            language=pl.lit(language),
            unit=pl.lit(unit),
            pairs=pl.len(),
            share_above_0=(difference > 0).mean(),
            mean=difference.mean(),
            standard_deviation=difference.std(),
            **{name: difference.quantile(share, "linear") for name, share in QUANTILES.items()},
        )
        .sort("share_above_0", descending=True, maintain_order=True)
    )
    notes = [f"{percent(share)} above 0" for share in summary["share_above_0"]]
    tips = [
        f"{row['model']}: {plural(row['pairs'], 'pair')}, mean {signed(row['mean'])}, {note}"
        for row, note in zip(summary.iter_rows(named=True), notes, strict=True)
    ]
    frame = summary.select(label="model", note=pl.Series(notes), tip=pl.Series(tips))
    frame = frame.join(rows.select("label", "difference"), on="label", maintain_order="left")
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(rows['language'][0])}",
        title=f"{rule}, {language}" if len(results.languages) > 1 else rule,
        plot=ridge_plot(frame, Axis(domain, f"stereotypical − other sentence ({unit})", ".2~f", neutral=0.0)),
        alt=f"Distribution of score differences under {rule}, {language}, in {unit}. {'; '.join(tips)}.",
        rows=summary,
    )


QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
"""Columns of the rows to download."""
