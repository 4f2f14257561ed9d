"""The sample data set keeps the promises of its data card."""

from __future__ import annotations

import re
import unicodedata

import polars as pl

from endoxa.demo.planted import SAMPLE, load_sample
from endoxa.instruments.pairs.probe.items import replace_identity
from endoxa.schema import PAIR_COLUMNS
from endoxa.schema.provenance import PROVENANCE_COLUMNS

ITEMS = load_sample()
ROWS = list(ITEMS.iter_rows(named=True))


def words(text: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    return re.findall(r"[.,?¿।]|[^\s.,?¿।]+", text.lower())


def test_columns_are_filled_names_are_unique_and_text_is_composed() -> None:
    assert ITEMS.columns == [name for name in PAIR_COLUMNS if name not in PROVENANCE_COLUMNS]
    filled = ITEMS.drop("agreement")
    assert filled.filter(pl.any_horizontal(pl.all().str.strip_chars() == "")).is_empty()
    assert filled.null_count().sum_horizontal().item() == 0
    for name in ("item_id", "association_id", "sent_more", "sent_less"):
        assert ITEMS[name].is_unique().all(), name
    assert (set(ITEMS["direction"]), set(ITEMS["stereotypical"])) == ({"stereo"}, {"more"})
    text = SAMPLE.read_text(encoding="utf-8")
    assert unicodedata.normalize("NFC", text) == text
    assert not re.search(r"  |\r", text)


def test_a_pair_is_one_frame_with_two_attributes() -> None:
    for row in ROWS:
        for side in ("more", "less"):
            sentence = row[f"sent_{side}"]
            assert sentence.lower().count(row["identity"]) == 1, row["item_id"]
            assert words(sentence).count(row[f"attribute_{side}"]) == 1, row["item_id"]
        assert row["sent_more"].replace(row["attribute_more"], row["attribute_less"]) == row["sent_less"]
        assert row["attribute_more"] != row["attribute_less"]


def test_identities_of_an_agreement_meet_the_same_attributes_always_on_the_same_side() -> None:
    more = set(ITEMS.select("language", "attribute_more").rows())
    assert not more & set(ITEMS.select("language", "attribute_less").rows())
    for _, items in ITEMS.group_by("language", "agreement"):
        pairs = [
            set(axis.select("attribute_more", "attribute_less").rows()) for _, axis in items.group_by("axis")
        ]
        assert all(pair == pairs[0] for pair in pairs)
    for _, items in ITEMS.group_by("language", "axis"):
        assert (items.height, items["identity"].n_unique(), items["agreement"].n_unique()) == (6, 2, 1)


def test_another_identity_can_take_the_place() -> None:
    assert replace_identity("Les tantes sont patientes.", "les tantes", "elles") == "Elles sont patientes."
    assert replace_identity("¿Cómo son las tías?", "las tías", "ellas") == "¿Cómo son ellas?"
