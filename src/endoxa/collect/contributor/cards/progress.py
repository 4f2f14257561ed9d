"""What one person did so far. Only ever shown to themselves: nobody is ranked."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from endoxa.collect.models import CLOSED, CardState, Person


@dataclass(frozen=True)
class Progress:
    """Counts of a person: cards `answered` and `skipped`, `added` pairs, survey `statements`."""

    answered: int
    skipped: int
    added: int = 0
    statements: int = 0

    @property
    def cards(self) -> int:
        """Cards that the person is done with."""
        return self.answered + self.skipped


def cards_of(person: Person) -> Progress:
    """Counts of cards only: one query."""
    closed = person.cards.filter(state__in=CLOSED).order_by()
    counts = dict(closed.values_list("state").annotate(Count("pk")))
    return Progress(counts.get(CardState.ANSWERED, 0), counts.get(CardState.SKIPPED, 0))


def progress_of(person: Person) -> Progress:
    """All counts."""
    cards = cards_of(person)
    statements = person.statements.exclude(text="").count()
    return Progress(cards.answered, cards.skipped, person.mentions.count(), statements)


def pause_due(person: Person, done: int) -> bool:
    """Whether a pause is offered now: after every `break_after` cards, unless the next card is open already."""
    every = person.campaign.settings.sampler.break_after
    return done > 0 and done % every == 0 and not person.cards.filter(state=CardState.OPEN).exists()
