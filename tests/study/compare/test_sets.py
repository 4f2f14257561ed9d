"""Two versions of a set of pairs: what changed, and its part in the change of a model's figure."""

from __future__ import annotations

import polars as pl

from endoxa.sources.frames import write_table
from endoxa.study.compare.editions.sets import compare_sets
from support.gate_runs import pairs

ITEMS = pairs(20, 10)


def test_every_change_is_named(tmp_path):
    old = ITEMS.head(5)
    new = old.tail(4).with_columns(
        # The second pair swaps its sides, the third gets another word; a new pair comes.
        stereotypical=pl.Series(
            ["less" if s == "more" else "more" for s in old["stereotypical"][1:2]]
            + old["stereotypical"][2:].to_list()
        ),
        sent_less=pl.when(pl.col("item_id") == old["item_id"][2])
        .then(pl.lit("Another."))
        .otherwise("sent_less"),
    )
    new = pl.concat([new, ITEMS[[50]]])
    for name, table in (("a", old), ("b", new)):
        write_table(table, tmp_path / f"{name}.csv")
    changes = compare_sets([tmp_path / "a.csv", tmp_path / "b.csv"]).changes
    assert sorted(changes["change"]) == ["added", "removed", "same", "same", "side changed", "text changed"]
    assert changes.filter(change="removed")["item_before"].to_list() == [old["item_id"][0]]
    assert changes.filter(change="side changed")["item_before"].to_list() == [old["item_id"][1]]
    assert changes.filter(change="text changed")["item_before"].to_list() == [old["item_id"][2]]
