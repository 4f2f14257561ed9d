"""What the association tests show, in sentences made from their verdicts, and the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.report.figures import closer, every_test, strongest
from endoxa.instruments.association_tests.report.quoting import diagnostics
from endoxa.instruments.association_tests.report.results import (
    TEST,
    Associations,
    confidence_words,
    read_associations,
)
from endoxa.instruments.association_tests.report.tables import (
    all_tests,
    effect_sizes,
    paper_forms,
    summary,
    tests_overview,
    words,
)
from endoxa.report.claims import clear, corrected, is_clear, signed_ends, verdict_counts
from endoxa.report.document import Finding, Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.inputs import Run
from endoxa.report.plots import MOST_APART
from endoxa.report.quoting import quoting
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, language_name, listed, p_value, plural, signed
from endoxa.runs.families import ASSOCIATION_TESTS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import PaperOptions
from endoxa.schema import TEST_COLUMNS
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR, RESOLUTION, UNCLEAR, UNTESTED

SMALL = 20
"""Texts per group below which the sets are called small."""

TIMES = 2
"""How many times as large one set is from which a difference in spread is warned of (docs/methods/encoders.md)."""

FEW = 3
"""With more encoders the strongest differences are put into words, and a table has each encoder."""

MOST_NAMED = 3
"""Differences that are put into words."""

Row = dict[str, Any]


def findings(results: Associations) -> Section:
    """How many tests show a difference, the largest of every encoder, what could not be tested."""
    estimates, figure = results.estimates, strongest(results)
    number, meaning = page_number(estimates)
    apart = len(results.encoders) <= MOST_APART or estimates["test"].n_unique() == 1
    levels = confidence_words(estimates) if apart else ""
    return Section(
        anchor="findings",
        title="What the tests show",
        findings=(*overall(estimates), *differences(results), *caveats(estimates)),
        figures=() if figure is None else (figure,),
        tables=() if estimates.height == 1 else (encoder_table(estimates),),
        notes=(
            "A row of the figure is a test, a dot an encoder; right of the line the first group lies nearer to the "
            "attribute marked +, left of it to the one marked −. Filled dots: the groups differ. "
            f"{f'Lines: {levels} intervals.' if levels else ''}",
            "Effect size: how much nearer the first group lies to the first attribute, rather than the second, than "
            f"the second group does, in standard deviations over the words of both (ddof {results.ddof}). Both groups "
            "may lie nearer to one and the same attribute: the effect size is a difference between groups. *: the "
            f"groups differ (adjusted {results.sides} p-value at most {results.level}); †: cannot be tested.",
            "The interval asks what other words for the same groups would give, the p-value whether chance could have "
            "divided these words into such groups. The interval leaves zero out only where the two-sided p-value alone "
            f"is at most {results.level}; what is said here follows from the p-value after adjustment over all tests.",
        ),
        number=number,
        meaning=meaning,
    )


def page_number(estimates: pl.DataFrame) -> tuple[str, str]:
    """The effect size of the only test, or in how many of the tests of the only encoder the groups differ."""
    rows = [row for row in estimates.rows(named=True) if row["verdict"] != UNTESTED]
    if not rows or estimates["encoder"].n_unique() > 1:
        return "", ""
    if len(rows) > 1:
        return (
            f"{len(_claims(rows))} of {len(rows)}",
            "tests show a difference between the groups after adjustment over all tests. Without any difference: 0.",
        )
    (row,) = rows
    texts = "" if row["n_x"] is None else f", {count(row['n_x'])} and {count(row['n_y'])} texts"
    return (
        signed(row["effect_size"]),
        f"effect size, in standard deviations: how much nearer {row['x']} lies to {row['a']} (rather than {row['b']}) "
        f"than {row['y']} does{texts}. Without a difference: 0.",
    )


def title(results: Associations) -> str:
    """In how many tests the groups differ, as the title of the page."""
    rows = results.estimates.rows(named=True)
    claimed, tested = len(_claims(rows)), sum(row["verdict"] != UNTESTED for row in rows)
    alone = len(results.encoders) == 1
    what = "association test" if alone else "result of association tests"
    many = "association tests" if alone else "results of association tests"
    if not tested:
        return f"No difference can be tested in {plural(len(rows), what, many)}"
    if not claimed:
        return f"No difference between groups is shown in {plural(tested, what, many)}"
    if tested == 1:
        return f"The groups differ in the only {what}"
    return f"The groups differ in {claimed:,} of {plural(tested, what, many)}"


def overall(estimates: pl.DataFrame) -> Iterator[Finding]:
    """How many results there are, and what becomes of them; nothing where a single one speaks for itself."""
    rows = estimates.rows(named=True)
    if len(rows) == 1:
        return
    numbers = {name: estimates[name].n_unique() for name in ("test", "model", "pooling")}
    poolings = f" under {plural(numbers['pooling'], 'pooling')}" if numbers["pooling"] > 1 else ""
    verdicts = verdict_counts(rows)
    counts = {
        "differ": verdicts[ABOVE] + verdicts[BELOW],
        "are not distinguishable": verdicts[UNCLEAR],
        "cannot be tested": verdicts[UNTESTED],
    }
    yield Finding(
        f"{plural(len(rows), 'result')}: {plural(numbers['test'], 'test')} in "
        f"{plural(numbers['model'], 'model')}{poolings}. After adjustment over all tests the two groups "
        f"{listed([f'{words} in {number:,}' for words, number in counts.items() if number])}.",
        ({"results": len(rows), **numbers}, *rows),
    )


def differences(results: Associations) -> Iterator[Finding]:
    """The largest difference of each of a few encoders; of many those that hold in the most encoders."""
    tested = results.estimates.filter(pl.col("verdict") != UNTESTED)
    if len(results.encoders) > FEW:
        yield from most_found(results.estimates)
        return
    for (encoder,), group in tested.group_by(["encoder"], maintain_order=True):
        rows = group.rows(named=True)
        claims, several = _claims(rows), len(rows) > 1
        if claims:
            share = (
                f"in {len(claims):,} of {plural(len(rows), 'test')} the groups differ. The largest of these: "
            )
            text = f"{share * several}{spoken(claims[0])} ({_numbers(claims[0])})."
        else:
            share = f"no difference is shown in any of {plural(len(rows), 'test')}. "
            text = f"{share}{_least(rows)}" if several else _least(rows, "")
        yield Finding(f"{encoder}: {text}", tuple(rows))


def most_found(estimates: pl.DataFrame) -> Iterator[Finding]:
    """The differences that hold after correction in the most encoders in one direction, and the largest of each."""
    above, below = (pl.col("verdict") == ABOVE).sum(), (pl.col("verdict") == BELOW).sum()
    ranked = (
        estimates.group_by(TEST, maintain_order=True)
        .agg(reach=pl.max_horizontal(above, below), size=pl.col("effect_size").abs().mean())
        .filter(pl.col("reach") > 0)
        .sort("reach", "size", descending=True, maintain_order=True)
        .head(MOST_NAMED)
    )
    tested = estimates.filter(pl.col("verdict") != UNTESTED).rows(named=True)
    if ranked.is_empty() and tested:
        yield Finding(_least(tested, where=True), tuple(tested))
    for place in range(ranked.height):
        rows = estimates.join(ranked[place], on=TEST, how="semi", maintain_order="left").rows(named=True)
        sides = [[row for row in rows if row["verdict"] == side] for side in CLEAR]
        claims, others = max(sides, key=len), min(sides, key=len)
        largest = _claims(claims)[0]
        opposed = f", in the opposite direction in {len(others):,}" if others else ""
        yield Finding(
            f"{spoken(largest)} in {len(claims):,} of {plural(len(rows), 'encoder')}{opposed}. The largest of these "
            f"effects: {largest['encoder']} ({_numbers(largest)}).",
            tuple(rows),
        )


def caveats(estimates: pl.DataFrame) -> Iterator[Finding]:
    """What limits the claims: effects against the direction tested, tests that cannot be made, small, unequal sets."""
    side, effect = pl.col("alternative"), pl.col("effect_size")
    wrong = ((side == "greater") & (effect < 0)) | ((side == "less") & (effect > 0))
    against = estimates.filter(wrong, verdict=UNCLEAR)
    if against.height:
        yield Finding(
            f"{plural(against.height, 'effect size has', 'effect sizes have')} the sign against the direction that was "
            'tested. A one-sided test cannot show that direction: "not distinguishable" says nothing about it.',
            tuple(against.rows(named=True)),
        )
    tested = estimates.filter(pl.col("verdict") != UNTESTED)
    attributes = tested.select(pl.min_horizontal("n_a", "n_b")).to_series().drop_nulls()
    if len(attributes):
        few, most = sorted(attributes)[0], sorted(attributes)[-1]
        texts = f"{few:g}" if few == most else f"{few:g} to {most:g}"
        yield Finding(
            "The words of the groups are the sample. Those of the attributes are taken as they are: what is said holds "
            f"with these {texts} texts for an attribute, and other attribute words may give another result.",
            ({"least": few, "most": most},),
        )
    untested = estimates.filter(verdict=UNTESTED)
    for (reason,), group in untested.group_by(["verdict_reason"], maintain_order=True):
        yield Finding(
            f"{plural(group.height, 'result')} cannot be tested: {reason}.", tuple(group.rows(named=True))
        )
    smaller, larger = pl.min_horizontal("n_x", "n_y"), pl.max_horizontal("n_x", "n_y")
    small = sorted(estimates.filter(smaller < SMALL).select(smaller).to_series())
    if small:
        yield Finding(
            f"{plural(len(small), 'result rests', 'results rest')} on fewer than {SMALL} texts for a group, the least "
            f"on {count(small[0])}: other words for the same groups may give other values.",
            ({"results": len(small), "texts": int(small[0]), "small": SMALL},),
        )
    unequal = tested.filter(larger >= TIMES * smaller).height
    if unequal:
        yield Finding(
            f"{plural(unequal, 'result compares', 'results compare')} a group with one of at least {TIMES} times as "
            "many texts: there the p-value also reacts to a difference in spread between the groups.",
            ({"results": unequal, "times": TIMES},),
        )


def encoder_table(estimates: pl.DataFrame) -> Table:
    """What became of the tests of each encoder, those with the most differences first."""
    claimed = {name: pl.col(name).filter(clear()) for name in ("effect_size", "p_adjusted")}
    rows = estimates.group_by("encoder", maintain_order=True).agg(
        clear().sum().alias("claims"),
        *((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in (UNCLEAR, UNTESTED)),
        *(column.sort_by(claimed["effect_size"].abs()).last() for column in claimed.values()),
        tests=pl.len(),
    )

    def of_claims(shown: Callable[[Any], str]) -> Callable[[Any], str]:
        return lambda number: NO_VALUE if number is None else shown(number)

    return table_of(
        "Tests of each encoder; the largest effect is that of a difference that holds after correction",
        rows.sort("claims", descending=True, maintain_order=True),
        (
            text_field("encoder"),
            number_field("tests"),
            number_field("groups differ", "claims"),
            number_field("not distinguishable", UNCLEAR),
            number_field("cannot be tested", UNTESTED),
            number_field("largest effect size", "effect_size", of_claims(signed)),
            number_field("p adjusted", "p_adjusted", of_claims(p_value)),
        ),
    )


def spoken(row: Row) -> str:
    """What an effect size says, in the names of the sets: 'X lies nearer to A (rather than B) than Y does'."""
    if signed(row["effect_size"]) == signed(0.0):
        return f"no difference between {row['x']} and {row['y']}"
    near, far = ("a", "b") if row["effect_size"] > 0 else ("b", "a")
    return f"{row['x']} lies nearer to {row[near]} (rather than {row[far]}) than {row['y']} does"


def _claims(rows: Iterable[Row]) -> list[Row]:
    """The rows that carry a claim, the largest effect first."""
    return sorted(filter(is_clear, rows), key=lambda row: -abs(row["effect_size"]))


def _least(rows: Iterable[Row], lead: str = "Least p-value: ", *, where: bool = False) -> str:
    """The least p-value where nothing is claimed, and what the correction made of it.

    Args:
        rows: results that were tested.
        lead: before it; empty where there is one result only, of which a whole sentence is made.
        where: whether the encoder is named.
    """
    row = min(rows, key=lambda row: row["p_value"])
    verb, encoder = "" if lead else " are not distinguishable", f" in {row['encoder']}" if where else ""
    text = f"{lead}{row['x']} and {row['y']}{verb} between {row['a']} and {row['b']}{encoder}"
    if not lead and row["alternative"] != "two-sided":
        near, far = ("a", "b") if row["alternative"] == "greater" else ("b", "a")
        text = (
            f"{row['x']} and {row['y']} are not distinguishable in the one direction that was tested "
            f"({row['x']} nearer to {row[near]} rather than {row[far]})"
        )
    return f"{text} ({_numbers(row)}).{corrected({**row, 'reason': row['verdict_reason']})}"


def _numbers(row: Row) -> str:
    """'Hindi; effect size +0.620, 95 % interval ..., adjusted p 0.034'; an effect of zero is said to be none."""
    language = f"{language_name(row['language'])}; " if row["language"] else ""
    interval = (
        f", {100 * row['confidence']:g}\u00a0% interval {signed_ends(row)}"
        if None not in (row["low"], row["high"], row["confidence"])
        else ""
    )
    effect = signed(row["effect_size"])
    zero = "no difference, " if effect == signed(0.0) else ""
    side = "" if row["alternative"] == "two-sided" else " one-sided"
    return f"{language}{zero}effect size {effect}{interval}, adjusted{side} p {p_value(row['p_adjusted'])}"


SIGN_CHANGES = {
    "tests": pl.len(),
    "changed": pl.col("opposite").sum(),
    "differ": pl.col("both").sum(),
    "opposed": (pl.col("both") & pl.col("opposite")).sum(),
    "only_first": (pl.col("claimed") & ~pl.col("both")).sum(),
    "only_second": (pl.col("claimed_second") & ~pl.col("both")).sum(),
}
"""What is counted of every two poolings of a model: effect sizes that both have, opposite signs, claims."""


def sign_changes(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per model (`label`) and two of its poolings that share a test, `first` and `second`, with `SIGN_CHANGES`.

    An effect size that is printed as zero changes with nothing.
    """
    effect = pl.col("effect_size")
    placed = estimates.with_row_index("place").with_columns(pl.col("place").min().over("label", "pooling"))
    signs = placed.drop_nulls("effect_size").select(
        *("label", "test", "language", "place"),
        first="pooling",
        sign=pl.when(effect.abs() < RESOLUTION).then(0).otherwise(effect.sign()),
        claimed=clear(),
    )
    pairs = signs.join(
        signs.rename({"first": "second"}),
        on=["label", "test", "language"],
        suffix="_second",
        maintain_order="left",
    )
    return (
        pairs.filter(pl.col("place") < pl.col("place_second"))
        .with_columns(
            opposite=pl.col("sign") * pl.col("sign_second") < 0,
            both=pl.col("claimed") & pl.col("claimed_second"),
        )
        .group_by("label", "first", "second", maintain_order=True)
        .agg(counted.cast(pl.Int64).alias(name) for name, counted in SIGN_CHANGES.items())
    )


def poolings(results: Associations) -> Section | None:
    """How many tests change sign between every two poolings of a model; None where no model has two."""
    rows = sign_changes(results.estimates)
    if rows.is_empty():
        return None
    sentences = []
    for row in rows.rows(named=True):
        changed, opposed = row["changed"], row["opposed"]
        claims = {
            "under both": row["differ"],
            f"only under {row['first']}": row["only_first"],
            f"only under {row['second']}": row["only_second"],
        }
        claimed = [f"{where} in {plural(number, 'test')}" for where, number in claims.items() if number]
        text = (
            f"{row['label']}: between {row['first']} and {row['second']}, {changed or 'none'} of "
            f"{plural(row['tests'], 'effect size')} {'changes' if changed == 1 else 'change'} sign."
            + (f" The groups differ {listed(claimed)}." if claimed else "")
        )
        more = f" In {plural(opposed, 'test')} both poolings show a difference, in opposite directions."
        sentences.append(Finding(text + (more if opposed else ""), (row,)))
    return Section(
        "poolings",
        "Between poolings",
        findings=tuple(sentences),
        notes=(
            "Pooling is how the vectors of a text's tokens become one vector. Nothing in the question "
            "decides which is right, so a result that turns with it says more about the choice than about the groups.",
        ),
    )


def tests_made(results: Associations) -> Section:
    """The family behind the claims of the page: all its tests."""
    return families([(ASSOCIATION_TESTS, results.estimates, "")], level=results.level)


SECTIONS: tuple[Callable[[Associations], Section | None], ...] = (
    findings,
    every_test,
    closer,
    poolings,
    effect_sizes,
    all_tests,
    tests_made,
)
"""What is said about the tests, in this order."""

LIMITS = Section(
    "limits", "What such a number says, and what it does not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


def tests_page(runs: Sequence[Run], results: Associations) -> Page:
    """The whole page.

    Args:
        runs: every run, for what was run and how to repeat it.
        results: the tests of all runs.
    """
    first, *others = filled(SECTIONS, results)
    box = present((quoting(diagnostics(runs, results)),))
    after = present((words(runs), LIMITS, METHODS, tests_overview(runs, results), CITE))
    return Page(
        package=__package__,
        title=title(results),
        subtitle=summary(results.estimates),
        lead=" ".join(map(str, differences(results))) if len(results.encoders) == 1 else "",
        entries=(first, *box, *others, *after),
        runs=runs,
        models=results.labels,
        values={"sides": results.sides, "ddof": results.ddof, "level": results.level},
    )


def shown(runs: Sequence[Run], confidence: float | None, paper: PaperOptions) -> Shown:
    """Page and tables.

    Args:
        runs: runs of embeddings, or tables of association tests.
        confidence: None, or the level the intervals must have; nothing is analysed again here.
        paper: what a table for a paper holds.

    Raises:
        UserError: the tests cannot be read, or their intervals have another level.
    """
    results = read_associations(runs)
    for level in results.estimates["confidence"].drop_nulls().unique().sort():
        if confidence is not None and abs(level - confidence) > 1e-9:
            raise UserError(
                f"The intervals of these tests have confidence {level:g}, not {confidence:g}: leave --confidence out, "
                "or make the table again with `endoxa analyze run RUN --confidence ... -o FILE`."
            )
    return Shown(
        page=lambda: tests_page(runs, results),
        texts={
            "estimates": partial(csv_text, results.estimates.select("run", *TEST_COLUMNS)),
            **paper_forms(results, paper),
        },
    )
