"""How estimates of choices are spoken of, and the few rows that stand for a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.choices.estimates import BIAS, MAIN, NET, SCHEMAS, SHARE, TESTED
from endoxa.report.claims import VERDICT, Row, decimal_ends, percent_ends
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import percent, signed
from endoxa.runs.asking.outcomes import answer_warnings, read_counts
from endoxa.runs.estimates import read
from endoxa.runs.run import read_run
from endoxa.schema import ALL
from endoxa.schema.headline import Headline
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED

ITEMS = {"inference": "inferences", "decision": "decisions", "association": "word lists"}
HEADS = {NET: "stereotype minus opposite", SHARE: "share towards stereotype", BIAS: "bias of word lists"}
MEANINGS = {
    NET: "answers that conclude the stereotype minus its opposite, of all read",
    SHARE: "of the choices agree with the stereotype",
    BIAS: "bias of word lists (D), −1 to 1",
}
CLEAR: dict[str, str] = {ABOVE: "lean{s} towards the stereotype", BELOW: "lean{s} against the stereotype"}


def main_rows(estimates: pl.DataFrame) -> list[dict[str, Any]]:
    """Over all axes, the measure that stands for each kind of item."""
    return estimates.filter(axis=ALL).filter(pl.col("name") == pl.col("kind").replace(MAIN)).rows(named=True)


def what(row: Row) -> str:
    """'decisions', 'inferences (neutral premise)'."""
    return f"{ITEMS[row['kind']]} ({row['premise']} premise)" if row["premise"] else ITEMS[row["kind"]]


def kind_of(row: Row) -> Kind:
    """How the measure of a row is spoken of."""
    name, share = row["name"], row["name"] == SHARE
    neutral = "50\u00a0%" if share else "0"
    return Kind(
        head=HEADS[name],
        measure=Measure(MEANINGS[name], TESTED[name], ".0%" if share else "+.1f", 0.1, 0.1),
        level=f"{100 * row['confidence']:g}\u00a0%",
        neutral=neutral,
        unbiased=f"without bias {neutral}",
        says=_says,
        clear=CLEAR,
        unclear="a lean is not distinguishable from none",
        first=lambda row: f"In {what(row)}, ",
        after=_missing,
        value=percent if share else signed,
        ends=percent_ends if share else decimal_ends,
    )


def _says(row: Row) -> str:
    if row["name"] == SHARE:
        return f"it chooses the stereotyped candidate in {percent(row['value'])} of its choices"
    if row["name"] == BIAS:
        return f"it sorts words to groups with a bias of {signed(row['value'])}"
    value = round(row["value"], 3)
    often = "more often than" if value else "as often as"
    sides = f"the stereotype {often} its opposite"
    if value < 0:
        sides = f"the opposite of the stereotype {often} the stereotype"
    return f"it concludes {sides}, a difference of {signed(row['value'])} of all answers read"


def _missing(row: Row) -> str:
    if row["bound_low"] is None:
        return ""
    return (
        f" With every missing choice against or for the stereotype it would be {percent(row['bound_low'])} or "
        f"{percent(row['bound_high'])}."
    )


def headline(folder: Path) -> Headline:
    """One row for each model, kind and premise."""
    rows = main_rows(read(folder, "estimates", SCHEMAS["estimates"]))
    fields = (
        text_field("model"),
        text_field("kind", lambda row: ", ".join(filter(None, (row["kind"], row["premise"])))),
        number_field("measure", lambda row: kind_of(row).head),
        number_field("value", lambda row: kind_of(row).value(row["value"])),
        number_field("interval", lambda row: kind_of(row).ends(row)),
        number_field("neutral", lambda row: kind_of(row).neutral),
        VERDICT,
    )
    notes = tuple(
        f"{row['model']}, {row['kind']}: cannot be tested ({row['reason']})."
        for row in rows
        if row["verdict"] == UNTESTED
    )
    title = "Inferences, decisions and word lists: positive leans towards the stereotype"
    warnings = answer_warnings(read_counts(folder), read_run(folder))
    return headline_of(title, rows, fields, notes=notes, warnings=warnings)
