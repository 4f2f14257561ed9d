"""What a sentence says its numbers are about: both kinds of units, or one kind with the other as it is."""

from __future__ import annotations

import pytest

from endoxa.instruments.questions.headline import units_of

CELL = {"data": "Religion", "context_condition": "ambig", "reason": "", "p_value": 0.2, "p_adjusted": 0.2}


def row(clusters, groups=0, attributes=0, sampled="both", **other):
    units = {"clusters": clusters, "groups": groups, "attributes": attributes, "sampled": sampled}
    return CELL | units | other


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (row(25), "25 templates"),
        (row(25, 7), "25 templates x 7 groups"),
        (row(25, 3, sampled="templates"), "25 templates, in these 3 groups as they are"),
        (row(25, 1, sampled="templates"), "25 templates, in this group as it is"),
        (row(5, 12, sampled="groups"), "12 groups, with these 5 templates only"),
        (row(1, 12, sampled="groups"), "12 groups, with this template only"),
        (row(5, 3, sampled="none"), "5 templates"),
        (row(1_200, 0, 40), "1,200 identities x 40 attributes"),
        (row(30, 0, 5, sampled="identities"), "30 identities, with these 5 attributes only"),
    ],
)
def test_what_a_row_is_about(cells, text):
    assert units_of(cells) == text
