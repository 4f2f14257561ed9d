"""Associations of published files: counted by hand on invented rows, and by README figures on the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import UnclearError, load_templates
from endoxa.curate.published import chosen_associations, read_associations
from endoxa.errors import UserError
from endoxa.sources.layouts import layout_of, layouts
from endoxa.sources.read import recognise
from endoxa.sources.sources import locate, source

SAFARI = """\
row,country,respondent,sentence,identity,attribute,axis,offensiveness,prevalence
1,Ghana,G1,Bakers are early,Bakers,Early,"Profession, Gender",1,1
2,Kenya,K1,Bakers are early,Bakers ,early ,"gender,Profession",1,1
3,Kenya,K1,Bakers are early,bakers,Early,Profession,1,1
4,Ghana,G1,Bakers like tea,Bakers,Like tea,Profession,1,1
"""
SPICE = """\
Identity,Attribute,Total,West Urban,Scheduled Castes
Female,Patient,3,1,0
Women,patient,2,1,0
Tamilian,Tall,1,0,0
"""
SEEGULL = """\
identity,attribute,non_stereotype,stereotype,unsure,mean_offensive_score,translated_identity,translated_attribute_list
francés,elegante,1,2,0,-1,French,elegant
franceses,elegante,0,3,0,-1,French,elegant
ruso,alto,2,1,0,-1,Russian,tall
"""
LACES = """\
annotator_nationalities,annotator_regions,annotator_understood_languages,data_point_nationality,data_point_attribute,data_point_language,stereotype_score,new_association
['Peru'],[],['en'],Bolivia,friendly,en,5.0,True
['Chile'],[],['en'],Bolivia,friendly,en,4.0,False
['Chile'],[],['en'],Bolivia,poor,en,3.0,False
['Chile'],[],['es'],Bolivia,amable,es,4.0,False
['Chile'],[],['es'],Chile,amable,es,,False
"""


def written(folder: Path, text: str, name: str = "published.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_respondent_of_safari_counts_once_however_often_the_thing_is_said(tmp_path):
    table = read_associations(written(tmp_path, SAFARI))
    rows = table.select("identity", "attribute", "axis", "region", "support", "predicate").rows()
    assert rows == [
        ("bakers", "early", "gender, profession", "Ghana; Kenya", "2", "copula"),
        ("bakers", "like tea", "profession", "Ghana", "1", "verb"),
    ]


def test_respondents_of_spice_are_added_up_under_one_name_of_the_group(tmp_path):
    table = read_associations(written(tmp_path, SPICE))
    assert table.select("identity", "attribute", "axis", "region", "support").rows() == [
        ("women", "patient", "gender", "India", "5"),
        ("tamilians", "tall", "unspecified", "India", "1"),
    ]


def test_raters_of_seegull_are_never_added_up_and_two_of_three_decide(tmp_path):
    path = written(tmp_path, SEEGULL, "stereotypes_Spanish_es_in_Mexico.csv")
    columns = ("identity", "attribute", "language", "region", "support", "identity_key")
    assert read_associations(path).select(columns).rows() == [
        ("franceses", "elegante", "es", "Mexico", "3", "french people")
    ]
    assert read_associations(path, min_support=1)["identity"].to_list() == ["franceses", "rusos"]


def test_a_rating_of_laces_counts_from_4_of_5_and_countries_become_their_people(tmp_path):
    table = read_associations(written(tmp_path, LACES))
    assert table.select("identity", "attribute", "language", "support").rows() == [
        ("bolivians", "friendly", "en", "2"),
        ("bolivianos", "amable", "es", "1"),
    ]


@pytest.mark.parametrize(("least", "number"), [(None, 2), (5, 1), (0, 4)])
def test_the_least_rating_of_laces_can_be_chosen_and_0_takes_all(tmp_path, least, number):
    """5 leaves the one that somebody rated 5; 0 takes what was rated low or by nobody."""
    assert read_associations(written(tmp_path, LACES), min_rating=least).height == number


def test_a_least_rating_needs_ratings(tmp_path):
    with pytest.raises(UserError, match="has no ratings, so min_rating"):
        read_associations(written(tmp_path, SPICE), min_rating=1)


def test_a_noun_for_a_thing_is_said_of_nobody_in_either_language(tmp_path):
    rows = [("tacos", "tacos"), ("piel oscura", "dark skin"), ("gitano", "gypsy")]
    cells = [f"franceses,{attribute},0,3,0,-1,French,{english}" for attribute, english in rows]
    text = "\n".join([SEEGULL.splitlines()[0], *cells]) + "\n"
    table = read_associations(written(tmp_path, text, "stereotypes_Spanish_es_in_Mexico.csv"))
    assert table["predicate"].to_list() == ["noun", "noun", ""]
    said = (
        "1,Ghana,G1,Police are known for bribes,Police,Bribes,a,1,1",
        "2,Ghana,G1,Police are cruel,Police,Cruel,a,1,1",
    )
    table = read_associations(written(tmp_path, "\n".join([SAFARI.splitlines()[0], *said]) + "\n"))
    assert table["predicate"].to_list() == ["noun", "copula"]
    with pytest.raises(UnclearError, match="seems to name a thing"):
        sentence_pair("police", "bribes", load_templates()["en"], None, evidence="noun")


def test_the_name_of_a_published_layout_says_which_file_to_bring():
    for ask in (source, locate):
        with pytest.raises(UserError, match=r"fvialibre/LACES: LACES_DATASET\.csv.*study init"):
            ask("laces")


def test_the_most_supported_associations_are_chosen_in_the_order_of_the_file(shared, tmp_path):
    path = written(tmp_path, "identity,attribute,support\nbakers,early,1\npilots,calm,9\nnurses,kind,4\n")
    assert chosen_associations(path, limit=2)["identity"].to_list() == ["pilots", "nurses"]
    assert read_associations(path, "csv").height == 3
    with pytest.raises(UserError, match="99 or more people"):
        read_associations(path, min_support=99)


def test_a_published_file_gives_what_a_laptop_can_do_and_says_how_to_take_more(tmp_path, caplog):
    said = [f"Bakers,Early {n},1,0,0" for n in range(70)] + [f"Pilots,Calm {n},1,0,0" for n in range(70)]
    path = written(tmp_path, "\n".join([SPICE.splitlines()[0], *said, "Nurses,Kind,9,0,0"]) + "\n")
    table = chosen_associations(path)
    counts = dict(table["identity"].value_counts().iter_rows())
    assert counts.pop("nurses") == 1
    assert sorted(counts.values()) == [29, 30]  # groups take turns among equals
    assert "60 of the 141 associations" in caplog.text
    assert "--limit 0" in caplog.text
    assert chosen_associations(path, limit=0).height == 141


@pytest.mark.parametrize(
    ("layout", "expected"),
    [("esbbq", "endoxa probe qa"), ("heseia", "endoxa curate extract"), ("safri", "Did you mean")],
)
def test_what_holds_no_associations_names_the_command_that_takes_it(tmp_path, layout, expected):
    with pytest.raises(UserError, match=expected):
        read_associations(written(tmp_path, SPICE), layout)


def test_a_table_of_associations_is_no_file_of_pairs(tmp_path):
    with pytest.raises(UserError, match=r"layout spice, which holds no sentence pairs.*study init"):
        recognise(written(tmp_path, SPICE))


def test_no_layout_is_taken_for_another_one(tmp_path):
    for name, layout in layouts().items():
        path = written(tmp_path, ",".join(layout.columns) + "\n" + "x," * (len(layout.columns) - 1) + "x\n")
        recognised = layout_of(path)
        assert recognised is not None
        assert recognised.name == name
        path.unlink()
