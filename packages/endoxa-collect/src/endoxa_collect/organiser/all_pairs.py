"""All pairs of a campaign: search, filters, and one page of what was found, the newest first.

Pages follow each other by a key (when a pair was made, and its number), so that page 900 costs as much as the first.
Without a search the database reads the index of ages until a page is full. A search looks at the words and the key
(`entry.cleaning`) of every pair; capitals and accents are taken off by the database (`Plain`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

import regex
from django import forms
from django.db.models import CharField, Func, Max, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError, fold, key
from endoxa_collect.inputs import set_choices
from endoxa_collect.models import Action, Campaign, Moderation, Pair, Source
from endoxa_collect.organiser.access import DECIDERS, JUDGES, READ, SEND, account, allowed
from endoxa_collect.organiser.decisions import ESCALATED, STATES, ActForm, decide
from endoxa_collect.organiser.figures import cached
from endoxa_collect.organiser.moderation import (
    OPEN_WORDS,
    decidable,
    done,
    line,
    rights_of,
)
from endoxa_collect.terms import day
from endoxa_collect.visible import visible

PAGE = 50
COUNTED = 1000
"""Pairs that are counted; of more it is only said that there are more."""

_MARKS = "\u0300-\u036f\u064b-\u0655"
"""Accents, and Arabic vowel signs with shadda, madda and hamza; vowel signs of other scripts are letters and stay."""
_ACCENTS = regex.compile(f"[{_MARKS}]")
_DAYS = 60
_LANGUAGES = ("en", "es", "fr", "pt")
"""Languages in which a key forgets the first words: who searches for "they are late" finds "late"."""

SEEDS, PEOPLE = "seeds", "people"
"""Where pairs come from; besides, the day on which contributors added them (2026-05-04)."""

TONES: dict[str, bool | None] = {"unkind": True, "kind": False, "unjudged": None}


def plain(text: str) -> str:
    """Words without capitals and accents."""
    folded = text.casefold()
    return folded if folded.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", folded))


class Plain(Func):
    """`plain` in the database."""

    arity = 1
    output_field = CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """By a function of ours, which a connection is given before it needs it."""
        connection.ensure_connection()
        connection.connection.create_function("endoxa_plain", 1, plain, deterministic=True)
        return self.as_sql(compiler, connection, function="endoxa_plain", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """By Unicode's decomposition; the marks are written as PostgreSQL writes them."""
        marks = _MARKS.encode("ascii", "backslashreplace").decode()
        template = f"regexp_replace(normalize(lower(%(expressions)s), NFD), '[{marks}]', '', 'g')"
        return self.as_sql(compiler, connection, template=template, **context)


class PairsForm(forms.Form):
    """What to search for, and which pairs."""

    q = forms.CharField(
        required=False,
        max_length=120,
        label=gettext_lazy("Words"),
        widget=forms.TextInput(attrs={"type": "search", "dir": "auto", "autocomplete": "off"}),
    )
    country = forms.ChoiceField(required=False, label=gettext_lazy("Country"))
    language = forms.ChoiceField(required=False, label=gettext_lazy("Language"))
    state = forms.ChoiceField(required=False, label=gettext_lazy("State"))
    tone = forms.ChoiceField(required=False, label=gettext_lazy("Tone"))
    wave = forms.ChoiceField(required=False, label=gettext_lazy("Added by"))
    flagged = forms.BooleanField(required=False, label=gettext_lazy("Only with a flag or report"))
    unrated = forms.BooleanField(required=False, label=gettext_lazy("Only without a rating"))

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._pairs = Pair.objects.filter(campaign=campaign).exclude(attribute="")
        shown = get_language() or "en"
        countries, languages, days = cached(campaign, "all_pairs", lambda: _cells_and_days(campaign))
        everything = ("", gettext_lazy("everything"))
        options: dict[str, Iterable[tuple[str, Any]]] = {
            "country": sorted_by_name(
                (code, groups.name(code, shown, campaign.settings)) for code in countries
            ),
            "language": sorted_by_name((code, geography.language_name(code, shown)) for code in languages),
            "state": STATES.items(),
            "tone": (
                ("unkind", pgettext_lazy("tone", "unkind")),
                ("kind", pgettext_lazy("tone", "not unkind")),
                ("unjudged", pgettext_lazy("tone", "nobody judged it")),
            ),
            "wave": (
                (SEEDS, gettext_lazy("the seeds")),
                (PEOPLE, gettext_lazy("contributors")),
                *((on, gettext("contributors on %(day)s") % {"day": day(on)}) for on in days),
            ),
        }
        set_choices(self, **{name: [everything, *choices] for name, choices in options.items()})

    def chosen(self) -> list[str]:
        """What is chosen beside words, as the fields call it."""
        self.is_valid()
        words = {}
        for name, field in self.fields.items():
            choices: Any = field.choices if isinstance(field, forms.ChoiceField) else [(True, field.label)]
            words[name] = dict(choices)
        return [str(words[name][value]) for name, value in self.cleaned_data.items() if value and name != "q"]

    def pairs(self) -> QuerySet[Pair]:
        """The pairs asked for, newest first. Invalid choices are ignored."""
        self.is_valid()
        wanted = self.cleaned_data
        pairs = self._pairs
        for name, column in (("country", "country"), ("language", "language"), ("state", "moderation")):
            if wanted.get(name):
                pairs = pairs.filter(**{column: wanted[name]})
        if wanted.get("tone"):
            tone = TONES[wanted["tone"]]
            pairs = pairs.filter(negative__isnull=True) if tone is None else pairs.filter(negative=tone)
        if wanted.get("flagged"):
            pairs = pairs.filter(flagged=True)
        if wanted.get("unrated"):
            pairs = pairs.filter(ratings=0)
        if wave := wanted.get("wave"):
            pairs = pairs.filter(source=Source.SEED if wave == SEEDS else Source.CONTRIBUTOR)
            if wave not in (SEEDS, PEOPLE):
                start = datetime.combine(datetime.fromisoformat(wave).date(), time(), UTC)
                pairs = pairs.filter(created_at__gte=start, created_at__lt=start + timedelta(days=1))
        return containing(pairs, wanted.get("q", "")).order_by("-created_at", "-pk")


def _cells_and_days(campaign: Campaign) -> tuple[list[str], list[str], list[str]]:
    """Countries and languages of the pairs, and the latest days (UTC) on which contributors added some."""
    pairs = Pair.objects.filter(campaign=campaign).order_by()
    cells = list(pairs.values_list("country", "language").distinct())
    added = pairs.filter(source=Source.CONTRIBUTOR)
    days: list[str] = []
    before = added.aggregate(at=Max("created_at"))["at"]
    while before is not None and len(days) < _DAYS:
        start = datetime.combine(before.astimezone(UTC).date(), time(), UTC)
        days.append(start.date().isoformat())
        before = added.filter(created_at__lt=start).aggregate(at=Max("created_at"))["at"]
    return sorted({country for country, _ in cells}), sorted({language for _, language in cells}), days


def sorted_by_name(choices: Any) -> list[tuple[str, str]]:
    """Codes with their names, by name."""
    return sorted(choices, key=lambda choice: plain(choice[1].casefold()))


def containing(pairs: QuerySet[Pair], typed: str) -> QuerySet[Pair]:
    """Pairs whose words hold all words that were typed, in any case and with any accents."""
    text = visible(typed)[:MAX_LENGTH]
    spellings = {plain(form) for form in (fold(text), *(key(text, language) for language in _LANGUAGES))} - {
        ""
    }
    if not spellings:
        return pairs.none() if text else pairs
    # The key has words apart from punctuation, the attribute the first words that keys forget ("they are").
    either = reduce(
        or_,
        (
            reduce(and_, (Q(plain__contains=word) for word in spelling.split()))
            for spelling in sorted(spellings)
        ),
    )
    return pairs.annotate(plain=Plain(Concat("key", Value(" "), "attribute"))).filter(either)


@dataclass(frozen=True)
class PairPage:
    """One page of pairs, how many there are from here on (at most `COUNTED` + 1), and the key of the next page."""

    pairs: Sequence[Pair]
    number: int
    following: str

    @property
    def more(self) -> bool:
        """Whether there are more than were counted."""
        return self.number > COUNTED


def page_of(pairs: QuerySet[Pair], after: str) -> PairPage:
    """The page after the pair with a key; the first page if the key is missing or invalid."""
    numbers = list(_after(pairs, after).values_list("pk", flat=True)[: COUNTED + 1])
    chosen = numbers[:PAGE]
    rows = Pair.objects.select_related("campaign").in_bulk(chosen)
    page = [rows[number] for number in chosen if number in rows]
    following = ""
    if page and len(numbers) > PAGE:
        following = f"{page[-1].created_at.astimezone(UTC):%Y%m%dT%H%M%S.%f}-{page[-1].pk}"
    return PairPage(page, len(numbers), following)


def _after(pairs: QuerySet[Pair], after: str) -> QuerySet[Pair]:
    moment, _, number = after.partition("-")
    try:
        made = datetime.strptime(moment, "%Y%m%dT%H%M%S.%f").replace(tzinfo=UTC)
        pk = min(int(number), 2**62)
    except ValueError:
        return pairs
    # The first condition is what the index answers.
    return pairs.filter(created_at__lte=made).exclude(created_at=made, pk__gte=pk)


_OFFERED = frozenset({Action.APPROVE, Action.HIDE, Action.MARK})
"""Decisions on the list itself; the others need a look at the pair."""


@allowed(*JUDGES, methods=READ)
def all_pairs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Pairs by words, country, language, state, tone and who added them, newest first."""
    return _page(request, campaign)


@allowed(*DECIDERS, methods=SEND)
def all_pairs_act(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """Carry out a decision about one pair of the list, and show the same list again."""
    pair = decidable(request, campaign, item)
    if request.POST.get("action") not in _OFFERED:
        raise Http404
    form = ActForm(pair, request.POST)
    if not form.is_valid():
        return _page(
            request, campaign, faults=[str(fault) for faults in form.errors.values() for fault in faults]
        )
    try:
        decide(campaign, account(request), item, form.decision())
    except EntryError as error:
        return _page(request, campaign, faults=[str(error)])
    return redirect(_address(request, campaign))


@allowed(*JUDGES, methods=SEND)
def all_pairs_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once, or cover them again, as in the queue; then the same list."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    return redirect(_address(request, campaign))


def _address(request: HttpRequest, campaign: Campaign) -> str:
    """The list with the filters in the address of the request."""
    query = request.GET.urlencode()
    return reverse("organiser:all_pairs", args=[campaign.slug]) + (f"?{query}" if query else "")


def _page(request: HttpRequest, campaign: Campaign, *, faults: Sequence[str] = ()) -> HttpResponse:
    rights = rights_of(request, campaign)
    decides = rights["decides"]
    shown = bool(request.session.get(OPEN_WORDS))
    form = PairsForm(campaign, request.GET, auto_id="find_%s")
    page = page_of(form.pairs(), request.GET.get("after", ""))
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
                and (rights["organiser"] or ESCALATED not in pair.flags),
            )
            for pair in page.pairs
        ],
        "done": done(campaign, account(request), open_words=shown) if decides else None,
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


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/pairs/", all_pairs, name="all_pairs"),
    path("<slug:slug>/pairs/words/", all_pairs_words, name="all_pairs_words"),
    path("<slug:slug>/pairs/<uuid:item>/act/", all_pairs_act, name="all_pairs_act"),
]
