"""The second reading of texts with names, which tests of the rules rest on: each planted glitch is caught."""

from __future__ import annotations

import json

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
CONTEXT = "I asked my friend Dorn and my friend Sefi to sing. Dorn lost his hat."
HOMES = "We met Dorn's family and Torvo's family. Dorn's family waved."


def friends(context=CONTEXT, **fields):
    names = {"Veldish": "Dorn", "Tamori": "Sefi"}
    return (
        FRIENDS
        | {"context": context, "ans0": "Dorn", "ans1": "Sefi", "names": names, "variant": "1"}
        | fields
    )


def families(context=HOMES, **fields):
    names = {"Veldish": "Dorn", "East Orlan": "Torvo"}
    options = {"ans0": "Dorn's family", "ans1": "Torvo's family"}
    return FAMILIES | {"context": context, **options, "names": names, "variant": "1"} | fields


def test_nothing_is_wrong_with_what_is_right():
    for record, original in ((friends(), FRIENDS), (families(), FAMILIES)):
        assert second_reading(record, original, bank()) == []


GLITCHES = [
    ("my friend Dorn", "friend Dorn", "a noun before a name without 'named': 'friend Dorn'"),
    ("my friend Dorn", "a friend Dorn", "a noun before a name without 'named'"),
    ("my friend Dorn", "the old friend Dorn", "a noun before a name without 'named'"),
    ("my friend Dorn", "my friend Dorn Sven", "the word 'sven' came in"),
    ("to sing.", "to sing", "the words are not those of the original"),
    ("to sing.", "to, sing.", "the words are not those of the original"),
    ("lost his hat", "his hat lost", "the words are not those of the original"),
    ("my friend Dorn", "the Dorn", "a determiner or an adjective before a name: 'the Dorn'"),
    ("my friend Dorn", "a Dorn", "before a name: 'a Dorn'"),
    ("my friend Dorn", "my Dorn", "before a name: 'my Dorn'"),
    ("my friend Dorn", "my other Dorn", "before a name: 'other Dorn'"),
    ("my friend Dorn", "new Dorn", "before a name: 'new Dorn'"),
    ("my friend Dorn", "two Dorn", "before a name: 'two Dorn'"),
    ("my friend Dorn", "my Dorn's friend", "before a name: 'my Dorn'"),
    ("my friend Dorn", "Dorn friend", "a noun after a name without 's: 'Dorn friend'"),
    ("my friend Dorn", "Dorn one", "a noun after a name without 's: 'Dorn one'"),
    ("my friend Dorn", "Dorn family", "a noun after a name without 's"),
    ("my friend Dorn", "the my friend Dorn", "a slip: 'the my'"),
    ("my friend Dorn", "my friend friend Dorn", "a slip: 'friend friend'"),
    ("my friend Dorn", "my friend  Dorn", "a slip: '  '"),
    ("my friend Dorn", "my friend {Dorn", "the word '{' came in"),
    ("my friend Dorn", "my friend Dorn 's", "a slip: ' 's'"),
    ("my friend Dorn", "my friend Dorn's", "nothing that could be owned"),
    ("my friend Dorn", "Dorn's's friend", "a slip: ''s's'"),
    ("my friend Dorn", "my friend Dorna", "the word 'dorna' came in"),
    ("my friend Dorn", "my friend Dorn Sefi", "speaks of Veldish, Tamori, Tamori, Veldish"),
    ("my friend Dorn", "my Veldish friend Dorn", "a word for a group is left: 'Veldish'"),
    ("my friend Dorn", "my friend Dorn of the Velds", "a word for a group is left: 'Velds'"),
    ("my friend Dorn", "my friend Dorn the veldish", "a word for a group is left: 'veldish'"),
    ("my friend Dorn", "my friend Dorn the East Orlan", "a word for a group is left: 'East Orlan'"),
    ("my friend Dorn", "an friend named Dorn", "a slip: 'an friend'"),
    ("my friend Dorn", "my clever friend Dorn", "the word 'clever' came in"),
    ("to sing", "", "the words are not those of the original"),
    (" Dorn lost", " dorn lost", "a slip: 'dorn'"),
    (". Dorn", ".Dorn", "a slip: 'g.Dorn'"),
    ("I asked", "i asked", "a slip: 'i'"),
    ("hat.", "hat. ", "a slip: ' '"),
    (
        "my friend Sefi",
        "my friend",
        "speaks of Veldish, Veldish, where the original speaks of Veldish, Tamori, Veldish",
    ),
    ("Dorn lost", "Sefi lost", "speaks of Veldish, Tamori, Tamori"),
]


@pytest.mark.parametrize(("right", "wrong", "said"), GLITCHES, ids=[wrong for _, wrong, _ in GLITCHES])
def test_a_glitch_in_the_context_is_found(right, wrong, said):
    assert right in CONTEXT
    spoilt = friends(CONTEXT.replace(right, wrong, 1))
    found = second_reading(spoilt, FRIENDS, bank())
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ans1": "Dorn"}, "ans1: speaks of Veldish, where the original speaks of Tamori"),
        ({"ans0": "The Dorn"}, "before a name: 'The Dorn'"),
        ({"ans0": "The Veldish friend"}, "ans0: a word for a group is left: 'Veldish'"),
        ({"names": {"Veldish": "Halvo", "Tamori": "Sefi"}}, "speaks of Tamori, where the original"),
    ],
)
def test_a_glitch_in_an_option_is_found(fields, said):
    found = second_reading(friends(**fields), FRIENDS, bank())
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("Dorn's family and", "Dorn's and", "nothing that could be owned: 'Dorn's and'"),
        ("Dorn's family and", "Dorn's the family and", "nothing that could be owned"),
        ("Dorn's family and", "the Dorn's family and", "before a name: 'the Dorn'"),
        ("Dorn's family and", "Dorn's household and", "the word 'household' came in"),
        ("Torvo's family", "Torvo families", "a noun after a name without 's: 'Torvo families'"),
    ],
)
def test_a_glitch_at_a_family_is_found(right, wrong, said):
    spoilt = families(HOMES.replace(right, wrong, 1))
    assert any(said in problem for problem in second_reading(spoilt, FAMILIES, bank()))


@pytest.mark.slow
@given(st.data())
def test_every_deleted_word_or_added_article_is_found(data):
    """Whatever is planted beside a name in records that were written, the check sees it."""
    made = list(build_names([FRIENDS, FAMILIES | {"example_id": 1}], bank(), variants=1, seed=3).records)
    record = data.draw(st.sampled_from(made))
    before = FRIENDS if record["example_id"] == 0 else FAMILIES | {"example_id": 1}
    name = data.draw(st.sampled_from(sorted(record["names"].values())))
    planted = data.draw(
        st.sampled_from(
            [f"the {name}", f"An {name}", f"my {name}", f"{name} friends", f"{name} {name}", "", name.lower()]
        )
    )
    field = data.draw(
        st.sampled_from([field for field in ("context", "ans0", "ans1") if name in record[field]])
    )
    spoilt = json.loads(json.dumps(record)) | {field: record[field].replace(name, planted, 1)}
    assert second_reading(spoilt, before, bank())
