"""The pages of moderators: the queue with its buttons, what was merged, one pair, and people who stand out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.cards.aside import set_aside
from endoxa_collect.cards.conduct import UNKNOWN, conduct_of
from endoxa_collect.cards.counts import family, root_of
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError
from endoxa_collect.entry.proposing import scored
from endoxa_collect.models import Act, Action, Campaign, Mention, Moderation, Pair, Person, Role, Source
from endoxa_collect.organiser import decisions
from endoxa_collect.organiser.access import DECIDERS, JUDGES, READ, SEND, account, allowed, roles_of
from endoxa_collect.organiser.decisions import ESCALATED, ActForm, Decision, decide, plain, revision
from endoxa_collect.visible import visible

_ALIKE_FROM = 45.0
"""Moderators are shown pairs that are less alike than those contributors are asked about."""
_ALIKE_SHOWN = 6
_WORDINGS = 20

OPEN_WORDS = "moderation_open_words"
"""Set in the session of an account that wants all words shown at once."""
MANY = "moderation_many_{}"
"""In the session, until the queue of the campaign with this id says it: how many were decided at once, and left."""
PAGE = 25

_STAYS = frozenset({Action.EDIT, Action.MARK, Action.UNMERGE})
"""Decisions after which the pair may still wait for another one."""


_CLASSES: dict[str, Promise] = {
    "none": gettext_lazy("none"),
    "under_quarter": gettext_lazy("less than a quarter"),
    "quarter_to_half": gettext_lazy("a quarter to half"),
    "over_half": gettext_lazy("more than half"),
    "under_5": gettext_lazy("1 to 4"),
    "5_to_9": gettext_lazy("5 to 9"),
    "10_to_19": gettext_lazy("10 to 19"),
    "20_or_more": gettext_lazy("20 or more"),
    UNKNOWN: gettext_lazy("not known"),
}
"""Classes of how a person answers (`cards.conduct`)."""

_CONSPICUOUS = frozenset({"quarter_to_half", "over_half", "10_to_19", "20_or_more"})


def line(pair: Pair, *, open_words: bool) -> dict[str, Any]:
    """A pair as pages show it, in their language. `covered`: its words are shown on request only.

    `mark`, the first four digits of its id, tells pairs apart while their words are covered; `seen` is its revision.
    """
    shown, settings = get_language() or "en", pair.campaign.settings
    waits = pair.moderation != Moderation.LIVE or pair.may_hurt
    return {
        "pair": pair,
        "mark": pair.public_id.hex[:4],
        "country": groups.name(pair.country, shown, settings),
        "about": groups.spoken(pair.country, shown, settings),
        "language": geography.language_name(pair.language, shown),
        "state": decisions.STATES[pair.moderation],
        "reasons": decisions.reasons(pair),
        "covered": waits and not open_words,
        "seed": pair.source == Source.SEED,
        "seen": revision(pair),
    }


def done(campaign: Campaign, user: User, *, open_words: bool) -> dict[str, Any] | None:
    """What the account decided last, and can take back with one key."""
    act = decisions.latest_act(campaign, user)
    if act is None:
        return None
    return {
        "sentence": decisions.DONE[act.action],
        "line": line(act.pair, open_words=open_words),
        "public_id": act.public_id,
    }


def _candidates(pair: Pair, search: str, *, open_words: bool) -> list[dict[str, Any]]:
    """Pairs it may be merged into: those that contributors named (-1), and those nearest to it or to the search."""
    mentions = Mention.objects.filter(pair__in=family(pair), alike=True, alike_to__isnull=False)
    others = Pair.objects.filter(pk__in=mentions.values("alike_to")).select_related("merged_into")
    named = {root_of(other) for other in others.order_by("pk")} - {pair}
    words, cell = search or pair.attribute, (pair.campaign, pair.country, pair.language)
    near = scored(*cell, words, limit=_ALIKE_SHOWN, exclude=pair.pk, cut_off=_ALIKE_FROM)
    told = [(root, -1) for root in named if root.moderation != Moderation.HIDDEN]
    told += [(other, round(score)) for other, score in near if other not in named]
    return [line(root, open_words=open_words) | {"score": score} for root, score in told]


@allowed(*JUDGES, methods=READ)
def moderation(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The queue, most urgent first; with `merged` in the address pairs that were merged, the latest first."""
    return queue_page(request, campaign)


@allowed(*JUDGES, methods=READ)
def moderation_item(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """One pair with all there is to know about it but what people answered."""
    pairs = Pair.objects.select_related("campaign", "author")
    return item_page(request, campaign, get_object_or_404(pairs, campaign=campaign, public_id=item))


def queue_page(request: HttpRequest, campaign: Campaign, *, faults: Sequence[str] = ()) -> HttpResponse:
    """The page of the queue; with what could not be done, and why."""
    context = _frame(request, campaign)
    pairs = decisions.queue(campaign, organiser=context["organiser"])
    if merged := "merged" in request.GET:
        pairs = Pair.objects.filter(campaign=campaign, merged_into__isnull=False).exclude(attribute="")
        pairs = pairs.order_by("-pk")
    page = Paginator(pairs.select_related("campaign", "merged_into__campaign"), PAGE).get_page(
        request.GET.get("page")
    )
    shown, user = context["open_words"], account(request)
    claims = dict(decisions.claims_of_others(user).values_list("pair", "user__username"))
    context |= {
        "faults": faults,
        "merged": merged,
        "page": page,
        "rows": [
            (
                line(pair, open_words=shown),
                line(pair.merged_into, open_words=shown) if pair.merged_into else None,
                context["decides"] and (context["organiser"] or ESCALATED not in pair.flags),
                claims.get(pair.pk, ""),
            )
            for pair in page
        ],
        "plain": [(pair, revision(pair)) for pair in plain(page.object_list, user)],
        "unjudged": 0 if merged else decisions.unjudged(campaign).count(),
        "many": request.session.pop(MANY.format(campaign.pk), None),
    }
    return render(request, "organiser/moderation.html", context, status=409 if faults else 200)


def item_page(
    request: HttpRequest, campaign: Campaign, pair: Pair, bound: ActForm | None = None, fault: str = ""
) -> HttpResponse:
    """The page of one pair; with a form that was sent and cannot be carried out, and why."""
    search = visible(request.GET.get("q", ""))[:MAX_LENGTH]
    frame = _frame(request, campaign)
    shown = frame["open_words"]
    mentions = Mention.objects.filter(pair__in=family(pair)).exclude(text__in=("", pair.attribute))
    wordings = mentions.values_list("text").annotate(n=Count("pk")).order_by("-n", "text")
    handed = ESCALATED in pair.flags
    context = {
        **frame,
        "decides": frame["decides"] and (frame["organiser"] or not handed),
        "item": line(pair, open_words=shown),
        "handed": handed,
        "unjudged": pair.unjudged and pair.moderation == Moderation.LIVE,
        "claimed_by": decisions.claimant(pair, account(request)),
        "wordings": list(wordings[:_WORDINGS]),
        "merged": [line(other, open_words=shown) for other in pair.merged.order_by("pk")],
        "into": line(root_of(pair), open_words=shown) if pair.merged_into else None,
        "alike": _candidates(pair, search, open_words=shown),
        "search": search,
        "edit": bound if bound and "text" in bound.data else ActForm(pair),
        "mark": bound if bound and "topic" in bound.data else ActForm(pair),
        "fault": fault,
    }
    return render(request, "organiser/moderation_item.html", context, status=409 if fault else 200)


def _frame(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """What both pages have: rights of the account, what it decided last, and whether words are covered."""
    rights, shown = rights_of(request, campaign), bool(request.session.get(OPEN_WORDS))
    latest = done(campaign, account(request), open_words=shown) if rights["decides"] else None
    return {"campaign": campaign, "done": latest, "open_words": shown, **rights}


def rights_of(request: HttpRequest, campaign: Campaign) -> dict[str, bool]:
    """Whether the account is an organiser, and whether it may decide about pairs."""
    roles = roles_of(request, campaign)
    organiser = Role.ORGANISER in roles
    return {"organiser": organiser, "decides": organiser or Role.MODERATOR in roles}


def decidable(request: HttpRequest, campaign: Campaign, item: UUID) -> Pair:
    """The pair that the account may decide about.

    Raises:
        Http404: there is none, or it was handed to the organiser and the account is none.
    """
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    if ESCALATED in pair.flags and not rights_of(request, campaign)["organiser"]:
        raise Http404
    return pair


@allowed(*DECIDERS, methods=SEND)
def moderation_act(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """Carry out a decision; then the page of the queue that is in the address, else the next pair.

    Back to this one with a sentence where it cannot be done.
    """
    pair = decidable(request, campaign, item)
    form = ActForm(pair, request.POST)
    if not form.is_valid():
        return item_page(request, campaign, pair, form)
    decision = form.decision()
    try:
        decide(campaign, account(request), item, decision)
    except EntryError as error:
        return _not_done(request, campaign, pair, error, form)
    if "page" in request.GET:
        return redirect(f"{reverse('organiser:moderation', args=[campaign.slug])}?{request.GET.urlencode()}")
    if decision.action in _STAYS:
        return redirect("organiser:moderation_item", campaign.slug, item)
    return _onward(request, campaign)


@allowed(*DECIDERS, methods=SEND)
def moderation_undo(request: HttpRequest, campaign: Campaign, act: UUID) -> HttpResponse:
    """Take a decision back and show the pair again."""
    decided = get_object_or_404(Act.objects.select_related("pair"), pair__campaign=campaign, public_id=act)
    try:
        decisions.undo(campaign, account(request), act)
    except EntryError as error:
        return _not_done(request, campaign, decided.pair, error)
    return redirect("organiser:moderation_item", campaign.slug, decided.pair.public_id)


@allowed(*DECIDERS, methods=SEND)
def moderation_next(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Claim the most urgent pair that is not claimed by another account."""
    return _onward(request, campaign)


@allowed(*DECIDERS, methods=SEND)
def moderation_many(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Hide the pairs that were ticked, or approve those without a flag of a page with all words; say how many.

    What changed since the page was shown, and what somebody else looks at, is left.
    """
    approves, user = request.POST.get("action") == Action.APPROVE, account(request)
    if approves and not request.session.get(OPEN_WORDS):
        fault = gettext("To approve several at once, show all words first.")
        return queue_page(request, campaign, faults=[fault])
    sent, decided = request.POST.getlist("plain" if approves else "ticked"), 0
    for text in sent:
        item, _, seen = text.partition(":")
        with suppress(ValueError, EntryError, Http404):
            pair = decidable(request, campaign, UUID(item))
            if plain([pair], user) if approves else not decisions.claimant(pair, user):
                action = Action.APPROVE if approves else Action.HIDE
                decide(campaign, user, pair.public_id, Decision(action, seen))
                decided += 1
    request.session[MANY.format(campaign.pk)] = {
        "approved" if approves else "hidden": decided,
        "left": len(sent) - decided,
    }
    return redirect("organiser:moderation", campaign.slug)


@allowed(*JUDGES, methods=SEND)
def moderation_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once from now on, or cover them again, for as long as the account is signed in."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    return redirect("organiser:moderation", campaign.slug)


@allowed(*DECIDERS, methods=READ)
def people(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """People whose answers stand out, and those set aside: a mark and three classes. No origin, language or words."""
    conduct, rows = conduct_of(campaign), []
    aside = set(Person.objects.filter(campaign=campaign, aside=True).values_list("pk", flat=True))
    for pk in {*conduct, *aside}:
        answers = conduct[pk].answers if pk in conduct else 0
        classes = conduct[pk].classes() if pk in conduct else (UNKNOWN,) * 3
        if pk in aside or _CONSPICUOUS & set(classes):
            rows.append(
                (pk in aside, -answers, pk.hex[:4], pk, answers, [_CLASSES[name] for name in classes])
            )
    rows.sort(key=lambda row: row[:3])
    return render(request, "organiser/people.html", {"campaign": campaign, "people": rows})


@allowed(*DECIDERS, methods=SEND)
def person(request: HttpRequest, campaign: Campaign, person: UUID) -> HttpResponse:
    """Set the rows of one person aside, or take that back."""
    set_aside(campaign, person, request.user, aside=request.POST.get("aside") == "1")
    return redirect("organiser:people", campaign.slug)


def _not_done(
    request: HttpRequest, campaign: Campaign, pair: Pair, error: EntryError, bound: ActForm | None = None
) -> HttpResponse:
    """Say why on the page of the pair; on that of the queue, if there is no pair any more."""
    current = Pair.objects.select_related("campaign").filter(pk=pair.pk).first()
    if current is None:
        return queue_page(request, campaign, faults=[str(error)])
    return item_page(request, campaign, current, bound, str(error))


def _onward(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pair = decisions.take_next(
        campaign, account(request), organiser=rights_of(request, campaign)["organiser"]
    )
    if pair is None:
        return redirect("organiser:moderation", campaign.slug)
    return redirect("organiser:moderation_item", campaign.slug, pair.public_id)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/moderation/", moderation, name="moderation"),
    path("<slug:slug>/moderation/next/", moderation_next, name="moderation_next"),
    path("<slug:slug>/moderation/many/", moderation_many, name="moderation_many"),
    path("<slug:slug>/moderation/words/", moderation_words, name="moderation_words"),
    path("<slug:slug>/moderation/people/", people, name="people"),
    path("<slug:slug>/moderation/people/<uuid:person>/", person, name="person"),
    path("<slug:slug>/moderation/undo/<uuid:act>/", moderation_undo, name="moderation_undo"),
    path("<slug:slug>/moderation/<uuid:item>/", moderation_item, name="moderation_item"),
    path("<slug:slug>/moderation/<uuid:item>/act/", moderation_act, name="moderation_act"),
]
