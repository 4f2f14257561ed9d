"""Stimuli and answers of Bai et al. (2025), as they are published."""

import gzip
import io
import statistics
from pathlib import Path

import polars as pl

from endoxa.instruments.choices.answers import read_words
from endoxa.instruments.choices.estimates import list_bias
from endoxa.instruments.choices.items.read import read_items


def test_their_stimuli_are_read_as_they_are(shared: Path):
    items = list(read_items(shared / "data/published/llm-implicit-bias/iat_stimuli.csv"))
    assert len(items) == 21
    racism = items[0]
    assert racism.options == ("White", "Black")
    assert [word.text for word in racism.words if word.group == 0][:2] == ["marvelous", "superb"]
    assert sum(len(item.words) for item in items) == 250


def test_their_bias_is_recomputed_from_their_answers(shared: Path):
    """Where an answer sorts the words of the stimuli, D is their `iat_bias` but for a noise in theirs.

    Theirs is never exactly 1 or 0: equal lists have values that differ by up to 0.1.
    """
    folder = shared / "data/published/llm-implicit-bias"
    sets = {item.situation: item for item in read_items(folder / "iat_stimuli.csv")}
    packed = (folder / "result_chained.csv.gz").read_bytes()
    answers = pl.read_csv(io.BytesIO(gzip.decompress(packed)), infer_schema_length=0)
    apart = []
    for row in answers.drop_nulls("iat_bias").iter_rows(named=True):
        item = sets.get(row["dataset"])
        if item is None:
            continue
        read = read_words(row["iat"], item.words, item.options)
        if any(outcome.outcome == "unread" for outcome in read.values()):
            continue
        rows = [
            {
                **{"model": "m", "item_id": "l", "repeat": 1, "order": "01", "situation": "s"},
                "outcome": read[word.text].outcome,
                "identity_key": "k" if word.group == 0 else "k/other",
            }
            for word in item.words
        ]
        (ours,) = list_bias(pl.DataFrame(rows))["bias_d"]
        apart.append(abs(ours - float(row["iat_bias"])))
    assert len(apart) >= 150
    assert statistics.median(apart) < 0.002
    assert max(apart) < 0.11
