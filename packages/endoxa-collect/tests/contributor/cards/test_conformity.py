"""Feedback and ratings: scripted people who read the site's own pages, and the simulation in the manual."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from html import unescape
from importlib.util import module_from_spec, spec_from_file_location
from types import SimpleNamespace

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from endoxa_collect.cards import drawing
from endoxa_collect.contributor import progress
from endoxa_collect.models import Card, CardState, Pair, Rating
from endoxa_collect.security.codes import COOKIE
from support.repository import ROOT

TOLD = re.compile("people or more.*know this one too")
EVERY = 4
"""Cards of a set."""


@pytest.fixture(scope="module")
def simulated():
    """The program that prints the table of docs/collect/cards.md; data classes look their module up by name."""
    import sys

    spec = spec_from_file_location(
        "feedback_and_conformity", ROOT / "benchmarks" / "feedback_and_conformity.py"
    )
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


class Reader:
    """Somebody who rates as they feel, but moves towards 4 by `shift` of what a page told them before that.

    What the page of a card tells is taken to be about its pair. What any other page told moves the rating after it by
    `carry` of the shift.
    """

    def __init__(self, person, shift, carry, clock):
        self.clock = clock
        self.client = Client()
        self.client.cookies[COOKIE] = person.cookie
        self.person, self.shift, self.carry = person, shift, carry
        self.spilled = 0.0
        self.told = 0

    def play(self, cards):
        page = self.open("/card/")
        for _ in range(cards):
            self.clock.now += timedelta(seconds=8)
            form = re.search(r'action="(/card/[0-9a-f-]+/rate/)"', page)
            words = unescape(re.search(r"<q [^>]*>([^<]*)</q>", page)[1])
            felt = 1 + len(words) % 5
            moved = self.shift if TOLD.search(page) else self.spilled
            self.spilled = 0.0
            self.read(self.client.post(form[1], {"value": round(felt + moved * (4 - felt))}, follow=True))
            page = self.open("/card/")

    def open(self, path):
        answer = self.client.get(path, follow=True)
        if answer.redirect_chain and answer.redirect_chain[-1][0] == "/pause/":
            self.read(answer)
            answer = self.client.get("/card/?on=1")
        page = answer.content.decode()
        question = re.search(r'formaction="(/card/[0-9a-f-]+/finish/)"', page)
        if question:
            self.client.post(question[1], {"text": ""})
            return self.open("/card/?on=1")
        return page

    def read(self, answer):
        page = answer.content.decode()
        if TOLD.search(page) and "/rate/" not in page:
            self.told += 1
            self.spilled = self.shift * self.carry


@pytest.fixture
def estimates(make_campaign, make_person, make_pairs, monkeypatch):
    """A function that lets people play with or without feedback: mean ratings, all draws in order, and readers.

    Who is here, and when pairs pick people, follows from the time; so that only goes on from card to card.
    """
    begun = timezone.now()
    clock = SimpleNamespace(now=begun)
    monkeypatch.setattr(timezone, "now", lambda: clock.now)

    def play(*, told, shift=0.0, carry=0.0):
        clock.now = begun
        chance = np.random.Generator(np.random.PCG64(5))
        monkeypatch.setattr(drawing.np.random, "default_rng", lambda: chance)
        campaign = make_campaign(
            f"lake-{told}-{shift}-{carry}".replace(".", ""),
            feedback=told,
            heard_lists=0,
            comparisons=0,
            wave_minutes=1440,
            sampler={"break_after": EVERY, "prompt_early": 0, "k": 6, "k_max": 30},
        )
        words = [(country, "ha" * n, "en") for country in ("AR", "CL", "UY") for n in range(1, 8)]
        for place, pair in enumerate(make_pairs(campaign, *words, negative=False)):
            Pair.objects.filter(pk=pair.pk).update(position=place / 21, waiting_since=0)
        readers = []
        for wave, people in enumerate((7, 3)):
            for number in range(people):
                person = make_person(campaign, f"{campaign.slug} {wave} {number}")
                readers.append(Reader(person, shift, carry, clock))
                readers[-1].play(2 * EVERY + 1)
            clock.now += timedelta(days=1)
        found = defaultdict(list)
        for pair, value in Rating.objects.filter(person__campaign=campaign).values_list(
            "pair__attribute", "value"
        ):
            found[pair].append(value)
        done = Card.objects.filter(campaign=campaign, state=CardState.ANSWERED)
        rows = done.order_by("pk").values_list("pair__country", "pair__attribute", "tier", "rating__value")
        return {pair: np.mean(values) for pair, values in found.items()}, list(rows), readers

    return play


@pytest.mark.slow
def test_feedback_moves_the_first_rating_after_a_pause_and_no_other(estimates):
    without, others, _ = estimates(told=False)
    # People who do not conform give the same estimates with and without feedback.
    with_it, drawn, readers = estimates(told=True, carry=1.0)
    assert sum(reader.told for reader in readers) >= 3
    assert (drawn, with_it) == (others, without)
    # Nor do those who conform wholly to what they are told of a pair before they answer, and forget it before the next.
    with_it, _, readers = estimates(told=True, shift=1.0)
    assert sum(reader.told for reader in readers) >= 3
    assert with_it == without
    # What is carried on moves the rating that follows a pause.
    with_it, drawn, readers = estimates(told=True, shift=1.0, carry=1.0)
    assert [row[:3] for row in drawn] == [row[:3] for row in others]
    moved = [place for place, (one, other) in enumerate(zip(drawn, others, strict=True)) if one != other]
    assert moved
    assert {place % (2 * EVERY + 1) for place in moved} <= {EVERY, 2 * EVERY}
    assert len(moved) <= sum(reader.told for reader in readers)
    assert with_it != without


def test_the_simulation_tells_what_the_site_tells(simulated, campaign):
    assert progress.STEPS[0] == simulated.FEW
    assert campaign.settings.sampler.break_after == simulated.SET


@pytest.mark.slow
def test_a_pause_moves_means_far_less_than_live_counts_before_the_answer(simulated):
    small = simulated.World(runs=60, pairs=30, people=60, cards=24, wave=15, carry=0.5)
    found = {arm: simulated.difference(small, arm) for arm in simulated.Arm if arm != simulated.Arm.NONE}
    pause, after, before = (
        found[arm] for arm in (simulated.Arm.PAUSE, simulated.Arm.AFTER, simulated.Arm.BEFORE)
    )
    # It moves them all the same: what is carried on cannot be kept out.
    assert pause[0] > 5 * pause[1] > 0
    assert 10 * pause[0] < before[0]
    assert 3 * pause[0] < after[0]
    still = simulated.World(runs=20, pairs=30, people=60, cards=24, wave=15, shift=0.0)
    assert all(simulated.difference(still, arm)[0] == 0 for arm in simulated.Arm)
