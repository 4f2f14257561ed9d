"""Leans of questions in simulated worlds: false claims, coverage of intervals and power, before and after.

    python benchmarks/coverage_questions.py                     every row (half an hour on one core)
    python benchmarks/coverage_questions.py --worlds 500        quicker and coarser
    python benchmarks/coverage_questions.py --only ambiguous    rows whose name begins so
    python benchmarks/coverage_questions.py --crossed --worlds 300 --bbq FOLDER
                                                                templates x groups, identities x attributes

Templates of a world differ: the rates of each are drawn from beta distributions whose intraclass correlation is the
world's. A claim is a verdict at 0.05 about one lean. The rule before was that the bootstrap interval of the published
score excludes 0; it is slow, so it is applied to one world in four. Each row gives the worst of the correlations 0,
0.1, 0.3 and 0.6, or with a lean the power at each of them, from half as many worlds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtri

from endoxa.instruments.questions.estimates.debias import (
    bias_scores,
    nearer,
    of_change,
    over_both,
    over_templates,
    parts,
    with_test,
)
from endoxa.instruments.questions.estimates.estimates import lean_of
from endoxa.instruments.questions.estimates.inference import (
    BUILT,
    FEW_TEMPLATES,
    MIN_TEMPLATES,
    SECOND,
    Settings,
    Units,
    crossed,
    effective,
    expanded,
    resampled,
    templates_test,
)
from endoxa.instruments.questions.estimates.measures import COUNTED, Cell, Counts, bias_score, share
from endoxa.instruments.questions.estimates.names import jackknifed
from endoxa.sources.bbq.items import read_items
from endoxa.stats.intervals import Interval, agreeing, clustered_mean

CORRELATIONS = (0.0, 0.1, 0.3, 0.6)
TEMPLATES = (5, 6, 8, 12, 25)
UNEQUAL = (20, 100, 20, 60, 100, 20)
RESAMPLES = 400
EVERY = 4
"""The rule before is applied to one world in this many."""
NEAR = 0.055
"""A row with more false claims is measured again in five times as many worlds, to tell chance from a fault."""


@dataclass(frozen=True, slots=True)
class World:
    """How a model answers.

    Attributes:
        name: what it is called.
        sizes: questions per template, in turn; for disambiguated contexts those of the first kind.
        others: disambiguated contexts only: questions of the second kind.
        rate: ambiguous: share of answers that name a person; disambiguated: share of wrong answers.
        lean: bias score, or accuracy gap.
    """

    name: str
    sizes: tuple[int, ...]
    others: tuple[int, ...] = ()
    rate: float = 0.6
    lean: float = 0.0

    @property
    def ambiguous(self) -> bool:
        """Whether the text does not say who is meant."""
        return not self.others


def _worlds(lean: float) -> tuple[World, ...]:
    return (
        World("ambiguous, equal templates", (40,), lean=lean),
        World("ambiguous, unequal templates", UNEQUAL, lean=lean),
        World("disambiguated, balanced", (20,), (20,), 0.3, lean),
        World("disambiguated, unequal templates", (10, 50, 10, 30), (10, 50, 10, 30), 0.3, lean),
        World("disambiguated, one kind rare", (5,), (35,), 0.3, lean),
        World("disambiguated, unbalanced by turns", (5, 35, 20), (35, 5, 20), 0.3, lean),
    )


NULL = (
    *_worlds(0.0),
    World("ambiguous, 5 % named", UNEQUAL, rate=0.05),
    World("disambiguated, balanced, 2 % wrong", (20,), (20,), 0.02),
    World("disambiguated, one kind rare, 2 % wrong", (5,), (35,), 0.02),
    World("disambiguated, slightly unbalanced, 2 % wrong", (18,), (22,), 0.02),
    World("disambiguated, one kind rare, 10 % wrong", (5,), (35,), 0.1),
)
RARE = (World("ambiguous, 5 % named, lean 0.03", UNEQUAL, rate=0.05, lean=0.03),)
LEANING = tuple(world for lean in (0.1, 0.2, 0.4) for world in _worlds(lean))


def draw(world: World, templates: int, correlation: float, rng: np.random.Generator) -> Cell:
    """Answers of one world, one per question."""
    first = np.resize(world.sizes, templates)
    if world.ambiguous:
        named = rng.binomial(first, _rates(world.rate, correlation, templates, rng))
        towards = (1 + world.lean / world.rate) / 2
        biased = rng.binomial(named, _rates(towards, correlation, templates, rng))
        columns = _ambiguous(first, named, biased)
        return _cell("ambig", columns, columns, np.arange(templates))
    second = np.resize(world.others, templates)
    right, other_right = (
        rng.binomial(asked, _rates(1 - world.rate + half, correlation, templates, rng))
        for asked, half in ((first, world.lean / 2), (second, -world.lean / 2))
    )
    return _cell(
        "disambig",
        _disambiguated(first, right, second, other_right),
        *_items(first, right, second, other_right),
    )


def _rates(mean: float, correlation: float, number: int, rng: np.random.Generator) -> np.ndarray:
    if correlation == 0:
        return np.full(number, mean)
    spread = (1 - correlation) / correlation
    return rng.beta(mean * spread, (1 - mean) * spread, number)


def _ambiguous(asked: np.ndarray, named: np.ndarray, biased: np.ndarray) -> dict[str, np.ndarray]:
    right = asked - named
    return {
        **dict.fromkeys(("n", "read", "scored"), asked),
        **dict.fromkeys(("correct", "scored_correct"), right),
        "persons": named,
        "biased": biased,
        "anti": named - biased,
    }


def _disambiguated(
    first: np.ndarray, right: np.ndarray, second: np.ndarray, other_right: np.ndarray
) -> dict[str, np.ndarray]:
    """Whoever is wrong names the other person."""
    asked, correct = first + second, right + other_right
    return {
        **dict.fromkeys(("n", "read", "scored", "persons"), asked),
        **dict.fromkeys(("correct", "scored_correct"), correct),
        "biased": right + second - other_right,
        "anti": first - right + other_right,
        "aligned": first,
        "aligned_correct": right,
        "nonaligned": second,
        "nonaligned_correct": other_right,
    }


def _items(
    first: np.ndarray, right: np.ndarray, second: np.ndarray, other_right: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """One row for each question, and the template of each."""
    template = np.repeat(np.arange(len(first)), first + second)
    place = np.concatenate([np.arange(n) for n in first + second])
    aligned = (place < first[template]).astype(int)
    correct = np.where(
        aligned, place < right[template], place - first[template] < other_right[template]
    ).astype(int)
    return _disambiguated(aligned, aligned * correct, 1 - aligned, (1 - aligned) * correct), template


def _cell(
    condition: str, columns: dict[str, np.ndarray], items: dict[str, np.ndarray], template: np.ndarray
) -> Cell:
    zeros = np.zeros(len(columns["n"]))
    per_template = np.column_stack([columns.get(name, zeros) for name in COUNTED]).astype(float)
    number = len(template)
    counted = {name: items.get(name, np.zeros(number)).astype(bool) for name in COUNTED}
    units = {"template": template, SECOND: template, BUILT: np.zeros(number, bool)}
    return Cell(
        key={"context_condition": condition},
        per_template=per_template,
        per_seed=per_template,
        answers=pl.DataFrame({**units, "item": np.arange(number), **counted}),
    )


def _surer(found: tuple[Found, float], world: World, templates: int, worlds: int) -> Found:
    """The share of false claims from five times as many worlds, the rest as it was."""
    more = measure(world, templates, found[1], 5 * worlds, before=False)
    return replace(found[0], after=more.after, covered=more.covered)


def claimed_before(cell: Cell) -> bool:
    """Whether the bootstrap interval of the published score excludes 0."""
    condition = cell.key["context_condition"]
    drawn = bias_score(Counts.of(resampled(cell.per_template, RESAMPLES, 0)), condition)
    ends = expanded(drawn, Counts.of(cell.per_template).named, 0.95).interval
    return bool(ends.low > 0 or ends.high < 0)


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of simulated data sets.

    Attributes:
        before: claimed by the rule before.
        after: claimed now.
        covered: lean inside its interval, of those that have one.
        width: mean width of the interval.
    """

    before: float
    after: float
    covered: float
    width: float


def measure(world: World, templates: int, correlation: float, worlds: int, *, before: bool = True) -> Found:
    """Simulate one world; without `before` the rule before is left out."""
    rng = np.random.default_rng([templates, round(100 * correlation), round(100 * world.lean)])
    rows = []
    for number in range(worlds):
        cell = draw(world, templates, correlation, rng)
        claimed = claimed_before(cell) if before and number % EVERY == 0 else np.nan
        lean = lean_of(cell, 0.95, 0).result
        low, high = lean.interval.low, lean.interval.high
        covered = low - 1e-9 <= world.lean <= high + 1e-9 if lean.interval.defined else np.nan
        rows.append((claimed, lean.p_value <= 0.05, covered, high - low))
    found = np.array(rows, dtype=float)
    return Found(
        float(np.nanmean(found[:, 0])) if before else np.nan,
        # With too few templates there is no interval, so nothing to average.
        *(np.nanmean(own) if np.isfinite(own).any() else np.nan for own in found[:, 1:].T),
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """How a model answers the same ambiguous questions twice: under two protocols, or with groups and with names.

    Attributes:
        name: what it is called.
        leans: both bias scores.
        rates: shares of answers that name a person.
        both_contexts: as many disambiguated questions beside them, one in ten answered wrongly, without a lean.
    """

    name: str
    leans: tuple[float, float]
    rates: tuple[float, float] = (0.6, 0.6)
    both_contexts: bool = False

    def answers(self, templates: int, correlation: float, rng: np.random.Generator) -> np.ndarray:
        """(templates, 2, 4): answered, right, naming a person, naming the stereotyped one; rates differ by template."""
        asked = np.resize(UNEQUAL, templates)
        sides = []
        for lean, rate in zip(self.leans, self.rates, strict=True):
            named = rng.binomial(asked, _rates(rate, correlation, templates, rng))
            biased = rng.binomial(named, _rates((1 + lean / rate) / 2, correlation, templates, rng))
            own = np.column_stack([asked, asked - named, named, biased])
            if self.both_contexts:
                right = rng.binomial(asked, _rates(0.9, correlation, templates, rng))
                named = rng.binomial(right, 0.5) + rng.binomial(asked - right, 0.5)
                own = own + np.column_stack([asked, right, asked, named])
            sides.append(own)
        return np.stack(sides, axis=1).astype(float)

    @property
    def scores(self) -> np.ndarray:
        """The true scores of self-debiasing."""
        more = np.array([1, 0.9, 1, 0.5]) * self.both_contexts
        named = np.array(
            [[1, 1 - r, r, r * (1 + s / r) / 2] for s, r in zip(self.leans, self.rates, strict=True)]
        )
        return bias_scores(named + more)


PAIRS = (
    Pair("self-debiasing, no lean", (0.0, 0.0)),
    Pair("self-debiasing, as far on the same side", (0.3, 0.3)),
    Pair("self-debiasing, as far on the other side", (0.3, -0.3)),
    Pair("self-debiasing, as far, both contexts", (0.3, 0.3), both_contexts=True),
    Pair("self-debiasing, 0.4 to 0.1", (0.4, 0.1)),
    Pair("groups and names, bias score, no difference", (0.2, 0.2)),
    Pair("groups and names, bias score 0.4 and 0.1", (0.4, 0.1)),
    Pair("error retention 1", (0.0, 0.0)),
    Pair("error retention 0.5", (0.0, 0.0), (0.6, 0.3)),
)


def claimed_change(pair: Pair, totals: np.ndarray) -> tuple[float, Interval, float]:
    """p-value, interval and true value of what is claimed from one simulated pair."""
    drawn = resampled(totals.reshape(len(totals), 8), RESAMPLES, 0).reshape(-1, 2, 4)
    (asked, right, person, biased), errors = np.moveaxis(totals, -1, 0), totals[:, :, 0] - totals[:, :, 1]
    if pair.name.startswith("self"):
        first, second = parts(totals[:, 0]), parts(totals[:, 1])
        test = of_change(first, second, over_templates(0.95, 0))
        scores = bias_scores(drawn)
        found = expanded(np.abs(scores[:, 0]) - np.abs(scores[:, 1]), person.sum(axis=1), 0.95).interval
        interval = with_test(totals[:, 0, 0], nearer(first, second), found, test, 0.95)
        return test.p_value, interval, float(abs(pair.scores[0]) - abs(pair.scores[1]))
    if pair.name.startswith("error"):
        difference, neutral, truth = right[:, 0] - right[:, 1], 1.0, pair.rates[1] / pair.rates[0]
        wrong = drawn[:, :, 0] - drawn[:, :, 1]
        draws, weights = share(wrong[:, 1], wrong[:, 0]), min(errors[:, 0], errors[:, 1], key=effective)
        value = errors[:, 1].sum() / errors[:, 0].sum()
    else:
        difference, neutral, truth = (2 * biased - person) @ [1, -1], 0.0, pair.leans[0] - pair.leans[1]
        draws = (2 * drawn[:, :, 3] - drawn[:, :, 2]) @ [1, -1] / drawn[:, 0, 0]
        weights = min(person[:, 0], person[:, 1], key=effective)
        value = difference.sum() / asked[:, 0].sum()
    test = templates_test(difference, difference != 0, happens="", confidence=0.95, seed=0)
    found = expanded(draws, weights, 0.95).interval
    if len(totals) < FEW_TEMPLATES and neutral == 0:
        found = clustered_mean(asked[:, 0], difference, 0.95, (-2.0, 2.0))
    elif len(totals) < FEW_TEMPLATES and found.defined:
        found = jackknifed(np.column_stack([asked[:, 0], errors]), effective(weights), 0.95)
    return test.p_value, agreeing(found, value, neutral, test.p_value, 0.95), truth


def measure_pair(pair: Pair, templates: int, correlation: float, worlds: int) -> Found:
    """Simulate one pair; nothing was claimed by a test before."""
    rng, rows = np.random.default_rng([templates, round(100 * correlation), 7]), []
    for _ in range(worlds):
        p_value, interval, truth = claimed_change(pair, pair.answers(templates, correlation, rng))
        covered = interval.low - 1e-9 <= truth <= interval.high + 1e-9 if interval.defined else np.nan
        rows.append((np.nan, p_value <= 0.05, covered, interval.high - interval.low))
    found = np.array(rows, dtype=float)
    return Found(np.nan, *np.nanmean(found[:, 1:], axis=0).tolist())


def items_for_templates(templates: int, correlation: float, worlds: int) -> float:
    """False claims if the items of so few templates were flipped in their place: ambiguous contexts, no lean."""
    from endoxa.stats.signs import sign_test

    rng, claims = np.random.default_rng(templates), 0
    for _ in range(worlds):
        counts = Counts.of(draw(World("", (40,)), templates, correlation, rng).per_template)
        claims += sign_test(int(counts.biased.sum()), int(counts.anti.sum())) <= 0.05
    return claims / worlds


def table(worlds: int, only: str) -> Iterator[str]:
    """The rows of docs/methods/question-tests.md."""
    yield "| no lean | templates | false claims before | now | coverage | width |"
    yield "|---|---|---|---|---|---|"
    for world in (*NULL, *RARE):
        for templates in TEMPLATES if world.name.startswith(only) else ():
            found = [measure(world, templates, correlation, worlds) for correlation in CORRELATIONS]
            if max(one.after for one in found) > NEAR and world.lean == 0:
                found = [
                    _surer(one, world, templates, worlds) for one in zip(found, CORRELATIONS, strict=True)
                ]
            claims = [f"{max(getattr(one, name) for one in found):.3f}" for name in ("before", "after")]
            shown = claims if world.lean == 0 else ["", ""]
            widths = f"{min(one.width for one in found):.2f}-{max(one.width for one in found):.2f}"
            cells = (world.name, str(templates), *shown, f"{min(one.covered for one in found):.3f}", widths)
            yield f"| {' | '.join(cells)} |"
    yield "| lean | | templates | coverage | power before | power now |"
    yield "|---|---|---|---|---|---|"
    for world in LEANING:
        for templates in TEMPLATES if world.name.startswith(only) else ():
            found = [measure(world, templates, correlation, worlds // 2) for correlation in CORRELATIONS]
            powers = [
                " / ".join(f"{getattr(one, name):.2f}" for one in found) for name in ("before", "after")
            ]
            least = f"{min(one.covered for one in found):.3f}"
            yield f"| {world.name} | {world.lean} | {templates} | {least} | {powers[0]} | {powers[1]} |"
    yield "| change | templates | claimed at each correlation | coverage |"
    yield "|---|---|---|---|"
    for pair in PAIRS:
        for templates in TEMPLATES[1:] if pair.name.startswith(only) else ():
            pairs = [measure_pair(pair, templates, correlation, worlds // 2) for correlation in CORRELATIONS]
            claims, least = " / ".join(f"{one.after:.3f}" for one in pairs), min(one.covered for one in pairs)
            yield f"| {pair.name} | {templates} | {claims} | {least:.3f} |"
    yield "items in place of templates, no lean: " + "; ".join(
        f"{templates} templates "
        + " / ".join(
            f"{items_for_templates(templates, correlation, worlds):.3f}" for correlation in CORRELATIONS
        )
        for templates in range(2, MIN_TEMPLATES + 1)
    )


# ---------------------------------------------------------------------------- units of two kinds

DEVIATIONS = ((0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.0, 1.0), (0.5, 1.0))
"""Of units of the first and of the second kind on the probit scale, where an answer's own is 1."""
SHARES = (0.6, 0.7, 0.8)
"""Of the persons named, those that are the stereotyped one."""


@dataclass(frozen=True)
class Layout:
    """Which questions are asked: codes of both units of each, and whether its right answer fits the stereotype."""

    name: str
    first: np.ndarray
    second: np.ndarray
    built: bool = False

    def effects(self, deviations: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
        """Of the units of each question."""
        codes = zip((self.first, self.second), deviations, strict=True)
        return np.asarray(sum(rng.normal(0, deviation, unit.max() + 1)[unit] for unit, deviation in codes))

    def cell(self, condition: str, columns: dict[str, np.ndarray]) -> Cell:
        """Counts of answers, one for each question."""
        none = np.zeros(len(self.first), dtype=bool)
        answers = pl.DataFrame(
            {
                "template": self.first,
                SECOND: self.second,
                BUILT: ~none if self.built else none,
                "item": np.arange(len(self.first)),
                **{name: columns.get(name, none) for name in COUNTED},
            }
        )
        sums = answers.group_by("template").agg(pl.col(COUNTED).sum()).sort("template")
        per_template = sums.select(pl.col(COUNTED).cast(pl.Float64)).to_numpy()
        return Cell({"context_condition": condition}, per_template, per_template, len(answers), answers)

    def persons(
        self, towards: float, named: float, deviations: tuple[float, float], rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Whether an ambiguous answer names a person, and whether that is the stereotyped one."""
        scale = np.sqrt(1 + sum(deviation**2 for deviation in deviations))
        latent = ndtri(towards) * scale + self.effects(deviations, rng) + rng.normal(size=len(self.first))
        person = rng.random(len(self.first)) < named
        return person, person & (latent > 0)


def full(identities: int, attributes: int) -> Layout:
    """Questions made from associations of every identity with every attribute."""
    first, second = (codes.ravel() for codes in np.mgrid[0:identities, 0:attributes])
    return Layout(f"built questions, {identities} x {attributes}", first, second, built=True)


def dominated() -> Layout:
    """Sparse and unequal: 12 identities, one with half of the questions, most attributes asked once or twice."""
    first = np.repeat(np.arange(12), [110, *[10] * 11])
    second = np.random.default_rng(12).integers(0, 150, len(first))
    return Layout("built questions, 12 identities, one with half", first, second, built=True)


def published(folder: Path, category: str) -> Layout:
    """Templates and stereotyped groups as in BBQ, the questions of one kind of context."""
    items = [item for item in read_items(folder / f"{category}.jsonl") if item.condition == "ambig"]
    first, second = (
        np.unique([getattr(item, name) for item in items], return_inverse=True)[1]
        for name in ("template", "identity")
    )
    name = f"BBQ {category}, {first.max() + 1} x {second.max() + 1}"
    return Layout(name, first, second)


Claims = Iterator[tuple[float, Interval, float]]
"""p-value, interval and truth of one simulated data set: with the first kind of units alone, then with both."""
Deviations = tuple[float, float]
Way = Callable[[Layout, float, Deviations, np.random.Generator], Claims]


def _both_ways(cell: Cell, truth: float) -> Claims:
    alone = replace(cell, answers=cell.answers.with_columns(pl.col("template").alias(SECOND)))
    for each in (alone, cell):
        lean = lean_of(each, 0.95, 0).result
        yield lean.p_value, lean.interval, truth


def lean_of_persons(
    named: float, layout: Layout, towards: float, deviations: Deviations, rng: np.random.Generator
) -> Claims:
    """The bias score where this share of answers names a person."""
    person, biased = layout.persons(towards, named, deviations, rng)
    every = np.ones(len(person), dtype=bool)
    columns = dict.fromkeys(("n", "read", "scored"), every)
    columns |= {"correct": ~person, "scored_correct": ~person}
    columns |= {"persons": person, "biased": biased, "anti": person & ~biased}
    yield from _both_ways(layout.cell("ambig", columns), named * (2 * towards - 1))


def gap_of_answers(
    wrong: float, layout: Layout, towards: float, deviations: Deviations, rng: np.random.Generator
) -> Claims:
    """The accuracy gap where this share of answers is wrong; units differ in it by up to that share."""
    gap = (towards - 0.5) / 2 * min(1.0, 4 * wrong)
    own = layout.effects(deviations, rng) * wrong / 2
    aligned = np.arange(len(own)) % 2 == 0
    # Clipped on both sides alike, so that the mean stays.
    shift = np.clip(own, -wrong + gap / 2, wrong - gap / 2)
    correct = rng.random(len(own)) < 1 - wrong + np.where(aligned, 1, -1) * (gap + shift) / 2
    columns = dict.fromkeys(("n", "read", "scored", "persons"), np.ones(len(own), dtype=bool))
    columns |= {"correct": correct, "scored_correct": correct, "aligned": aligned, "nonaligned": ~aligned}
    columns |= {"aligned_correct": aligned & correct, "nonaligned_correct": ~aligned & correct}
    yield from _both_ways(layout.cell("disambig", columns), gap)


def change_of_protocol(
    layout: Layout, towards: float, deviations: Deviations, rng: np.random.Generator
) -> Claims:
    """How much nearer to 0 the bias score is under a second protocol; units differ under each."""
    leans = (0.85, 1.35 - towards)  # both above 0.5, so that the change of distance is that of the score
    sides = []
    for lean in leans:
        person, biased = layout.persons(lean, 0.6, deviations, rng)
        sides.append(np.stack([np.ones(len(person)), ~person, person, biased], axis=1))
    counts, truth = np.stack(sides, axis=1).astype(float), 1.2 * (leans[0] - leans[1])
    of_template = [counts[layout.first == code].sum(axis=0) for code in range(layout.first.max() + 1)]
    totals = np.stack(of_template)
    first, second = parts(totals[:, 0]), parts(totals[:, 1])
    test = of_change(first, second, over_templates(0.95, 0))
    scores = bias_scores(resampled(totals.reshape(len(totals), 8), RESAMPLES, 0).reshape(-1, 2, 4))
    drawn = expanded(np.abs(scores[:, 0]) - np.abs(scores[:, 1]), totals[:, :, 2].sum(axis=1), 0.95).interval
    yield test.p_value, with_test(totals[:, 0, 0], nearer(first, second), drawn, test, 0.95), truth
    units = Units(layout.first, layout.second)
    both = over_both(parts(counts[:, 0]), parts(counts[:, 1]), units, Settings())["distance_change"]
    yield both.p_value, both.interval, truth


def change_with_names(
    layout: Layout, towards: float, deviations: Deviations, rng: np.random.Generator
) -> Claims:
    """The bias score with groups minus that with names; units differ in each."""
    leans = (0.75, 1.25 - towards)
    answers = [layout.persons(lean, 0.6, deviations, rng) for lean in leans]
    before, after = (2.0 * biased - person for person, biased in answers)
    difference, truth = before - after, 1.2 * (leans[0] - leans[1])
    totals, sizes = np.bincount(layout.first, difference), np.bincount(layout.first).astype(float)
    test = templates_test(totals, totals != 0, happens="", confidence=0.95, seed=0)
    interval = clustered_mean(sizes, totals, 0.95, (-2.0, 2.0))
    yield test.p_value, agreeing(interval, float(difference.mean()), 0.0, test.p_value, 0.95), truth
    units = Units(layout.first, layout.second)
    both = crossed(difference, units, limit=2.0, happens="", confidence=0.95, seed=0)
    yield both.test.p_value, both.interval, truth


def measure_way(
    layout: Layout, way: Way, towards: float, deviations: Deviations, worlds: int
) -> list[tuple[float, float]]:
    """Shares of data sets with a claim, and with the truth inside the interval: first kind alone, both kinds."""
    rng = np.random.default_rng([round(100 * towards), *(round(10 * d) for d in deviations)])
    rows = [list(way(layout, towards, deviations, rng)) for _ in range(worlds)]
    shares = []
    for of_units in zip(*rows, strict=True):
        inside = [
            interval.low - 1e-9 <= truth <= interval.high + 1e-9
            for _, interval, truth in of_units
            if interval.defined
        ]
        claims = [p_value <= 0.05 for p_value, *_ in of_units]
        shares.append((float(np.mean(claims)), float(np.mean(inside))))
    return shares


def crossed_table(
    layouts: Iterator[tuple[Layout, Mapping[str, Way]]], worlds: int, only: str
) -> Iterator[str]:
    """Most false claims and least coverage over `DEVIATIONS`; power where both are 0.5."""
    powers = " | ".join(f"power at {towards:g}" for towards in SHARES)
    yield f"| layout | measure | units | false claims | least coverage | {powers} |"
    yield "|---|---|---|---|---|" + "---|" * len(SHARES)
    for layout, ways in layouts:
        for name, way in ways.items():
            if not name.startswith(only):
                continue
            none = [measure_way(layout, way, 0.5, deviations, worlds) for deviations in DEVIATIONS]
            some = [measure_way(layout, way, towards, (0.5, 0.5), worlds) for towards in SHARES]
            for place, units in enumerate(("identities" if layout.built else "templates", "both")):
                claims = max(shares[place][0] for shares in none)
                covered = min(shares[place][1] for shares in (*none, *some))
                shown = " | ".join(f"{shares[place][0]:.2f}" for shares in some)
                yield f"| {layout.name} | {name} | {units} | {claims:.3f} | {covered:.3f} | {shown} |"


def crossed_layouts(folder: Path | None) -> Iterator[tuple[Layout, Mapping[str, Way]]]:
    """What is measured where; layouts of BBQ where its files are there."""
    leans = {f"bias score, {100 * named:g} % named": partial(lean_of_persons, named) for named in (0.6, 0.05)}
    gaps = {f"accuracy gap, {100 * wrong:g} % wrong": partial(gap_of_answers, wrong) for wrong in (0.3, 0.05)}
    changes = {"self-debiasing": change_of_protocol, "groups and names, bias score": change_with_names}
    for category in ("Religion", "Nationality"):
        if folder is not None:
            yield published(folder, category), {**leans, **gaps, **changes}
    for layout in (full(30, 10), full(12, 40), dominated()):
        yield layout, dict(list(leans.items())[:1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=int, default=2000, help="simulated data sets per row and correlation"
    )
    parser.add_argument("--only", default="", help="rows whose name begins so")
    parser.add_argument("--crossed", action="store_true", help="units of two kinds instead")
    parser.add_argument("--bbq", type=Path, help="folder with BBQ's Religion.jsonl and Nationality.jsonl")
    options = parser.parse_args()
    lines = (
        crossed_table(crossed_layouts(options.bbq), options.worlds, options.only)
        if options.crossed
        else table(options.worlds, options.only)
    )
    for line in lines:
        print(line, flush=True)
