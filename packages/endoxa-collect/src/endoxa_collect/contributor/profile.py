"""The profile: countries, languages, the questions of the campaign, topics to leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from endoxa_collect import geography, groups, naming, rules
from endoxa_collect.access import READ_OR_SEND, Door, allowed
from endoxa_collect.campaign import CampaignSettings, ProfileField, in_language
from endoxa_collect.cards.counts import reach
from endoxa_collect.cards.locking import remembered
from endoxa_collect.contributor.progress import topic_name
from endoxa_collect.contributor.survey import next_step
from endoxa_collect.frame import country_of_browser
from endoxa_collect.models import Campaign, Pair, Person, Source
from endoxa_collect.naming import Names, country_names, language_names
from endoxa_collect.security.codes import receipt_code
from endoxa_collect.small_cells import LEAST
from endoxa_collect.visible import READ, visible

_MOST_TYPED = 10


_SEPARATORS = str.maketrans("،、;؛\n", ",,,,,")
"""Commas of several scripts."""


_EXTRA = "extra_"


_USUAL = frozenset({rules.COUNTRY, rules.CLOSE_TO, rules.LANGUAGE})


_MOST_ORIGINS = 10


_MOST_CONNECTIONS = 20


_MOST_LANGUAGES = 20


_MOST_LIKELY = 24
"""Countries of a campaign that get a box of their own."""


_MOST_CLOSE = 8
"""Neighbours of somebody's own countries that get one."""


@dataclass(frozen=True)
class Picked:
    """What was chosen: codes, and names that no code was found for."""

    codes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    withheld: bool = False


class Picker(forms.Widget):
    """A text field for names, boxes for all that were chosen and for `likely` codes, and "I prefer not to say"."""

    template_name = "parts/picker.html"
    use_fieldset = True

    def __init__(self, names: Names, likely: Iterable[str], suggestions: str, more: str) -> None:
        super().__init__()
        self._names = names
        self._likely = tuple(likely)
        self._suggestions = suggestions
        self._more = more

    def value_from_datadict(self, data: Mapping[str, Any], _files: Any, name: str) -> Picked:
        """What was ticked and what was typed."""
        sent = (
            data if isinstance(data, MultiValueDict) else MultiValueDict({key: [data[key]] for key in data})
        )
        line = ",".join(sent.getlist(f"{name}_typed"))[: _MOST_TYPED * READ]
        typed = line.translate(_SEPARATORS).split(",")
        wanted = [text for text in map(visible, typed) if text][:_MOST_TYPED]
        matches = {text: self._names.match(text).code for text in wanted}
        codes = dict.fromkeys([*sent.getlist(name), *(code for code in matches.values() if code)])
        unknown = tuple(text for text, code in matches.items() if not code)
        return Picked(tuple(codes), unknown, withheld=f"{name}_withheld" in sent)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The boxes and what stays in the text field."""
        context = super().get_context(name, None, attrs)
        picked = value if isinstance(value, Picked) else Picked(tuple(value or ()))
        boxes = [
            {"code": code, "name": self._names.of(code), "checked": code in picked.codes}
            for code in [*(code for code in picked.codes if code not in self._likely), *self._likely]
        ]
        context["widget"] |= {
            "boxes": boxes,
            "typed": ", ".join(picked.unknown),
            "withheld": picked.withheld,
            "suggestions": self._suggestions,
            "more": self._more,
        }
        return context


class NamesField(forms.Field):
    """Several codes, `most` at most; unknown names are listed beside the field, with the nearest ones."""

    widget: Picker

    def __init__(self, names: Names, widget: Picker, *, most: int, label: str, help_text: str) -> None:
        super().__init__(widget=widget, label=label, help_text=help_text, required=False, label_suffix="")
        self._names = names
        self._most = most

    def clean(self, value: Picked) -> list[str]:
        """The codes; none where the person prefers not to say."""
        if value.withheld:
            return []
        if value.unknown:
            faults = []
            for text in value.unknown:
                perhaps = [self._names.of(code) for code in self._names.match(text).perhaps]
                faults.append(
                    _("We do not know “%(text)s”. Did you mean: %(names)s?")
                    % {"text": text, "names": ", ".join(perhaps)}
                    if perhaps
                    else _("We do not know “%(text)s”. Please write it in another way.") % {"text": text}
                )
            raise forms.ValidationError(faults)
        codes = [code for code in value.codes if code in self._names.codes]
        if len(codes) > self._most:
            raise forms.ValidationError(_("Please choose at most %(most)d.") % {"most": self._most})
        return codes


class ProfileForm(forms.Form):
    """Countries, languages, the campaign's own questions, topics to leave out; labels in one language."""

    def __init__(self, person: Person, language: str, data: Any = None, *, here: str = "") -> None:
        """`here` is the country that the browser's language names, "" where it names none: only an order of boxes."""
        initial = {
            "origins": homes_of(person),
            "connections": person.close_to if person.campaign.settings.groups else person.connections,
            "languages": person.languages if person.profile_done else [language],
            "topic_optouts": person.topic_optouts,
        }
        extras = {_EXTRA + name: choice for name, choice in person.extras.items()}
        super().__init__(data, initial=initial | extras)
        self.label_suffix = ""
        settings = person.campaign.settings
        self.country_names = tuple(geography.names(language).values())
        self.language_names = tuple(naming.two_letter_languages(language).values())
        often = frequent_origins(person.campaign)
        # Where rules say who belongs to a group, their questions come first; others about countries are not asked.
        self._declared = bool(settings.groups)
        self._decisive = groups.asked_questions(settings)
        country_fields = _country_fields(settings, language, here, often, frozenset(homes_of(person)))
        for name, question in (("origins", rules.COUNTRY), ("connections", rules.CLOSE_TO)):
            if not settings.groups or question in self._decisive:
                self.fields[name] = country_fields[name]
        self.fields["languages"] = _language_field(settings, language)
        for declared in settings.profile:
            self.fields[_EXTRA + declared.name] = _choice_field(declared, language)
        seeds = Pair.objects.filter(campaign=person.campaign_id, source=Source.SEED).exclude(topic="")
        if topics := seeds.order_by("topic").values_list("topic", flat=True).distinct():
            self.fields["topic_optouts"] = forms.MultipleChoiceField(
                choices=[(topic, topic_name(topic)) for topic in topics],
                widget=forms.CheckboxSelectMultiple,
                required=False,
                label=_("Is there a topic you would rather not see?"),
                help_text=_("You will get no cards about the topics that you tick."),
                error_messages={"invalid_choice": _("Please choose from the list.")},
            )

    @property
    def pickers(self) -> list[forms.BoundField]:
        """The questions that everybody is asked."""
        return [self[name] for name in ("origins", "languages") if name in self.fields]

    @property
    def decisive(self) -> list[forms.BoundField]:
        """The campaign's own questions on which it rests what cards are about a person's own groups."""
        return [self[name] for name in self.fields if name.removeprefix(_EXTRA) in self._decisive - _USUAL]

    @property
    def nameless(self) -> bool:
        """Whether no country was named, and none withheld on purpose; where cards are not about countries, never."""
        names = ("origins", "connections")
        if self._declared:
            return False
        return not any(self.cleaned_data[name] or f"{name}_withheld" in self.data for name in names)

    @property
    def folded(self) -> list[forms.BoundField]:
        """The questions after the fold, the countries felt close to aside."""
        asked = {field.name for field in self.decisive}
        return [
            self[name] for name in self.fields if name.startswith((_EXTRA, "topic_")) and name not in asked
        ]

    def save(self, person: Person) -> None:
        """Store what was said, and that the person was asked."""
        cleaned = self.cleaned_data
        origins = cleaned.get("origins", [])
        close = [code for code in cleaned.get("connections", []) if code not in origins]
        person.languages = cleaned["languages"]
        person.topic_optouts = cleaned.get("topic_optouts", person.topic_optouts)
        person.extras = {
            name.removeprefix(_EXTRA): cleaned[name]
            for name in self.fields
            if name.startswith(_EXTRA) and cleaned[name]
        }
        settings = person.campaign.settings
        if settings.groups:
            person.countries, person.close_to = origins, close
            groups.place_person(person, settings)
        else:
            person.origins, person.connections = origins, close
        person.profile_done = True
        person.save(update_fields=[*PROFILE_FIELDS, "profile_done"])
        reach(person)


PROFILE_FIELDS = ("origins", "connections", "countries", "close_to", "languages", "topic_optouts", "extras")
"""Fields of a person that the profile sets."""


def homes_of(person: Person) -> list[str]:
    """Countries that somebody comes from, whatever the cards are about."""
    homes: list[str] = person.countries if person.campaign.settings.groups else person.origins
    return homes


def nearest_boxes(
    here: str, campaign: Collection[str], shown: Iterable[str], often: Sequence[str] = ()
) -> list[str]:
    """Countries to offer as one's own: `here`, those that people come from `often`, neighbours, the rest as `shown`.

    Those of the `campaign`; where it has none, `here`, its neighbours and `often`. A browser set to a country
    outside of the campaign changes nothing.
    """
    offered = set(campaign) or {*often, *({here, *geography.neighbours(here)} if here else ())}
    beside = geography.neighbours(here) if here in offered else frozenset[str]()
    rank = {code: place for place, code in enumerate(often)}
    return sorted(
        (code for code in shown if code in offered),
        key=lambda code: (code != here, rank.get(code, len(rank)), code not in beside),
    )


def _country_fields(
    settings: CampaignSettings, language: str, here: str, often: Sequence[str], origins: frozenset[str]
) -> dict[str, NamesField]:
    names = country_names(language)
    likely = nearest_boxes(here, settings.countries[:_MOST_LIKELY], names.shown, often)
    # Countries that were offered as one's own are not offered again.
    close = geography.near(origins, frozenset()) if origins else frozenset[str]()

    def field(label: str, why: str, most: int, likely: Iterable[str]) -> NamesField:
        picker = Picker(names, likely, "country-names", _("Another country: type its name"))
        return NamesField(names, picker, most=most, label=label, help_text=why)

    return {
        "origins": field(
            _("Which countries do you come from?"),
            _("Why we ask: you know best what people say there, so you get more cards about them.")
            if settings.cards
            else _("Why we ask: what people say differs from place to place."),
            _MOST_ORIGINS,
            likely,
        ),
        "connections": field(
            _("Which other countries do you feel close to?"),
            _(
                "Why we ask: you may have family or friends there, or have lived there. You get some cards about them."
            )
            if settings.cards
            else _("Why we ask: you may have family or friends there, or have lived there."),
            _MOST_CONNECTIONS,
            [code for code in names.shown if code in close][:_MOST_CLOSE],
        ),
    }


def _language_field(settings: CampaignSettings, language: str) -> NamesField:
    likely = dict.fromkeys([language, *settings.data_languages])
    names = language_names(language)
    why = (
        _("Why we ask: you get cards in each language that you can read, even if you do not write it.")
        if settings.cards
        else _("Why we ask: so that you can answer in a language of yours.")
    )
    # Not within the braces of an f-string, where xgettext does not look.
    ticked = _("The language of this page is ticked; untick it if you like.")
    return NamesField(
        names,
        Picker(names, likely, "language-names", _("Another language: type its name")),
        most=_MOST_LANGUAGES,
        label=_("Which languages do you read?"),
        help_text=f"{why} {ticked}",
    )


def _choice_field(declared: ProfileField, language: str) -> forms.ChoiceField:
    choices = [(value, in_language(texts, language)) for value, texts in declared.choices.items()]
    return forms.ChoiceField(
        choices=[*choices, ("", _("I prefer not to say"))],
        widget=forms.RadioSelect,
        required=False,
        label=in_language(declared.label, language),
        help_text=_("Why we ask: %(purpose)s") % {"purpose": in_language(declared.purpose, language)},
        error_messages={"invalid_choice": _("Please choose one of the answers.")},
    )


@remembered
def frequent_origins(campaign: Campaign) -> tuple[str, ...]:
    """Countries that `LEAST` people of a campaign or more come from, most first; known within `STATISTICS_SECONDS`.

    Rarer ones are nobody's business: a box that moves up would tell that somebody has come.
    """
    done = Person.objects.filter(campaign=campaign, profile_done=True)
    where = "countries" if campaign.settings.groups else "origins"
    people = Counter(code for codes in done.values_list(where, flat=True).iterator() for code in codes)
    return tuple(code for code, number in people.most_common() if number >= LEAST)


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def profile(request: HttpRequest, person: Person) -> HttpResponse:
    """Ask, each thing with its why. POST with `add` turns typed names into boxes and asks on."""
    language: str = request.LANGUAGE_CODE
    here = country_of_browser(request, person.campaign.settings.countries)
    form = ProfileForm(person, language, request.POST if request.method == "POST" else None, here=here)
    adding = request.POST.get("add", "")
    valid = form.is_valid()
    # Asked once more, and only once: without a country cards can be about anything.
    first = person.campaign.settings.cards and not person.profile_done and "reminded" not in request.POST
    reminds = valid and first and form.nameless
    if valid and not adding and not reminds:
        form.save(person)
        return redirect(next_step(person))
    if adding in form.fields:
        form.fields[adding].widget.attrs["autofocus"] = True
    context = {"form": form, "cards": person.campaign.settings.cards}
    context["reminds"] = reminds and not adding
    context["more"] = "more" in request.GET
    context["code"] = "" if person.profile_done else receipt_code(request, person)
    return render(request, "contributor/profile.html", context)
