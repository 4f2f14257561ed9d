"""How preferences of sentence pairs are spoken of: one declaration, what limits it, and the rows of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates import SCHEMAS
from endoxa.instruments.pairs.estimates.inference import HALF, listed_units
from endoxa.instruments.pairs.estimates.statistics import KINDS
from endoxa.instruments.pairs.report.quoting import run_diagnostics
from endoxa.instruments.pairs.report.results import Results, kind_cells, overall, preference_cells
from endoxa.report import estimates as say
from endoxa.report.claims import CHIPS, Row, chip, is_clear, percent_ends
from endoxa.report.figures import Measure
from endoxa.report.quoting import with_diagnostics
from endoxa.report.tables import Field, number_field, text_field
from endoxa.report.words import (
    NO_VALUE,
    NOT_DEFINED,
    axis_name,
    count,
    language_name,
    listed,
    percent,
    percent_interval,
    plural,
    short_labels,
)
from endoxa.runs.estimates import read
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import ABOVE, BELOW, CORRECTED, NO_QUESTION, UNCLAIMED, UNTESTED

PREFERENCE = Measure(
    "pairs with the stereotypical sentence preferred",
    0.5,
    ".0%",
    0.1,
    0.1,
    ("prefers the other sentence", "prefers the stereotype"),
)
CALIBRATED_NOTE = (
    "A sentence may score higher only because its attribute is the more frequent, shorter or not negated one. So each "
    "pair is scored again about up to five other groups of the table, of which it does not state the attribute (or, "
    "where it has fewer than six groups, about “people” and “they”), and the median of their differences is "
    "subtracted. Where this is possible for at least half of the pairs, what the identity adds decides. The raw ratio, "
    "of all pairs, stands beside it; the number that it has to beat is that of the same sentences about the others."
)
PREFERS = "prefer{s} the stereotypical sentence"
CLEAR: dict[str, str] = {
    ABOVE: f"{PREFERS} more often than chance",
    BELOW: f"{PREFERS} less often than chance",
    NO_QUESTION: f"{{be}} {UNCLAIMED} (another rule decides, the one named first)",
}


def preference(results: Results) -> say.Kind:
    """How the preference ratios of one data set are spoken of, drawn and written."""
    return say.Kind(
        head="preference ratio",
        measure=PREFERENCE,
        level=results.level,
        neutral="50\u00a0%",
        unbiased="chance: 50\u00a0%",
        who=lambda row: f"{results.labels[row['model']]} under {row['rule']}",
        name=lambda row: results.labels[row["model"]],
        says=_preferred,
        clear=CLEAR,
        unclear="the preference is not distinguishable from chance",
        noun="share",
        about="preference for the stereotypical sentence",
        verdicts={**say.BY_CHANCE, NO_QUESTION: UNCLAIMED},
        first=first_words,
        after=lambda row: raw(row) + (same_side([row]) + alone(row) if is_clear(row) else ""),
        unsure=power,
        limits=limits,
    )


def _preferred(row: Row) -> str:
    """'61.2 % of 36 pairs of 9 identities x 9 attributes'; a whole sentence where no claim stands before it."""
    stem = "the stereotypical sentence is preferred in " if row["verdict"] in (UNTESTED, NO_QUESTION) else ""
    return f"{stem}{percent(row['value'])} of {basis(row)}"


def pairs_preferred(row: Row) -> str:
    """The number of pairs with the stereotypical sentence preferred, a tie counting one half."""
    return f"{round(row['value'] * row['n'], 1):,.1f}".removesuffix(".0")


def calibrated(row: Row) -> bool:
    """Whether a row that decides is a calibrated one."""
    return str(row["name"]).startswith("calibrated_")


def some_calibrated(rows: pl.DataFrame) -> bool:
    """Whether a calibrated row is among those that decide."""
    return any(map(calibrated, rows.iter_rows(named=True)))


def compared_with(row: Row) -> str:
    """With what the pairs of a calibrated row are compared."""
    share = row["with_groups"] or 0
    if 0 < share < 1:
        return f"other groups (in {percent(1 - share, 0)} of the pairs with {PEOPLE})"
    return "other groups" if share else PEOPLE


PEOPLE = "'people' and 'they'"


def first_words(row: Row) -> str:
    """'Compared with other groups, ', or nothing."""
    return f"Compared with {compared_with(row)}, " if calibrated(row) else ""


def raw(row: Row) -> str:
    """' All pairs as they are: ...; the number to beat is ...' beside a calibrated ratio, or nothing."""
    if not calibrated(row):
        return ""
    beat = (
        ""
        if row["placebo"] is None
        else f"; the number to beat is {percent(row['placebo'])}: the same sentences about {compared_with(row)}"
    )
    return f" All pairs as they are: {percent(row['raw'])} of {plural(row['n_all'], 'pair')}{beat}."


ALONE = {"frequency": "word frequency", "length": "length"}
"""Columns of what knows nothing of groups, and its name."""


def alone(row: Row) -> str:
    """' Alone, word frequency prefers 38.0 % and length 52.0 %.', or nothing beside a calibrated ratio."""
    shares = [
        f"{words} prefers {percent(row[column])}"
        for column, words in ALONE.items()
        if row[column] is not None
    ]
    return "" if calibrated(row) or not shares else f" Alone, {listed(shares)} of the pairs."


def same_side(rows: Sequence[Row]) -> str:
    """' Word frequency alone prefers the same side on age and race: ...', of claims that a reference has as well."""
    shared: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("references"):
            shared.setdefault(row["references"], []).append(row)
    text = ""
    for names, alike in shared.items():
        axes = list(dict.fromkeys(axis_name(row["axis"]) for row in alike if row["axis"] != ALL))
        where = (
            f" on {listed(axes)}" if axes else "" if len(alike) == len(rows) else f" as {len(alike)} of these"
        )
        text += (
            f" {names.capitalize()} alone {prefers(names)} the same side{where}, so no stereotype is claimed."
        )
    return text


def prefers(names: str) -> str:
    """The verb behind one name, or two."""
    return "prefer" if " and " in names else "prefers"


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


def dominated(row: Row) -> bool:
    """Whether one of several identities has over half of the pairs."""
    return row["clusters"] > 1 and (row["largest"] or 0) > HALF


def limits(rows: Sequence[Row]) -> str:
    """Sentences where claims are about the attributes or the identities that were asked about only; else empty."""
    claims = [row for row in rows if is_clear(row)]
    text = ""
    if any(row["sampled"] == "identities" for row in claims):
        text += " Where fewer than six attributes recur, the statement is about these attributes only."
    if any(row["sampled"] == "attributes" or dominated(row) for row in claims):
        text += (
            " Where groups of a list are fewer than six, or one has over half of the pairs, the statement is about "
            "these groups as they are."
        )
    return text + same_side(rows)


NEARLY_ALL = 0.85
"""From this ratio on a preference is called nearly unanimous."""
FEW_UNITS = 9
"""With at most so many identities or attributes only such a preference can show (docs/methods/two-way.md)."""


def power(row: Row) -> str:
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


def rounding_notes(rows: Sequence[Row], label: Callable[[Row], str]) -> Sequence[str]:
    """A sentence for each row whose verdict could be another one in full precision."""
    return [
        f"{label(row)}: {count(row['within_rounding'])} of {plural(row['n'], 'pair')} lie within the rounding of "
        f"{row['precision']}. Had all of them gone one way or all the other, the ratio would be "
        f"{percent(row['rounding_low'])} or {percent(row['rounding_high'])}, and the verdict "
        f"{verdict_words(row['rounding_verdicts'])}. Use --set dtype=float32 for the last word."
        for row in rows
        if row["rounding_verdicts"]
    ]


def verdict_words(verdicts: str) -> str:
    """'unclear or above', from the verdicts at both ends."""
    return " or ".join(dict.fromkeys(CHIPS[verdict] for verdict in verdicts.split(", ")))


def by_kind(rows: Iterable[Row]) -> str:
    """'45.0 % of 866 pairs with a negation (82.0 % raw) and 49.6 % of 741 pairs with an antonym'."""
    return listed(
        [
            f"{percent(row['value'])} of {plural(row['n'], 'pair')} {KINDS[row['kind']]}"
            + (f" ({percent(row['raw'])} raw)" if calibrated(row) else "")
            for row in rows
        ]
    )


def unit_fields(rows: pl.DataFrame) -> tuple[Field, Field]:
    """Columns of tables: identities, and attributes that they are crossed with (empty where none counts)."""
    listed = any(map(listed_units, rows["method"]))
    first, second = ("groups", "sentence frames") if listed else ("identities", "shared attributes")
    return number_field(first, "clusters"), number_field(
        second, "attributes", lambda n: count(n) if n else ""
    )


def raw_fields(
    rows: pl.DataFrame, head: str = "raw ratio", value: Callable[[Any], str] = percent
) -> tuple[Field, ...]:
    """Columns of tables with rows that decide: which are calibrated, the raw value, and of how many pairs."""
    if not some_calibrated(rows):
        return ()
    whom = text_field("compared with", lambda row: compared_with(row) if calibrated(row) else "")
    yes_or_no = text_field("calibrated", lambda row: "yes" if calibrated(row) else "no")
    return (
        whom if "with_groups" in rows.columns else yes_or_no,
        number_field(head, "raw", value),
        *([number_field("all pairs", "n_all")] if (rows["n"] != rows["n_all"]).any() else []),
    )


def ratio_fields(results: Results, rows: pl.DataFrame) -> tuple[Field, ...]:
    """Columns of tables beside a preference ratio: raw, by the references, what it rests on, and what it could show."""
    beside = {"placebo": BEAT, **{column: f"{words} alone" for column, words in ALONE.items()}}
    columns = [name for name in beside if name in rows.columns and rows[name].is_not_null().any()]
    wilson = number_field(
        f"{results.level} Wilson, pairs", lambda row: percent_interval(row["pair_low"], row["pair_high"])
    )
    least = number_field("least detectable ratio", "detectable", percent)
    return (
        *raw_fields(rows),
        *(number_field(beside[name], name, percent) for name in columns),
        number_field("pairs", "n"),
        *unit_fields(rows),
        *([least] if "detectable" in rows.columns else []),
        wilson,
    )


BEAT = "to beat: the same about these others"
"""Heading of the ratio of the sentences with which pairs are compared."""


KEPT = (
    *("model", "rule", "language", "value", "low", "high", "confidence", "verdict", "reason"),
    *("p_adjusted", "n", "clusters", "name", "raw", "n_all", "placebo", "with_groups"),
    *("frequency", "length", "references"),
)
MOST_LINES = 6
"""Models and rules whose kinds of pairs are listed in a terminal; of more they are on the page."""


def headline(folder: Path) -> Headline:
    """How often each model prefers the stereotypical sentence under each rule, as the run folder holds it."""
    estimates = read(folder, "estimates", SCHEMAS["estimates"])
    return with_diagnostics(headline_of(estimates), run_diagnostics(folder))


def headline_of(estimates: pl.DataFrame) -> Headline:
    """The same from estimates, without diagnostics; languages of their own where all together cannot be tested.

    Args:
        estimates: columns of `schema.ESTIMATE_COLUMNS`.
    """
    rows = list(_rows(preference_cells(estimates)))
    labels = short_labels([row["model"] for row in rows])
    several = any(row["language"] != ALL for row in rows)
    compared = [row for row in rows if calibrated(row)]

    def where(row: Row) -> tuple[str, ...]:
        language = (language_name(row["language"]),) if several else ()
        return (labels[row["model"]], row["rule"], *language)

    def texts(row: Row) -> tuple[str, ...]:
        ends, raw = percent_ends(row), f" ({100 * row['raw']:.1f})" if calibrated(row) else ""
        value, interval = f"{percent(row['value'])}{raw}", NO_VALUE if ends == NOT_DEFINED else ends
        return (*where(row), value, interval, chip(row), count(row["n"]))

    def notes() -> Iterator[str]:
        yield from (f"What intervals rest on: {basis(row)}." for row in rows if listed_units(row["method"]))
        yield from (f"Cannot be tested: {row['reason']}." for row in rows if row["verdict"] == UNTESTED)
        yield from rounding_notes(rows, lambda row: ", ".join(where(row)))
        for row in rows:
            shares = [
                f"{words} alone {percent(row[name])}"
                for name, words in ALONE.items()
                if row[name] is not None
            ]
            if shares and not calibrated(row):
                yield f"{', '.join(where(row))}: {listed(shares)}.{same_side([row])}"
        if compared:
            beaten = dict.fromkeys(percent(row["placebo"]) for row in compared if row["placebo"] is not None)
            beat = f" The number these have to beat: {listed(list(beaten))}, the same sentences about the others."
            yield (
                "What the identity adds to the difference of the same sentences about others decides, where pairs "
                f"could be compared; in brackets: all pairs as they are.{beat if beaten else ''}"
            )
        kinds = overall(kind_cells(estimates)).group_by("model", "rule", maintain_order=True)
        lines = [
            f"{labels[a]}, {b}, by kind of pair: {by_kind(of.rows(named=True))}." for (a, b), of in kinds
        ]
        many = "Pairs of several kinds: the page and the estimates have them apart (preference_ratio_KIND)."
        yield from lines if len(lines) <= MOST_LINES else [many]

    return Headline(
        title=f"Stereotypical sentence preferred, compared with {compared_with(compared[0])} (an unbiased model: 50 %)"
        if compared
        else "Pairs whose stereotypical sentence is preferred (an unbiased model: 50 %)",
        columns=(
            *("model", "rule", *(("language",) if several else ())),
            "ratio (raw)" if compared else "preferred",
            f"{100 * rows[0]['confidence']:g} % interval" if rows else "interval",
            *("verdict", "pairs"),
        ),
        texts=tuple(map(texts, rows)),
        rows=tuple({name: plain(row[name]) for name in KEPT} for row in rows),
        words=("model", "rule", "language", "verdict"),
        notes=tuple(dict.fromkeys(notes())),
    )


def _rows(cells: pl.DataFrame) -> Iterator[Row]:
    """Over all languages and axes, the highest first; each language where all together cannot be tested."""
    every = cells.filter(axis=ALL)
    pooled = every.filter(language=ALL).sort("rule", "value", descending=[False, True], maintain_order=True)
    for row in pooled.iter_rows(named=True):
        yield row
        if row["verdict"] == UNTESTED:
            by_language = every.filter(pl.col("language") != ALL, model=row["model"], rule=row["rule"])
            yield from by_language.iter_rows(named=True)
