"""The battery of sentences over pages about questions, at the edges where a referee would look."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
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
from endoxa.instruments.questions.report.results import QaResults, results_of
from endoxa.report.document import Finding, Section
from endoxa.report.quoting import quoting
from endoxa.schema import QA_RECORD_COLUMNS
from endoxa.testing.sentences import check_findings
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answers, times

S, A, U = STEREOTYPED, ANTI, UNKNOWN
SENTENCES = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8"))
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


def leaning(
    lean: float, seed: int = 0, *, rate: float = 0.5, number: int = 600, templates: int = 20
) -> pl.DataFrame:
    return answers(unlike(number, templates, rate, lean, seed), templates=templates)


def numbered(number: int, found: Callable[[int], pl.DataFrame]) -> pl.DataFrame:
    """Answers of models m0, m1, ..."""
    return models(**{f"m{k}": found(k) for k in range(number)})


def small(lean: float, rate: float = 0.5) -> Callable[[int], pl.DataFrame]:
    return lambda k: leaning(lean, k, rate=rate, number=240, templates=12)


def of_another_category(found: pl.DataFrame) -> pl.DataFrame:
    return found.with_columns(category=pl.lit("Other"), item_id=pl.concat_str(pl.lit("o"), "item_id"))


def explained(baseline: Choices, explanation: Choices, templates: int = 12) -> pl.DataFrame:
    sides = (answers(choices, templates=templates) for choices in (baseline, explanation))
    return protocols(**dict(zip(("baseline", "explanation"), sides, strict=True)))


LEANING, FAIR = leaning(0.6), leaning(0.0, 1)
UNBALANCED = clear([S] * 38, [A] * 12, templates=5)
PERFECT = pl.concat([answers([U] * 50, templates=5), UNBALANCED])
UNKNOWN_TARGETS = unknown_targets(answers(times(stereotyped=40, anti=29), templates=9, start=300))

EDGES: dict[str, pl.DataFrame] = {
    "three answers": answers([S] * 3, templates=3),
    "no errors, five templates, unbalanced": PERFECT,
    "no errors, 25 templates, unbalanced": pl.concat(
        [answers([U] * 100), clear([S] * 76, [A] * 24), answers([U] * 100, start=900, category="Other")]
    ),
    "few errors, alike in both kinds, unbalanced": clear(
        mixed([S] * 225 + [A] * 25), mixed([A] * 45 + [S] * 5)
    ),
    "always stereotyped, five templates": answers([S] * 100, templates=5),
    "one always stereotyped, one fair": models(one=answers([S] * 200, templates=20), two=FAIR),
    "a lean": LEANING,
    "a lean against": leaning(-0.6),
    "a tiny lean in five templates": answers(([S] * 5 + [A] * 4 + [U]) * 40, templates=5),
    "a lean smaller than the digits": answers([S] * 12 + [U] * 60_000, templates=12),
    "some targets unknown": pl.concat([answers(times(unknown=126), templates=9), UNKNOWN_TARGETS]),
    "some targets unknown, some named": pl.concat([answers(times(24, 6, 50), templates=9), UNKNOWN_TARGETS]),
    "all targets unknown": unknown_targets(answers(times(stereotyped=40, anti=20, unknown=30))),
    "9 of 750 read": answers(mixed(times(stereotyped=9, refused=500, unparsed=241)), templates=25),
    "all refused": answers(times(refused=60)),
    "always the stereotype, against the text": clear([S] * 60, [S] * 60, templates=12),
    "several categories": pl.concat([LEANING, of_another_category(FAIR)]),
    "four models, all lean": numbered(4, lambda k: answers([S] * 200 + [U] * 40 * k, templates=20)),
    "four models, nothing wrong": numbered(4, lambda _: PERFECT),
    "four models, two categories, names": with_names(
        numbered(4, lambda _: pl.concat([LEANING, of_another_category(FAIR)])),
        numbered(4, lambda _: leaning(0.6, rate=0.25)),
    ),
    "one of eight models, clear only alone": pl.concat([models(m=small(0.35)(105)), numbered(7, small(0.0))]),
    "names and groups on other templates": with_names(
        pl.concat([FAIR, answers([S] * 400, templates=20, start=5000)]), FAIR
    ),
    "names halve a lean": with_names(LEANING, leaning(0.6, rate=0.25)),
    "names in three templates": with_names(answers([S] * 60, templates=3), answers([U, S] * 30, templates=3)),
    "names, nothing read": with_names(FAIR, answers(["refused"] * 600, templates=20)),
    "names in disambiguated contexts": with_names(
        clear(mixed([S] * 100 + [A] * 20), mixed([A] * 60 + [S] * 60, 2), templates=12),
        clear(mixed([S] * 100 + [A] * 20), mixed([A] * 100 + [S] * 20, 2), templates=12),
    ),
    "from below 0 to 0": explained([A] * 60 + [U] * 60, [U] * 120),
    "from below 0 to above": explained([A] * 24 + [U] * 96, [S] * 96 + [U] * 24),
    "from one side to as far on the other": explained([A] * 60 + [U] * 60, [S] * 60 + [U] * 60),
    "self-debiasing in five templates": protocols(
        baseline=answers([S] * 60, templates=5), reprompting=answers([U] * 60, templates=5)
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


LABELS = ("m", "one", "two", *(f"m{k}" for k in range(7)), "Cities", "Names", "95\u00a0%")


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
@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_another_confidence_moves_claims_and_intervals_together(confidence: float) -> None:
    labels = (*LABELS, f"{100 * confidence:g}\u00a0%")
    for edge in ("always stereotyped, five templates", "names halve a lean", "from below 0 to above"):
        check_findings(sections(edge, confidence), labels)
    five = said("always stereotyped, five templates", "headline", confidence)
    assert ("cannot be tested" in five) == (confidence > 0.9)  # 2 / 2^5 < 0.1


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


@pytest.mark.parametrize("edge", SENTENCES)
def test_sentences_at_the_edges(edge: str) -> None:
    """Denominators and what was left out, claims and their directions, many models, why nothing is claimed."""
    for text in SENTENCES[edge].get("holds", []):
        assert text in said(edge)
    if "never" in SENTENCES[edge]:
        assert SENTENCES[edge]["never"] not in said(edge, "headline")
