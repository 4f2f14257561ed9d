"""From typed words to a mention of a pair."""

from __future__ import annotations

from uuid import uuid4

import pytest

from endoxa_collect import geography
from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.cleaning import (
    EntryError,
)
from endoxa_collect.entry.proposing import (
    COUNTRIES_PER_CARD,
    PER_CARD,
    PER_MINUTE,
    propose,
    say_alike,
    tick_countries,
)
from endoxa_collect.models import Mention, Moderation, Pair, Source, Via

pytestmark = pytest.mark.slow


def say(person, text, card=None, country="AR", language="en", via=Via.ATTRIBUTE):
    return propose(person, card, country=country, text=text, language=language, via=via)


@pytest.fixture
def card(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "en"))
    return drawing.next_card(person)


def test_new_words_make_a_pair_that_waits_for_a_moderator(campaign, person, card):
    made = say(person, "  They are  good cooks! ", card)
    pair = made.pair
    assert made.created
    assert (pair.attribute, pair.key, pair.language) == ("They are good cooks!", "good cooks", "en")
    assert (pair.moderation, pair.source, pair.author) == (Moderation.PENDING, Source.CONTRIBUTOR, person)
    assert (pair.mentions, pair.ratings) == (1, 0)
    assert made.mention.text == "They are good cooks!"


def test_a_campaign_can_show_new_pairs_at_once_but_none_with_a_serious_flag(make_campaign, make_person):
    campaign = make_campaign(moderation="after")
    person = make_person(campaign)
    assert say(person, "love poetry").pair.moderation == Moderation.LIVE
    assert say(person, "LOVE MUSIC").pair.moderation == Moderation.LIVE
    flagged = say(person, "sing like Maria Gonzalez").pair
    assert (flagged.moderation, flagged.flags) == (Moderation.PENDING, ["name"])


def test_the_exact_key_is_a_mention_of_the_pair_there_is_once(campaign, person, make_person, make_pairs):
    (pair,) = make_pairs(campaign, ("AR", "love poetry", "en"))
    for name in ("ben", "cem"):
        one = make_person(campaign, name)
        made = say(one, "Love poetry!!")
        assert (made.pair, made.created, made.alike) == (pair, False, ())
        assert say(one, "LOVE POETRY").mention == made.mention
    pair.refresh_from_db()
    assert (pair.mentions, pair.ratings) == (2, 0)
    assert say(person, "love poetry", country="CL").created
    assert say(person, "love poetry", language="es").created


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"text": "?!"}, "few words"),
        ({"text": "love tea", "country": "QQ"}, "country"),
        ({"text": "love tea", "language": "sw"}, "language"),
        ({"text": "Drink mate!"}, "seen this one"),
    ],
)
def test_what_cannot_be_kept_is_said_in_words(person, card, changes, sentence):
    with pytest.raises(EntryError, match=sentence):
        say(person, card=card, **changes)
    assert not Mention.objects.exists()
    assert say(person, "drink mate", card, country="CL").created


def test_there_is_a_limit_for_a_card_and_one_for_a_minute_in_which_ticks_count(person, card):
    for n in range(PER_CARD):
        say(person, f"love song {n}", card)
    with pytest.raises(EntryError, match="next one"):
        say(person, "love tea", card)
    for n in range(PER_CARD, PER_MINUTE - 2):
        say(person, f"love song {n}")
    with pytest.raises(EntryError, match="wait a minute"):
        tick_countries(person, card, ["CL", "UY", "PE"])
    assert len(tick_countries(person, card, ["CL", "UY"])) == 2
    # What is there already is no more.
    tick_countries(person, card, ["CL", "UY"])
    with pytest.raises(EntryError, match="wait a minute"):
        say(person, "love tea")


def test_ticked_countries_get_the_words_of_the_card(campaign, person, card):
    assert [one.pair.country for one in tick_countries(person, card, ["CL", "AR", "CL", "UY"])] == [
        "CL",
        "UY",
    ]
    assert {one.via for one in Mention.objects.all()} == {Via.OTHER_COUNTRY}
    pair = Pair.objects.get(country="CL")
    assert (pair.attribute, pair.key, pair.moderation) == ("drink mate", "drink mate", Moderation.PENDING)
    tick_countries(person, card, ["CL"])
    assert Mention.objects.count() == 2
    with pytest.raises(EntryError):
        tick_countries(person, card, ["Chile"])


def test_a_card_takes_a_dozen_other_countries(person, card):
    others = [code for code in geography.codes() if code != card.country]
    with pytest.raises(EntryError, match="12"):
        tick_countries(person, card, others)
    assert Pair.objects.count() == 1
    dozen = others[:COUNTRIES_PER_CARD]
    tick_countries(person, card, dozen[:7])
    tick_countries(person, card, dozen)
    with pytest.raises(EntryError, match="12"):
        tick_countries(person, card, others[-1:])
    assert Mention.objects.count() == COUNTRIES_PER_CARD


def offered(campaign, person, make_pairs):
    (old,) = make_pairs(campaign, ("AR", "dance very well", "en"))
    made = say(person, "dance well")
    assert made.alike == (old,)
    return old, made


@pytest.mark.parametrize("same", [True, False])
def test_saying_that_both_are_the_same_merges_a_pair_that_is_only_theirs_and_the_first_answer_stands(
    campaign, person, make_pairs, same
):
    old, made = offered(campaign, person, make_pairs)
    for answer in (same, not same):
        say_alike(person, made.mention.public_id, old.public_id if answer else None)
    for row in (old, made.pair, made.mention):
        row.refresh_from_db()
    merged = (Moderation.MERGED, old) if same else (Moderation.PENDING, None)
    assert (made.pair.moderation, made.pair.merged_into) == merged
    assert (made.mention.alike, made.mention.alike_to) == (same, old if same else None)
    assert old.mentions == same


@pytest.mark.parametrize("answer", ["rate", "say"])
def test_a_pair_that_others_met_too_is_left_for_moderators(make_campaign, make_person, make_pairs, answer):
    campaign = make_campaign(moderation="after")
    person, reader = make_person(campaign), make_person(campaign, "ben")
    made = say(person, "dance well")
    card = drawing.next_card(reader)
    assert card.pair == made.pair
    if answer == "rate":
        answering.rate(reader, card.token, 3)
    else:
        say(make_person(campaign, "cem"), "dance well")
    (old,) = make_pairs(campaign, ("AR", "dance very well", "en"))
    say_alike(person, made.mention.public_id, old.public_id)
    made.mention.refresh_from_db()
    assert (made.mention.alike, made.mention.alike_to) == (True, old)
    assert Pair.objects.get(pk=made.pair.pk).merged_into is None


def test_nobody_answers_for_others_or_of_pairs_not_offered(campaign, person, make_person, make_pairs):
    old, made = offered(campaign, person, make_pairs)
    (other,) = make_pairs(campaign, ("AR", "love football", "en"))
    say_alike(make_person(campaign, "ben"), made.mention.public_id, old.public_id)
    for named in (other.public_id, uuid4(), made.pair.public_id):
        say_alike(person, made.mention.public_id, named)
    made.mention.refresh_from_db()
    assert made.mention.alike is None
    assert Pair.objects.get(pk=made.pair.pk).merged_into is None
