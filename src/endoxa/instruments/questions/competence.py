"""What is said first of a model whose answers cannot carry a bias score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from endoxa.instruments.questions.estimates.competence import GUESSING, RULE, Competence, competences
from endoxa.instruments.questions.outcomes import answer_counts
from endoxa.report.words import percent, percent_interval
from endoxa.runs.asking.outcomes import answer_warnings
from endoxa.runs.run import read_run
from endoxa.schema import PROTOCOLS

AT_CHANCE = "at chance"
"""In the place of a verdict, where answers are."""


def competence_sentence(competence: Competence, name: str) -> str:
    """That the answers of a model are at chance.

    Args:
        competence: how the model did.
        name: what the sentence calls it.
    """
    who = name if competence.protocol == PROTOCOLS[0] else f"{name}, {competence.protocol}"
    return f"Warning: {who} with {competence.data}: {_right(competence)} Its leans are no evidence of stereotypes."


def _right(competence: Competence) -> str:
    if competence.accuracy is None:
        return "no answer in a disambiguated context could be read, so nothing shows that it is better than guessing."
    interval = (
        f"{100 * competence.confidence:g}\u00a0% interval {percent_interval(competence.low, competence.high)}"
    )
    return (
        "the answers are at chance (not shown to be better than guessing). Where the text gives the answer, "
        f"{percent(competence.accuracy)} of the answers that were read are right ({interval}; "
        f"guessing: {percent(GUESSING)})."
    )


def competence_warnings(
    known: Iterable[Competence], label: Callable[[str], str] = lambda model: model
) -> tuple[str, ...]:
    """A sentence for each model whose answers are at chance, and the rule behind them.

    Args:
        known: how each model did.
        label: what the sentences call a model.
    """
    sentences = [competence_sentence(row, label(row.model)) for row in known if row.at_chance]
    return (*sentences, RULE) if sentences else ()


def run_warnings(folder: Path, models: Collection[str] = ()) -> tuple[str, ...]:
    """What must be known of the run in a folder by whatever builds on it: answers not read, and answers at chance.

    Args:
        folder: run folder of `endoxa probe qa`.
        models: only these; all where none is named.
    """
    from endoxa.instruments.questions.estimates import analyze_run

    counts = [row for row in answer_counts(folder) if not models or row.model in models]
    known = [row for row in competences(analyze_run(folder).estimates) if not models or row.model in models]
    return (*answer_warnings(counts, read_run(folder)), *competence_warnings(known))
