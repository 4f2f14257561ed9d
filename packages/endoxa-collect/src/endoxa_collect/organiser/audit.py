"""The audit log: stored in English; what was done is shown in the language of the page, details as they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import path
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa_collect.models import AuditEntry, Campaign
from endoxa_collect.organiser.desk import CampaignList, choice

ACTIONS: dict[str, Promise] = {
    "account allowed": gettext_lazy("account allowed"),
    "account removed": gettext_lazy("account removed"),
    "balance": gettext_lazy("what people are asked for was changed"),
    "campaign made": gettext_lazy("campaign made"),
    "code changed": gettext_lazy("name or offers of a join code changed"),
    "code made": gettext_lazy("join code made"),
    "code extended": gettext_lazy("join code extended"),
    "code revoked": gettext_lazy("join code revoked"),
    "decision taken back": gettext_lazy("decision taken back"),
    "export": gettext_lazy("working copy exported"),
    "judge withdrawn": gettext_lazy("somebody of a panel deleted their answers"),
    "merge taken back": gettext_lazy("merge taken back"),
    "pair approved": gettext_lazy("pair approved"),
    "pair edited": gettext_lazy("words of a pair changed"),
    "pair escalated": gettext_lazy("pair handed to the organiser"),
    "pair hidden": gettext_lazy("pair hidden"),
    "pair marked": gettext_lazy("marks of a pair changed"),
    "pair merged": gettext_lazy("pair merged"),
    "person set aside": gettext_lazy("answers of one person set aside"),
    "person taken back": gettext_lazy("answers of one person counted again"),
    "edition published": gettext_lazy("edition put onto the public page"),
    "edition taken down": gettext_lazy("edition taken from the public page"),
    "personal data removed": gettext_lazy("personal data removed"),
    "rehearsal erased": gettext_lazy("rehearsal erased"),
    "release": gettext_lazy("release exported"),
    "paper entered": gettext_lazy("answers from paper typed in"),
    "restricted release": gettext_lazy("restricted release exported"),
    "retention": gettext_lazy("link between people and answers cut"),
    "seeds added": gettext_lazy("seeds added"),
    "settings saved": gettext_lazy("settings saved"),
    "state": gettext_lazy("state of the campaign changed"),
    "task closed": gettext_lazy("task closed"),
    "task exported": gettext_lazy("judgements of a task exported"),
    "task made": gettext_lazy("task made"),
    "task opened": gettext_lazy("task opened"),
    "task paused": gettext_lazy("task paused"),
    "task unblinded": gettext_lazy("what judges must not know was shown"),
    "withdrawal": gettext_lazy("somebody deleted their answers"),
}
"""What was done, by the name it is stored under."""

WITHDRAWALS = ("judge withdrawn", "withdrawal")
"""The only actions of contributors that the log knows."""


def _actions(campaign: Campaign) -> Iterable[tuple[str, Any, Q]]:
    entries = AuditEntry.objects.filter(campaign=campaign).order_by("action")
    names = entries.values_list("action", flat=True).distinct()
    return [(name, ACTIONS.get(name, name), Q(action=name)) for name in names]


def _accounts(campaign: Campaign) -> Iterable[tuple[str, Any, Q]]:
    """The command line ("-"; also accounts that are gone), contributors ("+"), who have no accounts, and accounts."""
    entries = AuditEntry.objects.filter(campaign=campaign, user__isnull=False).order_by("user__username")
    names = entries.values_list("user__username", flat=True).distinct()
    nobody, left = Q(user__isnull=True), Q(action__in=WITHDRAWALS)
    return [
        ("", gettext_lazy("everybody"), Q()),
        ("-", gettext_lazy("command line"), nobody & ~left),
        ("+", gettext_lazy("a contributor"), nobody & left),
        *((name, name, Q(user__username=name)) for name in names),
    ]


class Log(CampaignList):
    """What was done, when and by whom."""

    of = AuditEntry
    heading = gettext_lazy("Log")
    change_list_template = "organiser/audit.html"
    list_filter = (
        choice("action", gettext_lazy("What"), _actions),
        choice("account", gettext_lazy("Who"), _accounts),
    )
    ordering = ("-at", "-pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the accounts."""
        return super().get_queryset(request).select_related("user")

    def shown(self, row: AuditEntry) -> dict[str, Any]:
        """What was done, in the language of the page, and details as they are stored."""
        return {"what": ACTIONS.get(row.action, row.action), "details": list(row.detail.items())}

    def context(self) -> dict[str, Any]:
        """With the actions of contributors."""
        return {"withdrawals": WITHDRAWALS}


urlpatterns = [path("<slug:slug>/log/", Log.page(), name="audit")]
