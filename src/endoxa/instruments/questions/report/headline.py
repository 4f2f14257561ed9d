"""What the answers show, in sentences for somebody who must decide about an assistant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from endoxa.instruments.questions.headline import (
    AT_CHANCE,
    CELL,
    GUESSING,
    RULE,
    competence_sentence,
    competences,
)
from endoxa.instruments.questions.report.comparison import names_compared, names_summed_up
from endoxa.instruments.questions.report.leans import FEW_SERIES, LEAN_VERDICTS, MAP_READING, lean_figures
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONTEXTS,
    CONTEXTS_FIELD,
    OVER,
    P_FIELD,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    UNITS_FIELD,
    QaResults,
    Row,
    because,
    few_units,
    in_order,
    lean_evidence,
    shown_interval,
    spoken_interval,
    verdict_finding,
)
from endoxa.report.claims import VERDICT, counted, interval_holds, not_ranked, verdict_counts
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, listed, p_value, percent, percent_interval, plural
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW = 3
"""With more models and data sets a sentence sums up each kind of context, and the table has the rest."""

MOST_NAMED = 6
"""Rows that a note names; more are counted."""

_COUNTS = ("n_read", "n_persons", "n_non_unknown", "n_correct", "accuracy", "stereotyped_share")

_ALL = {
    ABOVE: "all {n} {noun} lean towards the stereotype",
    BELOW: "all {n} {noun} lean against the stereotype",
    UNCLEAR: "for all {n} {noun} a lean is not distinguishable",
    UNTESTED: "a lean cannot be tested for any of {n} {noun}",
}


def headline(results: QaResults, warnings: Sequence[Finding] = ()) -> Section:
    """Does each model lean where nothing is said, is it right where something is, and do names change that.

    Args:
        results: of the page.
        warnings: what must be known before any lean is read, beside which answers are at chance.
    """
    at_chance = [competence for competence in competences(results.estimates) if competence.at_chance]
    options = {"guessing": GUESSING, "options": round(1 / GUESSING)}
    numbers = [asdict(competence) | options for competence in at_chance]
    chance = [
        Finding(competence_sentence(competence, results.label(competence.model)), (row,))
        for competence, row in zip(at_chance, numbers, strict=True)
    ]
    if chance:
        chance.append(Finding(RULE, tuple(numbers)))
    competent = better_than_guessing(results)
    rows = competent.main(competent.overall).rows(named=True)
    reading = (
        MAP_READING
        if len(results.data) > FEW_SERIES
        else "Right of the line: towards the stereotype; left: against it. A filled dot is a lean that is significant "
        f"after correction; bars are {results.level} intervals {OVER}."
    )
    return Section(
        anchor="headline",
        title="What the answers show",
        findings=(*chance, *warnings, *_findings(competent, rows)),
        figures=tuple(lean_figures(competent)),
        tables=(_table(results, [competence.cell for competence in at_chance]),),
        notes=(
            *((reading,) if rows else ()),
            "In ambiguous contexts the text does not say who is meant, so the right answer is that it cannot be known. "
            "There a lean is the bias score: stereotyped answers minus other persons named, divided by all answers "
            "read. In disambiguated contexts the text says who is meant. There a lean is the accuracy gap: accuracy "
            "where the right answer agrees with the stereotype minus accuracy where it does not, within templates. "
            "Both are 0 without a lean, above 0 towards the stereotype, below 0 against it. They rest on answers that "
            "were read, to items whose stereotyped option is known; accuracy gaps on templates with items of both "
            "kinds. Where these are not all answers, the table says how many of all they are. Units are templates and "
            "the groups or attributes that several templates share, not single questions; with fewer than six groups a "
            "statement is about these groups as they are, with fewer than six templates about these templates only. "
            "A lean is claimed where the test is significant after correction over all leans.",
        ),
        **_number(results),
    )


_TITLES = {
    ABOVE: "{who} leans towards the stereotype",
    BELOW: "{who} leans against the stereotype",
    UNCLEAR: "{who} shows no lean that is distinguishable from chance",
    UNTESTED: "a lean of {who} cannot be tested",
}


def title(results: QaResults) -> str:
    """The verdict on answers where the text does not say who is meant (else on the others), as the title of a page."""
    competent = better_than_guessing(results)
    rows = competent.main(competent.overall).rows(named=True)
    at_chance = any(competence.at_chance for competence in competences(results.estimates))
    if not rows and at_chance:
        return "The answers are not better than guessing: they say nothing about bias"
    if not rows:
        return f"Answers to questions about people: {listed(list(results.data))}"
    condition = next(name for name in CONTEXTS if any(row["context_condition"] == name for row in rows))
    leans = [lean_evidence(row) for row in rows if row["context_condition"] == condition]
    where = (
        "Where the text does not say who is meant"
        if condition == AMBIGUOUS
        else "Where the text says who is meant"
    )
    if len(leans) == 1:
        return f"{where}, {_TITLES[leans[0]['verdict']].format(who=leans[0]['line'])}"
    noun = "models" if len({row["data"] for row in leans}) == 1 else "results"
    if at_chance:
        noun += " better than guessing"
    counts: dict[Any, int] = {verdict: n for verdict, n in verdict_counts(leans).items() if n}
    if len(counts) == 1:
        return f"{where}, {_ALL[next(iter(counts))].format(n=len(leans), noun=noun)}"
    return f"{where}, of {len(leans)} {noun} {listed(counted(leans, LEAN_VERDICTS, where='for'))}"


def main_lean(results: QaResults) -> Row | None:
    """The lean of the only model with the only data, where the text does not say who is meant; None without one."""
    competent = better_than_guessing(results)
    rows = competent.main(competent.overall).filter(context_condition=AMBIGUOUS)
    if rows.height != 1 or len(results.names) > 1 or rows["lean"][0] is None:
        return None
    return rows.row(0, named=True)


def lead(results: QaResults) -> str:
    """The bias score of the only model with its interval, and how many answers leave open who is meant; or empty."""
    row = main_lean(results)
    if row is None:
        return ""
    facts = lean_evidence(row)
    score = f"{SPOKEN_LEANS[row['lean_name']].capitalize()} {decimal(row['lean'])}"
    if facts["verdict"] == UNTESTED:
        text = f"{score}; a lean cannot be tested ({facts['reason']})."
    else:
        text = f"{score} ({spoken_interval(facts, results.level)}). "
        claimed, p = facts["verdict"] in (ABOVE, BELOW), p_value(row["p_adjusted"])
        test = f"p {p if p.startswith('<') else f'= {p}'} after correction for the number of tests"
        if facts["low"] is not None and interval_holds(facts, 0) != claimed:
            text += f"The interval {'does not hold' if claimed else 'holds'} 0, where a model without a lean would be "
            text += f"({test})."
        else:
            text += f"A model without a lean would be at 0 ({test})."
        text += f"{because(facts)}{few_units(facts)}"
    left_open, labelled = row["n_read"] - row["n_persons"], row["n_non_unknown"]
    read = "answers" if row["n_read"] == row["n"] else "answers that were read"
    asked = "" if row["n_read"] == row["n"] else f"; {count(row['n'])} were asked for"
    text += (
        f" {percent(left_open / row['n_read'])} of the {read} leave open who is meant, which is right here "
        f"({count(left_open)} of {count(row['n_read'])}{asked})."
    )
    if row["stereotyped_share"] is None or not labelled:
        return text
    known = "" if labelled == row["n_persons"] else " whose stereotyped person is known"
    return (
        f"{text} Of the {count(labelled)} that name a person{known}, {percent(row['stereotyped_share'])} name the "
        "stereotyped one."
    )


def _number(results: QaResults) -> dict[str, Any]:
    """The lean of `main_lean`, large."""
    row = main_lean(results)
    if row is None:
        return {}
    return {
        "number": decimal(row["lean"]),
        "meaning": f"{SPOKEN_LEANS[row['lean_name']]} in ambiguous contexts, from −1 to 1: above 0 towards the "
        f"stereotype, in {plural(row['n_lean'], 'answer')}. Without a lean: 0.",
    }


def better_than_guessing(results: QaResults) -> QaResults:
    """The results without bias scores of models whose answers are at chance."""
    at_chance = [competence.cell for competence in competences(results.estimates) if competence.at_chance]
    return replace(
        results,
        estimates=_without(results.estimates, at_chance),
        identities=_without(results.identities, at_chance),
    )


def _without(estimates: pl.DataFrame, cells: Collection[tuple[str, str, str]]) -> pl.DataFrame:
    """The estimates without those of some data sets, models and protocols."""
    dropped = pl.DataFrame(list(cells), schema=dict.fromkeys(CELL, pl.String), orient="row")
    return estimates.join(dropped, on=CELL, how="anti", maintain_order="left")


def _findings(results: QaResults, rows: Sequence[Row]) -> Iterator[Finding]:
    """A sentence for each of few models and data sets in each kind of context; of many how many lean where to."""
    for condition in CONTEXTS:
        leans = [row for row in rows if row["context_condition"] == condition]
        data = list(dict.fromkeys(row["data"] for row in leans))
        models = len({row["model"] for row in leans})
        if len(leans) <= FEW:
            yield from (lean_finding(results, row) for row in leans)
            for model in results.names:
                of_model = [row for row in leans if row["model"] == model]
                yield from names_compared(results, of_model, ratios=len(results.names) == 1)
            continue
        if len(data) > FEW:
            yield _summary(
                results, leans, f"over {models} models and {len(data)} data sets", "results", models
            )
        for name in data if len(data) <= FEW else ():
            of_data = [row for row in leans if row["data"] == name]
            yield (
                lean_finding(results, of_data[0])
                if len(of_data) == 1
                else _summary(results, of_data, f"with {name}", "models", len(of_data))
            )
        yield from names_summed_up(results, condition)


def _summary(results: QaResults, rows: Sequence[Row], scope: str, noun: str, models: int) -> Finding:
    """How many lean where to, and the ends of leans and of accuracy."""
    leans = [lean_evidence(row) for row in rows]
    alike = [words for verdict, words in _ALL.items() if verdict_counts(leans)[verdict] == len(rows)]
    claim = (
        alike[0].format(n=len(rows), noun=noun)
        if alike
        else f"of {len(rows)} {noun} {listed(counted(leans, LEAN_VERDICTS, where='for'))}"
    )
    data = len({row["data"] for row in rows})
    where = CONTEXTS[rows[0]["context_condition"]]

    def named(row: Row) -> str:
        return str(row["line"]) + (f" with {row['data']}" if data > 1 else "")

    text = f"{where} {scope}, {claim}."
    ordered = sorted((row for row in leans if row["lean"] is not None), key=lambda row: row["lean"])
    if len(ordered) > 1:
        spoken, (low, *_, high) = SPOKEN_LEANS[ordered[0]["lean_name"]], ordered
        if decimal(low["lean"]) == decimal(high["lean"]):
            text += f" The {spoken} of each is {decimal(low['lean'])}; no lean: 0."
        else:
            ends = []
            for word, row in (("highest", high), ("lowest", low)):
                interval = shown_interval(row)
                behind = "" if interval == NO_VALUE else f"; {results.level} interval {interval}"
                ends.append(f"{word} {decimal(row['lean'])} ({named(row)}{behind})")
            text += f" {spoken.capitalize()}: {', '.join(ends)}; no lean: 0.{not_ranked(low, high)}"
    ordered = sorted((row for row in leans if row["accuracy"] is not None), key=lambda row: row["accuracy"])
    if len(ordered) > 1:
        low, *_, high = ordered
        least, most = percent(low["accuracy"]), percent(high["accuracy"])
        text += (
            f" Right answers: {least} in each."
            if least == most
            else f" Right answers: from {least} ({named(low)}) to {most} ({named(high)})."
            f"{not_ranked(low, high, 'accuracy_low', 'accuracy_high')}"
        )
    return Finding(text, ({"models": models, "data": data, "results": len(rows)}, *leans))


def lean_finding(results: QaResults, row: Row) -> Finding:
    """What may be claimed about a lean, and the shares of answers behind it."""
    facts, where = lean_evidence(row), CONTEXTS[row["context_condition"]]
    score = f"{SPOKEN_LEANS[row['lean_name']]} {decimal(row['lean'])}"
    basis = "" if row["n_lean"] == row["n"] else f"; from {count(row['n_lean'])} of {count(row['n'])} answers"
    model = f"{row['line']} with {row['data']}"
    claim = verdict_finding(
        facts,
        claim=(
            f"{where} {model} leans towards the stereotype",
            f"{where} {model} leans against the stereotype",
        ),
        unclear=f"{where} a lean of {model} is not distinguishable",
        untested=f"{where} a lean of {model}",
        numbers=f"{score} ({spoken_interval(facts, results.level)}; no lean: 0{basis})",
        value="" if row["lean"] is None else score,
    )
    return Finding(f"{claim} {_shares(row)}", (facts | {name: row[name] for name in _COUNTS},))


def _shares(row: Row) -> str:
    """How often a person was named where nobody can know who is meant, or how often the answer was right."""
    if not row["n_read"]:
        return f"Of {count(row['n'])} answers none could be read."
    ambiguous = row["context_condition"] == AMBIGUOUS
    number, share = (
        (row["n_persons"], 1 - row["accuracy"]) if ambiguous else (row["n_correct"], row["accuracy"])
    )
    numbers = f"{count(number)} of {count(row['n_read'])}"
    basis = (
        f"{percent(share)} of its answers ({numbers})"
        if row["n_read"] == row["n"]
        else f"{percent(share)} of the answers that were read ({numbers}; {count(row['n'])} asked for)"
    )
    if not ambiguous:
        return f"It is right in {basis}."
    if row["stereotyped_share"] is None:
        return f"It names a person in {basis}."
    # The file does not always say which is the stereotyped person.
    labelled = row["n_non_unknown"]
    those = (
        "these"
        if labelled == row["n_persons"]
        else f"the {count(labelled)} whose stereotyped person is known"
    )
    share = percent(row["stereotyped_share"])
    return f"It names a person in {basis}. Of {those}, {share} name the stereotyped person."


def _table(results: QaResults, at_chance: Collection[tuple[str, str, str]]) -> Table:
    """Every lean beside the accuracy, the greatest lean of each data set and kind of context first.

    Args:
        results: of the page.
        at_chance: data sets, models and protocols whose answers are at chance; they get no lean.
    """
    rows = results.overall.sort(
        pl.col("context_condition"),
        in_order("data", results.data),
        -pl.col("lean"),
        nulls_last=True,
        maintain_order=True,
    )

    def lean(field: Field, otherwise: str = NO_VALUE) -> Field:
        """The column, of answers that are not at chance."""
        return replace(
            field,
            cell=lambda row: otherwise if tuple(row[name] for name in CELL) in at_chance else field.cell(row),
        )

    def basis(row: Row) -> str:
        return (
            count(row["n"]) if row["n_lean"] == row["n"] else f"{count(row['n_lean'])} of {count(row['n'])}"
        )

    def accuracy_interval(row: Row) -> str:
        low, high = row["accuracy_low"], row["accuracy_high"]
        return NO_VALUE if low is None else percent_interval(low, high)

    notes = []
    untested = _without(results.overall, at_chance).filter(verdict=UNTESTED)
    for (reason,), of_reason in untested.group_by(["verdict_reason"], maintain_order=True):
        places = [
            f"{row['line']}, {row['data']}, {SPOKEN_CONDITIONS[row['context_condition']]}"
            for row in of_reason.iter_rows(named=True)
        ]
        where = listed(places) if len(places) <= MOST_NAMED else f"{len(places)} rows of the table"
        notes.append(f"Cannot be tested: {reason} ({where}).")
    return table_of(
        "Leans (bias score in ambiguous contexts, accuracy gap in disambiguated ones) and accuracy",
        rows,
        (
            text_field("model", "line"),
            text_field("data") if len(results.data) > 1 else None,
            CONTEXTS_FIELD,
            lean(number_field("value", "lean", decimal)),
            lean(number_field(f"{results.level} interval", lambda row: shown_interval(lean_evidence(row)))),
            lean(VERDICT, AT_CHANCE),
            lean(P_FIELD),
            number_field("accuracy", shown=lambda share: NO_VALUE if share is None else percent(share)),
            number_field("its interval", accuracy_interval),
            UNITS_FIELD,
            number_field("answers", basis),
        ),
        most_open=60,
        notes=tuple(notes),
    )
