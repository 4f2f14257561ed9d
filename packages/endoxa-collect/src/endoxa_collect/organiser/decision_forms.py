"""Forms of the moderation pages: a decision, and what the account saw when it took it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import get_language, gettext_lazy

from endoxa_collect import geography
from endoxa_collect.entry.cleaning import MAX_LENGTH
from endoxa_collect.models import Action, Pair
from endoxa_collect.organiser.decisions import (
    Decision,
    Shown,
)

_TOPIC_LENGTH = 40


_LOAD_AGAIN = gettext_lazy("Please load the page again.")


_MAY_HURT = gettext_lazy("It may hurt to hear this about oneself")


class ActForm(forms.Form):
    """What to do, and the revision of the pair that the account saw."""

    action = forms.ChoiceField(choices=Action.choices)
    seen = forms.CharField(max_length=12)

    def decision(self) -> Decision:
        """What was decided, for `decisions.decide`."""
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


class ApproveForm(ActForm):
    """Passing a pair; what is ticked as unkind stays covered."""

    negative = forms.BooleanField(label=_MAY_HURT, required=False)

    def __init__(self, data: Any = None) -> None:
        # Its page has the box of `MarkForm` too.
        super().__init__(data, auto_id="approve_%s")


class MarkForm(ActForm):
    """What the sampler and the covers go by."""

    topic = forms.CharField(label=gettext_lazy("Topic"), max_length=_TOPIC_LENGTH, required=False)
    negative = forms.NullBooleanField(
        label=_MAY_HURT,
        help_text=gettext_lazy(
            "What people added stays covered while this is unknown and nobody has approved it."
        ),
        required=False,
    )


class MergeForm(ActForm):
    """The pair that says the same, and the revision of it that the account saw."""

    into = forms.UUIDField()
    into_seen = forms.CharField(max_length=12)


class ShownField(forms.Field):
    """Pairs as `<id>:<revision>`, one in each hidden field."""

    widget = forms.MultipleHiddenInput
    default_error_messages = {"required": _LOAD_AGAIN, "invalid": _LOAD_AGAIN}

    def to_python(self, value: list[str] | None) -> tuple[Shown, ...]:
        """The pairs.

        Raises:
            ValidationError: not what the page sends.
        """
        parts = [text.partition(":") for text in value or ()]
        try:
            return tuple(Shown(UUID(item), seen) for item, _, seen in parts)
        except ValueError as error:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from error


class ShownForm(forms.Form):
    """What stood on a page of the queue and may be approved at once."""

    shown = ShownField()


def act_form(pair: Pair, data: Any) -> ActForm:
    """The form that belongs to the action which was sent."""
    action = data.get("action", "")
    if action == Action.EDIT:
        return EditForm(pair, data)
    kinds: Mapping[str, Callable[[Any], ActForm]] = {
        Action.APPROVE: ApproveForm,
        Action.MARK: MarkForm,
        Action.MERGE: MergeForm,
    }
    return kinds.get(action, ActForm)(data)
