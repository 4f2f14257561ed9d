"""What the moderation pages show of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count
from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.cards.counts import family, root_of
from endoxa.collect.entry.alike import scored
from endoxa.collect.models import Action, Campaign, Mention, Moderation, Pair, Source
from endoxa.collect.organiser.moderation.deciding import revision
from endoxa.collect.organiser.moderation.forms import ActForm, ApproveForm, EditForm, MarkForm
from endoxa.collect.organiser.moderation.queue import taken_by
from endoxa.collect.organiser.moderation.undoing import latest_act
from endoxa.collect.organiser.moderation.wording import DONE, ESCALATED, STATES, reasons

_ALIKE_FROM = 45.0
"""Moderators are shown pairs that are less alike than those contributors are asked about."""
_ALIKE_SHOWN = 6
_WORDINGS = 20


@dataclass(frozen=True)
class Line:
    """A pair as lists show it. `covered`: its words are shown on request only; `seen`: its revision.

    `mark`, the first four digits of its id, tells pairs apart while their words are covered.
    """

    pair: Pair
    mark: str
    country: str
    language: str
    state: str
    reasons: tuple[str, ...]
    covered: bool
    seed: bool
    seen: str
    score: int | None = None
    said: bool = False


@dataclass(frozen=True)
class Done:
    """What the account decided last."""

    sentence: str
    line: Line
    public_id: str


def line(pair: Pair, *, open_words: bool, score: float | None = None, said: bool = False) -> Line:
    """A pair in the words of the page's language; `said`: a contributor said that it is the same."""
    shown = get_language() or "en"
    waits = pair.moderation != Moderation.LIVE or pair.may_hurt
    return Line(
        pair=pair,
        mark=pair.public_id.hex[:4],
        country=geography.name(pair.country, shown),
        language=geography.language_name(pair.language, shown),
        state=str(STATES[pair.moderation]),
        reasons=tuple(reasons(pair.flags)),
        covered=waits and not open_words,
        seed=pair.source == Source.SEED,
        seen=revision(pair),
        score=None if score is None else round(score),
        said=said,
    )


def done(campaign: Campaign, user: User, *, open_words: bool) -> Done | None:
    """What the account can take back with one key."""
    act = latest_act(campaign, user)
    if act is None:
        return None
    return Done(str(DONE[act.action]), line(act.pair, open_words=open_words), str(act.public_id))


def item_context(
    pair: Pair, user: User, *, search: str, open_words: bool, bound: ActForm | None
) -> dict[str, Any]:
    """All that the page of one pair shows; `bound` is a form that was sent and has errors."""
    marks = {"topic": pair.topic, "negative": pair.negative}
    words = {"text": pair.attribute, "language": pair.language}
    merged = Pair.objects.filter(merged_into=pair).order_by("pk")
    return {
        "item": line(pair, open_words=open_words),
        "seen": revision(pair),
        "handed": ESCALATED in pair.flags,
        "taken_by": taken_by(pair, user),
        "wordings": _wordings(pair),
        "merged": [line(one, open_words=open_words) for one in merged],
        "into": line(root_of(pair), open_words=open_words) if pair.merged_into else None,
        "alike": _candidates(pair, search, open_words=open_words),
        "search": search,
        "edit": bound if isinstance(bound, EditForm) else EditForm(pair, initial=words),
        "approve": bound if isinstance(bound, ApproveForm) else ApproveForm(),
        "mark": bound if isinstance(bound, MarkForm) else MarkForm(initial=marks),
        "faults": list(bound.non_field_errors()) if bound else [],
        "personal": Action.PERSONAL,
    }


def _wordings(pair: Pair) -> list[tuple[str, int]]:
    """In which words people said it, with how many said so."""
    said = Mention.objects.filter(pair__in=family(pair)).exclude(text__in=("", pair.attribute))
    counted = said.values_list("text").annotate(n=Count("pk")).order_by("-n", "text")
    return list(counted[:_WORDINGS])


def _candidates(pair: Pair, search: str, *, open_words: bool) -> list[Line]:
    """Pairs it may be merged into: those that contributors named, and those nearest to it or to the search."""
    mentions = Mention.objects.filter(pair__in=family(pair), alike=True, alike_to__isnull=False)
    named = (
        Pair.objects.filter(pk__in=mentions.values("alike_to")).select_related("merged_into").order_by("pk")
    )
    roots = {root.pk: root for root in map(root_of, named)}
    said = {
        pk: other for pk, other in roots.items() if pk != pair.pk and other.moderation != Moderation.HIDDEN
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
    lines = [line(other, open_words=open_words, said=True) for other in said.values()]
    return lines + [
        line(one.pair, open_words=open_words, score=one.score) for one in near if one.pair.pk not in said
    ]
