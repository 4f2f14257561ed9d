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


def of_cells(cells: dict[str, float], attribute: str, base: float = 0.0) -> list[dict]:
    """Records of pairs with these differences of scores, by identity."""
    about = {"model": "m", "rule": "sum", "language": "en", "stereotypical": "more"}
    about |= {
        "attribute_more": attribute,
        "attribute_less": "other",
        "score_less": 0.0,
        "neutral_difference": base,
    }
    return [
        {"item_id": f"{identity} {attribute}", "identity": identity, "score_more": difference} | about
        for identity, difference in cells.items()
    ]


def scored(interaction, seed):
    """Records of "PEOPLE women": additive effects of people, women and attribute, and an interaction.

    Effects of a people on an attribute, and interactions, vary over both.
    """
    rng = np.random.default_rng(seed)
    rows = []
    by_people, extra_people = rng.normal(0, 0.5, len(PEOPLES)), rng.normal(0, 0.25, len(PEOPLES))
    for k, extra in enumerate(rng.normal(0, 0.25, 12)):
        base, women = rng.normal(0, 1), rng.normal(0.5, 0.5)
        own = by_people + rng.normal(0, 0.5, len(PEOPLES))
        crossed = own + women + interaction + extra_people + extra
        cells = {"women": base + women}
        cells |= {f"{people} people": base + value for people, value in zip(PEOPLES, own, strict=True)}
        cells |= {f"{people} women": base + value for people, value in zip(PEOPLES, crossed, strict=True)}
        cells = {name: value + rng.normal(0, 0.3) for name, value in cells.items()}
        rows += of_cells(cells, f"attribute {k}", base)
    return pl.DataFrame(rows)


def answered(interaction, seed, *, attributes=12, repeats=4):
    """Answers about "PEOPLE women" and the parts: chances of the stereotyped person add up, and an interaction.

    Chances of a people and of an interaction vary over peoples and attributes; the other person has a chance of 0.05.
    """
    rng = np.random.default_rng(seed)
    rows = []
    by_people, extra_people = rng.uniform(-0.05, 0.05, (2, len(PEOPLES)))
    for k in range(attributes):
        women, extra = rng.uniform(0.05, 0.15), rng.uniform(-0.05, 0.05)
        leans = {"women": women}
        for p, people in enumerate(PEOPLES):
            own = 0.1 + by_people[p] + rng.uniform(-0.05, 0.05)
            leans[f"{people} people"] = own
            leans[f"{people} women"] = own + women + interaction + extra + extra_people[p]
        for identity, lean in leans.items():
            chances = [lean + 0.05, 0.05, 0.9 - lean]
            drawn = rng.choice(["stereotyped", "anti-stereotyped", "unknown"], repeats, p=chances)
            rows += [
                ("m", "baseline", "en", identity, f"attribute {k}", "ambig", outcome) for outcome in drawn
            ]
    columns = ("model", "protocol", "language", "identity", "attribute", "context_condition", "outcome")
    return pl.DataFrame(rows, schema=columns, orient="row")


def whole(rows):
    return intersections(rows).row(by_predicate=pl.col("identity") == ALL_CROSSED, named=True)


def test_planted_interactions_are_recovered():
    row = whole(of_pairs(scored(1.0, 0)))
    assert (row["verdict"], row["n"], row["clusters"], row["attributes"]) == ("above", 96, 8, 12)
    assert row["low"] < 1.0 < row["high"]
    assert row["value"] == pytest.approx(row["crossed"] - row["predicted"])
    row = whole(of_answers(answered(0.4, 3, repeats=8)))
    assert (row["verdict"], row["n"]) == ("above", 96)
    assert row["low"] < 0.4 < row["high"]


def test_the_contrast_is_that_of_a_two_by_two_design():
    # Differences 5, 2, 1 and, of nobody in particular, 0.5: 5 - 2 - 1 + 0.5. Three parts: 5 - 2 - 1 - 4 + 2 * 0.5.
    cells = {
        "igbo women": 5.0,
        "igbo people": 2.0,
        "women": 1.0,
        "young igbo women": 5.0,
        "young people": 4.0,
    }
    table = intersections(of_pairs(pl.DataFrame(of_cells(cells, "kind", base=0.5))))
    values = dict(table.select("identity", "value").iter_rows())
    assert (values["igbo women"], values["young igbo women"]) == (2.5, -1.0)
    assert set(table["verdict"]) == {"cannot-be-tested"}


def test_sets_that_are_not_complete_are_refused():
    records, answers = scored(0.0, 1), answered(0.0, 1)
    for rows, complaint in (
        (of_pairs(records.filter(pl.col("identity") != "women")), "--cross"),
        (of_pairs(records.with_columns(neutral_difference=pl.lit(None, pl.Float64))), "calibration"),
    ):
        with pytest.raises(UserError, match=complaint):
            intersections(rows)
    with pytest.raises(UserError, match="build qa --cross"):
        intersections(of_answers(answers.drop("attribute")))


def test_leans_of_answers_are_added_up_and_no_sum_beyond_1_is_tested():
    """Interactions equal those that numpy gives of the counts of outcomes."""
    table = answered(0.0, 4)
    values = (
        table["outcome"].replace_strict({"stereotyped": 1, "anti-stereotyped": -1, "unknown": 0}).to_numpy()
    )
    names = table["identity"].to_numpy()
    crossed, people, women = (values[names == name].mean() for name in ("zulu women", "zulu people", "women"))
    unread = table.head(3).with_columns(outcome=pl.lit("refused"))
    clear = table.head(3).with_columns(context_condition=pl.lit("disambig"))
    estimates = intersections(of_answers(pl.concat([table, unread, clear])))
    row = estimates.row(by_predicate=pl.col("identity") == "zulu women", named=True)
    assert row["value"] == pytest.approx(crossed - people - women)
    sure = intersections(of_answers(table.with_columns(outcome=pl.lit("stereotyped"))))
    assert set(sure["verdict"]) == {"cannot-be-tested"}
    assert "no lean can exceed 1" in sure["reason"][0]


def test_parts_by_words():
    for identity, parts in {
        "young nigerian men": ("young people", "nigerians", "men"),
        "Igbo women": ("igbo people", "women"),
        "yoruba traders": ("yoruba people", "traders"),
        **dict.fromkeys(("old people", "taxi drivers", "south africans", "women", ""), ()),
    }.items():
        assert parts_of(identity) == parts


def test_pairs_of_parts_are_made_once_beside_those_of_the_crossed_group():
    rows = {"identity": ["igbo women", "women", "cooks"], "attribute": ["kind", "kind", "strong"]}
    built = build_pairs(pl.DataFrame(rows), PairOptions(cross=True))
    made = built.pairs.select("identity", pl.col("cross_of") != "").rows()
    assert made == [("Igbo women", False), ("women", False), ("cooks", False), ("Igbo people", True)]
    assert "1 crossed identities; pairs about their parts are added." in built.assumed
    assert "cross_of" not in build_pairs(pl.DataFrame(rows)).pairs.columns


@pytest.mark.slow
def test_the_command(tmp_path):
    path, out = tmp_path / "records.parquet", tmp_path / "tables"
    scored(1.0, 0).with_columns(axis=pl.lit("origin"), direction=pl.lit("stereo")).write_parquet(path)
    result = CliRunner().invoke(app, ["analyze", "run", str(path), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "Crossed groups" in result.output
    interactions = pl.read_csv(out / "interactions.csv")
    assert interactions.height == 9
    assert interactions.filter(identity="all crossed groups")["verdict"].to_list() == ["above"]
