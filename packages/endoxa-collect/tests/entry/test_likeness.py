"""Near-duplicates: a labelled list of ours, planted ones in a large country, and what is never offered."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from endoxa_collect.entry.cleaning import comparable, key
from endoxa_collect.entry.proposing import CUT_OFF, alike, likeness, nearest, scored
from endoxa_collect.models import Moderation, Pair, Source

SAME = [
    ("en", "drink a lot of mate", "drink lots of mate"),
    ("en", "dance very well", "dance well"),
    ("en", "cook spicy food", "eat spicy food"),
    ("en", "hospitable", "hospitality"),
    ("en", "hard working", "hard-workers"),
    ("en", "hardworking", "hard working"),
    ("en", "punctual", "very punctual"),
    ("en", "talk loudly", "talk loud"),
    ("en", "friendly", "frendly"),
    ("en", "love poetry", "loves poetry"),
    ("en", "love poetry and music", "love music and poetry"),
    ("en", "arrive late", "always arrive late"),
    ("en", "love to dance", "love dancing"),
    ("en", "good at football", "good football players"),
    ("es", "aman la poesía", "aman la poesia"),
    ("es", "toman mucho mate", "toman mate"),
    ("es", "trabajadores", "trabajadoras"),
    ("es", "bailan bien", "bailan muy bien"),
    ("es", "puntuales", "son muy puntuales"),
    ("es", "les gusta el fútbol", "le gusta el futbol"),
    ("fr", "aiment la poésie", "aime la poésie"),
    ("fr", "accueillants", "accueillantes"),
    ("fr", "boivent du thé", "boire du thé"),
    ("pt", "gostam de futebol", "gosta de futebol"),
    ("pt", "são alegres", "muito alegres"),
    ("sw", "wanapenda muziki", "hupenda muziki"),
    ("sw", "wakarimu", "ni wakarimu"),
    ("ar", "كرماء", "كرماء جدا"),
    ("ar", "يحبون الموسيقى", "يحبون الموسيقا"),
    ("hi", "मेहनती", "बहुत मेहनती"),
    ("hi", "संगीत पसंद करते हैं", "संगीत पसन्द करते हैं"),
    ("hi", "चाय पीते हैं", "चाय पीती हैं"),
]
OTHER = [
    ("en", "friendly", "unfriendly"),
    ("en", "polite", "impolite"),
    ("en", "punctual", "unpunctual"),
    ("en", "organised", "disorganised"),
    ("en", "patient", "impatient"),
    ("en", "drink mate", "drink wine"),
    ("en", "love football", "love poetry"),
    ("en", "good cooks", "good books"),
    ("en", "talk a lot", "talk little"),
    ("en", "good dancers", "bad dancers"),
    ("en", "cook with butter", "cook with garlic"),
    ("en", "love tea", "love the sea"),
    ("es", "puntuales", "impuntuales"),
    ("es", "ordenados", "desordenados"),
    ("es", "toman mate", "toman vino"),
    ("es", "cantan bien", "bailan bien"),
    ("es", "comen mucho", "comen poco"),
    ("fr", "polis", "impolis"),
    ("fr", "boivent du thé", "boivent du vin"),
    ("pt", "gostam de futebol", "gostam de música"),
    ("pt", "pontuais", "impontuais"),
    ("sw", "wanapenda muziki", "wanapenda chai"),
    ("sw", "wana subira", "hawana subira"),
    ("ar", "يحبون الشعر", "يحبون الشاي"),
    ("ar", "صبورون", "غير صبورين"),
    ("hi", "चाय पीते हैं", "दूध पीते हैं"),
]
WORDS = [
    "love",
    "drink",
    "dance",
    "tea",
    "mate",
    "music",
    "poetry",
    "loud",
    "spicy",
    "garden",
    "house",
    "sing",
]


OBVIOUS = [
    ("en", "love movies", "love movie"),
    ("en", "loves football", "love football"),
    ("en", "good cooks", "a good cook"),
    ("en", "very friendly", "friendly"),
    ("en", "friendly people", "are friendly"),
    ("en", "she is kind", "kind"),
    ("en", "football ⚽", "football"),
    ("es", "perezosos", "perezosa"),
    ("es", "son listos", "están listos"),
    ("es", "felices", "feliz"),
    ("es", "jóvenes", "joven"),
    ("es", "los mejores bailarines", "mejores bailarines"),
    ("fr", "généreux", "genereux"),
    ("fr", "bavards", "bavardes"),
    ("fr", "royaux", "royal"),
    ("fr", "c'est des fêtards", "fêtards"),
    ("pt", "campeões", "campeão"),
    ("pt", "gentis", "gentil"),
    ("pt", "jovens", "jovem"),
    ("ar", "أذكياء", "اذكياء"),
    ("ar", "مدرسة", "مدرسه"),
    ("ar", "مستشفى", "مستشفي"),
    ("ar", "هم كرماء", "كرماء"),
    ("ar", "الكرماء", "كرماء"),
    ("ar", "٣ أولاد", "3 أولاد"),
    ("hi", "हँसते", "हंसते"),
    ("hi", "ज़्यादा", "ज्यादा"),
    ("hi", "वे मेहनती हैं", "मेहनती"),
    ("hi", "५ बच्चे", "5 बच्चे"),
    ("sw", "wao ni wakarimu", "wakarimu"),
    ("sw", "mkarimu", "wakarimu"),
    ("tr", "ISRARCI", "ısrarcı"),
    ("yo", "ọ̀rẹ́", "ọrẹ"),
]


def form(text, language):
    return comparable(key(text, language), language)


def asked(pairs, cut_off):
    return sum(
        likeness(form(one, language), form(other, language)) >= cut_off for language, one, other in pairs
    )


def test_the_cut_off_on_our_labelled_list():
    assert (asked(SAME, CUT_OFF), len(SAME)) == (26, 32)
    assert (asked(OTHER, CUT_OFF), len(OTHER)) == (1, 26)


def test_planted_near_duplicates_are_found_in_a_country_of_five_thousand():
    rng = random.Random(7)
    keys = {n: " ".join(rng.sample(WORDS, rng.randint(2, 5))) + f" {n}" for n in range(5_000)}
    planted = {5_000 + n: form(one, language) for n, (language, one, _) in enumerate(SAME)}
    found = 0
    for n, (language, one, other) in enumerate(SAME):
        name = form(other, language)
        if likeness(name, form(one, language)) >= CUT_OFF:
            found += 1
            assert 5_000 + n in [handle for handle, _ in nearest(name, {**keys, **planted}, limit=3)]
    assert found


@pytest.mark.slow
@pytest.mark.parametrize(("language", "one", "other"), OBVIOUS)
def test_obvious_duplicates_are_asked_about(language, one, other):
    assert asked([(language, one, other)], CUT_OFF) == 1


@example("\U00011de0", "en")  # a digit that Python 3.11 does not know
@given(st.text(max_size=40), st.sampled_from(["en", "es", "fr", "pt", "ar", "hi", "sw", "tr"]))
def test_any_key_has_a_form(text, language):
    name = key(text, language)
    assert bool(form(text, language)) == bool(name)


def test_likeness_is_symmetric_and_whole_for_one_key():
    assert likeness("love poetry", "love poetry") == 100
    assert likeness("love poetry", "poetry") == likeness("poetry", "love poetry")


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


def test_what_is_offered_is_bounded_and_leaves_the_new_pair_out(campaign, make_pairs):
    pairs = make_pairs(campaign, *(("AR", f"love poetry {letter}", "en") for letter in "abcdefg"))
    assert len(alike(campaign, "AR", "en", "love poetry")) == 3
    assert pairs[0] not in alike(campaign, "AR", "en", "love poetry a", exclude=pairs[0].pk)
