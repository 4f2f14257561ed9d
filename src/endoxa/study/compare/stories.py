"""What changed between two runs of stories: associations together and one by one, harmful ones, and the price.

How an association is measured, and which ones: `endoxa.study.gate.stories`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import isfinite, sqrt

import numpy as np

from endoxa.instruments.stories.associations.discover import settings_of
from endoxa.instruments.stories.options import Discovery
from endoxa.report.words import count, plural
from endoxa.schema import ALL
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, jackknife_variance
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED, significance
from endoxa.study.compare.changes import Change, change_of
from endoxa.study.compare.contrasts import Choices, Estimates, cells_of, left_out
from endoxa.study.compare.story_lists import SWAPS, about_lists, items_of_lists, lists_of
from endoxa.study.compare.story_pairs import PairedStories, paired_stories, together
from endoxa.study.gate.measures import ASSOCIATION, MOST_LEFT_OUT, Paired
from endoxa.study.gate.runs import Side
from endoxa.study.gate.stories import Prices, pooled, prices_of, story_items, strength_cell

CANDIDATES = 0.25
"""False-discovery rate at which associations of all runs together become single tests: what one run alone shows is
weak in all together, and a chance association among them costs no more than its place in the correction."""


def compare_stories(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of stories on the same prompts, from the profiles that were read from them."""
    first, other = sides
    stories = paired_stories(first.run.folder, other.run.folder, (first.model, other.model))
    several = len(choices.sides) > 2
    # The same associations in every contrast, so that their values can stand side by side.
    shared = together([(side.run.folder, side.model) for side in choices.sides]) if several else None
    settings, prices = settings_of(first.run.folder), prices_of(sides)
    return estimates_of(
        stories, settings, choices.harmful, prices, profiles=shared, confidence=choices.confidence
    )


def estimates_of(
    stories: PairedStories,
    settings: Discovery,
    harmful: Collection[str] = (),
    prices: Sequence[Prices | None] = (None, None),
    *,
    profiles: Profiles | None = None,
    confidence: float = 0.95,
    swaps: int = SWAPS,
    seed: int = 0,
) -> Estimates:
    """What changed from one run to the other, before correction.

    Args:
        stories: of both runs, paired.
        settings: of the discovery of associations.
        harmful: identifiers of associations that are rated harmful; empty where there are no ratings.
        prices: of both runs; None where they are not known.
        profiles: stories of all runs, where there are more than these two.
        confidence: of intervals and tests.
        swaps: how often the lists are made of stories that changed sides by chance; 0 leaves that out.
        seed: of what is drawn.
    """
    everything = profiles or stories.profiles_where(stories.comparable)
    associations = pooled(everything, settings)
    candidates = pooled(everything, replace(settings, alpha=max(settings.alpha, CANDIDATES)))
    axes = associations["base_attribute"].unique().sort().to_list()
    strengths = [
        strength_cell(stories, associations, axis) for axis in (ALL, *(axes if len(axes) > 1 else ()))
    ]
    cells = [
        *(cell for cell in strengths[:1] if cell.values),
        *cells_of(story_items(stories, harmful, prices)),
    ]
    single = (
        _association(stories, parts, confidence, seed) for parts in candidates.select(PARTS).iter_rows()
    )
    lists = lists_of(stories, settings, confidence=confidence, swaps=swaps, seed=seed)
    return Estimates(
        changes=tuple(change_of(cell, confidence) for cell in cells),
        parts=(
            *(change_of(cell, confidence) for cell in strengths[1:] if cell.values),
            *(change for change in single if isfinite(change.difference)),
        ),
        items=items_of_lists(lists),
        notes=tuple(_notes(stories, cells, associations.height)),
        identical=stories.identical,
        about_items=tuple(about_lists(lists)),
    )


def _notes(stories: PairedStories, cells: Sequence[Paired], associations: int) -> Iterator[str]:
    if not associations:
        yield "Not tested, strength: no association was found in the stories of the runs together."
    yield from left_out(cells)
    yield (
        f"{count(int(stories.comparable.sum()))} of {plural(len(stories), 'pair')} of stories, to "
        f"{plural(len(np.unique(stories.prompt)), 'prompt')}, were told in both runs and are compared"
        + (
            f", with the {plural(associations, 'association')} found in the stories of the runs together. Others may "
            "have changed in another way."
            if associations
            else "."
        )
    )
    if any(stories.alone):
        yield f"Left out, because only one run has them: {plural(sum(stories.alone), 'story', 'stories')}."


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


def _association(stories: PairedStories, parts: Sequence[str], confidence: float, seed: int) -> Change:
    """The change of one association; not tested with too few prompts that changed, or too many stories left out."""
    base, value, compared, compared_value = parts
    here = stories.comparable & stories.named(base)
    says = stories.says(compared, compared_value)[here]
    named = (stories.frame["target_attribute_value"] == value).to_numpy()[here]
    prompts = stories.prompt[here]
    values, p_value, interval, changed = association_change(
        (says[:, 0], says[:, 1]), named, prompts, confidence, seed
    )
    gaps = int((~stories.comparable).sum()) > MOST_LEFT_OUT * len(stories)
    if gaps or changed < fewest_units(significance(confidence)) or not isfinite(p_value):
        p_value, interval = NAN, UNDEFINED
    return Change(
        ASSOCIATION.name,
        f"{compared.replace('_', ' ')}: {compared_value}",
        base,
        value,
        *values,
        values[1] - values[0],
        interval.low,
        interval.high,
        p_value,
        NAN,
        NO_QUESTION if isfinite(p_value) else UNTESTED,
        int(named.sum()),
        len(np.unique(prompts[named])),
        "prompts",
        "bias",
    )
