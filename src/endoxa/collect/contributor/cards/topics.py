"""Topics that somebody would rather not see."""

from __future__ import annotations

from collections.abc import Callable

from endoxa.collect.cards.locking import locked
from endoxa.collect.models import Card, CardState, Person, SkipReason


def offered(latest: Card | None, person: Person) -> str:
    """The topic to offer to leave out: that of the latest card, if the person would rather not answer it, else ""."""
    if latest is None or latest.pair is None or latest.state != CardState.SKIPPED:
        return ""
    topic = latest.pair.topic
    return topic if topic not in person.topic_optouts and latest.skip.reason == SkipReason.RATHER_NOT else ""


def avoid(person: Person, card: Card) -> None:
    """Draw no more cards about the topic of this one; an open one about it is given back."""
    if card.pair is None or not card.pair.topic:
        return
    topic = card.pair.topic
    with locked(person.campaign_id):
        _set(person, lambda avoided: avoided | {topic})
        Card.objects.filter(person=person, state=CardState.OPEN, pair__topic=topic).update(
            state=CardState.LAPSED
        )


def allow(person: Person, card: Card) -> None:
    """Draw cards about the topic of this one again."""
    if card.pair is None or not card.pair.topic:
        return
    topic = card.pair.topic
    with locked(person.campaign_id):
        _set(person, lambda avoided: avoided - {topic})


def _set(person: Person, changed: Callable[[set[str]], set[str]]) -> None:
    person.refresh_from_db(fields=["topic_optouts"])
    person.topic_optouts = sorted(changed(set(person.topic_optouts)))
    person.save(update_fields=["topic_optouts"])
