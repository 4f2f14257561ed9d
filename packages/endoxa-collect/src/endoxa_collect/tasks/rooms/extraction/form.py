"""The form of one statement: accept, edit, split or reject, and what is stored of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.tasks.room import AnswerForm

KEEP, EDIT, SPLIT, OMIT = "keep", "edit", "split", "omit"
"""Decisions: those of `endoxa curate review`, and one for statements that say two things."""

OTHER = "other"
REASONS: Mapping[str, Any] = {
    "not about people": gettext_lazy("It is not about people"),
    "synonym instead of attribute": gettext_lazy("It only says in other words who they are"),
    "noise": gettext_lazy("It has no meaning, or is a test"),
    "identity or attribute missing": gettext_lazy("It does not say who, or not what"),
    "needs a country": gettext_lazy("The group cannot be told without the country"),
    "no particular group": gettext_lazy("It is about everybody or nobody in particular"),
    "not translated": gettext_lazy("It is in another language, and nobody translated it"),
    OTHER: gettext_lazy("Something else: say what in the note"),
}
"""Reasons to leave a statement out: those of `endoxa curate review`, as AfriStereo's reviewers wrote them down."""

MOST_LETTERS = 300


def _words() -> forms.CharField:
    return forms.CharField(required=False, max_length=MOST_LETTERS)


class ExtractionForm(AnswerForm):
    """Identity and attribute as they were read, to be changed; a second pair; a reason to reject.

    `action` is the button; without one (Enter in a field) the words decide. Accepting changed words is an edit, and
    with a second pair a split, so that nothing typed is lost by the wrong button.
    """

    action = forms.ChoiceField(choices=((KEEP, KEEP), (SPLIT, SPLIT)), required=False)
    reason = forms.ChoiceField(choices=tuple(REASONS.items()), required=False)
    identity = _words()
    attribute = _words()
    second_identity = _words()
    second_attribute = _words()
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial.update(read(content))

    def clean(self) -> dict[str, Any]:
        """Which decision it is, and whether it has all that it needs."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        first, second = _pair(cleaned, ""), _pair(cleaned, "second_")
        if cleaned["reason"]:
            if cleaned["reason"] == OTHER and not cleaned["note"].strip():
                self.add_error("note", gettext("Say why in the note."))
            self.decided = {"decision": OMIT, "pairs": []}
            return cleaned
        if not all(first):
            self.add_error(None, gettext("Say who and what, or reject the statement."))
        if (any(second) or cleaned["action"] == SPLIT) and not all(second):
            self.add_error(None, gettext("The second pair needs both: who and what."))
        if first == second:
            self.add_error(None, gettext("Both pairs are the same."))
        self.decided = self._kept(first, second)
        return cleaned

    def _kept(self, first: tuple[str, str], second: tuple[str, str]) -> dict[str, Any]:
        before = read(self.content)
        if any(second):
            return {"decision": SPLIT, "pairs": [list(first), list(second)]}
        same = first == (before["identity"], before["attribute"])
        return {"decision": KEEP if same else EDIT, "pairs": [list(first)]}

    def answer(self) -> dict[str, Any]:
        """Decision, pairs, reason and note."""
        reason, note = self.cleaned_data["reason"], self.cleaned_data["note"].strip()
        return {**self.decided, "reason": reason, "note": note}


def _pair(cells: Mapping[str, Any], prefix: str) -> tuple[str, str]:
    who, what = (" ".join(str(cells[prefix + name] or "").split()) for name in ("identity", "attribute"))
    return who, what


def read(content: Mapping[str, Any]) -> dict[str, str]:
    """Identity and attribute as they stand in the table, with single blanks."""
    who, what = _pair({"identity": content.get("identity"), "attribute": content.get("attribute")}, "")
    return {"identity": who, "attribute": what}


def decision_of(answer: Mapping[str, Any]) -> Hashable:
    """What an answer comes to, so that two can be compared: rejected, or which pairs; case does not matter."""
    if answer["decision"] == OMIT:
        return OMIT
    return frozenset((who.casefold(), what.casefold()) for who, what in answer["pairs"])


def decisions_of(answers: Sequence[Mapping[str, Any]]) -> list[Hashable]:
    """What each answer comes to."""
    return [decision_of(answer) for answer in answers]
