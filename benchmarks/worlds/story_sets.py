"""Made-up sets of stories in which stories of one prompt depend on each other: to measure what tests of them do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.permutations import PROMPT
from endoxa.sources.stereotales.profiles import Profiles


@dataclass(frozen=True, slots=True)
class StorySets:
    """How sets of stories are made; each set is a model, so that one analysis tests them all.

    Attributes:
        sets: number of independent sets.
        tables: attributes that are read off the stories, hence tables of a family.
        rows: base values.
        columns: values of each attribute, their shares falling like 1, 1/2, 1/3, ...
        scenarios: prompts of each base value (and language).
        repeats: stories of each prompt.
        dependence: correlation of two stories of a prompt: each takes the value of the prompt with the probability
            sqrt(dependence), else one of its own.
        unknown: share of values that cannot be read.
        unequal: whether some base values are read less often than others, so that their prompts are smaller.
        lift: how much more often the first base value has the second value of the first attribute; 1 is no effect.
        languages: number of languages.
        confounded: whether languages ask for base values unequally often, and have shares of their own (Simpson).
        seed: seed of everything drawn.
    """

    sets: int = 100
    tables: int = 1
    rows: int = 4
    columns: int = 4
    scenarios: int = 36
    repeats: int = 1
    dependence: float = 0.0
    unknown: float = 0.0
    unequal: bool = False
    lift: float = 1.0
    languages: int = 1
    confounded: bool = False
    seed: int = 0

    def profiles(self, *, prompt_per_story: bool = False) -> Profiles:
        """The stories.

        Args:
            prompt_per_story: call every story a prompt of its own, as tests of single stories take them.
        """
        rng = np.random.default_rng(self.seed)
        model, language, row, prompt = self._prompts()
        drawn = [self._values(rng, table, row, language) for table in range(self.tables)]
        stories = np.repeat(np.arange(len(model)), self.repeats)
        unknown = self.columns
        codes = [np.where(self._unread(rng, row[stories]), unknown, values.ravel()) for values in drawn]
        zeros = np.zeros(len(stories), dtype=np.int32)
        words = tuple(f"{k}" for k in range(self.columns))
        sample = np.arange(len(stories)) if prompt_per_story else prompt[stories]
        return Profiles(
            models=tuple(f"set {k:04d}" for k in range(self.sets)),
            languages=tuple(f"l{k}" for k in range(self.languages)),
            samples=tuple(map(str, range(int(sample.max()) + 1))),
            attributes=("base", *(f"told {k:02d}" for k in range(self.tables))),
            values=(tuple(f"b{k}" for k in range(self.rows)), *(((*words, "unknown"),) * self.tables)),
            model=model[stories].astype(np.int32),
            language=language[stories].astype(np.int32),
            sample=sample.astype(np.int32),
            base=zeros,
            base_value=row[stories].astype(np.int32),
            codes=np.column_stack([zeros - 1, *codes]).astype(np.int32),
            rows=len(stories),
            unusable=0,
            duplicates=0,
            not_text=0,
        )

    def _prompts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Set, language, base value and name of each prompt."""
        rows = []
        for language in range(self.languages):
            for row in range(self.rows):
                # Asked for most often where language and base value have the same number.
                here = 3 if self.confounded and row % self.languages == language else 1
                rows += [(language, row)] * (self.scenarios * here)
        language, row = np.array(rows).T
        prompts = np.arange(len(rows))
        return (
            np.repeat(np.arange(self.sets), len(rows)),
            np.tile(language, self.sets),
            np.tile(row, self.sets),
            np.tile(prompts, self.sets),
        )

    def _values(
        self, rng: np.random.Generator, table: int, row: np.ndarray, language: np.ndarray
    ) -> np.ndarray:
        """Value of each story, prompts x repeats."""
        shares = 1 / np.arange(1, self.columns + 1)
        chances = np.tile(shares / shares.sum(), (len(row), 1))
        if self.confounded:
            # The first values are frequent in the first language, the last ones in the last.
            chances = np.where((language == 0)[:, None], chances, chances[:, ::-1])
        if table == 0 and self.lift != 1:
            effect = row == 0
            raised = chances[effect, 1] * self.lift
            rest = (1 - raised) / (1 - chances[effect, 1])
            chances[effect] *= rest[:, None]
            chances[effect, 1] = raised
        limits = chances.cumsum(axis=1)[:, None, :]
        drawn = rng.random((len(row), self.repeats + 1, 1))
        values = (drawn > limits[..., :-1]).sum(axis=2)
        shared = rng.random((len(row), self.repeats)) < np.sqrt(self.dependence)
        codes: np.ndarray = np.where(shared, values[:, :1], values[:, 1:])
        return codes

    def _unread(self, rng: np.random.Generator, row: np.ndarray) -> np.ndarray:
        share = np.full(len(row), self.unknown)
        if self.unequal:
            share = share * (0.25 + 1.5 * row / max(1, self.rows - 1))
        unread: np.ndarray = rng.random(len(row)) < share
        return unread


@dataclass(frozen=True, slots=True)
class Studies:
    """How stories of models, languages and themes are made, for differences of protagonists.

    Attributes:
        repeats: stories of a prompt by each model.
        languages: number of languages.
        themes: number of themes.
        traits: traits that prompts name.
        scenarios: prompts of each language, theme and trait.
        shared: correlation of two models' stories of one prompt.
        within: correlation of two stories of one model and prompt.
        attributes: attributes read off the stories.
        raised: share of the first model's stories whose first attribute is set to its first value.
    """

    repeats: Sequence[int] = (1, 1)
    languages: int = 1
    themes: int = 1
    traits: int = 4
    scenarios: int = 12
    shared: float = 0.0
    within: float = 0.0
    attributes: int = 3
    raised: float = 0.0

    def stories(self, rng: np.random.Generator) -> pl.DataFrame:
        """The stories of one study."""
        shape = (self.languages, self.themes, self.traits, self.scenarios)
        language, theme, trait, _ = (part.ravel() for part in np.indices(shape))
        prompts = len(language)
        same, parts = self._values(rng, prompts), []
        for model, number in enumerate(self.repeats):
            habit = self._values(rng, prompts)
            for _ in range(number):
                values = np.where(self._chance(rng, prompts, self.within), habit, self._values(rng, prompts))
                values = np.where(self._chance(rng, prompts, self.shared), same, values)
                if model == 0:
                    values[rng.random(prompts) < self.raised, 0] = 0
                keys = {"language": language, "theme": theme, "base_value": trait, PROMPT: np.arange(prompts)}
                columns = {f"attribute {k}": values[:, k] for k in range(self.attributes)}
                parts.append(pl.DataFrame({"model": np.full(prompts, model), **keys, **columns}))
        return pl.concat(parts).select(pl.all().cast(pl.String), base_attribute=pl.lit("trait"))

    def _values(self, rng: np.random.Generator, prompts: int) -> np.ndarray:
        return rng.choice(4, p=(0.4, 0.3, 0.2, 0.1), size=(prompts, self.attributes))

    def _chance(self, rng: np.random.Generator, prompts: int, correlation: float) -> np.ndarray:
        drawn: np.ndarray = rng.random((prompts, self.attributes)) < np.sqrt(correlation)
        return drawn
