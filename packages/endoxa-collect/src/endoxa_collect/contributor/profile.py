"""The profile: countries, languages, the questions of the campaign, topics to leave out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from endoxa_collect import geography, groups, rules
from endoxa_collect.access import READ_OR_SEND, Door, allowed
from endoxa_collect.campaign import CampaignSettings, ProfileField, in_language
from endoxa_collect.cards.counts import reach
from endoxa_collect.contributor.progress import topic_name
from endoxa_collect.contributor.survey import next_step
from endoxa_collect.frame import country_of_browser
from endoxa_collect.geography import Names, country_names, language_names
from endoxa_collect.models import Pair, Person, Source
from endoxa_collect.security.codes import receipt_code
from endoxa_collect.visible import READ, visible

_MOST_TYPED = 10
_MOST_ORIGINS, _MOST_CONNECTIONS, _MOST_LANGUAGES = 10, 20, 20
_SHOWN = 4
"""Countries that get a box of their own; all others are found by their names."""
_SEPARATORS = str.maketrans("،、;؛\n", ",,,,,")
"""Commas of several scripts."""
_EXTRA = "extra_"


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
        self._texts = {"suggestions": suggestions, "more": more}

    def value_from_datadict(self, data: Any, _files: Any, name: str) -> Picked:
        """What was ticked and what was typed."""
        line = ",".join(data.getlist(f"{name}_typed"))[: _MOST_TYPED * READ]
        typed = line.translate(_SEPARATORS).split(",")
        wanted = [text for text in map(visible, typed) if text][:_MOST_TYPED]
        matches = {text: self._names.match(text).code for text in wanted}
        codes = dict.fromkeys([*data.getlist(name), *(code for code in matches.values() if code)])
        unknown = tuple(text for text, code in matches.items() if not code)
        return Picked(tuple(codes), unknown, withheld=f"{name}_withheld" in data)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The boxes and what stays in the text field."""
        context = super().get_context(name, None, attrs)
        picked = value if isinstance(value, Picked) else Picked(tuple(value or ()))
        shown = [*(code for code in picked.codes if code not in self._likely), *self._likely]
        boxes = [(code, self._names.of(code), code in picked.codes) for code in shown]
        typed = {"typed": ", ".join(picked.unknown), "withheld": picked.withheld}
        context["widget"] |= {"boxes": boxes, **typed, **self._texts}
        return context


class NamesField(forms.Field):
    """Several codes, `most` at most; unknown names are listed beside the field, with the nearest ones."""

    def __init__(self, names: Names, widget: Picker, *, most: int, label: str, help_text: str) -> None:
        super().__init__(widget=widget, label=label, help_text=help_text, required=False, label_suffix="")
        self.names = names
        self._most = most

    def clean(self, value: Picked) -> list[str]:
        """The codes; none where the person prefers not to say."""
        if value.withheld:
            return []
        if value.unknown:
            raise forms.ValidationError(
                [
                    not_known(text, map(self.names.of, self.names.match(text).perhaps))
                    for text in value.unknown
                ]
            )
        codes = [code for code in value.codes if code in self.names.codes]
        if len(codes) > self._most:
            raise forms.ValidationError(_("Please choose at most %(most)d.") % {"most": self._most})
        return codes


def not_known(typed: str, perhaps: Iterable[str]) -> str:
    """What is said beside a field of a name that nobody knows; `perhaps` are names that may have been meant."""
    if names := ", ".join(perhaps):
        return _("We do not know “%(text)s”. Did you mean: %(names)s?") % {"text": typed, "names": names}
    return _("We do not know “%(text)s”. Please write it in another way.") % {"text": typed}


class ProfileForm(forms.Form):
    """Countries, languages, the campaign's own questions, topics to leave out; labels in one language.

    `first` are the questions on the page, `further` those after the fold. `here` is the country that the browser's
    language names, "" where it names none: only an order of boxes.
    """

    def __init__(self, person: Person, language: str, data: Any = None, *, here: str = "") -> None:
        settings = person.campaign.settings
        homes: list[str] = person.countries if settings.groups else person.origins
        initial = {
            "origins": homes,
            "connections": person.close_to if settings.groups else person.connections,
            "languages": person.languages if person.profile_done else [language],
            "topic_optouts": person.topic_optouts,
        }
        extras = {_EXTRA + name: choice for name, choice in person.extras.items()}
        super().__init__(data, initial=initial | extras, label_suffix="")
        self.country_names = tuple(geography.names(language).values())
        self.language_names = tuple(geography.two_letter_languages(language).values())
        self._about_groups = bool(settings.groups)
        # Where rules say who belongs to a group, their questions come first; others about countries are not asked.
        decisive = groups.asked_questions(settings)
        if not settings.groups or rules.COUNTRY in decisive:
            self.fields["origins"] = _country_field(settings, language, here=here)
        self.fields["languages"] = _language_field(settings, language)
        own = {_EXTRA + declared.name: _choice_field(declared, language) for declared in settings.profile}
        first = {name for name in own if name.removeprefix(_EXTRA) in decisive} | {"origins", "languages"}
        self.fields |= dict(sorted(own.items(), key=lambda item: item[0] not in first))
        if not settings.groups or rules.CLOSE_TO in decisive:
            self.fields["connections"] = _country_field(settings, language, homes=frozenset(homes))
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
        self.first = [self[name] for name in self.fields if name in first]
        self.further = [self[name] for name in self.fields if name not in first]

    @property
    def nameless(self) -> bool:
        """Whether no country was named, and none withheld on purpose; where cards are not about countries, never."""
        names = ("origins", "connections")
        return not self._about_groups and not any(
            self.cleaned_data[name] or f"{name}_withheld" in self.data for name in names
        )

    def save(self, person: Person) -> None:
        """Store what was said, and that the person was asked."""
        cleaned = self.cleaned_data
        origins = cleaned.get("origins", [])
        close = [code for code in cleaned.get("connections", []) if code not in origins]
        person.languages = cleaned["languages"]
        person.topic_optouts = cleaned.get("topic_optouts", person.topic_optouts)
        person.extras = {
            name.removeprefix(_EXTRA): choice
            for name, choice in cleaned.items()
            if name.startswith(_EXTRA) and choice
        }
        if self._about_groups:
            person.countries, person.close_to = origins, close
            groups.place_person(person, person.campaign.settings)
        else:
            person.origins, person.connections = origins, close
        person.profile_done = True
        person.save(update_fields=[*PROFILE_FIELDS, "profile_done"])
        reach(person)


PROFILE_FIELDS = ("origins", "connections", "countries", "close_to", "languages", "topic_optouts", "extras")
"""Fields of a person that the profile sets."""


def nearest_boxes(here: str, campaign: Sequence[str], shown: Collection[str]) -> list[str]:
    """The countries to offer as one's own: `here`, its neighbours, the rest of the `campaign` in its order.

    Where the campaign has countries, only these; a browser set to a country outside of it changes nothing.
    """
    offered = campaign or ([here, *sorted(geography.neighbours(here))] if here else [])
    beside = geography.neighbours(here) if here in offered else frozenset[str]()
    ordered = sorted(offered, key=lambda code: (code != here, code not in beside))
    return [code for code in ordered if code in shown][:_SHOWN]


def _country_field(
    settings: CampaignSettings, language: str, *, here: str = "", homes: frozenset[str] | None = None
) -> NamesField:
    """Countries that somebody comes from; with their `homes`, those that they feel close to."""
    names = country_names(language)
    if homes is None:
        likely, most = nearest_boxes(here, settings.countries, names.shown), _MOST_ORIGINS
        label = _("Which countries do you come from?")
        why = (
            _("Why we ask: you know best what people say there, so you get more cards about them.")
            if settings.cards
            else _("Why we ask: what people say differs from place to place.")
        )
    else:
        # Countries that were offered as one's own are not offered again.
        close = geography.near(homes, frozenset()) if homes else frozenset[str]()
        likely, most = [code for code in names.shown if code in close][:_SHOWN], _MOST_CONNECTIONS
        label = _("Which other countries do you feel close to?")
        why = (
            _(
                "Why we ask: you may have family or friends there, or have lived there. You get some cards about them."
            )
            if settings.cards
            else _("Why we ask: you may have family or friends there, or have lived there.")
        )
    picker = Picker(names, likely, "country-names", _("Another country: type its name"))
    return NamesField(names, picker, most=most, label=label, help_text=why)


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


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def profile(request: HttpRequest, person: Person) -> HttpResponse:
    """Ask, each thing with its why. POST with `add` turns typed names into boxes and asks on."""
    settings = person.campaign.settings
    here = country_of_browser(request, settings.countries)
    sent = request.POST if request.method == "POST" else None
    form = ProfileForm(person, request.LANGUAGE_CODE, sent, here=here)
    adding, valid = request.POST.get("add", ""), form.is_valid()
    # Asked once more, and only once: without a country cards can be about anything.
    first = settings.cards and not person.profile_done and "reminded" not in request.POST
    reminds = valid and first and not adding and form.nameless
    if valid and not adding and not reminds:
        form.save(person)
        return redirect(next_step(person))
    if adding in form.fields:
        form.fields[adding].widget.attrs["autofocus"] = True
    context = {
        "form": form,
        "cards": settings.cards,
        "reminds": reminds,
        "more": "more" in request.GET,
        "code": "" if person.profile_done else receipt_code(request, person),
    }
    return render(request, "contributor/profile.html", context)
