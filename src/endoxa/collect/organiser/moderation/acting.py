"""What moderators send: a decision, taking one back, the next pair."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from endoxa.collect.entry.errors import EntryError
from endoxa.collect.models import Act, Action, Campaign, Pair, Role
from endoxa.collect.organiser.access import allowed, roles_of
from endoxa.collect.organiser.moderation.approving import approve_all
from endoxa.collect.organiser.moderation.deciding import decide
from endoxa.collect.organiser.moderation.forms import ActForm, ShownForm, act_form
from endoxa.collect.organiser.moderation.queue import take_next
from endoxa.collect.organiser.moderation.undoing import undo
from endoxa.collect.organiser.moderation.views import APPROVED, OPEN_WORDS, item_page, queue_page, signed_in
from endoxa.collect.organiser.moderation.wording import ESCALATED

DECIDERS = (Role.ORGANISER, Role.MODERATOR)
_STAYS = frozenset({Action.EDIT, Action.MARK, Action.UNMERGE})
"""Decisions after which the pair may still wait for another one."""


@allowed(*DECIDERS)
@require_POST
def moderation_act(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """Carry out a decision and go on to the next pair; back to this one with a sentence where it cannot be done."""
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    if ESCALATED in pair.flags and not _is_organiser(request, campaign):
        raise Http404
    form = act_form(pair, request.POST)
    if not form.is_valid():
        return item_page(request, campaign, pair, bound=form)
    decision = form.decision()
    try:
        decide(campaign, signed_in(request), item, decision)
    except EntryError as error:
        return _not_done(request, campaign, pair, form, error)
    if request.POST.get("from") == "merges":
        return redirect("organiser:merges", campaign.slug)
    if decision.action in _STAYS:
        return redirect("organiser:moderation_item", campaign.slug, item)
    return _onward(request, campaign)


@allowed(*DECIDERS)
@require_POST
def moderation_undo(request: HttpRequest, campaign: Campaign, act: UUID) -> HttpResponse:
    """Take a decision back and show the pair again."""
    found = get_object_or_404(Act.objects.select_related("pair"), pair__campaign=campaign, public_id=act)
    try:
        undo(campaign, signed_in(request), act)
    except EntryError as error:
        form = act_form(found.pair, {"action": found.action, "seen": "-"})
        return _not_done(request, campaign, found.pair, form, error)
    return redirect("organiser:moderation_item", campaign.slug, found.pair.public_id)


@allowed(*DECIDERS)
@require_POST
def moderation_next(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Claim the most urgent pair that nobody else is looking at."""
    return _onward(request, campaign)


@allowed(*DECIDERS)
@require_POST
def moderation_approve(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Approve all new pairs without a flag that stood, in words, on a page of the queue; say how many that were."""
    form = ShownForm(request.POST)
    if not form.is_valid():
        return queue_page(request, campaign, faults=[str(fault) for fault in form.errors["shown"]])
    if not request.session.get(OPEN_WORDS):
        fault = gettext("To approve several at once, show all words first.")
        return queue_page(request, campaign, faults=[fault])
    shown = form.cleaned_data["shown"]
    approved = approve_all(campaign, signed_in(request), shown)
    request.session[APPROVED.format(campaign.pk)] = {"approved": approved, "left": len(shown) - approved}
    return redirect("organiser:moderation", campaign.slug)


@allowed(*DECIDERS, Role.REVIEWER)
@require_POST
def moderation_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once from now on, or cover them again, for as long as the account is signed in."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    return redirect(reverse("organiser:moderation", args=[campaign.slug]))


def _not_done(
    request: HttpRequest, campaign: Campaign, pair: Pair, form: ActForm, error: EntryError
) -> HttpResponse:
    """Say why on the page of the pair; on that of the queue, if there is no pair any more."""
    found = Pair.objects.select_related("campaign").filter(pk=pair.pk).first()
    if found is None:
        return queue_page(request, campaign, faults=[str(error)])
    form.add_error(None, str(error))
    return item_page(request, campaign, found, bound=form)


def _onward(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pair = take_next(campaign, signed_in(request), organiser=_is_organiser(request, campaign))
    if pair is None:
        return redirect("organiser:moderation", campaign.slug)
    return redirect("organiser:moderation_item", campaign.slug, pair.public_id)


def _is_organiser(request: HttpRequest, campaign: Campaign) -> bool:
    return Role.ORGANISER in roles_of(request, campaign)
