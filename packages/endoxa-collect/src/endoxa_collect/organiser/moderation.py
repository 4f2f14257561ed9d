"""The pages of moderators: the queue, one pair, people who stand out; all pairs and seeds, and adding seeds.

A search looks at the words and the key (`entry.cleaning`) of every pair; capitals and accents are taken off by the
database (`Plain`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import reduce
from operator import and_, or_
from typing import Any, ClassVar
from uuid import UUID

import regex
from django import forms
from django.contrib import messages
from django.contrib.admin import action
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import CharField, Count, Func, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, pgettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.answering import set_aside
from endoxa_collect.cards.conduct import UNKNOWN, conduct_of
from endoxa_collect.cards.counts import family, root_of
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError, fold, key
from endoxa_collect.entry.proposing import scored
from endoxa_collect.entry.seeding import SeedFileError, SeedReport, add_seeds, read_seeds
from endoxa_collect.models import (
    Act,
    Action,
    Campaign,
    Mention,
    Moderation,
    Pair,
    Person,
    Role,
    Source,
    record,
)
from endoxa_collect.organiser import decisions
from endoxa_collect.organiser.access import DECIDERS, JUDGES, READ, SEND, account, allowed, roles_of
from endoxa_collect.organiser.decisions import DONE, ESCALATED, STATES, ActForm, decide, plain, revision
from endoxa_collect.organiser.desk import CampaignForm, CampaignList, choice, require_small
from endoxa_collect.organiser.figures import cached
from endoxa_collect.visible import visible

_ALIKE_FROM = 45.0
"""Moderators are shown pairs that are less alike than those contributors are asked about."""
_ALIKE_SHOWN = 6
_WORDINGS = 20

OPEN_WORDS = "moderation_open_words"
"""Set in the session of an account that wants all words shown at once."""
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
    acts = Act.objects.filter(user=user, pair__campaign=campaign, undone=False).exclude(
        action=Action.PERSONAL
    )
    act = acts.select_related("pair").order_by("-at", "-pk").first()
    if act is None:
        return None
    return {"act": act, "sentence": DONE[act.action], "line": line(act.pair, open_words=open_words)}


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
    """The queue, most urgent first."""
    context = _frame(request, campaign)
    pairs = decisions.queue(campaign, organiser=context["organiser"]).select_related("campaign")
    page = Paginator(pairs, PAGE).get_page(request.GET.get("page"))
    user = account(request)
    claims = dict(decisions.claims_of_others(user).values_list("pair", "user__username"))
    context |= {
        "page": page,
        "rows": [
            (
                line(pair, open_words=context["open_words"]),
                context["decides"] and (context["organiser"] or ESCALATED not in pair.flags),
                claims.get(pair.pk, ""),
            )
            for pair in page
        ],
        "plain": [(pair, revision(pair)) for pair in plain(page.object_list, user)],
        "unjudged": decisions.unjudged(campaign).count(),
    }
    return render(request, "organiser/moderation.html", context)


@allowed(*JUDGES, methods=READ)
def moderation_item(request: HttpRequest, campaign: Campaign, item: UUID) -> HttpResponse:
    """One pair with all there is to know about it but what people answered."""
    pairs = Pair.objects.select_related("campaign", "author")
    return item_page(request, campaign, get_object_or_404(pairs, campaign=campaign, public_id=item))


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
    roles, shown = roles_of(request, campaign), bool(request.session.get(OPEN_WORDS))
    decides = not roles.isdisjoint(DECIDERS)
    return {
        "campaign": campaign,
        "organiser": Role.ORGANISER in roles,
        "decides": decides,
        "done": done(campaign, account(request), open_words=shown) if decides else None,
        "open_words": shown,
    }


def decidable(request: HttpRequest, campaign: Campaign, item: UUID) -> Pair:
    """The pair that the account may decide about.

    Raises:
        Http404: there is none, or it was handed to the organiser and the account is none.
    """
    pair = get_object_or_404(Pair.objects.select_related("campaign"), campaign=campaign, public_id=item)
    if ESCALATED in pair.flags and Role.ORGANISER not in roles_of(request, campaign):
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
    try:
        decide(campaign, account(request), item, **form.cleaned_data)
    except EntryError as error:
        return _not_done(request, campaign, pair, error, form)
    if "page" in request.GET:
        return redirect(reverse("organiser:moderation", args=[campaign.slug], query=request.GET))
    if form.cleaned_data["action"] in _STAYS:
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


def _decide_several(request: HttpRequest, campaign: Campaign, chosen: str, shown: Sequence[str]) -> None:
    """Decide about each pair as a list showed it ("id:revision"); say how many, and how many were left.

    Several are approved only with all words in sight, and of them only those that may be approved with others.
    """
    user, several = account(request), chosen == Action.APPROVE and len(shown) > 1
    if several and not request.session.get(OPEN_WORDS):
        messages.error(request, gettext("To approve several at once, show all words first."))
        return
    decided = 0
    for text in shown:
        item, _, seen = text.partition(":")
        with suppress(ValueError, EntryError, Http404):
            pair = decidable(request, campaign, UUID(item))
            if plain([pair], user) if several else not decisions.claimant(pair, user):
                marks = {"topic": pair.topic, "negative": True} if chosen == Action.MARK else {}
                decide(campaign, user, pair.public_id, chosen, seen, **marks)
                decided += 1
    if decided:
        messages.success(request, gettext("Pairs decided about: %(number)s.") % {"number": decided})
    if left := len(shown) - decided:
        fault = gettext(
            "Left as they were: %(number)s. Somebody else looks at them, they changed meanwhile, or each is to be "
            "decided about alone."
        )
        messages.warning(request, fault % {"number": left})


@allowed(*DECIDERS, methods=SEND)
def moderation_many(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Hide the pairs of the queue that were ticked, or approve those without a flag of a page with all words."""
    approves = request.POST.get("action") == Action.APPROVE
    shown = request.POST.getlist("plain" if approves else "ticked")
    _decide_several(request, campaign, Action.APPROVE if approves else Action.HIDE, shown)
    return redirect("organiser:moderation", campaign.slug)


@allowed(*JUDGES, methods=SEND)
def moderation_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show all words at once from now on, or cover them again, until the account signs out; then the same list."""
    request.session[OPEN_WORDS] = request.POST.get("show") == "1"
    shown = request.POST.get("list", "")
    name = shown if shown in ("all_pairs", "seeds") else "moderation"
    return redirect(reverse(f"organiser:{name}", args=[campaign.slug], query=request.GET))


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
        messages.error(request, str(error))
        return redirect("organiser:moderation", campaign.slug)
    return item_page(request, campaign, current, bound, str(error))


def _onward(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    organiser = Role.ORGANISER in roles_of(request, campaign)
    pair = decisions.take_next(campaign, account(request), organiser=organiser)
    if pair is None:
        return redirect("organiser:moderation", campaign.slug)
    return redirect("organiser:moderation_item", campaign.slug, pair.public_id)


_MARKS = "\u0300-\u036f\u064b-\u0655"
"""Accents, and Arabic vowel signs with shadda, madda and hamza; vowel signs of other scripts are letters and stay."""
_ACCENTS = regex.compile(f"[{_MARKS}]")
_LANGUAGES = ("en", "es", "fr", "pt")
"""Languages in which a key forgets the first words: who searches for "they are late" finds "late"."""


Choices = Iterable[tuple[str, Any, Q]]


def bare(text: str) -> str:
    """Words without capitals and accents."""
    folded = text.casefold()
    return folded if folded.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", folded))


class Plain(Func):
    """`bare` in the database."""

    arity = 1
    output_field = CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """By a function of ours, which a connection is given before it needs it."""
        connection.ensure_connection()
        connection.connection.create_function("endoxa_plain", 1, bare, deterministic=True)
        return self.as_sql(compiler, connection, function="endoxa_plain", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """By Unicode's decomposition; the marks are written as PostgreSQL writes them."""
        marks = _MARKS.encode("ascii", "backslashreplace").decode()
        template = f"regexp_replace(normalize(lower(%(expressions)s), NFD), '[{marks}]', '', 'g')"
        return self.as_sql(compiler, connection, template=template, **context)


def containing(pairs: QuerySet[Pair], typed: str) -> QuerySet[Pair]:
    """Pairs whose words hold all words that were typed, in any case and with any accents."""
    text = visible(typed)[:MAX_LENGTH]
    spellings = {bare(form) for form in (fold(text), *(key(text, language) for language in _LANGUAGES))} - {
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


def _by_name(column: str, name: Callable[[str, str, CampaignSettings], str]) -> Callable[[Campaign], Choices]:
    """What pairs have in a column, in the order of its names in the language of the page."""

    def choices(campaign: Campaign) -> Choices:
        here, values = get_language() or "en", Pair.objects.filter(campaign=campaign).order_by()
        codes = cached(
            campaign, f"pairs.{column}", lambda: list(values.values_list(column, flat=True).distinct())
        )
        named = [(code, name(code, here, campaign.settings), Q(**{column: code})) for code in codes]
        return sorted(named, key=lambda choice: bare(choice[1]))

    return choices


_SOURCES = (
    ("seeds", gettext_lazy("the seeds"), Q(source=Source.SEED)),
    ("people", gettext_lazy("contributors"), Q(source=Source.CONTRIBUTOR)),
)
_STATES = [(state, name, Q(moderation=state)) for state, name in STATES.items()]
_TONES = (
    ("unkind", pgettext_lazy("tone", "unkind"), Q(negative=True)),
    ("kind", pgettext_lazy("tone", "not unkind"), Q(negative=False)),
    ("unjudged", pgettext_lazy("tone", "nobody judged it"), Q(negative=None)),
)
_ONLY = (
    ("flagged", gettext_lazy("Only with a flag or report"), Q(flagged=True)),
    ("unrated", gettext_lazy("Only without a rating"), Q(ratings=0)),
)


def _deciding(chosen: Action, label: Any) -> Any:
    """An action that decides about the ticked pairs as the list showed them."""

    @action(description=label, permissions=["decide"])
    def decided(pairs: Pairs, request: HttpRequest, ticked: QuerySet[Pair]) -> None:
        seen = dict(shown.split(":", 1) for shown in request.POST.getlist("seen") if ":" in shown)
        shown = [f"{pair.public_id}:{seen.get(str(pair.pk), '')}" for pair in ticked]
        _decide_several(request, pairs.campaign, chosen, shown)

    return decided


class Pairs(CampaignList):
    """Every pair, also those that are shown already; what may hurt or was not judged is covered."""

    sees: ClassVar[Sequence[Role]] = JUDGES
    of = Pair
    heading: ClassVar[str | Promise] = gettext_lazy("All pairs")
    change_list_template = "organiser/all_pairs.html"
    list_filter = (
        choice("country", gettext_lazy("Country"), _by_name("country", groups.name)),
        choice(
            "language",
            gettext_lazy("Language"),
            _by_name("language", lambda code, here, _: geography.language_name(code, here)),
        ),
        choice("state", gettext_lazy("State"), lambda _: _STATES),
        choice("tone", gettext_lazy("Tone"), lambda _: _TONES),
        choice("source", gettext_lazy("Added by"), lambda _: _SOURCES),
        choice("only", gettext_lazy("Only"), lambda _: _ONLY),
    )
    search_fields = ("attribute",)
    ordering = ("-created_at", "-pk")
    actions = ("approve", "hide", "hurts")

    @property
    def open_words(self) -> bool:
        """Whether the account wants all words shown."""
        return bool(self.request.session.get(OPEN_WORDS))

    def context(self) -> dict[str, Any]:
        """With what the account decided last."""
        decides = self.has_decide_permission(self.request)
        last = done(self.campaign, account(self.request), open_words=self.open_words) if decides else None
        return {"done": last, "address": self.request.GET.urlencode(), "seeds": self.adds}

    def shown(self, row: Pair) -> dict[str, Any]:
        """The pair as all lists of moderators show it."""
        return line(row, open_words=self.open_words)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without those whose words were removed."""
        return super().get_queryset(request).exclude(attribute="")

    def get_search_results(self, _request: HttpRequest, pairs: Any, typed: str) -> tuple[QuerySet[Any], bool]:
        """Words in any case and accents."""
        return containing(pairs, typed), False

    def has_decide_permission(self, _request: HttpRequest) -> bool:
        """Who may decide about pairs."""
        return bool(self.roles & set(DECIDERS))

    approve = _deciding(Action.APPROVE, gettext_lazy("Approve"))
    hide = _deciding(Action.HIDE, gettext_lazy("Hide"))
    hurts = _deciding(Action.MARK, gettext_lazy("It may hurt"))


ADDED = "seeds added"
"""The action in the log."""


class UploadForm(CampaignForm):
    """Seeds in a file, or typed as the lines of one; all rows are read or none."""

    title = button = gettext_lazy("Add seeds")
    template, back = "organiser/seeds_file.html", "organiser:seeds"
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.xlsx,.jsonl,.ndjson"}),
        help_text=gettext_lazy("CSV (UTF-8), TSV, XLSX or JSONL; at most 2 MB and 5,000 rows."),
        validators=[require_small],
    )
    lines = forms.CharField(
        label=gettext_lazy("Or type the lines, with the names of the columns first"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto", "autocomplete": "off"}),
    )

    def clean(self) -> None:
        """The rows."""
        file, settings = self.cleaned_data.get("file"), self.campaign.settings
        content, name = (
            (file.read(), file.name) if file else (self.cleaned_data.get("lines", "").encode(), "")
        )
        if not self.errors and not content.strip():
            self.add_error("file", gettext("Choose a file, or type the lines."))
        if not self.errors:
            try:
                self.rows = read_seeds(content, name or "seeds.csv", settings.data_languages, settings)
            except SeedFileError as problem:
                self.add_error("file" if file else "lines", str(problem))

    def carry_out(self, request: HttpRequest) -> HttpResponse:
        """Add the rows that are not there, write down what was added so far, and say on the list how many were new."""
        entry = record(self.campaign, request.user, ADDED, added=0, duplicates=0)

        def note(report: SeedReport) -> None:
            entry.detail = {"added": report.added, "duplicates": len(report.duplicates)}
            entry.save(update_fields=["detail"])

        report = add_seeds(self.campaign, self.rows, note=note)
        new, twice = report.added, len(report.duplicates)
        said = ngettext("%(added)s pair added", "%(added)s pairs added", new) % {"added": new}
        if twice:
            there = ngettext(
                "%(duplicates)s was there already", "%(duplicates)s were there already", twice
            ) % {"duplicates": twice}
            said = f"{said}, {there}"
        messages.success(request, said)
        return redirect(self.back, self.campaign.slug)


class Seeds(Pairs):
    """The pairs to start with."""

    sees = (Role.ORGANISER,)
    heading = gettext_lazy("Seeds")
    adds = (("organiser:seeds_add", UploadForm.title),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Seeds only."""
        return super().get_queryset(request).filter(source=Source.SEED)


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
    path("<slug:slug>/pairs/", Pairs.page(), name="all_pairs"),
    path("<slug:slug>/seeds/", Seeds.page(), name="seeds"),
    path("<slug:slug>/seeds/add/", UploadForm.page(), name="seeds_add"),
]
