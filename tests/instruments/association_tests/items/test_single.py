"""One test for each association: the id goes with it, the identity stands against the others, the attribute against
its opposite."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import (
    build_from_associations,
    read_tests,
    shared_words,
    write_tests,
)
from endoxa.instruments.association_tests.options import Contrast
from endoxa.schema import AssociationTest, TermSet

TABLE = pl.DataFrame(
    [
        ("a1", "women", "gentle", "gender", "en"),
        ("a2", "men", "strong", "gender", "en"),
        ("a3", "nurses", "kind", "profession", "en"),
        ("a4", "women", "drinking mate", "gender", "en"),
        ("a5", "mujeres", "fuertes", "gender", "es"),
        ("a6", "hombres", "tontos", "gender", "es"),
    ],
    schema=["association_id", "identity", "attribute", "axis", "language"],
    orient="row",
)


def built(table: pl.DataFrame = TABLE, **contrast: object) -> tuple[list, list[str]]:
    return build_from_associations(table, Contrast(each=True, **contrast), None)


def test_every_association_with_an_opposite_and_another_identity_has_its_test():
    made, left_out = built()
    assert [test.association_id for test in made] == ["a1", "a2", "a5", "a6"]
    assert len(left_out) == 2
    assert any(one.startswith("a3") and "no other identity" in one for one in left_out)
    assert any(one.startswith("a4") and "no known antonym" in one for one in left_out)


def test_the_identity_stands_against_the_others_of_its_axis_and_language():
    test = built()[0][1]
    assert test.x.name == "men"
    assert all(" men" in text.lower() for text in test.x.texts)
    assert set(test.y.terms) == {"women"}
    assert test.a.texts == ("These people are strong.",)
    assert test.b.texts == ("These people are weak.",)


def test_words_by_which_associations_were_read_go_with_the_tests_made_of_them():
    """Those of their association only, beside the words of the sentences."""
    cells = {"built_by": "endoxa curate extract", "words": "survey readings:en"}
    read = {
        name: pl.when(association_id="a2").then(pl.lit(text)).otherwise(pl.lit(""))
        for name, text in cells.items()
    }
    by_id = {test.association_id: test for test in built(TABLE.with_columns(**read))[0]}
    assert "survey readings:en" in by_id["a2"].words
    assert "survey readings" not in by_id["a1"].words
    assert by_id["a1"].words == next(test.words for test in built()[0] if test.association_id == "a1")


def test_the_file_keeps_ids_and_single_attributes_of_associations_only(tmp_path: Path):
    made, _ = built()
    path = tmp_path / "tests.json"
    write_tests(made, path)
    assert read_tests(path) == made
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"association_id": "a1"', '"association_id": ""'), encoding="utf-8")
    with pytest.raises(UserError, match="holds 1 texts: expected at least 2"):
        read_tests(path)


def test_a_word_in_both_sets_is_named_whatever_its_spelling() -> None:
    x, y = TermSet("women", ("doctor", "nurse", "café")), TermSet("men", ("Doctor ", "cafe\u0301", "pilot"))
    a, b = TermSet("kind", ("kind", "warm")), TermSet("cold", ("cold", "rude"))
    (note,) = shared_words([AssociationTest("t", x, y, a, b)])
    assert note.startswith("Test 't': 'Doctor ', 'cafe\u0301' in both target sets (women, men)")
    assert not shared_words([AssociationTest("t", a, b, x, TermSet("men", ("pilot", "driver")))])


@pytest.mark.parametrize(
    ("language", "identity", "attribute", "said", "opposite"),
    [
        # The subject is ours, so it can have the gender that the attribute shows, whatever that of the group is.
        ("fr", "Corses", "violents", "Ces gens sont violents.", "Ces gens sont pacifiques."),
        # Swahili: class 2 agrees, "msema kweli" and "mtu mwaminifu" are of class 1 (Ashton 1947).
        ("sw", "wanasheria", "waongo", "Watu hawa ni waongo.", "Watu hawa ni wakweli."),
        # Arabic: no copula; the denial of a feminine plural is not known, its opposite is.
        ("ar", "النساء", "ضعيفات", "هؤلاء ضعيفات.", "هؤلاء قويات."),
    ],
)
def test_attributes_agree_with_a_bleached_subject(language, identity, attribute, said, opposite):
    other = {"ar": "الرجال", "fr": "hommes", "sw": "wanaume"}[language]
    rows = [("a", identity, attribute), ("b", other, attribute)]
    table = pl.DataFrame(rows, schema=["association_id", "identity", "attribute"], orient="row")
    test = built(table.with_columns(axis=pl.lit("x"), language=pl.lit(language)))[0][0]
    assert (test.a.texts, test.b.texts) == ((said,), (opposite,))
