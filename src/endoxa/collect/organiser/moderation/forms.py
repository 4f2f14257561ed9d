"""Forms of the moderation pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.entry.cleaning import MAX_LENGTH
from endoxa.collect.models import Action, Pair
from endoxa.collect.organiser.moderation.deciding import Decision

_TOPIC_LENGTH = 40


class ActForm(forms.Form):
    """What to do, and the revision of the pair that the account saw."""

    action = forms.ChoiceField(choices=Action.choices)
    seen = forms.CharField(max_length=12)

    def decision(self) -> Decision:
        """What was decided, for `deciding.decide`."""
        facts = {**self.cleaned_data, "action": Action(self.cleaned_data["action"])}
        return Decision(**facts)


class EditForm(ActForm):
    """Other words for a pair, or the language they are in."""

    text = forms.CharField(
        label=gettext_lazy("Words"),
        max_length=MAX_LENGTH,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"))

    def __init__(self, pair: Pair, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        shown = get_language() or "en"
        codes = dict.fromkeys([*pair.campaign.settings.data_languages, pair.language])
        field = self.fields["language"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(code, geography.language_name(code, shown)) for code in codes]


class MarkForm(ActForm):
    """What the sampler and the covers go by."""

    topic = forms.CharField(label=gettext_lazy("Topic"), max_length=_TOPIC_LENGTH, required=False)
    negative = forms.NullBooleanField(
        label=gettext_lazy("It may hurt to hear this about oneself"),
        help_text=gettext_lazy(
            "What people added stays covered while this is unknown and nobody has approved it."
        ),
        required=False,
    )


class MergeForm(ActForm):
    """The pair that says the same, and the revision of it that the account saw."""

    into = forms.UUIDField()
    into_seen = forms.CharField(max_length=12)


def act_form(pair: Pair, data: Any) -> ActForm:
    """The form that belongs to the action which was sent."""
    action = data.get("action", "")
    if action == Action.EDIT:
        return EditForm(pair, data)
    return {Action.MARK: MarkForm, Action.MERGE: MergeForm}.get(action, ActForm)(data)
