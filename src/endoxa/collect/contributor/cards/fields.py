"""The forms of a card, filled with what is likely for this person."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict
from django.utils.translation import get_language, gettext

from endoxa.collect import geography
from endoxa.collect.contributor.cards.countries import offered
from endoxa.collect.contributor.cards.forms import MoreForm, PromptForm
from endoxa.collect.contributor.survey.wording import answer_languages, likely_language
from endoxa.collect.models import Card, Mention, Person, Via


def more_form(card: Card, person: Person, data: QueryDict | None = None) -> MoreForm:
    """The form of an answered card; countries that the person named already are not offered again."""
    assert card.pair is not None
    said = card.mention_rows.filter(via=Via.OTHER_COUNTRY).values_list("pair__country", flat=True)
    own = (*person.origins, *person.connections)
    near = offered(card.country, own, person.campaign.settings.countries, without=set(said))
    form = MoreForm(data, offered=near, **_language(card, person, card.pair.language))
    name = geography.name(card.country, get_language() or "en")
    form.fields["text"].label = gettext("What else do people say about people from %(country)s?") % {
        "country": name
    }
    return form


def prompt_form(card: Card, person: Person, data: QueryDict | None = None) -> PromptForm:
    """The form of an open question; it stays with the country that the person wrote about before."""
    return PromptForm(data, about=card.country or _latest(card, "pair__country"), **_language(card, person))


def _language(card: Card, person: Person, *guesses: str) -> dict[str, Any]:
    """Languages to choose from, and the one that is likely: as before on this card, else that of the page."""
    page = get_language() or "en"
    languages = answer_languages(person.languages, person.campaign.settings.data_languages, page)
    likely = likely_language(languages, _latest(card, "pair__language"), page, *guesses)
    return {"languages": languages, "initial": {"language": likely}}


def _latest(card: Card, field: str) -> str:
    """A field of what the person wrote last on this card; "" before they wrote anything."""
    own_words = Mention.objects.filter(card=card).exclude(via=Via.OTHER_COUNTRY)
    return str(own_words.order_by("-pk").values_list(field, flat=True).first() or "")
