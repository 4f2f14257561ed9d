"""In which attributes protagonists of models (languages, themes) differ more than by chance: a permutation test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.tables import least_p
from endoxa.runs.estimates import decided
from endoxa.schema.stories import PROTAGONIST_DIFFERENCE_COLUMNS
from endoxa.sources.stereotales.profiles import MISSING, UNKNOWN, Profiles
from endoxa.stats.verdicts import significance

PERMUTATIONS = 299
SIDES = ("model", "language", "theme")
TRAIT = ("base_attribute", "base_value")
"""Columns of the trait that the prompt named: prompts exchange their labels only within it."""
PROMPT = "prompt"
KEYS = (*SIDES, *TRAIT, PROMPT)
_APART = {"model": ("model", "language"), "language": ("language",), "theme": ()}
"""Stories of one prompt that differ in these are of different prompts."""
LIKE = 1.5
"""Numbers of stories that differ by less than this factor are alike."""
SHARED = {
    "model": "no two models share a language, theme and trait",
    "language": "no two languages share a theme and trait of the same models",
    "theme": "no two themes share a trait of the same models and languages",
}
UNLIKE = "the number of stories per prompt differs too much between {by}s"
"""Why nothing can be permuted."""
TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(PROTAGONIST_DIFFERENCE_COLUMNS, pl.String),
    **dict.fromkeys(("distance", "by_chance", "p_value", "p_adjusted", "confidence"), pl.Float64),
    **dict.fromkeys(("n", "groups", "prompts", "strata"), pl.Int64),
}


@dataclass(frozen=True, slots=True)
class _Attribute:
    """One attribute of the stories whose prompt did not name it.

    Attributes:
        prompts: place of the prompt of each of its stories.
        value: code of the value of each.
        values: how many values there are.
    """

    prompts: np.ndarray
    value: np.ndarray
    values: int

    @classmethod
    def of(cls, column: pl.Series, prompts: _Prompts) -> _Attribute:
        """The attribute with its stories; some story must tell it."""
        value = column.drop_nulls().cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
        return cls(prompts.of_story[column.is_not_null().to_numpy()], value, int(value.max()) + 1)

    def distance(self, group: np.ndarray, groups: int) -> float:
        """Largest total variation distance of two groups; groups without stories are left out."""
        cells = np.bincount(group[self.prompts] * self.values + self.value, minlength=groups * self.values)
        counts = cells.reshape(groups, self.values)
        filled = counts[counts.any(axis=1)]
        share = filled / filled.sum(axis=1, keepdims=True)
        return float(max(np.abs(share - row).sum(axis=1).max() / 2 for row in share))


@dataclass(frozen=True, slots=True)
class _Prompts:
    """Prompts; all stories of one keep together.

    Models that are compared have each their own; models that are not keep together as well, as the same prompt can
    suggest the same to all of them.

    Attributes:
        of_story: place of each story's prompt.
        group: label of each prompt.
        shared: prompts with the same number here agree in everything but the label.
        block: those that also have about as many stories: they exchange their labels.
    """

    of_story: np.ndarray
    group: np.ndarray
    shared: np.ndarray
    block: np.ndarray

    @classmethod
    def of(cls, stories: pl.DataFrame, by: str) -> _Prompts:
        same = [name for name in ("theme", *TRAIT, *_APART[by]) if name != by]
        writers = [name for name in SIDES if name not in (*same, by)]
        writer = pl.struct(writers).rank("dense").cast(pl.String) if writers else pl.lit("")
        keys = [*same, by, PROMPT]
        keyed = stories.select(*keys, writer.alias("writers"))
        # Numbered as they come, so that prompts with one story each are in the order of the stories.
        prompts = keyed.group_by(keys, maintain_order=True).agg(
            pl.col("writers").unique().sort().str.join(","), size=pl.len()
        )
        places = keyed.join(
            prompts.select(keys).with_row_index("place"), on=keys, how="left", maintain_order="left"
        )
        like = (pl.col("size").max() / pl.col("size")).log(LIKE).round(9).floor().alias("like")
        shared, block = (
            prompts.select(pl.struct(*same, "writers", *more).rank("dense")).to_series().to_numpy()
            for more in ((), (like,))
        )
        return cls(
            places["place"].to_numpy().astype(np.int64),
            prompts[by].rank("dense").to_numpy().astype(np.int64) - 1,
            shared,
            block,
        )

    def permuted(self, rng: np.random.Generator, permutations: int) -> Iterator[np.ndarray]:
        """The labels, shuffled within each block."""
        order = np.argsort(self.block, kind="stable")
        for _ in range(permutations):
            drawn = np.lexsort((rng.random(len(self.group)), self.block))
            labels = np.empty_like(self.group)
            labels[order] = self.group[drawn]
            yield labels


def protagonists_by_story(profiles: Profiles, themes: Mapping[str, str]) -> pl.DataFrame:
    """A row for each story: the columns `KEYS`, and its attributes, null where the prompt named it.

    An attribute that the extractor did not give is unknown.

    Args:
        profiles: the stories.
        themes: theme of every prompt, by its name.
    """
    theme = pl.Series([themes.get(sample, "") for sample in profiles.samples], dtype=pl.String)
    traits = [
        profiles.values[base][value] for base, value in zip(profiles.base, profiles.base_value, strict=True)
    ]
    columns = {
        "model": pl.Series(profiles.models, dtype=pl.String)[profiles.model],
        "language": pl.Series(profiles.languages, dtype=pl.String)[profiles.language],
        "theme": theme[profiles.sample],
        "base_attribute": pl.Series(profiles.attributes, dtype=pl.String)[profiles.base],
        "base_value": pl.Series(traits, dtype=pl.String),
        PROMPT: pl.Series(profiles.samples, dtype=pl.String)[profiles.sample],
    }
    for place, (attribute, values) in enumerate(zip(profiles.attributes, profiles.values, strict=True)):
        codes = profiles.codes[:, place].astype(np.int64)
        if (codes == MISSING).all():
            continue
        names = pl.Series([*values, UNKNOWN], dtype=pl.String).cast(pl.Categorical)
        column = names[np.where(codes == MISSING, len(values), codes)]
        columns[attribute] = column.zip_with(pl.Series(profiles.base != place), column.clear(len(column)))
    return pl.DataFrame(columns)


def every_difference(stories: pl.DataFrame, *, confidence: float, seed: int) -> pl.DataFrame:
    """`differences` between models, between languages and between themes, where there are two."""
    frames = (differences(stories, by, confidence=confidence, seed=seed) for by in SIDES)
    return pl.concat([pl.DataFrame(schema=TYPES), *frames])


def differences(
    stories: pl.DataFrame, by: str, *, confidence: float = 0.95, seed: int, permutations: int | None = None
) -> pl.DataFrame:
    """For each attribute, how far the most different two groups are apart, and whether chance explains it.

    Labels of `by` are permuted among prompts that agree in the other two of `SIDES` and in the trait that the prompt
    named, and have about as many stories; all stories of one prompt keep together, those of several models as well
    unless models are compared. The distance of each attribute is standardized by its
    mean and deviation over the permutations and the data; adjusted p-values compare it with the largest of all
    attributes in each permutation (single-step maxT; Westfall and Young 1993), so that they hold for all together.

    Args:
        stories: what `protagonists_by_story` gives, of one source or several.
        by: one of `SIDES`.
        confidence: 1 - level of the test.
        seed: seed of the permutations.
        permutations: how many; by default 299, or more where the level needs them.

    Returns:
        Columns of `PROTAGONIST_DIFFERENCE_COLUMNS`, the largest distance first; empty with fewer than two groups.
    """
    groups, prompts = stories[by].n_unique(), _Prompts.of(stories, by)
    attributes = {
        name: _Attribute.of(stories[name], prompts)
        for name in stories.columns
        if name not in KEYS and stories[name].null_count() < stories.height
    }
    if groups < 2 or not attributes:
        return pl.DataFrame(schema=TYPES)
    alpha = significance(confidence)
    number = permutations or max(PERMUTATIONS, ceil(3 / alpha) - 1)
    labels = (prompts.group, *prompts.permuted(np.random.default_rng(seed), number))
    distances = np.array(
        [[attribute.distance(group, groups) for attribute in attributes.values()] for group in labels]
    )
    reasons = [_untestable(attribute, prompts, groups, by, alpha) for attribute in attributes.values()]
    table = pl.DataFrame(
        {
            "by": by,
            "attribute": list(attributes),
            "distance": distances[0],
            "by_chance": distances[1:].mean(axis=0),
            "n": [len(attribute.prompts) for attribute in attributes.values()],
            "groups": groups,
            "prompts": [len(np.unique(attribute.prompts)) for attribute in attributes.values()],
            "strata": [strata for strata, _ in reasons],
            **_tests(distances, np.array([not reason for _, reason in reasons])),
            "confidence": confidence,
            "interval": "permutation",
            "verdict": "",
            "reason": [reason for _, reason in reasons],
        },
        schema=TYPES,
    ).with_columns(neutral="by_chance")
    verdicts = decided(table, value="distance", confidence=confidence).select(list(TYPES)).fill_nan(None)
    return verdicts.sort("distance", descending=True, maintain_order=True)


def _tests(distances: np.ndarray, testable: np.ndarray) -> dict[str, np.ndarray]:
    """P-values of each attribute alone, and against the largest of those that can be tested."""
    deviation = distances.std(axis=0)
    standard = (distances - distances.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    largest = standard[:, testable].max(axis=1, initial=-np.inf)
    # Rounding must not decide between the data and a permutation that equals it.
    observed = standard[0] - 1e-9
    return {
        "p_value": np.where(testable, (standard >= observed).mean(axis=0), np.nan),
        "p_adjusted": np.where(testable, (largest[:, None] >= observed).mean(axis=0), np.nan),
    }


def _untestable(
    attribute: _Attribute, prompts: _Prompts, groups: int, by: str, alpha: float
) -> tuple[int, str]:
    """Blocks whose prompts can exchange their labels, and why they are too few, or nothing."""
    here = np.unique(attribute.prompts)
    blocks, shared = (
        _labels(codes[here], prompts.group[here], groups) for codes in (prompts.block, prompts.shared)
    )
    strata, alike = (int(((table > 0).sum(axis=1) > 1).sum()) for table in (blocks, shared))
    if not strata:
        return 0, UNLIKE.format(by=by) if alike else SHARED[by]
    few = least_p(blocks.T) > alpha
    return strata, f"{len(here)} prompts are too few for a p-value of {alpha:g}" if few else ""


def _labels(block: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """Prompts of each label, blocks x labels."""
    _, place = np.unique(block, return_inverse=True)
    counts = np.bincount(place * groups + group, minlength=(int(place.max()) + 1) * groups)
    table: np.ndarray = counts.reshape(-1, groups)
    return table
