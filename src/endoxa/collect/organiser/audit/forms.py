"""What of the log to show."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from endoxa.collect.models import AuditEntry, Campaign
from endoxa.collect.organiser.audit.wording import WITHDRAWAL, action_name

COMMAND_LINE = "-"
"""Stands for the command line, and for accounts that are gone, among accounts."""
CONTRIBUTORS = "+"
"""Stands for contributors, who are no accounts."""


class LogForm(forms.Form):
    """Filters by what was done and by whom; everything where nothing is chosen."""

    action = forms.ChoiceField(required=False, label=gettext_lazy("What"))
    account = forms.ChoiceField(required=False, label=gettext_lazy("Who"))

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._entries = AuditEntry.objects.filter(campaign=campaign)
        everything = ("", gettext_lazy("everything"))
        actions = self._entries.order_by("action").values_list("action", flat=True).distinct()
        names = self._entries.filter(user__isnull=False).order_by("user__username")
        accounts = names.values_list("user__username", flat=True).distinct()
        others = (
            (COMMAND_LINE, gettext_lazy("command line")),
            (CONTRIBUTORS, gettext_lazy("a contributor")),
        )
        self._choose("action", [everything, *((name, action_name(name)) for name in actions)])
        self._choose(
            "account", [("", gettext_lazy("everybody")), *others, *((name, name) for name in accounts)]
        )

    def _choose(self, name: str, choices: list[tuple[Any, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def entries(self) -> QuerySet[AuditEntry]:
        """The entries asked for, newest first; all of them where the form is not valid."""
        found = self._entries.select_related("user").order_by("-at", "-pk")
        if not self.is_valid():
            return found
        if action := self.cleaned_data["action"]:
            found = found.filter(action=action)
        account = self.cleaned_data["account"]
        if account == COMMAND_LINE:
            return found.filter(user__isnull=True).exclude(action=WITHDRAWAL)
        if account == CONTRIBUTORS:
            return found.filter(user__isnull=True, action=WITHDRAWAL)
        return found.filter(user__username=account) if account else found
