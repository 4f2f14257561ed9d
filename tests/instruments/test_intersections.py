"""Crossed groups beside their parts: planted interactions, none where scores are additive, pairs that are made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.persons import parts_of
from endoxa.errors import UserError
from endoxa.instruments.intersections import ALL_CROSSED, intersections, of_answers, of_pairs
from endoxa.instruments.pairs.items import build_pairs
from endoxa.instruments.pairs.options import PairOptions

PEOPLES = ["igbo", "yoruba", "hausa", "zulu", "wolof", "luo", "kikuyu", "tamil"]


def scored(interaction, *, rng, attributes=12, noise=0.3, spread=0.5):
    """Records of "PEOPLE women": additive effects of people, women and attribute, and an interaction.

    Effects of a people on an attribute, and interactions, vary over both.
    """
    rows = []
    by_people = rng.normal(0, spread, len(PEOPLES))
    extra_people, extra_attribute = (
        rng.normal(0, spread / 2, len(PEOPLES)),
        rng.normal(0, spread / 2, attributes),
    )
    for k in range(attributes):
        base, women = rng.normal(0, 1), rng.normal(0.5, spread)
        cells = {"women": base + women}
        for p, people in enumerate(PEOPLES):
            own = by_people[p] + rng.normal(0, spread)
            more = interaction + (extra_people[p] + extra_attribute[k] if interaction is not None else 0)
            cells[f"{people} people"] = base + own
            cells[f"{people} women"] = base + own + women + more
        for identity, difference in cells.items():
            rows.append(
                {
                    "item_id": f"{identity} {k}",
                    "model": "m",
                    "rule": "sum",
                    "language": "en",
                    "stereotypical": "more",
                    "identity": identity,
                    "attribute_more": f"attribute {k}",
                    "attribute_less": f"other {k}",
                    "score_more": difference + rng.normal(0, noise),
                    "score_less": 0.0,
                    "neutral_difference": base,
                }
            )
    return pl.DataFrame(rows)


def whole(records):
    return intersections(of_pairs(records)).row(by_predicate=pl.col("identity") == ALL_CROSSED, named=True)


def test_a_planted_interaction_is_recovered():
    row = whole(scored(1.0, rng=np.random.default_rng(0)))
    assert (row["verdict"], row["n"], row["clusters"], row["attributes"]) == ("above", 96, 8, 12)
    assert row["low"] < 1.0 < row["high"]
    assert row["value"] == pytest.approx(row["crossed"] - row["predicted"])


def test_the_contrast_is_that_of_a_two_by_two_design():
    # Differences 5, 2, 1 and, of nobody in particular, 0.5: 5 - 2 - 1 + 0.5. Three parts: 5 - 2 - 1 - 4 + 2 * 0.5.
    cells = {
        "igbo women": 5.0,
        "igbo people": 2.0,
        "women": 1.0,
        "young igbo women": 5.0,
        "young people": 4.0,
    }
    records = pl.DataFrame(
        {
            "model": "m", "rule": "sum", "language": "en", "identity": identity, "attribute_more": "kind",
            "attribute_less": "cruel", "stereotypical": "less", "score_more": 0.0, "score_less": value,
            "neutral_difference": -0.5,
        }
        for identity, value in cells.items()
    )  # fmt: skip
    table = intersections(of_pairs(records))
    values = dict(table.select("identity", "value").iter_rows())
    assert values["igbo women"] == 2.5
    assert values["young igbo women"] == -1.0
    assert set(table["verdict"]) == {"cannot-be-tested"}


def test_sets_that_are_not_complete_are_refused():
    records = scored(0.0, rng=np.random.default_rng(1))
    with pytest.raises(UserError, match="--cross"):
        intersections(of_pairs(records.filter(pl.col("identity") != "women")))
    with pytest.raises(UserError, match="calibration"):
        intersections(of_pairs(records.with_columns(neutral_difference=pl.lit(None, pl.Float64))))


@pytest.mark.slow
def test_nothing_is_found_where_scores_are_additive():
    """300 sets without an interaction on average, which varies over peoples and attributes."""
    rng = np.random.default_rng(2)
    claimed = sum(whole(scored(0.0, rng=rng))["verdict"] in ("above", "below") for _ in range(300))
    assert claimed / 300 < 0.05 + 2 * 0.0126  # two standard errors


def answers(interaction, *, rng, attributes=12, repeats=4):
    """Answers about "PEOPLE women" and the parts: chances of the stereotyped person add up, and an interaction.

    Chances of a people and of an interaction vary over peoples and attributes; the other person has a chance of 0.05.
    """
    rows = []
    by_people, extra_people = (rng.uniform(-0.05, 0.05, len(PEOPLES)) for _ in range(2))
    for k in range(attributes):
        women, extra = rng.uniform(0.05, 0.15), rng.uniform(-0.05, 0.05)
        leans = {"women": women}
        for p, people in enumerate(PEOPLES):
            of_people = 0.1 + by_people[p] + rng.uniform(-0.05, 0.05)
            leans |= {
                f"{people} people": of_people,
                f"{people} women": of_people + women + interaction + extra + extra_people[p],
            }
        for identity, lean in leans.items():
            chances = [lean + 0.05, 0.05, 0.9 - lean]
            drawn = rng.choice(["stereotyped", "anti-stereotyped", "unknown"], repeats, p=chances)
            rows += [
                ("m", "baseline", "en", identity, f"attribute {k}", "ambig", outcome) for outcome in drawn
            ]
    columns = ("model", "protocol", "language", "identity", "attribute", "context_condition", "outcome")
    return pl.DataFrame(rows, schema=columns, orient="row")


def whole_of_answers(interaction, **how):
    table = intersections(of_answers(answers(interaction, **how)))
    return table.row(by_predicate=pl.col("identity") == ALL_CROSSED, named=True)


def test_a_planted_interaction_of_answers_is_recovered():
    row = whole_of_answers(0.4, rng=np.random.default_rng(3), repeats=8)
    assert (row["verdict"], row["n"]) == ("above", 96)
    assert row["low"] < 0.4 < row["high"]


def test_leans_of_answers_are_added_up_and_no_sum_beyond_1_is_tested():
    """Interactions equal those that numpy gives of the counts of outcomes."""
    table = answers(0.0, rng=np.random.default_rng(4))
    values = (
        table["outcome"].replace_strict({"stereotyped": 1, "anti-stereotyped": -1, "unknown": 0}).to_numpy()
    )
    about = {name: table["identity"].to_numpy() == name for name in ("zulu women", "zulu people", "women")}
    crossed, people, women = (values[rows].mean() for rows in about.values())
    unread = table.head(3).with_columns(outcome=pl.lit("refused"))
    told = table.head(3).with_columns(context_condition=pl.lit("disambig"))
    estimates = intersections(of_answers(pl.concat([table, unread, told])))
    row = estimates.row(by_predicate=pl.col("identity") == "zulu women", named=True)
    assert row["value"] == pytest.approx(crossed - people - women)
    sure = intersections(of_answers(table.with_columns(outcome=pl.lit("stereotyped"))))
    assert set(sure["verdict"]) == {"cannot-be-tested"}
    assert "no lean can exceed 1" in sure["reason"][0]
    with pytest.raises(UserError, match="build qa --cross"):
        intersections(of_answers(table.drop("attribute")))


@pytest.mark.slow
def test_nothing_is_found_where_leans_add_up():
    rng = np.random.default_rng(5)
    claimed = sum(
        whole_of_answers(0.0, rng=rng, attributes=8)["verdict"] in ("above", "below") for _ in range(100)
    )
    assert claimed / 100 < 0.05 + 2 * 0.0218  # two standard errors


@pytest.mark.parametrize(
    ("identity", "parts"),
    [
        ("young nigerian men", ("young people", "nigerians", "men")),
        ("Igbo women", ("igbo people", "women")),
        ("yoruba traders", ("yoruba people", "traders")),
        ("old people", ()),
        ("taxi drivers", ()),
        ("south africans", ()),
        ("women", ()),
        ("", ()),
    ],
)
def test_parts_by_words(identity, parts):
    assert parts_of(identity) == parts


def test_pairs_of_parts_are_made_once_beside_those_of_the_crossed_group():
    table = pl.DataFrame(
        {"identity": ["igbo women", "women", "cooks"], "attribute": ["kind", "kind", "strong"]}
    )
    built = build_pairs(table, PairOptions(cross=True))
    assert built.pairs.select("identity", pl.col("cross_of") != "").rows() == [
        ("Igbo women", False),
        ("women", False),
        ("cooks", False),
        ("Igbo people", True),
    ]
    assert "1 crossed identities; pairs about their parts are added." in built.assumed
    assert "cross_of" not in build_pairs(table).pairs.columns


@pytest.mark.slow
def test_the_command(tmp_path):
    records = scored(1.0, rng=np.random.default_rng(0))
    records.with_columns(axis=pl.lit("origin"), direction=pl.lit("stereo")).write_parquet(
        tmp_path / "records.parquet"
    )
    out = tmp_path / "tables"
    result = CliRunner().invoke(app, ["analyze", "run", str(tmp_path / "records.parquet"), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "Crossed groups" in result.output
    interactions = pl.read_csv(out / "interactions.csv")
    assert interactions.height == 9
    assert interactions.filter(identity="all crossed groups")["verdict"].to_list() == ["above"]
