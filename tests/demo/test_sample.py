"""The sample data set keeps the promises of its data card."""

from __future__ import annotations

import re
import unicodedata

import polars as pl
import pytest

from endoxa.demo.planted import SAMPLE, load_sample
from endoxa.instruments.pairs.probe.items import replace_identity
from endoxa.schema import PAIR_COLUMNS
from endoxa.schema.provenance import PROVENANCE_COLUMNS

ITEMS = load_sample()
ROWS = list(ITEMS.iter_rows(named=True))


def words(text: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    return re.findall(r"[.,?¿।]|[^\s.,?¿।]+", text.lower())


def test_size_and_columns() -> None:
    assert ITEMS.columns == [name for name in PAIR_COLUMNS if name not in PROVENANCE_COLUMNS]
    assert set(ITEMS.dtypes) == {pl.String}
    assert ITEMS.height >= 120
    assert ITEMS["language"].n_unique() == 5
    assert ITEMS["region"].n_unique() == 5
    assert ITEMS.select("language", "identity").n_unique() >= 20


def test_only_agreement_is_ever_empty() -> None:
    filled = ITEMS.drop("agreement")
    assert filled.filter(pl.any_horizontal(pl.all().str.strip_chars() == "")).is_empty()
    assert filled.null_count().sum_horizontal().item() == 0


def test_names_are_unique_and_say_sample() -> None:
    assert ITEMS["item_id"].is_unique().all()
    assert ITEMS["association_id"].is_unique().all()
    assert ITEMS["association_id"].str.starts_with("sample-").all()


def test_no_pair_twice() -> None:
    assert ITEMS["sent_more"].is_unique().all()
    assert ITEMS["sent_less"].is_unique().all()
    assert not set(ITEMS["sent_more"]) & set(ITEMS["sent_less"])


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["item_id"])
def test_pair_is_one_frame_with_two_attributes(row: dict[str, str]) -> None:
    identity = row["identity"]
    assert row["attribute_more"] != row["attribute_less"]
    for side in ("more", "less"):
        sentence, attribute = row[f"sent_{side}"], row[f"attribute_{side}"]
        assert sentence.lower().count(identity) == 1
        assert words(sentence).count(attribute) == 1
        assert sentence[0] == sentence[0].upper()
    assert row["sent_more"].replace(row["attribute_more"], row["attribute_less"]) == row["sent_less"]
    assert len(words(row["sent_more"])) == len(words(row["sent_less"]))
    assert row["prompt"].lower().count(identity) == 1


def test_text_is_composed_and_clean() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    assert unicodedata.normalize("NFC", text) == text
    assert "  " not in text
    assert "\r" not in text


def test_direction_is_the_same_everywhere() -> None:
    assert set(ITEMS["direction"]) == {"stereo"}
    assert set(ITEMS["stereotypical"]) == {"more"}


def test_agreement_follows_the_article_or_the_verb() -> None:
    by_mark = {"las ": "f", "los ": "m", "होती": "f", "होते": "m"}
    for row in ROWS:
        found = {gender for mark, gender in by_mark.items() if mark in row["sent_more"].lower()}
        if row["language"] in ("es", "hi"):
            assert found == {row["agreement"]}, row["item_id"]
        elif row["language"] in ("en", "sw"):
            assert row["agreement"] == ""
        else:
            assert row["agreement"] in ("m", "f")


def test_an_attribute_pair_always_has_the_same_side() -> None:
    by_language = ITEMS.group_by("language", "agreement", "attribute_more").agg(
        pl.col("attribute_less").n_unique()
    )
    assert (by_language["attribute_less"] == 1).all()
    more = set(ITEMS.select("language", "attribute_more").rows())
    less = set(ITEMS.select("language", "attribute_less").rows())
    assert not more & less


def test_two_identities_per_axis_share_the_attribute_pairs_between_them() -> None:
    for _, items in ITEMS.group_by("language", "axis"):
        assert items.height == 6
        assert items["identity"].n_unique() == 2
        assert items["agreement"].n_unique() == 1
        assert items["attribute_more"].is_unique().all()


def test_all_identities_of_an_agreement_meet_the_same_attributes() -> None:
    for _, items in ITEMS.group_by("language", "agreement"):
        pairs = [set(axis["attribute_more"]) for _, axis in items.group_by("axis")]
        assert all(pair == pairs[0] for pair in pairs)


def test_another_identity_can_take_the_place() -> None:
    assert replace_identity("Les tantes sont patientes.", "les tantes", "elles") == "Elles sont patientes."
    assert replace_identity("¿Cómo son las tías?", "las tías", "ellas") == "¿Cómo son ellas?"
