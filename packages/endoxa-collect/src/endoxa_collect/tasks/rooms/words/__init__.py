"""Language check: native speakers judge endoxa's own words, each as people would read it, and correct them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.agreeing import needed_with_third
from endoxa_collect.tasks.room import Answer, Content, Judged, Room, TaskSettings
from endoxa_collect.tasks.rooms.words.form import VERDICTS, WordsForm
from endoxa_collect.tasks.rooms.words.outcome import decision_of, results

__all__ = ["ROOM", "WordsSettings"]

_KEYS = {"natural": "j", "odd": "o", "wrong": "w", "offensive": "f"}


class WordsSettings(TaskSettings):
    """Settings of the language check.

    Attributes:
        needed: speakers who look at a text; where they do not agree whether it is natural, another one is asked.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 2


def _needed(settings: WordsSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, [decision_of(answer) for answer in answers])


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    in_use = str(content.get("in_use") or "")
    return {
        "verdicts": [(_KEYS[value], value, text) for value, text in VERDICTS],
        "in_use": "" if in_use.strip() == str(content["text"]).strip() else in_use,
    }


def _row(judgement: Judged) -> dict[str, Any]:
    # No name here: only the table of texts has those that were given, without what each person said.
    return {name: judgement.answer[name] for name in ("verdict", "correction", "note")}


ROOM = Room(
    kind="words",
    title=gettext_lazy("Language check"),
    columns={"text": "the text", "language": "ISO 639 code of its language"},
    optional={
        "in_use": "the text as people would read it: a filled template, a word in its list",
        "english": "the same in English",
        "component": "the set of texts that it belongs to, as in `endoxa languages`",
        "purpose": "what the set of texts is for",
    },
    settings=WordsSettings,
    form=WordsForm,
    template="tasks/words.html",
    answers={
        "verdict": "'natural', 'odd', 'wrong' or 'offensive'",
        "correction": "the corrected text; empty where nothing was changed",
        "note": "what the speaker wrote",
    },
    row=_row,
    needed=_needed,
    context=_context,
    tables=results,
)
