"""From which cells the concepts of each format come, and what counts as one concept."""

from __future__ import annotations

import pytest

from endoxa.curate.novelty import read_concepts
from endoxa.errors import UserError
from endoxa.sources.read import FORMATS


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_text_in_several_rows_is_one_concept(tmp_path):
    table = written(tmp_path, "t.csv", "identity,attribute\nP,Lazy\nQ,lazy.\nP,kind\nP,lazy\nR,\n")
    found = read_concepts(table, "attribute")
    assert found.texts == ["lazy", "kind"]
    assert found.identities == (("p", "q"), ("p",))
    assert (found.rows, found.empty, found.format) == (4, 1, "associations")
    assert read_concepts(table, "association").texts == ["p: lazy", "q: lazy", "p: kind"]
    assert read_concepts(table, "sentence").texts == ["p lazy", "q lazy", "p kind"]


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


@pytest.mark.slow
def test_bbq_needs_its_metadata_for_attributes(shared, tmp_path):
    found = read_concepts(shared / "data/bbq/Religion.jsonl", "attribute")
    assert {"greed", "idol worship"} <= set(found.texts)
    assert found.rows == 300  # of 1200 those about who it was, with a context that does not tell
    sentences = read_concepts(shared / "data/bbq/Religion.jsonl", "sentence")
    assert all(text[-1] != "?" for text in sentences.texts)
    assert any("who likely planted the bomb" in text for text in sentences.texts)
    alone = tmp_path / "Religion.jsonl"
    alone.write_bytes((shared / "data/bbq/Religion.jsonl").read_bytes())
    with pytest.raises(UserError, match=r"additional_metadata\.csv only"):
        read_concepts(alone, "attribute")


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_of_pairs_has_sentences(name, tmp_path):
    form = FORMATS[name]
    path = written(tmp_path, f"pairs{form.suffixes[0]}", form.example)
    found = read_concepts(path, "sentence")
    assert found.format == name
    assert found.rows == len(found) == 2 or name == "indibias"
    assert all(found.texts)
    if name == "s-as":
        assert read_concepts(path, "association").texts == ["farmers: patient", "old people: wise"]
    else:
        with pytest.raises(UserError, match="names no attribute"):
            read_concepts(path, "attribute")


def test_the_release_of_laces_is_read_with_all_that_was_proposed(shared) -> None:
    """Counted with cut and sort: 32 attributes of 40 rows, the one without a rating among them."""
    concepts = read_concepts(shared / "data/published/laces/sample40.csv", "attribute")
    assert (concepts.format, len(concepts)) == ("laces", 32)
