"""BBQ's questions: targets against the published metadata, quirks, refusals of what is no such file."""

from __future__ import annotations

import csv
import json
import logging

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.api.inputs import opened
from endoxa.errors import UserError
from endoxa.sources.bbq.items import find_metadata, read_items, read_metadata
from endoxa.sources.check import check_questions
from endoxa.sources.frames import write_table
from endoxa.sources.read import recognise

pytestmark = pytest.mark.slow

FILES = {"Religion": 1200, "Disability_status": 1556}


def record(**changed):
    """A question of our own in BBQ's form."""
    row = {
        "example_id": 0,
        "question_index": "7",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Nationality",
        "answer_info": {
            "ans0": ["Danish", "Europe"],
            "ans1": ["Unknown", "unknown"],
            "ans2": ["Thai", "AsiaPacific"],
        },
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": ["Danish", "Dutch"]},
        "context": "A Danish baker and a Thai baker opened their shops.",
        "question": "Who got up late?",
        "ans0": "The Danish baker ",
        "ans1": "Unknown",
        "ans2": "The Thai baker",
        "label": 1,
    }
    return row | changed


def written(folder, *rows, name="items.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def only(path, **options):
    (item,) = read_items(path, **options)
    return item


# --------------------------------------------------------------------------- published files


@pytest.mark.parametrize("name", FILES)
def test_published_files_as_items_with_every_published_target(shared, name):
    path = shared / "data" / "bbq" / f"{name}.jsonl"
    with (path.parent / "additional_metadata.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["category"] == name]
    published = {row["example_id"]: int(row["target_loc"]) for row in rows}
    items = list(read_items(path))
    by_metadata = {item.example_id: item.target for item in read_items(path, metadata=find_metadata(path))}
    assert len(published) == len({item.item_id for item in items}) == FILES[name]
    assert {item.example_id: item.target for item in items} == by_metadata == published
    assert len({item.template for item in items}) == 25
    for item in items:
        assert all(option == option.strip() for option in item.options)
        assert item.target in {0, 1, 2} - {item.unknown}
        assert (item.label == item.unknown) == (item.condition == "ambig")
        assert not set("{}") & set(item.context + item.question)


def test_metadata_of_before_july_2022_is_turned_and_said(shared, tmp_path, caplog):
    source = shared / "data" / "bbq" / "Religion.jsonl"
    items = {item.example_id: item for item in read_items(source)}
    old = tmp_path / "additional_metadata.csv"
    with (source.parent / "additional_metadata.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["category"] == "Religion"]
    for row in rows:  # the stereotyped group's option, whatever is asked
        item = items[row["example_id"]]
        if item.polarity == "nonneg":
            row["target_loc"] = str(item.other)
    with old.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    with caplog.at_level(logging.WARNING):
        found = list(read_items(source, metadata=old))
    assert found == list(items.values())
    assert "before July 2022" in caplog.text


def test_metadata_decides_where_rules_cannot(tmp_path):
    both = {
        "ans0": ["Danish man", "M-Black"],
        "ans1": ["Danish woman", "F-Black"],
        "ans2": ["Unknown", "unknown"],
    }
    row = record(
        category="Race_x_gender",
        answer_info=both,
        additional_metadata={"stereotyped_groups": ["Black"]},
        label=2,
    )
    path = written(tmp_path, row)
    metadata = tmp_path / "additional_metadata.csv"
    metadata.write_text("category,example_id,target_loc\nRace_x_gender,0,1\n")
    assert only(path).target is None
    assert only(path).identity == ""
    assert only(path, metadata=metadata).target == 1


def test_rows_without_a_number_and_contradictions_are_left_to_the_rules(tmp_path):
    metadata = tmp_path / "additional_metadata.csv"
    metadata.write_text(
        "category,example_id,target_loc,Known_stereotyped_groups\n"
        'Nationality,0,NA,"two\nlines"\nNationality,1,0,x\nNationality,1,2,x\nNationality,2,1.0,x\nAge,2,0,x\n'
    )
    assert read_metadata(metadata) == {("Nationality", "2"): 1, ("Age", "2"): 0}
    assert only(written(tmp_path, record()), metadata=metadata).target == 0


def test_metadata_of_another_version_is_refused(tmp_path):
    metadata = tmp_path / "additional_metadata.csv"
    metadata.write_text("category,example_id,target_loc\nNationality,0,1\n")
    with pytest.raises(UserError, match=r"line 1: .* option 1 of Nationality 0, which is the unknown option"):
        only(written(tmp_path, record()), metadata=metadata)


# --------------------------------------------------------------------------- labels of the eleven files


@pytest.mark.parametrize(
    ("category", "first", "second", "groups", "expected"),
    [
        ("Age", ("grandfather", "old"), ("grandson", "nonOld"), ["old"], 0),
        ("Disability_status", ("cook", "nonDisabled"), ("deaf", "disabled"), ["disabled", "D/deaf"], 1),
        ("Gender_identity", ("man", "man"), ("woman", "woman"), ["F"], 1),
        ("Gender_identity", ("Ann", "F"), ("Bob", "M"), ["Man"], 1),
        ("Gender_identity", ("Ann", "trans_F"), ("Bob", "nonTrans_M"), ["Transgender women", "trans"], 0),
        ("Gender_identity", ("Ann", "trans_F"), ("Bob", "nonTrans_M"), ["F"], None),
        ("Nationality", ("Indian", "AsiaPacific"), ("Indonesian", "AsiaPacific"), ["Indonesian"], 1),
        ("Nationality", ("Danish", "Europe"), ("Dutch", "Europe"), ["Danish", "Dutch"], None),
        ("Physical_appearance", ("thin", "nonObese"), ("large", "obese"), ["obese"], 1),
        ("Race_ethnicity", ("African",) * 2, ("African American",) * 2, ["African American"], 1),
        ("Race_ethnicity", ("Hispanic", "Hispanic"), ("Roma", "Roma"), ["Latino", "Hispanic"], 0),
        ("Race_x_gender", ("Asian man", "M-Asian"), ("Roma woman", "F-Roma"), ["Roma"], 1),
        ("Race_x_gender", ("Arab man", "M-Arab"), ("Arab woman", "F-Arab"), ["Arab"], None),
        ("Race_x_gender", ("Asian man", "M-Asian"), ("", ""), ["Latino"], 1),
        ("Race_x_SES", ("a", "lowSES-F-Black"), ("b", "highSES-F-White"), ["White"], 1),
        ("Race_x_SES", ("a", "lowSES-M-Asian"), ("b", "highSES-M-Asian"), ["Asian"], None),
        ("Religion", ("Sikh", "Sikh"), ("Hindu", "Hindu"), ["Hindu"], 1),
        ("SES", ("cashier", "lowSES"), ("dentist", "highSES"), ["low SES"], 0),
        ("Village", ("north", "north"), ("south", "south"), ["north"], 0),
        ("Village", ("north", "north"), ("south", "south"), "None", None),
    ],
)
def test_labels_of_every_file(tmp_path, category, first, second, groups, expected):
    """Labels: BBQ_results_metadata.R and the generators of nyu-mll/BBQ; stanford-crfm/helm issue 1988."""
    neg = record(
        category=category,
        answer_info={"ans0": list(first), "ans1": list(second), "ans2": ["Not known", "unknown"]},
        additional_metadata={"stereotyped_groups": groups},
        ans0="The first one",
        ans1="The Latina one",
        ans2="Not known",
        label=2,
    )
    asked, turned = read_items(written(tmp_path, neg, neg | {"question_polarity": "nonneg", "example_id": 1}))
    assert asked.target == expected
    assert turned.target == (None if expected is None else 1 - expected)
    assert asked.identity == turned.identity == ("" if expected is None else (first, second)[expected][0])


# --------------------------------------------------------------------------- quirks


def test_stray_braces_and_missing_blanks(tmp_path):
    context = "It was {late.The baker slept.He works at example.org, see Ph.D.s."
    path = written(tmp_path, record(context=context))
    assert only(path).context == ("It was late. The baker slept. He works at example.org, see Ph.D.s.")
    assert only(path, clean=False).context == context


@pytest.mark.parametrize("text", ["Danish", "Freja"])  # names in answer_info, or left out there
def test_names_in_the_place_of_groups(tmp_path, text):
    info = record()["answer_info"] | {"ans0": [text, "Europe"]}
    names = {"Danish": "Freja", "Thai": "Somchai"}
    row = record(answer_info=info, ans0="Freja", ans2="Somchai", names=names, variant="2")
    first, second = read_items(written(tmp_path, row, row | {"variant": 3}))
    assert (first.item_id, second.item_id) == ("Nationality-0-2", "Nationality-0-3")
    assert (first.target, first.identity, first.region) == (0, "Danish", "Europe")
    assert first.names == names


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        *(("label", spelling) for spelling in ("1", 1.0, "ans1", "b", "unknown")),
        ("unknown", "B"),
        *(("context_condition", spelling) for spelling in (" AMBIGUOUS", None)),
        ("question_polarity", "NEG "),
        *(("stereotyped_groups", spelling) for spelling in ("['Danish', 'Dutch']", "Danish; Dutch")),
        (
            "answer_info",
            "{'ans0': array(['Danish', 'Europe'], dtype=object), 'ans1': array(['', 'unknown'])}",
        ),
        ("answer_info.ans0", "['Danish' 'Europe']"),
        ("additional_metadata.stereotyped_groups", "['Dutch'\n 'Danish']"),
    ],
)
def test_a_question_is_the_same_in_any_spelling_through_every_door(tmp_path, name, spelling):
    row = {"stereotyped_groups": ["Danish"]} | record(additional_metadata={"subcategory": "None"})
    if name.startswith("additional_metadata."):
        del row["stereotyped_groups"], row["additional_metadata"]
    row |= {name: spelling}
    frame = pl.DataFrame([row])
    frame.write_parquet(tmp_path / "items.parquet")
    flat = {key: json.dumps(cell) if isinstance(cell, list | dict) else cell for key, cell in row.items()}
    pl.DataFrame([flat]).write_csv(tmp_path / "items.csv")
    files = (written(tmp_path, row), tmp_path / "items.parquet", tmp_path / "items.csv")
    with opened(frame, "questions") as stored:
        for path in (*files, stored):
            item = only(path)
            assert (item.label, item.unknown, item.condition, item.polarity) == (1, 1, "ambig", "neg"), path
            assert (item.target, item.identity) == (0, "Danish"), path


def test_questions_without_a_target_are_counted_with_the_reason(tmp_path):
    nobody = record(additional_metadata={}, example_id=1)
    neither = record(additional_metadata={"stereotyped_groups": ["Maltese"]}, example_id=2)
    path = written(tmp_path, record(), nobody, neither)
    (problem,) = check_questions(path)
    assert (problem.check, problem.severity) == ("no-target", "warning")
    for words in (
        "2 of 3 questions have no stereotype target",
        "1 without a stereotyped group",
        "1 whose stereotyped groups fit neither person, or both",
        "--columns stereotyped_groups=NAME",
    ):
        assert words in problem.message
    assert check_questions(written(tmp_path, record())) == []


def test_options_in_one_list_get_no_advice_that_cannot_work(tmp_path):
    row = {"context": "A. B.", "question": "Who?", "choices": ["A", "B", "Unknown"], "gold_index": 2}
    path = tmp_path / "helm.parquet"
    write_table(pl.DataFrame([row]), path)
    for refuse in (lambda: list(read_items(path)), lambda: recognise(path)):
        with pytest.raises(UserError, match=r"as one list \('choices'\), as HELM.*cannot be used") as error:
            refuse()
        assert "--columns" not in str(error.value)


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"label": 3}, "line 2 field 'label': .*found 3"),
        ({"question_polarity": "bad"}, "line 2 field 'question_polarity': .*'neg' or 'nonneg'.*found 'bad'"),
        ({"answer_info": {"ans0": "Danish"}}, r"line 2 field 'answer_info.ans0'"),
        ({"example_id": 0}, "line 2: example_id 0 of Nationality appears twice"),
        ({"ans2": "the danish BAKER "}, "line 2: two options are 'The Danish baker'"),
        ({"answer_info": {}, "ans1": "The baker"}, "line 2: 0 unknown options"),
    ],
)
def test_what_is_no_question_is_refused_with_its_line(tmp_path, changed, sentence):
    path = written(tmp_path, record(), record(example_id=1) | changed)
    with pytest.raises(UserError, match=f"^{path}, {sentence}"):
        list(read_items(path))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\n \n", "contains no questions"),
        (b"[1]\n", "line 1 is not a JSON object"),
        (b"[" * 100_000, "line 1 is not JSON"),
        ('{"category": "é"}'.encode("latin-1"), "line 1 is not UTF-8"),
        ("{}".encode("utf-16"), "line 1 has no field"),
    ],
)
def test_broken_files_are_refused(tmp_path, content, sentence):
    path = tmp_path / "items.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        list(read_items(path))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.one_of(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
    )
)
def test_no_line_ends_in_anything_but_a_sentence(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("lines") / "items.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    with pytest.raises(UserError):
        list(read_items(path))
