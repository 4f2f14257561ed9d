"""The second reading of texts with names, which tests of the rules rest on: each planted glitch is caught."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.questions.names.build import build_names
from support.name_samples import bank, question
from support.second_reading import second_reading

FRIENDS = question(
    "I asked my Veldish friend and my Tamori friend to sing. The Veldish friend lost his hat.",
    ("The Veldish friend", "The Tamori friend"),
)
FAMILIES = question(
    "We met a Veldish family and an East Orlan family. The Veldish family waved.",
    ("The Veldish family", "The East Orlan family"),
    "Which family sings?",
)
OF_FRIENDS = FRIENDS | {
    "context": "I asked my friend Dorn and my friend Sefi to sing. Dorn lost his hat.",
    **{"ans0": "Dorn", "ans1": "Sefi", "names": {"Veldish": "Dorn", "Tamori": "Sefi"}, "variant": "1"},
}
OF_FAMILIES = FAMILIES | {
    "context": "We met Dorn's family and Torvo's family. Dorn's family waved.",
    **{"ans0": "Dorn's family", "ans1": "Torvo's family"},
    **{"names": {"Veldish": "Dorn", "East Orlan": "Torvo"}, "variant": "1"},
}


@pytest.mark.parametrize(("record", "original"), [(OF_FRIENDS, FRIENDS), (OF_FAMILIES, FAMILIES)])
def test_nothing_is_wrong_with_what_is_right(record, original):
    assert second_reading(record, original, bank()) == []


@pytest.mark.parametrize(
    ("right", "glitch", "complaint"),
    [
        ("my friend Dorn", "friend Dorn", "a noun before a name without 'named': 'friend Dorn'"),
        ("my friend Dorn", "the old friend Dorn", "a noun before a name without 'named'"),
        ("my friend Dorn", "my friend Dorn Sven", "the word 'sven' came in"),
        ("my friend Dorn", "my friend {Dorn", "the word '{' came in"),
        ("to sing.", "to, sing.", "the words are not those of the original"),
        ("lost his hat", "his hat lost", "the words are not those of the original"),
        ("my friend Dorn", "my other Dorn", "before a name: 'other Dorn'"),
        ("my friend Dorn", "two Dorn", "before a name: 'two Dorn'"),
        ("my friend Dorn", "Dorn one", "a noun after a name without 's: 'Dorn one'"),
        ("my friend Dorn", "the my friend Dorn", "a slip: 'the my'"),
        ("my friend Dorn", "my friend  Dorn", "a slip: '  '"),
        ("my friend Dorn", "my friend Dorn's", "nothing that could be owned"),
        ("my friend Dorn", "Dorn's's friend", "a slip: ''s's'"),
        ("my friend Dorn", "my friend Dorn the East Orlan", "a word for a group is left: 'East Orlan'"),
        ("my friend Dorn", "my friend Dorn of the Velds", "a word for a group is left: 'Velds'"),
        ("my friend Dorn", "an friend named Dorn", "a slip: 'an friend'"),
        (". Dorn", ".Dorn", "a slip: 'g.Dorn'"),
        ("I asked", "i asked", "a slip: 'i'"),
        ("my friend Sefi", "my friend", "speaks of Veldish, Veldish, where the original speaks of Veldish"),
        ("Dorn lost", "Sefi lost", "speaks of Veldish, Tamori, Tamori"),
    ],
)
def test_a_glitch_in_the_context_is_found(right, glitch, complaint):
    spoilt = OF_FRIENDS | {"context": OF_FRIENDS["context"].replace(right, glitch, 1)}
    found = second_reading(spoilt, FRIENDS, bank())
    assert any(complaint in problem for problem in found), found


@given(st.data())
def test_whatever_is_planted_beside_a_name_is_found(data):
    made = list(build_names([FRIENDS, FAMILIES | {"example_id": 1}], bank(), variants=1, seed=3).records)
    record = data.draw(st.sampled_from(made))
    before = FRIENDS if record["example_id"] == 0 else FAMILIES | {"example_id": 1}
    field = data.draw(st.sampled_from(["context", "ans0", "ans1"]))
    name = data.draw(st.sampled_from([one for one in record["names"].values() if one in record[field]]))
    other = next(one for one in record["names"].values() if one != name)
    planted = data.draw(
        st.sampled_from(
            [
                f"the {name}",
                f"An {name}",
                f"my {name}",
                f"{name} friends",
                f"{name} {name}",
                "",
                name.lower(),
                other,
            ]
        )
    )
    assert second_reading(record | {field: record[field].replace(name, planted, 1)}, before, bank())
