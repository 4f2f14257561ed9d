"""Near-duplicates: a labelled list of ours, planted ones in a large country, and what is never offered."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from collect_support.written import TABLES, rows
from endoxa_collect.entry.cleaning import comparable, key
from endoxa_collect.entry.proposing import CUT_OFF, alike, likeness, nearest, scored
from endoxa_collect.models import Moderation, Pair, Source


def form(text, language):
    return comparable(key(text, language), language)


def unasked(table):
    """Of a table, those about which people are not asked, and how many there are; whichever of both came first."""
    labelled = [
        (form(one, language), form(other, language)) for language, two in rows(table) for one, other in two
    ]
    assert [likeness(one, other) for one, other in labelled] == [
        likeness(other, one) for one, other in labelled
    ]
    return [two for two in labelled if likeness(*two) < CUT_OFF], len(labelled)


@pytest.mark.parametrize(
    ("table", "missed", "all_of_them"), [("alike", 6, 32), ("unlike", 25, 26), ("surely_alike", 0, 33)]
)
def test_the_cut_off_on_our_labelled_lists(table, missed, all_of_them):
    found, number = unasked(table)
    assert (len(found), number) == (missed, all_of_them), found


def test_planted_near_duplicates_are_found_in_a_country_of_two_thousand():
    rng = random.Random(7)
    words = sorted({word for one, _ in TABLES["alike"]["en"] for word in one.split()})
    keys = {n: " ".join(rng.sample(words, rng.randint(2, 5))) + f" {n}" for n in range(2_000)}
    planted = [
        (form(one, language), form(other, language)) for language, two in rows("alike") for one, other in two
    ]
    everything = keys | {2_000 + n: one for n, (one, _) in enumerate(planted)}
    alike_enough = [(n, other) for n, (one, other) in enumerate(planted) if likeness(one, other) >= CUT_OFF]
    assert alike_enough
    for n, other in alike_enough:
        assert 2_000 + n in [handle for handle, _ in nearest(other, everything, limit=3)]


@example("\U00011de0", "en")  # a digit that Python 3.11 does not know
@given(st.text(max_size=40), st.sampled_from(["en", "es", "fr", "pt", "ar", "hi", "sw", "tr"]))
def test_any_key_has_a_form(text, language):
    name = key(text, language)
    assert bool(form(text, language)) == bool(name)


def test_only_live_pairs_of_the_country_and_language_are_offered(campaign, make_pairs):
    make_pairs(
        campaign,
        ("AR", "love poetry", "en"),
        ("CL", "love poetry", "en"),
        ("AR", "love poetry", "es"),
        ("AR", "loving poetry", "en"),
    )
    pending, hidden = make_pairs(campaign, ("AR", "loves poetry", "en"), ("AR", "love poetry!", "en"))
    Pair.objects.filter(pk=pending.pk).update(moderation=Moderation.PENDING, source=Source.CONTRIBUTOR)
    Pair.objects.filter(pk=hidden.pk).update(moderation=Moderation.HIDDEN)
    offered = alike(campaign, "AR", "en", "They love poetry.")
    assert [pair.attribute for pair in offered] == ["love poetry"]
    for_moderators = scored(campaign, "AR", "en", "love poetry", limit=5)
    assert [pair.attribute for pair, _ in for_moderators] == ["love poetry", "loves poetry"]
    assert for_moderators[0][1] == 100
