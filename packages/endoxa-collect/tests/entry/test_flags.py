"""Flags and polarity: guesses that put words before a moderator and refuse nothing."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect_support.samples import campaign_settings
from collect_support.written import TABLES, rows
from endoxa_collect.entry.words import flags

SETTINGS = campaign_settings(watch_words=("Zorgle", "blue frog"))


@pytest.mark.parametrize("flag", TABLES["flagged"])
def test_what_moderators_are_told(flag):
    written = [(language, text) for language, texts in rows(f"flagged.{flag}") for text in texts]
    assert [text for language, text in written if flag not in flags(text, language, SETTINGS)] == []


@pytest.mark.parametrize(("language", "texts"), rows("plain"))
def test_what_is_left_alone(language, texts):
    assert {text: found for text in texts if (found := flags(text, language, SETTINGS))} == {}


@given(st.text(max_size=120), st.sampled_from(["en", "es", "ar", "hi", "sw", "de", "xx"]))
def test_any_text_can_be_looked_at(text, language):
    assert set(flags(text, language, SETTINGS)) <= set(TABLES["flagged"])


@pytest.mark.slow
def test_small_letters_do_not_drown_moderators(shared):
    """Published sentences with many names and words of offence, in small letters: all that are flagged name one."""
    with (shared / "data/crows_pairs/crows_pairs_anonymized.csv").open(encoding="utf-8") as file:
        rows_of_file = list(csv.DictReader(file))[::2]
    crows = [row[name].lower() for row in rows_of_file for name in ("sent_more", "sent_less")]
    found = [text for text in crows if "name" in flags(text, "en", SETTINGS)]
    assert 20 < len(found) <= len(crows) / 50
    words = [text for text in crows if {"hope", "grace", "will", "may"} & set(text.split())]
    assert len(words) > 20
    assert not [text for text in words if text in found]
