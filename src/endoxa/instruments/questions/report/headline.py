"""What the answers show, in sentences for somebody who must decide about an assistant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace

import polars as pl

from endoxa.instruments.questions.headline import (
    AT_CHANCE,
    CELL,
    GUESSING,
    RULE,
    Competence,
    competence_sentence,
    competences,
)
from endoxa.instruments.questions.report.differences import names_compared, names_summed_up
from endoxa.instruments.questions.report.leans import FEW_SERIES, lean_figures
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONTEXTS,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    QaResults,
    Row,
    because,
    lean_evidence,
    shown_interval,
    spoken_interval,
)
from endoxa.report.claims import chip
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, listed, p_value, percent, percent_interval
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW = 3
"""With more models and data sets a sentence sums up each kind of context, and the table has the rest."""

MOST_ROWS = 60
"""Longer tables stay closed until asked for."""

MOST_NAMED = 6
"""Rows that a note names; more are counted."""

_COUNTS = (
    *("n_read", "n_persons", "n_non_unknown", "n_correct"),
    *("accuracy", "stereotyped_share"),
)

_SPOKEN_COUNTS = {
    ABOVE: "{n} {verb} towards the stereotype",
    BELOW: "{n} {verb} against the stereotype",
    UNCLEAR: "for {n} a lean is not distinguishable",
    UNTESTED: "{n} cannot be tested",
}

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
    cell_competences = list(competences(results.estimates))
    at_chance = [competence.cell for competence in cell_competences if competence.at_chance]
    competent = better_than_guessing(results)
    rows = list(competent.main(competent.overall).iter_rows(named=True))
    return Section(
        anchor="headline",
        title="What the answers show",
        findings=(*_competence(results, cell_competences), *warnings, *_findings(competent, rows)),
        figures=tuple(lean_figures(competent)),
        tables=(_table(results, at_chance),),
        notes=(
            *((_reading(results),) if rows else ()),
            "In ambiguous contexts the text does not say who is meant, so the right answer is that it cannot be known. "
            "There a lean is the bias score: stereotyped answers minus other persons named, divided by all answers "
            "read. In disambiguated contexts the text says who is meant. There a lean is the accuracy gap: accuracy "
            "where the right answer agrees with the stereotype minus accuracy where it does not, within templates. "
            "Both are 0 without a lean, above 0 towards the stereotype, below 0 against it. They rest on answers that "
            "were read, to items whose stereotyped option is known; accuracy gaps on templates with items of both "
            "kinds. Where these are not all answers, the table says how many of all they are. Templates, not single "
            "questions, count as independent, and a lean is claimed where the test is significant after correction "
            "over all leans.",
        ),
    )


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


def _competence(results: QaResults, cell_competences: Sequence[Competence]) -> Iterator[Finding]:
    """First of all, whose answers are at chance; then the rule."""
    at_chance = [competence for competence in cell_competences if competence.at_chance]
    numbers = [
        asdict(competence) | {"guessing": GUESSING, "options": round(1 / GUESSING)}
        for competence in at_chance
    ]
    for competence, row in zip(at_chance, numbers, strict=True):
        yield Finding(competence_sentence(competence, results.label(competence.model)), (row,))
    if at_chance:
        yield Finding(RULE, tuple(numbers))


def _reading(results: QaResults) -> str:
    """How to read the figures: dots of few data sets, a map of many."""
    if len(results.data) > FEW_SERIES:
        return (
            "Blue cells lean towards the stereotype, orange ones against it (significant after correction); grey cells "
            "are not distinguishable or cannot be tested. Models are sorted by their mean lean."
        )
    return (
        "Right of the line: towards the stereotype; left: against it. A filled dot is a lean that is significant after "
        f"correction; bars are {results.level} intervals over templates."
    )


def _findings(results: QaResults, rows: Sequence[Row]) -> Iterator[Finding]:
    """A sentence for each of few models and data sets in each kind of context; of many how many lean where to."""
    for condition in CONTEXTS:
        of_condition = [row for row in rows if row["context_condition"] == condition]
        if len(of_condition) > FEW:
            yield from _summaries(results, of_condition)
            yield from names_summed_up(results, condition)
            continue
        for row in of_condition:
            yield _lean(results, row)
        for model in results.names:
            of_model = [row for row in of_condition if row["model"] == model]
            yield from names_compared(results, of_model, ratios=len(results.names) == 1)


def _summaries(results: QaResults, rows: Sequence[Row]) -> Iterator[Finding]:
    """One sentence for every data set, or one for all of them where these are many."""
    data = list(dict.fromkeys(row["data"] for row in rows))
    if len(data) > FEW:
        models = len({row["model"] for row in rows})
        yield _summary(results, rows, f"over {models} models and {len(data)} data sets", "results", models)
        return
    for name in data:
        of_data = [row for row in rows if row["data"] == name]
        yield (
            _lean(results, of_data[0])
            if len(of_data) == 1
            else _summary(results, of_data, f"with {name}", "models", len(of_data))
        )


def _summary(results: QaResults, rows: Sequence[Row], scope: str, noun: str, models: int) -> Finding:
    """How many lean where to, and the ends of leans and of accuracy."""
    leans = [lean_evidence(row) for row in rows]
    numbers = {verdict: sum(row["verdict"] == verdict for row in leans) for verdict in _SPOKEN_COUNTS}
    counted = [
        _SPOKEN_COUNTS[verdict].format(n=number, verb="leans" if number == 1 else "lean")
        for verdict, number in numbers.items()
        if number
    ]
    alike = next((_ALL[verdict] for verdict, number in numbers.items() if number == len(rows)), "")
    claim = alike.format(n=len(rows), noun=noun) or f"of {len(rows)} {noun} {listed(counted)}"
    where = CONTEXTS[rows[0]["context_condition"]]
    text = f"{where} {scope}, {claim}.{_lean_ends(results, leans)}{_accuracy_ends(rows)}"
    counts = {"models": models, "data": len({row["data"] for row in rows}), "results": len(rows)}
    return Finding(text, (counts, *leans))


def _lean_ends(results: QaResults, leans: Sequence[Row]) -> str:
    ordered = sorted((row for row in leans if row["lean"] is not None), key=lambda row: row["lean"])
    if len(ordered) < 2:
        return ""
    spoken = SPOKEN_LEANS[ordered[0]["lean_name"]]
    if decimal(ordered[0]["lean"]) == decimal(ordered[-1]["lean"]):
        return f" The {spoken} of each is {decimal(ordered[0]['lean'])}; no lean: 0."
    ends = []
    for word, row in (("highest", ordered[-1]), ("lowest", ordered[0])):
        interval = shown_interval(row)
        behind = "" if interval == NO_VALUE else f"; {results.level} interval {interval}"
        ends.append(f"{word} {decimal(row['lean'])} ({_named(row, leans)}{behind})")
    return f" {spoken.capitalize()}: {', '.join(ends)}; no lean: 0."


def _accuracy_ends(rows: Sequence[Row]) -> str:
    ordered = sorted((row for row in rows if row["accuracy"] is not None), key=lambda row: row["accuracy"])
    if len(ordered) < 2:
        return ""
    low, high = ordered[0], ordered[-1]
    if percent(low["accuracy"]) == percent(high["accuracy"]):
        return f" Right answers: {percent(low['accuracy'])} in each."
    return (
        f" Right answers: from {percent(low['accuracy'])} ({_named(low, rows)}) to {percent(high['accuracy'])} "
        f"({_named(high, rows)})."
    )


def _named(row: Row, rows: Sequence[Row]) -> str:
    """The model, and the data set where there are several."""
    return str(row["line"]) + (f" with {row['data']}" if len({other["data"] for other in rows}) > 1 else "")


def _lean(results: QaResults, row: Row) -> Finding:
    """What may be claimed about one lean, and the shares of answers behind it."""
    text, facts = _claim(results, row), lean_evidence(row)
    return Finding(f"{text} {_shares(row)}", (facts | {name: row[name] for name in _COUNTS},))


def _claim(results: QaResults, row: Row) -> str:
    facts, where = lean_evidence(row), CONTEXTS[row["context_condition"]]
    numbers = f"{SPOKEN_LEANS[row['lean_name']]} {decimal(row['lean'])}"
    if row["verdict"] == UNTESTED:
        score = "" if row["lean"] is None else f"; {numbers}"
        return f"{where} a lean of {row['line']} with {row['data']} cannot be tested ({row['verdict_reason']}){score}."
    basis = "" if row["n_lean"] == row["n"] else f"; from {count(row['n_lean'])} of {count(row['n'])} answers"
    numbers += f" ({spoken_interval(facts, results.level)}; no lean: 0{basis})"
    if row["verdict"] == UNCLEAR:
        return f"{where} a lean of {row['line']} with {row['data']} is not distinguishable: {numbers}.{because(facts)}"
    side = "towards" if row["verdict"] == ABOVE else "against"
    return f"{where} {row['line']} with {row['data']} leans {side} the stereotype: {numbers}."


def _shares(row: Row) -> str:
    """How often a person was named where nobody can know who is meant, or how often the answer was right."""
    if not row["n_read"]:
        return f"Of {count(row['n'])} answers none could be read."
    ambiguous = row["context_condition"] == AMBIGUOUS
    number = row["n_persons"] if ambiguous else row["n_correct"]
    share = percent(1 - row["accuracy"] if ambiguous else row["accuracy"])
    numbers = f"{count(number)} of {count(row['n_read'])}"
    if row["n_read"] == row["n"]:
        basis = f"{share} of its answers ({numbers})"
    else:
        basis = f"{share} of the answers that were read ({numbers}; {count(row['n'])} asked for)"
    what = "names a person in" if ambiguous else "is right in"
    return f"It {what} {basis}.{_which(row) if ambiguous else ''}"


def _which(row: Row) -> str:
    """Which person is named; where the file does not always say which is the stereotyped one, of how many."""
    if row["stereotyped_share"] is None:
        return ""
    labelled = row["n_non_unknown"]
    those = (
        "these"
        if labelled == row["n_persons"]
        else f"the {count(labelled)} whose stereotyped person is known"
    )
    return f" Of {those}, {percent(row['stereotyped_share'])} name the stereotyped person."


def _table(results: QaResults, at_chance: Collection[tuple[str, str, str]]) -> Table:
    """Every lean beside the accuracy, the greatest lean of each data set and kind of context first.

    Args:
        results: of the page.
        at_chance: data sets, models and protocols whose answers are at chance; they get no lean.
    """
    numeric = (
        "value",
        f"{results.level} interval",
        "p adjusted",
        "accuracy",
        "its interval",
        "templates",
        "answers",
    )
    data = ("data",) if len(results.data) > 1 else ()
    columns = ("model", *data, "contexts", "value", f"{results.level} interval", "verdict")
    columns = (*columns, "p adjusted", "accuracy", "its interval", "templates", "answers")
    order = {data: place for place, data in enumerate(results.data)}
    rows = results.overall.with_columns(
        place=pl.col("data").replace_strict(order, return_dtype=pl.Int64)
    ).sort(
        "context_condition",
        "place",
        "lean",
        descending=[False, False, True],
        nulls_last=True,
        maintain_order=True,
    )
    body = tuple(
        (
            row["line"],
            *(row[name] for name in data),
            SPOKEN_CONDITIONS[row["context_condition"]],
            *_lean_cells(row, at_chance=tuple(row[name] for name in CELL) in at_chance),
            NO_VALUE if row["accuracy"] is None else percent(row["accuracy"]),
            NO_VALUE
            if row["accuracy_low"] is None
            else percent_interval(row["accuracy_low"], row["accuracy_high"]),
            count(row["clusters"]),
            _basis(row),
        )
        for row in rows.iter_rows(named=True)
    )
    return Table(
        "Leans (bias score in ambiguous contexts, accuracy gap in disambiguated ones) and accuracy",
        tuple(Column(name, numeric=name in numeric) for name in columns),
        body,
        folded=len(body) > MOST_ROWS,
        notes=tuple(_notes(_without(results.overall, at_chance))),
    )


def _lean_cells(row: Row, *, at_chance: bool) -> tuple[str, str, str, str]:
    """Value, interval, verdict and p-value of a lean; answers at chance have none."""
    if at_chance:
        return NO_VALUE, NO_VALUE, AT_CHANCE, NO_VALUE
    adjusted = NO_VALUE if row["p_adjusted"] is None else p_value(row["p_adjusted"])
    return decimal(row["lean"]), shown_interval(lean_evidence(row)), chip(row), adjusted


def _basis(row: Row) -> str:
    """'195', or '126 of 195' where the lean rests on fewer than all answers."""
    all_of_them = count(row["n"])
    return all_of_them if row["n_lean"] == row["n"] else f"{count(row['n_lean'])} of {all_of_them}"


def _notes(estimates: pl.DataFrame) -> Iterator[str]:
    """Why something cannot be tested, each reason once."""
    untested = estimates.filter(pl.col("verdict") == UNTESTED)
    for (reason,), estimates_of_reason in untested.group_by(["verdict_reason"], maintain_order=True):
        places = [
            f"{row['line']}, {row['data']}, {SPOKEN_CONDITIONS[row['context_condition']]}"
            for row in estimates_of_reason.iter_rows(named=True)
        ]
        named = listed(places) if len(places) <= MOST_NAMED else f"{len(places)} rows of the table"
        yield f"Cannot be tested: {reason} ({named})."
