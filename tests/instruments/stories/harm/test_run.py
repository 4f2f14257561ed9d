"""`endoxa analyze run`: against scipy and statsmodels, against worked examples, and against planted truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.stories.harm import HarmAnalysis, analyze_harm, read_human
from endoxa.instruments.stories.harm.analysis import alpha, median_interval, verdict
from endoxa.instruments.stories.harm.raters import agreement, kappa, pearson, spearman
from endoxa.instruments.stories.harm.ratings import ALL_MODELS, PEOPLE
from endoxa.instruments.stories.instrument import HARM, HarmSettings
from endoxa.runs.options import Resampling
from endoxa.runs.run import measure
from support.harm_samples import associations, rated, write_associations, write_people

FAST = Resampling(resamples=100)
RATINGS = st.lists(st.integers(1, 5), min_size=1, max_size=60)


@given(st.integers(0, 10_000), st.integers(5, 60))
@settings(max_examples=30)
def test_measures_are_those_of_other_libraries(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.integers(1, 6, count) / 1.0, random.integers(1, 6, count) / 3.0
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y, FAST).value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(x, y, FAST).value == pytest.approx(stats.spearmanr(x, y).statistic)
    x, y = x > 3, y > 1
    assert agreement(x * 1.0, y * 1.0, FAST).value == pytest.approx((x == y).mean())
    found = kappa(x * 1.0, y * 1.0, FAST).value
    if len(set(x) | set(y)) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(cohen_kappa_score(x, y))
    counts = random.multinomial(4, [0.1, 0.2, 0.4, 0.2, 0.1], count)
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=np.arange(1, 6), level_of_measurement="ordinal"
    )
    assert alpha(counts, FAST).value == pytest.approx(theirs)


@pytest.mark.slow
@given(RATINGS, st.sampled_from([0.8, 0.9, 0.95]))
def test_the_interval_of_the_median_is_that_of_scipy(values: list[int], confidence: float) -> None:
    ours = median_interval(np.array(values, dtype=float), confidence)
    theirs = stats.quantile_test(values, p=0.5).confidence_interval(confidence)
    np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high])


@pytest.mark.parametrize(
    ("ratings", "median", "word"),
    [
        ("44554544", 4, "harmful"),
        ("12321322", 2, "benign"),
        ("24554543", 4, "undecided"),
        ("55", 5, "undecided"),
    ],
)
def test_a_verdict_needs_the_whole_interval(ratings: str, median: float, word: str) -> None:
    found = verdict(np.array([*map(float, ratings)]), 4.0, 0.95)
    assert (found["people_median"], found["people_verdict"]) == (median, word)


ROWS = associations(4)
GIVEN = {
    ("people", 0): [4, 5, 4],
    ("people", 1): [1, 2, 1],
    ("people", 2): [3, 5, 4],
    ("m/a", 0): [5, 5, 4],
    ("m/a", 1): [2, 2, 2],
    ("m/a", 2): [2, 3, 3],
    ("m/b", 0): [4, 3, 4],
    ("m/b", 1): [1, None, 1],
    ("m/b", 3): [5, 5, 5],
}


def worked() -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for (rater, place), values in GIVEN.items():
        for number, harm in enumerate(values, start=1):
            who = {"rater": f"p{number}", "kind": "human"} if rater == "people" else {"rater": rater}
            repeat = 1 if rater == "people" else number
            outcome = "partly" if harm is not None else "refused"
            rows.append(rated(ROWS[place], harm=harm, repeat=repeat, outcome=outcome, **who))
    return pl.DataFrame(rows)


def made() -> pl.DataFrame:
    """Associations with the model and the language in which they were found."""
    places = {"m/a": ((0, "all"), (0, "hi"), (1, "all")), "m/b": ((3, "all"), (2, "all")), "y": ((1, "all"),)}
    rows = [
        {"association_id": of(place), **ROWS[place], "model": model, "aggregation": where, "given_id": None}
        for model, several in places.items()
        for place, where in several
    ]
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def example() -> HarmAnalysis:
    return analyze_harm(worked(), made(), how=FAST)


def row(table: pl.DataFrame, **where: Any) -> Mapping[str, Any]:
    (found,) = table.filter(**where).to_dicts()
    return found


def of(place: int) -> str:
    return str(rated(ROWS[place], "", 1)["association_id"])


def test_an_association_by_hand(example: HarmAnalysis) -> None:
    first, last = (row(example.associations, association_id=of(place)) for place in (0, 3))
    assert (first["people_n"], first["people_median"], first["people_harmful"]) == (3, 4.0, 1)
    assert first["people_mean"] == pytest.approx(13 / 3)
    assert first["people_low"] is None
    assert first["people_verdict"] == "undecided"
    assert first["models_mean"] == pytest.approx((14 / 3 + 11 / 3) / 2)
    assert first["delta"] == pytest.approx((14 / 3 + 11 / 3) / 2 - 13 / 3)
    assert (first["models"], first["models_harmful"], first["made_by"]) == (2, 1.0, 1)
    assert (last["people_n"], last["people_verdict"], last["delta"]) == (None, None, None)


def test_raters_by_hand(example: HarmAnalysis) -> None:
    one, other, all_models, people = (
        row(example.raters, rater=name) for name in ("m/a", "m/b", ALL_MODELS, PEOPLE)
    )
    deltas = [14 / 3 - 13 / 3, 2 - 4 / 3, 8 / 3 - 4]
    assert one["delta"] == pytest.approx(np.mean(deltas))
    assert (one["compared"], one["agreement"]) == (3, pytest.approx(2 / 3))
    assert one["spearman"] == pytest.approx(1.0)
    assert other["refused"] == pytest.approx(1 / 9)
    assert other["at_maximum"] == pytest.approx(3 / 8)
    assert all_models["rater_kind"] == "models"
    assert people["delta"] is None
    assert people["ratings"] == 9


def test_blind_spots_by_hand(example: HarmAnalysis) -> None:
    found = example.blind_spots.select(
        "rater", "generator_model", "association_id", "aggregations", "median"
    ).rows()
    assert found == [("m/a", "m/a", of(0), "all; hi", 5.0), ("m/b", "m/b", of(3), "all", 5.0)]
    own, other = (row(example.raters, rater=name) for name in ("m/a", "m/b"))
    assert (own["made"], own["blind_share"]) == (2, 0.5)
    assert other["made"] == 1  # it makes another, which it did not rate


def test_the_summary_by_hand(example: HarmAnalysis) -> None:
    """Two models classify alike the two associations that both rated; people agree with four of five classes."""
    values = dict(example.summary.select("name", "value").iter_rows())
    assert values["agreement_models"] == 1
    assert values["agreement_with_people"] == pytest.approx(4 / 5)
    assert values["harmful_by_median"] == pytest.approx(2 / 3)


def test_an_order_of_rows_changes_nothing(example: HarmAnalysis) -> None:
    again = analyze_harm(worked().sample(fraction=1, shuffle=True, seed=1), made(), how=FAST)
    assert again.raters.equals(example.raters)
    assert again.by_attribute.equals(example.by_attribute)
    assert again.summary.equals(example.summary)


def test_a_model_in_two_languages_is_two_raters() -> None:
    ratings = worked().filter(rater="m/a")
    both = pl.concat([ratings, ratings.with_columns(language=pl.lit("hi"), harm=pl.lit(1, pl.Int64))])
    found = analyze_harm(both, made(), how=FAST)
    assert found.raters.filter(rater_kind="model")["rater"].to_list() == ["m/a [en]", "m/a [hi]"]
    assert found.blind_spots["rater"].unique().to_list() == ["m/a [en]"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"harm": pl.lit(7)}, "harm outside 1 to 5"),
        ({"outcome": pl.lit("odd")}, "outcome other than"),
        ({"rater_kind": pl.lit("ghost")}, "neither of a 'model'"),
        ({"repeat": pl.lit(1)}, "more than once"),
        ({"repeat": pl.lit("x")}, "wrong type"),
    ],
)
def test_ratings_that_cannot_be_are_refused(change: dict[str, pl.Expr], message: str) -> None:
    with pytest.raises(UserError, match=message):
        analyze_harm(worked().with_columns(**change), how=FAST)


def test_people_are_read_by_parts_or_by_any_known_name(tmp_path: Path) -> None:
    parts = write_people(tmp_path / "parts.csv", ROWS, each=3)
    table = pl.read_csv(parts)
    by_parts = read_human(parts)
    named = table.with_columns(by_parts["association_id"]).drop(*ROWS[0])
    named.write_csv(tmp_path / "named.csv")
    theirs = pl.col("association_id") + "-theirs"
    known = by_parts.select("association_id", *ROWS[0]).with_columns(given_id=theirs)
    assert read_human(tmp_path / "named.csv", known).equals(by_parts)
    named.with_columns(theirs).write_csv(tmp_path / "theirs.csv")
    assert read_human(tmp_path / "theirs.csv", known).equals(by_parts)


HEADER = "base_attribute,base_value,compared_attribute,compared_value,rater,harm,frequent"
FARM = "professional_field,agriculture,urbanicity,rural"


def test_whole_numbers_of_spreadsheets_are_read_and_own_names_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        f"association_id,{HEADER}\nno. 7,{FARM},p1,4.0,yes\nno. 7,{FARM},p2, 5 ,no\n", encoding="utf-8"
    )
    assert read_human(path)["harm"].to_list() == [4, 5]
    known = pl.DataFrame([dict(zip(ROWS[0], ("age", "child", "gender", "man"), strict=True))]).with_columns(
        association_id=pl.lit("x"), given_id=pl.lit("no. 7")
    )
    with pytest.raises(UserError, match=r"'no\. 7', but the four parts give"):
        read_human(path, known)


def test_the_command_tells_what_matches_nothing(tmp_path: Path) -> None:
    rows = associations(25)
    data = write_associations(tmp_path / "assoc.csv", rows, model="sim/teller")
    people = write_people(tmp_path / "people.csv", [*rows, {**rows[0], "base_value": "sister"}], each=7)
    measure(HARM, HarmSettings(data=str(data), models=("sim/rater",), repeats=2), tmp_path / "run")
    words = ["analyze", "run", str(tmp_path / "run"), "--human", str(people), "--associations", str(data)]
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "harm"), "--resamples", "100"])
    assert done.exit_code == 0, done.output
    assert "1 associations rated by people are neither in the runs nor in --associations" in done.output
    assert len(pl.read_csv(tmp_path / "harm/associations.csv")) == 26
