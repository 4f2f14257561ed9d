"""The pages of moderators: the queue, one pair, merges, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import get_language, gettext

from endoxa_collect import geography, groups
from endoxa_collect.cards.counts import family, root_of
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError
from endoxa_collect.entry.likeness import scored
from endoxa_collect.models import Act, Action, Campaign, Mention, Moderation, Pair, Role, Source
from endoxa_collect.organiser.access import DECIDERS, JUDGES, READ, SEND, account, allowed, roles_of
from endoxa_collect.organiser.decisions import (
    ActForm,
    ApproveForm,
    EditForm,
    MarkForm,
    ShownForm,
    act_form,
    approve_all,
    decide,
    latest_act,
    plain,
    revision,
    undo,
)
from endoxa_collect.organiser.queue import (
    DONE,
    ESCALATED,
    STATES,
    claimant,
    queue,
    reasons,
    take_next,
    unjudged,
)
from endoxa_collect.visible import visible

_ALIKE_FROM = 45.0
"""Moderators are shown pairs that are less alike than those contributors are asked about."""
_ALIKE_SHOWN = 6
_WORDINGS = 20

OPEN_WORDS = "moderation_open_words"
"""Set in the session of an account that wants all words shown at once."""
APPROVED = "moderation_approved_{}"
"""In the session, until the queue of the campaign with this id says it: how many were approved at once, and left."""
PAGE = 25

_STAYS = frozenset({Action.EDIT, Action.MARK, Action.UNMERGE})
"""Decisions after which the pair may still wait for another one."""


@dataclass(frozen=True)
class Line:
    """A pair as lists show it. `covered`: its words are shown on request only; `seen`: its revision.

    `mark`, the first four digits of its id, tells pairs apart while their words are covered.
    """

    pair: Pair
    mark: str
    country: str
    about: Mapping[str, str]
    language: str
    state: str
    reasons: tuple[str, ...]
    covered: bool
    seed: bool
    seen: str
    score: int | None = None
    named: bool = False


@dataclass(frozen=True)
class Done:
    """What the account decided last."""

    sentence: str
    line: Line
    public_id: str


def line(pair: Pair, *, open_words: bool, score: float | None = None, named: bool = False) -> Line:
    """A pair in the words of the page's language; `named`: a contributor said that it is the same."""
    shown = get_language() or "en"
    waits = pair.moderation != Moderation.LIVE or pair.may_hurt
    return Line(
        pair=pair,
        mark=pair.public_id.hex[:4],
        country=groups.name(pair.country, shown, pair.campaign.settings),
        about=groups.spoken(pair.country, shown, pair.campaign.settings),
        language=geography.language_name(pair.language, shown),
        state=str(STATES[pair.moderation]),
        reasons=tuple(reasons(pair)),
        covered=waits and not open_words,
        seed=pair.source == Source.SEED,
        seen=revision(pair),
        score=None if score is None else round(score),
        named=named,
    )


def done(campaign: Campaign, user: User, *, open_words: bool) -> Done | None:
    """What the account can take back with one key."""
    act = latest_act(campaign, user)
    if act is None:
        return None
    return Done(str(DONE[act.action]), line(act.pair, open_words=open_words), str(act.public_id))


def _candidates(pair: Pair, search: str, *, open_words: bool) -> list[Line]:
    """Pairs it may be merged into: those that contributors named, and those nearest to it or to the search."""
    mentions = Mention.objects.filter(pair__in=family(pair), alike=True, alike_to__isnull=False)
    others = Pair.objects.filter(pk__in=mentions.values("alike_to")).select_related("merged_into")
    named = {
        root.pk: root
        for root in map(root_of, others.order_by("pk"))
        if root.pk != pair.pk and root.moderation != Moderation.HIDDEN
    }
    near = scored(
        pair.campaign,
        pair.country,
        pair.language,
        search or pair.attribute,
        limit=_ALIKE_SHOWN,
        exclude=pair.pk,
        cut_off=_ALIKE_FROM,
    )
    return [
        *(line(root, open_words=open_words, named=True) for root in named.values()),
        *(
            line(match.pair, open_words=open_words, score=match.score)
            for match in near
            if match.pair.pk not in named
        ),
    ]


@allowed(*JUDGES, methods=READ)
def moderation(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The queue, most urgent first."""
    return queue_page(request, campaign)


@allowed(*JUDGES, methods=READ)
def moderation_item(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """One pair with all there is to know about it but what people answered."""
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    return item_page(request, campaign, pair)


@allowed(*JUDGES, methods=READ)
def merges(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Pairs that were merged, the latest first."""
    pairs = Pair.objects.filter(campaign=campaign, merged_into__isnull=False).exclude(attribute="")
    page = Paginator(pairs.select_related("merged_into").order_by("-pk"), PAGE).get_page(
        request.GET.get("page")
    )
    shown = bool(request.session.get(OPEN_WORDS))
    rows = [
        (line(pair, open_words=shown), line(pair.merged_into, open_words=shown), revision(pair))
        for pair in page
        if pair.merged_into is not None
    ]
    context = {"campaign": campaign, "page": page, "rows": rows, **rights_of(request, campaign)}
    return render(request, "organiser/moderation_merges.html", context)


def queue_page(request: HttpRequest, campaign: Campaign, *, faults: Sequence[str] = ()) -> HttpResponse:
    """The page of the queue; with what could not be done, and why."""
    frame = _frame(request, campaign)
    context = {
        **frame,
        "faults": faults,
        "plain": [(pair, revision(pair)) for pair in plain(frame["page"].object_list, account(request))],
        "unjudged": unjudged(campaign).count(),
        "approval": request.session.pop(APPROVED.format(campaign.pk), None),
    }
    return render(request, "organiser/moderation.html", context, status=409 if faults else 200)


def item_page(
    request: HttpRequest, campaign: Campaign, pair: Pair, *, bound: ActForm | None = None
) -> HttpResponse:
    """The page of one pair; with a form that was sent and cannot be carried out."""
    search = visible(request.GET.get("q", ""))[:MAX_LENGTH]
    frame = _frame(request, campaign)
    shown = frame["open_words"]
    faults = list(bound.non_field_errors()) if bound else []
    mentions = Mention.objects.filter(pair__in=family(pair)).exclude(text__in=("", pair.attribute))
    wordings = mentions.values_list("text").annotate(n=Count("pk")).order_by("-n", "text")
    words = {"text": pair.attribute, "language": pair.language}
    marks = {"topic": pair.topic, "negative": pair.negative}
    context = {
        **frame,
        "decides": frame["decides"] and (frame["organiser"] or ESCALATED not in pair.flags),
        "item": line(pair, open_words=shown),
        "seen": revision(pair),
        "handed": ESCALATED in pair.flags,
        "unjudged": pair.unjudged and pair.moderation == Moderation.LIVE,
        "claimed_by": claimant(pair, account(request)),
        "wordings": list(wordings[:_WORDINGS]),
        "merged": [
            line(other, open_words=shown) for other in Pair.objects.filter(merged_into=pair).order_by("pk")
        ],
        "into": line(root_of(pair), open_words=shown) if pair.merged_into else None,
        "alike": _candidates(pair, search, open_words=shown),
        "search": search,
        "edit": bound if isinstance(bound, EditForm) else EditForm(pair, initial=words),
        "approve": bound if isinstance(bound, ApproveForm) else ApproveForm(),
        "mark": bound if isinstance(bound, MarkForm) else MarkForm(initial=marks),
        "faults": faults,
        "personal": Action.PERSONAL,
    }
    return render(request, "organiser/moderation_item.html", context, status=409 if faults else 200)


def _frame(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """The queue at the side, and what the account decided last."""
    rights = rights_of(request, campaign)
    pairs = queue(campaign, organiser=rights["organiser"]).select_related("campaign")
    page = Paginator(pairs, PAGE).get_page(request.GET.get("page"))
    shown = bool(request.session.get(OPEN_WORDS))
    return {
        "campaign": campaign,
        "page": page,
        "lines": [line(pair, open_words=shown) for pair in page],
        "done": done(campaign, account(request), open_words=shown) if rights["decides"] else None,
        "open_words": shown,
        **rights,
    }


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
    """Carry out a decision and go on to the next pair; back to this one with a sentence where it cannot be done."""
    pair = decidable(request, campaign, item)
    form = act_form(pair, request.POST)
    if not form.is_valid():
        return item_page(request, campaign, pair, bound=form)
    decision = form.decision()
    try:
        decide(campaign, account(request), item, decision)
    except EntryError as error:
        return _not_done(request, campaign, pair, form, error)
    if request.POST.get("from") == "merges":
        return redirect("organiser:merges", campaign.slug)
    if decision.action in _STAYS:
        return redirect("organiser:moderation_item", campaign.slug, item)
    return _onward(request, campaign)


@allowed(*DECIDERS, methods=SEND)
def moderation_undo(request: HttpRequest, campaign: Campaign, act: UUID) -> HttpResponse:
    """Take a decision back and show the pair again."""
    decided = get_object_or_404(Act.objects.select_related("pair"), pair__campaign=campaign, public_id=act)
    try:
        undo(campaign, account(request), act)
    except EntryError as error:
        form = act_form(decided.pair, {"action": decided.action, "seen": "-"})
        return _not_done(request, campaign, decided.pair, form, error)
    return redirect("organiser:moderation_item", campaign.slug, decided.pair.public_id)


@allowed(*DECIDERS, methods=SEND)
def moderation_next(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Claim the most urgent pair that is not claimed by another account."""
    return _onward(request, campaign)


@allowed(*DECIDERS, methods=SEND)
def moderation_approve(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Approve all new pairs without a flag that stood, in words, on a page of the queue; say how many that were."""
    form = ShownForm(request.POST)
    if not form.is_valid():
        return queue_page(request, campaign, faults=[str(fault) for fault in form.errors["shown"]])
    if not request.session.get(OPEN_WORDS):
        fault = gettext("To approve several at once, show all words first.")
        return queue_page(request, campaign, faults=[fault])
    shown = form.cleaned_data["shown"]
    approved = approve_all(campaign, account(request), shown)
    request.session[APPROVED.format(campaign.pk)] = {"approved": approved, "left": len(shown) - approved}
    return redirect("organiser:moderation", campaign.slug)


@allowed(*JUDGES, methods=SEND)
def moderation_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once from now on, or cover them again, for as long as the account is signed in."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    return redirect(reverse("organiser:moderation", args=[campaign.slug]))


def _not_done(
    request: HttpRequest, campaign: Campaign, pair: Pair, form: ActForm, error: EntryError
) -> HttpResponse:
    """Say why on the page of the pair; on that of the queue, if there is no pair any more."""
    current = Pair.objects.select_related("campaign").filter(pk=pair.pk).first()
    if current is None:
        return queue_page(request, campaign, faults=[str(error)])
    form.add_error(None, str(error))
    return item_page(request, campaign, current, bound=form)


def _onward(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pair = take_next(campaign, account(request), organiser=rights_of(request, campaign)["organiser"])
    if pair is None:
        return redirect("organiser:moderation", campaign.slug)
    return redirect("organiser:moderation_item", campaign.slug, pair.public_id)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/moderation/", moderation, name="moderation"),
    path("<slug:slug>/moderation/next/", moderation_next, name="moderation_next"),
    path("<slug:slug>/moderation/approve/", moderation_approve, name="moderation_approve"),
    path("<slug:slug>/moderation/words/", moderation_words, name="moderation_words"),
    path("<slug:slug>/moderation/merges/", merges, name="merges"),
    path("<slug:slug>/moderation/undo/<uuid:act>/", moderation_undo, name="moderation_undo"),
    path("<slug:slug>/moderation/<uuid:item>/", moderation_item, name="moderation_item"),
    path("<slug:slug>/moderation/<uuid:item>/act/", moderation_act, name="moderation_act"),
]
