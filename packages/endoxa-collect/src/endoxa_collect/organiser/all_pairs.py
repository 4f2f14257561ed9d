"""All pairs of a campaign and its seeds: search, filters, decisions about those that were ticked; adding seeds.

A search looks at the words and the key (`entry.cleaning`) of every pair; capitals and accents are taken off by the
database (`Plain`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any, ClassVar

import regex
from django import forms
from django.contrib import messages
from django.contrib.admin import action
from django.db.models import CharField, Func, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, pgettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError, fold, key
from endoxa_collect.entry.seeding import SeedFileError, SeedReport, SeedRow, add_seeds, read_seeds, row_of
from endoxa_collect.inputs import set_choices
from endoxa_collect.models import Action, Campaign, Pair, Role, Source, record
from endoxa_collect.organiser.access import DECIDERS, JUDGES, account
from endoxa_collect.organiser.decisions import ESCALATED, STATES, decide
from endoxa_collect.organiser.desk import CampaignForm, CampaignList, choice, require_small
from endoxa_collect.organiser.figures import cached
from endoxa_collect.organiser.moderation import OPEN_WORDS, done, line
from endoxa_collect.terms import day
from endoxa_collect.visible import visible

_MARKS = "\u0300-\u036f\u064b-\u0655"
"""Accents, and Arabic vowel signs with shadda, madda and hamza; vowel signs of other scripts are letters and stay."""
_ACCENTS = regex.compile(f"[{_MARKS}]")
_DAYS = 60
_LANGUAGES = ("en", "es", "fr", "pt")
"""Languages in which a key forgets the first words: who searches for "they are late" finds "late"."""


Choices = Iterable[tuple[str, Any, Q]]


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


def _by_name(column: str, name: Callable[[str, str, CampaignSettings], str]) -> Callable[[Campaign], Choices]:
    """What pairs have in a column, in the order of its names in the language of the page."""

    def choices(campaign: Campaign) -> Choices:
        here, values = get_language() or "en", Pair.objects.filter(campaign=campaign).order_by()
        codes = cached(
            campaign, f"pairs.{column}", lambda: list(values.values_list(column, flat=True).distinct())
        )
        named = [(code, name(code, here, campaign.settings), Q(**{column: code})) for code in codes]
        return sorted(named, key=lambda choice: plain(choice[1]))

    return choices


def _sources(campaign: Campaign) -> Choices:
    """Seeds, contributors, and the latest days (UTC) on which contributors added some."""
    people = Q(source=Source.CONTRIBUTOR)
    added = Pair.objects.filter(people, campaign=campaign)
    days = added.datetimes("created_at", "day", order="DESC", tzinfo=UTC)[:_DAYS]
    return [
        ("seeds", gettext_lazy("the seeds"), Q(source=Source.SEED)),
        ("people", gettext_lazy("contributors"), people),
        *(
            (
                f"{start:%Y-%m-%d}",
                gettext("contributors on %(day)s") % {"day": day(f"{start:%Y-%m-%d}")},
                people & Q(created_at__gte=start, created_at__lt=start + timedelta(days=1)),
            )
            for start in cached(campaign, "pairs.days", lambda: list(days))
        ),
    ]


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
    """An action that decides about each pair as the list showed it; pairs that organisers keep are left to them."""

    @action(description=label, permissions=["decide"])
    def decided(pairs: Pairs, request: HttpRequest, ticked: QuerySet[Pair]) -> None:
        seen = dict(shown.split(":", 1) for shown in request.POST.getlist("seen") if ":" in shown)
        for pair in ticked:
            if ESCALATED in pair.flags and not pairs.organises:
                continue
            marks: dict[str, Any] = {"topic": pair.topic, "negative": True} if chosen == Action.MARK else {}
            try:
                revision = seen.get(str(pair.pk), "")
                decide(pairs.campaign, account(request), pair.public_id, chosen, revision, **marks)
            except EntryError as problem:
                pairs.message_user(request, f"{pair.public_id.hex[:4]}: {problem}", messages.ERROR)

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
        choice("wave", gettext_lazy("Added by"), _sources),
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


class SeedsForm(CampaignForm):
    """A form that is cleaned to rows."""

    back = "organiser:seeds"
    rows: list[SeedRow]

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


class UploadForm(SeedsForm):
    """A file of seeds, of which all rows are read or none."""

    title = button = gettext_lazy("Upload a file")
    template = "organiser/seeds_file.html"
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.xlsx,.jsonl,.ndjson"}),
        help_text=gettext_lazy("CSV (UTF-8), TSV, XLSX or JSONL; at most 2 MB and 5,000 rows."),
        validators=[require_small],
    )

    def clean_file(self) -> None:
        """The rows of the file."""
        file, settings = self.cleaned_data["file"], self.campaign.settings
        try:
            self.rows = read_seeds(file.read(), file.name or "", settings.data_languages, settings)
        except SeedFileError as problem:
            raise forms.ValidationError(str(problem)) from problem


class OneForm(SeedsForm):
    """One seed, typed."""

    title, button = gettext_lazy("Add one"), gettext_lazy("Add it")
    country = forms.ChoiceField(label=gettext_lazy("Whom it is about"))
    attribute = forms.CharField(
        label=gettext_lazy("What is said of them"),
        max_length=120,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"))
    topic = forms.CharField(label=gettext_lazy("Topic"), max_length=40, required=False)
    negative = forms.ChoiceField(
        label=gettext_lazy("Does it hurt to hear it?"),
        required=False,
        choices=[("", gettext_lazy("not known")), ("yes", gettext_lazy("Yes")), ("no", gettext_lazy("No"))],
    )

    def __init__(self, campaign: Campaign, *sent: Any) -> None:
        super().__init__(campaign, *sent)
        here, settings = get_language() or "en", campaign.settings
        names = groups.names(here, settings)
        ordered = [code for code in dict.fromkeys((*groups.listed(settings), *names)) if code in names]
        set_choices(
            self,
            country=[(code, names[code]) for code in ordered],
            language=[(code, geography.language_name(code, here)) for code in settings.data_languages],
        )

    def clean(self) -> None:
        """The row."""
        settings = self.campaign.settings
        if not self.errors:
            try:
                self.rows = [row_of("–", self.cleaned_data, settings.data_languages, settings)]
            except SeedFileError as problem:
                self.add_error("attribute", str(problem))


class Seeds(Pairs):
    """The pairs to start with."""

    sees = (Role.ORGANISER,)
    heading = gettext_lazy("Seeds")
    adds = (("organiser:seeds_add", UploadForm.title), ("organiser:seeds_one", OneForm.title))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Seeds only."""
        return super().get_queryset(request).filter(source=Source.SEED)


urlpatterns = [
    path("<slug:slug>/pairs/", Pairs.page(), name="all_pairs"),
    path("<slug:slug>/seeds/", Seeds.page(), name="seeds"),
    path("<slug:slug>/seeds/add/", UploadForm.page(), name="seeds_add"),
    path("<slug:slug>/seeds/one/", OneForm.page(), name="seeds_one"),
]
