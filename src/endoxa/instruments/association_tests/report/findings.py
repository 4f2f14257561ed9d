"""What the association tests show, in sentences made from their verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.instruments.association_tests.report.strongest import headline_figure, strongest
from endoxa.instruments.association_tests.report.tables import paper_tables
from endoxa.report.claims import corrected, is_clear
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import (
    NO_VALUE,
    count,
    language_name,
    listed,
    p_value,
    plural,
    signed,
    signed_interval,
)
from endoxa.stats.verdicts import CLEAR, UNCLEAR, UNTESTED

MOST_CELLS = 400
"""Larger tables stay closed until asked for."""

SMALL = 20
"""Texts per group below which the sets are called small."""
TIMES = 2
"""How many times as large one set is from which a difference in spread is warned of (docs/methods/encoders.md)."""


FEW = 3
"""With more encoders the strongest differences are put into words, and a table has each encoder."""


def findings(results: Associations) -> Section:
    """How many tests show a difference, the largest of every encoder, what could not be tested."""
    estimates = results.estimates
    few = estimates["encoder"].n_unique() <= FEW
    return Section(
        anchor="findings",
        title="What the tests show",
        findings=(
            *_overall(results),
            *(_encoders(estimates) if few else _strongest(estimates)),
            *_other_direction(estimates),
            *_untested(estimates),
            *_small(estimates),
            *_unequal(estimates),
        ),
        figures=tuple(headline_figure(results)),
        tables=() if estimates.height == 1 else (_encoder_table(estimates),),
        notes=(
            "A row of the figure is a test, a dot an encoder; right of the line the first group lies nearer to the "
            "attribute marked +, left of it to the one marked −. Filled dots: the groups differ.",
            "Effect size: how much nearer the first group lies to the first attribute, rather than the second, than "
            f"the second group does, in standard deviations over the words of both (ddof {results.ddof}). Both groups "
            "may lie nearer to one and the same attribute: the effect size is a difference between groups. *: the "
            f"groups differ (adjusted {results.sides} p-value at most {results.level}); †: cannot be tested.",
            "Interval and p-value answer different questions: the interval asks what other words for the same groups "
            "would give, the p-value whether chance could have divided these words into such groups. What is said "
            "here follows from the p-value after adjustment, so an interval may exclude zero where the groups are not "
            "distinguishable.",
        ),
    )


def spoken(row: dict[str, Any]) -> str:
    """What an effect size says, in the names of the sets: 'X lies nearer to A (rather than B) than Y does'."""
    effect = row["effect_size"]
    if _is_zero(effect):
        return f"no difference between {row['x']} and {row['y']}"
    near, far = ("a", "b") if effect > 0 else ("b", "a")
    return f"{row['x']} lies nearer to {row[near]} (rather than {row[far]}) than {row['y']} does"


def _overall(results: Associations) -> Iterator[Finding]:
    """How many results there are, and what becomes of them; nothing where a single one speaks for itself."""
    rows = list(results.estimates.iter_rows(named=True))
    if len(rows) == 1:
        return
    numbers = {"results": len(rows)}
    numbers |= {name: results.estimates[name].n_unique() for name in ("test", "model", "pooling")}
    poolings = f" under {plural(numbers['pooling'], 'pooling')}" if numbers["pooling"] > 1 else ""
    parts = [
        f"{words} in {number:,}"
        for words, verdicts in (
            ("differ", CLEAR),
            ("are not distinguishable", (UNCLEAR,)),
            ("cannot be tested", (UNTESTED,)),
        )
        if (number := sum(row["verdict"] in verdicts for row in rows))
    ]
    yield Finding(
        f"{plural(len(rows), 'result')}: {plural(numbers['test'], 'test')} in "
        f"{plural(numbers['model'], 'model')}{poolings}. After adjustment over all tests the two groups "
        f"{listed(parts)}.",
        (numbers, *rows),
    )


def _encoders(estimates: pl.DataFrame) -> Iterator[Finding]:
    """One sentence for each encoder that could be tested: how many tests differ, and the largest difference."""
    tested = estimates.filter(pl.col("verdict") != UNTESTED)
    for (encoder,), own in tested.group_by(["encoder"], maintain_order=True):
        rows = list(own.iter_rows(named=True))
        claimed = sorted(filter(is_clear, rows), key=lambda row: -abs(row["effect_size"]))
        least = min(rows, key=lambda row: row["p_value"])
        many = len(rows) > 1
        if claimed:
            share = f"in {len(claimed):,} of {plural(len(rows), 'test')} the groups differ. The largest difference: "
            sentence = f"{share * many}{spoken(claimed[0])} ({_numbers(claimed[0])})."
        else:
            share = (
                f"the groups are not distinguishable in any of {plural(len(rows), 'test')}. Least p-value: "
            )
            alone = "" if many else " are not distinguishable"
            sentence = (
                f"{share * many}{least['x']} and {least['y']}{alone} between {least['a']} and {least['b']} "
                f"({_numbers(least)})."
            )
        blamed = "" if claimed else corrected({**least, "reason": least["verdict_reason"]})
        yield Finding(f"{encoder}: {sentence}{blamed}", tuple(rows))


def _strongest(estimates: pl.DataFrame) -> Iterator[Finding]:
    """The differences that hold after correction in the most encoders, and the largest effect of each."""
    found = strongest(estimates)
    tested = estimates.filter(pl.col("verdict") != UNTESTED)
    if not found and tested.height:
        rows = list(tested.iter_rows(named=True))
        least = min(rows, key=lambda row: row["p_value"])
        yield Finding(
            f"Least p-value: {least['x']} and {least['y']} between {least['a']} and {least['b']} in {least['encoder']} "
            f"({_numbers(least)}).{corrected({**least, 'reason': least['verdict_reason']})}",
            tuple(rows),
        )
    for rows in found:
        sides = {side: [row for row in rows if row["verdict"] == side] for side in CLEAR}
        own = max(sides.values(), key=len)
        other = min(sides.values(), key=len)
        largest = max(own, key=lambda row: abs(row["effect_size"]))
        opposed = f", in the opposite direction in {len(other):,}" if other else ""
        yield Finding(
            f"{spoken(largest)} in {len(own):,} of {plural(len(rows), 'encoder')}{opposed}. The largest effect: "
            f"{largest['encoder']} ({_numbers(largest)}).",
            tuple(rows),
        )


def _encoder_table(estimates: pl.DataFrame) -> Table:
    """What became of the tests of each encoder, those with the most differences first."""
    names = (
        "encoder",
        "tests",
        "groups differ",
        "not distinguishable",
        "cannot be tested",
        "largest effect size",
    )
    rows = []
    for (encoder,), own in estimates.group_by(["encoder"], maintain_order=True):
        verdicts = own["verdict"].to_list()
        claimed = own.filter(pl.col("verdict").is_in(CLEAR)).sort(
            pl.col("effect_size").abs(), descending=True
        )
        top = claimed.row(0, named=True) if claimed.height else None
        rows.append(
            (
                str(encoder),
                count(own.height),
                count(sum(verdict in CLEAR for verdict in verdicts)),
                count(verdicts.count(UNCLEAR)),
                count(verdicts.count(UNTESTED)),
                NO_VALUE if top is None else signed(top["effect_size"]),
                NO_VALUE if top is None else p_value(top["p_adjusted"]),
            )
        )
    rows.sort(key=lambda row: -int(row[2].replace(",", "")))
    return Table(
        "Tests of each encoder; the largest effect is that of a difference that holds after correction",
        (
            *(Column(name, numeric=name != "encoder") for name in names),
            Column("p adjusted", numeric=True),
        ),
        tuple(rows),
    )


def effect_sizes(results: Associations) -> Section:
    """Effect sizes as papers print them, with stars."""
    tables = tuple(_paper_tables(results))
    long = sum(len(table.rows) * len(table.columns) for table in tables) > MOST_CELLS
    return Section(
        anchor="effect-sizes",
        title="Effect sizes as in a paper",
        tables=tuple(replace(table, folded=long) for table in tables),
        notes=(
            f"*: the groups differ (adjusted {results.sides} p-value at most {results.level}); †: cannot be tested.",
        ),
    )


def _numbers(row: dict[str, Any]) -> str:
    """'Hindi; effect size +0.620, 95 % interval ..., adjusted p 0.034'; an effect of zero is said to be none."""
    language = f"{language_name(row['language'])}; " if row["language"] else ""
    interval = (
        f", {100 * row['confidence']:g}\u00a0% interval {signed_interval(row['low'], row['high'])}"
        if None not in (row["low"], row["high"], row["confidence"])
        else ""
    )
    none = "no difference, " if _is_zero(row["effect_size"]) else ""
    adjusted = p_value(row["p_adjusted"])
    return f"{language}{none}effect size {signed(row['effect_size'])}{interval}, adjusted p {adjusted}"


def _is_zero(effect: float) -> bool:
    """Whether an effect size is printed as zero."""
    return signed(effect) == signed(0.0)


def _other_direction(estimates: pl.DataFrame) -> Iterator[Finding]:
    """Effects that a one-sided test could not have shown."""
    greater, less = pl.col("alternative") == "greater", pl.col("alternative") == "less"
    other = estimates.filter(
        (greater & (pl.col("effect_size") < 0)) | (less & (pl.col("effect_size") > 0)), verdict=UNCLEAR
    )
    if other.height:
        yield Finding(
            f"{plural(other.height, 'effect size has', 'effect sizes have')} the sign against the direction that was "
            'tested. A one-sided test cannot show that direction: "not distinguishable" says nothing about it.',
            tuple(other.iter_rows(named=True)),
        )


def _untested(estimates: pl.DataFrame) -> Iterator[Finding]:
    """What could not be tested, by reason."""
    untested = estimates.filter(verdict=UNTESTED)
    for (reason,), own in untested.group_by(["verdict_reason"], maintain_order=True):
        yield Finding(
            f"{plural(own.height, 'result')} cannot be tested: {reason}.", tuple(own.iter_rows(named=True))
        )


def _small(estimates: pl.DataFrame) -> Iterator[Finding]:
    least = estimates.select(pl.min_horizontal("n_x", "n_y")).to_series().drop_nulls()
    few, fewest = int((least < SMALL).sum()), int(float(str(least.min() or 0)))
    if few:
        yield Finding(
            f"{plural(few, 'result rests', 'results rest')} on fewer than {SMALL} texts for a group, the least on "
            f"{count(fewest)}: other words for the same groups may give other values.",
            ({"results": few, "texts": fewest, "small": SMALL},),
        )


def _unequal(estimates: pl.DataFrame) -> Iterator[Finding]:
    """Sizes so different that the permutation test reacts to more than a difference of means."""
    smaller, larger = pl.min_horizontal("n_x", "n_y"), pl.max_horizontal("n_x", "n_y")
    number = estimates.filter(larger >= TIMES * smaller, pl.col("verdict") != UNTESTED).height
    if number:
        yield Finding(
            f"{plural(number, 'result compares', 'results compare')} a group with one of at least {TIMES} times as "
            "many texts: there the p-value also reacts to a difference in spread between the groups.",
            ({"results": number, "times": TIMES},),
        )


def _paper_tables(results: Associations) -> Iterator[Table]:
    for table in paper_tables(results):
        caption = "Effect sizes" + (f", {table.caption}" if table.caption else "")
        yield replace(table, caption=caption, rows=tuple(tuple(map(str, row)) for row in table.rows))
