"""An answer that arrives twice is stored once: what the first form said counts, however often and late others come."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endoxa_collect.cards import drawing
from endoxa_collect.models import CardState, Mention, Pair, Rating, Skip, Statement
from endoxa_collect.security.codes import COOKIE

QUESTION = {"name": "women", "axis": "gender", "text": {"en": "What do people say?"}}
REASONS = ("dont_know", "rather_not", "report_hate", "report_other", "dont_understand")
FORMS = st.tuples(st.sampled_from(("rate", "skip")), st.integers(1, 5))
CARDS = st.lists(st.lists(FORMS, min_size=1, max_size=3), min_size=1, max_size=4)
LATE = st.lists(st.tuples(st.integers(0, 3), FORMS), max_size=4)


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cards=CARDS, late=LATE, times=st.integers(1, 3))
def test_an_answer_that_arrives_twice_is_stored_once(
    make_campaign, make_person, make_pairs, cards, late, times
):
    with transaction.atomic():
        campaign = make_campaign(survey=True, questions=[QUESTION])
        person, client = make_person(campaign, languages=["en"]), Client()
        client.cookies[COOKIE] = person.cookie
        make_pairs(campaign, *(("AR", f"like habit {n}", "en") for n in range(6)), negative=False)
        tokens, first = [], {}

        def send(card, form):
            kind, number = form
            sent = {"value": str(number)} if kind == "rate" else {"reason": REASONS[number - 1]}
            client.post(f"/card/{card.token}/{kind}/", sent)
            first.setdefault(card.token, (kind, number if kind == "rate" else REASONS[number - 1]))

        for forms in cards:
            card = drawing.next_card(person)
            if card.pair is None:
                break
            tokens.append(card)
            for form in forms:
                send(card, form)
        for place, form in late:
            if place < len(tokens):
                send(tokens[place], form)
        stored = {card: ("rate", value) for card, value in Rating.objects.values_list("card__token", "value")}
        stored |= {
            card: ("skip", reason) for card, reason in Skip.objects.values_list("card__token", "reason")
        }
        assert stored == first
        assert Rating.objects.count() + Skip.objects.count() == len(first)
        assert {card.state for card in person.cards.filter(token__in=first)} <= {
            CardState.ANSWERED,
            CardState.SKIPPED,
        }
        counts = {pair.pk: pair.ratings for pair in Pair.objects.all()}
        assert sum(counts.values()) == sum(kind == "rate" for kind, _ in first.values())
        # Words and lines of a survey, sent again.
        rated = [card for card in tokens if first[card.token][0] == "rate"]
        for _ in range(times):
            for card in rated:
                client.post(f"/card/{card.token}/add/", {"text": "love green tea", "language": "en"})
            client.post("/survey/women/", {"text": ["like music"], "language": "en"})
        assert Mention.objects.filter(text="love green tea").count() == len({card.country for card in rated})
        assert Statement.objects.exclude(text="").count() <= 1
        transaction.set_rollback(True)
