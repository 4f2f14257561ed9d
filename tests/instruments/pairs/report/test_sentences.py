"""The battery of sentences over pages about sentence pairs, at the edges where a referee would look."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.report.page import SECTIONS, headline_tables, paper_forms
from endoxa.instruments.pairs.report.results import Results, labels_of, with_differences
from endoxa.instruments.pairs.report.sections import title
from endoxa.runs.options import ReportOptions
from endoxa.sources.frames import read_table
from endoxa.testing.sentences import check_finding, check_findings
from support.analyze_fixtures import make_records

pytestmark = pytest.mark.slow

NAN = float("nan")


def sides(wins, losses, ties=0):
    """Differences with so many of each side, in a mixed order."""
    values = np.concatenate([np.full(wins, 1.3), np.full(losses, -1.1), np.zeros(ties)])
    return np.random.default_rng(len(values)).permutation(values)


def identities(pairs, number):
    return [f"people {index % number}" for index in range(pairs)]


def results_of(records, confidence=0.95):
    table = with_differences(records.with_columns(run=pl.lit("r"), data=pl.lit("d")))
    made = analyze_pairs(records, confidence=confidence, resamples=200)
    tables = (made.estimates, made.comparisons, made.flips)
    return Results("pairs", "pairs", table, *tables, labels_of([table]), confidence)


@cache
def results(edge, confidence=0.95):
    return results_of(EDGES[edge], confidence)


def ratio(found, **where):
    """The row of the preference ratio whose units are identities."""
    rows = found.estimates.filter(
        **{"name": "preference_ratio", "interval": "identities", "axis": "all"} | where
    )
    return rows.row(0, named=True)


def latex(found, **options):
    return paper_forms([found], ReportOptions(**options))["latex"]()


def sections_of(found):
    return [section for build in SECTIONS if (section := build(found)) is not None]


def said(found, anchor="headline"):
    return " ".join(
        finding.text
        for section in sections_of(found)
        if section.anchor.startswith(anchor)
        for finding in section.findings
    )


def one(differences, number, **more):
    return make_records({("m", "sum"): differences}, identity=identities(len(differences), number), **more)


def two(first, second, number, **more):
    return make_records(
        {("a", "sum"): first, ("b", "sum"): second}, identity=identities(len(first), number), **more
    )


def many(wins, number, **more):
    """Records of several models, or models and rules, with so many wins and losses each."""
    scores = {tuple(f"{name} sum".split()[:2]): sides(*counts) for name, counts in wins.items()}
    return make_records(scores, identity=identities(sum(next(iter(wins.values()))), number), **more)


EDGES = {
    "all of 150 pairs, 50 identities": one(sides(150, 0), 50),
    "none of 150 pairs, 50 identities": one(sides(0, 150), 50),
    "half of 150 pairs": one(sides(75, 75), 50),
    "four identities, 95 and 5 %": two(sides(38, 2), sides(2, 38), 4),
    "five identities, 95.8 %": one(sides(115, 5), 5),
    "7 of 8 pairs": one(sides(7, 1), 8),
    "990 ties and 10 wins": one(sides(10, 0, 990), 1000),
    "nothing but ties": one(sides(0, 0, 40), 10),
    "one pair": one(sides(1, 0), 1),
    "three pairs of one identity": one(sides(3, 0), 1),
    "one identity holds nearly all pairs": make_records(
        {("m", "sum"): sides(150, 30)}, identity=["many"] * 170 + [f"few {i}" for i in range(10)]
    ),
    "two models opposed": two(sides(80, 0), sides(0, 80), 20),
    "two models on other pairs": pl.concat([many({"a": (50, 10)}, 20), many({"b": (10, 30)}, 20)]),
    "two rules": many({"m sum": (60, 20), "m mean": (20, 60)}, 16),
    "five models and rules, some of everything": many(
        {"a": (80, 0), "b": (0, 80), "c": (41, 39), "d": (52, 28), "a mean": (40, 40)},
        20,
        axis=["x", "y"] * 30 + ["z"] * 20,
    ),
    "four models, four identities": many(
        {"a": (8, 0), "b": (0, 8), "c": (4, 4), "d": (7, 1)}, 4
    ).with_columns(attribute=pl.Series(["lazy", "late"] * 16)),
    "five attributes of thirty identities": two(sides(145, 5), sides(5, 145), 30).with_columns(
        attribute=pl.Series([f"attribute {k // 30}" for k in range(150)] * 2)
    ),
    "four models, none above": many({"a": (0, 80), "b": (2, 78), "c": (40, 40), "d": (3, 77)}, 20),
    "three axes of four identities": one(sides(110, 10), 12, axis=["a", "b", "c"] * 40),
    "many axes, one raw p below 0.05": one(
        np.concatenate([sides(17, 5), sides(110, 110)]),
        242,
        axis=["x"] * 22 + [f"axis {i % 11}" for i in range(220)],
    ),
    "languages that are not linked": make_records(
        {("m", "sum"): sides(70, 10)},
        identity=[f"{'en' if i < 40 else 'hi'} {i % 20}" for i in range(80)],
        language=["en"] * 40 + ["hi"] * 40,
    ),
    "languages that name identities alike": make_records(
        {("m", "sum"): sides(70, 10)},
        identity=[f"people {i // 4}" for i in range(80)],
        language=["en", "hi"] * 40,
    ),
    "calibrated away": one(sides(70, 10), 20, neutral=sides(70, 10) * 1.01),
    "negations, away after calibration": many(
        {"m": (100, 20), "n": (90, 30)}, 30, neutral=np.roll(sides(100, 20) * 1.5, 7)
    ).with_columns(kind=pl.Series((["negation"] * 80 + ["antonym"] * 40) * 2)),
    "two thirds of the pairs calibrated, below": one(
        sides(80, 10),
        15,
        neutral=[NAN if k % 3 == 0 else 2.0 for k in range(90)],
        direction=["stereo", "antistereo", "antistereo"] * 30,
    ),
    "a third of the pairs calibrated": one(
        sides(80, 10), 15, neutral=[NAN if k % 3 else 2.0 for k in range(90)]
    ),
    "eight identities by eight attributes": one(sides(44, 20), 8).with_columns(
        attribute=pl.Series([f"attribute {k // 8}" for k in range(64)])
    ),
    "six identities by six attributes": one(sides(20, 16), 6).with_columns(
        attribute=pl.Series([f"attribute {k // 6}" for k in range(36)])
    ),
    "eight identities by eight attributes, all": one(sides(64, 0), 8).with_columns(
        attribute=pl.Series([f"attribute {k // 8}" for k in range(64)])
    ),
}


WORDS = read_table(Path(__file__).with_name("sentences.csv")).rows(named=True)
"""Words that sections about an edge hold or do not hold; power of 8 x 8 at 0.8 is 0.83 (docs/methods/two-way.md)."""


@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge):
    found = results(edge)
    labels = [*found.labels.values(), "pairs", "sum", "mean", "95\u00a0%"]
    assert check_findings(sections_of(found), labels) > 0
    check_stars(found)
    wrong = [
        row["words"]
        for row in WORDS
        if row["edge"] == edge
        and (row["words"] in said(found, row["section"]).replace("\u00a0", " ")) != (row["there"] == "yes")
    ]
    assert wrong == []


def check_stars(found):
    """Tables for papers star what is claimed: of calibrated pairs where these are at least half."""
    raw, calibrated = (
        {tuple(row[:4]): row[4:] for row in found.estimates.filter(name=name, interval="identities").rows()}
        for name in ("preference_ratio", "calibrated_preference_ratio")
    )
    columns = found.estimates.columns[4:]
    n, verdict = columns.index("n"), columns.index("verdict")
    deciding = [
        calibrated[cell] if cell in calibrated and 2 * calibrated[cell][n] >= row[n] else row
        for cell, row in raw.items()
    ]
    stars = sum(row[verdict] in ("above", "below") for row in deciding)
    assert latex(found).count("$^{*}$") == stars


@pytest.mark.parametrize(
    ("number", "words"),
    [(3, "3 groups x 80 sentence frames, in these groups as they are"), (9, "9 groups x 80")],
)
def test_claims_about_few_groups_are_about_these_as_they_are(number, words):
    """Groups of a table: frames are the sample of three, and both are with nine; a pair without a group is none."""
    texts = pl.Series([f"Text {place % 80} about it." for place in range(240)])
    named = pl.Series([f"g{place % number}" if place % 10 else "" for place in range(240)])
    records = one(sides(200, 40), 240).with_columns(identity_group=named, sent_more=texts, sent_less=texts)
    found = said(results_of(records))
    assert f"240 pairs of {words}" in found
    assert "more often than chance" in found


def test_tables_for_papers_are_what_is_asked_for():
    """Other intervals change the ends and no verdict; rows and columns change places; what stands in LaTeX is ours."""
    found = results("two rules")
    wilson = latex(found, interval="wilson", label="tab:x", caption="50% & more")
    assert "\\label{tab:x}" in wilson
    assert r"\caption{50\% \& more}" in wilson
    assert wilson.count("$^{*}$") == latex(found).count("$^{*}$")
    ends = found.estimates.filter(name="preference_ratio", interval="wilson", axis="all", language="all")
    for low, high in ends.select("low", "high").iter_rows():
        assert f"{100 * low:.1f}--{100 * high:.1f}" in wilson
    plain, *_ = headline_tables([found], ReportOptions())
    turned, *_ = headline_tables([found], ReportOptions(transpose=True))
    assert [str(cell) for cell in turned.rows[0][1:]] == [str(row[3]) for row in plain.rows]
    (table, *_) = headline_tables([found], ReportOptions(rules=("mean",)))
    assert {row[1] for row in table.rows} == {"mean"}


def test_ten_of_ten_untied_wins_are_a_preference_however_many_ties():
    row = ratio(results("990 ties and 10 wins"))
    assert row["p_value"] == pytest.approx(2 / 1024)
    assert row["low"] > 0.5


def test_a_key_links_the_identities_of_languages():
    keys = pl.Series([f"key {i % 20}" for i in range(80)])
    row = ratio(
        results_of(EDGES["languages that are not linked"].with_columns(identity_key=keys)), language="all"
    )
    assert (row["clusters"], row["verdict"]) == (20, "above")


def test_the_battery_finds_what_is_false():
    finding = sections_of(results("all of 150 pairs, 50 identities"))[0].findings[0]
    (row,) = finding.rests_on
    for broken, complaint in (
        ({"text": finding.text.replace("more often", "less often")}, "rests on"),
        ({"text": finding.text.replace("100.0", "98.7")}, "in no row"),
        ({"text": "The preference is not distinguishable from chance."}, "rests on"),
        ({"rests_on": ({**row, "p_adjusted": 0.2},)}, "after correction"),
        ({"rests_on": ({**row, "verdict": "unclear"},)}, "significant, but called unclear"),
        ({"rests_on": ({**row, "low": 0.4},)}, "holds the neutral value"),
        ({"rests_on": ()}, "rests on nothing"),
        ({"text": finding.text + " nan."}, "holds 'nan'"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_finding(replace(finding, **broken), ["m", "sum", "95\u00a0%"])


def test_the_title_of_many_models_says_which_groups_differ():
    groups = {"a": 135, "b": 135, "c": 75, "d": 75, "e": 75, "f": 15}
    wins = {name: (number, 150 - number) for name, number in groups.items()}
    found = results_of(many(wins, 50, axis=[f"axis {index % 3}" for index in range(150)]))
    assert title(found) == (
        "6 models form 3 groups that differ under sum; the stereotypical sentence is preferred in "
        "90\u00a0% (2\u00a0models), 50\u00a0% (3\u00a0models) and 10\u00a0% (f) of pairs"
    )
    first, *_ = sections_of(found)
    assert first.anchor == "closer-pairs"
    assert check_findings([first]) == 1
