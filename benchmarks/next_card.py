"""How long the next card takes, and how it grows with the pool.

    python benchmarks/next_card.py [PAIRS ...]

For pools of 500, 5,000 and 50,000 pairs: the next card of people who answer one every eight seconds (a pair waits for
them, or pairs pick raters for all in that moment), the same where no pair waits and one has to be found, answering it,
and the whole page without a pair that waits as the server sees it (Django's test client: middleware, draw, template),
beside a draw as one would write it first: all pairs that need ratings and that the person has not seen, in random
order, the first one taken. SQLite in a temporary folder.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

CARDS = 150
SECONDS_A_CARD = 8
COUNTRIES = ("AR", "CL", "UY", "BR", "PE", "BO", "PY", "EC", "CO", "MX", "VE", "CR", "PA", "ES", "DO")


def main() -> None:
    """Print a table for each size of the pool."""
    sizes = [int(word) for word in sys.argv[1:]] or [500, 5_000, 50_000]
    print(
        "| pairs | draw p50 | draw p95 | none waits p50 | none waits p95 | answer p95 | page p50 | page p95 "
        "| naive draw p95 | naive / ours (p95) |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for size in sizes:
        print(_row(size), flush=True)


def _row(size: int) -> str:
    from endoxa_collect.models import Match

    people = _set_up(size)
    draws, answers = _room(people)
    naive: list[float] = []
    for number in range(CARDS):
        person, _ = people[number % len(people)]
        _timed(naive, lambda person=person: _first_that_comes_to_mind(person))
    found = _room(people, before=lambda: Match.objects.all().delete())[0]
    pages = _pages(people)
    figures = [
        *(_at(draws, percent) for percent in (50, 95)),
        *(_at(found, percent) for percent in (50, 95)),
        _at(answers, 95),
        *(_at(pages, percent) for percent in (50, 95)),
        _at(naive, 95),
    ]
    ratio = _at(naive, 95) / _at(draws, 95)
    return f"| {size:,} | " + " | ".join(f"{figure:.1f} ms" for figure in figures) + f" | {ratio:.1f} |"


def _room(
    people: list[tuple[Any, str]], before: Callable[[], object] = lambda: None
) -> tuple[list[float], list[float]]:
    """Milliseconds of draws and answers while people answer in turn, each a card every eight seconds."""
    from django.utils import timezone

    from endoxa_collect.cards import answering, drawing, locking

    now = timezone.now()
    cards = {person.pk: drawing.next_card(person, now=now) for person, _ in people}
    # What the site remembered is from before anybody was here; its five seconds are longer than this program runs.
    locking.clear_all()
    draws: list[float] = []
    answers: list[float] = []
    for number in range(CARDS):
        person, _ = people[number % len(people)]
        now += timedelta(seconds=SECONDS_A_CARD / len(people))
        card = cards[person.pk]
        if card.pair is None:
            answering.finish_prompt(person, card.token, now=now)
        else:
            _timed(
                answers,
                lambda person=person, card=card, now=now: answering.rate(
                    person, card.token, random.randint(1, 5), lifted=True, now=now
                ),
            )
        before()
        cards[person.pk] = _timed(draws, lambda person=person, now=now: drawing.next_card(person, now=now))
    return draws, answers


def _pages(people: list[tuple[Any, str]]) -> list[float]:
    """Milliseconds of the page of the next card, where no pair waits."""
    from django.test import Client

    from endoxa_collect.cards import answering, drawing
    from endoxa_collect.models import Card, Match
    from endoxa_collect.security.codes import COOKIE

    client, pages = Client(SERVER_NAME="localhost"), []
    Card.objects.filter(state="open").update(state="lapsed")
    for number in range(CARDS):
        person, cookie = people[number % len(people)]
        Match.objects.all().delete()
        client.cookies[COOKIE] = cookie
        page = _timed(pages, lambda: client.get("/card/?on"))
        assert page.status_code == 200, page.status_code
        answering.skip(person, drawing.next_card(person).token, "dont_know")
    return pages


def _timed(times: list[float], act: Callable[[], Any]) -> Any:
    begun = time.perf_counter()
    result = act()
    times.append((time.perf_counter() - begun) * 1_000)
    return result


def _at(times: list[float], percent: int) -> float:
    return float(np.percentile(times, percent))


def _first_that_comes_to_mind(person: object) -> object:
    from endoxa_collect.models import Moderation, Pair

    wanted = Pair.objects.filter(
        campaign=person.campaign, moderation=Moderation.LIVE, ratings__lt=3, language__in=person.languages
    )
    return wanted.exclude(cards__person=person).order_by("?").first()


def _set_up(size: int) -> list[tuple[object, str]]:
    """A fresh database with a pool of this size; gives people and their cookies."""
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
        people.append((person, cookie))
    return people


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ENDOXA_CAMPAIGN=folder, DJANGO_SETTINGS_MODULE="endoxa_collect.settings")
        Path(folder, "secret.key").write_text("only for this benchmark, which listens to nobody")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        main()
