"""What changed between two runs of stories: associations, their strength, harmful ones, and the price.

An association is measured on pairs of stories, the same prompt in both runs: the share of stories about its base value
that say the compared value, less that share of the stories about the other values of the attribute (its excess). A
story that leaves the attribute open does not say the value.
Associations are chosen from the stories of both runs together, which treats the runs alike: choosing those that one run
shows and testing them on the same stories would find changes where there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.stored import settings_of
from endoxa.instruments.stories.options import Discovery
from endoxa.runs.run import read_run
from endoxa.schema import ALL, Progress
from endoxa.sources.stereotales.associations import PARTS, association_id
from endoxa.stats.correction import adjust
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, jackknife_variance
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.two_way import two_way
from endoxa.stats.verdicts import RESOLUTION, decide, significance, too_few
from endoxa.study.compare.changes import Change
from endoxa.study.compare.story_lists import SWAPS, Lists, lists_of, pooled
from endoxa.study.compare.story_pairs import PairedStories, paired_stories

ASSOCIATION, STRENGTH, HARMFUL = "association", "strength", "harmful_stories"
REFUSED, LOST, CUT_OFF = "refused", "lost", "cut_off"
WORDS, TOKENS, DOLLARS = "words", "tokens", "usd_per_1000"
COUNTED = {WORDS: 0.05, TOKENS: 0.05, DOLLARS: 0.00005}
"""Measures that are no shares, and half of the last digit that is shown of them."""
CANDIDATES = 0.25
"""False-discovery rate at which associations of both runs together become single tests: what one run alone shows is
weak in both together, and a chance association among them costs no more than its place in the correction."""
PROMPTS, VALUES = "prompts", "base values"


@dataclass(frozen=True, slots=True)
class StoryComparison:
    """What changed between two runs of stories.

    Attributes:
        names: what the runs are called.
        changes: every change with its test; corrected within three groups: single associations, what sums them up, and
            the price.
        lists: associations gained, lost and kept, and how many would be by chance.
        prompts: prompts that both runs have.
        pairs: pairs of stories of these prompts.
        compared: pairs with a story in both runs.
        alone: stories of which the other run has none, by run.
        confidence: of intervals and tests.
    """

    names: tuple[str, str]
    changes: tuple[Change, ...]
    lists: Lists
    prompts: int
    pairs: int
    compared: int
    alone: tuple[int, int]
    confidence: float

    def of(self, *measures: str) -> list[Change]:
        """Changes of these measures, in their order."""
        return [change for change in self.changes if change.measure in measures]


def compare_stories(
    before: Path,
    after: Path,
    *,
    models: tuple[str | None, str | None] = (None, None),
    harmful: Collection[str] = (),
    confidence: float = 0.95,
    swaps: int = SWAPS,
    seed: int = 0,
    progress: Progress = lambda *_: None,
) -> StoryComparison:
    """What changed from one run of stories to another on the same prompts.

    Args:
        before: run folder of `endoxa probe extract`; associations are listed with the settings of its last
            `endoxa analyze associations`.
        after: another, read by the same extractors.
        models: the model that wrote the stories, where a run holds several.
        harmful: identifiers of associations that are rated harmful; empty where there are no ratings.
        confidence: of intervals and tests.
        swaps: how often the lists are made of stories that changed sides by chance; 0 leaves that out.
        seed: seed of what is drawn.
        progress: told how far it is.

    Raises:
        UserError: see `paired_stories`.
    """
    stories = paired_stories(before, after, models)
    settings = settings_of(before)
    prices = tuple(_price(folder, model) for folder, model in zip((before, after), models, strict=True))
    return changes_of(
        stories, settings, harmful, prices, confidence=confidence, swaps=swaps, seed=seed, progress=progress
    )


def compare_with_first(folders: Sequence[Path], **settings: object) -> tuple[StoryComparison, ...]:
    """Each further run against the first, see `compare_stories`."""
    return tuple(compare_stories(folders[0], folder, **settings) for folder in folders[1:])  # type: ignore[arg-type]


Prices = tuple[float, float]
"""Dollars for a token of the request and a token of the answer."""


def changes_of(
    stories: PairedStories,
    settings: Discovery,
    harmful: Collection[str] = (),
    prices: Sequence[Prices | None] = (None, None),
    *,
    confidence: float = 0.95,
    swaps: int = SWAPS,
    seed: int = 0,
    progress: Progress = lambda *_: None,
) -> StoryComparison:
    """The same of stories that are paired already."""
    associations = pooled(stories, settings)
    candidates = pooled(stories, replace(settings, alpha=max(settings.alpha, CANDIDATES)))
    single = [
        _association(stories, parts, confidence, seed) for parts in candidates.select(PARTS).iter_rows()
    ]
    summed = [
        *_strength(stories, associations, confidence, seed),
        *_harmful(stories, harmful, confidence, seed),
    ]
    price = list(_prices(stories, prices, confidence, seed))
    changes = [change for family in (summed, single, price) for change in decided(family, confidence)]
    return StoryComparison(
        names=stories.names,
        changes=tuple(changes),
        lists=lists_of(stories, settings, confidence=confidence, swaps=swaps, seed=seed, progress=progress),
        prompts=len(np.unique(stories.prompt)),
        pairs=len(stories),
        compared=int(stories.comparable.sum()),
        alone=stories.alone,
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class Tested:
    """A change before correction and verdict.

    Attributes:
        change: the change; its corrected p-value and verdict are still empty.
        untestable: why nothing can be decided, or empty.
    """

    change: Change
    untestable: str = ""


def decided(family: Sequence[Tested], confidence: float) -> list[Change]:
    """Changes with the correction over all of them (Benjamini-Hochberg) and their verdicts.

    What cannot be tested has no interval and counts for nothing in the correction.
    """
    p_values = [NAN if tested.untestable else tested.change.p_value for tested in family]
    changes = []
    for tested, p_adjusted in zip(family, adjust(p_values).tolist(), strict=True):
        change = tested.change
        verdict = decide(
            change.difference,
            0.0,
            change.p_value,
            p_adjusted,
            alpha=significance(confidence),
            untestable=tested.untestable,
            resolution=COUNTED.get(change.measure, RESOLUTION),
        ).verdict
        ends = (NAN, NAN) if verdict == "cannot-be-tested" else (change.low, change.high)
        changes.append(replace(change, p_adjusted=p_adjusted, verdict=verdict, low=ends[0], high=ends[1]))
    return changes


def _change(
    measure: str,
    values: tuple[float, float],
    p_value: float,
    interval: Interval,
    sizes: tuple[int, int, str],
    *,
    rule: str = "",
    axis: str = ALL,
    identity: str = ALL,
    kind: Literal["bias", "price"] = "bias",
) -> Change:
    difference = values[1] - values[0]
    items, units, unit = sizes
    return Change(
        measure, rule, axis, identity, *values, difference, interval.low, interval.high, p_value, NAN, "",
        items, units, unit, kind,
    )  # fmt: skip


def association_change(
    stated: tuple[np.ndarray, np.ndarray],
    named: np.ndarray,
    prompts: np.ndarray,
    confidence: float,
    seed: int = 0,
) -> tuple[tuple[float, float], float, Interval, int]:
    """Change of the excess of one association: how much more often stories about its base value say its value.

    Every prompt adds what its stories changed, by the number of stories of its kind. Where the runs do not differ, what
    a prompt adds is as likely positive as negative: the sign-flip test of prompts is exact. The interval adds the
    variances of the two shares (prompts left out in turn), with Welch's degrees of freedom.

    Args:
        stated: whether each story says the value, of the first run and, paired with it, of the second.
        named: the prompt names the base value; else it names another of the attribute.
        prompts: code of the prompt.
        confidence: of the interval.
        seed: of the sign flips.

    Returns:
        Excess before and after, the p-value, the interval, and the prompts in which anything changed.
    """
    change = stated[1].astype(float) - stated[0]
    groups = [named, ~named]
    if not all(group.any() for group in groups):
        return (NAN, NAN), NAN, UNDEFINED, 0
    values = [float(side[named].mean() - side[~named].mean()) for side in stated]
    weights = np.where(named, 1 / named.sum(), -1 / (~named).sum())
    _, prompt = np.unique(prompts, return_inverse=True)
    totals = np.bincount(prompt, change * weights)
    changed = int((np.bincount(prompt, change != 0) > 0).sum())
    p_value = sign_flip_test(totals, seed=seed)
    variances, freedoms = [], []
    for group in groups:
        _, place = np.unique(prompts[group], return_inverse=True)
        sizes = np.bincount(place).astype(float)
        sums = np.bincount(place, change[group])
        variances.append(jackknife_variance(sizes, sums) if len(sizes) > 1 else NAN)
        freedoms.append(max(len(sizes) - 1, 1))
    variance = sum(variances)
    interval = UNDEFINED
    if isfinite(variance) and variance > 0:
        from scipy.special import stdtrit

        freedom = variance**2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
        reach = float(stdtrit(freedom, 0.5 + confidence / 2)) * sqrt(variance)
        difference = values[1] - values[0]
        interval = agreeing(
            Interval(difference - reach, difference + reach), difference, 0.0, p_value, confidence
        )
    return (values[0], values[1]), p_value, interval, changed


def _association(stories: PairedStories, parts: Sequence[str], confidence: float, seed: int) -> Tested:
    base, value, compared, compared_value = parts
    here = stories.comparable & stories.named(base)
    says = stories.says(compared, compared_value)[here]
    named = (stories.frame["target_attribute_value"] == value).to_numpy()[here]
    prompts = stories.prompt[here]
    values, p_value, interval, changed = association_change(
        (says[:, 0], says[:, 1]), named, prompts, confidence, seed
    )
    change = _change(
        ASSOCIATION,
        values,
        p_value,
        interval,
        (int(named.sum()), len(np.unique(prompts[named])), PROMPTS),
        rule=f"{compared}: {compared_value}",
        axis=base,
        identity=value,
    )
    return Tested(change, too_few(changed, "prompts that changed", fewest_units(significance(confidence))))


@dataclass(frozen=True, slots=True)
class Items:
    """Stories by association, weighted so that means are excesses.

    A story counts once for each association of the attribute that its prompt names: for one whose base value it is
    about, and against one about another value. Within an association with n1 and n0 such stories the weight is
    n1 n0 / (n1 + n0), as for the accuracy gap of questions: their mean is the excess of each association, weighted so.

    Attributes:
        before: value of each story of the first run.
        after: of the second.
        prompt: code of the prompt.
        alike: the text is the same in both runs.
        reach: the largest difference between two runs that one story can make.
        left_out: the same of stories that one of the runs does not have.
    """

    before: np.ndarray
    after: np.ndarray
    prompt: np.ndarray
    alike: np.ndarray
    reach: float
    left_out: int


def items_of(stories: PairedStories, associations: pl.DataFrame, axis: str = ALL) -> Items | None:
    """The stories that say anything of some associations; None where there is none.

    Args:
        stories: the stories.
        associations: associations (`PARTS`).
        axis: only associations of this base attribute.
    """
    parts = []
    total, left_out = 0.0, 0
    chosen = associations if axis == ALL else associations.filter(base_attribute=axis)
    for base, value, compared, compared_value in chosen.select(PARTS).unique(maintain_order=True).iter_rows():
        here = np.flatnonzero(stories.comparable & stories.named(base))
        named = (stories.frame["target_attribute_value"] == value).to_numpy()[here]
        n1, n0 = int(named.sum()), int((~named).sum())
        if not n1 or not n0:
            continue
        weight = n1 * n0 / (n1 + n0)
        left_out += int((stories.named(base) & ~stories.comparable).sum())
        total += weight
        says = stories.says(compared, compared_value)[here]
        each = np.where(named, weight / n1, -weight / n0)
        parts.append(
            (
                each * says[:, 0],
                each * says[:, 1],
                stories.prompt[here],
                stories.alike[here],
                np.abs(each),
            )
        )
    if not parts:
        return None
    before, after, prompt, alike, each = (np.concatenate(column) for column in zip(*parts, strict=True))
    scale = len(before) / total
    return Items(
        before * scale,
        after * scale,
        prompt,
        alike,
        float(each.max()) * scale,
        left_out,
    )


def _strength(
    stories: PairedStories, associations: pl.DataFrame, confidence: float, seed: int
) -> Iterator[Tested]:
    """Mean excess of all associations, and of those of each attribute where there are several.

    Prompts are the sample, as in every test of an association; the associations are taken as they are.
    """
    axes = associations["base_attribute"].unique().sort().to_list()
    for axis in (ALL, *(axes if len(axes) > 1 else ())):
        items = items_of(stories, associations, axis)
        if items is not None:
            units, values = (items.prompt, items.prompt), (items.before, items.after)
            yield change_of_mean(STRENGTH, values, units, confidence, seed, axis=axis, unit=PROMPTS)


def change_of_mean(
    measure: str,
    values: tuple[np.ndarray, np.ndarray],
    units: tuple[np.ndarray, np.ndarray],
    confidence: float,
    seed: int,
    *,
    unit: str = VALUES,
    axis: str = ALL,
    kind: Literal["bias", "price"] = "bias",
) -> Tested:
    """Change of a mean over pairs, whose units of both kinds are samples where there are enough (`stats.two_way`).

    Args:
        measure: what is measured.
        values: of each pair, before and after.
        units: code of the unit of each pair, of both kinds; the same twice where there is one kind.
        confidence: of the interval.
        seed: of what the test draws.
        unit: what units of the first kind are.
        axis: what the pairs are about, or 'all'.
        kind: whether it is the price.
    """
    means = (float(values[0].mean()), float(values[1].mean()))
    estimate = two_way(values[1] - values[0], *units, neutral=0.0, confidence=confidence, seed=seed)
    sizes = (len(values[0]), estimate.first, unit)
    change = _change(measure, means, estimate.p_value, estimate.interval, sizes, axis=axis, kind=kind)
    return Tested(change, too_few(estimate.informative, unit, fewest_units(significance(confidence))))


def _harmful(
    stories: PairedStories, harmful: Collection[str], confidence: float, seed: int
) -> Iterator[Tested]:
    """Share of stories with an association that is rated harmful."""
    if not harmful:
        return
    with_harm = harmful_stories(stories, harmful)
    here = stories.comparable
    if here.any():
        columns = with_harm[here].astype(float)
        units = (stories.prompt[here], stories.prompt[here])
        yield change_of_mean(HARMFUL, (columns[:, 0], columns[:, 1]), units, confidence, seed, unit=PROMPTS)


def harmful_stories(stories: PairedStories, harmful: Collection[str]) -> np.ndarray:
    """Whether each story says a value that is harmful of the value its prompt names, pairs x runs."""
    named = stories.frame.select("target_attribute", "target_attribute_value").unique(maintain_order=True)
    result = np.zeros((len(stories), 2), dtype=bool)
    profiles = stories.profiles
    for base, value in named.iter_rows():
        here = (
            stories.frame.select(
                (pl.col("target_attribute") == base) & (pl.col("target_attribute_value") == value)
            )
            .to_series()
            .to_numpy()
        )
        for place, compared in enumerate(profiles.attributes):
            for compared_value in profiles.values[place]:
                if association_id(base, value, compared, compared_value) in harmful:
                    result[here] |= stories.says(compared, compared_value)[here]
    return result


def _prices(
    stories: PairedStories, prices: Sequence[Prices | None], confidence: float, seed: int
) -> Iterator[Tested]:
    """Refusals, lost and cut stories, length, tokens and money."""
    everywhere = np.ones(len(stories), dtype=bool)
    measures: list[tuple[str, np.ndarray, np.ndarray]] = [
        (REFUSED, stories.refused, everywhere),
        (LOST, stories.lost, everywhere),
        (CUT_OFF, stories.cut_off, everywhere),
        (WORDS, stories.words, np.isfinite(stories.words).all(axis=1)),
        (TOKENS, stories.tokens, np.isfinite(stories.tokens).all(axis=1)),
    ]
    if all(prices):
        dollars = 1000 * np.column_stack(
            [
                price[0] * stories.prompt_tokens[:, side] + price[1] * stories.tokens[:, side]
                for side, price in enumerate(prices)
                if price
            ]
        )
        measures.append((DOLLARS, dollars, np.asarray(np.isfinite(dollars).all(axis=1))))
    for measure, values, here in measures:
        if here.any():
            columns = values[here].astype(float)
            units = (stories.base[here], stories.scenario[here])
            yield change_of_mean(
                measure, (columns[:, 0], columns[:, 1]), units, confidence, seed, kind="price"
            )


def _price(folder: Path, model: str | None) -> Prices | None:
    """What a token cost, as the run that wrote the stories says; None where it is not there or says nothing."""
    source = Path(str((read_run(folder).get("data") or {}).get("path", "")))
    if not (source / "run.json").is_file():
        return None
    usage = read_run(source).get("usage") or {}
    entries = [entry for name, entry in usage.items() if model is None or name == model]
    price = entries[0].get("price") if len(entries) == 1 else None
    if not price:
        return None
    return float(price["input_per_million"]) / 1e6, float(price["output_per_million"]) / 1e6
