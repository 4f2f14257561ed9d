"""Answers to questions with ambiguous and disambiguated contexts, whose templates, groups or attributes differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtri

from benchmarks.worlds import Reading, beta, pairs
from endoxa.instruments.questions.estimates.debias import (
    bias_scores,
    nearer,
    of_change,
    over_templates,
    parts,
    with_test,
)
from endoxa.instruments.questions.estimates.estimates import lean_of
from endoxa.instruments.questions.estimates.inference import (
    BUILT,
    FEW_TEMPLATES,
    SECOND,
    effective,
    expanded,
    resampled,
    templates_test,
)
from endoxa.instruments.questions.estimates.measures import COUNTED, Cell, share
from endoxa.instruments.questions.estimates.names import jackknifed
from endoxa.sources.bbq.items import read_items
from endoxa.stats.intervals import agreeing

SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "ambiguous, equal templates": ((40,), ()),
    "ambiguous, unequal templates": ((20, 100, 20, 60, 100, 20), ()),
    "disambiguated, balanced": ((20,), (20,)),
    "disambiguated, unequal templates": ((10, 50, 10, 30), (10, 50, 10, 30)),
    "disambiguated, one kind rare": ((5,), (35,)),
    "disambiguated, unbalanced by turns": ((5, 35, 20), (35, 5, 20)),
}
"""Questions of a template, in turn: of the first kind of context, and of the second."""
RESAMPLES = 400


def cell(
    condition: str, first: np.ndarray, second: np.ndarray, *, built: bool = False, **columns: np.ndarray
) -> Cell:
    """Counts of answers, one of each question; columns that are not given are false."""
    none = np.zeros(len(first), dtype=bool)
    counted = {name: np.asarray(columns.get(name, none), dtype=bool) for name in COUNTED}
    counted |= dict.fromkeys(("n", "read", "scored"), ~none)
    units = {"template": first, SECOND: second, BUILT: none | built, "item": np.arange(len(first))}
    answers = pl.DataFrame({**units, **counted})
    sums = answers.group_by("template").agg(pl.col(COUNTED).sum()).sort("template")
    per_template = sums.select(pl.col(COUNTED).cast(pl.Float64)).to_numpy()
    return Cell({"context_condition": condition}, per_template, per_template, answers)


def answers(
    rng: np.random.Generator, kind: str, templates: int, correlation: float, lean: float, rate: float
) -> Cell:
    """Templates whose rates are beta-distributed.

    Args:
        rng: the generator.
        kind: a row of `SIZES`.
        templates: their number.
        correlation: of two answers of a template.
        lean: bias score, or accuracy gap.
        rate: share of ambiguous answers that name a person; share of disambiguated answers that are wrong.
    """
    first, second = (np.resize(sizes, templates) if sizes else None for sizes in SIZES[kind])
    assert first is not None
    if second is None:
        template = np.repeat(np.arange(templates), first)
        person = rng.random(len(template)) < beta(rng, rate, correlation, templates)[template]
        towards = beta(rng, (1 + lean / rate) / 2, correlation, templates)[template]
        biased = person & (rng.random(len(template)) < towards)
        return _ambiguous(person, biased, template, template)
    template = np.repeat(np.arange(templates), first + second)
    place = np.concatenate([np.arange(number) for number in first + second])
    aligned = place < first[template]
    chances = [beta(rng, 1 - rate + half, correlation, templates) for half in (lean / 2, -lean / 2)]
    correct = rng.random(len(template)) < np.where(aligned, chances[0][template], chances[1][template])
    return _disambiguated(correct, aligned, template, template)


def _ambiguous(
    person: np.ndarray, biased: np.ndarray, first: np.ndarray, second: np.ndarray, *, built: bool = False
) -> Cell:
    columns = {"persons": person, "biased": biased, "anti": person & ~biased}
    right = {"correct": ~person, "scored_correct": ~person}
    return cell("ambig", first, second, built=built, **columns, **right)


def _disambiguated(correct: np.ndarray, aligned: np.ndarray, first: np.ndarray, second: np.ndarray) -> Cell:
    """Whoever is wrong names the other person."""
    return cell(
        "disambig",
        first,
        second,
        persons=np.ones(len(first), dtype=bool),
        correct=correct,
        scored_correct=correct,
        biased=correct == aligned,
        anti=correct != aligned,
        aligned=aligned,
        aligned_correct=aligned & correct,
        nonaligned=~aligned,
        nonaligned_correct=~aligned & correct,
    )


def lean(data: Cell) -> Reading:
    """The lean with all its units."""
    result, truth = lean_of(data, 0.95, 0).result, data.key.get("truth")
    return Reading.of(result.p_value, result.interval, None if truth is None else float(truth))


def lean_alone(data: Cell) -> Reading:
    """The lean with the first kind of units alone."""
    return lean(replace(data, answers=data.answers.with_columns(pl.col("template").alias(SECOND))))


@cache
def _layout(design: str, file: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes of both kinds of units: of a category of BBQ (beside `file`), or of questions made from associations."""
    if not design.startswith("BBQ"):
        return pairs.layout(design).units
    items = read_items(Path(file).parent / f"{design.split()[1]}.jsonl")
    items = [item for item in items if item.condition == "ambig"]
    codes = (
        np.unique([getattr(item, name) for item in items], return_inverse=True)[1]
        for name in ("template", "identity")
    )
    first, second = codes
    return first, second


def crossed(
    rng: np.random.Generator,
    design: str,
    named: float,
    towards: float,
    of_first: float,
    of_second: float,
    file: str = "",
) -> Cell:
    """Ambiguous questions whose units of both kinds shift the side of those who name a person."""
    first, second = _layout(design, file)
    latent = ndtri(towards) * np.sqrt(1 + of_first**2 + of_second**2) + rng.normal(size=len(first))
    latent += pairs.effects(rng, of_first, first) + pairs.effects(rng, of_second, second)
    person = rng.random(len(first)) < named
    answered = _ambiguous(person, person & (latent > 0), first, second, built=not file)
    return replace(answered, key={**answered.key, "truth": str(named * (2 * towards - 1))})


@dataclass(frozen=True)
class Twice:
    """(templates, 2, 4): answered, right, naming a person, naming the stereotyped one; true scores and rates."""

    totals: np.ndarray
    leans: tuple[float, float]
    rates: tuple[float, float]


def twice(
    rng: np.random.Generator,
    templates: int,
    correlation: float,
    leans: tuple[float, float],
    rates: tuple[float, float],
) -> Twice:
    """The same ambiguous questions answered twice: under two protocols, or with groups and with names."""
    number, sides = np.resize(SIZES["ambiguous, unequal templates"][0], templates), []
    for score, rate in zip(leans, rates, strict=True):
        named = rng.binomial(number, beta(rng, rate, correlation, templates))
        biased = rng.binomial(named, beta(rng, (1 + score / rate) / 2, correlation, templates))
        sides.append(np.column_stack([number, number - named, named, biased]))
    return Twice(np.stack(sides, axis=1).astype(float), leans, rates)


def _drawn(totals: np.ndarray) -> np.ndarray:
    return resampled(totals.reshape(len(totals), 8), RESAMPLES, 0).reshape(-1, 2, 4)


def self_debiasing(data: Twice) -> Reading:
    """How much nearer to 0 the bias score is the second time."""
    first, second = (parts(data.totals[:, side]) for side in (0, 1))
    test = of_change(first, second, over_templates(0.95, 0))
    scores = bias_scores(_drawn(data.totals))
    persons = data.totals[:, :, 2].sum(axis=1)
    interval = expanded(np.abs(scores[:, 0]) - np.abs(scores[:, 1]), persons, 0.95).interval
    interval = with_test(data.totals[:, 0, 0], nearer(first, second), interval, test, 0.95)
    return Reading.of(test.p_value, interval, abs(data.leans[0]) - abs(data.leans[1]))


def error_retention(data: Twice) -> Reading:
    """The second error rate over the first, against 1."""
    right, errors = data.totals[:, :, 1], data.totals[:, :, 0] - data.totals[:, :, 1]
    drawn = _drawn(data.totals)
    wrong = drawn[:, :, 0] - drawn[:, :, 1]
    weights = min(errors[:, 0], errors[:, 1], key=effective)
    difference = right[:, 0] - right[:, 1]
    test = templates_test(difference, difference != 0, happens="", confidence=0.95, seed=0)
    interval = expanded(share(wrong[:, 1], wrong[:, 0]), weights, 0.95).interval
    if len(errors) < FEW_TEMPLATES and interval.defined:
        counts = np.column_stack([data.totals[:, 0, 0], errors])
        interval = jackknifed(counts, effective(weights), 0.95)
    value = errors[:, 1].sum() / errors[:, 0].sum()
    interval = agreeing(interval, value, 1.0, test.p_value, 0.95)
    return Reading.of(test.p_value, interval, data.rates[1] / data.rates[0])
