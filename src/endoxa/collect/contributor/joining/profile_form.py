"""The few things that contributors may say about themselves; every one may be left out."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings, ProfileField, in_language
from endoxa.collect.campaign.topics import topic_name
from endoxa.collect.contributor.joining.picker import NamesField, Picker
from endoxa.collect.models import Pair, Person, Source
from endoxa.collect.naming import languages
from endoxa.collect.naming.names import country_names, language_names

_EXTRA = "extra_"
_MOST_ORIGINS = 10
_MOST_CONNECTIONS = 20
_MOST_LANGUAGES = 20
_MOST_LIKELY = 24
"""Countries of a campaign that get a box of their own."""


class ProfileForm(forms.Form):
    """Countries, languages, the campaign's own questions, topics to leave out; labels in one language."""

    def __init__(self, person: Person, language: str, data: Any = None) -> None:
        super().__init__(data, initial=_initial(person, language))
        self.label_suffix = ""
        settings = person.campaign.settings
        self.country_names = tuple(geography.names(language).values())
        self.language_names = tuple(languages.names(language).values())
        self.fields |= _country_fields(settings, language)
        self.fields["languages"] = _language_field(settings, language)
        for declared in settings.profile:
            self.fields[_EXTRA + declared.name] = _choice_field(declared, language)
        if topics := _topics(person):
            self.fields["topic_optouts"] = _topic_field(topics)

    @property
    def pickers(self) -> list[forms.BoundField]:
        """The questions that everybody is asked."""
        return [self[name] for name in ("origins", "connections", "languages")]

    @property
    def folded(self) -> list[forms.BoundField]:
        """The questions after the fold."""
        return [self[name] for name in self.fields if name.startswith((_EXTRA, "topic_"))]

    def save(self, person: Person) -> None:
        """Store what was said, and that the person was asked."""
        cleaned = self.cleaned_data
        person.origins = cleaned["origins"]
        person.connections = [code for code in cleaned["connections"] if code not in person.origins]
        person.languages = cleaned["languages"]
        person.topic_optouts = cleaned.get("topic_optouts", person.topic_optouts)
        said = {name.removeprefix(_EXTRA): cleaned[name] for name in self.fields if name.startswith(_EXTRA)}
        person.extras = {name: choice for name, choice in said.items() if choice}
        person.profile_done = True
        person.save(
            update_fields=["origins", "connections", "languages", "topic_optouts", "extras", "profile_done"]
        )


def _initial(person: Person, language: str) -> dict[str, Any]:
    asked = {
        "origins": person.origins,
        "connections": person.connections,
        "languages": person.languages if person.profile_done else [language],
        "topic_optouts": person.topic_optouts,
    }
    return asked | {_EXTRA + name: choice for name, choice in person.extras.items()}


def _country_fields(settings: CampaignSettings, language: str) -> dict[str, NamesField]:
    names = country_names(language)
    own = set(settings.countries[:_MOST_LIKELY])
    likely = [code for code in names.shown if code in own]

    def field(label: str, why: str, most: int) -> NamesField:
        picker = Picker(names, likely, "country-names", _("Type a country, or tap one below"))
        return NamesField(names, picker, most=most, label=label, help_text=why)

    return {
        "origins": field(
            _("Which countries do you come from?"),
            _("Why we ask: you know best what people say there, so you get more cards about them.")
            if settings.cards
            else _("Why we ask: what people say differs from place to place."),
            _MOST_ORIGINS,
        ),
        "connections": field(
            _("Which other countries do you feel close to?"),
            _(
                "Why we ask: you may have family or friends there, or have lived there. You get some cards about them."
            )
            if settings.cards
            else _("Why we ask: you may have family or friends there, or have lived there."),
            _MOST_CONNECTIONS,
        ),
    }


def _language_field(settings: CampaignSettings, language: str) -> NamesField:
    likely = dict.fromkeys([language, *settings.data_languages])
    names = language_names(language)
    return NamesField(
        names,
        Picker(names, likely, "language-names", _("Type a language, or tap one below")),
        most=_MOST_LANGUAGES,
        label=_("Which languages do you read and write?"),
        help_text=_("Why we ask: so that you only get cards that you can read.")
        if settings.cards
        else _("Why we ask: so that you can answer in a language of yours."),
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


def _topic_field(topics: list[str]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=[(topic, topic_name(topic)) for topic in topics],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=_("Is there a topic you would rather not see?"),
        help_text=_("You will get no cards about the topics that you tick."),
        error_messages={"invalid_choice": _("Please choose from the list.")},
    )


def _topics(person: Person) -> list[str]:
    seeds = Pair.objects.filter(campaign=person.campaign_id, source=Source.SEED).exclude(topic="")
    return list(seeds.order_by("topic").values_list("topic", flat=True).distinct())
