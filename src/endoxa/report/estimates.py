"""What estimates say: sentences, titles, dots, maps and tables of one kind of estimate, from one declaration of it.

An instrument declares a `Kind` for each name in its table of estimates and hands over rows; nothing here knows what was
measured. A page is an order of such parts and a few sections of its own (docs/architecture.md, "An instrument").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import polars as pl

from endoxa.report.claims import (
    P_ADJUSTED,
    VERDICT,
    Row,
    chip,
    corrected,
    counted,
    held_back,
    interval_holds,
    marked,
    not_ranked,
    percent_ends,
    verdict_counts,
)
from endoxa.report.document import Figure, Finding
from endoxa.report.figures import Measure, claim_map, described, dot_figure
from endoxa.report.grids import FAR
from endoxa.report.tables import Field, Table, number_field, table_of
from endoxa.report.words import NOT_DEFINED, decimal, listed, p_value, percent
from endoxa.runs.estimates import ESTIMATES
from endoxa.stats.verdicts import ABOVE, BELOW, NO_QUESTION, UNCLEAR, UNTESTED

MOST_NAMED = 8
"""Rows that a sentence names by verdict; more are counted."""
FEW = 3
"""Up to so many rows get a sentence each; of more it is said how many have which verdict."""
HOLLOW = (
    "A dot is hollow although its band misses the line where the test is not significant after correction for the "
    "number of tests."
)
BY_CHANCE: Mapping[Any, str] = {
    ABOVE: "more often than chance",
    BELOW: "less often than chance",
    UNCLEAR: "not distinguishable from chance",
    UNTESTED: "cannot be tested",
}
"""What a verdict says of a row that a sentence only names."""


def nothing(_: Any) -> str:
    """What is to be added where there is nothing."""
    return ""


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of estimate is spoken of, drawn and written.

    Attributes:
        head: what it is: its heading in tables.
        measure: its axis in figures, with the value of an unbiased model.
        neutral: value of an unbiased model in words ("50 %").
        level: confidence level in words ("95 %").
        unbiased: the same as a sentence has it in brackets ("chance: 50 %"); by default 'unbiased: ' and `neutral`.
        who: names a row in a sentence.
        name: names it where a sentence or figure is of one model, rule or axis.
        says: the value of a row in words ("61 % of 36 pairs").
        clear: verb phrases of claims, with `{s}` for the third person ("lean{s} towards the stereotype").
        unclear: what is said where nothing is claimed.
        noun: what one value is called ("share").
        about: what a claim is about ("preference for the stereotypical sentence").
        verdicts: what a verdict says of a row that is only named.
        first: words before a sentence.
        after: sentences behind every row.
        unsure: sentences behind an unclear row.
        limits: sentences on what claims are about.
        value: writes a value.
        ends: writes an interval.
    """

    head: str
    measure: Measure
    neutral: str
    level: str = "95 %"
    unbiased: str = ""
    who: Callable[[Row], str] = itemgetter("model")
    name: Callable[[Row], str] = itemgetter("model")
    says: Callable[[Row], str] = nothing
    clear: Mapping[str, str] = field(default_factory=dict)
    unclear: str = ""
    noun: str = "value"
    about: str = "lean"
    verdicts: Mapping[Any, str] = field(default_factory=lambda: BY_CHANCE)
    first: Callable[[Row], str] = nothing
    after: Callable[[Row], str] = nothing
    unsure: Callable[[Row], str] = nothing
    limits: Callable[[Sequence[Row]], str] = nothing
    value: Callable[[Any], str] = percent
    ends: Callable[[Row], str] = percent_ends

    @property
    def brackets(self) -> str:
        """The value of an unbiased model, as a sentence has it in brackets."""
        return self.unbiased or f"unbiased: {self.neutral}"

    def reading(self, row: Row) -> str:
        """'61.2 % (58.0 to 64.1)', or the value alone where it has no interval."""
        ends = self.ends(row)
        return self.value(row["value"]) + ("" if ends == NOT_DEFINED else f" ({ends})")

    @property
    def tally(self) -> dict[Any, str]:
        """What `{n}` rows of each verdict do."""
        verbs = {verdict: f"{{n}} {words}" for verdict, words in self.clear.items()}
        return verbs | {UNCLEAR: f"for {{n}} {self.unclear}", UNTESTED: "{n} cannot be tested"}


def sentence(kind: Kind, row: Row, where: str = "") -> Finding:
    """One row in a sentence; `where` stands behind its name."""
    label, says, ends = f"{kind.first(row)}{kind.who(row)}{where}", kind.says(row), kind.ends(row)
    interval = "no interval can be given" if ends == NOT_DEFINED else f"{kind.level} interval {ends}"
    numbers = f"{says} ({interval}; {kind.brackets})"
    if row["verdict"] == UNTESTED:
        value = f" {says[:1].upper()}{says[1:]}." if says else ""
        text = f"{label}: cannot be tested ({row['reason']}).{value}"
    elif row["verdict"] == UNCLEAR:
        text = f"{label}: {kind.unclear}: {numbers}.{corrected(row)}{kind.unsure(row)}"
    elif row["verdict"] == NO_QUESTION:
        text = f"{label}, {row['reason']}. {numbers[:1].upper()}{numbers[1:]}."
    else:
        text = f"{label} {kind.clear[row['verdict']].format(s='s')}: {numbers}."
    return Finding(f"{text}{kind.after(row)}", (row,))


def sentences(kind: Kind, rows: Sequence[Row], scope: Callable[[Row], str]) -> Iterator[Finding]:
    """A sentence each of a few rows; of many one for each scope ("Under sum")."""
    if len(rows) <= FEW:
        yield from (sentence(kind, row) for row in rows)
        return
    for of in dict.fromkeys(map(scope, rows)):
        yield summary(kind, [row for row in rows if scope(row) == of], f"{of}, ")


def summary(kind: Kind, rows: Sequence[Row], scope: str = "", what: str = "models") -> Finding:
    """Many rows: how many have which verdict, the highest and the lowest."""
    if len(rows) == 1:
        return sentence(kind, rows[0])
    reasons = "; ".join(dict.fromkeys(row["reason"] for row in rows if row["verdict"] == UNTESTED))
    words = {**kind.tally, UNTESTED: "{n} cannot be tested ({reasons})"}
    ordered = sorted((row for row in rows if row["value"] is not None), key=lambda row: row["value"])
    ends = []
    for word, row in (("The highest", ordered[-1]), ("the lowest", ordered[0])) if len(ordered) > 1 else ():
        spoken = kind.ends(row)
        interval = "" if spoken == NOT_DEFINED else f"; {kind.level} interval {spoken}"
        ends.append(f"{word} {kind.noun} is {kind.value(row['value'])} ({kind.name(row)}{interval})")
    range_of_values = (
        f" {', '.join(ends)}; {kind.brackets}.{not_ranked(ordered[0], ordered[-1])}" if ends else ""
    )
    text = (
        f"{scope}of {len(rows)} {what} {listed(counted(rows, words, reasons=reasons))}.{range_of_values}"
        f"{kind.limits(rows)}"
    )
    counts = {"models": len(rows), "chance": kind.measure.neutral * 100, **verdict_counts(rows)}
    return Finding(text, (counts, *rows))


def by_verdict(kind: Kind, label: str, rows: Sequence[Row], name: Callable[[Row], str]) -> Finding:
    """As in 'm by axis: more often than chance on a; cannot be tested on b (4 identities, at least 6 needed)'."""
    alike: dict[tuple[str, str], list[str]] = {}
    for verdict, words in kind.verdicts.items():
        for row in rows:
            if row["verdict"] == verdict:
                key = (words, f" ({row['reason']})" if verdict == UNTESTED else "")
                alike.setdefault(key, []).append(name(row))
    parts = (
        f"{words} on {listed(names) if len(names) <= MOST_NAMED else f'{len(names)} of them'}{reason}"
        for (words, reason), names in alike.items()
    )
    return Finding(f"{label}: {'; '.join(parts)}.{kind.limits(rows)}", tuple(rows))


def verdict_tally(kind: Kind, label: str, rows: Sequence[Row]) -> Finding:
    """How many rows have which verdict."""
    parts = counted(rows, {verdict: f"{words} in {{n}}" for verdict, words in kind.verdicts.items()})
    counts = {"rows": len(rows), **verdict_counts(rows)}
    return Finding(f"{label}: {listed(parts)}.{kind.limits(rows)}", (counts, *rows))


def title(kind: Kind, rows: Sequence[Row], what: str) -> str:
    """The finding of several rows in one line; `what` they are ("models")."""
    verdicts = {row["verdict"] for row in rows}
    if len(verdicts) > 1:
        return f"Of {len(rows)} {what}, {listed(counted(rows, kind.tally))}"
    (verdict,) = verdicts
    if verdict in kind.clear:
        return f"All {len(rows)} {what} {kind.clear[verdict].format(s='')}"
    which = "is distinguishable from chance" if verdict == UNCLEAR else "can be tested"
    return f"No {kind.about} {which} in {len(rows)} {what}"


def lead(kind: Kind, row: Row, text: str) -> str:
    """The single row behind a title, with its interval and its test; `text` is its value and what it rests on."""
    if row["verdict"] == UNTESTED:
        return f"{text}. A {kind.about} cannot be tested ({row['reason']})."
    claimed = row["verdict"] in kind.clear
    agrees = row["low"] is not None and interval_holds(row, kind.measure.neutral) != claimed
    where = f", which {'does not hold' if claimed else 'holds'} {kind.neutral}" if agrees else ""
    p, ends = p_value(row["p_adjusted"]), kind.ends(row)
    unit = "\u00a0%" if kind.value is percent and ends != NOT_DEFINED else ""
    test = f"p {p if p.startswith('<') else f'= {p}'} after correction for the number of tests"
    return f"{text}. {kind.level} interval: {ends}{unit}{where} ({kind.brackets}; {test})."


def downloaded(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows behind a figure: what stands before the value says where it was measured; then the shared columns."""
    places = rows.columns[: rows.columns.index("value")]
    return rows.select(name for name in rows.columns if name in places or name in ESTIMATES)


def dots(
    kind: Kind,
    rows: pl.DataFrame,
    label: Callable[[Row], str],
    *,
    title: str,
    note: Callable[[Row], str] | None = None,
    reading: str = "",
    outer: tuple[str, str] | None = None,
    **figure: Any,
) -> Figure:
    """Estimates as dots with their intervals, filled where something is claimed, dotted where nothing can be tested.

    Args:
        kind: of the estimates.
        rows: of the table of estimates, in the order drawn.
        label: names a row at the left.
        title: of the figure.
        note: the numbers at the right; value and interval where not given.
        reading: how to read it.
        outer: columns of a second, thin interval.
        figure: further settings of `dot_figure`.
    """
    each = rows.rows(named=True)
    texts = [f"{label(row)}: {kind.reading(row)}, {chip(row)}" for row in each]
    tips = [f"{text}, n {row['n']}" for text, row in zip(texts, each, strict=True)]
    thin = zip(outer or ("", ""), ("outer_low", "outer_high"), strict=True)
    frame = rows.select(
        pl.col("value", "low", "high").fill_nan(None),
        *((pl.col(of) if of else pl.lit(None, pl.Float64)).fill_nan(None).alias(end) for of, end in thin),
        filled=marked(),
        label=pl.Series(map(label, each), dtype=pl.String),
        note=pl.Series(map(note or kind.reading, each), dtype=pl.String),
        tip=pl.Series(tips, dtype=pl.String),
    )
    figure.setdefault("rows", downloaded(rows))
    return dot_figure(
        frame,
        kind.measure,
        title=title,
        alt=described(f"{kind.head}: {title}, neutral {kind.neutral}", texts),
        reading=" ".join(filter(None, (reading, HOLLOW if any(map(held_back, each)) else ""))),
        **figure,
    )


def claims_map(
    kind: Kind, rows: pl.DataFrame, across: Callable[[Row], str], order: Iterable[str], **figure: Any
) -> Figure:
    """Models (`kind.name`, in this order) by what `across` says of a row, coloured where something is claimed."""
    each, share = rows.rows(named=True), kind.measure.axis_format == ".0%"
    texts = [percent(row["value"], 0) if share else decimal(row["value"], 2) for row in each]
    names = [(kind.name(row), across(row)) for row in each]
    tips = [f"{a}, {b}: {kind.reading(row)}, {chip(row)}" for (a, b), row in zip(names, each, strict=True)]
    frame = rows.select(
        pl.col("value").fill_nan(None),
        "verdict",
        far=(pl.col("value") - kind.measure.neutral).abs() >= FAR,
        text=pl.Series(texts, dtype=pl.String),
        row=pl.Series([a for a, _ in names], dtype=pl.String),
        column=pl.Series([b for _, b in names], dtype=pl.String),
        tip=pl.Series(tips, dtype=pl.String),
    )
    columns = sorted(frame["column"].unique())
    figure |= {"rows": downloaded(rows), "alt": described(kind.head, tips), "wide": len(columns) > 2}
    return claim_map(frame, list(order), columns, **figure)


def numbers(
    kind: Kind,
    caption: str,
    rows: pl.DataFrame,
    where: Sequence[Field],
    more: Sequence[Field],
    **settings: Any,
) -> Table:
    """The estimates as a table: where, value, interval, verdict, corrected p-value, and what else is known."""
    fields = (
        *where,
        number_field(kind.head, "value", kind.value),
        number_field(f"{kind.level} interval", kind.ends),
        VERDICT,
        P_ADJUSTED,
        *more,
    )
    return table_of(caption, rows, fields, **settings)
