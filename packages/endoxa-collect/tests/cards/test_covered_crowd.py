"""A campaign in Spanish, in which our lists know hardly a word: what stays covered, and who hears of it."""

from __future__ import annotations

import random
from datetime import timedelta

import numpy as np
import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.words import negative
from endoxa_collect.models import Pair, Rating, Revealed, Via
from endoxa_collect.organiser.decisions import queue
from endoxa_collect.sampler.controller import Balance

KIND = (
    "bailan hasta el amanecer", "toman mate en la plaza", "hablan con las manos", "madrugan mucho",
    "cantan en el colectivo", "caminan junto al río", "cenan muy tarde", "saludan con un beso",
    "juegan a las cartas", "hacen asado los domingos",
)  # fmt: skip
NASTY = ("no se lavan nunca", "viven de los demás", "todo lo copian")
PEOPLE = 16


@pytest.mark.slow
@pytest.mark.parametrize("answering_share", [1.0, 0.6])
def test_what_nobody_judged_does_not_stay_covered_unheard_of(
    make_campaign, make_person, answering_share, capsys
):
    """People open what is covered; so many of them answer whether it hurts, and one in fifteen is not sure."""
    campaign = make_campaign("rio", data_languages=("es",), moderation="after")
    assert {negative(words, "es") for words in (*KIND, *NASTY)} == {None}
    author = make_person(campaign, "author", languages=["es"])
    for words in (*KIND, *NASTY):
        propose(author, None, country="AR", text=words, language="es", via=Via.ATTRIBUTE)
    before = [pair for pair in Pair.objects.all() if pair.may_hurt]
    assert len(before) == Pair.objects.count() == len(KIND) + len(NASTY)
    chance, rng = random.Random(5), np.random.default_rng(5)
    # Weights grow with the time that pairs wait, and the controller looks at the clock: both are the same each time.
    now = campaign.began_at
    Pair.objects.update(waiting_since=int(now.timestamp()))
    campaign.balance = Balance.EXPLORE
    campaign.save()
    for number in range(PEOPLE):
        person = make_person(campaign, f"p{number}", languages=["es"])
        for _ in range(len(KIND) + len(NASTY)):
            now += timedelta(seconds=8)
            card = drawing.next_card(person, now=now, rng=rng)
            if card is None:
                break
            if card.pair is None:
                answering.skip(person, card.token, "dont_know", now=now)
                continue
            if card.pair.may_hurt:
                answering.reveal(person, card.token)
            answering.rate(person, card.token, chance.randint(1, 5), now=now)
            card.refresh_from_db()
            if answering.asks_hurts(card) and chance.random() < answering_share:
                truth = "yes" if card.pair.attribute in NASTY else "no"
                answering.answer_hurts(person, card, "unsure" if chance.random() < 1 / 15 else truth, now=now)
    left = {pair.attribute for pair in Pair.objects.all() if pair.may_hurt}
    with capsys.disabled():
        kind = len(left & set(KIND))
        print(
            f"\nunjudged Spanish pairs, {answering_share:.0%} of askings answered: before all {len(before)} covered;"
            f" after {PEOPLE} people {kind} of {len(KIND)} that hurt nobody and {len(left & set(NASTY))} of"
            f" {len(NASTY)} others"
        )
    assert set(NASTY) <= left
    assert len(left & set(KIND)) <= len(KIND) / 2
    # What is still covered was judged to hurt, or stands before moderators.
    told = set(queue(campaign, organiser=False).values_list("attribute", flat=True))
    judged = set(Pair.objects.filter(negative=True).values_list("attribute", flat=True))
    assert left == told | judged
    assert set(Rating.objects.values_list("card__revealed", flat=True)) <= {Revealed.SHOWN, Revealed.REVEALED}
