"""The forms of a card, filled with what is likely for this person."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
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
    campaign = person.campaign.settings.countries
    near = offered(card.country, own, campaign, card=str(card.token), without=set(said))
    form = MoreForm(data, offered=near, **_language(person, card.pair.language))
    name = geography.name(card.country, get_language() or "en")
    form.fields["text"].label = gettext("What else do people say about people from %(country)s?") % {
        "country": name
    }
    return form


def prompt_form(card: Card, person: Person, data: QueryDict | None = None) -> PromptForm:
    """The form of an open question; it stays with the country that the person wrote about before."""
    before = _own_words(person).filter(card=card).values_list("pair__country", flat=True).first()
    return PromptForm(data, about=card.country or before or "", **_language(person))


def _language(person: Person, *guesses: str) -> dict[str, Any]:
    """Languages to choose from, and the one that is likely: as they wrote before, else that of the page."""
    page = get_language() or "en"
    languages = answer_languages(person.languages, person.campaign.settings.data_languages, page)
    before = _own_words(person).values_list("pair__language", flat=True).first()
    likely = likely_language(languages, person.languages, before, page, *guesses)
    return {"languages": languages, "initial": {"language": likely}}


def _own_words(person: Person) -> QuerySet[Mention]:
    """What the person wrote, the latest first."""
    return person.mentions.exclude(via=Via.OTHER_COUNTRY).order_by("-pk")
