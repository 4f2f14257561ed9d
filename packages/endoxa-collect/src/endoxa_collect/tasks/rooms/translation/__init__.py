"""Choice between translations of a pair, without knowing who translated (IndiBias hid the engines by hand)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.agreeing import needed_with_third
from endoxa_collect.tasks.minimal import compare, hints
from endoxa_collect.tasks.room import Answer, Content, Judged, Room, TaskSettings
from endoxa_collect.tasks.rooms.translation.candidates import ENGINES, check, draw, neutral
from endoxa_collect.tasks.rooms.translation.form import TranslationForm, decision_of
from endoxa_collect.tasks.rooms.translation.outcome import chosen_engines, results

__all__ = ["ROOM", "TranslationSettings"]


class TranslationSettings(TaskSettings):
    """Settings of a choice.

    Attributes:
        needed: people who choose, for each pair; two or more without a majority get another one.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 3


def _needed(settings: TranslationSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, [decision_of(answer) for answer in answers])


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    source = str(content.get("language_from") or "en")
    return {
        "source": compare(str(content["sent_more"]), str(content["sent_less"]), source),
        "source_language": source,
        "hints": hints(str(content["language"])),
    }


def _row(judgement: Judged) -> dict[str, Any]:
    answer = judgement.answer
    return {
        "choice": answer["choice"],
        "chosen": "; ".join(chosen_engines(judgement, answer["candidates"])),
        "place": answer["place"] or "",
        "chosen_more": answer["more"],
        "chosen_less": answer["less"],
        "distance": answer["distance"],
        "note": answer["note"],
    }


ROOM = Room(
    kind="translation",
    title=gettext_lazy("Choice of translations"),
    columns={
        "sent_more": "first sentence of the pair, in the language it comes from",
        "sent_less": "second sentence of the pair",
        "language": "language into which it was translated (ISO 639)",
    },
    optional={
        "language_from": "language of the pair; 'en' where it is missing",
        "candidate_ENGINE_more": "first sentence as ENGINE translated it; two such columns for each engine",
        "candidate_ENGINE_less": "second sentence as ENGINE translated it",
    },
    hidden=frozenset({ENGINES}),
    settings=TranslationSettings,
    form=TranslationForm,
    template="tasks/translation.html",
    answers={
        "choice": "'candidate', 'edited', 'own' or 'none'",
        "chosen": "engines that had these words, or that were edited",
        "place": "place at which the judge saw it, from 1; empty with 'own' and 'none'",
        "chosen_more": "first sentence of the translation",
        "chosen_less": "second sentence of the translation",
        "distance": "letters changed in both sentences (Levenshtein)",
        "note": "what the judge wrote",
    },
    row=_row,
    needed=_needed,
    draw=draw,
    context=_context,
    check=check,
    prepare=neutral,
    tables=results,
    blind_until_closed=True,
)
