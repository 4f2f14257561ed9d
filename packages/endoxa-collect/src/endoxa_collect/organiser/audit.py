"""Page of the audit log: stored in English, shown in the language of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from endoxa_collect.inputs import set_choices
from endoxa_collect.models import AuditEntry, Campaign, Pair, Role
from endoxa_collect.organiser.access import READ, allowed
from endoxa_collect.organiser.decisions import LOGGED
from endoxa_collect.organiser.setting_fields import label_of
from endoxa_collect.organiser.wording import BALANCES, ROLES, STATES

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

DETAILS: dict[str, Promise] = {
    "account": pgettext_lazy("log", "account"),
    "added": pgettext_lazy("log", "added"),
    "after": pgettext_lazy("log", "after"),
    "before": pgettext_lazy("log", "before"),
    "cards": pgettext_lazy("log", "cards"),
    "code": pgettext_lazy("log", "code"),
    "days": pgettext_lazy("log", "days"),
    "decision": pgettext_lazy("log", "decision"),
    "duplicates": pgettext_lazy("log", "there already"),
    "fields": pgettext_lazy("log", "settings"),
    "items": pgettext_lazy("log", "items"),
    "judges": pgettext_lazy("log", "judges of a panel"),
    "judgements": pgettext_lazy("log", "judgements"),
    "kept": pgettext_lazy("log", "pairs kept"),
    "kind": pgettext_lazy("log", "kind"),
    "means_the_same": pgettext_lazy("log", "only spelling; nobody is asked again"),
    "mentions": pgettext_lazy("log", "mentions"),
    "mixed": pgettext_lazy("log", "answers to lists and comparisons"),
    "pair": pgettext_lazy("log", "pair"),
    "pairs": pgettext_lazy("log", "pairs"),
    "people": pgettext_lazy("log", "people"),
    "people_without_key": pgettext_lazy("log", "people without a key"),
    "preset": pgettext_lazy("log", "preset"),
    "recipient": pgettext_lazy("log", "recipient"),
    "ratings": pgettext_lazy("log", "ratings"),
    "release": pgettext_lazy("log", "release"),
    "role": pgettext_lazy("log", "role"),
    "rows": pgettext_lazy("log", "rows"),
    "skips": pgettext_lazy("log", "skips"),
    "hurt_answers": pgettext_lazy("log", "answers to whether words could hurt"),
    "statements": pgettext_lazy("log", "statements"),
    "task": pgettext_lazy("log", "task"),
    "sha256": pgettext_lazy("log", "checksum"),
    "version": pgettext_lazy("log", "version"),
    "withdrawals": pgettext_lazy("log", "rows taken back"),
    "words": pgettext_lazy("log", "answers in people’s own words"),
}
"""Names of details."""

_DECISIONS: Mapping[str, Promise] = {action: ACTIONS[name] for action, name in LOGGED.items()}
_VALUES: Mapping[tuple[str, str], Mapping[str, Promise]] = {
    ("state", "before"): STATES,
    ("state", "after"): STATES,
    ("balance", "before"): {**BALANCES, "auto": BALANCES[""]},
    ("balance", "after"): {**BALANCES, "auto": BALANCES[""]},
    ("account allowed", "role"): ROLES,
    ("account removed", "role"): {**ROLES, "all": gettext_lazy("all roles")},
    ("decision taken back", "decision"): _DECISIONS,
    ("settings saved", "means_the_same"): {"True": gettext_lazy("Yes")},
}
"""Translatable values, by action and detail."""

COMMAND_LINE = "-"
"""Stands for the command line, and for accounts that are gone, among accounts."""
CONTRIBUTORS = "+"
"""Filter for acts of contributors, who have no accounts."""

PAGE = 50


def lines(campaign: Campaign, entries: Iterable[AuditEntry]) -> list[tuple[datetime, str, str, list[Detail]]]:
    """When, who, what, and details, in the language of the page; what nobody wrote words for stays as it is stored."""
    entries = list(entries)
    ids = set()
    for entry in entries:
        with suppress(ValueError):
            ids.add(UUID(str(entry.detail.get("pair"))))
    public_ids = Pair.objects.filter(campaign=campaign, public_id__in=ids).values_list("public_id", flat=True)
    pairs = frozenset(map(str, public_ids))
    rows = []
    for entry in entries:
        by_contributor = entry.action in WITHDRAWALS
        who = gettext("a contributor") if by_contributor else gettext("command line")
        details = [_detail(entry.action, name, value, pairs) for name, value in entry.detail.items()]
        rows.append(
            (entry.at, entry.user.get_username() if entry.user else who, action_name(entry.action), details)
        )
    return rows


Detail = tuple[str, str, str]
"""One fact of an entry: its name, its value and, of a pair that has a page, its id, else ""."""


def _detail(action: str, name: str, value: object, pairs: frozenset[str]) -> Detail:
    label, text = str(DETAILS.get(name, name)), str(value)
    if name == "pair":
        # The mark that moderation pages show.
        return label, text[:4], text if text in pairs else ""
    if name == "fields":
        return label, ", ".join(label_of([field]) for field in text.split(", ")), ""
    return label, str(_VALUES.get((action, name), {}).get(text, value)), ""


def action_name(action: str) -> str:
    """What was done, in the language of the page."""
    return str(ACTIONS.get(action, action))


class LogForm(forms.Form):
    """Filters by what was done and by whom; everything where nothing is chosen."""

    action = forms.ChoiceField(required=False, label=gettext_lazy("What"))
    account = forms.ChoiceField(required=False, label=gettext_lazy("Who"))

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._entries = AuditEntry.objects.filter(campaign=campaign)
        actions = self._entries.order_by("action").values_list("action", flat=True).distinct()
        names = self._entries.filter(user__isnull=False).order_by("user__username")
        accounts = names.values_list("user__username", flat=True).distinct()
        set_choices(
            self,
            action=[("", gettext_lazy("everything")), *((name, action_name(name)) for name in actions)],
            account=[
                ("", gettext_lazy("everybody")),
                (COMMAND_LINE, gettext_lazy("command line")),
                (CONTRIBUTORS, gettext_lazy("a contributor")),
                *((name, name) for name in accounts),
            ],
        )

    def entries(self) -> QuerySet[AuditEntry]:
        """The entries asked for, newest first; all of them where the form is not valid."""
        entries = self._entries.select_related("user").order_by("-at", "-pk")
        if not self.is_valid():
            return entries
        if action := self.cleaned_data["action"]:
            entries = entries.filter(action=action)
        account = self.cleaned_data["account"]
        if account == COMMAND_LINE:
            return entries.filter(user__isnull=True).exclude(action__in=WITHDRAWALS)
        if account == CONTRIBUTORS:
            return entries.filter(user__isnull=True, action__in=WITHDRAWALS)
        return entries.filter(user__username=account) if account else entries


@allowed(Role.ORGANISER, methods=READ)
def audit(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Newest first, fifty to a page."""
    form = LogForm(campaign, request.GET)
    page = Paginator(form.entries(), PAGE).get_page(request.GET.get("page"))
    filters = request.GET.copy()
    filters.pop("page", None)
    context = {
        "campaign": campaign,
        "form": form,
        "page": page,
        "lines": lines(campaign, page),
        "kept": filters.urlencode(),
    }
    return render(request, "organiser/audit.html", context)


urlpatterns = [path("<slug:slug>/log/", audit, name="audit")]
