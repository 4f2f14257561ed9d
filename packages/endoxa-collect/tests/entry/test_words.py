"""Cleaning and keys: safe to show, stable, and forgetting only what never changes the meaning."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from collect_support.written import rows
from endoxa_collect import geography
from endoxa_collect.entry.cleaning import MAX_LENGTH, EmptyTextError, TooLongError, clean, key
from endoxa_collect.visible import READ, visible

SCRIPTS = (
    "abÉñßǆ ŉ'’ -.!?\t\u200b\u200c\u200d\u202e\u2066\ufeff\u00ad\u0301\u0344"
    "क्षमहिंदी\u0964مرحبا\u064b\u0640ال١٢ශ්‍රීǅﷺ№ﬁİı👍🏽❤️\ue000\x00\u2028ക്‍sesiesões"
)
typed = st.one_of(st.text(max_size=80), st.text(alphabet=SCRIPTS, max_size=60))
codes = st.sampled_from(["en", "es", "fr", "pt", "ar", "hi", "sw"])


@given(typed)
def test_visible_text_is_one_line_that_cleaning_leaves_as_it_is(text):
    line = visible(text)
    assert visible(line) == line == unicodedata.normalize("NFC", line)
    assert line == line.strip()
    assert "  " not in line
    assert not regex.search(r"[\p{Cc}\p{Cs}\p{Co}\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff]", line)
    assert not regex.search(r"\p{M}{5}", line)


@given(typed, codes)
def test_keys_are_stable_and_fit_into_their_column(text, language):
    name = key(text, language)
    assert key(name, language) == name
    assert len(name) <= MAX_LENGTH
    assert bool(name) or not regex.search(
        r"[\p{Lu}\p{Ll}\p{Lo}\p{Nd}--\p{Default_Ignorable_Code_Point}]", text, regex.V1
    )


@given(typed, codes)
def test_cleaning_and_case_do_not_change_the_key(text, language):
    # One character may be two marks, and marks may meet where an invisible character went.
    spread = regex.sub(
        r"\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}", "", unicodedata.normalize("NFKD", text)
    )
    cut = regex.search(r"\p{M}{5}|\p{Cc}|\p{Co}", spread)
    assert cut or key(visible(text), language) == key(text, language)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  love \n\t poetry ", "love poetry"),
        ("love\u202e poetry\u202c", "love poetry"),
        ("lo\u200bve poe\u200dtry", "love poetry"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("می\u200cخوانند", "می\u200cخوانند"),
        ("\u200cخوانند\u200d", "خوانند"),
        ("ශ\u0dca\u200dරී", "ශ\u0dca\u200dරී"),
        ("cafe\u0301", "café"),
        ("z" + "\u0336" * 40, "z" + "\u0336" * 4),
        ("a\u3164b\x00c\ud800d", "ab cd"),
    ],
)
def test_what_stays_and_what_goes(text, kept):
    assert visible(text) == kept


def test_nothing_and_too_much_are_said_in_words():
    with pytest.raises(EmptyTextError, match="few words"):
        clean(" \u200b ")
    with pytest.raises(TooLongError, match="3 characters too long"):
        clean("a" * 123)
    assert clean("a" * 120) == "a" * 120


@pytest.mark.parametrize(
    "flood",
    ["\u0301\u0323" * 500_000, "a" + "\u0301\u0323" * 500_000, ("a" + "\u0323" * 8 + "\u200b") * 50_000],
)
def test_megabytes_of_marks_are_refused_or_cut_before_they_are_normalised(flood, monkeypatch):
    normalised, normalize = [], unicodedata.normalize

    def spy(form, text):
        normalised.append(text)
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", spy)
    with pytest.raises(TooLongError, match="characters too long"):
        clean(flood)
    assert not normalised
    visible(flood)
    assert geography.match_country(flood, "en").code == ""
    assert max(map(len, normalised)) <= READ


@pytest.mark.parametrize(("language", "pairs"), rows("one_key"))
def test_the_same_attribute_has_one_key(language, pairs):
    assert [one for one, other in pairs if key(one, language) != key(other, language)] == []


@pytest.mark.parametrize(("language", "pairs"), rows("two_keys"))
def test_other_attributes_have_other_keys(language, pairs):
    assert [one for one, other in pairs if key(one, language) == key(other, language)] == []


def test_signs_alone_have_no_key_and_a_filler_alone_keeps_itself():
    assert key("... !?", "en") == ""
    assert key("are", "en") == "are"
    assert key("❤️", "en") == "❤"
