"""What would be found if nothing was there: the prompts' values are permuted and everything is done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.fisher import stream
from endoxa.instruments.stories.associations.prompts import has_repeats
from endoxa.instruments.stories.associations.run import discover
from endoxa.instruments.stories.options import Discovery
from endoxa.sources.stereotales import Profiles
from endoxa.stats.verdicts import ABOVE


@dataclass(frozen=True, slots=True)
class NullCheck:
    """False discoveries under permutation.

    Attributes:
        permutations: how often values were permuted.
        families: families of tables, over all permutations.
        false_families: those in which a table was kept; without any effect their share is the false-discovery rate of
            step 1, which is to stay below alpha.
        tables: tables tested.
        false_tables: tables kept.
        associations: cells claimed after both steps.
    """

    permutations: int
    families: int
    false_families: int
    tables: int
    false_tables: int
    associations: int

    @property
    def share(self) -> float:
        """Share of families with a false discovery."""
        return self.false_families / self.families if self.families else float("nan")


def null_check(
    profiles: Profiles, settings: Discovery, permutations: int, progress: Callable[[str, float, int], None]
) -> NullCheck:
    """Discover associations in stories whose base values were permuted within model, language and base attribute.

    A prompt is permuted with all its stories.
    """
    totals = np.zeros(5, dtype=np.int64)
    for number in range(permutations):
        progress("permuting", number, permutations)
        found = discover(_permuted(profiles, settings.seed, number), settings)
        tested = found.tables.filter(status="tested")
        families = tested.group_by("model", "aggregation", "base_attribute").agg(pl.col("significant").max())
        totals += (
            len(families),
            int(families["significant"].sum()),
            len(tested),
            int(tested["significant"].sum()),
            int((found.associations["verdict"] == ABOVE).sum()),
        )
    return NullCheck(permutations, *map(int, totals))


def _permuted(profiles: Profiles, seed: int, number: int) -> Profiles:
    """The stories with the prompts' values permuted; all stories of a prompt keep together."""
    generator = stream(seed, "null", number)
    prompt, first, spoken = _prompts(profiles)
    values = profiles.base_value[first].copy()
    groups = np.stack([profiles.model[first], spoken, profiles.base[first]])
    _, group = np.unique(groups, axis=1, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        values[places] = values[generator.permutation(places)]
    return replace(profiles, base_value=values[prompt])


def _prompts(profiles: Profiles) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The prompt of each story; for each prompt its first story, and the language (or set of languages) of it."""
    keys = (profiles.sample, profiles.base_value, profiles.base, profiles.model)
    if not has_repeats(*keys):
        every = np.arange(len(profiles))
        return every, every, profiles.language
    _, first, prompt = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
    told = np.zeros((len(first), len(profiles.languages)), dtype=bool)
    told[prompt.ravel(), profiles.language] = True
    return prompt.ravel(), first, np.unique(told, axis=0, return_inverse=True)[1].ravel()
