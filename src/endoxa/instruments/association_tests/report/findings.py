"""What the association tests show, in sentences made from their verdicts, and the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from operator import itemgetter
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.report.figures import closer, maps, strongest
from endoxa.instruments.association_tests.report.quoting import diagnostics
from endoxa.instruments.association_tests.report.results import TEST, Associations, read_associations
from endoxa.instruments.association_tests.report.tables import (
    all_tests,
    effect_sizes,
    paper_forms,
    summary,
    tests_overview,
    words,
)
from endoxa.report.claims import Row, clear, corrected, is_clear, signed_ends, verdict_counts
from endoxa.report.document import Finding, Section
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.inputs import Run
from endoxa.report.overview import families
from endoxa.report.plots import MOST_APART
from endoxa.report.quoting import quoting
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, language_name, listed, p_value, plural, signed
from endoxa.runs.estimates import ASSOCIATION_TESTS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import ReportOptions
from endoxa.schema import TEST_COLUMNS
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR, RESOLUTION, UNCLEAR, UNTESTED

TIMES = 2
"""How many times as large one set is from which a difference in spread is warned of (docs/methods/encoders.md)."""

FEW = 3
"""With more encoders the strongest differences are put into words, and a table has each encoder."""

MOST_NAMED = 3
"""Differences that are put into words."""


def findings(results: Associations) -> Section:
    """How many tests show a difference, the largest of every encoder, what could not be tested."""
    estimates, figure = results.estimates, strongest(results)
    number, meaning = page_number(estimates)
    apart = len(results.encoders) <= MOST_APART or estimates["test"].n_unique() == 1
    return Section(
        anchor="findings",
        title="What the tests show",
        findings=(*overall(estimates), *differences(results), *caveats(estimates)),
        figures=() if figure is None else (figure,),
        tables=() if estimates.height == 1 else (encoder_table(estimates),),
        notes=(
            "A row of the figure is a test, a dot an encoder; right of the line the first group lies nearer to the "
            "attribute marked +, left of it to the one marked −. Filled dots: the groups differ. "
            f"{f'Lines: {results.kind().level} intervals.' if apart else ''}",
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
    return (
        signed(row["value"]),
        f"effect size, in standard deviations: how much nearer {row['x']} lies to {row['a']} (rather than {row['b']}) "
        f"than {row['y']} does, {count(row['n_x'])} and {count(row['n_y'])} texts. Without a difference: 0.",
    )


def title(results: Associations) -> str:
    """In how many tests the groups differ, as the title of the page."""
    rows = results.estimates.rows(named=True)
    claimed, tested = len(_claims(rows)), sum(row["verdict"] != UNTESTED for row in rows)
    several = len(results.encoders) > 1
    what = "result of association tests" if several else "association test"
    many = "results of association tests" if several else "association tests"
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
            text = f"{spoken(claims[0])} ({_numbers(claims[0])})."
        else:
            share = f"no difference is shown in any of {plural(len(rows), 'test')}. "
            text = _least(rows) if several else _least(rows, "")
        yield Finding(f"{encoder}: {share * several}{text}", tuple(rows))


def most_found(estimates: pl.DataFrame) -> Iterator[Finding]:
    """The differences that hold after correction in the most encoders in one direction, and the largest of each."""
    ranked: list[tuple[tuple[int, float], list[Row], int, list[dict[str, Any]]]] = []
    for _, group in estimates.group_by(TEST, maintain_order=True):
        rows = group.rows(named=True)
        sides = [[row for row in rows if row["verdict"] == side] for side in CLEAR]
        claims, others = sorted(sides, key=len, reverse=True)
        if claims:
            size = sum(abs(row["value"] or 0.0) for row in rows) / len(rows)
            ranked.append(((len(claims), size), _claims(claims), len(others), rows))
    tested = estimates.filter(pl.col("verdict") != UNTESTED).rows(named=True)
    if not ranked and tested:
        yield Finding(_least(tested, where=True), tuple(tested))
    for _, largest, opposite, rows in sorted(ranked, key=itemgetter(0), reverse=True)[:MOST_NAMED]:
        opposed = f", in the opposite direction in {opposite:,}" if opposite else ""
        yield Finding(
            f"{spoken(largest[0])} in {len(largest):,} of {plural(len(rows), 'encoder')}{opposed}. The largest of "
            f"these effects: {largest[0]['encoder']} ({_numbers(largest[0])}).",
            tuple(rows),
        )


def caveats(estimates: pl.DataFrame) -> Iterator[Finding]:
    """What limits the claims: effects against the direction tested, tests that cannot be made, small, unequal sets."""
    side, effect = pl.col("alternative"), pl.col("value")
    wrong = ((side == "greater") & (effect < 0)) | ((side == "less") & (effect > 0))
    against = estimates.filter(wrong, verdict=UNCLEAR)
    if against.height:
        yield Finding(
            f"{plural(against.height, 'effect size has', 'effect sizes have')} the sign against the direction that was "
            'tested. A one-sided test cannot show that direction: "not distinguishable" says nothing about it.',
            tuple(against.rows(named=True)),
        )
    tested = estimates.filter(pl.col("verdict") != UNTESTED)
    if tested.height:
        few, most = tested.select(few=pl.min("attributes"), most=pl.max("attributes")).row(0)
        texts = f"{few}" if few == most else f"{few} to {most}"
        yield Finding(
            "The words of the groups are the sample. Those of the attributes are taken as they are: what is said holds "
            f"with these {texts} texts for an attribute, and other attribute words may give another result.",
            ({"least": few, "most": most},),
        )
    untested = estimates.filter(verdict=UNTESTED)
    for (reason,), group in untested.group_by(["reason"], maintain_order=True):
        yield Finding(
            f"{plural(group.height, 'result')} cannot be tested: {reason}.", tuple(group.rows(named=True))
        )
    smaller, larger = pl.min_horizontal("n_x", "n_y"), pl.max_horizontal("n_x", "n_y")
    unequal = tested.filter(larger >= TIMES * smaller).height
    if unequal:
        yield Finding(
            f"{plural(unequal, 'result compares', 'results compare')} a group with one of at least {TIMES} times as "
            "many texts: there the p-value also reacts to a difference in spread between the groups.",
            ({"results": unequal, "times": TIMES},),
        )


def encoder_table(estimates: pl.DataFrame) -> Table:
    """What became of the tests of each encoder, those with the most differences first."""
    verdict = pl.col("verdict")
    rows = estimates.group_by("encoder", maintain_order=True).agg(
        tests=pl.len(),
        claims=clear().sum(),
        unclear=(verdict == UNCLEAR).sum(),
        untested=(verdict == UNTESTED).sum(),
    )
    return table_of(
        "Tests of each encoder",
        rows.sort("claims", descending=True, maintain_order=True),
        (
            text_field("encoder"),
            number_field("tests"),
            number_field("groups differ", "claims"),
            number_field("not distinguishable", "unclear"),
            number_field("cannot be tested", "untested"),
        ),
    )


def spoken(row: Row) -> str:
    """What an effect size says, in the names of the sets: 'X lies nearer to A (rather than B) than Y does'."""
    if signed(row["value"]) == signed(0.0):
        return f"no difference between {row['x']} and {row['y']}"
    near, far = ("a", "b") if row["value"] > 0 else ("b", "a")
    return f"{row['x']} lies nearer to {row[near]} (rather than {row[far]}) than {row['y']} does"


def _claims(rows: Iterable[Row]) -> list[Row]:
    """The rows that carry a claim, the largest effect first."""
    return sorted(filter(is_clear, rows), key=lambda row: -abs(row["value"]))


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
    return f"{text} ({_numbers(row)}).{corrected(row)}"


def _numbers(row: Row) -> str:
    """'Hindi; effect size +0.620, 95 % interval ..., adjusted p 0.034'; an effect of zero is said to be none."""
    language = f"{language_name(row['language'])}; " if row["language"] else ""
    interval = (
        f", {100 * row['confidence']:g}\u00a0% interval {signed_ends(row)}"
        if None not in (row["low"], row["high"])
        else ""
    )
    effect = signed(row["value"])
    zero = "no difference, " if effect == signed(0.0) else ""
    side = "" if row["alternative"] == "two-sided" else " one-sided"
    return f"{language}{zero}effect size {effect}{interval}, adjusted{side} p {p_value(row['p_adjusted'])}"


def sign_changes(estimates: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """For each model (`label`) and two of its poolings that share tests (`first`, `second`): how they disagree.

    Counts of `tests` with two effect sizes, of those with opposite signs (`changed`; one printed as zero changes with
    nothing), of those in which the groups `differ` under both, and of these in opposite directions (`opposed`).
    """
    for (label,), of_model in estimates.drop_nulls("value").group_by(["label"], maintain_order=True):
        by_pooling: dict[str, dict[tuple[str, str], Row]] = {}
        for row in of_model.iter_rows(named=True):
            by_pooling.setdefault(row["pooling"], {})[row["test"], row["language"]] = row
        for (first, one_side), (second, other) in combinations(by_pooling.items(), 2):
            pairs = [(row, other[test]) for test, row in one_side.items() if test in other]
            two_sides = [(a["verdict"], b["verdict"]) for a, b in pairs if is_clear(a) and is_clear(b)]
            changed = sum(
                a["value"] * b["value"] < 0 and min(abs(a["value"]), abs(b["value"])) >= RESOLUTION
                for a, b in pairs
            )
            if pairs:
                yield {
                    "label": label,
                    "first": first,
                    "second": second,
                    "tests": len(pairs),
                    "changed": changed,
                    "differ": len(two_sides),
                    "opposed": sum(a != b for a, b in two_sides),
                }


def poolings(results: Associations) -> Section | None:
    """How many tests change sign between every two poolings of a model; None where no model has two."""
    sentences = []
    for row in sign_changes(results.estimates):
        verb = "changes" if row["changed"] == 1 else "change"
        opposed = f", in opposite directions in {row['opposed']:,}" if row["opposed"] else ""
        claimed = f" The groups differ under both in {plural(row['differ'], 'test')}{opposed}."
        text = (
            f"{row['label']}: between {row['first']} and {row['second']}, {row['changed'] or 'none'} of "
            f"{plural(row['tests'], 'effect size')} {verb} sign.{claimed if row['differ'] else ''}"
        )
        sentences.append(Finding(text, (row,)))
    note = (
        "Pooling is how the vectors of a text's tokens become one vector. Nothing in the question decides which is "
        "right, so a result that turns with it says more about the choice than about the groups."
    )
    return Section("poolings", "Between poolings", findings=tuple(sentences), notes=(note,))


def tests_made(results: Associations) -> Section:
    """The family behind the claims of the page: all its tests."""
    return families([(ASSOCIATION_TESTS, results.estimates, "")], level=results.level)


SECTIONS: tuple[Callable[[Associations], Section | None], ...] = (
    findings,
    maps,
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
    box = present([quoting(diagnostics(runs, results))])
    after = present([words(runs), LIMITS, METHODS, tests_overview(runs, results), CITE])
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


def shown(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and tables; nothing is analysed again here.

    Args:
        runs: runs of embeddings, or tables of association tests.
        how: a confidence that is asked for must be that of the intervals.

    Raises:
        UserError: the tests cannot be read, or their intervals have another level.
    """
    results = read_associations(runs)
    if how.confidence is not None and abs(results.confidence - how.confidence) > 1e-9:
        raise UserError(
            f"The intervals of these tests have confidence {results.confidence:g}, not {how.confidence:g}: leave "
            "--confidence out, or make the table again with `endoxa analyze run RUN --confidence ... -o FILE`."
        )
    return Shown(
        page=lambda: tests_page(runs, results),
        texts={
            "estimates": partial(csv_text, results.estimates.select("run", *TEST_COLUMNS)),
            **paper_forms(results, how),
        },
    )
