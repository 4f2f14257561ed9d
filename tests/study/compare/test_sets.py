"""Two versions of a set of pairs: what changed, and its part in the change of a model's figure."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.sources.frames import write_table
from endoxa.study.compare.editions.sets import compare_sets, is_set
from support.gate_runs import pairs, write_run

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
    changes = compare_sets([tmp_path / "a.csv", tmp_path / "b.csv"]).pairs
    assert sorted(changes["change"]) == ["added", "removed", "same", "same", "side changed", "text changed"]
    assert changes.filter(change="removed")["item_before"].to_list() == [old["item_id"][0]]
    assert changes.filter(change="side changed")["item_before"].to_list() == [old["item_id"][1]]
    assert changes.filter(change="text changed")["item_before"].to_list() == [old["item_id"][2]]


def test_opposites_of_s_as_tables(shared, tmp_path):
    published = pl.read_csv(shared / "data" / "afristereo" / "s_as_pairs.csv")
    write_table(published, tmp_path / "a.csv")
    changed = published.with_columns(
        anti_stereotype=pl.when(pl.col("anti_stereotype") == "unemotional")
        .then(pl.lit("calm"))
        .otherwise("anti_stereotype")
    )
    write_table(changed.tail(9).vstack(changed.head(1)), tmp_path / "b.csv")
    assert is_set(tmp_path / "a.csv")
    table = compare_sets([tmp_path / "a.csv", tmp_path / "b.csv"]).pairs.filter(pl.col("change") != "same")
    assert table.select("change", "identity", "other_before", "other_after").rows() == [
        ("text changed", "women", "Women are unemotional.", "Women are calm.")
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The second set lacks a quarter of the pairs, all of them with the stereotype preferred."""
    home = tmp_path_factory.mktemp("sets")
    rng = np.random.default_rng(0)
    sides = np.where(rng.random(len(ITEMS)) < 0.5, 1, -1)
    gone = np.arange(len(ITEMS)) % 4 == 0
    sides[gone] = 1
    write_table(ITEMS, home / "a.csv")
    write_table(ITEMS.filter(~pl.Series(gone)), home / "b.csv")
    write_run(home / "run-a", ITEMS, sides)
    write_run(home / "run-b", ITEMS.filter(~pl.Series(gone)), sides[~gone])
    return home, sides, gone


def test_parts_add_up_to_the_planted_change(runs):
    home, sides, gone = runs
    figures = compare_sets([home / "a.csv", home / "b.csv"], [home / "run-a", home / "run-b"]).figures
    by_part = {row["part"]: row for row in figures.iter_rows(named=True)}
    before, after = (sides == 1).mean(), (sides[~gone] == 1).mean()
    whole = by_part.pop("all pairs")
    assert (whole["before"], whole["after"]) == pytest.approx((before, after))
    assert (whole["verdict"], whole["effect"]) == ("below", pytest.approx(after - before))
    assert sum(row["effect"] for row in by_part.values()) == pytest.approx(whole["effect"])
    assert by_part["removed"]["effect"] == pytest.approx(after - before)
    assert by_part["removed"]["before"] == 1


def test_nothing_changes_without_a_change(runs):
    home, *_ = runs
    figures = compare_sets([home / "a.csv"] * 2, [home / "run-a"] * 2).figures
    whole = figures.row(0, named=True)
    assert (whole["effect"], whole["verdict"]) == (0, "unclear")
    with pytest.raises(UserError, match="is not in its set"):
        compare_sets([home / "b.csv", home / "a.csv"], [home / "run-a", home / "run-b"])


@pytest.mark.slow
def test_the_command(runs, tmp_path):
    home, *_ = runs
    words = ["compare", str(home / "a.csv"), str(home / "b.csv"), "-o", str(tmp_path / "page.html")]
    result = CliRunner().invoke(app, [*words, "--run", str(home / "run-a"), "--run", str(home / "run-b")])
    assert result.exit_code == 0, result.output
    assert "50 removed" in result.output
    page = (tmp_path / "page.html").read_text()
    assert "50 removed" in page
    assert "falls from" in page
