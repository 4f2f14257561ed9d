"""How much one person may say: on a card, and within a minute."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext

from endoxa.collect.entry.errors import TooManyCountriesError, TooManyError
from endoxa.collect.models import Card, Mention, Person, Via

PER_CARD = 20
"""Typed proposals that one card takes."""
COUNTRIES_PER_CARD = 12
"""Other countries that one card takes."""
PER_MINUTE = 30
"""What one person may say within a minute, typed or ticked."""


def check_words(person: Person, card: Card | None) -> None:
    """Refuse one thing more in the own words of a person where it is too much.

    Raises:
        TooManyError: too much for this card or for this minute.
    """
    typed = Mention.objects.filter(person=person, card=card).exclude(via=Via.OTHER_COUNTRY)
    if card is not None and typed.count() >= PER_CARD:
        raise TooManyError(gettext("Thank you, that is plenty for this card. Please go on to the next one."))
    _check_pace(person, 1)


def check_ticks(person: Person, card: Card, countries: Iterable[str]) -> None:
    """Refuse countries that are too many to tick; those that were ticked on this card before count once.

    Raises:
        TooManyError: too much for this card or for this minute.
    """
    ticked = Mention.objects.filter(person=person, card=card, via=Via.OTHER_COUNTRY)
    before = set(ticked.values_list("pair__country", flat=True))
    new = set(countries) - before
    if len(before) + len(new) > COUNTRIES_PER_CARD:
        raise TooManyCountriesError(
            gettext("Thank you! One card takes %(most)d other countries; please tick fewer.")
            % {"most": COUNTRIES_PER_CARD}
        )
    _check_pace(person, len(new))


def _check_pace(person: Person, more: int) -> None:
    lately = timezone.now() - timedelta(minutes=1)
    said = Mention.objects.filter(person=person, created_at__gte=lately).count()
    if more and said + more > PER_MINUTE:
        raise TooManyError(gettext("That was fast! Please wait a minute before you add more."))
