"""What the sampler is told about a person agrees with what is in the pool."""

from __future__ import annotations

import pytest

from endoxa.collect.cards import answering, drawing
from endoxa.collect.models import Mention, Moderation, Pair, Via


@pytest.mark.parametrize("state", [Moderation.PENDING, Moderation.HIDDEN])
def test_own_words_that_nobody_sees_yet_do_not_shrink_the_pool(campaign, person, make_pairs, state):
    make_pairs(campaign, ("AR", "drink mate", "es"), ("AR", "play football", "es"))
    waiting = make_pairs(campaign, *[("AR", f"like dish {n}", "es") for n in range(5)], moderation=state)
    for pair in waiting:
        Mention.objects.create(person=person, pair=pair, text=pair.attribute, via=Via.PROMPT)
    sizes = []
    for _ in range(2):
        card = drawing.next_card(person)
        sizes.append(card.pool)
        answering.rate(person, card.token, 3)
    assert sizes == [2, 1]


def test_a_hidden_pair_that_others_have_open_does_not_shrink_the_pool(campaign, make_person, make_pairs):
    (hidden,) = make_pairs(campaign, ("AR", "drink mate", "es"))
    for name in ("ben", "eve", "ida"):
        assert drawing.next_card(make_person(campaign, name)).pair == hidden
    Pair.objects.update(moderation=Moderation.HIDDEN)
    make_pairs(campaign, ("AR", "play football", "es"))
    assert drawing.next_card(make_person(campaign, "omar")).pool == 1
