"""Opposites and negations: worked examples in six languages, and what must hold for every row of every table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.curate.opposites import (
    Lexicon,
    antonym,
    concepts,
    flipped,
    is_negation_of,
    languages,
    load_lexicon,
)


def are_opposites(one: str, other: str, language: str = "en", lexicon: Lexicon | None = None) -> bool:
    """Whether one asserts an end of a scale of which the other asserts the other end."""
    lexicon = lexicon or load_lexicon(language)
    return not concepts(one, lexicon).isdisjoint(flipped(concepts(other, lexicon)))


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
@settings(deadline=None, max_examples=60)
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
