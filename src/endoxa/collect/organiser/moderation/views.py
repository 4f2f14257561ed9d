"""The pages of moderators: the queue, one pair, what was merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from endoxa.collect.entry.cleaning import MAX_LENGTH
from endoxa.collect.models import Campaign, Pair, Role
from endoxa.collect.organiser.access import allowed, roles_of
from endoxa.collect.organiser.moderation.approving import plain
from endoxa.collect.organiser.moderation.deciding import revision
from endoxa.collect.organiser.moderation.forms import ActForm
from endoxa.collect.organiser.moderation.queue import waiting
from endoxa.collect.organiser.moderation.showing import done, item_context, line
from endoxa.collect.organiser.moderation.wording import ESCALATED
from endoxa.collect.visible import visible

READERS = (Role.ORGANISER, Role.MODERATOR, Role.REVIEWER)
OPEN_WORDS = "moderation_open_words"
"""Set in the session of an account that wants all words shown at once."""
APPROVED = "moderation_approved_{}"
"""In the session, until the queue of the campaign with this id says it: how many were approved at once, and left."""
PAGE = 25


@allowed(*READERS)
@require_safe
def moderation(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The queue, most urgent first."""
    return queue_page(request, campaign)


@allowed(*READERS)
@require_safe
def moderation_item(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """One pair with all there is to know about it but what people answered."""
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    return item_page(request, campaign, pair)


@allowed(*READERS)
@require_safe
def merges(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Pairs that were merged, the latest first."""
    pairs = Pair.objects.filter(campaign=campaign, merged_into__isnull=False).exclude(attribute="")
    page = Paginator(pairs.select_related("merged_into").order_by("-pk"), PAGE).get_page(
        request.GET.get("page")
    )
    shown = _open_words(request)
    rows = [
        (line(pair, open_words=shown), line(pair.merged_into, open_words=shown), revision(pair))
        for pair in page
        if pair.merged_into is not None
    ]
    context = {"campaign": campaign, "page": page, "rows": rows, **_rights(request, campaign)}
    return render(request, "organiser/moderation_merges.html", context)


def queue_page(request: HttpRequest, campaign: Campaign, *, faults: Sequence[str] = ()) -> HttpResponse:
    """The page of the queue; with what could not be done, and why."""
    frame = _frame(request, campaign)
    context = {
        **frame,
        "faults": faults,
        "plain": [(pair, revision(pair)) for pair in plain(frame["page"].object_list, signed_in(request))],
        "told": request.session.pop(APPROVED.format(campaign.pk), None),
    }
    return render(request, "organiser/moderation.html", context, status=409 if faults else 200)


def item_page(
    request: HttpRequest, campaign: Campaign, pair: Pair, *, bound: ActForm | None = None
) -> HttpResponse:
    """The page of one pair; with a form that was sent and cannot be carried out."""
    search = visible(request.GET.get("q", ""))[:MAX_LENGTH]
    user = signed_in(request)
    facts = item_context(pair, user, search=search, open_words=_open_words(request), bound=bound)
    frame = _frame(request, campaign)
    free = frame["organiser"] or ESCALATED not in pair.flags
    context = {**frame, **facts, "decides": frame["decides"] and free}
    return render(request, "organiser/moderation_item.html", context, status=409 if facts["faults"] else 200)


def signed_in(request: HttpRequest) -> User:
    """The account; `allowed` has let nobody else in."""
    assert isinstance(request.user, User)
    return request.user


def _frame(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """The queue at the side, and what the account decided last."""
    rights = _rights(request, campaign)
    pairs = waiting(campaign, organiser=rights["organiser"])
    page = Paginator(pairs, PAGE).get_page(request.GET.get("page"))
    shown = _open_words(request)
    return {
        "campaign": campaign,
        "page": page,
        "lines": [line(pair, open_words=shown) for pair in page],
        "done": done(campaign, signed_in(request), open_words=shown) if rights["decides"] else None,
        "open_words": shown,
        **rights,
    }


def _rights(request: HttpRequest, campaign: Campaign) -> dict[str, bool]:
    roles = roles_of(request, campaign)
    organiser = Role.ORGANISER in roles
    return {"organiser": organiser, "decides": organiser or Role.MODERATOR in roles}


def _open_words(request: HttpRequest) -> bool:
    return bool(request.session.get(OPEN_WORDS))
