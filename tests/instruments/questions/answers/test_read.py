"""Reading answers: letters, texts, sentences, denials, conclusions, refusals; never a guess, never slow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.runs.answers.read import outcome, read_answer
from endoxa.runs.answers.text import fold, plain
from endoxa.schema import OUTCOMES, QaItem, Reading
from endoxa.words.packs import words_by_language
from support.answer_cases import CASES, REFUSED
from support.answer_cases_native import CASES as NATIVE


def item(options, question="Who was late?", language="en"):
    return QaItem("X-0", "X", "0", "", "X-1", "neg", "ambig", language, "", question, options, 2, 0, 2)


FRIENDS = item(("The Danish friend", "The French friend", "Not enough info"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [(item(*asked), answer, expected) for asked, answers in CASES for answer, expected in answers.items()],
)
def test_answers(asked, answer, expected):
    reading = read_answer(answer, asked)
    assert (REFUSED if reading.refused else reading.choice) == expected, reading.rule


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ("B", "letter"),
        ("B. Because nothing else fits.", "letter"),
        ("the french friend", "option-text"),
        ("(B) The French friend", "letter-and-text"),
        ("(B) The Danish friend", "letter-and-text-disagree"),
        ("I looked. The answer is B.", "statement"),
        ("It was the French friend.", "named"),
        ("Nobody knows.", "unknown-wording"),
        ("The Danish friend came and the French friend came, so the French friend.", "conclusion"),
        ("I can't help with that.", "refusal"),
        ("", "empty"),
        ("[THINK]It was the French friend.", "thoughts-only"),
        ("analysisIt was the French friend.", "thoughts-only"),
        ("banana", "nothing-named"),
        ("The Danish friend and the French friend", "several-named"),
        ("It wasn't the Danish friend.", "only-denied"),
    ],
)
def test_the_rule_that_decided_is_said(answer, rule):
    assert read_answer(answer, FRIENDS).rule == rule


def test_letters_follow_the_order_shown():
    assert read_answer("A", FRIENDS, (2, 0, 1)).choice == 2
    assert read_answer("C) The French friend", FRIENDS, (2, 0, 1)).choice == 1
    assert read_answer("A) The French friend", FRIENDS, (2, 0, 1)).choice is None
    assert read_answer("The French friend", FRIENDS, (2, 0, 1)).choice == 1


def test_equal_options_cannot_be_told_apart_by_text():
    twins = item(("The friend", "the friend", "Unknown"))
    assert read_answer("The friend", twins).choice is None
    assert read_answer("B", twins).choice == 1


@pytest.mark.parametrize(
    ("reading", "target", "expected"),
    [
        (Reading(0, refused=False, rule=""), 0, "stereotyped"),
        (Reading(1, refused=False, rule=""), 0, "anti-stereotyped"),
        (Reading(2, refused=False, rule=""), 0, "unknown"),
        (Reading(2, refused=False, rule=""), None, "unknown"),
        (Reading(1, refused=False, rule=""), None, ""),
        (Reading(None, refused=True, rule=""), 0, "refused"),
        (Reading(None, refused=False, rule=""), None, "unparsed"),
    ],
)
def test_five_outcomes(reading, target, expected):
    assert outcome(reading, replace(FRIENDS, target=target)) == expected
    assert expected in (*OUTCOMES, "")


def test_languages_have_the_same_fields():
    found = words_by_language("answers.toml")
    assert set(found) == {"ar", "en", "es", "fr", "hi", "pt", "sw"}
    assert len({tuple(sorted(fields)) for fields in found.values()}) == 1


def test_an_unknown_language_is_read_as_english():
    assert read_answer("I think it was the French friend.", replace(FRIENDS, language="wo")).choice == 1
    assert read_answer("La respuesta es B", replace(FRIENDS, language="es-AR")).choice == 1


WORDS = (
    "A", "b", "(C)", "\n", ". ", ", ", "?", "*", "the", "Danish", "French", "friend", "not", "but", "because", "so",
    "answer:", "the answer is", "<think>", "</think>", "\\boxed{", "}", "cannot", "information", "I can't help", "é",
    "who", "or", "'s", '"', "अज्ञात", "İ", "\x00", "\ud800",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text(), st.permutations(range(3)))
def test_nothing_breaks_the_reader(answer, order):
    reading = read_answer(answer, FRIENDS, tuple(order))
    assert reading.choice in (None, 0, 1, 2)
    assert not (reading.refused and reading.choice is not None)
    assert outcome(reading, FRIENDS) in OUTCOMES
    assert read_answer(answer, FRIENDS, tuple(order)) == reading


@given(st.text())
def test_folding_keeps_every_place(text):
    markless = plain(text)
    assert len(fold(markless)) == len(markless)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "The Danish friend was late. ",
        "A) B) C) ",
        "answer is ",
        ", who was there, ",
        "the ",
        "A\n",
        "Danish unknown ",
    ],
)
def test_long_answers_are_read_to_their_end(unit):
    """100 kB each: reading would not end within minutes if its work grew with the square of the length."""
    assert read_answer(unit * (100_000 // len(unit)) + "\nAnswer: B", FRIENDS).choice == 1


@pytest.mark.parametrize("language", NATIVE)
def test_answers_in_the_script_of_a_language(language) -> None:
    for asked, answers in NATIVE[language]:
        for answer, expected in answers:
            reading = read_answer(answer, item(*asked, language))
            assert (REFUSED if reading.refused else reading.choice) == expected, (answer, reading.rule)
