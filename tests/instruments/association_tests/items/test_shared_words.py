"""Words in both sets of a test are named: they belong to no side."""

from __future__ import annotations

from endoxa.instruments.association_tests.items import shared_words
from endoxa.schema import AssociationTest, TermSet


def test_a_word_in_both_sets_is_named_whatever_its_spelling() -> None:
    x, y = TermSet("women", ("doctor", "nurse", "café")), TermSet("men", ("Doctor ", "cafe\u0301", "pilot"))
    a, b = TermSet("kind", ("kind", "warm")), TermSet("cold", ("cold", "rude"))
    (note,) = shared_words([AssociationTest("t", x, y, a, b)])
    assert note.startswith("Test 't': 'Doctor ', 'cafe\u0301' in both target sets (women, men)")
    assert not shared_words([AssociationTest("t", a, b, x, TermSet("men", ("pilot", "driver")))])
