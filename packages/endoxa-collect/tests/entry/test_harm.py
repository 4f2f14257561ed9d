"""What words do: flags that put them before a moderator, unkind words in all languages, what is covered."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect_support.samples import campaign_settings
from collect_support.written import TABLES, rows
from endoxa.words.packs import words_by_language
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.seeding import SeedRow, add_seeds, unkind
from endoxa_collect.entry.words import bare, flags, is_slur, negative, read_words
from endoxa_collect.models import Pair, Via
from endoxa_collect.organiser.decisions import reasons
from endoxa_collect.presets import load_preset

pytestmark = pytest.mark.slow

LISTS = words_by_language("unkind.toml")
SETTINGS = campaign_settings(watch_words=("Zorgle", "blue frog"))


@pytest.mark.parametrize(("table", "judged"), [("unkind", True), ("unknown", None)])
def test_lists_of_words_know_common_unkind_words_and_see_negations(table, judged):
    written = [(language, text) for language, texts in rows(table) for text in texts]
    assert [text for language, text in written if negative(text, language) is not judged] == []
    # English words are kind only where VADER says so.
    assert {negative(text, "en") for text in ("love poetry", "are friendly", "help each other")} == {False}


@pytest.mark.parametrize("language", LISTS)
def test_lists_are_sizeable_find_their_own_words_and_hold_none_twice(language):
    words = LISTS[language]["words"]
    assert 60 <= len(words) <= 200
    assert len(set(map(bare, words))) == len(words)
    assert all(negative(word.replace("*", ""), language) for word in words)


@given(st.text(max_size=120), st.sampled_from(sorted({*LISTS, "de"} - {"en"})))
def test_a_list_never_says_that_words_are_kind(text, language):
    assert negative(text, language) in {True, None}


def say(person, text, language="es"):
    return propose(person, None, country="AR", text=text, language=language, via=Via.ATTRIBUTE).pair


@pytest.mark.parametrize(
    ("text", "language", "judged", "covered"),
    [
        ("son tacaños", "es", True, True),
        ("bailan tango", "es", None, True),
        ("love poetry", "en", False, False),
    ],
)
def test_what_people_add_is_covered_unless_it_is_known_to_be_kind(person, text, language, judged, covered):
    pair = say(person, text, language)
    assert (pair.negative, pair.may_hurt) == (judged, covered)


@pytest.mark.parametrize(
    ("row", "judged", "covered"),
    [
        (SeedRow("AR", "son flojos", "es"), True, True),
        (SeedRow("AR", "son flojos", "es", "", False), False, False),
        (SeedRow("AR", "bailan tango", "es"), None, False),
        (SeedRow("AR", "bailan tango", "es", "", True), True, True),
    ],
)
def test_organisers_answer_for_seeds_they_did_not_mark(campaign, row, judged, covered):
    add_seeds(campaign, [row])
    pair = Pair.objects.get()
    assert (unkind(row), pair.negative, pair.may_hurt) == (judged, judged, covered)


@pytest.mark.parametrize(("language", "texts"), rows("no_slurs"))
def test_initials_numbers_dates_and_ordinary_words_are_no_slurs(language, texts):
    found = {text: read_words(text, language, SETTINGS).flags for text in texts}
    assert {text: flags for text, flags in found.items() if {"slur", "harm"} & set(flags)} == {}


@pytest.mark.parametrize("language", TABLES["slurs"])
def test_every_word_of_a_list_is_found_apart_and_with_digits(language):
    for word in LISTS[language]["slurs"]:
        letters = word.replace("*", "")
        assert is_slur(letters, language)
        assert len(letters) < 3 or is_slur(" ".join(letters), language) or language == "hi", word
        assert not letters.isalpha() or len(letters) < 4 or is_slur(letters.replace("o", "0"), language), word


@pytest.mark.parametrize(("language", "texts"), rows("slurs"))
def test_slurs_are_flagged_in_each_language_in_disguise_and_beside_the_name_of_a_group(language, texts):
    found = {text: read_words(text, language, SETTINGS) for text in texts}
    assert [text for text, words in found.items() if "slur" not in words.flags or not words.negative] == []


@pytest.mark.parametrize(
    ("text", "language", "accuses"),
    [
        ("our neighbour steals", "en", True),
        ("mi jefe es corrupto", "es", True),
        ("जारी", "hi", False),
        ("neighbours sing together", "en", False),
        ("are thieves", "en", False),
    ],
)
def test_an_accusation_of_somebody_near_waits_for_a_moderator(campaign, text, language, accuses):
    assert ("accusation" in read_words(text, language, campaign.settings).flags) == accuses


def test_unmarked_seeds_stay_covered_where_no_slurs_are_known(campaign):
    add_seeds(campaign, [SeedRow("CL", "suna rawa", "ha"), SeedRow("CL", "bailan cueca", "es")])
    covered = dict(Pair.objects.values_list("language", "flags"))
    assert covered == {"ha": ["unlisted"], "es": []}
    assert [pair.may_hurt for pair in Pair.objects.order_by("language")] == [False, True]
    assert [pair.unchecked for pair in Pair.objects.order_by("language")] == [False, True]
    assert reasons(Pair.objects.get(language="ha")) == [
        "Nobody has checked these words: there is no list of slurs for their language. People see them covered."
    ]


def test_lists_agree_with_what_is_known_of_the_seeds_of_presets():
    """Widely said things in seven languages: none is a slur, and none that is marked kind is unkind."""
    seeds = [seed for name in ("laces", "school", "afristereo") for seed in load_preset(name).seeds]
    assert len(seeds) > 500
    assert [seed.attribute for seed in seeds if is_slur(seed.attribute, seed.language)] == []
    assert not [seed for seed in seeds if seed.negative is False and negative(seed.attribute, seed.language)]


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


def test_small_letters_do_not_drown_moderators(shared):
    """Published sentences with many names and words of offence, in small letters: all that are flagged name one."""
    with (shared / "data/crows_pairs/crows_pairs_anonymized.csv").open(encoding="utf-8") as file:
        crows = [row[name].lower() for row in csv.DictReader(file) for name in ("sent_more", "sent_less")]
    found = [text for text in crows if "name" in flags(text, "en", SETTINGS)]
    assert 40 < len(found) <= len(crows) / 50
    words = [text for text in crows if {"hope", "grace", "will", "may"} & set(text.split())]
    assert len(words) > 40
    assert not [text for text in words if text in found]
