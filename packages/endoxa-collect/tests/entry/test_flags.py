"""Flags and polarity: guesses that put words before a moderator and refuse nothing."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect_support.samples import campaign_settings
from endoxa_collect.entry.words import flags, negative

SETTINGS = campaign_settings(watch_words=("Zorgle", "blue frog"))

FLAGGED = [
    ("en", "talk like Maria Gonzalez", "name"),
    ("es", "cantan como Juan de la Cruz", "name"),
    ("en", "are like Mr. Smith", "name"),
    ("hi", "श्री राम की तरह", "name"),
    ("en", "know that Gonzalez stole money", "name"),
    ("en", "say macarena stole the money", "name"),
    ("es", "dicen que Rodríguez roba", "name"),
    ("es", "saben que macarena es un ladrón", "name"),
    ("es", "maria robó", "name"),
    ("es", "María Gómez es ladrona", "name"),
    ("es", "maría gómez es ladrona", "name"),
    ("es", "rosa roba", "name"),
    ("en", "grace is a thief", "name"),
    ("fr", "marie a volé", "name"),
    ("pt", "joão roubou", "name"),
    ("sw", "juma aliiba", "name"),
    ("ar", "محمد سرق المال", "name"),
    ("ar", "أحمد كاذب", "name"),
    ("hi", "राम चोर है", "name"),
    ("hi", "पूजा चोर है", "name"),
    ("ar", "مثل السيد علي", "name"),
    ("en", "write to ana@example.org", "email"),
    ("en", "call +54 11 5555-0123", "phone"),
    ("ar", "اتصل ٠١٢٣٤٥٦٧٨٩", "phone"),
    ("en", "follow @anariver", "handle"),
    ("en", "see https://example.org/a", "link"),
    ("en", "see www.example.org", "link"),
    ("en", "read example.com every day", "link"),
    ("en", "say zorgle a lot", "watch_word"),
    ("es", "dicen ZÓRGLE", "watch_word"),
    ("en", "wear a Blue Frog hat", "watch_word"),
    ("en", "should be expelled", "harm"),
    ("es", "hay que expulsarlos", "harm"),
    ("fr", "il faut les éliminer", "harm"),
    ("sw", "wafukuzwe wote", "harm"),
    ("hi", "उन्हें भगा दो", "harm"),
    ("ar", "اطردوهم", "harm"),
    ("es", "kill them", "harm"),
    ("en", "matarlos a todos", "harm"),
    ("xx", "should be expelled", "harm"),
    ("en", "hang them", "harm"),
    ("en", "k1ll them", "harm"),
    ("en", "k i l l them", "harm"),
    ("en", "say z0rgle and z.o.r.g.l.e", "watch_word"),
    ("xx", "are faggots", "unlisted"),
    ("en", "burn Argentines", "harm"),
    ("en", "should die", "harm"),
    ("hi", "उनको मारो", "harm"),
    ("sw", "choma wote", "harm"),
    ("es", "llamar al 612 345 678", "phone"),
    ("en", "LOVE POETRY", "shouting"),
    ("en", "love " + "very " * 12 + "long poems", "long"),
]
PLAIN = [
    ("en", "hang out late"),
    ("en", "burn meat on weekends"),
    ("en", "die for football"),
    ("sw", "ua maua"),
    ("sw", "wanapenda nyama choma"),
    ("de", "lieben die Musik"),
    ("nl", "houden van die Belgen"),
    ("nl", "vinden die all inclusive vakanties leuk"),
    ("es", "son como los de Buenos Aires"),
    ("es", "sueñan con United States"),
    ("en", "talk like New Yorkers"),
    ("en", "are like Costa Ricans"),
    ("en", "Very Friendly People"),
    ("en", "speak Rioplatense Spanish"),
    ("es", "celebran el 12/10/1492"),
    ("es", "ganan 1 000 000 pesos"),
    ("es", "pagan 100.000.000 pesos"),
    ("es", "pagan 1000-2000 pesos"),
    ("en", "love poetry"),
    ("en", "Love football and Mate"),
    ("en", "are from the United States"),
    ("de", "lieben Poesie und Musik Feste"),
    ("en", "danced tango in 1978-1986"),
    ("en", "talk about zorgles"),
    ("en", "have 12 cousins"),
    ("es", "toman mate todos los días"),
    ("en", "drink tea at 5.30, then 6.15"),
    ("hi", "चाय पीते हैं"),
    ("ar", "كرماء"),
    ("en", "OK"),
    ("en", "hope"),
    ("en", "say grace and thank the cook"),
    ("en", "have hope after all these years and beat the odds"),
    ("es", "rosa"),
    ("es", "llevan rosas"),
    ("es", "viven entre dolores y esperanza"),
    ("hi", "पूजा करते हैं"),
    ("ar", "يعيشون على أمل"),
    ("en", "stole land from Chileans"),
    ("es", "roban en Lima"),
    ("en", "like macarena"),
    ("en", "are thief hunters in Kenya"),
]


@pytest.mark.parametrize(("language", "text", "flag"), FLAGGED)
def test_what_moderators_are_told(language, text, flag):
    assert flag in flags(text, language, SETTINGS)


@pytest.mark.parametrize(("language", "text"), PLAIN)
def test_what_is_left_alone(language, text):
    assert flags(text, language, SETTINGS) == []


@given(st.text(max_size=120), st.sampled_from(["en", "es", "ar", "hi", "sw", "de", "xx"]))
def test_any_text_can_be_looked_at(text, language):
    assert set(flags(text, language, SETTINGS)) <= {flag for _, _, flag in FLAGGED}


def test_english_words_are_judged_both_ways():
    assert negative("are terrible cooks", "en") is True
    assert negative("love poetry", "en") is False


@pytest.mark.slow
def test_small_letters_do_not_drown_moderators(shared):
    """Published sentences with many names and words of offence, in small letters: all that are flagged name one."""
    with (shared / "data/crows_pairs/crows_pairs_anonymized.csv").open(encoding="utf-8") as file:
        crows = [row[name].lower() for row in csv.DictReader(file) for name in ("sent_more", "sent_less")]
    found = [text for text in crows if "name" in flags(text, "en", SETTINGS)]
    assert 40 < len(found) <= len(crows) / 50
    words = [text for text in crows if {"hope", "grace", "will", "may"} & set(text.split())]
    assert len(words) > 40
    assert not [text for text in words if text in found]
