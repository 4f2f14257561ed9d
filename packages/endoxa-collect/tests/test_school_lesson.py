"""A lesson with the preset of the school: 40 minutes, nobody looks at new pairs; a class does not run out of cards."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from endoxa_collect.cards import answering, drawing, kinds, locking
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.models import Mention, MixedKind, Via
from endoxa_collect.presets import load_preset

MINUTES = 40
SECONDS = 40
"""Between two cards of one pupil: the controller expects 1.5 ratings a minute of each person in a room."""
REMEMBERED_S = 5
"""How old what a process remembers of the database may be, as on the site."""


@pytest.mark.slow
def test_a_class_does_not_run_out_of_cards(make_campaign, make_person, settings):
    """Twelve, who have fewer ratings to share and fewer words of each other than a larger class."""
    settings.STATISTICS_SECONDS = float("inf")  # real seconds; those of the lesson are counted below
    loaded = load_preset("school")
    campaign = make_campaign("school", **json.loads(loaded.settings.model_dump_json()))
    add_seeds(campaign, loaded.seeds)
    begun = timezone.now()
    campaign.began_at = begun
    campaign.save()
    chance = np.random.default_rng(11)
    pupils = [
        make_person(campaign, f"p{number}", origins=[origin], languages=["en"])
        for number, origin in enumerate(["GB"] * 10 + ["IN"] * 2)
    ]
    got: dict[object, Counter[str]] = {pupil.pk: Counter() for pupil in pupils}
    read = begun
    for step in range(MINUTES * 60 // SECONDS):
        for place, pupil in enumerate(pupils):
            now = begun + timedelta(seconds=SECONDS * (step + place / len(pupils)))
            if now - read >= timedelta(seconds=REMEMBERED_S):
                locking.clear_all()
                read = now
            got[pupil.pk][play(pupil, now, chance)] += 1
    totals = sum(got.values(), Counter())
    least = min(sum(number for kind, number in one.items() if kind != "nothing") for one in got.values())
    words = Mention.objects.count() / len(pupils)
    assert totals["nothing"] == 0
    assert least == MINUTES * 60 // SECONDS
    assert totals["rate"] >= totals.total() / 2
    # Pairs in languages that nobody reads wait in vain, but do not keep the fields for words closed.
    assert words > 1


def play(pupil, now, chance):
    """One card, answered; what kind it was."""
    done = pupil.cards.filter(state="answered").count()
    mixed = kinds.next_mixed(pupil, done, now=now, rng=chance)
    card = None if mixed else drawing.next_card(pupil, now=now, rng=chance)
    if mixed is None and card is None:
        mixed = kinds.next_mixed(pupil, done, now=now, rng=chance, alone=True)
    if mixed is not None:
        if mixed.kind == MixedKind.HEARD:
            kinds.answer_heard(pupil, mixed.token, [])
        else:
            kinds.answer_comparison(pupil, mixed.token, "same")
        return "list or comparison"
    if card is None:
        return "nothing"
    if card.pair is None:
        words = f"{chance.integers(10**9)} words"
        propose(pupil, card, country=card.country, text=words, language=pupil.languages[0], via=Via.PROMPT)
        answering.finish_prompt(pupil, card.token, now=now)
        return "question"
    answering.rate(pupil, card.token, int(chance.integers(1, 6)), now=now)
    if card.words and chance.random() < 0.3:
        words = f"{chance.integers(10**9)} words"
        propose(pupil, card, country=card.country, text=words, language=pupil.languages[0], via=Via.ATTRIBUTE)
    return "rate"
