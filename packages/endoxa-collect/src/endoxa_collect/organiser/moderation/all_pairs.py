"""The page "All pairs": whatever moderators look for, with the usual decisions beside each pair."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.models import Action, Campaign, Moderation, Pair, Role
from endoxa_collect.organiser.access import allowed, roles_of
from endoxa_collect.organiser.moderation.browsing import COUNTED, PairsForm, found
from endoxa_collect.organiser.moderation.decisions import decide
from endoxa_collect.organiser.moderation.forms import act_form
from endoxa_collect.organiser.moderation.queue import ESCALATED
from endoxa_collect.organiser.moderation.views import (
    DECIDERS,
    OPEN_WORDS,
    READERS,
    done,
    line,
    signed_in,
)

_OFFERED = frozenset({Action.APPROVE, Action.HIDE, Action.MARK})
"""Decisions on the list itself; the others need a look at the pair."""


@allowed(*READERS)
@require_safe
def all_pairs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Pairs by words, country, language, state, tone and who added them, newest first."""
    return _page(request, campaign)


@allowed(*DECIDERS)
@require_POST
def all_pairs_act(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """Carry out a decision about one pair of the list, and show the same list again."""
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    organiser = Role.ORGANISER in roles_of(request, campaign)
    if request.POST.get("action") not in _OFFERED or (ESCALATED in pair.flags and not organiser):
        raise Http404
    form = act_form(pair, request.POST)
    if not form.is_valid():
        return _page(
            request, campaign, faults=[str(fault) for faults in form.errors.values() for fault in faults]
        )
    try:
        decide(campaign, signed_in(request), item, form.decision())
    except EntryError as error:
        return _page(request, campaign, faults=[str(error)])
    return redirect(_address(request, campaign))


@allowed(*READERS)
@require_POST
def all_pairs_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once, or cover them again, as in the queue; then the same list."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    return redirect(_address(request, campaign))


def _address(request: HttpRequest, campaign: Campaign) -> str:
    """The list with the filters in the address of the request."""
    kept = request.GET.urlencode()
    return reverse("organiser:all_pairs", args=[campaign.slug]) + (f"?{kept}" if kept else "")


def _page(request: HttpRequest, campaign: Campaign, *, faults: Sequence[str] = ()) -> HttpResponse:
    roles = roles_of(request, campaign)
    organiser = Role.ORGANISER in roles
    decides = organiser or Role.MODERATOR in roles
    shown = bool(request.session.get(OPEN_WORDS))
    form = PairsForm(campaign, request.GET, auto_id="find_%s")
    page = found(form.pairs(), request.GET.get("after", ""))
    filters = request.GET.copy()
    filters.pop("after", None)
    following = filters.copy()
    following["after"] = page.following
    context = {
        "campaign": campaign,
        "form": form,
        "faults": faults,
        "page": page,
        "counted": COUNTED,
        "rows": [
            (
                line(pair, open_words=shown),
                decides
                and pair.moderation != Moderation.MERGED
                and (organiser or ESCALATED not in pair.flags),
            )
            for pair in page.pairs
        ],
        "done": done(campaign, signed_in(request), open_words=shown) if decides else None,
        "open_words": shown,
        "decides": decides,
        "address": request.GET.urlencode(),
        "first": filters.urlencode(),
        "following": following.urlencode() if page.following else "",
        "deeper": "after" in request.GET,
        "narrowed": any(filters.values()),
        "chosen": form.chosen(),
    }
    return render(request, "organiser/all_pairs.html", context, status=409 if faults else 200)
