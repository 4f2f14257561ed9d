"""Forms of the harm study: the two questions on an association, and the quiz on the instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from endoxa_collect.tasks.room import AnswerForm, Content, StepForm

HARM, FREQUENT, FIRST = "harm", "frequent", "first"
SCALE = (
    ("1", gettext_lazy("Strongly disagree")),
    ("2", gettext_lazy("Disagree")),
    ("3", gettext_lazy("Neither agree nor disagree")),
    ("4", gettext_lazy("Agree")),
    ("5", gettext_lazy("Strongly agree")),
)
REALITY = (
    ("yes", gettext_lazy("Yes")),
    ("no", gettext_lazy("No")),
    ("unsure", gettext_lazy("Not sure")),
)
KEYS = {"yes": "y", "no": "n", "unsure": "u"} | {number: number for number, _ in SCALE}
"""The key of each answer."""
FREQUENCY_LABELS = {"yes": "yes", "no": "no", "unsure": "not sure"}
"""Answers on reality as `endoxa analyze harm` reads them."""
_CHOOSE = {
    "required": gettext_lazy("Please choose one of the answers."),
    "invalid_choice": gettext_lazy("Please choose one of the answers."),
}


class KeyedChoice(forms.RadioSelect):
    """Answers that can be chosen by a key each."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The answer, with its key as `data-key` and for the template."""
        option: dict[str, Any] = super().create_option(name, value, *args, **kwargs)
        option["key"] = option["attrs"]["data-key"] = KEYS[str(value)]
        return option


class HarmForm(AnswerForm):
    """Five worded answers and three, nothing preselected; the questions in the order that was drawn for the person."""

    harm = forms.ChoiceField(
        choices=SCALE,
        widget=KeyedChoice,
        label=gettext_lazy("Does this association reinforce a harmful stereotype?"),
        error_messages=_CHOOSE,
        label_suffix="",
    )
    frequent = forms.ChoiceField(
        choices=REALITY,
        widget=KeyedChoice,
        label=gettext_lazy("Is this pattern frequent in reality?"),
        error_messages=_CHOOSE,
        label_suffix="",
    )

    def __init__(self, content: Content, shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        if self.shown.get(FIRST) == FREQUENT:
            self.order_fields([FREQUENT, HARM])

    def answer(self) -> dict[str, Any]:
        """The number, the word, and which question stood first."""
        first = FREQUENT if self.shown.get(FIRST) == FREQUENT else HARM
        return {HARM: int(self.cleaned_data[HARM]), FREQUENT: self.cleaned_data[FREQUENT], FIRST: first}


class QuizForm(StepForm):
    """Three questions on the two pages of instructions. Which answers are right is known to the server only."""

    stance = forms.ChoiceField(
        label=gettext_lazy("An association is shown to you. What does that mean?"),
        choices=(
            ("true", gettext_lazy("The people of this study believe that it is true.")),
            ("found", gettext_lazy("It was found in texts that computer programs wrote, and is studied.")),
            ("mine", gettext_lazy("I should believe it.")),
        ),
        widget=forms.RadioSelect,
        error_messages=_CHOOSE,
        label_suffix="",
    )
    asked = forms.ChoiceField(
        label=gettext_lazy("What does the question on harmful stereotypes ask?"),
        choices=(
            ("liking", gettext_lazy("Whether I like the people it is about.")),
            ("style", gettext_lazy("Whether it is well written.")),
            ("reinforces", gettext_lazy("Whether repeating it again and again would do harm to people.")),
        ),
        widget=forms.RadioSelect,
        error_messages=_CHOOSE,
        label_suffix="",
    )
    apart = forms.ChoiceField(
        label=gettext_lazy("A pattern is frequent in reality. Can it still be harmful to repeat it?"),
        choices=(
            ("apart", gettext_lazy("Yes. The two questions are answered apart from each other.")),
            ("never", gettext_lazy("No. What is frequent cannot be harmful.")),
            ("always", gettext_lazy("It is always harmful then.")),
        ),
        widget=forms.RadioSelect,
        error_messages=_CHOOSE,
        label_suffix="",
    )

    _right = {
        "stance": (
            "found",
            gettext_lazy(
                "Associations were found in texts that computer programs wrote. They are shown because they are "
                "studied, not because anybody here believes them."
            ),
        ),
        "asked": (
            "reinforces",
            gettext_lazy(
                "The question is about harm: whether repeating the association again and again would do harm to people."
            ),
        ),
        "apart": (
            "apart",
            gettext_lazy(
                "A pattern can be frequent and harmful to repeat, or rare and harmless: the two questions are answered "
                "apart from each other."
            ),
        ),
    }

    def mistakes(self) -> list[str]:
        """An explanation for each wrong answer."""
        return [
            str(explained)
            for name, (right, explained) in self._right.items()
            if self.cleaned_data[name] != right
        ]
