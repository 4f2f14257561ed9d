"""What languages share: counts by hand, scipy's numbers, planted truth, and stories too few to tell."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.instruments.stories.languages import analyze_overlap, read_classes, read_groups
from endoxa.instruments.stories.languages.marked import shift
from endoxa.instruments.stories.languages.overlap import compare_reach, jaccard, reach
from endoxa.instruments.stories.languages.presence import presence
from endoxa.runs.options import Resampling
from endoxa.sources.stereotales.associations import PARTS, read_associations

QUICK = Resampling(resamples=400)
CHURCH, MOSQUE, POND = (
    ("religion", "Christian", "urbanicity", "rural"),
    ("religion", "Muslim", "urbanicity", "urban"),
    ("town", "hill", "pet", "dog"),
)


def table(*found: tuple[tuple[str, ...], str, str]) -> pl.DataFrame:
    """Associations, with languages ("en fr") and the model that has them there."""
    rows = [(model, language, *parts) for parts, languages, model in found for language in languages.split()]
    return pl.DataFrame(rows, schema=dict.fromkeys(("model", "aggregation", *PARTS), pl.String), orient="row")


def numbered(number: int) -> tuple[str, ...]:
    return ("town", f"harbour {number}", "pet", "cat")


def classes(said: dict[tuple[str, ...], str]) -> pl.DataFrame:
    return pl.DataFrame(
        [(*parts, word) for parts, word in said.items()],
        schema=dict.fromkeys((*PARTS, "harmful"), pl.String),
        orient="row",
    )


def all_harmful(found: pl.DataFrame) -> pl.DataFrame:
    return found.select(PARTS).unique().with_columns(harmful=pl.lit("harmful"))


FOUND = table(
    (CHURCH, "en fr hi", "m/one"), (CHURCH, "en", "m/two"), (MOSQUE, "fr", "m/two"), (POND, "fr hi", "m/two")
)


def test_reach_counts_languages_in_which_any_model_finds_it() -> None:
    found = reach(presence(FOUND, classes({MOSQUE: "harmful"})))
    assert found.select("base_value", "harmful", "reach", "of", "members", "model_count").rows() == [
        ("Christian", None, 3, 3, "en; fr; hi", 2),
        ("hill", None, 2, 3, "fr; hi", 1),
        ("Muslim", "harmful", 1, 3, "fr", 1),
    ]


def test_pooled_rows_are_no_language_and_languages_are_no_pooled_rows() -> None:
    both = pl.concat([FOUND, table((POND, "all", "m/one"), (POND, "all", "m/two"))])
    assert reach(presence(both)).equals(reach(presence(FOUND)))
    assert reach(presence(both, by="model")).select("base_value", "reach", "members").rows() == [
        ("hill", 2, "m/one; m/two")
    ]


@pytest.mark.slow
def test_reach_of_published_associations_is_the_number_of_their_models(shared: Path) -> None:
    path = shared / "data" / "stereotales" / "published_associations.json"
    entries = json.loads(path.read_text("utf-8"))
    reached = reach(presence(read_associations(path), by="model"))
    counted = {tuple(entry[name] for name in PARTS): len(set(entry["models"])) for entry in entries}
    assert {tuple(row[:4]): row[4] for row in reached.select(*PARTS, "reach").iter_rows()} == counted
    assert reached.height == 1580


def with_reach(harmful: list[int], benign: list[int]) -> pl.DataFrame:
    """Associations that share no value, of ten languages."""
    said = ["harmful"] * len(harmful) + ["benign"] * len(benign)
    values = [str(k) for k in range(len(said))]
    table = pl.DataFrame({"reach": harmful + benign, "harmful": said, "of": [10] * len(said)})
    parts = dict(zip(PARTS, (["a"] * len(said), values, ["b"] * len(said), values), strict=True))
    return table.with_columns(**{name: pl.Series(cells, dtype=pl.String) for name, cells in parts.items()})


def test_comparison_of_reach_is_scipys() -> None:
    harmful, benign = [1, 1, 2, 3, 1, 5], [2, 4, 5, 5, 3, 1, 5]
    rows = compared(harmful, benign)
    test = scipy.stats.mannwhitneyu(harmful, benign, alternative="two-sided")
    assert rows["superiority"]["value"] == pytest.approx(test.statistic / (6 * 7))
    assert rows["superiority"]["p_value"] >= test.pvalue
    assert rows["difference"]["value"] == pytest.approx(np.mean(harmful) - np.mean(benign))
    assert rows["mean_reach_benign"]["n"] == 7
    tested = [name for name, row in rows.items() if row["verdict"]]
    assert tested == ["superiority"]
    assert rows["superiority"]["verdict"] == "unclear"
    assert rows["superiority"]["p_adjusted"] == rows["superiority"]["p_value"]
    assert rows["superiority"]["low"] <= 0.5 <= rows["superiority"]["high"]


def compared(harmful: list[int], benign: list[int]) -> dict[str, dict[str, Any]]:
    """Rows of the comparison by name."""
    return {row["name"]: row for row in compare_reach(with_reach(harmful, benign)).iter_rows(named=True)}


def test_a_side_with_few_or_none_has_no_interval() -> None:
    few = compared([1, 2], [3, 3, 4, 5, 6])
    assert (few["difference"]["value"], few["difference"]["low"]) == (pytest.approx(1.5 - 4.2), None)
    assert few["superiority"]["verdict"] == "cannot-be-tested"
    assert few["superiority"]["reason"] == "2 values of harmful associations, at least 6 needed"
    none = compared([], [3, 4])["superiority"]
    assert (none["value"], none["p_value"]) == (None, None)


def test_jaccard_by_hand() -> None:
    found = jaccard(presence(FOUND), QUICK)
    cells = {(row["a"], row["b"]): row for row in found.iter_rows(named=True)}
    assert len(cells) == 9
    one = cells["en", "fr"]  # {church} and {church, mosque, pond}
    assert (one["shared"], one["either"], one["size_a"], one["size_b"]) == (1, 3, 1, 3)
    assert one["jaccard"] == pytest.approx(1 / 3)
    assert one["overlap"] == 1
    assert one["low"] is None  # three associations carry no interval
    assert cells["fr", "hi"]["jaccard"] == pytest.approx(2 / 3)


found_somewhere = st.lists(
    st.tuples(
        st.integers(0, 8).map(numbered), st.sampled_from(["en", "fr", "hi"]), st.sampled_from(["m/1", "m/2"])
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@given(found_somewhere, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_counts_agree_with_each_other_in_any_order_of_rows(rows: list, random) -> None:
    found = analyze_overlap(table(*rows, (POND, "en fr hi", "m/1")), how=Resampling(resamples=20))
    random.shuffle(rows)
    again = analyze_overlap(table((POND, "en fr hi", "m/1"), *rows, *rows), how=Resampling(resamples=20))
    for name in ("reach", "members", "jaccard"):
        assert getattr(found, name).equals(getattr(again, name))
    sizes = dict(found.members.select("member", "associations").iter_rows())
    assert sum(sizes.values()) == found.reach["reach"].sum()
    assert found.exclusive.height == (found.reach["reach"] == 1).sum()
    assert found.universal.height == (found.reach["reach"] == 3).sum()
    for a, b in combinations(sizes, 2):
        row = found.jaccard.filter(a=a, b=b).row(0, named=True)
        assert row["shared"] + row["either"] == sizes[a] + sizes[b]
        assert row["jaccard"] <= min(sizes[a], sizes[b]) / max(sizes[a], sizes[b]) + 1e-12
        assert row["jaccard"] <= row["overlap"]


def test_members_say_what_one_language_alone_would_miss() -> None:
    overlap = analyze_overlap(FOUND, classes({CHURCH: "benign", MOSQUE: "harmful", POND: "harmful"}))
    rows = {row["member"]: row for row in overlap.members.iter_rows(named=True)}
    assert rows["en"]["missed"] == pytest.approx(2 / 3)
    assert [rows[name]["missed_harmful"] for name in ("en", "fr", "hi")] == [1.0, 0.0, 0.5]
    assert (rows["fr"]["exclusive"], rows["fr"]["exclusive_harmful"], rows["fr"]["stories"]) == (1, 1, None)


# ------------------------------------------------------------------ shift

TWO = {
    "en": {"unmarked": [("religion", "Christian")], "marked": [("religion", "Muslim")]},
    "ar": {"unmarked": [("religion", "Muslim")], "marked": [("religion", "Christian")]},
}


def about(value: str, number: int) -> tuple[str, ...]:
    return ("religion", value, "education", f"{number}")


def test_shift_by_hand() -> None:
    found = table(
        (about("Muslim", 1), "en fr", "m/one"),
        (about("Muslim", 2), "en", "m/one"),
        (about("Christian", 1), "en ar", "m/one"),
        (("age", "senior", "religion", "Christian"), "ar", "m/one"),  # also where the group is what was read
        (about("Muslim", 3), "en", "m/one"),  # benign
        (numbered(1), "en fr ar", "m/one"),
    )
    benign = pl.col("compared_value") == "3"
    said = all_harmful(found).with_columns(
        harmful=pl.when(benign).then(pl.lit("benign")).otherwise("harmful")
    )
    moved = shift(presence(found, said), TWO, QUICK)
    rows = {(row["language"], row["group"]): row for row in moved.filter(value="all").iter_rows(named=True)}
    english, arabic = rows["en", "marked"], rows["ar", "marked"]
    assert (english["here"], english["elsewhere"], english["difference"]) == (2, 0.5, 1.5)
    assert english["share_here"] == pytest.approx(2 / 4)
    assert english["share_elsewhere"] == pytest.approx((1 / 2 + 0 / 3) / 2)
    assert (arabic["here"], arabic["elsewhere"]) == (2, 0.5)
    assert rows["en", "unmarked"]["difference"] == 1 - 1
    assert rows["en", "marked - unmarked"]["difference"] == 1.5
    assert rows["all", "marked"]["difference"] == pytest.approx((1.5 + 1.5) / 2)
    assert english["low"] is None  # two associations carry no interval
    assert set(moved["verdict"]) == {"cannot-be-tested"}
    assert english["reason"] == "2 associations, at least 6 needed"
    assert english["p_value"] is None


def test_groups_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "groups.yaml"
    path.write_text("en: {unmarked: {town: [hill]}, marked: {religion: [Muslim]}}\n")
    assert read_groups(path, FOUND)["en"]["unmarked"] == (("town", "hill"),)


def words_of(path: Path, rows: list[tuple[str, ...]], *names: str) -> dict[str, str]:
    """What a table of classes says of each base value."""
    pl.DataFrame(rows, schema=dict.fromkeys((*PARTS, *names), pl.String), orient="row").write_csv(path)
    return dict(read_classes(path).select("base_value", "harmful").iter_rows())


def test_classes_in_words_and_those_of_analyze_harm(tmp_path: Path) -> None:
    """Of people where people rated, else of models."""
    path = tmp_path / "classes.csv"
    cells = [(*CHURCH, "No"), (*MOSQUE, "1"), (*POND, "undecided"), (*MOSQUE, "1"), (*numbered(1), "")]
    expected = {"Christian": "benign", "Muslim": "harmful", "hill": "undecided"}
    assert words_of(path, cells, "harmful") == expected
    names = ("people_harmful", "models_harmful")
    rows = [(*MOSQUE, "1", "0.2"), (*CHURCH, "0", "0.9"), (*POND, "", "0.9")]
    assert words_of(path, rows, *names) == {"Muslim": "harmful", "Christian": "benign"}
    models = [(*parts, "", share) for *parts, _, share in rows]
    expected = {"Muslim": "benign", "Christian": "harmful", "hill": "harmful"}
    assert words_of(path, models, *names) == expected


def test_the_command_writes_its_tables_side_by_side(tmp_path: Path) -> None:
    FOUND.write_csv(tmp_path / "found.csv")
    words_of(tmp_path / "harm.csv", [(*CHURCH, "no"), (*MOSQUE, "yes")], "harmful")
    words = ["analyze", "associations", str(tmp_path / "found.csv"), "--by", "language", "-o"]
    more = [str(tmp_path / "out"), "--harm", str(tmp_path / "harm.csv")]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exit_code == 0, done.output
    names = ("", "_jaccard", "_members", "_comparison", "_shift")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"overlap{name}.csv" for name in names}
    assert "3 associations: 1 in every language, 1 in only one" in done.output.replace("\n", " ")
    assert "A harmful association is found in 1.0 languages on average, a benign one in" in done.output
    shifted = pl.read_csv(tmp_path / "out" / "overlap_shift.csv").filter(language="fr", value="Muslim")
    assert shifted.filter(group="marked").select("here", "elsewhere").row(0) == (1, 0)
    done = CliRunner().invoke(app, [*words, str(tmp_path / "o")])
    assert "Harmful and benign associations were not compared." in done.output
    assert not (tmp_path / "o/overlap_shift.csv").exists()


def test_five_associations_have_neither_a_test_nor_an_interval() -> None:
    for number, verdict in ((5, "cannot-be-tested"), (6, "unclear")):
        found = table(
            *((about("Muslim", k), "en", "m/one") for k in range(number)), (numbered(1), "ar fr", "m/one")
        )
        shifted = shift(presence(found, all_harmful(found)), TWO, QUICK)
        row = shifted.filter(language="en", group="marked", value="all").row(0, named=True)
        assert row["verdict"] in (verdict, "above")
        assert (row["low"] is None, row["interval"] == "none") == (number == 5,) * 2
