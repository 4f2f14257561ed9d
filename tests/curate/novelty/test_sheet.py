"""The sheet of pairs to label: even over likeness, nothing given away."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from endoxa.curate.novelty.labels import SHEET_COLUMNS, draw_sheet, ranges, read_labels
from endoxa.sources.frames import write_table
from support.toy_vectors import TableEncoder, ToyEncoder, attributes


def spread(seed=1, sizes=(400, 300, 200)):
    """Three data sets whose cosines reach from -1 to 1."""
    rng = np.random.default_rng(seed)
    names = [[f"{part}{k}" for k in range(size)] for part, size in zip("abc", sizes, strict=True)]
    vectors = rng.normal(size=(sum(sizes), 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = dict(zip([text for part in names for text in part], vectors, strict=True))
    return [attributes(part[0][0].upper(), part) for part in names], table


def test_as_many_pairs_of_different_data_sets_come_from_every_range():
    datasets, table = spread()
    found = draw_sheet(datasets, TableEncoder(table), pairs=130)
    assert found.columns == list(SHEET_COLUMNS)
    assert (found["related"] == "").all()
    cosine = [float(table[a] @ table[b]) for a, b in found.select("text_a", "text_b").iter_rows()]
    counted = Counter(np.maximum(np.digitize(cosine, ranges(0.55)) - 1, 0).tolist())
    assert counted == dict.fromkeys(range(13), 10)
    # In random order: not sorted by likeness.
    assert abs(np.corrcoef(cosine, np.arange(len(cosine)))[0, 1]) < 0.3

    assert (found["dataset_a"] != found["dataset_b"]).all()
    assert found.select("text_a", "text_b").is_unique().all()
    tiny = draw_sheet([attributes("A", ["a0"]), datasets[1]], TableEncoder(table), pairs=130)
    assert tiny.height > 13
    assert set(tiny["text_a"]) == {"a0"}


def test_nothing_runs_as_a_formula_and_comes_back_as_it_was(tmp_path):
    wild = "=1+1; +2"
    found = draw_sheet([attributes("A", [wild]), attributes("B", ["p", "q"])], ToyEncoder(), pairs=20)
    assert set(found["text_a"]) == {"=1+1; +2"}
    filled = found.with_columns(related=pl.Series(["yes", "no"]))
    write_table(filled, tmp_path / "sheet.csv")
    assert "'=1+1;' +2" in (tmp_path / "sheet.csv").read_text(encoding="utf-8")
    assert {pair[0] for pair in read_labels(tmp_path / "sheet.csv").pairs} == {(wild,)}
