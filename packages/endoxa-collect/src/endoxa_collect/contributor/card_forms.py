"""Forms of the card pages: ratings, reasons to skip, words, further countries."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Final
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, QuerySet, UUIDField
from django.forms.boundfield import BoundWidget
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from endoxa_collect import geography, groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.answering import asks_hurts
from endoxa_collect.cards.kinds import CHOICES
from endoxa_collect.compiled import compiled, only
from endoxa_collect.contributor.profile import not_known
from endoxa_collect.contributor.survey import answer_languages
from endoxa_collect.entry import cleaning
from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.models import RATING_WORDS, Card, Hurts, Mention, Person, SkipReason, Via

OFFERED = 6
"""Countries that a card offers to tick."""

Choice = tuple[str, Promise]
"""What is stored and what the button says."""

RATINGS: Final[tuple[Choice, ...]] = tuple((str(value), _(words)) for value, words in RATING_WORDS.items())
"""How known a pair is where the person lives."""

SKIPS: Final[tuple[Choice, ...]] = (
    (SkipReason.DONT_KNOW, _("I don't know")),
    (SkipReason.DONT_UNDERSTAND, _("I don't understand it")),
    (SkipReason.RATHER_NOT, _("I'd rather not answer")),
)
"""Three different reasons not to answer."""

PROMPT_SKIPS: Final = ((SkipReason.DONT_KNOW, _("Nothing comes to mind")), *SKIPS[1:])
"""The same for a card that asks an open question."""

REPORTS: Final[tuple[Choice, ...]] = (
    (SkipReason.REPORT_PERSONAL, _("It is about one person")),
    (SkipReason.REPORT_HATE, _("It calls for harm or is full of hate")),
    (SkipReason.REPORT_NONSENSE, _("It makes no sense")),
    (SkipReason.REPORT_OTHER, _("Something else is wrong")),
)
"""What a moderator should look at."""

HURTS: Final[tuple[Choice, ...]] = (
    (Hurts.YES, _("Yes")),
    (Hurts.NO, _("No")),
    (Hurts.UNSURE, _("Not sure")),
)
"""Whether words that nobody judged could hurt someone."""

NOTES: Final[dict[str, Promise]] = {
    "moved": _("That card is not yours to answer any more. Here is the one that waits for you."),
    "first": _("You had answered this card already; your first answer counts."),
    "covered": _("These words are covered. Please show them first; then answer, or skip the card."),
    "unclear": _("We could not read that answer. Please tap it once more."),
}
"""Sentences above a card, by the value of `note` in its address."""


def offered_countries(
    about: str,
    personal: Iterable[str],
    campaign: Collection[str],
    *,
    card: str,
    without: Collection[str] = (),
    beside_of: Callable[[str], frozenset[str]] = geography.neighbours,
) -> tuple[str, ...]:
    """Up to `OFFERED` countries near the one a card is about.

    Its neighbours in the campaign come first, then the person's own countries, the neighbours of neighbours in the
    campaign, other neighbours, and what else is in the campaign. Within each of these the order is drawn, once a card,
    so that no country is offered more often for its name.

    Args:
        about: country of the card.
        personal: countries of the person.
        campaign: countries of the campaign.
        card: name of the card; the order is the same whenever the card is shown.
        without: countries that were answered already.
        beside_of: those beside one; of declared groups those of its kind.
    """
    beside = beside_of(about)
    beyond = frozenset[str]().union(*(beside_of(code) for code in beside))
    inside = frozenset(campaign)
    rings: tuple[Iterable[str], ...] = (beside & inside, personal, beyond & inside, beside, inside)
    drawn = random.Random(card)  # noqa: S311 - an order of chips is no secret
    ordered = [code for ring in map(sorted, rings) for code in drawn.sample(ring, len(ring))]
    wanted = [code for code in dict.fromkeys(ordered) if code != about and code not in without]
    return tuple(wanted[:OFFERED])


def _typed(**attributes: Any) -> forms.TextInput:
    """A line to type in; phones shall not complete what people say."""
    return forms.TextInput(attrs={"dir": "auto", "autocomplete": "off", **attributes})


def _one_of(name: str, choices: Iterable[Any], **options: Any) -> type[forms.Form]:
    """A form that takes one of several answers, each sent by a button of its own."""
    field = forms.TypedChoiceField(choices=[(choice, "") for choice in choices], **options)
    return type("ChoiceForm", (forms.Form,), {name: field})


RatingForm = _one_of("value", RATING_WORDS, coerce=int)
HurtForm = _one_of("hurts", Hurts.values)
SkipForm = _one_of("reason", SkipReason.values)
ComparisonForm = _one_of("choice", CHOICES)
ReasonForm = _one_of("reason", (reason for reason, _ in SKIPS))
ReportForm = _one_of("reason", (reason for reason, _ in REPORTS))


class SameForm(forms.Form):
    """The pair that says the same; none where the new one is different."""

    same = forms.UUIDField(required=False)


class CountryField(forms.CharField):
    """A country by its name; gives its code, "" where none was typed."""

    def __init__(self, *, label: Any) -> None:
        super().__init__(label=label, required=False, max_length=80, widget=_typed())

    def clean(self, value: Any) -> str:
        """The code; a name that is not known is told with the nearest ones."""
        typed, language = super().clean(value), get_language() or "en"
        match = geography.match_country(typed, language)
        if typed and not match.code:
            raise ValidationError(
                not_known(typed, [geography.name(code, language) for code in match.perhaps])
            )
        return match.code


class WordsForm(forms.Form):
    """What people say about a country, and in which language; both fields of all cards that ask for words.

    The language is not asked for where there is one only and `initial` has it. Of the `languages` the first `spoken`
    are those that the person reads and writes: these are there to tap, since the likely one is often wrong.
    """

    text = forms.CharField(
        label=_("What people say"),
        required=False,
        widget=_typed(autocapitalize="none", maxlength=cleaning.MAX_LENGTH, enterkeyhint="done"),
    )
    language = forms.ChoiceField(label=_("Language you write in"), required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        languages: Sequence[tuple[str, str]],
        spoken: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        field = self.fields["language"]
        self._spoken = spoken
        if len(languages) == 1 and self.initial.get("language"):
            field.widget = forms.HiddenInput()
        elif spoken:
            field.widget = forms.RadioSelect()
        field.choices = languages if spoken else [("", _("Please choose")), *languages]  # type: ignore[attr-defined]

    @cached_property
    def spoken_languages(self) -> list[BoundWidget]:
        """Of several languages, the boxes of those that the person reads and writes."""
        return list(self["language"])[: self._spoken]

    @cached_property
    def other_languages(self) -> list[BoundWidget]:
        """The boxes of the campaign's other languages."""
        return list(self["language"])[self._spoken :]

    @property
    def writes_another(self) -> bool:
        """Whether one of these is ticked, so that they are unfolded."""
        chosen = self["language"].value()
        return any(box.data["value"] == chosen for box in self.other_languages)

    def clean_text(self) -> str:
        """The words as they will be stored; "" where none were written."""
        typed: str = self.cleaned_data["text"]
        try:
            return cleaning.clean(typed) if typed else ""
        except EntryError as error:
            raise ValidationError(str(error)) from error

    def clean_language(self) -> str:
        """The language; "" without words."""
        chosen: str = self.cleaned_data["language"]
        if self.cleaned_data.get("text") and not chosen:
            raise ValidationError(_("Please choose the language you wrote in."))
        return chosen


class MoreForm(WordsForm):
    """After a rating: what else people say, and other countries that the same is said of; all of it optional.

    Whether the words could hurt is asked where nobody judged them (`asks`).
    """

    countries = forms.MultipleChoiceField(
        label=_("Said of other countries too?"), required=False, widget=forms.CheckboxSelectMultiple
    )
    another = CountryField(label=_("Another country"))
    hurts = forms.ChoiceField(
        label=_("Could this hurt someone?"), choices=HURTS, required=False, widget=forms.RadioSelect
    )
    field_order = ("text", "language", "hurts", "countries", "another")

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        settings: CampaignSettings,
        offered: Iterable[str] = (),
        asks: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        if not asks:
            del self.fields["hurts"]
        ticked = data.getlist("countries") if data else []
        # What is offered changes from page to page: any country that was ticked is valid.
        choices = _named(dict.fromkeys((*offered, *ticked)), settings)
        self.fields["countries"].choices = choices  # type: ignore[attr-defined]
        if settings.groups:
            # Nobody types the name of a group: what is declared can be ticked.
            self.fields["countries"].label = gettext("Said of other groups too?")
            del self.fields["another"]

    @property
    def elsewhere(self) -> bool:
        """Whether the countries are unfolded: something in them is wrong, or was chosen and not kept yet."""
        named = [self[name].value() for name in ("countries", "another") if name in self.fields]
        return self.is_bound and any(named)

    @property
    def chosen(self) -> tuple[str, ...]:
        """All countries that were ticked or typed, each once."""
        named = (*self.cleaned_data["countries"], self.cleaned_data.get("another", ""))
        return tuple(dict.fromkeys(code for code in named if code))


class PromptForm(WordsForm):
    """An open question about a country. `country` is asked for where the card is about none."""

    country = CountryField(label=_("Which country do you want to tell us about?"))
    field_order = ("country", "text", "language")

    def __init__(self, data: QueryDict | None = None, *, about: str = "", **options: Any) -> None:
        super().__init__(data, **options)
        self._about = about
        if about:
            del self.fields["country"]

    def clean(self) -> dict[str, Any]:
        """Words need a country."""
        cleaned = self.cleaned_data
        if cleaned.get("text") and not self.about and "country" not in self.errors:
            self.add_error("country", _("Please name the country that this is about."))
        return cleaned

    @property
    def about(self) -> str:
        """The country that the words are about; "" while it is not known."""
        cleaned = self.cleaned_data if self.is_bound and hasattr(self, "cleaned_data") else {}
        return self._about or str(cleaned.get("country", ""))


def _named(codes: Iterable[str], settings: CampaignSettings | None = None) -> list[tuple[str, str]]:
    """Countries, or declared groups, with their names, those that exist only."""
    language = get_language() or "en"
    names = groups.names(language, settings) if settings else geography.names(language)
    return [(code, names[code]) for code in codes if code in names]


def more_form(card: Card, person: Person, data: QueryDict | None = None) -> MoreForm:
    """The form of an answered card; countries that the person named already are not offered again."""
    assert card.pair is not None
    ticked = {country for via, country in _countries_said(card.pk) if via == Via.OTHER_COUNTRY}
    personal = (*person.origins, *person.connections)
    settings, page = person.campaign.settings, get_language() or "en"
    near = offered_countries(
        card.country,
        personal,
        groups.listed(settings),
        card=str(card.token),
        without=ticked,
        beside_of=partial(groups.beside, settings=settings),
    )
    form = MoreForm(
        data, settings=settings, offered=near, asks=asks_hurts(card), **_language(person, card.pair.language)
    )
    about = groups.spoken(card.country, page, settings)
    form.fields["text"].label = (
        gettext("What else do people say about %(group)s?") % about
        if settings.groups
        else gettext("What else do people say about people %(from_country)s?") % about
    )
    return form


def prompt_form(card: Card, person: Person, data: QueryDict | None = None) -> PromptForm:
    """The form of an open question; it stays with the country that the person wrote about before."""
    before = [country for via, country in _countries_said(card.pk) if via != Via.OTHER_COUNTRY]
    return PromptForm(data, about=card.country or (before[0] if before else ""), **_language(person))


def says_nothing(sent: QueryDict) -> bool:
    """Whether a form of words was sent as it was shown: no words, no country, nothing about harm."""
    fields = {*MoreForm.base_fields, *PromptForm.base_fields} - {"language"}
    return not any(value for name in fields for value in sent.getlist(name))


def _language(person: Person, *guesses: str) -> dict[str, Any]:
    """Languages to choose from, and the one that is likely: as they wrote before, else that of the page."""
    languages, likely = answer_languages(person, only(_wrote_in(person.pk)), *guesses)
    spoken = sum(code in person.languages for code, _name in languages)
    return {"languages": languages, "spoken": spoken, "initial": {"language": likely}}


@compiled(BigIntegerField())
def _countries_said(card: int) -> QuerySet[Mention, tuple[Any, ...]]:
    """How something was said on a card and of which country, the latest first."""
    return Mention.objects.filter(card=card).order_by("-pk").values_list("via", "pair__country")


@compiled(UUIDField())
def _wrote_in(person: UUID) -> QuerySet[Mention, str]:
    """The language of what the person wrote last."""
    written = Mention.objects.filter(person=person).exclude(via=Via.OTHER_COUNTRY)
    return written.order_by("-pk").values_list("pair__language", flat=True)[:1]
