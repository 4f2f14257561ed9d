"""Names in the place of groups: grammar, gender, draws, and BBQ's files as published."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from endoxa.instruments.questions.names.bank import Name, NameBank, read_bank
from endoxa.instruments.questions.names.build import build_names, draw_names, sub_seeds
from endoxa.instruments.questions.names.gender import required_genders
from endoxa.instruments.questions.names.phrases import UnwritableError, find_phrases
from endoxa.instruments.questions.names.rewrite import Story, rewrite
from endoxa.instruments.questions.names.text import bundles, group_words, mended
from endoxa.sources.bbq.items import read_items
from endoxa.sources.bbq.rows import read_rows, write_items
from support.name_samples import bank, question
from support.second_reading import second_reading

WORDS = group_words(bank())
NAMED = {"Veldish": "Dorn", "Tamori": "Sefi", "East Orlan": "Torvo"}


def written(text, story=None):
    return rewrite(mended(text), WORDS, story or Story()).text(NAMED)


GRAMMAR = {
    # a person who is somebody's friend
    "I asked my Veldish friend and my Tamori friend to sing.": "I asked my friend Dorn and my friend Sefi to sing.",
    "My Veldish friend sang. My Veldish friend's dog slept.": "My friend Dorn sang. Dorn's dog slept.",
    "My Veldish and Tamori friends sang.": "My friends Dorn and Sefi sang.",
    "We met our new Tamori neighbor.": "We met our new neighbor Sefi.",
    "His old Veldish teacher came.": "His old teacher Dorn came.",
    "My Veldish and my Tamori coworker sang.": "My coworker Dorn and my coworker Sefi sang.",
    # a person who comes in with an article
    "An East Orlan man and a Veldish woman sang.": "A man named Torvo and a woman named Dorn sang.",
    "A Veldish artist met an East Orlan baker.": "An artist named Dorn met a baker named Torvo.",
    "I know a young Veldish exchange student.": "I know a young exchange student named Dorn.",
    "A Veldish man and Tamori man sang.": "A man named Dorn and a man named Sefi sang.",
    "I met a Veldish and an East Orlan student.": "I met a student named Dorn and a student named Torvo.",
    "A Veldish friend of mine sang.": "A friend of mine named Dorn sang.",
    "I read a Veldish man's letter.": "I read Dorn's letter.",
    "A Tamori who sings came.": "A person named Sefi who sings came.",
    "I met a Veld, who sang.": "I met a person named Dorn, who sang.",
    # the article that points back, or tells two people apart
    "The Veldish student sang and the other Tamori student slept.": "Dorn sang and Sefi slept.",
    "A Veldish male student sang, I think.": "A male student named Dorn sang, I think.",
    "The tall Veldish student sang.": "The tall student named Dorn sang.",
    "Both the Veldish and Tamori students sang.": "Both Dorn and Sefi sang.",
    "Both of the Tamori student's brothers sang.": "Both of Sefi's brothers sang.",
    # predicates
    "One is Veldish and the other is Tamori.": "One is named Dorn and the other is named Sefi.",
    "Two guests, one Veldish and the other Tamori, sang.": (
        "Two guests, one named Dorn and the other named Sefi, sang."
    ),
    "I know a person who's Veldish.": "I know a person who's named Dorn.",
    "One is Veldish. The Veldish one sings.": "One is named Dorn. Dorn sings.",
    # families, teams and what they own
    "The Veldish family waved at a Tamori family.": "Dorn's family waved at Sefi's family.",
    "The Veldish family's home is near the Tamori family home.": "Dorn's family home is near Sefi's family home.",
    "The Veldish family's dog barked.": "Dorn's family's dog barked.",
    "New neighbors came: the new Veldish family and the other new Tamori family.": (
        "New neighbors came: Dorn's family and Sefi's family."
    ),
    "The Veldish and Tamori families met.": "Dorn's and Sefi's families met.",
    "The dad from the Veldish family sang. The Tamori family left. The Tamori one was loud.": (
        "The dad from Dorn's family sang. Sefi's family left. The one from Sefi's family was loud."
    ),
    "The Tamori home is for sale.": "Sefi's home is for sale.",
    "The Veldish team won. The Veldish fans sang.": "Dorn's team won. The fans of Dorn's team sang.",
    "The Veldish team won. The fans who sang were all actually Veldish.": (
        "Dorn's team won. The fans who sang were all actually supporters of Dorn's team."
    ),
    "The Tamori fans sang.": "Sefi's fans sang.",
    # slips of published files
    "They met the {Veldish man.The Tamori man left with with East Orlan man.": (
        "They met Dorn. Sefi left with Torvo."
    ),
    "It was hard for their parents of the Tamori child.": "It was hard for the parents of Sefi.",
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "expected"), GRAMMAR.items(), ids=range(len(GRAMMAR)))
def test_names_read_like_english(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Veldish people sing.", "a whole group"),
        ("A group of Veldish men sang.", "a whole group"),
        ("Some of her Tamori students sang.", "a whole group"),
        ("The Veldish were loud.", "a whole group"),
        ("In a talk between Veldish and Tamori students he sang.", "a whole group"),
        ("The guests were all Veldish.", "a whole group"),
        ("We ate Veldish food.", "'food' is no noun"),
        ("The Veldish embassy is closed.", "'embassy' is no noun"),
        ("A brave Veldish man sang.", "without an article"),
        ("She is part of a strong Tamori group.", "without an article"),
        ("A rich Veldish family came.", "'rich' would be lost"),
        ("My Veldish family sang.", "cannot have another"),
        ("A Veldish man and another Veldish man sang.", "somebody new"),
        ("A Veldish man sang. The tall Veldish man slept.", "'tall' would be lost"),
        ("The Veldish and Tamori man sang.", "one person or two"),
        ("A Tamori one would do.", "what 'one' stands for"),
        ("My Veldish friend and my Tamori friend cook dinner.", "where the words for the person end"),
        (
            "The Veldish student hosts and my Tamori colleague judge a contest.",
            "where the words for the person end",
        ),
        ("A Tamori man named Somchai sang.", "where the words for the person end"),
        ("A Tamori friend of mine named Somchai sang.", "where the words for the person end"),
        ("The Veldish friend I met sang.", "where the words for the person end"),
        ("My Veldish friend Lars sang.", "where the words for the person end"),
        ("My Veldish friend, Lars, sang.", "a name stands beside it"),
        ("They say that Lars, my Veldish friend, sang.", "a name stands beside it"),
        ("Lars is Veldish.", "a name stands beside it"),
        ("A Veldish couple and a Tamori couple waited.", "'couple' is no noun"),
        ("We went to a Veldish restaurant.", "'restaurant' is no noun"),
        ("There is a Tamori bakery.", "'bakery' is no noun"),
        ("She drives a Veldish car.", "'car' is no noun"),
    ],
)
def test_what_cannot_be_said_with_a_name_is_refused(text, reason):
    with pytest.raises(UnwritableError, match=reason):
        written(text)


def test_options_follow_from_the_context():
    story = Story()
    written("The Veldish team met the Tamori team.", story)
    assert written("The Veldish fans", story) == "The fans of Dorn's team"
    assert written("the Tamori fans ", story) == "the fans of Sefi's team"
    assert written("Veldish man") == "Dorn"
    assert written("The Veldish one") == "Dorn"


@pytest.mark.parametrize(
    ("texts", "questions", "expected"),
    [
        (["A Veldish man met a Tamori friend."], [], ("male", None)),
        (["A Veldish student and a Tamori waitress."], [], (None, "female")),
        (["My Veldish friend met my Tamori friend and lost her bag."], [], (None, "female")),
        (["My Veldish friend left, though my Tamori friend lost his bag."], [], (None, "male")),
        (["My Veldish student had his father come. My Tamori student did not."], [], ("male", None)),
        (["My Veldish student had the father come, and he sang to my Tamori student."], [], (None, None)),
        (
            ["The Veldish speaker and the Tamori speaker. One sang to his dog, the other not."],
            [],
            ("male",) * 2,
        ),
        (["The Veldish student and the Tamori student."], ["Who likes her aunt?"], ("female",) * 2),
        (["The Veldish student and the Tamori student."], ["Whose father sings to his dog?"], (None, None)),
        (
            ["The dad of the Veldish family and the Tamori family. He sang."],
            ["Who sang to his dog?"],
            (None, None),
        ),
        (["One is Veldish, one is Tamori. The Veldish one told of her aunt."], [], ("female", None)),
        (["A Veldish person and a Tamori person.", "The Tamori man sang."], [], (None, "male")),
    ],
)
def test_the_text_asks_for_a_gender(texts, questions, expected):
    found = required_genders(texts, questions, WORDS)
    assert tuple(found.values()) == expected


@pytest.mark.parametrize(
    "text", ["A Veldish man sang. The Veldish woman left.", "My Veldish friend lost her bag and his hat."]
)
def test_two_genders_of_one_person_are_refused(text):
    with pytest.raises(UnwritableError, match="both man and woman"):
        required_genders([text], [], WORDS)


@given(seed=st.integers(0, 2**32 - 1), variants=st.integers(1, 5))
def test_sub_seeds_are_those_of_the_paper(seed, variants):
    np.random.seed(seed)
    expected = np.random.randint(1, 10000, variants).tolist()
    found = sub_seeds(seed, variants)
    assert len(set(found)) == variants
    if len(set(expected)) == variants:
        assert list(found) == expected


def test_the_published_seed():
    assert sub_seeds(42, 3) == (7271, 861, 5391)
    assert len(set(sub_seeds(0, 900))) == 900


@given(seed=st.integers(0, 10_000))
def test_names_are_drawn_by_gender_and_point_to_one_group(seed):
    flagged = bank(Dorn=["Tamori"], Bakku=["Veldish"])
    genders = {"Veldish": "male", "Tamori": "male", "East Orlan": None}
    names = draw_names(genders, flagged, {"halvo"}, np.random.RandomState(seed))
    assert names["Veldish"] == "Rimek"  # Dorn points to both groups, Halvo is a word of the text
    assert names["Tamori"] in ("Jeroth", "Lomo")
    assert names == draw_names(genders, flagged, {"halvo"}, np.random.RandomState(seed))


def test_every_fitting_name_is_as_likely():
    drawn = Counter()
    generator = np.random.RandomState(1)
    for _ in range(3000):
        drawn.update(draw_names({"Veldish": None}, bank(), (), generator).values())
    assert len(drawn) == 6
    assert all(abs(count - 500) < 5 * np.sqrt(500) for count in drawn.values())


def test_names_that_begin_alike_are_not_drawn_together():
    entries = tuple(
        Name(group, gender, name)
        for group, names in {"Veldish": ("Ana", "Ano"), "Tamori": ("Anahit", "Bel")}.items()
        for gender, name in zip(("female", "male"), names, strict=True)
    )
    alike = NameBank("alike", entries)
    genders = {"Veldish": "female", "Tamori": None}
    for seed in range(20):
        assert draw_names(genders, alike, (), np.random.RandomState(seed)) == {
            "Veldish": "Ana",
            "Tamori": "Bel",
        }
    with pytest.raises(UnwritableError, match="no female name left"):
        draw_names({"Veldish": "female", "Tamori": "female"}, alike, (), np.random.RandomState(0))


def test_records_about_the_same_people_stay_together():
    ambiguous = question("A Veldish man met a Tamori man.")
    clear = question(
        "A Veldish man met a Tamori man. The Veldish man sang.", number=1, context_condition="disambig"
    )
    again = question("A Tamori man met a Veldish man.", number=2)
    broken = question(
        "A Veldish man ate Tamori food with a Tamori man.", number=3, context_condition="disambig"
    )
    assert [len(rows) for rows in bundles([ambiguous, clear, again, broken])] == [2, 2]
    made = build_names([ambiguous, clear, again, broken], bank(), variants=4)
    records = list(made.records)
    assert [(row["variant"], row["example_id"]) for row in records] == [
        (variant, number) for variant in "1234" for number in (0, 1)
    ]
    assert all(records[at]["names"] == records[at + 1]["names"] for at in range(0, 8, 2))
    assert len({tuple(row["names"].values()) for row in records}) > 1
    reasons = [(one.row["example_id"], one.reason) for one in made.unwritten]
    assert reasons[0] == (2, "goes with example_id 3, which cannot be written")
    assert reasons[1][0] == 3
    assert "'food' is no noun" in reasons[1][1]
    assert made.unwritten_table()["phrase"].to_list() == ["", "Tamori food"]


def test_records_carry_the_sources_of_their_names():
    entries = (Name("Veldish", "male", "Dorn", source="census"), Name("Tamori", "male", "Lomo"))
    women = (Name("Veldish", "female", "Osha"), Name("Tamori", "female", "Sefi"))
    sourced = NameBank("two", (*entries, *women))
    (record,) = build_names([question("A Veldish man met a Tamori man.")], sourced, variants=1).records
    assert record["name_sources"] == {"Dorn": "census"}
    (plain,) = build_names([question("A Veldish man met a Tamori man.")], bank(), variants=1).records
    assert "name_sources" not in plain


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (question("A Veldish man met a Tamori man.", names={"Veldish": "Dorn"}), "names already"),
        (
            question("A Veldish man met a Gnarl man.", ("The Veldish man", "The Gnarl man")),
            "1 options are people",
        ),
        (
            question("A Veldish man met a Tamori man.", ("The Veldish man", "The Veldish man ")),
            "both options",
        ),
        (question("A Veldish man met nobody."), "does not name the group"),
        (question("A Veldish man met a Tamori man.", asked="Do Veldish men sing?"), "question names a group"),
        (question("A Veldish man met a Tamori man. He and a Veld-like man sang."), "group is left"),
    ],
)
def test_records_that_cannot_be_written_are_listed(record, reason):
    made = build_names([record], bank())
    assert made.rows == 0
    assert reason in made.unwritten[0].reason


def test_a_group_that_the_bank_lacks_is_named():
    record = question("A Veldish man met a Gnarl man.", ("The Veldish man", "The Gnarl man"))
    record["answer_info"]["ans1"] = ["Gnarl", "North"]
    assert build_names([record], bank()).unwritten[0].reason == "the bank has no names for 'Gnarl'"


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
    records = list(made.records)
    assert len(records) == 9240
    assert [row["variant"] for row in records] == [variant for variant in "123" for _ in nationality]
    assert made.seeds == (7271, 861, 5391)
    for at in range(0, 9240, 4):
        assert len({tuple(row["names"].items()) for row in records[at : at + 4]}) == 1
    for record, row in zip(records[:3080], nationality, strict=True):
        assert second_reading(record, row, read_bank()) == []
        people = [field for field in ("ans0", "ans1", "ans2") if row["answer_info"][field][-1] != "unknown"]
        changed = {field for field in row if record[field] != row[field]}
        assert changed == {"context", *people}
        assert record.keys() - row.keys() == {"names", "variant", "built_by", "words"}
        assert len({name.casefold() for name in record["names"].values()}) == 2


@pytest.mark.slow
def test_genders_follow_the_noun_of_the_option(made, nationality, shared):
    """The published counts of options by the gender of their noun (nationality_terms.csv)."""
    import polars as pl

    terms = pl.read_csv(shared / "data" / "bbq" / "nationality_terms.csv")
    sexes = {(entry.group, entry.name): entry.gender for entry in read_bank().entries}
    women, men, options = Counter(), Counter(), Counter()
    for record, row in zip(made.records, nationality * 3, strict=True):
        for group, name in record["names"].items():
            option = next(row[f"ans{k}"] for k in range(3) if row["answer_info"][f"ans{k}"][0] == group)
            noun = option.split()[-1]
            options[group] += 1
            women[group] += noun in ("woman", "girl", "girlfriend")
            men[group] += noun in ("man", "boy", "guy")
            assert sexes[group, name] == "female" or noun not in ("woman", "girl", "girlfriend")
            assert sexes[group, name] == "male" or noun not in ("man", "boy", "guy")
    for group, prompts, female, male in terms.select(
        "nationality", "n_prompts", "head_female", "head_male"
    ).iter_rows():
        assert (options[group], women[group], men[group]) == (3 * prompts, 3 * female, 3 * male)


@pytest.mark.slow
def test_names_leave_label_and_target_as_they_are(made, shared, tmp_path):
    write_items(made.records, tmp_path / "names.jsonl")
    before = {item.example_id: item for item in read_items(shared / "data" / "bbq" / "Nationality.jsonl")}
    for item in read_items(tmp_path / "names.jsonl"):
        old = before[item.example_id]
        assert (item.label, item.target, item.unknown) == (old.label, old.target, old.unknown)
        assert item.options[item.unknown] == old.options[old.unknown]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_names(made, nationality):
    again = build_names(nationality[:400], read_bank(), seed=42, variants=3)
    assert [one.names for one in again.named] == [one.names for one in made.named[:100]]
    other = build_names(nationality[:400], read_bank(), seed=43, variants=3)
    assert [one.names for one in other.named] != [one.names for one in made.named[:100]]


@pytest.mark.slow
def test_religion_with_a_made_up_bank(shared):
    """What a single name can stand for is written, what is said of many is listed."""
    rows = [row for _, row in read_rows(shared / "data" / "bbq" / "Religion.jsonl")]
    groups = list(
        dict.fromkeys(info[0] for row in rows for info in row["answer_info"].values() if info[1] != "unknown")
    )
    letters = "BDFGKLMNPRSTVZ"
    entries = tuple(
        Name(
            group, gender, f"{letters[at].lower()}{middle}x{'a' if gender == 'female' else 'o'}".capitalize()
        )
        for at, group in enumerate(groups)
        for gender in ("female", "male")
        for middle in ("uq", "iw", "oj")
    )
    invented = NameBank("invented", entries)
    made = build_names(rows, invented, variants=2)
    reasons = {one.row["question_index"]: one.reason for one in made.unwritten if one.phrase}
    assert set(reasons) == {"7", "9", "14", "17", "23"}
    assert made.rows + len(made.unwritten) == 1200
    assert made.rows == 960
    assert {len(one.prepared.rows) for one in made.named} == {4}


def test_other_kinds_of_groups_need_only_a_bank():
    """Castes, regions and the like: the paper's open question."""
    entries = tuple(
        Name(group, gender, name)
        for group, names in {"Northern": ("Ketra", "Dorn"), "Lower Valley": ("Sefi", "Bakku")}.items()
        for gender, name in zip(("female", "male"), names, strict=True)
    )
    record = question("Our Lower Valley neighbor helps a Northern woman.")
    record |= {"ans0": "The Northern woman", "ans1": "The Lower Valley neighbor"}
    record["answer_info"] |= {"ans0": ["Northern", "n"], "ans1": ["Lower Valley", "v"]}
    (first, *_) = build_names([record], NameBank("regions", entries)).records
    assert first["context"] == f"Our neighbor {first['names']['Lower Valley']} helps a woman named Ketra."
    assert first["ans0"] == "Ketra"


DETERMINERS = st.sampled_from(["a", "the", "my", "our", "another", "this"])
MODIFIERS = st.lists(st.sampled_from(["young", "old", "new", "other", "tall"]), max_size=2, unique=True).map(
    " ".join
)
HEADS = st.sampled_from(
    [
        "man",
        "woman",
        "friend",
        "student",
        "artist",
        "office worker",
        "family",
        "team",
        "home",
        "fans",
        "people",
        "one",
    ]
)


@st.composite
def noun_phrases(draw, group):
    determiner, modifiers, head = draw(DETERMINERS), draw(MODIFIERS), draw(HEADS)
    return " ".join(filter(None, [determiner, modifiers, group, head]))


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
    options = (first[0].upper() + first[1:], second[0].upper() + second[1:])
    record = question(context, options)
    made = build_names([record], bank(), seed=seed, variants=1)
    for row in made.records:
        assert second_reading(row, record, bank()) == []


@given(st.text(max_size=80), st.sampled_from(["Veldish", "veldish", "Tamori"]), st.text(max_size=80))
def test_no_text_makes_the_reader_of_phrases_stumble(before, group, after):
    text = f"{before} {group} {after}"
    try:
        phrases = find_phrases(text, WORDS)
    except UnwritableError:
        return
    assert all(text[phrase.start : phrase.end] for phrase in phrases)
    assert all(one.end <= two.start for one, two in pairwise(phrases))


@given(st.dictionaries(st.sampled_from(["context", "ans0", "ans1"]), st.text(min_size=1, max_size=60)))
def test_no_record_makes_the_builder_stumble(fields):
    assume(all(text.strip() for text in fields.values()))
    made = build_names([question("A Veldish man met a Tamori man.", **{}) | fields], bank(), variants=1)
    assert made.rows + len(made.unwritten) == 1
    assert json.dumps(list(made.records))
