"""Which example and which languages a question is shown with."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.collect import geography
from endoxa.collect.campaign.settings import SurveyQuestion, Texts, in_language


def example_for(
    question: SurveyQuestion, origins: Sequence[str], connections: Sequence[str], language: str
) -> str:
    """An example from where the person comes from, else from near there, else the one for everybody, else ""."""
    near = geography.near(frozenset(origins), frozenset(connections))
    places = [*origins, *(place for place in connections if place in near), *sorted(near), ""]
    found: Texts = next((question.examples[place] for place in places if place in question.examples), {})
    return in_language(found, language)


def answer_languages(known: Sequence[str], wanted: Sequence[str], ui_language: str) -> list[tuple[str, str]]:
    """Languages that an answer may be in, those the person reads and writes first: (code, name) each."""
    own = [code for code in wanted if code in known]
    others = [code for code in wanted if code not in known]
    return [(code, geography.language_name(code, ui_language)) for code in (*own, *others)]


def likely_language(
    choices: Sequence[tuple[str, str]], known: Sequence[str], written: str | None, *guesses: str
) -> str:
    """The language that somebody is likely to write in; "" where only they can tell.

    Args:
        choices: languages that can be chosen, as (code, name).
        known: languages that the person reads and writes. Others are never guessed: words would be kept under a
            language that they are not in.
        written: the language they wrote in before.
        guesses: what is likely from the place, best first; after these any that the person knows.
    """
    codes = [code for code, _ in choices]
    named = [code for code in (*guesses, *known) if code in known]
    return next((code for code in (written, *named) if code in codes), "")
