"""The form of one text: a verdict, a corrected text, a note, and an optional name for the credits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.tasks.room import AnswerForm

NATURAL, ODD, WRONG, OFFENSIVE = "natural", "odd", "wrong", "offensive"
VERDICTS = (
    (NATURAL, gettext_lazy("Natural: a speaker would say it so")),
    (ODD, gettext_lazy("Odd: understandable, but nobody says it so")),
    (WRONG, gettext_lazy("Wrong: a mistake, or another meaning")),
    (OFFENSIVE, gettext_lazy("Offensive where it is used")),
)
_FIXED = re.compile(r"\{[A-Za-z_]+\}|%\([a-z_]+\)[a-z]|<[^<>]+>")
"""What a program fills in or reads: it must stay as it is."""


class WordsForm(AnswerForm):
    """One verdict, nothing preselected. The text stands in the field of the correction, to be changed there."""

    verdict = forms.ChoiceField(choices=VERDICTS)
    correction = forms.CharField(required=False, max_length=5_000)
    note = forms.CharField(required=False, max_length=1_000)
    named = forms.CharField(required=False, max_length=80)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial["correction"] = str(content["text"])

    def clean(self) -> dict[str, Any]:
        """A natural text stays as it is; of an odd or wrong one it must be said what would be right."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        text = str(self.content["text"]).strip()
        new = cleaned["correction"].replace("\r\n", "\n").strip()
        self.changed = new if new and new != text else ""
        if cleaned["verdict"] == NATURAL and self.changed:
            self.add_error(
                None, gettext("You changed the text. Say that it is odd or wrong, or undo your change.")
            )
        elif cleaned["verdict"] in (ODD, WRONG) and not self.changed and not cleaned["note"].strip():
            self.add_error(
                None, gettext("Change the text so that it is right, or say in the note what is wrong.")
            )
        elif self.changed and (lost := _lost(text, self.changed)):
            self.add_error(
                None,
                gettext(
                    "These signs must stay as often as they were, because a program reads them: %(signs)s"
                )
                % {"signs": ", ".join(lost)},
            )
        return cleaned

    def answer(self) -> dict[str, Any]:
        """Verdict, corrected text (empty where nothing was changed), note, and name."""
        cleaned = self.cleaned_data
        return {
            "verdict": cleaned["verdict"],
            "correction": self.changed,
            "note": cleaned["note"].strip(),
            "named": " ".join(cleaned["named"].split()),
        }


def _lost(old: str, new: str) -> list[str]:
    """Signs for programs that are in one text more often than in the other."""
    before, after = Counter(_FIXED.findall(old)), Counter(_FIXED.findall(new))
    return sorted((before - after) + (after - before))
