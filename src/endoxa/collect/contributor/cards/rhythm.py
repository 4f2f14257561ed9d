"""The rhythm of a visit: how far the next pause is, what all reach together, what others know, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from endoxa.collect import geography
from endoxa.collect.cards import feedback, goal
from endoxa.collect.models import Card, Person

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


def told(card: Card | None) -> str:
    """One line about the card that was rated last, for the page after it; "" for none."""
    known = feedback.after(card) if card is not None else None
    if known is None:
        return ""
    people, places = known
    return str((_PLACES if places else _PEOPLE)[people])


def at_pause(person: Person) -> dict[str, Any]:
    """What the pause says besides the person's own counts."""
    recognised = feedback.recognised(person)
    spoken = get_language() or "en"
    return {
        "goals": [
            (geography.name(one.country, spoken) if one.country else gettext("All countries"), one)
            for one in goal.goals_of(person)
        ],
        "recognised": _RECOGNISED[recognised] if recognised else "",
    }
