"""Names in the place of groups: grammar, gender, draws, and BBQ's files as published."""

import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from endoxa.instruments.questions.names.bank import Name, NameBank, read_bank
from endoxa.instruments.questions.names.build import build_names, draw_names, sub_seeds
from endoxa.instruments.questions.names.gender import required_genders
from endoxa.instruments.questions.names.phrases import UnwritableError
from endoxa.instruments.questions.names.rewrite import Story, rewrite
from endoxa.instruments.questions.names.text import bundles, group_words, mended
from endoxa.sources.bbq.rows import read_rows
from support.name_samples import bank, question
from support.second_reading import second_reading

WORDS = group_words(bank())
NAMED = {"Veldish": "Dorn", "Tamori": "Sefi", "East Orlan": "Torvo"}


def written(text, story=None):
    return rewrite(mended(text), WORDS, story or Story()).text(NAMED)


SENTENCES = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "expected"), SENTENCES["written"].items())
def test_names_read_like_english(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize("reason", SENTENCES["refused"])
def test_what_cannot_be_said_with_a_name_is_refused(reason):
    for text in SENTENCES["refused"][reason]:
        with pytest.raises(UnwritableError, match=reason):
            written(text)


@pytest.mark.parametrize("row", SENTENCES["genders"])
def test_the_text_asks_for_a_gender(row):
    found = required_genders(row["texts"], row["questions"], WORDS)
    assert [gender or "" for gender in found.values()] == row["genders"]


@pytest.mark.parametrize(
    "text", ["A Veldish man sang. The Veldish woman left.", "My Veldish friend lost her bag and his hat."]
)
def test_two_genders_of_one_person_are_refused(text):
    with pytest.raises(UnwritableError, match="both man and woman"):
        required_genders([text], [], WORDS)


@given(seed=st.integers(0, 2**32 - 1), variants=st.integers(1, 5))
@example(seed=42, variants=3)
def test_sub_seeds_are_those_of_the_paper(seed, variants):
    np.random.seed(seed)
    expected = np.random.randint(1, 10000, variants).tolist()
    found = sub_seeds(seed, variants)
    assert len(set(found)) == variants
    if len(set(expected)) == variants:
        assert list(found) == expected
    assert sub_seeds(42, 3) == (7271, 861, 5391)  # as published
    assert len(set(sub_seeds(0, 900))) == 900


@given(seed=st.integers(0, 10_000))
def test_names_are_drawn_by_gender_and_point_to_one_group(seed):
    flagged = bank(Dorn=["Tamori"], Bakku=["Veldish"])
    genders = {"Veldish": "male", "Tamori": "male", "East Orlan": None}
    names = draw_names(genders, flagged, {"halvo"}, np.random.RandomState(seed))
    assert names["Veldish"] == "Rimek"  # Dorn points to both groups, Halvo is a word of the text
    assert names["Tamori"] in ("Jeroth", "Lomo")
    assert names == draw_names(genders, flagged, {"halvo"}, np.random.RandomState(seed))


def named(**groups):
    """A bank of one woman and one man for each group."""
    return NameBank(
        "own",
        tuple(
            Name(group.replace("_", " "), gender, name)
            for group, names in groups.items()
            for gender, name in zip(("female", "male"), names, strict=True)
        ),
    )


def test_names_that_begin_alike_are_not_drawn_together():
    alike = named(Veldish=("Ana", "Ano"), Tamori=("Anahit", "Bel"))
    for seed in range(20):
        drawn = draw_names({"Veldish": "female", "Tamori": None}, alike, (), np.random.RandomState(seed))
        assert drawn == {"Veldish": "Ana", "Tamori": "Bel"}
    with pytest.raises(UnwritableError, match="no female name left"):
        draw_names({"Veldish": "female", "Tamori": "female"}, alike, (), np.random.RandomState(0))


MET = "A Veldish man met a Tamori man."


def test_records_about_the_same_people_stay_together():
    asked = [
        question(MET),
        question(f"{MET} The Veldish man sang.", number=1, context_condition="disambig"),
        question("A Tamori man met a Veldish man.", number=2),
        question("A Veldish man ate Tamori food with a Tamori man.", number=3, context_condition="disambig"),
    ]
    assert [len(rows) for rows in bundles(asked)] == [2, 2]
    made = build_names(asked, bank(), variants=4)
    records = list(made.records)
    assert [(row["variant"], row["example_id"]) for row in records] == [
        (variant, number) for variant in "1234" for number in (0, 1)
    ]
    assert all(records[at]["names"] == records[at + 1]["names"] for at in range(0, 8, 2))
    assert len({tuple(row["names"].values()) for row in records}) > 1
    first, second = made.unwritten
    assert (first.row["example_id"], first.reason) == (2, "goes with example_id 3, which cannot be written")
    assert second.row["example_id"] == 3
    assert "'food' is no noun" in second.reason
    assert made.unwritten_table()["phrase"].to_list() == ["", "Tamori food"]


GNARL = question("A Veldish man met a Gnarl man.", ("The Veldish man", "The Gnarl man"))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (question(MET, names={"Veldish": "Dorn"}), "names already"),
        (GNARL, "1 options are people"),
        (
            GNARL | {"answer_info": {**GNARL["answer_info"], "ans1": ["Gnarl", "North"]}},
            "the bank has no names for 'Gnarl'",
        ),
        (question(MET, ("The Veldish man", "The Veldish man ")), "both options"),
        (question("A Veldish man met nobody."), "does not name the group"),
        (question(MET, asked="Do Veldish men sing?"), "question names a group"),
        (question(f"{MET} He and a Veld-like man sang."), "group is left"),
    ],
)
def test_records_that_cannot_be_written_are_listed(record, reason):
    made = build_names([record], bank())
    assert made.rows == 0
    assert reason in made.unwritten[0].reason


@pytest.fixture(scope="module")
def nationality(shared):
    return [row for _, row in read_rows(shared / "data" / "bbq" / "Nationality.jsonl")]


@pytest.fixture(scope="module")
def made(nationality):
    return build_names(nationality, read_bank(), seed=42, variants=3)


@pytest.mark.slow
def test_all_of_nationality_is_written(made, nationality):
    assert made.rows == len(nationality) == 3080
    assert not made.unwritten
    assert made.seeds == (7271, 861, 5391)
    records = list(made.records)
    assert [row["variant"] for row in records] == [variant for variant in "123" for _ in nationality]
    for at in range(0, 9240, 4):
        assert len({tuple(row["names"].items()) for row in records[at : at + 4]}) == 1
    for record, row in zip(records[:3080:3], nationality[::3], strict=True):
        assert second_reading(record, row, read_bank()) == []
        people = [field for field in ("ans0", "ans1", "ans2") if row["answer_info"][field][-1] != "unknown"]
        assert {field for field in row if record[field] != row[field]} == {"context", *people}
        assert record.keys() - row.keys() == {"names", "variant", "built_by", "words"}
        assert len({name.casefold() for name in record["names"].values()}) == 2
    again = build_names(nationality[:100], read_bank(), seed=42, variants=3)
    assert [one.names for one in again.named] == [one.names for one in made.named[:25]]
    other = build_names(nationality[:100], read_bank(), seed=43, variants=3)
    assert [one.names for one in other.named] != [one.names for one in made.named[:25]]


@pytest.mark.slow
def test_genders_follow_the_noun_of_the_option(made, nationality, shared):
    """The published counts of options by the gender of their noun (nationality_terms.csv)."""
    nouns = {"female": ("woman", "girl", "girlfriend"), "male": ("man", "boy", "guy")}
    genders = {(entry.group, entry.name): entry.gender for entry in read_bank().entries}
    counted = Counter()
    for record, row in zip(made.records, nationality * 3, strict=True):
        for group, name in record["names"].items():
            option = next(row[f"ans{k}"] for k in range(3) if row["answer_info"][f"ans{k}"][0] == group)
            noun = option.split()[-1]
            counted[group, ""] += 1
            for gender, words in nouns.items():
                counted[group, gender] += noun in words
                assert genders[group, name] == gender or noun not in words
    terms = pl.read_csv(shared / "data" / "bbq" / "nationality_terms.csv")
    for group, *expected in terms.select("nationality", "n_prompts", "head_female", "head_male").iter_rows():
        assert [counted[group, gender] for gender in ("", *nouns)] == [3 * number for number in expected]


HEADS = ("man", "woman", "friend", "student", "artist", "office worker")
HEADS += ("family", "team", "home", "fans", "people", "one")


@st.composite
def noun_phrases(draw, group):
    determiner = draw(st.sampled_from(["a", "the", "my", "our", "another", "this"]))
    adjectives = st.sampled_from(["young", "old", "new", "other", "tall"])
    modifiers = draw(st.lists(adjectives, max_size=2, unique=True))
    return " ".join([determiner, *modifiers, group, draw(st.sampled_from(HEADS))])


@pytest.mark.slow
@given(
    first=noun_phrases("Veldish"),
    second=noun_phrases("Tamori"),
    third=noun_phrases("Veldish"),
    frame=st.sampled_from(["I saw {} and {}.", "{} sang. Then {} left.", "We know {}'s song, as {} sang."]),
    seed=st.integers(0, 99),
)
def test_whatever_is_written_passes_a_second_reading(first, second, third, frame, seed):
    """Each generated context is refused with a reason, or has none of the glitches that the second reading knows."""
    text = frame.format(first, second)
    context = text[0].upper() + text[1:] + f" In the end {third} slept."
    record = question(context, (first[0].upper() + first[1:], second[0].upper() + second[1:]))
    for row in build_names([record], bank(), seed=seed, variants=1).records:
        assert second_reading(row, record, bank()) == []
