"""Compact letters: a published example, and what letters mean."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from endoxa.stats.letters import compact_letters, groups_apart


def test_the_example_of_multcompview() -> None:
    """R package multcompView, `multcompLetters`: of A, B and C only B and C differ: ab, a, b."""
    assert compact_letters("ABC", {frozenset("BC")}) == {"A": "ab", "B": "a", "C": "b"}


@given(st.sets(st.sampled_from([frozenset(two) for two in combinations("abcdefg", 2)])))
def test_two_share_a_letter_exactly_when_they_do_not_differ(different: set[frozenset[str]]) -> None:
    letters = compact_letters("abcdefg", different)
    for first, second in combinations("abcdefg", 2):
        assert bool(set(letters[first]) & set(letters[second])) == (
            frozenset((first, second)) not in different
        )


def test_too_many_sets_have_no_letters() -> None:
    """Two by two 20 members that differ from one other each: 2 to the 10th sets."""
    names = [f"{number:02}" for number in range(40)]
    assert compact_letters(names, {frozenset(names[k : k + 2]) for k in range(0, 40, 2)}) == {}


def test_every_two_of_unlike_groups_differ() -> None:
    # A and C are joined by B, which differs from neither.
    different = {frozenset(pair) for pair in ("AC", "AD", "BD", "CD", "AE", "BE", "CE")}
    assert groups_apart("ABCDE", different) == [["A", "B", "C"], ["D", "E"]]
    assert groups_apart("ACBDE", different) == [["A", "C", "B"], ["D", "E"]]
    assert groups_apart("AC", set()) == [["A", "C"]]
