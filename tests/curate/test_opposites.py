"""Opposites and negations: worked examples in six languages, and what must hold for every row of every table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.curate.opposites import (
    antonym,
    are_opposites,
    concepts,
    is_negation_of,
    languages,
    load_lexicon,
)
from endoxa.curate.opposites.lexicon import words
from endoxa.errors import UserError


@pytest.mark.parametrize(
    ("term", "opposite"),
    [
        ("strong", "weak"),
        ("Stronger", "weaker"),
        ("very strong", "very weak"),
        ("providers", "dependents"),
        ("good cooks", "bad cooks"),
        ("hard-working", "lazy"),
        ("works hard", "slacks off"),
        ("love money", "hate money"),
        ("patient", "impatient"),
        ("harmless", "harmful"),
        ("impressive", "unimpressive"),
        ("not wise", "wise"),
        ("don’t work hard", "work hard"),
        ("lack of patience", "have patience"),
        ("more educated", "less educated"),
        ("uninterested in money", "interested in money"),
        ("right", "wrong"),
        ("polygamous", "monogamous"),
        ("promiscuous", "chaste"),
        ("enterprising", "unenterprising"),
        ("resourceful", "unresourceful"),
        ("workers", "idlers"),
        ("careerists", "homemakers"),
        ("strict parents", "lenient parents"),
        ("hate criminals", "love criminals"),
        ("religious fanatics", None),
        ("angry liberals", None),
        ("trust nobody", None),
        ("strong and brave", None),
        ("tailors", None),
    ],
)
def test_natural_opposite_in_english(term: str, opposite: str | None) -> None:
    assert antonym(term) == opposite


@pytest.mark.parametrize(
    ("language", "term", "opposite"),
    [
        ("es", "trabajadoras", "perezosas"),
        ("es", "muy fuertes", "muy débiles"),
        ("fr", "travailleuses", "paresseuses"),
        ("fr", "paresseux", "travailleurs"),
        ("fr", "bien élevés", "mal élevés"),
        ("pt", "preguiçosas", "trabalhadoras"),
        ("pt", "bons", "maus"),
        ("hi", "मेहनती", "आलसी"),
        ("hi", "गंदे", "साफ़"),
        ("sw", "wavivu", "wachapakazi"),
        ("sw", "mwaminifu", "mdanganyifu"),
        ("es", "mentirosas", "sinceras"),
        ("es", "ladrón", "honrado"),
        ("pt", "ladrões", "pessoas honestas"),
        ("fr", "voleurs", "honnêtes"),
    ],
)
def test_natural_opposite_agrees_in_other_languages(language: str, term: str, opposite: str) -> None:
    found = antonym(term, language)
    assert found is not None
    assert words(found) == words(opposite)


@pytest.mark.parametrize("term", ["famous", "tense", "shameful", "impressed", "valuable"])
def test_a_prefix_that_makes_another_word_makes_no_opposite(term: str) -> None:
    assert antonym(term) not in {"infamous", "intense", "shameless", "pressed", "invaluable"}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("very strong", "weak", True),
        ("hard working", "hardworking", False),
        ("hard-working", "lazy", True),
        ("not wise", "wise", True),
        ("not strong", "weak", False),
        ("not strong", "not weak", True),
        ("unkind", "kind", True),
        ("unkind", "mean", False),
        ("not unkind", "kind", False),
        ("smart", "intelligent", False),
        ("good and bad", "good", False),
        ("fearless", "cowardly", True),
        ("should lead", "should not be leaders", True),
        ("drive", "are not drivers", True),
        ("drivers", "drive", False),
        ("uncircumcised", "circumcised", True),
        ("unvaccinated", "vaccinated", True),
        ("undressed", "dressed", False),
        ("overpaid", "underpaid", True),
        ("too confident", "under-confident", True),
        ("very educated", "under educated", True),
        ("overqualified", "qualified", False),
        ("understanding", "standing", False),
        ("religious", "atheists", True),
        ("drunkards", "sober", True),
        ("have few friends", "have many friends", True),
        ("trust nobody", "trust strangers", True),
    ],
)
def test_opposites(one: str, other: str, expected: bool) -> None:
    assert are_opposites(one, other) is expected
    assert are_opposites(other, one) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected", "language"),
    [
        ("wise", "not wise", True, "en"),
        ("are wise", "aren’t very wise", True, "en"),
        ("respect elders", "dont respect elders", True, "en"),
        ("respect elders", "no respect for elders", True, "en"),
        ("wise", "not lazy", False, "en"),
        ("wise", "very wise", False, "en"),
        ("not wise", "unwise", False, "en"),
        ("fiables", "ne sont pas fiables", True, "fr"),
        ("मेहनती", "मेहनती नहीं हैं", True, "hi"),
        ("puntuales", "no son puntuales", True, "es"),
    ],
)
def test_negations(one: str, other: str, expected: bool, language: str) -> None:
    assert is_negation_of(one, other, language) is expected
    assert is_negation_of(other, one, language) is expected


@pytest.mark.parametrize("language", languages())
def test_every_row_opposes_its_poles_both_ways(language: str) -> None:
    lexicon = load_lexicon(language)
    assert len(lexicon.rows) >= (400 if language == "en" else 60)
    for row in lexicon.rows:
        one, other = (pole[0].lstrip("-") for pole in row.poles)
        if language != "sw":
            assert are_opposites(one, other, language), row
            assert antonym(one, language), row
            assert antonym(other, language), row


@pytest.mark.parametrize("language", languages())
def test_no_term_is_its_own_opposite(language: str) -> None:
    for row in load_lexicon(language).rows:
        assert not set(row.poles[0]) & set(row.poles[1]), row
        assert len(set(row.poles[0])) == len(row.poles[0]), row
        assert len(set(row.poles[1])) == len(row.poles[1]), row


@given(st.text(max_size=40), st.sampled_from(languages()))
@settings(deadline=None, max_examples=150)
def test_any_text_is_cut_and_never_opposes_itself(text: str, language: str) -> None:
    lexicon = load_lexicon(language)
    assert not are_opposites(text, text, language)
    assert not is_negation_of(text, text, language)
    assert concepts(text, lexicon) == concepts(f"  {text} ", lexicon)


def test_own_rows_come_first(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("one,other\nstrong; mighty,delicate\nsaparote,plim\n", encoding="utf-8")
    lexicon = load_lexicon("en", own)
    assert antonym("strong", lexicon=lexicon) == "delicate"
    assert antonym("kind", lexicon=lexicon) == "unkind"
    assert are_opposites("very saparote", "plim", lexicon=lexicon)


def test_own_rows_serve_a_language_without_table(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("pos,one,other\nadj,lagbara,alailagbara\n", encoding="utf-8")
    assert antonym("lagbara", "yo", load_lexicon("yo", own)) == "alailagbara"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("one,other\nstrong,\n", "row 1: 'one' or 'other' is empty"),
        (
            "pos,one,other\nthing,strong,weak\n",
            "row 1, column 'pos': 'thing' is invalid. Expected one of: adj",
        ),
        ("a,b\nstrong,weak\n", "has no column 'one', 'other'"),
    ],
)
def test_a_broken_table_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    own = tmp_path / "own.csv"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=sentence):
        load_lexicon("en", own)


def test_a_language_without_table_is_one_sentence() -> None:
    with pytest.raises(UserError, match="No antonyms for the language 'xx'"):
        antonym("strong", "xx")


@pytest.mark.parametrize("word", ["entitled", "cured", "influenced", "populated"])
def test_a_word_that_nobody_says_is_no_natural_opposite(word: str) -> None:
    assert antonym(word) is None
    assert are_opposites(word, f"un{word}")
