"""Merging pairs and taking it back: counts as if nothing had been."""

from __future__ import annotations

import itertools
import random
from uuid import uuid4

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collect_support.stored import stored_card, stored_rating
from endoxa_collect.cards.answering import skip, undo
from endoxa_collect.cards.counts import recount, root_of
from endoxa_collect.entry.proposing import MergeError, merge, unmerge
from endoxa_collect.models import Mention, Moderation, Pair, Rating, Via

COUNTS = ("pk", "moderation", "merged_into", "before_merge", "ratings", "mentions", "variance", "need")


def rate(person, pair, value):
    stored_rating(person, pair, value, timezone.now())


def mention(person, pair):
    Mention.objects.create(person=person, pair=pair, text=pair.attribute, via=Via.ATTRIBUTE)


def counts(pairs):
    return list(Pair.objects.filter(pk__in=[pair.pk for pair in pairs]).order_by("pk").values_list(*COUNTS))


def fresh(pair):
    return Pair.objects.get(pk=pair.pk)


@pytest.mark.slow
@given(
    answers=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 5)), max_size=25),
    merges=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=10),
    seed=st.integers(0, 99),
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_merges_taken_back_in_reverse_leave_no_trace(
    campaign, make_person, make_pairs, answers, merges, seed
):
    mark = uuid4().hex
    pairs = make_pairs(campaign, *(("AR", f"{mark} {n}", "en") for n in range(6)))
    people = [make_person(campaign, f"{mark} {n}") for n in range(5)]
    for person, pair, value in {(a, b): (a, b, c) for a, b, c in answers}.values():
        mention(people[person], pairs[pair]) if value == 0 else rate(people[person], pairs[pair], value)
    recount(campaign, pairs)
    before = counts(pairs)
    states, done = [], []
    for one, other in merges:
        state = counts(pairs)
        try:
            merge(fresh(pairs[one]), pairs[other])
        except MergeError:
            assert counts(pairs) == state
            continue
        states.append(state)
        done.append(pairs[one])
    roots = {root_of(fresh(pair)) for pair in pairs}
    assert sum(root.ratings for root in roots) == len(
        {(rating.person_id, root_of(rating.pair).pk) for rating in Rating.objects.filter(pair__in=pairs)}
    )
    for pair, state in reversed(list(zip(done, states, strict=True))):
        unmerge(fresh(pair))
        # A merged pair's own counts are not kept up: only roots and links are compared on the way.
        assert [row for row in counts(pairs) if row[2] is None] == [row for row in state if row[2] is None]
    assert counts(pairs) == before
    assert all(fresh(pair).merged_into is None for pair in pairs)
    order = list(range(6))
    random.Random(seed).shuffle(order)
    for one, other in itertools.pairwise(order):
        merge(fresh(pairs[one]), pairs[other])
    random.Random(seed).shuffle(order)
    for one in order:
        if fresh(pairs[one]).merged_into is not None:
            unmerge(fresh(pairs[one]))
    assert counts(pairs) == before


def test_no_circles_no_strangers_no_second_parent(campaign, make_campaign, make_pairs):
    a, b, c = make_pairs(campaign, ("AR", "love a", "en"), ("AR", "love b", "en"), ("AR", "love c", "en"))
    merge(a, b)
    for one, other in ((b, a), (b, b), (a, c)):
        with pytest.raises(MergeError):
            merge(fresh(one), fresh(other))
    assert merge(fresh(c), fresh(a)) == b
    with pytest.raises(MergeError, match="not merged"):
        unmerge(fresh(b))
    strangers = [
        *make_pairs(campaign, ("CL", "love a", "en"), ("AR", "love a", "es")),
        *make_pairs(make_campaign("lake"), ("AR", "love a", "en")),
    ]
    for stranger in strangers:
        with pytest.raises(MergeError, match="one country in one language"):
            merge(stranger, fresh(b))


def test_taking_a_merge_back_gives_the_moderation_and_reports_it_had(campaign, person, make_pairs):
    (root,) = make_pairs(campaign, ("AR", "love poetry", "en"))
    (pair,) = make_pairs(campaign, ("AR", "loves poetry", "en"), moderation=Moderation.PENDING)
    card = stored_card(person, pair, timezone.now())
    merge(pair, root)
    skip(person, card.token, "report_hate")
    assert fresh(pair).flags == fresh(root).flags == ["report_hate"]
    unmerge(fresh(pair))
    assert (fresh(pair).flags, fresh(root).flags) == (["report_hate"], [])
    assert fresh(pair).moderation == Moderation.PENDING
    undo(person, card.token)
    assert (fresh(pair).flags, fresh(root).flags) == ([], [])
