"""The check of files with names, and the second reading of what the rules write: each planted glitch is caught."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.questions.names.build import build_names
from endoxa.instruments.questions.names.check import Checked, check_file
from support.name_samples import bank, problems, question
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
        assert problems(record, original, bank()) == []
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
    ("my friend Dorn", "my friend Dorn the East Orlan", "a word for a group is left: 'east orlan'"),
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
    assert problems(spoilt, FRIENDS, bank()) == [
        f"context: {spoilt['context']!r}, the rules write {CONTEXT!r}"
    ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"question": "Who sang?"}, "question: 'Who sang?', the rules write 'Who sings?'"),
        ({"ans2": "Unknown"}, "ans2: 'Unknown'"),
        ({"label": 0}, "label: 0, the rules write 2"),
        ({"answer_info": {}}, "answer_info: {}"),
        ({"additional_metadata": {}}, "additional_metadata: {}"),
        ({"context": FRIENDS["context"]}, "context: 'I asked my Veldish friend"),
        ({"ans0": "The Veldish friend"}, "ans0: 'The Veldish friend', the rules write 'Dorn'"),
        ({"ans1": ""}, "ans1: ''"),
        ({"ans1": "Dorn"}, "ans1: 'Dorn', the rules write 'Sefi'"),
        ({"ans0": "The Dorn"}, "ans0: 'The Dorn', the rules write 'Dorn'"),
        ({"names": {"Veldish": "Dorn"}}, "expected a name for each of Veldish, Tamori"),
        (
            {"names": {"Veldish": "Dorn", "Tamori": "Dorn"}},
            "'Dorn' is no name of 'Tamori' in the bank",
        ),
        ({"names": {"Veldish": "Dorn", "Tamori": "Dorn"}}, "names: one name for two people"),
        ({"names": {"Veldish": "Dorn", "Nobody": "Sefi"}}, "expected a name for each of Veldish, Tamori"),
        ({"names": {"Veldish": "Halvo", "Tamori": "Sefi"}}, "the rules write 'I asked my friend Halvo"),
        ({"variant": ""}, "variant: empty"),
        ({"variant": 1}, "variant: empty"),
        ({"note": "more"}, "note: a field that the original does not have"),
    ],
)
def test_a_wrong_field_is_found(fields, said):
    found = problems(friends(**fields), FRIENDS, bank())
    assert any(said in problem for problem in found), found


def test_a_missing_field_is_found():
    record = friends()
    del record["label"]
    assert problems(record, FRIENDS, bank()) == ["label: missing"]


@pytest.mark.parametrize(
    ("original", "context", "said"),
    [
        (
            "A Veldish man sang to a Tamori friend.",
            "A man named Ketra sang to a friend named Sefi.",
            "no male name of 'Veldish'",
        ),
        (
            "A Veldish friend sang to her Tamori friend.",
            "A friend named Dorn sang to her friend Sefi.",
            "no female name of 'Veldish'",
        ),
        (
            "My Veldish wife met a Tamori friend.",
            "My wife Dorn met a friend named Sefi.",
            "no female name of 'Veldish'",
        ),
    ],
)
def test_a_name_of_the_other_gender_is_found(original, context, said):
    before = question(original, ("The Veldish one", "The Tamori one"))
    veldish = "Ketra" if "Ketra" in context else "Dorn"
    names = {"Veldish": veldish, "Tamori": "Sefi"}
    record = before | {"context": context, "ans0": veldish, "ans1": "Sefi", "names": names, "variant": "1"}
    assert any(said in problem for problem in problems(record, before, bank()))


def test_a_question_that_speaks_of_both_is_heeded():
    before = question("A Veldish friend met a Tamori friend.", asked="Who kisses his wife?")
    context = "A friend named Dorn met a friend named Sefi."
    names = {"Veldish": "Dorn", "Tamori": "Sefi"}
    record = before | {"context": context, "ans0": "Dorn", "ans1": "Sefi", "names": names, "variant": "1"}
    assert problems(record, before, bank()) == ["names: 'Sefi' is no male name of 'Tamori' in the bank"]


def test_a_father_in_between_takes_the_pronoun():
    before = question(
        "My Veldish friend had the father come, and he sang. My Tamori friend left.",
        ("The Veldish friend", "The Tamori friend"),
    )
    context = "My friend Ketra had the father come, and he sang. My friend Sefi left."
    names = {"Veldish": "Ketra", "Tamori": "Sefi"}
    record = before | {"context": context, "ans0": "Ketra", "ans1": "Sefi", "names": names, "variant": "1"}
    assert problems(record, before, bank()) == []


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
    assert len(problems(spoilt, FAMILIES, bank())) == 1


@pytest.mark.parametrize(
    ("original", "context"),
    [
        (
            "My Veldish friend and my Tamori friend cook dinner.",
            "My friend Ketra and my friend cook Sefi dinner.",
        ),
        ("My Veldish friend Lars met a Tamori man.", "My friend Ketra Lars met a man named Bakku."),
        (
            "My Veldish friend met a Tamori man named Somchai.",
            "My friend Ketra met a man named Bakku named Somchai.",
        ),
        ("My Veldish friend met a Tamori couple.", "My friend Ketra met Bakku's couple."),
    ],
)
def test_what_the_rules_leave_out_is_refused_here_too(original, context):
    before = question(original, ("The Veldish one", "The Tamori one"))
    tamori = "Sefi" if "Sefi" in context else "Bakku"
    names = {"Veldish": "Ketra", "Tamori": tamori}
    record = before | {"context": context, "ans0": "Ketra", "ans1": tamori, "names": names, "variant": "1"}
    assert problems(record, before, bank())


def test_a_file_is_checked_against_its_original():
    originals = [FRIENDS, FAMILIES | {"example_id": 1}]
    right = [friends(), families() | {"example_id": 1}]
    assert check_file(enumerate(right, 1), originals, bank()) == Checked(2, (), 0)
    wrong = [*right, friends("I asked the Dorn.", variant="2"), friends(example_id=7)]
    checked = check_file(enumerate(wrong, 1), originals, bank())
    found = checked.problems
    assert (checked.records, checked.absent) == (4, 0)
    assert any(problem.startswith("line 3: context: 'I asked the Dorn.'") for problem in found)
    assert "line 4: the original has no record Singing 7" in found
    assert any(problem.startswith("variant 2 lacks") for problem in found)


def test_records_about_the_same_people_have_the_same_names_in_a_variant():
    clear = FRIENDS | {"example_id": 1, "context_condition": "disambig"}
    one = friends()
    names = {"Veldish": "Halvo", "Tamori": "Sefi"}
    other = friends(CONTEXT.replace("Dorn", "Halvo"), ans0="Halvo", names=names)
    other |= {"example_id": 1, "context_condition": "disambig"}
    originals = [FRIENDS, clear, FAMILIES | {"example_id": 2}]
    checked = check_file(enumerate([one, other], 1), originals, bank())
    assert checked.problems == ("line 2: names: others than in line 1, which is about the same people",)
    assert checked.absent == 1
    apart = check_file(enumerate([one, other | {"variant": "2"}], 1), originals, bank())
    assert not any("same people" in problem for problem in apart.problems)


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
    assert problems(spoilt, before, bank())
    assert second_reading(spoilt, before, bank())
