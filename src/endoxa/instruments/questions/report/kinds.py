"""How the estimates of questions are spoken of, drawn and written: leans, right answers, names compared, debiasing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from endoxa.instruments.questions.headline import GUESSING, units_of
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONTEXTS,
    CONTEXTS_FIELD,
    DISAMBIGUATED,
    SPOKEN_CONDITIONS,
    QaResults,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row, decimal_ends
from endoxa.report.document import Figure
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.words import count, decimal, percent, percent_interval, plural
from endoxa.stats.verdicts import ABOVE, BELOW, TOO_SMALL, UNCLEAR, UNTESTED

MEASURES = {
    "accuracy": "accuracy",
    "bias_score": "bias score",
    "accuracy_gap": "accuracy gap",
    "bias_unscaled": "unscaled bias",
}
LEAN_OF = {AMBIGUOUS: "bias_score", DISAMBIGUATED: "accuracy_gap"}
"""The measure that is the lean, in each kind of contexts."""
NO_LEAN = "a lean is not distinguishable"


def of_scores(
    results: QaResults, head: str, says: Callable[[Row], str], null: float, unbiased: str, **words: Any
) -> Kind:
    """A kind of scores or differences of scores, told of in this kind of contexts.

    Args:
        results: of the page.
        head: what it is.
        says: the value of a row in words.
        null: value of an unbiased model.
        unbiased: what that value means, with the value.
        words: further settings of `Kind`.
    """
    settings: dict[str, Any] = {
        "who": lambda row: f"{row['line']} with {row['data']}",
        "name": lambda row: row["line"] + (f", {row['data']}" if len(results.data) > 1 else ""),
        "first": lambda row: f"{CONTEXTS[row['context_condition']]} ",
        "neutral": f"{null:g}",
        "noun": head,
        "about": head,
        "measure": Measure(head, null, "+.2~f", 0.1, 0.1),
        "value": decimal,
        "ends": lambda row: decimal_ends(row, neutral=null),
        "unsure": unsure,
    }
    return Kind(
        head=head,
        level=results.level,
        unbiased=unbiased,
        says=says,
        **{**settings, **words},
    )


def leans(results: QaResults) -> Kind:
    """Leans: the bias score in ambiguous contexts, the accuracy gap in disambiguated ones."""
    clear = {ABOVE: "lean{s} towards the stereotype", BELOW: "lean{s} against the stereotype"}
    verdicts = {verdict: words.format(s="s") for verdict, words in clear.items()} | {
        UNCLEAR: NO_LEAN,
        UNTESTED: "cannot be tested",
    }
    return of_scores(
        results,
        "lean",
        _lean,
        0.0,
        "no lean: 0",
        clear=clear,
        unclear=NO_LEAN,
        verdicts=verdicts,
        after=_shares,
    )


def _lean(row: Row) -> str:
    basis = (
        "" if row["n"] == row["n_asked"] else f", from {count(row['n'])} of {count(row['n_asked'])} answers"
    )
    return over(row, f"{lean_name(row)} {decimal(row['value'])}", basis)


def lean_name(row: Row) -> str:
    """What the lean is in the contexts of a row."""
    return MEASURES[LEAN_OF[row["context_condition"]]]


def over(row: Row, value: str, basis: str = "") -> str:
    """The value, what it is from, and what its interval is over; empty where it is not defined."""
    return "" if row["value"] is None else f"{value}{basis} over {units_of(row)}"


def _shares(row: Row) -> str:
    """How often a person was named where nobody can know who is meant, or how often the answer was right."""
    if not row["n_read"]:
        return f" Of {count(row['n_asked'])} answers none could be read."
    ambiguous = row["context_condition"] == AMBIGUOUS
    number, share = (
        (row["n_persons"], 1 - row["accuracy"]) if ambiguous else (row["n_correct"], row["accuracy"])
    )
    numbers = f"{count(number)} of {count(row['n_read'])}"
    basis = (
        f"{percent(share)} of its answers ({numbers})"
        if row["n_read"] == row["n_asked"]
        else f"{percent(share)} of the answers that were read ({numbers}; {count(row['n_asked'])} asked for)"
    )
    if not ambiguous:
        return f" It is right in {basis}."
    return f" It names a person in {basis}.{stereotyped(row, 'these')}"


def stereotyped(row: Row, those: str) -> str:
    """How many of the persons named are the stereotyped one; empty where nobody is named.

    Args:
        row: of the estimates.
        those: what the answers that name a person are called, where all of them are meant.
    """
    known, share = row["n_non_unknown"], row["stereotyped_share"]
    if share is None:
        return ""
    # The file does not always say which is the stereotyped person.
    if known != row["n_persons"]:
        those = f"the {count(known)} whose stereotyped person is known"
    return f" Of {those}, {percent(share)} name the stereotyped person."


def unsure(row: Row) -> str:
    """What else is to be said of an unclear row: that the difference is below the digits shown."""
    if row["reason"] != TOO_SMALL:
        return ""
    return f" The difference from {row['neutral']:g} is smaller than the digits shown."


def right_answers(results: QaResults) -> Kind:
    """Shares of right answers; nothing is claimed of them."""
    return of_scores(
        results,
        "right answers",
        lambda row: percent(row["value"]),
        GUESSING,
        f"guessing: {percent(GUESSING)}",
        neutral=percent(GUESSING),
        clear={},
        unclear="",
        measure=Measure("share of right answers", GUESSING, ".0%", 1 - GUESSING, 0.1),
        value=percent,
        ends=lambda row: percent_interval(row["low"], row["high"]),
    )


def name_differences(results: QaResults) -> Kind:
    """A measure with the groups minus the same with names, over the same items."""
    return of_scores(
        results,
        "difference",
        lambda row: _between(row, f"difference {decimal(row['value'])}", "minus"),
        0.0,
        "no difference: 0",
        who=lambda row: f"the {MEASURES[row['name']]} of {row['line']}",
        name=lambda row: f"{row['line']}, {CONTEXTS_FIELD.cell(row)}",
        clear={ABOVE: "is higher with groups than with names", BELOW: "is lower with groups than with names"},
        unclear="groups and names are not distinguishable",
        verdicts={
            ABOVE: "is higher with groups",
            BELOW: "is lower with groups",
            UNCLEAR: "is not distinguishable",
            UNTESTED: "cannot be tested",
        },
    )


def retained_errors(results: QaResults) -> Kind:
    """The error rate with names divided by that with groups (Pelosio et al. 2025, 4.3.3)."""
    return of_scores(
        results,
        "error retention ratio",
        lambda row: _between(
            row, f"{decimal(row['value'])} times as high with names", "over", names_first=True
        ),
        1.0,
        "equal: 1",
        who=lambda row: f"the error rate of {row['line']}",
        clear={ABOVE: "is higher with names than with groups", BELOW: "is lower with names than with groups"},
        unclear="groups and names are not distinguishable",
    )


def _between(row: Row, value: str, operator: str, *, names_first: bool = False) -> str:
    """The value, of which data sets it is, and in how many shared items."""
    data = [row["original"], row["substituted"]]
    sides = f" {operator} ".join(reversed(data) if names_first else data)
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return over(row, value, f" ({sides}; {plural(row['n'], 'shared item')}{lonely})")


def by_contexts(
    kind: Kind, rows: pl.DataFrame, name: str, title: str = "", **figure: Any
) -> Iterator[Figure]:
    """A figure for each kind of contexts: a dot for each model and data set, in the order of the models' values.

    Args:
        kind: of the estimates.
        rows: estimates of one protocol for each model.
        name: stem of the figures' files, before the kind of contexts.
        title: of the figures, before the kind of contexts; what the lean is where empty.
        figure: further settings of `report.estimates.dots`.
    """
    for condition, spoken in SPOKEN_CONDITIONS.items():
        of_contexts = rows.filter(context_condition=condition).drop_nulls("value")
        if of_contexts.height:
            first = pl.col("value").first().over("line")
            ordered = of_contexts.sort(-first, "line", maintain_order=True)
            yield say.dots(
                kind,
                ordered,
                kind.name,
                name=f"{name}-{spoken}",
                title=f"{title or MEASURES[LEAN_OF[condition]].capitalize()} in {spoken} contexts",
                **figure,
            )
