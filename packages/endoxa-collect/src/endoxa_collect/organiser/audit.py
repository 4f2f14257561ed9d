"""The audit log: stored in English; what was done is shown in the language of the page, details as they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.admin import display
from django.db.models import QuerySet
from django.urls import path, reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.models import AuditEntry, Campaign
from endoxa_collect.organiser.desk import CampaignList, choice
from endoxa_collect.templatetags.organiser import clock

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

COMMAND_LINE = "-"
"""Stands for the command line, and for accounts that are gone, among accounts."""
CONTRIBUTORS = "+"
"""Filter for acts of contributors, who have no accounts."""


def action_name(action: str) -> str:
    """What was done, in the language of the page."""
    return str(ACTIONS.get(action, action))


def _actions(campaign: Campaign) -> Iterable[tuple[str, str]]:
    names = AuditEntry.objects.filter(campaign=campaign).order_by("action")
    return [(name, action_name(name)) for name in names.values_list("action", flat=True).distinct()]


def _accounts(campaign: Campaign) -> Iterable[tuple[str, Any]]:
    entries = AuditEntry.objects.filter(campaign=campaign, user__isnull=False).order_by("user__username")
    names = entries.values_list("user__username", flat=True).distinct()
    others = [(COMMAND_LINE, gettext_lazy("command line")), (CONTRIBUTORS, gettext_lazy("a contributor"))]
    return [*others, *((name, name) for name in names)]


def _by(entries: QuerySet[Any], account: str) -> QuerySet[Any]:
    if account == COMMAND_LINE:
        return entries.filter(user__isnull=True).exclude(action__in=WITHDRAWALS)
    if account == CONTRIBUTORS:
        return entries.filter(user__isnull=True, action__in=WITHDRAWALS)
    return entries.filter(user__username=account)


class Log(CampaignList):
    """What was done, when and by whom."""

    of = AuditEntry
    heading = gettext_lazy("Log")
    intro = gettext_lazy(
        "What accounts did in this campaign. No words, answers or addresses of contributors are kept here."
    )
    list_display = ("when", "who", "what", "details")
    list_filter = (
        choice("action", gettext_lazy("What"), _actions, lambda entries, name: entries.filter(action=name)),
        choice("account", gettext_lazy("Who"), _accounts, _by),
    )
    list_select_related = ("user",)
    ordering = ("-at", "-pk")

    @display(description=gettext_lazy("When"))
    def when(self, entry: AuditEntry) -> str:
        """The time, to the hour for contributors."""
        return clock(entry.at)

    @display(description=gettext_lazy("Who"))
    def who(self, entry: AuditEntry) -> str:
        """An account, a contributor or the command line."""
        others = gettext("a contributor") if entry.action in WITHDRAWALS else gettext("command line")
        return format_html("<bdi>{}</bdi>", entry.user.get_username() if entry.user else others)

    @display(description=gettext_lazy("What"))
    def what(self, entry: AuditEntry) -> str:
        """The action in words."""
        return action_name(entry.action)

    @display(description=gettext_lazy("Details"))
    def details(self, entry: AuditEntry) -> str:
        """Facts by their stored names; a pair as a link to its page, named by its mark."""
        facts = ((name, self._shown(name, value)) for name, value in entry.detail.items())
        return format_html_join(" · ", '{}: <bdi lang="en">{}</bdi>', facts)

    def _shown(self, name: str, value: object) -> str:
        try:
            pair = UUID(str(value)) if name == "pair" else None
        except ValueError:
            pair = None
        if pair is None:
            return str(value)
        address = reverse("organiser:moderation_item", args=[self.campaign.slug, pair])
        return format_html('<a href="{}">{}</a>', address, pair.hex[:4])


urlpatterns = [path("<slug:slug>/log/", Log.page(), name="audit")]
