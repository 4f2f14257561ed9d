"""Two at once on PostgreSQL, each at the worst moment of the other.

`python -m collect_support.races`, with a campaign and a database in the environment and `tests` on the path, prints one
JSON object: what came of each race.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "endoxa_collect.settings")

import django

django.setup()  # before any model is imported

# ruff: noqa: E402
from django.db import connections
from django.utils import timezone

from collect_support import crowd
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.drawing import Plan
from endoxa_collect.cards.locking import shared
from endoxa_collect.export.run import numbered
from endoxa_collect.export.tables import snapshot
from endoxa_collect.models import Campaign, Card, CardState, Match, Pair, Person, Rating, Tombstone

NOW = timezone.now()


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """What each of them gave, run in a thread of its own, or its error in words."""
    found: list[object] = [None] * len(jobs)

    def run(place: int, job: Callable[[], object]) -> None:
        try:
            found[place] = job()
        except Exception as problem:
            found[place] = str(problem)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=one) for one in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def given(person: Person, pair: Pair, state: CardState) -> Card:
    """A card of a person."""
    return Card.objects.create(
        campaign=person.campaign, person=person, pair=pair, country=pair.country, number=0, tier="own", slot="anyone",
        version=1, digest="x", state=state, drawn_at=NOW, expires_at=NOW + timedelta(minutes=5), revealed="shown",
    )  # fmt: skip


def two_cards_of_one_pair(ana: Person, pair: Pair) -> list[object]:
    """One person answers both of their cards of a pair; both were read before either is written."""
    lapsed, opened = given(ana, pair, CardState.LAPSED), given(ana, pair, CardState.OPEN)
    both, card_of = threading.Barrier(2), answering.card_of

    def slowly(person: Person, token: object) -> Card:
        card = card_of(person, token)
        # Broken where the other waits for this one.
        with suppress(threading.BrokenBarrierError):
            both.wait(1)
        return card

    answering.card_of = slowly
    found = at_once(
        *(lambda card=card: answering.rate(ana, card.token, 3).again for card in (lapsed, opened))
    )
    answering.card_of = card_of
    return sorted(found, key=str)


def two_stand_in_for_each_other(ana: Person, ben: Person, one: Pair, other: Pair) -> list[object]:
    """Each takes the slot that waits for the other, and gives back what waits for them."""
    Pair.objects.filter(pk__in=(one.pk, other.pk)).update(ratings=2, own_filled=1, near_filled=1)
    slot = {"slot": "anyone", "propensity": 0.5, "pool": 2, "until": NOW + timedelta(minutes=5)}
    for person, pair in ((ana, one), (ben, other)):
        Match.objects.create(person=person, pair=pair, campaign=person.campaign, **slot)
    both = threading.Barrier(2)

    def draw(person: Person, pair: Pair) -> bool:
        match = Match(person=person, pair=pair, campaign=person.campaign, **slot)
        plan = Plan("anyone", pair.country, pair=pair, match=match, stands_in=True)
        with shared(person.campaign_id):
            taken = plan.take(NOW)
            both.wait(5)
            drawing.stored(type("Planning", (), {"number": 0}), plan, person, NOW)
        return taken

    return at_once(lambda: draw(ana, other), lambda: draw(ben, one))


def release_while_taken_back(ana: Person, pair: Pair) -> list[object]:
    """A release is begun when an answer is on its way out; how many ratings it holds, and how many are remembered."""
    card = given(ana, pair, CardState.OPEN)
    answering.rate(ana, card.token, 3)
    looked, bury = threading.Event(), answering.bury_rows

    def slowly(campaign: Campaign, table: str, rows: object) -> None:
        bury(campaign, table, rows)
        looked.set()
        if table == "ratings":
            released.wait(1)

    released = threading.Event()
    answering.bury_rows = slowly

    def release() -> int:
        looked.wait(5)
        with numbered(ana.campaign, "1.0", "salt"), snapshot():
            count = Rating.objects.filter(pair=pair).count()
        released.set()
        return count

    _, held = at_once(lambda: answering.undo(ana, card.token), release)
    answering.bury_rows = bury
    return [held, Tombstone.objects.count()]


def main() -> None:
    """Run all races."""
    people = [Person.objects.get(pk=one) for one in crowd.set_up(4, 8)]
    pairs = list(Pair.objects.order_by("pk"))
    print(
        json.dumps(
            {
                "two_cards": two_cards_of_one_pair(people[0], pairs[0]),
                "stand_ins": two_stand_in_for_each_other(people[1], people[2], pairs[1], pairs[2]),
                "release": release_while_taken_back(people[3], pairs[3]),
            }
        )
    )


if __name__ == "__main__":
    main()
