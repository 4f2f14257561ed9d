"""The form of one pair: choose a candidate, change one, write another one, or take none."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext
from rapidfuzz.distance import Levenshtein

from endoxa_collect.tasks.minimal import Compared, compare
from endoxa_collect.tasks.room import AnswerForm
from endoxa_collect.tasks.rooms.translation.candidates import SIDES, sentences

CHOSEN, EDITED, OWN, NONE = "candidate", "edited", "own", "none"
MOST_LETTERS = 1_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate as the page shows it: its place, and fields to change it."""

    place: int
    compared: Compared
    more: str
    less: str
    open: bool


class TranslationForm(AnswerForm):
    """Buttons `choice` (a place, or 'none'), `edit` (a place) and `own`; the words of the last two in fields.

    Only places stand in the page: which candidate was where is kept with the turn.
    """

    choice = forms.CharField(required=False, max_length=4)
    edit = forms.CharField(required=False, max_length=4)
    own = forms.CharField(required=False, max_length=4)
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.pairs = [sentences(content, same[0]) for same in shown["order"]]
        for name in ("own", *(str(place) for place in range(1, len(self.pairs) + 1))):
            for side in SIDES:
                self.fields[f"{name}_{side}"] = forms.CharField(required=False, max_length=MOST_LETTERS)

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates in this judge's order."""
        language = str(self.content["language"])
        return [
            Candidate(
                place,
                compare(more, less, language),
                self.data.get(f"{place}_more", more),
                self.data.get(f"{place}_less", less),
                self.data.get("edit") == str(place),
            )
            for place, (more, less) in enumerate(self.pairs, start=1)
        ]

    def clean(self) -> dict[str, Any]:
        """Which button it was, and whether its words are there."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        self.decided: dict[str, Any] = {"choice": NONE, "candidates": [], "place": 0, "distance": 0}
        self.decided |= dict.fromkeys(SIDES, "")
        if cleaned["edit"]:
            self._take(self._place(cleaned["edit"]), cleaned, cleaned["edit"])
        elif cleaned["own"]:
            self._take(0, cleaned, "own")
        elif cleaned["choice"] != NONE:
            self._take(self._place(cleaned["choice"]), None, "")
        return cleaned

    def _place(self, text: str) -> int:
        place = int(text) if text.isdecimal() and text.isascii() else 0
        if not 1 <= place <= len(self.pairs):
            self.add_error(None, gettext("Choose one, or neither."))
            return 0
        return place

    def _take(self, place: int, cleaned: Mapping[str, Any] | None, prefix: str) -> None:
        """Decide for a candidate (`place`), with other words where `cleaned` has them; place 0 is nobody's."""
        if self.errors:
            return
        offered = self.pairs[place - 1] if place else ("", "")
        more, less = offered
        if cleaned is not None:
            more, less = (" ".join(cleaned[f"{prefix}_{side}"].split()) for side in SIDES)
            if not (more and less):
                self.add_error(None, gettext("Write both sentences."))
            elif compare(more, less, "").identical:
                self.add_error(None, gettext("Both sentences are the same: such a pair measures nothing."))
        plain = tuple(" ".join(text.split()) for text in offered)
        same = (more, less) in (offered, plain)
        self.decided = {
            "choice": OWN if not place else CHOSEN if same else EDITED,
            "candidates": self.shown["order"][place - 1] if place else [],
            "place": place,
            "more": offered[0] if same else more,
            "less": offered[1] if same else less,
            "distance": _distance(offered, (more, less)) if place and not same else 0,
        }

    def answer(self) -> dict[str, Any]:
        """The choice, the candidates that have these words, both sentences, and letters changed."""
        return {**self.decided, "note": self.cleaned_data["note"].strip()}


def _distance(offered: tuple[str, str], kept: tuple[str, str]) -> int:
    """Letters to insert, delete or replace in both sentences (Levenshtein)."""
    return sum(Levenshtein.distance(suggested, sent) for suggested, sent in zip(offered, kept, strict=True))


def decision_of(answer: Mapping[str, Any]) -> Hashable:
    """What an answer comes to: the sentences, or none."""
    if answer["choice"] == NONE:
        return NONE
    return tuple(" ".join(answer[side].split()) for side in SIDES)
