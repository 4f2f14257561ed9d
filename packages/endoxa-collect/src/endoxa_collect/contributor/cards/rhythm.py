"""The rhythm of a visit: how far the next pause is, what all reach together, and at the pause what others know.

What others know is never on the page of a card: there it would read as if it were about the pair that is to be rated,
and even below it, it would stand before a rating. See `docs/collect/cards.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from endoxa_collect import geography
from endoxa_collect.cards import feedback, goal
from endoxa_collect.models import CLOSED, Card, CardState, Pair, Person

MOST_TOLD = 3
"""Pairs that a pause tells of: it stays short."""

_PEOPLE = {
    3: _("Three people or more know this one too."),
    10: _("Ten people or more know this one too."),
    30: _("Thirty people or more know this one too."),
}
_PLACES = {
    3: _("Three people or more, from three countries or more, know this one too."),
    10: _("Ten people or more, from three countries or more, know this one too."),
    30: _("Thirty people or more, from three countries or more, know this one too."),
}
_RECOGNISED = {
    3: _("Something you added was recognised by three others or more."),
    10: _("Something you added was recognised by ten others or more."),
    30: _("Something you added was recognised by thirty others or more."),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """The way to the next pause: `at` of `of` cards are done."""

    at: int
    of: int

    @property
    def left(self) -> int:
        """Cards until the pause."""
        return self.of - self.at


def bar_of(person: Person, done: int) -> Bar:
    """Progress after `done` cards."""
    of = person.campaign.settings.sampler.break_after
    return Bar(done % of, of)


@dataclass(frozen=True, slots=True)
class Told:
    """What others know of a pair that the person had heard, too: its words, quoted, and the line about them."""

    from_country: str
    pair: Pair
    line: str


def told(person: Person) -> tuple[Told, ...]:
    """Of the cards since the pause before, the latest `MOST_TOLD` that something may be told of.

    Never of the answer that can be taken back: it would be given once more after it was told.
    """
    closed = Card.objects.filter(person=person, state__in=CLOSED).order_by("-closed_at", "-number")
    since = person.campaign.settings.sampler.break_after
    spoken = get_language() or "en"
    found = []
    for card in closed.select_related("pair", "campaign", "rating")[1 : since + 1]:
        heard = card.state == CardState.ANSWERED and card.pair is not None and card.rating.value > 1
        if heard and (known := feedback.after(card)):
            people, places = known
            line = str((_PLACES if places else _PEOPLE)[people])
            assert card.pair is not None
            found.append(Told(geography.from_country(card.pair.country, spoken), card.pair, line))
    return tuple(found[:MOST_TOLD])


def at_pause(person: Person) -> dict[str, Any]:
    """What the pause says besides the person's own counts."""
    recognised = feedback.recognised(person)
    spoken = get_language() or "en"
    return {
        "goals": [
            (geography.name(one.country, spoken) if one.country else gettext("All countries"), one)
            for one in goal.goals_of(person)
        ],
        "k": person.campaign.settings.sampler.k,
        "told": told(person),
        "recognised": _RECOGNISED[recognised] if recognised else "",
    }
