"""One identity in several spellings is one unit of every count."""

from __future__ import annotations

import logging

import polars as pl
import pytest

from endoxa.curate.associations import association_id, associations
from endoxa.curate.group import read_attributes
from endoxa.sources.identities import identity_key, identity_names, one_spelling

KIND = [
    *("kind", "Kind", "ki\u00adnd", "\u2068kind\u2069", "kind\u200f", "ki\u200bnd", "\ufeffkind"),
    *("kind\u00a0", "ｋｉｎｄ"),
]
"""One word: case, soft hyphen, marks of direction, blank of no width, byte order mark, no-break blank, full width."""
SPELLINGS = ["Sénégalais", "Se\u0301ne\u0301galais", "sénégalais", "Sénégalais ", "Sénégalais\u200b"]


def test_spellings_of_one_identity_are_one_and_accents_tell_words_apart(caplog):
    assert len({identity_key(text) for text in SPELLINGS}) == 1
    assert identity_key("İranlı") == identity_key("iranlı")
    assert identity_key("Côte d’Ivoire") == identity_key("Côte d'Ivoire")
    assert len({identity_key(text) for text in ("pécheurs", "pêcheurs", "pecheurs")}) == 3
    assert identity_names(pl.Series(["Women", "Men", None])).to_list() == ["women", "men", None]
    table = pl.DataFrame({"identity": [*SPELLINGS, "Togolais", "Sénégalais"]})
    with caplog.at_level(logging.WARNING):
        shown = one_spelling(table, source="a.csv")["identity"].to_list()
    assert shown == [*["Sénégalais"] * 5, "Togolais", "Sénégalais"]
    assert "'Sénégalais' (5 spellings)" in caplog.text


@pytest.mark.parametrize(
    ("spelt", "shown"),
    [
        (KIND, "kind"),
        (KIND[2:7], "kind"),  # nobody typed it clean
        # A joiner between letters is their spelling.
        (["नियम\u200cवाले", "नियम\u200cवाले", "नियमवाले"], "नियम\u200cवाले"),
    ],
)
def test_attributes_have_one_key_as_identities_have(tmp_path, spelt, shown):
    path = tmp_path / "statements.csv"
    people = [f"p{n}" for n in range(len(spelt))]
    table = pl.DataFrame({"identity": ["women"] * len(spelt), "attribute": spelt, "respondent": people})
    groups = pl.DataFrame({"attribute": spelt[:1], "group_id": ["g1"], "canonical": ["good"]})
    table.write_csv(path)
    counted = associations(table).table
    assert counted.select("attribute", "support").rows() == [(shown, str(len(spelt)))]
    assert associations(table, groups).table.select("attribute", "support").rows() == [
        ("good", str(len(spelt)))
    ]
    assert read_attributes(path) == {shown: len(spelt)}


def test_an_association_has_one_id_whatever_is_not_seen():
    ids = {association_id("women", text, "", "", "") for text in ("kind", *KIND[2:7])}
    assert ids == {"ada2c6ac5db88"}
    joined, apart = (association_id("x", text, "", "", "") for text in ("नियम\u200cवाले", "नियमवाले"))
    assert joined == apart
