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


def likely_language(choices: Sequence[tuple[str, str]], *guesses: str | None) -> str:
    """The first guess that can be chosen, else the first choice."""
    codes = [code for code, _ in choices]
    return next((guess for guess in guesses if guess in codes), codes[0])
