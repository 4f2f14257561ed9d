"""How long the next card takes, and how it grows with the pool.

    python benchmarks/next_card.py [PAIRS ...]

For pools of 500, 5,000 and 50,000 pairs: the next card of people who answer one every eight seconds (a pair waits for
them, or pairs pick raters for all in that moment), and the same where no pair waits and one has to be found. SQLite in
a temporary folder.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from frame import seconds_of

CARDS = 150
SECONDS_A_CARD = 8
COUNTRIES = ("AR", "CL", "UY", "BR", "PE", "BO", "PY", "EC", "CO", "MX", "VE", "CR", "PA", "ES", "DO")


def main() -> None:
    """Print a row for each size of the pool."""
    print("| pairs | draw p50 | draw p95 | none waits p50 | none waits p95 |\n|---|---|---|---|---|")
    for size in [int(word) for word in sys.argv[1:]] or [500, 5_000, 50_000]:
        print(_row(size), flush=True)


def _row(size: int) -> str:
    from endoxa_collect.models import Match

    people = _set_up(size)
    times = [_room(people), _room(people, before=lambda: Match.objects.all().delete())]
    figures = [float(np.percentile(draws, percent)) for draws in times for percent in (50, 95)]
    return f"| {size:,} | " + " | ".join(f"{figure:.1f} ms" for figure in figures) + " |"


def _room(people: list[Any], before: Callable[[], object] = lambda: None) -> list[float]:
    """Milliseconds of draws while people answer in turn, each a card every eight seconds."""
    from django.utils import timezone

    from endoxa_collect.cards import answering, drawing, locking

    now = timezone.now()
    cards = {person.pk: drawing.next_card(person, now=now) for person in people}
    # What the site remembered is from before anybody was here; its five seconds are longer than this program runs.
    locking.clear_all()
    draws: list[float] = []
    for number in range(CARDS):
        person = people[number % len(people)]
        now += timedelta(seconds=SECONDS_A_CARD / len(people))
        card = cards[person.pk]
        if card.pair is None:
            answering.finish_prompt(person, card.token, now=now)
        else:
            answering.rate(person, card.token, random.randint(1, 5), lifted=True, now=now)
        before()
        seconds, cards[person.pk] = seconds_of(
            lambda person=person, now=now: drawing.next_card(person, now=now)
        )
        draws.append(1_000 * seconds)
    return draws


def _set_up(size: int) -> list[Any]:
    """A campaign with a pool of this size, and ten people."""
    from django.db import connection
    from django.utils import timezone

    from endoxa_collect.models import Campaign, Moderation, Pair, Person, SettingsVersion, Source, State
    from endoxa_collect.presets import load_preset
    from endoxa_collect.sampler.slots import SamplerSettings
    from endoxa_collect.security.codes import hash_secret

    slug = f"pool-{size}"
    campaign = Campaign.objects.create(slug=slug, state=State.OPEN, began_at=timezone.now())
    content = json.loads(load_preset("laces").settings.model_dump_json())
    SettingsVersion.objects.create(campaign=campaign, number=1, content=content)
    Pair.objects.bulk_create(
        Pair(
            campaign=campaign,
            country=random.choice(COUNTRIES),
            attribute=f"attribute {n}",
            key=f"attribute {n}",
            language=random.choice(("es", "en")),
            source=Source.SEED,
            moderation=Moderation.LIVE,
            calibration=n < SamplerSettings().calibration_pairs,
        )
        for n in range(size)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    people = []
    for n in range(10):
        cookie = f"{slug}-person-{n}"
        person = Person.objects.create(
            campaign=campaign,
            secret_hash=hash_secret(cookie),
            receipt_hash=cookie,
            ui_language="es",
            consent_version=1,
            consent_language="es",
            consent_hour=timezone.now(),
            profile_done=True,
            origins=[COUNTRIES[n]],
            languages=["es", "en"],
        )
        people.append(person)
    return people


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ENDOXA_CAMPAIGN=folder, DJANGO_SETTINGS_MODULE="endoxa_collect.settings")
        Path(folder, "secret.key").write_text("only for this benchmark, which listens to nobody")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        main()
