"""All pairs of a campaign: search, filters, and decisions about those that were ticked, the newest first.

A search looks at the words and the key (`entry.cleaning`) of every pair; capitals and accents are taken off by the
database (`Plain`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any

import regex
from django.contrib import messages
from django.contrib.admin import action, display
from django.db.models import CharField, Func, Model, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError, fold, key
from endoxa_collect.models import Action, Campaign, Pair, Source
from endoxa_collect.organiser.access import DECIDERS, JUDGES, SEND, account, allowed
from endoxa_collect.organiser.decisions import Decision, decide, revision
from endoxa_collect.organiser.desk import CampaignList, choice
from endoxa_collect.organiser.figures import cached
from endoxa_collect.organiser.moderation import OPEN_WORDS, done, line
from endoxa_collect.organiser.queue import ESCALATED, STATES
from endoxa_collect.terms import day
from endoxa_collect.visible import visible

_MARKS = "\u0300-\u036f\u064b-\u0655"
"""Accents, and Arabic vowel signs with shadda, madda and hamza; vowel signs of other scripts are letters and stay."""
_ACCENTS = regex.compile(f"[{_MARKS}]")
_DAYS = 60
_LANGUAGES = ("en", "es", "fr", "pt")
"""Languages in which a key forgets the first words: who searches for "they are late" finds "late"."""

SEEDS, PEOPLE = "seeds", "people"
"""Where pairs come from; besides, the day on which contributors added them (2026-05-04)."""

_TONES = {
    "unkind": pgettext_lazy("tone", "unkind"),
    "kind": pgettext_lazy("tone", "not unkind"),
    "unjudged": pgettext_lazy("tone", "nobody judged it"),
}
_NEGATIVE = {"unkind": True, "kind": False, "unjudged": None}
_ONLY: Mapping[str, tuple[Any, Q]] = {
    "flagged": (gettext_lazy("Only with a flag or report"), Q(flagged=True)),
    "unrated": (gettext_lazy("Only without a rating"), Q(ratings=0)),
}


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


def _countries(campaign: Campaign) -> Iterable[tuple[str, str]]:
    here = get_language() or "en"
    return _by_name(campaign, "country", lambda code: groups.name(code, here, campaign.settings))


def _languages(campaign: Campaign) -> Iterable[tuple[str, str]]:
    here = get_language() or "en"
    return _by_name(campaign, "language", lambda code: geography.language_name(code, here))


def _by_name(campaign: Campaign, column: str, name: Callable[[str], str]) -> Iterable[tuple[str, str]]:
    pairs = Pair.objects.filter(campaign=campaign).order_by()
    codes = cached(campaign, f"pairs.{column}", lambda: list(pairs.values_list(column, flat=True).distinct()))
    return sorted(((code, name(code)) for code in codes), key=lambda pair: plain(pair[1]))


def _sources(campaign: Campaign) -> Iterable[tuple[str, Any]]:
    """Seeds, contributors, and the latest days (UTC) on which contributors added some."""
    added = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR)
    latest = added.datetimes("created_at", "day", order="DESC", tzinfo=UTC)
    days = cached(campaign, "pairs.days", lambda: [f"{moment:%Y-%m-%d}" for moment in latest[:_DAYS]])
    named = ((on, gettext("contributors on %(day)s") % {"day": day(on)}) for on in days)
    return [(SEEDS, gettext_lazy("the seeds")), (PEOPLE, gettext_lazy("contributors")), *named]


def _added_by(pairs: QuerySet[Any], source: str) -> QuerySet[Any]:
    if source in (SEEDS, PEOPLE):
        return pairs.filter(source=Source.SEED if source == SEEDS else Source.CONTRIBUTOR)
    start = datetime.combine(datetime.fromisoformat(source).date(), time(), UTC)
    return pairs.filter(
        source=Source.CONTRIBUTOR, created_at__gte=start, created_at__lt=start + timedelta(days=1)
    )


class Pairs(CampaignList):
    """Every pair, also those that are shown already; what may hurt or was not judged is covered."""

    sees = JUDGES
    of: type[Model] = Pair
    heading = gettext_lazy("All pairs")
    intro = gettext_lazy(
        "Everything people said, and the seeds, also what is shown already. Some of it may hurt: what is unkind, "
        "flagged or not judged stays covered until you ask for it."
    )
    change_list_template = "organiser/all_pairs.html"
    list_display = ("words", "facts")
    list_filter = (
        choice(
            "country", gettext_lazy("Country"), _countries, lambda pairs, code: pairs.filter(country=code)
        ),
        choice(
            "language", gettext_lazy("Language"), _languages, lambda pairs, code: pairs.filter(language=code)
        ),
        choice(
            "state",
            gettext_lazy("State"),
            lambda _: STATES.items(),
            lambda pairs, state: pairs.filter(moderation=state),
        ),
        choice(
            "tone",
            gettext_lazy("Tone"),
            lambda _: _TONES.items(),
            lambda pairs, tone: pairs.filter(Q(negative=_NEGATIVE[tone])),
        ),
        choice("wave", gettext_lazy("Added by"), _sources, _added_by),
        choice(
            "only",
            gettext_lazy("Only"),
            lambda _: [(name, label) for name, (label, _) in _ONLY.items()],
            lambda pairs, name: pairs.filter(_ONLY[name][1]),
        ),
    )
    search_fields = ("attribute",)
    ordering = ("-created_at", "-pk")
    actions = ("approve", "hide", "hurts")

    @staticmethod
    def mark(pair: Pair) -> str:
        """The first four digits of its id, which tell pairs apart while their words are covered."""
        return pair.public_id.hex[:4]

    def context(self, request: HttpRequest) -> dict[str, Any]:
        """With what the account decided last, and whether all words are shown."""
        self.open_words = bool(request.session.get(OPEN_WORDS))
        decides = self.has_decide_permission(request)
        last = done(self.campaign, account(request), open_words=self.open_words) if decides else None
        shown = {"done": last, "open_words": self.open_words, "address": request.GET.urlencode()}
        return {**super().context(request), **shown}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without those whose words were removed."""
        return super().get_queryset(request).exclude(attribute="")

    def get_search_results(self, _request: HttpRequest, pairs: Any, typed: str) -> tuple[QuerySet[Any], bool]:
        """Words in any case and accents."""
        return containing(pairs, typed), False

    def has_decide_permission(self, _request: HttpRequest) -> bool:
        """Who may decide about pairs."""
        return bool(self.roles & set(DECIDERS))

    def action_checkbox(self, obj: Pair) -> str:
        """With the revision that is shown, so that nobody decides about what they have not seen."""
        box = super().action_checkbox(obj)
        return format_html('{}<input type="hidden" name="seen" value="{}:{}">', box, obj.pk, revision(obj))

    action_checkbox.short_description = gettext_lazy("Tick")  # type: ignore[attr-defined]

    @display(description=gettext_lazy("Words"))
    def words(self, pair: Pair) -> str:
        """Whom it is about and the words, covered where they may hurt, with a link to the page of the pair."""
        return render_to_string(
            "organiser/all_pairs_words.html",
            {"line": line(pair, open_words=self.open_words), "campaign": self.campaign},
        )

    @display(description=gettext_lazy("State"))
    def facts(self, pair: Pair) -> str:
        """State, tone, who added it and when, how many said and rated it."""
        tone = next(label for name, label in _TONES.items() if _NEGATIVE[name] is pair.negative)
        context = {"line": line(pair, open_words=self.open_words), "tone": tone}
        return render_to_string("organiser/all_pairs_facts.html", context)

    @action(description=gettext_lazy("Approve"), permissions=["decide"])
    def approve(self, request: HttpRequest, pairs: QuerySet[Pair]) -> None:
        """Show them to people."""
        self._decide(request, pairs, Action.APPROVE)

    @action(description=gettext_lazy("Hide"), permissions=["decide"])
    def hide(self, request: HttpRequest, pairs: QuerySet[Pair]) -> None:
        """Show them to nobody."""
        self._decide(request, pairs, Action.HIDE)

    @action(description=gettext_lazy("It may hurt"), permissions=["decide"])
    def hurts(self, request: HttpRequest, pairs: QuerySet[Pair]) -> None:
        """Mark them as unkind."""
        self._decide(request, pairs, Action.MARK)

    def _decide(self, request: HttpRequest, pairs: QuerySet[Pair], chosen: Action) -> None:
        """Decide about each by itself; what cannot be done is said, and what was handed to the organiser stays."""
        seen = dict(shown.split(":", 1) for shown in request.POST.getlist("seen") if ":" in shown)
        for pair in pairs:
            decision = Decision(chosen, seen.get(str(pair.pk), ""))
            if chosen == Action.MARK:
                decision = replace(decision, topic=pair.topic, negative=True)
            if ESCALATED in pair.flags and not self.organises:
                continue
            try:
                decide(self.campaign, account(request), pair.public_id, decision)
            except EntryError as problem:
                self.message_user(request, f"{self.mark(pair)}: {problem}", messages.ERROR)


@allowed(*JUDGES, methods=SEND)
def all_pairs_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once, or cover them again, as in the queue; then the same list."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    query = request.GET.urlencode()
    return redirect(reverse("organiser:all_pairs", args=[campaign.slug]) + (f"?{query}" if query else ""))


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/pairs/", Pairs.page(), name="all_pairs"),
    path("<slug:slug>/pairs/words/", all_pairs_words, name="all_pairs_words"),
]
