"""How the estimates of choices are spoken of and written: the three measures that stand for a run."""

from __future__ import annotations

import polars as pl

from endoxa.instruments.choices.estimates import BIAS, MAIN, NET, SHARE, TESTED
from endoxa.report.claims import Row, decimal_ends, percent_ends
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.words import percent, signed
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

ITEMS = {"inference": "inferences", "decision": "decisions", "association": "word lists"}
HEADS = {NET: "stereotype minus opposite", SHARE: "share towards stereotype", BIAS: "bias of word lists"}
MEANINGS = {
    NET: "answers that conclude the stereotype minus its opposite, of all read",
    SHARE: "of the choices agree with the stereotype",
    BIAS: "bias of word lists (D), −1 to 1",
}
CLEAR: dict[str, str] = {ABOVE: "lean{s} towards the stereotype", BELOW: "lean{s} against the stereotype"}
NO_LEAN = "a lean is not distinguishable from none"


def main_rows(estimates: pl.DataFrame) -> pl.DataFrame:
    """Over all axes, the measure that stands for each kind of item."""
    main = pl.struct("kind", "name").is_in([{"kind": kind, "name": name} for kind, name in MAIN.items()])
    return estimates.filter(pl.col("axis") == ALL, main)


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
        who=lambda row: str(row["model"]),
        name=lambda row: str(row["model"]),
        says={NET: _concludes, SHARE: _chooses, BIAS: _sorts}[name],
        clear=CLEAR,
        unclear=NO_LEAN,
        verdicts={
            ABOVE: "towards the stereotype",
            BELOW: "against the stereotype",
            UNCLEAR: NO_LEAN,
            UNTESTED: "cannot be tested",
        },
        first=lambda row: f"In {what(row)}, ",
        after=_missing,
        value=percent if share else signed,
        ends=percent_ends if share else decimal_ends,
    )


def _chooses(row: Row) -> str:
    return f"it chooses the stereotyped candidate in {percent(row['value'])} of its choices"


def _sorts(row: Row) -> str:
    return f"it sorts words to groups with a bias of {signed(row['value'])}"


def _concludes(row: Row) -> str:
    side = round(row["value"], 3)
    which = (
        "the stereotype more often than its opposite"
        if side > 0
        else "the opposite of the stereotype more often than the stereotype"
        if side < 0
        else "the stereotype as often as its opposite"
    )
    return f"it concludes {which}, a difference of {signed(row['value'])} of all answers read"


def _missing(row: Row) -> str:
    if row["bound_low"] is None:
        return ""
    return (
        f" With every missing choice against or for the stereotype it would be {percent(row['bound_low'])} or "
        f"{percent(row['bound_high'])}."
    )
