"""Headline per model and rule: one sentence, one dot, one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.estimates.inference import listed_units
from endoxa.instruments.pairs.estimates.preference import KINDS
from endoxa.instruments.pairs.estimates.references import lacking
from endoxa.instruments.pairs.report.league import first_rule, groups, many
from endoxa.instruments.pairs.report.results import (
    CALIBRATED_NOTE,
    CELL,
    PREFERENCE,
    Results,
    by_kind,
    calibrated,
    compared_with,
    dominated,
    identity_rows,
    kind_cells,
    limits,
    overall,
    preference_cells,
    prefers,
    raw_fields,
    reference_fields,
    rounding_notes,
    rule_unit,
    same_side,
    some_calibrated,
    unit_fields,
)
from endoxa.instruments.pairs.report.sample import rows_once
from endoxa.report.claims import (
    P_ADJUSTED,
    VERDICT,
    agreed,
    chip,
    corrected,
    counted,
    hollow,
    interval_holds,
    marked,
    not_ranked,
    percent_ends,
    signed_ends,
    verdict_counts,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described, dot_figure
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import (
    NOT_DEFINED,
    axis_name,
    count,
    language_name,
    listed,
    p_value,
    percent,
    percent_interval,
    plural,
    signed,
    signed_interval,
    slug,
)
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, CORRECTED, NO_QUESTION, UNCLAIMED, UNCLEAR, UNTESTED

Row = dict[str, Any]


MOST_LISTED = 60
"""Rows of the tables; of more, the rows to download under "Models side by side" have the numbers."""


def title(results: Results) -> str:
    """The finding as the title of a page: the verdict on the only model and rule, how many prefer what, or groups."""
    if many(results):
        return str(groups(results, first_rule(results))).removesuffix(".")
    rows = _claiming(overall(preference_cells(results.estimates)))
    if len(rows) > 1:
        return _title_of_many(rows)
    (row,) = rows
    under = f" under {row['rule']}" if len(results.combinations) > 1 else ""
    names = row["references"]
    claim = f"{names} alone {prefers(names)} the same side" if names else WORDS[row["verdict"]]
    return (
        f"{_compared(row)}{results.labels[row['model']]} prefers the stereotypical sentence in {_hundred(row)}{under}: "
        f"{claim}"
    )


def _compared(row: Row) -> str:
    """'Compared with other groups, ', or nothing."""
    return f"Compared with {compared_with(row)}, " if calibrated(row) else ""


def _claiming(cells: pl.DataFrame) -> list[Row]:
    """The rows under the rule that decides: those of others make no claim."""
    return cells.filter(pl.col("verdict") != NO_QUESTION).rows(named=True)


WORDS = {
    ABOVE: "more often than chance",
    BELOW: "less often than chance",
    UNCLEAR: "not distinguishable from a coin toss",
    UNTESTED: "cannot be tested",
}
"""What a verdict says of a preference, in a title."""


def _hundred(row: Row) -> str:
    """'54 of 100 pairs'; the exact share where that would round to one half, or where there are fewer pairs."""
    rounded = round(100 * row["value"])
    if row["n"] < 100 or rounded == 50:
        return f"{percent(row['value'])} of {plural(row['n'], 'pair')}"
    return f"{rounded} of 100 pairs"


def _title_of_many(rows: list[Row]) -> str:
    verdicts = {row["verdict"] for row in rows}
    shared = same_side(rows).removesuffix(".").replace(" ", "; ", 1).lower()
    if len(verdicts) == 1:
        return _ALIKE[verdicts.pop()].format(n=len(rows)) + shared
    return f"Of {len(rows)} models, {listed(counted(rows, {**SPOKEN, UNTESTED: '{n} cannot be tested'}))}{shared}"


_ALIKE = {
    ABOVE: "All {n} models prefer the stereotypical sentence more often than chance",
    BELOW: "All {n} models prefer the stereotypical sentence less often than chance",
    UNCLEAR: "No preference for the stereotypical sentence is distinguishable from chance in {n} models",
    UNTESTED: "A preference for the stereotypical sentence cannot be tested in any of {n} models",
}


def lead(results: Results) -> str:
    """The finding of the only model and rule in one sentence with its interval; of many models how many prefer what.

    Empty where there are several.
    """
    rows = _claiming(overall(preference_cells(results.estimates)))
    if many(results):
        return f"{_title_of_many(rows)}."
    if len(rows) > 1:
        return ""
    (row,) = rows
    preferred = round(row["value"] * row["n"], 1)
    text = f"{preferred:,.{0 if preferred == int(preferred) else 1}f} of {basis(row)}, rule {row['rule']}"
    if row["verdict"] == UNTESTED:
        return f"{text}. A preference cannot be tested ({row['reason']})."
    where = "does not hold" if row["verdict"] in (ABOVE, BELOW) else "holds"
    agrees = interval_holds(row, 0.5) == (where == "holds")
    holds = f", which {where} 50\u00a0%, where a model without a preference would be" if agrees else ""
    return (
        f"{text}. {results.level} interval: {percent_ends(row)}\u00a0%{holds} "
        f"(p {_equals(p_value(row['p_adjusted']))} after correction for the number of tests)."
    )


def _remarks(rows: Sequence[Row]) -> Iterator[str]:
    """What a page of one model and rule says below its number: correction, power, limits, the raw ratio."""
    if len(rows) == 1:
        (row,) = rows
        unclear = f"{corrected(row)}{_power(row)}" if row["verdict"] == UNCLEAR else ""
        if text := f"{unclear}{limits(rows)}{_raw(row)}{_alone(row)}".strip():
            yield text


def _raw(row: Row) -> str:
    """' All pairs as they are: ...; the number to beat is ...', or nothing."""
    if not calibrated(row):
        return ""
    beat = (
        ""
        if row["placebo"] is None
        else f"; the number to beat is {percent(row['placebo'])}: the same sentences about {compared_with(row)}"
    )
    return f" All pairs as they are: {percent(row['raw'])} of {plural(row['n_all'], 'pair')}{beat}."


def _alone(row: Row) -> str:
    """' Alone, word frequency prefers 38.0 % and length 52.0 %.', or nothing beside a calibrated ratio."""
    shares = [
        f"{words} prefers {percent(row[column])}"
        for column, words in (("frequency", "word frequency"), ("length", "length"))
        if row[column] is not None
    ]
    return "" if calibrated(row) or not shares else f" Alone, {listed(shares)} of the pairs."


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def headline(results: Results) -> Section:
    """What each model prefers overall, under each rule."""
    every = preference_cells(results.estimates)
    cells, kinds = overall(every), kind_cells(results.estimates)
    ties = _by_combination(results.estimates.filter(name="tie_share"))
    rows = cells.rows(named=True)
    single = len(rows) == 1
    number: dict[str, Any] = {}
    if single:
        number = {
            "number": percent(rows[0]["value"]),
            "meaning": f"of {plural(rows[0]['n'], 'pair')}: the model prefers the stereotypical sentence"
            + (f" compared with {compared_with(rows[0])}" if calibrated(rows[0]) else "")
            + ". Without a preference: 50\u00a0%.",
        }
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often the stereotypical sentence is preferred",
        findings=tuple(_findings(results, every)),
        figures=() if many(results) else tuple(_figures(results, cells)),
        tables=()
        if cells.height > MOST_LISTED
        else (
            table_of(
                "Preference ratio, all pairs",
                cells,
                (
                    *_combination_fields(results),
                    number_field("preference ratio", "value", percent),
                    number_field(f"{results.level} interval", percent_ends),
                    VERDICT,
                    P_ADJUSTED,
                    *raw_fields(cells),
                    *reference_fields(cells),
                    number_field("pairs", "n"),
                    *unit_fields(cells),
                    number_field(
                        "ties",
                        lambda row: percent(ties.get((row["model"], row["rule"]), {}).get("value")),
                    ),
                    number_field("least detectable ratio", "detectable", percent),
                    number_field(
                        f"{results.level} Wilson, pairs",
                        lambda row: percent_interval(row["pair_low"], row["pair_high"]),
                    ),
                ),
            ),
            *([_kind_table(results, kinds)] if kinds.height else []),
            _difference_table(results),
        ),
        notes=(
            *_remarks(rows),
            *([CALIBRATED_NOTE] if some_calibrated(cells) else []),
            *filter(None, [lacking(results.languages)]),
            *agreed(rows, "50\u00a0%"),
            *rounding_notes(rows, lambda row: results.label(row["model"], row["rule"])),
            *(
                []
                if many(results)
                else [
                    "Dot: share of pairs, a tie counting one half; filled where it is significant after correction. "
                    f"Band: {results.level} interval that takes identities and attributes as samples, because pairs "
                    "that share one are alike. Thin line: the interval (Wilson) if all pairs were independent, for "
                    "comparison only."
                ]
            ),
        ),
        **number,
    )


FEW = 3
"""With more models and rules a sentence sums up each rule, and the table has the rest."""


def _findings(results: Results, every: pl.DataFrame) -> Iterator[Finding]:
    """What is preferred overall; where languages cannot be pooled, a sentence for each language and one for all."""
    rows = list(overall(every).iter_rows(named=True))
    several = len(results.languages) > 1
    tested = [row for row in rows if row["verdict"] != UNTESTED or not several]
    if len(tested) <= FEW:
        yield from (Finding(_sentence(results, row), (row,)) for row in tested)
    else:
        for rule in dict.fromkeys(row["rule"] for row in tested):
            yield _summary(results, [row for row in tested if row["rule"] == rule])
    yield from _by_language(results, every, [row for row in rows if row["verdict"] == UNTESTED and several])


def _summary(results: Results, rows: list[Row]) -> Finding:
    """How many models prefer what under a rule, and the ends of the range."""
    if len(rows) == 1:
        return Finding(_sentence(results, rows[0]), (rows[0],))
    beside = sum(row["verdict"] == NO_QUESTION for row in rows)
    reasons = "; ".join(dict.fromkeys(row["reason"] for row in rows if row["verdict"] == UNTESTED))
    parts = counted(rows, SPOKEN, reasons=reasons)
    if beside:
        parts.append(
            f"{beside} {'is' if beside == 1 else 'are'} {UNCLAIMED} (another rule decides, the one named first)"
        )
    ordered = sorted(rows, key=lambda row: row["value"])
    ends = [
        f"{word} share is {_share(results, row)}"
        for word, row in (("The highest", ordered[-1]), ("the lowest", ordered[0]))
    ]
    text = f"Under {rows[0]['rule']}, of {len(rows)} models {listed(parts)}. {', '.join(ends)}; chance: 50\u00a0%."
    text += not_ranked(ordered[0], ordered[-1])
    text += limits(rows)
    return Finding(text, ({"models": len(rows), "chance": 50, **verdict_counts(rows)}, *rows))


def _share(results: Results, row: Row) -> str:
    """'61.2 % (gpt2; 95 % interval 58.7 to 63.6)'; without an interval where there is none."""
    ends = percent_ends(row)
    interval = "" if ends == NOT_DEFINED else f"; {results.level} interval {ends}"
    return f"{percent(row['value'])} ({results.labels[row['model']]}{interval})"


SPOKEN = {
    ABOVE: "{n} prefer{s} the stereotypical sentence more often than chance",
    BELOW: "{n} prefer{s} the stereotypical sentence less often than chance",
    UNCLEAR: "for {n} the preference is not distinguishable from chance",
    UNTESTED: "{n} cannot be tested ({reasons})",
}


def _by_language(results: Results, every: pl.DataFrame, untested: list[Row]) -> Iterator[Finding]:
    """Each language of models whose languages cannot be pooled, then what all together look like."""
    pooled: dict[str, list[Row]] = {}
    for row in untested:
        pooled.setdefault(row["reason"], []).append(row)
        single = every.filter(pl.col("language") != ALL, axis=ALL, model=row["model"], rule=row["rule"])
        yield from (
            Finding(_sentence(results, part, f" in {language_name(part['language'])}"), (part,))
            for part in single.iter_rows(named=True)
        )
    for reason, rows in pooled.items():
        shares = listed(
            [
                f"{percent(row['value'])} of {basis(row)} ({results.label(row['model'], row['rule'])})"
                for row in rows
            ]
        )
        yield Finding(
            f"All languages together cannot be tested ({reason}). The stereotypical sentence is preferred in {shares}.",
            tuple(rows),
        )


def of_kinds(results: Results) -> Iterator[Finding]:
    """The kinds and directions of pairs apart, where a table holds several."""
    kinds = overall(kind_cells(results.estimates))
    groups = kinds.group_by("model", "rule", maintain_order=True)
    if len(results.combinations) <= FEW:
        for (model, rule), rows in groups:
            parts = rows.rows(named=True)
            yield Finding(
                f"{results.labels[model]} under {rule} by kind of pair: {by_kind(parts)}.", tuple(parts)
            )


def _sentence(results: Results, row: Row, where: str = "") -> str:
    """The finding in plain words, from the verdict of the row."""
    label = f"{_compared(row)}{results.labels[row['model']]} under {row['rule']}{where}"
    raw = _raw(row)
    if row["verdict"] == UNTESTED:
        return (
            f"{label}: cannot be tested ({row['reason']}). The stereotypical sentence is preferred in "
            f"{percent(row['value'])} of {basis(row)}.{raw}"
        )
    numbers = (
        f"{percent(row['value'])} of {basis(row)} ({results.level} interval {percent_ends(row)}; "
        "chance: 50\u00a0%)"
    )
    if row["verdict"] == NO_QUESTION:
        return f"{label}, {row['reason']}. The stereotypical sentence is preferred in {numbers}.{raw}"
    if row["verdict"] == UNCLEAR:
        remarks = f"{corrected(row)}{_power(row)}{raw}"
        return f"{label}: the preference is not distinguishable from chance: {numbers}.{remarks}"
    often = "more" if row["verdict"] == ABOVE else "less"
    alone = f"{same_side([row])}{_alone(row)}"
    return f"{label} prefers the stereotypical sentence {often} often than chance: {numbers}.{raw}{alone}"


def basis(row: Row) -> str:
    """'150 pairs about 28 identities', '300 pairs of 30 identities x 10 attributes', and what was no sample.

    Of groups of a list what the method says: '516 pairs of 15 groups x 515 sentence frames'.
    """
    pairs = plural(row["n"], "pair")
    if units := listed_units(row["method"]):
        return f"{pairs} of {units}"
    identities = plural(row["clusters"], "identity", "identities")
    attributes = plural(row["attributes"], "attribute")
    if row["sampled"] == "identities":
        text = f"{pairs} about {identities}, with these {attributes} only"
    elif row["attributes"]:
        text = f"{pairs} of {identities} x {attributes}"
    else:
        text = pairs if row["clusters"] == row["n"] else f"{pairs} about {identities}"
    if not dominated(row):
        return text
    return f"{text}, in these groups as they are, since one has {percent(row['largest'])} of the pairs"


NEARLY_ALL = 0.85
"""From this ratio on a preference is called nearly unanimous."""
FEW_UNITS = 9
"""With at most so many identities or attributes only such a preference can show (docs/methods/two-way.md)."""


def _power(row: Row) -> str:
    """What so many pairs, identities and attributes would probably have shown, at the level of the interval."""
    detectable = row["detectable"]
    undefined = detectable is None or isnan(detectable)
    few, noun = row["clusters"], plural(row["clusters"], "identity", "identities")
    if row["sampled"] == "both" and 0 < row["attributes"] < few:
        few, noun = row["attributes"], plural(row["attributes"], "attribute")
    if not undefined and max(row["value"], 1 - row["value"]) >= detectable and row["reason"] != CORRECTED:
        return f" With {noun} the tests can miss even such a preference."
    text = ""
    if few <= FEW_UNITS and (undefined or detectable >= NEARLY_ALL):
        text = f" With {noun} only a nearly unanimous preference could show."
    elif undefined:
        text = " Even a preference in all pairs might not have been seen."
    if undefined:
        return text
    return (
        f"{text} Taken alone, a preference below {percent(1 - detectable)} or above {percent(detectable)} would "
        "probably (4 times in 5) have been seen."
    )


def _figures(results: Results, cells: pl.DataFrame) -> Iterator[Figure]:
    """All models and rules in one figure, or of many one for each rule, the highest share first."""
    if cells.height <= FEW:
        yield _figure(results, cells, "")
        return
    for (rule,), group in cells.group_by(["rule"], maintain_order=True):
        ordered = group.sort("value", descending=True, maintain_order=True)
        yield _figure(results, ordered, str(rule))


def _figure(results: Results, cells: pl.DataFrame, rule: str) -> Figure:
    """The dots of some cells.

    Args:
        results: of the page.
        cells: their rows, in the order drawn.
        rule: the rule of all of them, or empty where the labels name it.
    """
    label = pl.struct("model", "rule").map_elements(
        lambda key: results.labels[key["model"]] if rule else results.label(key["model"], key["rule"]),
        return_dtype=pl.String,
    )
    frame = cells.select(
        label=label,
        note=pl.struct("name", "value", "n", "raw").map_elements(
            lambda cell: (
                f"{percent(cell['value'])} of {count(cell['n'])}"
                + (f" (raw {percent(cell['raw'])})" if calibrated(cell) else "")
            ),
            return_dtype=pl.String,
        ),
        value="value",
        low=pl.col("low").fill_nan(None),
        high=pl.col("high").fill_nan(None),
        outer_low=pl.col("pair_low").fill_nan(None),
        outer_high=pl.col("pair_high").fill_nan(None),
        filled=marked(),
    )
    texts = [
        f"{results.label(row['model'], row['rule'])} {percent(row['value'])}, interval "
        f"{percent_ends(row)}, {chip(row)}"
        for row in cells.iter_rows(named=True)
    ]
    language = results.languages[0] if len(results.languages) == 1 else ALL
    where = {"axis": axis_name(ALL), "language": language_name(language), **({"rule": rule} if rule else {})}
    return dot_figure(
        frame.with_columns(tip=pl.Series(texts) + pl.format(", n {}", cells["n"])),
        PREFERENCE,
        name=f"headline-{results.slug}" + (f"-{slug(rule)}" if rule else ""),
        title="Preference for the stereotypical sentence"
        + (", compared with others" if cells.height and all(map(calibrated, cells.rows(named=True))) else "")
        + (f", {rule}" if rule else ""),
        alt=described("Preference ratio of each model and rule, unbiased at 50 %", texts),
        reading=hollow(
            cells.rows(named=True),
            lambda row: results.labels[row["model"]] if rule else results.label(row["model"], row["rule"]),
        ),
        **rows_once(results, cells, where),
    )


def _kind_table(results: Results, kinds: pl.DataFrame) -> Table:
    """Kinds and directions of pairs apart: mixed, one of them can hide another."""
    return table_of(
        "By kind of pair",
        kinds,
        (
            *_combination_fields(results),
            *([text_field("language", "language", language_name)] if len(results.languages) > 1 else []),
            text_field("pairs that are", "kind", lambda kind: KINDS[kind]),
            number_field("preference ratio", "value", percent),
            number_field(f"{results.level} interval", percent_ends),
            VERDICT,
            P_ADJUSTED,
            *raw_fields(kinds),
            number_field("pairs", "n"),
            *unit_fields(kinds),
        ),
    )


def _difference_table(results: Results) -> Table:
    names = ("mean_difference", "calibrated_mean_difference")
    rows = deciding(overall(identity_rows(results.estimates, *names)), CELL, names)
    return table_of(
        "Mean score difference (stereotypical minus other sentence)",
        rows,
        (
            *_combination_fields(results),
            number_field("mean difference", "value", signed),
            number_field(f"{results.level} interval", signed_ends),
            text_field("unit", "rule", rule_unit),
            VERDICT,
            P_ADJUSTED,
            number_field(
                f"{results.level} t interval, pairs",
                lambda row: signed_interval(row["pair_low"], row["pair_high"]),
            ),
            *(
                (
                    text_field(
                        "calibrated", lambda row: "yes" if row["name"].startswith("calibrated") else "no"
                    ),
                    number_field("raw mean", "raw", signed),
                )
                if names[1] in rows["name"]
                else ()
            ),
        ),
    )


def _combination_fields(results: Results) -> tuple[Field, Field]:
    """Model and rule of a row."""
    return text_field("model", lambda row: results.labels[row["model"]]), text_field("rule")


def _by_combination(rows: pl.DataFrame) -> dict[tuple[str, str], Row]:
    """The rows over all languages and axes, by model and rule."""
    return {(row["model"], row["rule"]): row for row in overall(rows).iter_rows(named=True)}
