"""From which cells the concepts of each format come, and what counts as one concept."""

from __future__ import annotations

import pytest

from endoxa.curate.novelty import dataset_names, normalise, read_concepts
from endoxa.errors import UserError
from endoxa.sources.read import FORMATS


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("  Very  LAZY. ", "very lazy"),
        ("“proud”!", "proud"),
        ("ﬁne", "fine"),
        ("hot-tempered", "hot-tempered"),
        ("...", "..."),
        ("वे मेहनती हैं।", "वे मेहनती हैं"),
    ],
)
def test_normal_form(text, plain):
    assert normalise(text) == plain


def test_a_text_in_several_rows_is_one_concept(tmp_path):
    table = written(tmp_path, "t.csv", "identity,attribute\nP,Lazy\nQ,lazy.\nP,kind\nP,lazy\nR,\n")
    found = read_concepts(table, "attribute")
    assert found.texts == ["lazy", "kind"]
    assert found.identities == (("p", "q"), ("p",))
    assert (found.rows, found.empty, found.format) == (4, 1, "associations")
    assert read_concepts(table, "association").texts == ["p: lazy", "q: lazy", "p: kind"]
    assert read_concepts(table, "sentence").texts == ["p lazy", "q lazy", "p kind"]


def test_order_of_rows_does_not_matter(tmp_path):
    one = written(tmp_path, "one.csv", "identity,attribute\nP,Lazy\nQ,lazy\nP,kind\n")
    other = written(tmp_path, "other.csv", "identity,attribute\nP,kind\nQ,lazy\nP,Lazy\n")
    found = [read_concepts(path, "attribute") for path in (one, other)]
    assert len({frozenset(zip(own.texts, own.identities, strict=True)) for own in found}) == 1


def test_other_languages_are_left_out_and_counted(tmp_path):
    table = written(
        tmp_path, "t.csv", "identity,attribute,language\nP,lazy,en\nP,perezosos,es\nP,kind,\nP,proud,en-GB\n"
    )
    found = read_concepts(table, "attribute")
    assert (found.texts, found.left_out) == (["lazy", "kind", "proud"], 1)
    assert len(read_concepts(table, "attribute", ("en", "es"))) == 4


def test_pairs_of_our_own_columns(tmp_path):
    table = written(
        tmp_path,
        "p.csv",
        "item_id,language,stereotypical,sent_more,sent_less,identity,attribute_more,attribute_less\n"
        "a,en,more,Bakers are late.,Bakers are early.,bakers,late,early\n"
        "b,en,less,Farmers are early.,Farmers are late.,farmers,early,late\n",
    )
    assert read_concepts(table, "sentence").texts == ["bakers are late", "farmers are late"]
    assert read_concepts(table, "attribute").texts == ["late"]
    assert read_concepts(table, "association").texts == ["bakers: late", "farmers: late"]


def test_crows_pairs_has_sentences_only(tmp_path):
    table = written(
        tmp_path,
        "crows.csv",
        ",sent_more,sent_less,stereo_antistereo,bias_type\n"
        "0,Farmers get up early.,Bakers get up early.,stereo,profession\n",
    )
    found = read_concepts(table, "sentence")
    assert (found.texts, found.identities, found.format) == (
        ["farmers get up early"],
        (("farmers",),),
        "crows-pairs",
    )


def test_indibias_takes_the_stereotypical_english_sentence(shared):
    found = read_concepts(shared / "data/indibias/IndiBias_v1_sample.csv", "sentence")
    assert (len(found), found.rows, found.left_out) == (560, 561, 561)
    assert "the brahmin family lived in a luxurious mansion" in found.texts
    assert len(read_concepts(shared / "data/indibias/IndiBias_v1_sample.csv", "sentence", ("hi",))) > 500


def test_bbq_needs_its_metadata_for_attributes(shared, tmp_path):
    found = read_concepts(shared / "data/bbq/Religion.jsonl", "attribute")
    assert {"greed", "idol worship"} <= set(found.texts)
    assert found.rows >= 300
    both = read_concepts(shared / "data/bbq/Religion.jsonl", "association")
    assert "jewish: greed" in both.texts
    sentences = read_concepts(shared / "data/bbq/Religion.jsonl", "sentence")
    assert all(text[-1] != "?" for text in sentences.texts)
    assert any("who likely planted the bomb" in text for text in sentences.texts)
    alone = tmp_path / "Religion.jsonl"
    alone.write_bytes((shared / "data/bbq/Religion.jsonl").read_bytes())
    with pytest.raises(UserError, match=r"additional_metadata\.csv only"):
        read_concepts(alone, "attribute")
    assert read_concepts(alone, "sentence").texts == sentences.texts


def test_seegull_is_a_table_of_associations(shared):
    found = read_concepts(shared / "data/seegull/stereotypes_us_states.csv", "association")
    assert "new yorker: snobbish" in found.texts
    assert found.format == "associations"


def test_names_of_data_sets(tmp_path):
    paths = [tmp_path / one for one in ("a/pairs.csv", "b/pairs.csv", "c.csv")]
    assert dataset_names(paths) == ["a/pairs", "b/pairs", f"{tmp_path.name}/c"]
    assert dataset_names(paths[1:]) == ["pairs", "c"]


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_of_pairs_has_sentences(name, tmp_path):
    form = FORMATS[name]
    path = written(tmp_path, f"pairs{form.suffixes[0]}", form.example)
    found = read_concepts(path, "sentence")
    assert found.format == name
    assert found.rows == len(found) == 2 or name == "indibias"
    assert all(found.texts)
    named = {"s-as": True, "native": False, "stereoset": False, "crows-pairs": False, "indibias": False}[name]
    if named:
        assert read_concepts(path, "association").texts == ["farmers: patient", "old people: wise"]
    else:
        with pytest.raises(UserError, match="names no attribute"):
            read_concepts(path, "attribute")


def test_social_values_are_split_at_commas(tmp_path):
    from endoxa.sources.bbq.items import read_social_values

    path = written(
        tmp_path,
        "additional_metadata.csv",
        'category,example_id,Relevant_social_values\nAge,0,"work ethic, drug use"\nAge,1,NA\n',
    )
    assert read_social_values(path) == {("Age", "0"): ("work ethic", "drug use"), ("Age", "1"): ()}


def test_the_release_of_laces_is_read_with_all_that_was_proposed(shared) -> None:
    """Counted with cut and sort: 32 attributes of 40 rows, the one without a rating among them."""
    concepts = read_concepts(shared / "data/published/laces/sample40.csv", "attribute")
    assert (concepts.format, len(concepts)) == ("laces", 32)
