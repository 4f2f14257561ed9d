"""Each check fires on the row in which its problem was planted, and nowhere on a clean file."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources.check import FILE_CHECKS, check_pairs
from endoxa.sources.check.problems import PAIR_CHECKS, SEVERITIES, group_problems, write_problems
from endoxa.sources.check.wording import negates
from endoxa.sources.frames import write_pairs
from endoxa.sources.read import read_pairs
from support.repository import ROOT

CLEAN = [
    ("Farmers get up early.", "Bakers get up early."),
    ("Old people tell long stories.", "Young people tell long stories."),
    ("He lost his keys, so he called home.", "She lost her keys, so she called home."),
    ("An old man and his dog walk home.", "A young man and his dog walk home."),
    ("People from the city talk fast.", "People from the country talk fast."),
    ("My neighbour had had enough, being a doctor.", "My neighbour had had enough, being a plumber."),
    ("Café owners are always polite.", "Shop owners are always polite."),
]

PLANTED = [
    ("identical-sentences", "en", "Farmers get up early.", "Farmers get up early."),
    ("no-word-differs", "en", "Farmers get up early.", "farmers get up early!"),
    ("negation-only", "en", "Farmers are patient.", "Farmers are not patient."),
    ("negation-only", "en", "Farmers like rain.", "Farmers don't like rain."),
    ("negation-only", "hi", "किसान धैर्यवान हैं।", "किसान धैर्यवान नहीं हैं।"),
    ("several-spans", "en", "Old bakers meet old friends.", "Young bakers meet young friends."),
    ("multiple-perturbations", "en", "Old bakers are slow.", "Young bakers are quick."),
    ("long-perturbation", "en", "Bakers sing.", "People who live near the big river sing."),
    ("length-difference", "en", "Bakers sing.", "Very old bakers from town sing."),
    ("other-changes", "en", "The old baker met Anna.", "The young baker met anna."),
    ("no-group-term", "en", "He will sing here.", "He can sing here."),
    ("country-for-group", "en", "The guests from Norway sang.", "The guests from Peru sang."),
    ("article", "en", "She met a old farmer.", "She met a young farmer."),
    ("pronoun", "en", "The father lost his keys.", "The mother lost his keys."),
    ("doubled-word", "en", "Farmers like the the rain.", "Bakers like the the rain."),
    ("mixed-scripts", "hi", "किसान CEO के साथ काम करते हैं।", "बेकर CEO के साथ काम करते हैं।"),
    ("scripts-differ", "hi", "किसान जल्दी उठते हैं।", "Bakers जल्दी उठते हैं।"),
    ("line-break", "en", "Farmers get\nup early.", "Bakers get\nup early."),
    ("typography", "en", "Farmers aren’t early.", "Bakers aren't early."),
    ("final-punctuation", "en", "Farmers get up early", "Bakers get up early."),
    ("invisible-character", "en", "Farm\u200bers get up early.", "Bakers get up early."),
]


def write(path: Path, pairs: list[tuple[str, ...]], **columns: list[str]) -> Path:
    """A file of pairs (language, more, less), with other columns as given."""
    rows = [
        dict.fromkeys(PAIR_COLUMNS)
        | {
            "item_id": f"p{i}",
            "language": language,
            "axis": "profession",
            "direction": "stereo",
            "stereotypical": "more",
        }
        | {"sent_more": more, "sent_less": less}
        | {name: values[i] for name, values in columns.items()}
        for i, (language, more, less) in enumerate(pairs)
    ]
    write_pairs(iter([pl.DataFrame(rows, schema=dict.fromkeys(PAIR_COLUMNS, pl.String))]), path)
    return path


def checks(path: Path, **options) -> Counter[str]:
    return Counter(problem.check for problem in check_pairs(path, ReadOptions(**options)))


def clean(count: int = 1) -> list[tuple[str, str, str]]:
    return [("en", *pair) for pair in CLEAN] * count


def test_clean_file_has_no_problems(tmp_path):
    problems = check_pairs(write(tmp_path / "pairs.csv", clean()))
    assert {problem.check for problem in problems} <= {"several-spans"}  # 'he ... his' against 'she ... her'
    assert len(problems) == 1


@pytest.mark.parametrize(("check", "language", "more", "less"), PLANTED)
def test_planted_problem_is_found_in_its_row_only(tmp_path, check, language, more, less):
    pairs = [*clean()[:2], (language, more, less), *clean()[4:]]
    found = [p for p in check_pairs(write(tmp_path / "pairs.csv", pairs)) if p.check == check]
    assert {(p.row, p.item_id) for p in found} == {(3, "p2")}
    assert all(p.severity in SEVERITIES for p in found)
    for word in ("armers", "akers", "किसान"):
        assert not any(word in p.message for p in found), "a message must not show words of the data"


def test_every_pair_check_has_a_planted_problem_and_a_reason():
    planted = {check for check, *_ in (*PLANTED, *CONTRASTS)}
    for check in PAIR_CHECKS:
        assert check.__name__.replace("_", "-") in planted
    for check in (*PAIR_CHECKS, *FILE_CHECKS):
        assert len(inspect.getdoc(check) or "") > 50


def test_every_check_is_in_the_manual():
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    names = {check for check, *_ in (*PLANTED, *CONTRASTS)} | {"duplicate-id", "duplicate-pair"}
    names |= {"reversed-pair", "empty-cell", "ragged-row"}
    names |= {"unbalanced-labels", "undeclared-language", "contrast-across-axes"}
    names |= {"unreadable-row", "encoding", "nul-character", "not-text", "missing-label", "unknown-direction"}
    assert not {name for name in names if f"`{name}`" not in page}


CONTRASTS = [
    ("name-for-group", "gender", "At noon Anna sang.", "At noon Peter sang.", True),
    ("name-for-group", "race-color", "Xalvior waited.", "Jason waited.", True),
    ("name-for-group", "gender", "Anna wore her hat.", "Peter wore his hat.", False),
    ("name-for-group", "nationality", "A Peruvian sang.", "A Norwegian sang.", False),
    ("negation-and-change", "gender", "Women can't sing.", "Men can sing.", True),
    ("negation-and-change", "gender", "Women never sing.", "Men never sing.", False),
    ("negation-and-change", "gender", "Women sing.", "Women don't sing.", False),
    ("unrecognised-group", "socioeconomic", "We sat in a tent.", "We sat on a yacht.", True),
    ("unrecognised-group", "socioeconomic", "Poor guests sat there.", "Rich guests sat there.", False),
    ("not-counterparts", "socioeconomic", "A poor man sang.", "A white man sang.", True),
    ("not-counterparts", "religion", "Jains sing.", "Koreans sing.", True),
    ("not-counterparts", "socioeconomic", "A poor man sang.", "A rich man sang.", False),
    ("not-counterparts", "race-color", "A Mexican sang.", "A white man sang.", False),
    ("not-counterparts", "gender", "Women admire men.", "Men admire women.", False),
]


@pytest.mark.parametrize(("check", "axis", "more", "less", "flagged"), CONTRASTS)
def test_what_is_set_against_what(tmp_path, check, axis, more, less, flagged):
    assert checks(write(tmp_path / "a.csv", [("en", more, less)], axis=[axis]))[check] == flagged


@pytest.mark.parametrize(
    ("language", "more", "less", "negated"),
    [
        ("en", "Farmers are patient.", "Farmers are impatient.", False),
        ("en", "Farmers cannot wait.", "Farmers can wait.", True),
        ("en", "Farmers do not want to sow anymore.", "Farmers want to sow.", True),
        ("en", "Farmers must wait.", "Farmers need not wait.", True),
        ("fr", "Les femmes ont les cheveux longs.", "Les femmes n'ont pas les cheveux longs.", True),
        ("sw", "Wanawake ni hodari.", "Wanawake ni dhaifu.", False),
        ("hi", "किसान बोलते हैं।", "किसान नहीं बोलते हैं।", True),
        ("xx", "Bakeri esta forta.", "Bakeri nesta forta.", False),
    ],
)
def test_what_a_negation_is(language, more, less, negated):
    assert negates(more, less, language) == negates(less, more, language) == negated


def test_a_negation_in_two_places_is_one_change(tmp_path):
    pair = [("fr", "Les boulangers sont contents.", "Les boulangers ne sont pas contents.")]
    assert checks(write(tmp_path / "a.csv", pair)) == {"negation-only": 1}


def test_reduplication_in_hindi_is_no_doubled_word(tmp_path):
    pair = [("hi", "किसान धीरे धीरे चलते हैं।", "बेकर धीरे धीरे चलते हैं।")]
    assert not checks(write(tmp_path / "a.csv", pair))


@pytest.mark.parametrize(("phrase", "wrong"), [("a union", 0), ("an MP", 0), ("a NATO", 1), ("an user", 1)])
def test_article_follows_the_sound(tmp_path, phrase, wrong):
    article, noun = phrase.split()
    pair = [("en", f"It was {phrase} here.", f"It was {'an' if article == 'a' else 'a'} tree here.")]
    found = [p for p in check_pairs(write(tmp_path / "a.csv", pair)) if p.check == "article"]
    assert any(p.column == "sent_more" for p in found) == wrong, noun


def test_duplicates_as_they_are_and_swapped(tmp_path):
    more, less = CLEAN[0]
    pairs = [("en", more, less), ("en", more.upper(), less), ("en", less, more)]
    path = write(tmp_path / "a.csv", pairs, item_id=["x", "x", "y"])
    found = {p.check: p for p in check_pairs(path)}
    assert (found["duplicate-id"].row, found["duplicate-id"].severity) == (2, "error")
    assert found["duplicate-pair"].row == 2
    assert found["reversed-pair"].row == 3
    assert "row 1" in found["reversed-pair"].message


@pytest.mark.parametrize(
    ("rare", "from_associations", "noted"),
    [(0, False, True), (1, False, True), (3, False, False), (0, True, False)],
)
def test_unbalanced_labels_are_noted_where_pairs_do_not_come_from_associations(
    tmp_path, rare, from_associations, noted
):
    pairs = [("en", f"Farmer number {i} sings.", f"Baker number {i} sings.") for i in range(25)]
    columns = {"direction": ["antistereo"] * rare + ["stereo"] * (25 - rare)}
    if from_associations:
        columns["association_id"] = [f"a{i}" for i in range(25)]
    assert ("unbalanced-labels" in checks(write(tmp_path / "a.csv", pairs, **columns))) == noted


def test_one_contrast_under_two_axes(tmp_path):
    pairs = [
        ("en", f"The {group} sing at {i}.", f"The bakers sing at {i}.") for i in range(6) for group in "fg"
    ]
    path = write(tmp_path / "a.csv", pairs, axis=["age", "class"] * 6)
    found = [p for p in check_pairs(path) if p.check == "contrast-across-axes"]
    assert [(p.text, p.row) for p in found] == [("bakers", 0)]
    assert "age (6), class (6)" in found[0].message


def test_every_fault_is_listed_and_the_rest_is_still_checked(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(
        b"item_id,language,direction,sent_more,sent_less\n"
        b"a,en,stereo,,Bakers sing.\n"
        b"b,en,sideways,Farmers sing.,\n"
        b"c,en,stereo,Farmers sing, loudly.,Bakers sing.\n"
        b"d,en,stereo,Caf\x81 owners sing.,Bakers sing.\n"
        b"e,en,stereo,Farmers\0 sing.,Bakers sing.\n"
        b"f,en,stereo,Farmers sing.,Farmers sing.\n"
        b'g,en,stereo,"Farmers" sing.,Bakers sing.\n'
        b"h,en,stereo,Painters sing.,Bakers sing\n"
    )
    found = [(p.row, p.check, p.column) for p in check_pairs(path)]
    assert found == [
        (1, "empty-cell", "sent_more"),
        (2, "empty-cell", "sent_less"),
        (2, "unknown-direction", "direction"),
        (3, "ragged-row", ""),
        (4, "encoding", "sent_more"),
        (5, "nul-character", "sent_more"),
        (6, "identical-sentences", "sent_less"),
        (7, "unreadable-row", ""),
        (8, "final-punctuation", "sent_less"),
    ]
    with pytest.raises(UserError, match="row 1"):
        list(read_pairs(path))


def test_columns_are_named_as_in_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "index,modified_eng_sent_more,modified_eng_sent_less,sent_more_hindi,sent_less_hindi,bias_type,"
        "stereo_antistereo\n5,,Bakers sing.,किसान गाते हैं।,किसान गाते हैं।,age,stereo\n"
    )
    found = [(p.check, p.item_id, p.column) for p in check_pairs(path)]
    assert found == [
        ("empty-cell", "indibias-5-en", "modified_eng_sent_more"),
        ("identical-sentences", "indibias-5-hi", "sent_less_hindi"),
    ]


def test_problems_are_grouped_by_severity_and_written_without_text(tmp_path):
    pairs = [("en", *CLEAN[0]), ("en", "Old bakers are slow", "Young bakers are quick."), ("en", "A.", "A.")]
    problems = check_pairs(write(tmp_path / "a.csv", pairs))
    assert next(iter(group_problems(problems))) == "identical-sentences"
    write_problems(problems, tmp_path / "problems.csv")
    assert "slow" not in (tmp_path / "problems.csv").read_text()
    write_problems(problems, tmp_path / "problems.csv", show_text=True)
    assert "slow" in (tmp_path / "problems.csv").read_text()
    assert pl.read_csv(tmp_path / "problems.csv").height == len(problems)


@pytest.mark.slow
def test_known_quirks_of_the_published_files_are_found(shared):
    """From the README of the data: a line break in row 404, identical Hindi sentences in row 484."""
    problems = check_pairs(shared / "data" / "indibias" / "IndiBias_v1_sample.csv")
    places = {(p.check, p.row - 1) for p in problems if p.check in ("line-break", "identical-sentences")}
    assert places == {("line-break", 404), ("identical-sentences", 484)}


@pytest.mark.slow
def test_most_published_pairs_pass(shared):
    """A check that flags everything says nothing: under a fifth of CrowS-Pairs has a warning."""
    problems = check_pairs(shared / "data" / "crows_pairs" / "crows_pairs_anonymized.csv")
    assert not [p for p in problems if p.severity == "error"]
    assert 0.02 < len({p.row for p in problems if p.severity == "warning"}) / 1508 < 0.2
