"""Where answers are cut, and where not."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from endoxa.curate.survey.splitting import split_answer
from endoxa.curate.survey.statements import outliers

JOINER = r"(?:and|or|but|while|whilst|whereas|et|ou|mais|tandis que|alors que|mientras que|und|aber|y|pero|e|mas|&)"
GAP = re.compile(
    rf"[\W_]*(?:(?:{JOINER}|\d{{1,3}}[.)]|[a-z][.)])(?:[\W_]+|$))*", re.IGNORECASE
)  # what may stand between two pieces


def pieces(answer, **options):
    return [piece.text for piece in split_answer(answer, **options)]


def test_subjects_that_share_a_verb_stay_together_unless_the_question_names_the_group():
    assert pieces("Bakers, cooks are kind") == ["Bakers, cooks are kind"]
    assert pieces("Leaders, cooks are kind", elliptical=True) == ["Leaders", "cooks are kind"]
    assert pieces("Leaders, providers, strong", elliptical=True) == ["Leaders", "providers", "strong"]
    assert pieces("Leaders, savers, don't hurry", elliptical=True) == ["Leaders", "savers", "don't hurry"]
    assert pieces("Women, young and old, are shy", elliptical=True) == ["Women, young and old, are shy"]


def test_lines_sentences_and_items_open_and_what_stands_behind_a_comma_goes_on():
    answer = "Bakers are kind, quick etc., early; loud.\nTall 1. Old 2. Shy, wise! Good • New"
    opens = {piece.text: piece.opens for piece in split_answer(answer)}
    assert [text for text, does in opens.items() if not does] == ["quick etc", "early", "loud", "wise!"]


WORDS = st.sampled_from(
    ["bakers", "are", "kind", "and", "but", "they", "such as", "old people", "in", "while"]
)
ODD_WORDS = st.sampled_from(
    ["sont", "les femmes", "1.", "2)", "a)", "(", ")", '"', "“", "”", "e.g.", "U.S.", "10,000", "etc.", "Dr."]
)
MARKS = st.sampled_from(
    [" ", " ", ", ", ",", "; ", ". ", "\n", " - ", " / ", "\n- ", "! ", "...", ": ", "\n1. "]
)
ANSWERS = st.lists(st.tuples(WORDS | ODD_WORDS, MARKS), max_size=14).map(
    lambda parts: "".join(map("".join, parts))
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.one_of(ANSWERS, st.text(max_size=60)))
@example("1. 2. bakers")
@example("( a, b")
def test_nothing_is_lost_and_pieces_stand_where_they_say(answer):
    place = 0
    for piece in split_answer(answer):
        assert answer[piece.start : piece.end] == piece.text
        assert piece.text == piece.text.strip() != ""
        assert "\n" not in piece.text or not re.search(r"\w", piece.text)
        assert GAP.fullmatch(answer[place : piece.start]), answer[place : piece.start]
        place = piece.end
    assert GAP.fullmatch(answer[place:]), answer[place:]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(ANSWERS)
def test_a_piece_is_not_cut_again(answer):
    for elliptical in (False, True):
        for piece in split_answer(answer, elliptical=elliptical):
            assert pieces(piece.text, elliptical=elliptical) == [piece.text]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Bakers are kind", "Cooks are loud", "Farmers are shy"]), min_size=1, max_size=6
    )
)
@pytest.mark.parametrize("mark", [", ", "\n\n- ", " ; "])
def test_whole_statements_come_back_however_they_are_listed(mark, statements):
    assert pieces(mark.join(statements)) == statements


def test_outlier_needs_hundreds_of_statements_and_distance_from_the_others():
    usual = [8, 12, 15, 20, 21, 25, 30, 33]
    assert outliers([*usual, 269]) == [False] * 8 + [True]
    assert outliers([*usual, 150])[-1] is False  # not hundreds
    assert outliers([200, 210, 220, 230, 240]) == [False] * 5  # everyone writes much
    # Modified z-score by hand: median 3.0, deviations of the logs 0 except one, spread at its floor of 0.1.
    assert outliers([20, 20, 20, 250]) == [False, False, False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        "women are " + "x" * 120_000,
        "." * 120_000 + "a",
        "women are kind" + "." * 60_000 + "," * 60_000,
        "“" * 120_000,
        "kind" + " " * 120_000 + "loud",
    ],
)
def test_a_cell_without_words_is_cut_in_time_that_grows_with_its_length(answer):
    # Quadratic searches made each of these take minutes.
    pieces = split_answer(answer)
    assert len(pieces) == 1
    assert pieces[0].text.strip('"') in answer
