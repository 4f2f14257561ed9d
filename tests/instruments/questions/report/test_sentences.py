"""The battery of sentences over pages about questions, at the edges where a referee would look."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.questions.estimates import QaAnalysis, analyze_qa, check_answers
from endoxa.instruments.questions.report import page
from endoxa.instruments.questions.report.axes import axes
from endoxa.instruments.questions.report.compared import debias
from endoxa.instruments.questions.report.headline import headline
from endoxa.instruments.questions.report.page import overview
from endoxa.instruments.questions.report.quoting import diagnostics
from endoxa.instruments.questions.report.results import QaResults, leans, results_of
from endoxa.report.document import Finding, Section
from endoxa.report.estimates import sentence
from endoxa.report.quoting import quoting
from endoxa.schema import QA_RECORD_COLUMNS
from endoxa.testing.sentences import check_finding, check_findings
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answers, times

S, A, U = STEREOTYPED, ANTI, UNKNOWN
Choices = list[Any]


def mixed(choices: Choices, seed: int = 0) -> Choices:
    """The same choices in an order that knows nothing of templates."""
    return [choices[place] for place in np.random.default_rng(seed).permutation(len(choices))]


def clear(aligned: Choices, other: Choices, **more: Any) -> pl.DataFrame:
    """Answers in disambiguated contexts: right answers that agree with the stereotype, and that do not."""
    return pl.concat(
        [
            answers(aligned, condition="disambig", label=S, start=10_000, **more),
            answers(other, condition="disambig", label=A, start=20_000, **more),
        ]
    )


def models(**of_model: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([found.with_columns(model=pl.lit(name)) for name, found in of_model.items()])


def with_names(groups: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    named = pl.concat_str("item_id", pl.lit("-1"))
    return pl.concat([groups, names.with_columns(data=pl.lit("Names"), variant=pl.lit("1"), item_id=named)])


def protocols(**of_protocol: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([found.with_columns(protocol=pl.lit(name)) for name, found in of_protocol.items()])


def unknown_targets(found: pl.DataFrame) -> pl.DataFrame:
    person = pl.col("outcome").is_in(["stereotyped", "anti-stereotyped"])
    return found.with_columns(
        target=pl.lit(None, dtype=pl.Int64), outcome=pl.when(person).then(pl.lit("")).otherwise("outcome")
    )


def unlike(number: int, templates: int, rate: float, lean: float, seed: int = 0) -> Choices:
    """Answers in ambiguous contexts whose templates differ, in the order that `answers` deals them out."""
    random = np.random.default_rng(seed)
    share = random.beta(8 * (1 + lean) / 2, 8 * (1 - lean) / 2, templates)
    named, towards = (
        random.random(number) < rate,
        random.random(number) < share[np.arange(number) % templates],
    )
    return [S if one and two else A if one else U for one, two in zip(named, towards, strict=True)]


LEANING = answers(unlike(600, 20, 0.5, 0.6), templates=20)
FAIR = answers(unlike(600, 20, 0.5, 0.0, seed=1), templates=20)
UNBALANCED = clear([S] * 38, [A] * 12, templates=5)
PERFECT = pl.concat([answers([U] * 50, templates=5), UNBALANCED])
FEW = {f"{number} answers": answers([S] * number, templates=number) for number in range(1, 6)}

EDGES: dict[str, pl.DataFrame] = {
    **FEW,
    "no errors, five templates, unbalanced": PERFECT,
    "no errors, 25 templates, unbalanced": pl.concat(
        [answers([U] * 100), clear([S] * 76, [A] * 24), answers([U] * 100, start=900, category="Other")]
    ),
    "few errors, alike in both kinds, unbalanced": clear(
        mixed([S] * 225 + [A] * 25), mixed([A] * 45 + [S] * 5)
    ),
    "always stereotyped": answers([S] * 100, templates=10),
    "always stereotyped, five templates": answers([S] * 100, templates=5),
    "always the other person": answers([A] * 100, templates=10),
    "one always stereotyped, one fair": models(one=answers([S] * 200, templates=20), two=FAIR),
    "a lean": LEANING,
    "no lean": FAIR,
    "a lean against": answers(unlike(600, 20, 0.5, -0.6), templates=20),
    "as many of both in every template": answers([S] * 40 + [A] * 40, templates=10),
    "a tiny lean in five templates": answers(([S] * 5 + [A] * 4 + [U]) * 40, templates=5),
    "a lean smaller than the digits": answers([S] * 12 + [U] * 60_000, templates=12),
    "huge and trivial": answers(times(stereotyped=10_150, anti=9_850, unknown=20_000), templates=25),
    "some targets unknown": pl.concat(
        [
            answers(times(unknown=126), templates=9),
            unknown_targets(answers(times(stereotyped=40, anti=29), templates=9, start=300)),
        ]
    ),
    "some targets unknown, some named": pl.concat(
        [
            answers(times(stereotyped=24, anti=6, unknown=50), templates=9),
            unknown_targets(answers(times(stereotyped=40, anti=29), templates=9, start=300)),
        ]
    ),
    "all targets unknown": unknown_targets(answers(times(stereotyped=40, anti=20, unknown=30))),
    "9 of 750 read": answers(mixed(times(stereotyped=9, refused=500, unparsed=241)), templates=25),
    "all refused": answers(times(refused=60)),
    "all unparsed": pl.concat([answers(times(unparsed=60)), clear(["unparsed"] * 40, ["unparsed"] * 40)]),
    "one template": answers(times(stereotyped=40, anti=10, unknown=50), templates=1),
    "every question its own template": answers(times(stereotyped=60, anti=20, unknown=50), templates=130),
    "errors in one template only": pl.concat(
        [answers([S] * 30, templates=1), answers([U] * 300, templates=25, start=500)]
    ),
    "right answers all agree with the stereotype": clear([S] * 80 + [A] * 20, []),
    "always the stereotype, against the text": clear([S] * 60, [S] * 60, templates=12),
    "always against the stereotype": clear([A] * 60, [A] * 60, templates=12),
    "one kind in each template": pl.concat(
        [
            answers([S] * 30, condition="disambig", label=S, templates=6),
            answers([S] * 30, condition="disambig", label=A, templates=6, start=500).with_columns(
                template=pl.concat_str("template", pl.lit("b"))
            ),
        ]
    ),
    "several categories": pl.concat(
        [LEANING, FAIR.with_columns(category=pl.lit("Other"), item_id=pl.concat_str(pl.lit("o"), "item_id"))]
    ),
    "seven models, some clear": models(
        **{
            f"m{k}": pl.concat(
                [
                    answers(unlike(240, 12, 0.5, lean, seed=k), templates=12),
                    clear(mixed([S] * 100 + [A] * 20, k), mixed([A] * 100 + [S] * 20, k + 9), templates=12),
                ]
            )
            for k, lean in enumerate((0.9, 0.3, 0.0, 0.0, -0.3, -0.9, 0.1))
        }
    ),
    "four models, all lean": models(
        **{f"m{k}": answers([S] * 200 + [U] * 40 * k, templates=20) for k in range(4)}
    ),
    "four models, nothing wrong": models(**{f"m{k}": PERFECT for k in range(4)}),
    "four models, two categories, names": with_names(
        pl.concat(
            [
                models(**{f"m{k}": LEANING for k in range(4)}),
                models(**{f"m{k}": FAIR for k in range(4)}).with_columns(
                    category=pl.lit("Other"), item_id=pl.concat_str(pl.lit("o"), "item_id")
                ),
            ]
        ),
        models(**{f"m{k}": answers(unlike(600, 20, 0.25, 0.6), templates=20) for k in range(4)}),
    ),
    "four models, four data sets": pl.concat(
        models(
            **{f"m{k}": answers(unlike(240, 12, 0.5, lean, seed=k), templates=12) for k in range(4)}
        ).with_columns(data=pl.lit(f"Cities {number}"))
        for number, lean in enumerate((0.9, 0.4, 0.0, -0.9))
    ),
    "nine models with names": with_names(
        models(**{f"m{k}": answers(unlike(240, 12, 0.5, k / 10, seed=k), templates=12) for k in range(9)}),
        models(**{f"m{k}": answers(unlike(240, 12, 0.1, 0.0, seed=k), templates=12) for k in range(9)}),
    ),
    "one of eight models, clear only alone": models(
        m=answers(unlike(240, 12, 0.5, 0.35, seed=105), templates=12),
        **{f"m{k}": answers(unlike(240, 12, 0.5, 0.0, seed=k), templates=12) for k in range(7)},
    ),
    "names and groups on other templates": with_names(
        pl.concat([FAIR, answers([S] * 400, templates=20, start=5000)]), FAIR
    ),
    "names halve a lean": with_names(LEANING, answers(unlike(600, 20, 0.25, 0.6), templates=20)),
    "names change nothing": with_names(pl.concat([LEANING, UNBALANCED]), pl.concat([LEANING, UNBALANCED])),
    "names make all errors": with_names(answers([U] * 120, templates=12), answers([S] * 120, templates=12)),
    "names take all errors": with_names(answers([S] * 120, templates=12), answers([U] * 120, templates=12)),
    "names in three templates": with_names(answers([S] * 60, templates=3), answers([U, S] * 30, templates=3)),
    "names with two more templates": with_names(FAIR, answers(unlike(660, 22, 0.5, 0.0), templates=22)),
    "names, nothing read": with_names(FAIR, answers(["refused"] * 600, templates=20)),
    "names in disambiguated contexts": with_names(
        clear(mixed([S] * 100 + [A] * 20), mixed([A] * 60 + [S] * 60, 2), templates=12),
        clear(mixed([S] * 100 + [A] * 20), mixed([A] * 100 + [S] * 20, 2), templates=12),
    ),
    "from below 0 to 0": protocols(
        baseline=answers([A] * 60 + [U] * 60, templates=12), explanation=answers([U] * 120, templates=12)
    ),
    "from below 0 to above": protocols(
        baseline=answers([A] * 24 + [U] * 96, templates=12),
        explanation=answers([S] * 96 + [U] * 24, templates=12),
    ),
    "from one side to as far on the other": protocols(
        baseline=answers([A] * 60 + [U] * 60, templates=12),
        explanation=answers([S] * 60 + [U] * 60, templates=12),
    ),
    "a baseline that may be without bias": protocols(
        baseline=answers(mixed([S] * 62 + [A] * 50 + [U] * 8), templates=12),
        explanation=answers(mixed([S] * 55 + [A] * 57 + [U] * 8, 3), templates=12),
    ),
    "self-debiasing in five templates": protocols(
        baseline=answers([S] * 60, templates=5), reprompting=answers([U] * 60, templates=5)
    ),
    "self-debiasing without a baseline": protocols(explanation=LEANING, reprompting=FAIR),
    "self-debiasing, nothing read in common": protocols(
        baseline=answers([S, "refused"] * 30), explanation=answers(["unparsed", U] * 30)
    ),
    "self-debiasing that changes nothing": protocols(baseline=LEANING, explanation=LEANING, reprompting=FAIR),
    "self-debiasing that makes it worse": protocols(
        baseline=answers([S] * 40 + [U] * 80, templates=12),
        explanation=answers([S] * 110 + [U] * 10, templates=12),
    ),
}


@cache
def analysed(edge: str, confidence: float = 0.95) -> tuple[pl.DataFrame, QaAnalysis]:
    found = EDGES[edge]
    told = {"ask": "letters", "order": "012", "served_model": "", "error": "", "identity": "somebody"}
    missing = {name: pl.lit(value) for name, value in told.items() if name not in found.columns}
    assert set(missing) <= set(QA_RECORD_COLUMNS)
    records = check_answers(found.with_columns(**missing))
    return records, analyze_qa(records, confidence=confidence, resamples=100)


def results(edge: str, confidence: float = 0.95) -> QaResults:
    return results_of(*analysed(edge, confidence), {}, (), confidence)


@cache
def sections(edge: str, confidence: float = 0.95) -> list[Section]:
    """The sections that hold sentences; charts take long."""
    found = results(edge, confidence)
    labels = {model: found.label(model) for model in found.names}
    built = (
        headline(found),
        quoting(diagnostics(found.estimates, [], labels)),
        axes(found),
        overview([], found),
        debias(found),
        page.tests_made(found),
    )
    return [section for section in built if section is not None]


def findings(edge: str, anchor: str = "", confidence: float = 0.95) -> list[Finding]:
    return [
        finding
        for section in sections(edge, confidence)
        if section.anchor.startswith(anchor)
        for finding in section.findings
        if isinstance(finding, Finding)
    ]


def said(edge: str, anchor: str = "", confidence: float = 0.95) -> str:
    return " ".join(finding.text for finding in findings(edge, anchor, confidence))


LABELS = (
    "m",
    "one",
    "two",
    *(f"m{k}" for k in range(7)),
    "Cities",
    *(f"Cities {k}" for k in range(4)),
    "Names",
    "95\u00a0%",
)


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge: str) -> None:
    assert check_findings(sections(edge), LABELS) > 0
    for finding in findings(edge):
        assert finding.rests_on, finding.text
        if "corrected for the number of tests" in finding.text:
            (row,) = finding.rests_on
            assert row["p_value"] <= 0.05 < row["p_adjusted"]


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.99])
def test_another_confidence_moves_claims_and_intervals_together(confidence: float) -> None:
    level = f"{100 * confidence:g}\u00a0%"
    for edge in (
        "always stereotyped, five templates",
        "a lean",
        "seven models, some clear",
        "names halve a lean",
        "from below 0 to above",
    ):
        check_findings(sections(edge, confidence), (*LABELS, level))
    five = said("always stereotyped, five templates", "headline", confidence)
    assert ("cannot be tested" in five) == (confidence > 0.9)  # 2 / 2^5 < 0.1


@pytest.mark.slow
def test_many_models_are_summed_up() -> None:
    alike = said("four models, all lean", "headline")
    assert (
        "with Cities, of 4 models 4 lean towards the stereotype. The highest lean is 1.000 (m0; 95" in alike
    )
    assert len(findings("four models, all lean", "headline")) == 1
    perfect = said("four models, nothing wrong", "headline")
    assert (
        "In ambiguous contexts with Cities, of 4 models 4 cannot be tested (5 templates, at least 6"
        in perfect
    )
    named = said("four models, two categories, names", "headline")
    assert "the bias score with Cities compared with Names, 4 models: is higher with groups in 4." in named
    several = said("four models, four data sets", "headline")
    rows = results("four models, four data sets").overall
    numbers = [rows.filter(verdict=verdict).height for verdict in ("above", "below", "unclear")]
    assert sum(numbers) == 16
    assert min(numbers) > 0
    assert (
        f"over 4 models and 4 data sets, of 16 results {numbers[0]} lean towards the stereotype, {numbers[1]} lean "
        f"against the stereotype and for {numbers[2]} a lean is not distinguishable. The highest lean"
        in several
    )
    by_category = said("four models, two categories, names", "axes")
    assert (
        "of 8 cells (a model in a category): leans towards the stereotype in 4 and a lean is not distinguishable in 4."
        in by_category
    )


@pytest.mark.slow
def test_many_models_share_figures() -> None:
    found = results("nine models with names")
    drawn = {figure.name: figure for section in page.qa_sections([], found) for figure in section.figures}
    assert set(drawn) == {
        *(
            "leans-ambiguous",
            "accuracy-cities",
            "accuracy-names",
            "outcomes-ambiguous",
            "difference-lean-ambiguous",
        ),
        *(
            "difference-accuracy-ambiguous",
            "identities-cities",
            "identities-names",
            "average-accuracy",
            "average-bias",
        ),
    }
    rows = found.overall.filter(data="Cities").sort("value", descending=True)
    dots = [row for row in drawn["leans-ambiguous"].plot.rows if row.label.endswith(", Cities")]
    assert [row.label for row in dots] == [f"{line}, Cities" for line in rows["line"]]
    assert [row.dots[0].filled for row in dots] == (rows["verdict"] == "above").to_list()


@pytest.mark.slow
def test_the_whole_page_holds_no_other_sentences() -> None:
    edge = "seven models, some clear"
    sections = page.qa_sections([], results(edge))
    assert check_findings(sections, LABELS) == len(findings(edge))


# ------------------------------------------------------------------- what was false


@pytest.mark.parametrize(
    "edge", ["no errors, five templates, unbalanced", "no errors, 25 templates, unbalanced"]
)
def test_nobody_without_errors_leans(edge: str) -> None:
    """The published disambiguated score is 0.52 there, because more right answers agree with the stereotype."""
    row = results(edge).overall.filter(context_condition="disambig").row(0, named=True)
    score = results(edge).measure("bias_score").filter(context_condition="disambig").row(0, named=True)
    assert score["value"] == pytest.approx(0.52)
    assert row["clusters"] < 6 or score["low"] > 0
    assert (row["value"], row["accuracy"]) == (0.0, 1.0)
    assert row["verdict"] in ("unclear", "cannot-be-tested")
    assert "leans" not in said(edge)
    assert "is right in 100.0\u00a0% of its answers" in said(edge)


def test_errors_alike_in_both_kinds_are_no_lean_whatever_the_design() -> None:
    edge = "few errors, alike in both kinds, unbalanced"
    row = results(edge).measure("bias_score").row(0, named=True)
    assert row["value"] == pytest.approx(0.6, abs=0.1)
    assert "m with Cities: a lean is not distinguishable: accuracy gap" in said(edge, "headline")


def test_a_score_of_one_is_a_lean_with_an_interval() -> None:
    edge = "one always stereotyped, one fair"
    found, score = (
        rows.filter(model="one").row(0, named=True)
        for rows in (results(edge).overall, results(edge).measure("bias_score"))
    )
    assert (found["low"], found["verdict"]) == (score["low"], "above")
    assert found["p_value"] == pytest.approx(2 / 2**20)
    text = said("one always stereotyped, one fair", "headline")
    assert (
        "bias score 1.000 over 20 templates, in this group as it is (95\u00a0% interval 0.762 to 1.000"
        in text
    )


def test_people_named_in_items_without_a_target_are_counted() -> None:
    assert "It names a person in 35.4\u00a0% of its answers (69 of 195)." in said("some targets unknown")
    assert "bias score 0.000, from 126 of 195 answers over 9 templates" in said("some targets unknown")
    some = said("some targets unknown, some named")
    assert "(99 of 149). Of the 30 whose stereotyped person is known, 80.0\u00a0% name" in some
    assert "is not known). It names a person in 66.7\u00a0%" in said("all targets unknown")


def test_denominators_say_what_was_left_out() -> None:
    text = said("9 of 750 read", "headline")
    assert "names a person in 100.0\u00a0% of the answers that were read (9 of 9; 750 asked for)." in text
    assert "from 9 of 750 answers over" in text
    assert "Of 60 answers none could be read." in said("all refused")


def test_five_templates_carry_no_claim() -> None:
    for edge in ("a tiny lean in five templates", "always stereotyped, five templates"):
        (lean,) = findings(edge, "headline")
        assert "cannot be tested (5 templates, at least 6 needed). Bias score" in lean.text
        assert "leans" not in lean.text
    found = results("a tiny lean in five templates")
    row, score = found.overall.row(0, named=True), found.measure("bias_score").row(0, named=True)
    assert row["low"] is row["high"] is score["low"] is row["p_value"] is None


def test_items_do_not_take_the_place_of_templates() -> None:
    row = results("one template").overall.row(0, named=True)
    score = results("one template").measure("bias_score").row(0, named=True)
    assert score["low"] is score["high"] is row["accuracy_low"] is None
    assert (row["verdict"], row["low"], row["interval"]) == ("cannot-be-tested", None, "templates")
    own = results("every question its own template").overall.row(0, named=True)
    assert (own["clusters"], own["verdict"]) == (130, "above")


def test_a_lean_below_the_digits_is_not_claimed() -> None:
    row = results("a lean smaller than the digits").overall.row(0, named=True)
    assert row["p_adjusted"] < 0.001
    assert "The difference from 0 is smaller than the digits shown." in said("a lean smaller than the digits")


def test_names_and_groups_are_compared_on_the_same_questions() -> None:
    edge = "names and groups on other templates"
    values = results(edge).measure("bias_score")["value"].to_list()
    assert values[0] - values[1] > 0.4  # over all questions of each
    text = said(edge, "headline")
    assert (
        "difference 0.000 (Cities minus Names; 600 shared items, 400 items read in one of them only left out) over 20 "
        "templates, in this group as it is (95\u00a0% interval −0.337 to 0.337; no difference: 0)" in text
    )
    for word in (" higher ", " lower "):
        assert word not in text
    claimed = said("names halve a lean", "headline")
    assert "the bias score of m is higher with groups than with names: difference 0.142" in claimed
    assert "the error rate of m is lower with names than with groups: 0.504 times as high" in claimed


def test_few_templates_leave_names_and_groups_untested() -> None:
    text = said("names in three templates", "headline")
    assert text.count("cannot be tested (3 templates, at least 6 needed)") == 4
    nothing = said("names, nothing read", "headline")
    assert "difference" not in nothing


def test_a_score_below_0_that_moves_to_0_is_nearer() -> None:
    text = said("from below 0 to 0", "debias")
    assert "is nearer to 0 than asked at once: 0.500 nearer" in text
    assert "higher" not in text
    rows = results("from below 0 to 0").debias.filter(protocol="explanation", interval="templates")
    values = dict(rows.select("name", "value").iter_rows())
    assert (values["reduction"], values["distance_change"]) == (-0.5, 0.5)


def test_a_score_that_moves_past_0_is_farther_or_as_far() -> None:
    text = said("from below 0 to above", "debias")
    assert (
        "is farther from 0 than asked at once: 0.600 farther (score 0.800) over 12 templates, in this group as it is "
        "(95\u00a0% interval 0.177 to 0.706; no change: 0)" in text
    )
    alike = said("from one side to as far on the other", "debias")
    assert "not distinguishable from that asked at once: 0.000 nearer" in alike


def test_no_share_of_a_baseline_that_may_be_without_bias() -> None:
    edge = "a baseline that may be without bias"
    rows = results(edge).debias
    assert rows.filter(protocol="baseline", interval="templates")["verdict"].to_list() == ["unclear"]


def test_the_correction_is_blamed_where_it_decides() -> None:
    edge = "one of eight models, clear only alone"
    row = results(edge).overall.filter(model="m").row(0, named=True)
    assert row["p_value"] <= 0.05 < row["p_adjusted"]
    assert (
        f"Taken alone its p-value is {row['p_value']:.3f}; corrected for the number of tests it is "
        f"{row['p_adjusted']:.3f}. "
    ) in sentence(leans(results(edge)), row).text
    assert "of 8 models for 8 a lean is not distinguishable." in said(edge)


def test_every_claim_belongs_to_a_family_of_the_page() -> None:
    for edge in ("names halve a lean", "from below 0 to 0", "seven models, some clear"):
        (section,) = [section for section in sections(edge) if section.anchor == "families"]
        (table,) = section.tables
        # Where all of the data are tested first and alone: "1 and 3".
        tests = {row[0]: sum(map(int, row[2].split(" and "))) for row in table.rows}
        found = results(edge)
        assert tests["leans"] == found.estimates["p_value"].count()
        for name, rows in (
            ("groups against names", found.differences),
            ("error retention", found.retention),
            ("self-debiasing", found.debias),
        ):
            assert tests.get(name, 0) == rows["p_value"].count()


def test_the_battery_finds_what_is_false() -> None:
    (finding,) = findings("a lean", "headline")
    (row,) = finding.rests_on
    for broken, complaint in (
        (replace(finding, text=finding.text.replace("towards", "against")), "rests on"),
        (replace(finding, text=finding.text.replace("0.277", "0.280")), "in no row"),
        (replace(finding, text="A lean is not distinguishable."), "rests on"),
        (replace(finding, rests_on=({**row, "p_adjusted": 0.2},)), "after correction"),
        (replace(finding, rests_on=({**row, "verdict": "unclear"},)), "significant, but called unclear"),
        (replace(finding, rests_on=({**row, "low": -0.4},)), "holds the neutral value"),
        (replace(finding, rests_on=({**row, "clusters": 5},)), "too few clusters"),
        (replace(finding, rests_on=()), "rests on nothing"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_finding(broken, LABELS)
