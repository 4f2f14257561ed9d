"""A second reader: what it is asked, how its answers are read, and what both readers say together."""

from __future__ import annotations

import json

import pytest

from endoxa.curate.extract import Question, extract
from endoxa.curate.second import (
    ReaderItem,
    question_about,
    read_answer,
    same_reading,
    standing,
)

OPEN = Question("other", "other")


def answer_of(pairs, omit=""):
    """An answer in the form that is asked for."""
    listed = [{"identity": who, "attribute": what} for who, what in pairs]
    return json.dumps({"pairs": listed, "omit": omit}, ensure_ascii=False)


ONE = ReaderItem("1", "The Elderly are less calm and not loud", OPEN, "Peru", "nurses")


def words(pairs):
    return [(pair.identity, pair.attribute) for pair in pairs]


def test_the_question_holds_what_is_known_and_no_gold():
    women = Question("women", "gender", "women")
    text = question_about(ReaderItem("1", "sing well", women, "Peru", "nurses", (("x", "y"),)))
    for part in ("sing well", "Every answer is about women.", "Peru", "before was about nurses"):
        assert part in text
    assert '"x"' not in text


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "```json\n{}\n```",
        "<think>{{}}</think>{}",
        '{}\n\nStatement: Men are tall.\n{{"pairs": []}}',
    ],
)
def test_answers_are_read_in_any_form_and_normalised_like_the_rules(form):
    answer = form.format(answer_of((("The elderly", "are less calm"), ("old people", "not loud"))))
    assert words(read_answer(answer, ONE)) == [("old people", "less calm"), ("old people", "not loud")]


@pytest.mark.parametrize("answer", ["", "I would rather not.", '{"pairs": "none"}', '{"pairs": ["x"]}', "{"])
def test_an_answer_without_pairs_is_unread(answer):
    assert read_answer(answer, ONE) is None


def test_an_omission_has_its_reason():
    (found,) = read_answer(answer_of((), "not about people"), ONE)
    assert (found.omit, found.omit_reason) == (True, "not about people")
    (found,) = read_answer(answer_of((), "because"), ONE)
    assert found.omit_reason == "noise"


def test_what_readers_agree_on_is_told_apart_from_how_they_write_it():
    rules = extract("Bakers are calm and neat", OPEN)
    assert same_reading(rules, read_answer(answer_of((("the bakers", "calm and neat"),)), ONE))
    assert not same_reading(rules, read_answer(answer_of((("bakers", "calm"),)), ONE))
    assert not same_reading(rules, read_answer(answer_of((), "noise"), ONE))


def test_the_model_stands_where_it_can_be_read_and_a_difference_lowers_confidence():
    rules = [extract(f"Bakers are {word}", OPEN) for word in ("calm", "neat", "loud")]
    same = read_answer(answer_of((("bakers", "neat"),)), ONE)
    other = read_answer(answer_of((("cooks", "calm"),)), ONE)
    pairs, differ = standing(rules[0], other)
    assert (words(pairs), differ) == ([("cooks", "calm")], True)
    assert pairs[0].confidence == pytest.approx(1 - rules[0][0].confidence)
    assert standing(rules[1], same) == (rules[1], False)
    assert standing(rules[2], None) == (rules[2], False)
    (omitted,) = standing(read_answer(answer_of((), "noise"), ONE), other)[0]
    assert omitted.confidence == pytest.approx(0.2)
