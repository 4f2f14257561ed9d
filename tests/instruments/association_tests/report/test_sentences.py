"""The battery of sentences over pages about association tests, at the edges where a referee would look."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.association_tests.estimates import analyze_tests
from endoxa.instruments.association_tests.estimates.permutation import OPPOSED, judged, least_p, too_small
from endoxa.instruments.association_tests.options import AnalysisOptions
from endoxa.instruments.association_tests.report.findings import SECTIONS
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.instruments.association_tests.report.tables import paper_forms
from endoxa.instruments.association_tests.report.tables import tests_overview as overview_of
from endoxa.report.document import Section
from endoxa.report.frame import filled
from endoxa.report.grids import Grids
from endoxa.report.inputs import Run
from endoxa.runs.options import ReportOptions
from endoxa.schema import AssociationTest, TermSet
from endoxa.sources.frames import read_table
from endoxa.stats.verdicts import AGAINST, CORRECTED, decide
from endoxa.testing.sentences import check_finding, check_findings
from support.association_samples import planted

RNG = np.random.default_rng(12)
FEW = {"resamples": 100, "draws": 1000}


def spread(low, high, n):
    return np.linspace(low, high, n)


def made(test, vectors, pooling="cls", **options):
    chosen = AnalysisOptions(**(FEW | options))
    return analyze_tests([test], vectors, model="hf/m", pooling=pooling, settings=chosen)


def analyzed(x, y, name="t", **options):
    return made(*planted(x, y, name), **options)


def angles(degrees_from_a, name, letter):
    """Texts that lie so many degrees from career, which is 90 degrees from family."""
    turned = np.radians(degrees_from_a)
    return {
        f"{name} {letter}{i}": np.array([np.cos(a), np.sin(a)]) for i, a in enumerate(np.atleast_1d(turned))
    }


def careers(engineers, nurses):
    """Both groups at angles from career (0 degrees) towards family (90 degrees)."""
    x, y = angles(engineers, "w", "x"), angles(nurses, "w", "y")
    a, b = angles([0, 0.5], "w", "a"), angles([90, 89.5], "w", "b")
    test = AssociationTest(
        "w",
        *(
            TermSet(name, tuple(texts))
            for name, texts in zip(("engineers", "nurses", "career", "family"), (x, y, a, b), strict=True)
        ),
    )
    return made(test, {**x, **y, **a, **b})


def encoders(number, p_values):
    """One test in so many encoders, with these p-values."""
    base = analyzed(spread(0.1, 0.5, 8), spread(-0.1, 0.2, 8))
    return judged(
        pl.concat(
            base.with_columns(
                model=pl.lit(f"hf/encoder-{i}"),
                p_value=pl.lit(p_values[i]),
                verdict=pl.lit(""),
                p_published=pl.lit(None, pl.Float64),
            )
            for i in range(number)
        )
    )


def poolings():
    both = [
        analyzed(RNG.normal(shift, 0.1, 8), RNG.normal(0, 0.1, 8), pooling=pooling, alternative="two-sided")
        for pooling, shift in (("cls", 0.6), ("mean", -0.6))
    ]
    return judged(pl.concat(both))


EDGES = {
    "3 against 3, two-sided": analyzed(spread(0.5, 0.9, 3), spread(-0.9, -0.5, 3), alternative="two-sided"),
    "3 against 3, one-sided": analyzed(spread(0.5, 0.9, 3), spread(-0.9, -0.5, 3), alternative="greater"),
    "4 against 4": analyzed(spread(0.5, 0.9, 4), spread(-0.9, -0.5, 4), alternative="two-sided"),
    "8 against 8, nothing there": analyzed(spread(-0.5, 0.5, 8), spread(-0.51, 0.5, 8)),
    "1 against 10": analyzed([0.9], spread(-0.5, 0.5, 10)),
    "1 against 19": analyzed([0.9], spread(-0.5, 0.5, 19)),
    "identical vectors": analyzed(np.full(6, 0.25), np.full(6, 0.25)),
    "identical within the sets": analyzed(np.full(6, 0.5), np.full(6, 0.1)),
    "both within 5 degrees of career": careers(spread(0.5, 2, 8), spread(3, 4.9, 8)),
    "both within 5 degrees of family": careers(spread(85, 87, 8), spread(88, 89, 8)),
    "effect exactly 0": analyzed([0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1]),
    "20 encoders of one test": encoders(20, [0.03, *np.linspace(0.1, 0.9, 19)]),
    "20 encoders of one test, one strong": encoders(20, [0.0001, *np.linspace(0.1, 0.9, 19)]),
    "20 encoders of one test, all strong": encoders(20, [0.0001] * 20),
    "against the direction": analyzed(spread(-0.5, -0.1, 8), spread(0.2, 0.6, 8), alternative="greater"),
    "against the direction, less": analyzed(spread(0.2, 0.6, 8), spread(-0.5, -0.1, 8), alternative="less"),
    "with the direction, less": analyzed(spread(-0.5, -0.1, 8), spread(0.2, 0.6, 8), alternative="less"),
    "against, but two-sided": analyzed(
        spread(-0.5, -0.1, 8), spread(0.2, 0.6, 8), alternative="two-sided", confidence=0.9
    ),
    "poolings of opposite signs": poolings(),
    "sampled p": analyzed(RNG.normal(0.1, 0.2, 40), RNG.normal(0, 0.2, 40), draws=500),
    "too few draws for the level": analyzed(
        RNG.normal(0.1, 0.2, 40), RNG.normal(0, 0.2, 40), draws=100, confidence=0.995
    ),
}
EDGES["20 encoders of one test, five turned"] = judged(
    EDGES["20 encoders of one test, all strong"].with_columns(
        value=pl.when(pl.int_range(pl.len()) < 5).then(-pl.col("value")).otherwise("value"),
        verdict=pl.lit(""),
    )
)
EDGES["some of everything"] = judged(
    pl.concat(
        frame.with_columns(model=pl.lit(f"hf/model {i}"), test=pl.lit(name))
        for i, (name, frame) in enumerate(EDGES.items())
        if frame.height == 1
        and (frame["confidence"].item(), frame["alternative"].item()) == (0.95, "two-sided")
    )
)


WORDS = read_table(Path(__file__).with_name("sentences.csv")).rows(named=True)


def results_of(frame, tmp_path) -> Associations:
    frame.write_csv(tmp_path / "t.csv")
    return read_associations([Run(tmp_path / "t.csv", {})])


def sections_of(results):
    return filled(SECTIONS, results)


def labels_of(results):
    texts = ("label", "encoder", "test", "x", "y", "a", "b", "pooling", "reason")
    levels = [f"{100 * level:g}\u00a0%" for level in (0.9, 0.95, 0.97, 0.995)]
    return [*{text for name in texts for text in results.estimates[name]}, *levels]


def said(sections: list[Section], anchor="findings"):
    return " ".join(finding.text for one in sections if one.anchor == anchor for finding in one.findings)


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge, tmp_path):
    """And holds the words of `sentences.csv`, or does not hold them."""
    results = results_of(EDGES[edge], tmp_path)
    sections = sections_of(results)
    assert check_findings([*sections, overview_of([], results)], labels_of(results)) > 0
    wrong = [
        row["words"]
        for row in WORDS
        if row["edge"] == edge and (row["words"] in said(sections, row["section"])) != (row["there"] == "yes")
    ]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_door_shows_the_same(edge, tmp_path):
    frame = EDGES[edge]
    results = results_of(frame, tmp_path)
    for name in ("verdict", "reason", "n_partitions"):
        assert results.estimates[name].to_list() == frame[name].to_list()
    assert results.estimates["p_adjusted"].to_list() == frame["p_adjusted"].fill_nan(None).to_list()
    claimed = sum(verdict in ("above", "below") for verdict in frame["verdict"])
    untested = frame.filter(pl.col("value").is_finite(), verdict="cannot-be-tested").height
    text = paper_forms(results, ReportOptions())["latex"]()
    assert (text.count("$^{*}$"), text.count(r"$^{\dagger}$")) == (claimed, untested)
    drawn = {section.anchor: section.figures for section in sections_of(results)}
    plots = [figure.plot for figure in drawn.get("forest", drawn["findings"])]
    filled = sum(
        sum(cell.claimed for grid in plot.grids for _, row in grid.rows for cell in row if cell)
        if isinstance(plot, Grids)
        else sum(dot.filled is True for row in plot.rows for dot in row.dots)
        for plot in plots
    )
    assert filled >= claimed > 0 or filled == claimed == 0


def test_a_decision_knows_its_direction():
    assert decide(-1.0, 0.0, 0.001, 0.001, alternative="greater").reason == AGAINST
    assert decide(1.0, 0.0, 0.001, 0.001, alternative="less").verdict == "unclear"
    assert decide(1.0, 0.0, 0.001, 0.001, alternative="greater").verdict == "above"


@pytest.mark.slow
def test_twenty_encoders_are_twenty_tests(tmp_path):
    frame = EDGES["20 encoders of one test"]
    assert set(frame["verdict"]) == {"unclear"}
    assert frame.row(0, named=True)["reason"] == CORRECTED
    assert frame["p_adjusted"][0] == pytest.approx(0.6)
    sections = sections_of(results_of(frame, tmp_path))
    assert said(sections).count("corrected for the number of tests") == 1
    family = sections[-1].tables[0].rows[0]
    assert (family[0], family[2]) == ("association tests", "20")


def test_joined_tables_are_one_family(tmp_path):
    runs = []
    for place, p in enumerate((0.03, 0.04, 0.9)):
        frame = judged(encoders(1, [p]).with_columns(model=pl.lit(f"hf/{place}")))
        assert frame["p_adjusted"].to_list() == [p]
        frame.write_csv(tmp_path / f"{place}.csv")
        runs.append(Run(tmp_path / f"{place}.csv", {}))
    results = read_associations(runs)
    assert results.estimates["p_adjusted"].to_list() == pytest.approx([0.06, 0.06, 0.9])
    assert set(results.estimates["verdict"]) == {"unclear"}
    sections = sections_of(results)
    check_findings(sections, labels_of(results))
    assert "over everything that stands in one table or on one page" in sections[-1].tables[0].rows[0][1]
    assert sections[-1].tables[0].rows[0][2] == "3"
    assert read_associations(runs[:1]).estimates["verdict"].to_list() == ["above"]


def test_terms_and_texts_that_disagree_claim_nothing():
    """One term with many texts turns the effect size round, which is taken over texts; the test exchanges terms."""
    x = [*np.full(40, -0.9), *spread(0.55, 0.6, 7)]
    y = spread(-0.1, 0.0, 8)
    names = [f"x{i}" for i in [0] * 40 + list(range(1, 8))]
    test, vectors = planted(x, y, "t", names, [f"y{i}" for i in range(8)])
    row = made(test, vectors, alternative="two-sided").row(0, named=True)
    assert row["value"] < 0
    assert row["p_value"] < 0.05
    assert (row["verdict"], row["reason"]) == ("cannot-be-tested", OPPOSED)
    assert row["clusters"] == 8


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 2), (3, 3), (1, 19), (4, 4), (2, 6), (5, 3)])
@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_least_p_is_the_one_of_perfectly_apart_sets(n_x, n_y, side, turned):
    high, low = spread(0.5, 0.9, n_x), spread(-0.9, -0.5, n_y)
    x, y = (-high, -low) if turned else (high, low)
    row = analyzed(x, y, alternative=side).row(0, named=True)
    least = 2 / comb(n_x + n_y, n_x)
    assert least_p(comb(n_x + n_y, n_x)) == pytest.approx(least)
    expected = {"two-sided": least, "less" if turned else "greater": least / 2}.get(side, 1.0)
    assert row["p_value"] == pytest.approx(expected)
    assert row["p_published"] == pytest.approx(1.0 if turned else least / 2)
    assert (least > 0.05) == bool(too_small(comb(n_x + n_y, n_x), 0.95))
    untested = row["verdict"] == "cannot-be-tested"
    assert untested == (least > 0.05), "three words against three claim nothing on either side"
    if not untested:
        claim = "below" if turned else "above"
        assert row["verdict"] == (claim if expected < 0.05 else "unclear")


def test_the_interval_leaves_zero_out_if_and_only_if_the_two_sided_test_rejects() -> None:
    rng = np.random.default_rng(4)
    for number in range(10):
        x, y = np.clip(rng.normal(0.1 * (number % 5), 0.3, 8), -1, 1), rng.normal(0, 0.3, 8)
        for side in ("two-sided", "greater"):
            row = analyzed(x, y, alternative=side).row(0, named=True)
            two_sided = min(1.0, 2 * min(row["p_published"], analyzed(-x, -y)["p_published"].item()))
            assert (row["low"] <= 0 <= row["high"] and 0 not in (row["low"], row["high"])) <= (
                two_sided > 0.05
            )
            assert (row["low"] > 0 or row["high"] < 0) <= (two_sided <= 0.05)


def test_the_battery_finds_what_is_false(tmp_path):
    results = results_of(EDGES["both within 5 degrees of career"], tmp_path)
    finding = next(one for section in sections_of(results) for one in section.findings)
    (row,) = finding.rests_on
    turned = finding.text.replace("nearer to career (rather than family)", "nearer to family")
    for broken, complaint in (
        ({"text": turned}, "in that direction"),
        ({"rests_on": ({**row, "verdict": "unclear"},)}, "does not follow"),
        ({"rests_on": ({**row, "p_adjusted": 0.2},)}, "does not follow"),
        ({"rests_on": ({**row, "n_partitions": "6"},)}, "cannot reach"),
        ({"text": finding.text.replace("effect size +", "effect size +3")}, "in no row"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_finding(replace(finding, **broken), labels_of(results))
