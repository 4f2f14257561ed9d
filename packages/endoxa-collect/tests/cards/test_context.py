"""What the sampler is told about a person agrees with what is in the pool."""

from __future__ import annotations

import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.models import Mention, Moderation, Pair, Via


@pytest.mark.parametrize("state", [Moderation.PENDING, Moderation.HIDDEN])
def test_own_words_that_nobody_sees_yet_are_not_shown_and_others_are(campaign, person, make_pairs, state):
    shown = make_pairs(campaign, ("AR", "drink mate", "es"), ("AR", "play football", "es"))
    waiting = make_pairs(campaign, *[("AR", f"like dish {n}", "es") for n in range(5)], moderation=state)
    for pair in waiting:
        Mention.objects.create(person=person, pair=pair, text=pair.attribute, via=Via.PROMPT)
    found = []
    for _ in range(2):
        card = drawing.next_card(person)
        found.append(card.pair)
        answering.rate(person, card.token, 3)
    assert sorted(found, key=lambda pair: pair.pk) == shown


def test_a_hidden_pair_that_others_have_open_takes_nobodys_place(campaign, make_person, make_pairs):
    (hidden,) = make_pairs(campaign, ("AR", "drink mate", "es"))
    for name in ("ben", "eve", "ida"):
        assert drawing.next_card(make_person(campaign, name)).pair == hidden
    Pair.objects.update(moderation=Moderation.HIDDEN)
    (other,) = make_pairs(campaign, ("AR", "play football", "es"))
    assert drawing.next_card(make_person(campaign, "omar")).pair == other
