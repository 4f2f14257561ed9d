"""Many processes that draw and answer cards at once.

`python -m collect_support.crowd PEOPLE DRAWS PAIRS`, with a campaign in the environment and `tests` on the path, sets
the campaign up, forks one process a person and prints one JSON line: the tokens that were answered and how many of
these answers were late. A fiftieth of the cards is put aside until its time is over and answered then.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
from datetime import timedelta

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "endoxa_collect.settings")

import django

django.setup()  # before any model is imported

# ruff: noqa: E402
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from collect_support.samples import campaign_settings
from endoxa_collect.cards import answering, drawing
from endoxa_collect.models import Campaign, Moderation, Pair, Person, SettingsVersion, Source, State

ASKING_FOR_K = {"topup": 0.0}
"""Nothing is asked for beyond k ratings, so that any more are surplus."""

COUNTRIES = ("AR", "CL", "UY", "BR", "PE", "BO", "PY", "EC")


def set_up(people: int, pairs: int) -> list[str]:
    """Make a campaign with pairs and people; gives the people's ids."""
    call_command("migrate", verbosity=0)
    campaign = Campaign.objects.create(slug="crowd", state=State.OPEN, began_at=timezone.now())
    content = json.loads(campaign_settings(moderation="after", sampler=ASKING_FOR_K).model_dump_json())
    SettingsVersion.objects.create(campaign=campaign, number=1, content=content)
    Pair.objects.bulk_create(
        Pair(
            campaign=campaign, country=COUNTRIES[n % len(COUNTRIES)], attribute=f"attribute {n}", key=f"attribute {n}",
            language=("en", "es")[n % 2], source=Source.SEED, moderation=Moderation.LIVE,
        )
        for n in range(pairs)
    )  # fmt: skip
    crowd = [
        Person(
            campaign=campaign, secret_hash=f"s{n}", receipt_hash=f"r{n}", ui_language="en", consent_version=1,
            consent_language="en", consent_hour=timezone.now(), profile_done=True,
            origins=[COUNTRIES[n % len(COUNTRIES)]], languages=["en", "es"],
        )
        for n in range(people)
    ]  # fmt: skip
    return [str(one.pk) for one in Person.objects.bulk_create(crowd)]


def one_person(person_id: str, draws: int) -> dict[str, object]:
    """Draw and answer `draws` cards."""
    connections.close_all()
    chance = random.Random(person_id)
    person = Person.objects.select_related("campaign").get(pk=person_id)
    answered: list[str] = []
    aside = []
    late = 0
    for _ in range(draws):
        if chance.random() < 0.02:
            # Drawn an hour ago as far as the lease is concerned: its time is over, its place is free.
            aside.append(drawing.next_card(person, now=timezone.now() - timedelta(hours=1)))
        card = drawing.next_card(person)
        if card.pair is not None and not answering.rate(person, card.token, chance.randint(1, 5)).again:
            answered.append(str(card.token))
        if aside and chance.random() < 0.3:
            old = aside.pop()
            if old.pair is not None and not answering.rate(person, old.token, 3).again:
                answered.append(str(old.token))
                late += 1
    connections.close_all()
    return {"answered": answered, "late": late}


def main() -> None:
    """Run the crowd."""
    people, draws, pairs = (int(word) for word in sys.argv[1:4])
    ids = set_up(people, pairs)
    connections.close_all()
    with multiprocessing.get_context("fork").Pool(people) as pool:
        results = pool.starmap(one_person, [(one, draws) for one in ids], chunksize=1)
    answered = [token for result in results for token in result["answered"]]
    print(json.dumps({"answered": answered, "late": sum(result["late"] for result in results)}))


if __name__ == "__main__":
    main()
