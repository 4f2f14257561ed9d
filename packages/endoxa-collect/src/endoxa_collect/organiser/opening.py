"""The opening: what a campaign needs before people come in, the rehearsal, and the state of the campaign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext

from endoxa.errors import UserError
from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import AuditEntry, Campaign, JoinCode, Moderation, Pair, Role, State, record
from endoxa_collect.organiser.access import READ_OR_SEND, SEND, allowed
from endoxa_collect.organiser.all_pairs import ADDED
from endoxa_collect.organiser.codes import newest_code
from endoxa_collect.privacy import erase_people, is_over, retention_date
from endoxa_collect.sampler.slots import CANDIDATE, FULL
from endoxa_collect.terms import day


def has_day(campaign: Campaign) -> bool:
    """Whether a day is to come, or today, after which answers are linked to nobody."""
    try:
        return retention_date(campaign) >= timezone.now().date()
    except UserError:
        return False


def set_state(campaign: Campaign, state: str, user: User | AnonymousUser) -> None:
    """Open, pause or close a campaign.

    The clock of the forecast begins when it is opened first, and stands still while it is not open.

    Raises:
        UserError: it cannot be opened, as no day is to come on which answers lose their link to people.
    """
    with locked(campaign.pk) as current:
        if state == State.OPEN and not has_day(current):
            raise UserError(
                f"Campaign '{current.slug}' was not opened: set the last day on which answers are linked to people "
                "(Settings, General) to a day that is not over."
            )
        begins = state == State.OPEN and current.began_at is None
        if current.state == state and not begins:
            return
        record(current, user, "state", before=current.state, after=state)
        now = timezone.now()
        if state != State.OPEN:
            current.paused_at = current.paused_at or now
        elif begins:
            current.began_at, current.paused_at = now, None
            current.codes.start_days(now)
        elif current.paused_at is not None:
            if current.began_at is not None:
                current.began_at += now - current.paused_at
            current.paused_at = None
        current.state = state
        current.save(update_fields=["state", "began_at", "paused_at"])


class Rehearsal(Enum):
    """Whether what people gave before the opening can be erased; a release holds it for good, or may yet."""

    NONE = "none"
    ERASABLE = "erasable"
    RELEASED = "released"


def rehearsal_of(campaign: Campaign) -> Rehearsal:
    """What there is to erase."""
    if not campaign.rehearsing or not campaign.people.exists():
        return Rehearsal.NONE
    return Rehearsal.RELEASED if campaign.releases.perhaps_out().exists() else Rehearsal.ERASABLE


def end_rehearsal(campaign: Campaign, user: User | AnonymousUser) -> int:
    """Erase everybody who joined before the campaign was opened, with all they gave; how many people.

    Nothing happens once it was opened or released: what people gave then is no rehearsal (`Rehearsal`).
    """
    with locked(campaign.pk) as current:
        if rehearsal_of(current) is not Rehearsal.ERASABLE:
            return 0
        people = erase_people(current)
        record(current, user, "rehearsal erased", people=people)
    return people


@dataclass(frozen=True)
class Check:
    """One thing that a campaign needs before people come in.

    `now` is what stands there, "" for nothing. `missing` is how sentences name it where it is not `fine`; without what
    is `needed` nobody can open the campaign.
    """

    name: Promise | str
    missing: Promise | str
    now: str
    fine: bool
    address: str
    needed: bool = False


_SETTINGS = (
    ("retention", "general", gettext_lazy("the last day on which answers are linked to people")),
    ("organisation", "general", gettext_lazy("who runs it")),
    ("contact", "general", gettext_lazy("how people reach you")),
    ("licence", "general", gettext_lazy("the licence of the data")),
    ("help_lines", "care", gettext_lazy("help lines")),
)
"""Settings on the list, the page of each, and what is missing without it."""


def checklist(campaign: Campaign) -> list[Check]:
    """All that is looked at before the opening, what is needed first."""
    settings = campaign.settings
    checks = [
        Check(
            name=gettext_lazy(str(CampaignSettings.model_fields[name].title)),
            missing=missing,
            now=_setting(campaign, name),
            fine=has_day(campaign) if name == "retention" else bool(getattr(settings, name)),
            address=reverse("organiser:settings_section", args=[campaign.slug, section]) + f"#id_{name}",
            needed=name == "retention",
        )
        for name, section, missing in _SETTINGS
    ]
    if settings.cards:
        checks.append(_seeds(campaign))
    if settings.joined and campaign.state != State.CLOSED:
        code = newest_code(campaign) or JoinCode.objects.in_force().filter(campaign=campaign).first()
        checks.append(
            Check(
                gettext_lazy("Join code"),
                gettext_lazy("a join code in force"),
                code.code if code else "",
                code is not None,
                reverse("organiser:codes", args=[campaign.slug]),
            )
        )
    return [*checks, _languages(campaign)] if settings.joined else checks


def _setting(campaign: Campaign, name: str) -> str:
    value = getattr(campaign.settings, name)
    if name == "help_lines":
        return ", ".join(dict.fromkeys(line.name for line in value))
    if name != "retention" or not is_over(campaign, timezone.now().date()):
        return day(str(value))
    return gettext("%(day)s, which is over") % {"day": day(value)}


def cards_by_language(campaign: Campaign) -> dict[str, int]:
    """Cards that somebody who reads one language would get: its live pairs, as far as they ask for ratings."""
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).order_by()
    return dict(live.exclude(need__in=(CANDIDATE, FULL)).values_list("language").annotate(Count("pk")))


def _seeds(campaign: Campaign) -> Check:
    pairs = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).count()
    return Check(
        gettext_lazy("Seeds"),
        gettext_lazy("seeds of your own"),
        ngettext("%(pairs)d pair", "%(pairs)d pairs", pairs) % {"pairs": pairs} if pairs else "",
        AuditEntry.objects.filter(campaign=campaign, action=ADDED).exists(),
        reverse("organiser:seeds", args=[campaign.slug]),
    )


def _languages(campaign: Campaign) -> Check:
    """The languages of the pages and, with cards, how many somebody would get who reads one language only.

    Languages of the pages need a first set of cards; in others, which nobody reads by default, people may begin.
    """
    settings, here = campaign.settings, get_language() or "en"
    cards, needed = cards_by_language(campaign) if settings.cards else {}, settings.sampler.break_after

    def listed(codes: Iterable[str]) -> str:
        names = ((geography.language_name(code, here), cards.get(code, 0)) for code in codes)
        return ", ".join(f"{name} ({number})" if cards else name for name, number in names)

    few = [code for code in settings.ui_languages if cards and cards.get(code, 0) < needed]
    shown = listed(dict.fromkeys((*settings.ui_languages, *settings.data_languages, *cards)))
    return Check(
        gettext_lazy("Languages of the pages"),
        # Not lazy: the names are in the language of this page.
        gettext("pairs in these languages of the pages: %(languages)s; a set has %(number)d cards")
        % {"languages": listed(few), "number": needed},
        gettext("Cards for somebody who reads one language: %(languages)s") % {"languages": shown}
        if cards
        else listed(settings.ui_languages),
        not few,
        reverse("organiser:seeds", args=[campaign.slug])
        if few
        else reverse("organiser:settings_section", args=[campaign.slug, "general"]) + "#id_main_language",
    )


def lacking(campaign: Campaign) -> tuple[tuple[Promise | str, str], ...]:
    """All that is missing, with the addresses of the pages where it is said."""
    return tuple((check.missing, check.address) for check in checklist(campaign) if not check.fine)


class OpenForm(forms.Form):
    """The opening of a campaign; where people rehearsed, the organiser says what happens to their answers."""

    rehearsal = forms.ChoiceField(
        label=gettext_lazy("What happens to the rehearsal?"),
        widget=forms.RadioSelect,
        choices=[
            ("erase", gettext_lazy("Erase it: everybody who joined, with all answers")),
            ("keep", gettext_lazy("Keep it: these answers count as all others")),
        ],
        error_messages={"required": gettext_lazy("Please choose: erase the rehearsal, or keep it.")},
    )

    def __init__(self, rehearsed: Rehearsal, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        if rehearsed is not Rehearsal.ERASABLE:
            del self.fields["rehearsal"]


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def opening(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The checklist and the button; nothing is opened or erased while what is needed is missing."""
    rehearsed = rehearsal_of(campaign)
    form = OpenForm(rehearsed, request.POST if request.method == "POST" else None)
    ready = has_day(campaign)
    if ready and form.is_valid():
        if form.cleaned_data.get("rehearsal") == "erase":
            end_rehearsal(campaign, request.user)
        set_state(campaign, State.OPEN, request.user)
        return redirect("organiser:dashboard", campaign.slug)
    context = {
        "campaign": campaign,
        "checks": checklist(campaign),
        "ready": ready,
        "form": form,
        "rehearsal": rehearsed.value,
        "people": campaign.people.count() if rehearsed is not Rehearsal.NONE else 0,
        "refused": request.method == "POST" and not ready,
    }
    return render(request, "organiser/opening.html", context, status=409 if context["refused"] else 200)


@allowed(Role.ORGANISER, methods=SEND)
def rehearsal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Erase the rehearsal, if the box is ticked: an answer that was erased cannot be had again."""
    if "sure" in request.POST:
        end_rehearsal(campaign, request.user)
    return redirect("organiser:dashboard", campaign.slug)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/open/", opening, name="opening"),
    path("<slug:slug>/rehearsal/", rehearsal, name="rehearsal"),
]
