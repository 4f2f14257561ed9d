"""The form of one pair: the second sentence as suggested, changed, or the pair rejected."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.tasks.minimal import Compared, compare
from endoxa_collect.tasks.room import AnswerForm, Content

OK, CHANGED, REJECTED = "ok", "changed", "rejected"
CHECK, DESPITE = "check", "despite"
OTHER = "other"
REASONS: Mapping[str, Any] = {
    "no opposite": gettext_lazy("There is no opposite of this"),
    "not grammatical": gettext_lazy("It cannot be said in good grammar"),
    "more than one change": gettext_lazy("The sentences cannot differ in one thing only"),
    "same in this language": gettext_lazy("Both are the same in this language"),
    "not said of people": gettext_lazy("It is not said of people"),
    OTHER: gettext_lazy("Something else: say what in the note"),
}
"""Reasons to reject a pair."""
MOST_LETTERS = 1_000


class PairForm(AnswerForm):
    """The second sentence; the first one and the group are fixed.

    `action` is 'ok', 'check' (look at the words without saving) or 'despite' (save although something was found).
    """

    action = forms.ChoiceField(choices=((OK, OK), (CHECK, CHECK), (DESPITE, DESPITE)), required=False)
    reason = forms.ChoiceField(choices=tuple(REASONS.items()), required=False)
    sent_less = forms.CharField(required=False, max_length=MOST_LETTERS)
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial["sent_less"] = suggestion(content)

    @cached_property
    def compared(self) -> Compared:
        """The pair as it stands in the form."""
        less = self.data.get("sent_less", self.initial["sent_less"])
        return compare(
            first(self.content), " ".join(str(less).split()), str(self.content.get("language", ""))
        )

    def clean(self) -> dict[str, Any]:
        """The state, unless only a check was asked for or something was found that nobody has confirmed."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        less = " ".join(cleaned["sent_less"].split())
        if cleaned["reason"]:
            if cleaned["reason"] == OTHER and not cleaned["note"].strip():
                self.add_error("note", gettext("Say why in the note."))
            self.decided = {"state": REJECTED, "sent_less": "", "checks": []}
            return cleaned
        if not less:
            self.add_error(None, gettext("Write the second sentence, or reject the pair."))
        elif self.compared.identical:
            self.add_error(None, gettext("Both sentences are the same: such a pair measures nothing."))
        elif _loses_group(self.content, less):
            self.add_error(None, gettext("The group must be the same in both sentences."))
        suggested = suggestion(self.content)
        changed = less != suggested
        if not self.errors and cleaned["action"] == CHECK:
            self.add_error(None, gettext("Nothing is saved yet."))
        elif not self.errors and changed and cleaned["action"] != DESPITE and self.new_checks:
            self.add_error(
                None, gettext("Look at what is said below the sentences, or save it all the same.")
            )
        state = CHANGED if changed else OK
        self.decided = {"state": state, "sent_less": less, "checks": list(self.compared.checks)}
        return cleaned

    @property
    def new_checks(self) -> bool:
        """Whether something is found that was not found in the suggestion."""
        more, language = first(self.content), str(self.content.get("language", ""))
        before = compare(more, suggestion(self.content), language).checks
        return bool(set(self.compared.checks) - set(before))

    def answer(self) -> dict[str, Any]:
        """State, second sentence, what the checks found, reason and note."""
        reason, note = self.cleaned_data["reason"], self.cleaned_data["note"].strip()
        return {**self.decided, "reason": reason, "note": note}


def first(content: Content) -> str:
    """The sentence that is fixed."""
    return " ".join(str(content["sent_more"]).split())


def suggestion(content: Content) -> str:
    """The second sentence as it was suggested."""
    return " ".join(str(content.get("suggested") or "").split())


def _loses_group(content: Content, less: str) -> bool:
    """Whether the group stands in both sentences as they came, and not in the new one."""
    from endoxa.sources.typography import words

    group, new, *before = (
        {word.folded for word in words(text)}
        for text in (str(content.get("identity") or ""), less, first(content), suggestion(content))
    )
    return bool(group) and all(group <= sentence for sentence in before) and not group <= new


def decision_of(answer: Mapping[str, Any]) -> Hashable:
    """What an answer comes to: rejected, or which sentence."""
    return REJECTED if answer["state"] == REJECTED else ("kept", answer["sent_less"])
