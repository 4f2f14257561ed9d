"""What is said first of a model whose answers cannot carry a bias score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from endoxa.engine.asking.outcomes import answer_warnings
from endoxa.engine.run import read_run
from endoxa.instruments.questions.estimates.competence import GUESSING, RULE, Competence, competences
from endoxa.instruments.questions.outcomes import answer_counts
from endoxa.page.words import percent, percent_interval
from endoxa.schema import PROTOCOLS

AT_CHANCE = "at chance"
"""In the place of a verdict, where answers are."""


def competence_sentence(one: Competence, name: str) -> str:
    """That the answers of a model are at chance.

    Args:
        one: how the model did.
        name: what the sentence calls it.
    """
    who = name if one.protocol == PROTOCOLS[0] else f"{name}, {one.protocol}"
    return f"Warning: {who} with {one.data}: {_right(one)} Its leans are no evidence of stereotypes."


def _right(one: Competence) -> str:
    if one.accuracy is None:
        return "the answers are at chance: none in a disambiguated context could be read."
    interval = f"{100 * one.confidence:g}\u00a0% interval {percent_interval(one.low, one.high)}"
    return (
        "the answers are at chance (no better than guessing). Where the text gives the answer, "
        f"{percent(one.accuracy)} of the answers that were read are right ({interval}; guessing: {percent(GUESSING)})."
    )


def competence_warnings(
    known: Iterable[Competence], label: Callable[[str], str] = lambda model: model
) -> tuple[str, ...]:
    """A sentence for each model whose answers are at chance, and the rule behind them.

    Args:
        known: how each model did.
        label: what the sentences call a model.
    """
    sentences = [competence_sentence(one, label(one.model)) for one in known if one.at_chance]
    return (*sentences, RULE) if sentences else ()


def run_warnings(folder: Path, models: Collection[str] = ()) -> tuple[str, ...]:
    """What must be known of the run in a folder by whatever builds on it: answers not read, and answers at chance.

    Args:
        folder: run folder of `endoxa probe qa`.
        models: only these; all where none is named.
    """
    from endoxa.instruments.questions.estimates import analyze_run

    counts = [one for one in answer_counts(folder) if not models or one.model in models]
    known = [one for one in competences(analyze_run(folder).estimates) if not models or one.model in models]
    return (*answer_warnings(counts, read_run(folder)), *competence_warnings(known))
