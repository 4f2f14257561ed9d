"""The opening: what a campaign needs before people come in, the rehearsal, and the state of the campaign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
from endoxa_collect.organiser.codes import newest_code
from endoxa_collect.organiser.moderation import ADDED
from endoxa_collect.organiser.setting_forms import SECTIONS
from endoxa_collect.privacy import erase_people, retention_date
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


NONE, ERASABLE, RELEASED = "none", "erasable", "released"
"""Whether what people gave before the opening can be erased; a release holds it for good, or may yet."""


def rehearsal_of(campaign: Campaign) -> str:
    """What there is to erase."""
    if not campaign.rehearsing or not campaign.people.exists():
        return NONE
    return RELEASED if campaign.releases.perhaps_out().exists() else ERASABLE


def end_rehearsal(campaign: Campaign, user: User | AnonymousUser) -> int:
    """Erase everybody who joined before the campaign was opened, with all they gave; how many people.

    Nothing happens once it was opened or released: what people gave then is no rehearsal.
    """
    with locked(campaign.pk) as current:
        if rehearsal_of(current) != ERASABLE:
            return 0
        people = erase_people(current)
        record(current, user, "rehearsal erased", people=people)
    return people


@dataclass(frozen=True)
class Check:
    """One thing that a campaign needs before people come in.

    `now` is what stands there, "" for nothing; `missing` says what is wrong where its name does not. Without what is
    `needed` nobody can open the campaign.
    """

    name: Promise | str
    now: str
    fine: bool
    address: str
    needed: bool = False
    missing: str = ""


_SETTINGS = ("retention", "organisation", "contact", "licence", "help_lines")
"""Settings on the list."""


def checklist(campaign: Campaign) -> list[Check]:
    """All that is looked at before the opening, what is needed first."""
    settings, checks = campaign.settings, []
    seeds, codes = (reverse(f"organiser:{page}", args=[campaign.slug]) for page in ("seeds", "codes"))
    for name in _SETTINGS:
        section = next(section for section, page in SECTIONS.items() if name in page.names)
        needed, value = name == "retention", getattr(settings, name)
        fine = has_day(campaign) if needed else bool(value)
        now = ", ".join({line.name: None for line in value}) if name == "help_lines" else day(value)
        if needed and value and not fine:
            now = gettext("%(day)s, which is over") % {"day": now}
        address = reverse("organiser:settings_section", args=[campaign.slug, section])
        label = gettext_lazy(str(CampaignSettings.model_fields[name].title))
        checks.append(Check(label, now, fine, f"{address}#id_{name}", needed))
    if settings.cards:
        pairs = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).count()
        now = ngettext("%(pairs)d pair", "%(pairs)d pairs", pairs) % {"pairs": pairs} if pairs else ""
        added = AuditEntry.objects.filter(campaign=campaign, action=ADDED).exists()
        yours = gettext("seeds of your own")
        checks.append(Check(gettext_lazy("Seeds"), now, added, seeds, missing=yours))
    if settings.joined and campaign.state != State.CLOSED:
        code = newest_code(campaign) or JoinCode.objects.in_force().filter(campaign=campaign).first()
        checks.append(Check(gettext_lazy("Join code"), code.code if code else "", code is not None, codes))
    return [*checks, _languages(campaign, seeds)] if settings.joined else checks


def _languages(campaign: Campaign, seeds: str) -> Check:
    """The languages of the pages and, with cards, how many somebody would get who reads one language only.

    Languages of the pages need a first set of cards; in others, which nobody reads by default, people may begin.
    """
    settings, here, cards = campaign.settings, get_language() or "en", {}
    if settings.cards:
        live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).order_by()
        asking = live.exclude(need__in=(CANDIDATE, FULL))
        cards = dict(asking.values_list("language").annotate(Count("pk")))

    def listed(codes: Iterable[str]) -> str:
        names = ((geography.language_name(code, here), cards.get(code, 0)) for code in codes)
        return ", ".join(f"{name} ({number})" if cards else name for name, number in names)

    label, needed = gettext_lazy("Languages of the pages"), settings.sampler.break_after
    few = [code for code in settings.ui_languages if cards and cards.get(code, 0) < needed]
    if few:
        address = seeds
    else:
        address = reverse("organiser:settings_section", args=[campaign.slug, "general"]) + "#id_main_language"
    now = listed(dict.fromkeys((*settings.ui_languages, *(settings.data_languages if cards else ()), *cards)))
    if cards:
        now = gettext("Cards for somebody who reads one language: %(languages)s") % {"languages": now}
    # Not lazy: the names are in the language of this page.
    missing = gettext("pairs in these languages of the pages: %(languages)s; a set has %(number)d cards")
    values = {"languages": listed(few), "number": needed}
    return Check(label, now, not few, address, missing=missing % values)


def lacking(campaign: Campaign) -> tuple[tuple[Promise | str, str], ...]:
    """All that is missing, with the addresses of the pages where it is said."""
    return tuple(
        (check.missing or check.name, check.address) for check in checklist(campaign) if not check.fine
    )


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def opening(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The checklist and the button; nothing is opened or erased while what is needed is missing.

    Where people rehearsed, the organiser says what happens to their answers.
    """
    rehearsed, ready, sent = rehearsal_of(campaign), has_day(campaign), request.method == "POST"
    choice = request.POST.get("rehearsal")
    decided = choice in ("erase", "keep") or rehearsed != ERASABLE
    if sent and ready and decided:
        if choice == "erase":
            end_rehearsal(campaign, request.user)
        set_state(campaign, State.OPEN, request.user)
        return redirect("organiser:dashboard", campaign.slug)
    context = {
        "campaign": campaign,
        "checks": checklist(campaign),
        "ready": ready,
        "rehearsal": rehearsed,
        "undecided": sent and not decided,
        "people": campaign.people.count(),
        "refused": sent and not ready,
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
