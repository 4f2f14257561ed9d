"""Where associations come from, with which settings, and how often stories give each value of each attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.lift import at_confidence
from endoxa.instruments.stories.associations.protagonists import every_difference, told_by_story
from endoxa.instruments.stories.associations.stored import read_companion
from endoxa.instruments.stories.associations.verdicts import no_tally, tally
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.found import POOLED, read_found, without
from endoxa.instruments.stories.report.records import themes
from endoxa.sources.stereotales import UNKNOWN, Profiles, read_profiles
from endoxa.sources.stereotales.profiles import MISSING

if TYPE_CHECKING:
    from endoxa.instruments.stories.associations import Discovered


CUBE = {
    "model": pl.String,
    "language": pl.String,
    "theme": pl.String,
    "attribute": pl.String,
    "value": pl.String,
    "n": pl.Int64,
}
"""Columns of the counts."""


RUN, FILE, TABLE = "run", "file", "table"


def cube(profiles: Profiles, themes: Mapping[str, str]) -> pl.DataFrame:
    """Stories by model, language, theme, attribute and value; zeros are left out.

    A story counts for every attribute but the one that its prompt named. An attribute that the extractor did not
    give counts as unknown.

    Args:
        profiles: the stories.
        themes: theme of every prompt, by its name.

    Returns:
        Columns of `CUBE`.
    """
    names = list(dict.fromkeys(themes.get(sample, "") for sample in profiles.samples))
    of_sample = np.array([names.index(themes.get(sample, "")) for sample in profiles.samples], dtype=np.int64)
    theme = of_sample[profiles.sample]
    languages, models = len(profiles.languages), len(profiles.models)
    group = (theme * languages + profiles.language) * models + profiles.model
    frames = [pl.DataFrame(schema=CUBE)]
    for place, (attribute, values) in enumerate(zip(profiles.attributes, profiles.values, strict=True)):
        codes = profiles.codes[:, place].astype(np.int64)
        if (codes == MISSING).all():
            continue
        told = np.array([*values, UNKNOWN])
        codes = np.where(codes == MISSING, len(values), codes)
        free = profiles.base != place
        cells, n = np.unique(group[free] * len(told) + codes[free], return_counts=True)
        groups, value = np.divmod(cells, len(told))
        frames.append(
            pl.DataFrame(
                {
                    "model": np.array(profiles.models)[groups % models],
                    "language": np.array(profiles.languages)[groups // models % languages],
                    "theme": np.array(names)[groups // models // languages],
                    "attribute": [attribute] * len(n),
                    "value": told[value],
                    "n": n.astype(np.int64),
                },
                schema=CUBE,
            )
        )
    return merged(pl.concat(frames))


def merged(counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of the same cell added up."""
    return counts.group_by(*list(CUBE)[:-1], maintain_order=True).agg(pl.col("n").sum())


def shares(counts: pl.DataFrame, by: str) -> pl.DataFrame:
    """Share of each value among the stories of a model (`by`), language or theme.

    Returns:
        `by`, `attribute`, `value`, `n`, `total` (stories behind the share), `share`.
    """
    keys = [by, "attribute", "value"]
    counted = counts.group_by(keys, maintain_order=True).agg(pl.col("n").sum())
    total = pl.col("n").sum().over(by, "attribute")
    return counted.with_columns(total=total, share=pl.col("n") / total)


@dataclass(frozen=True, slots=True)
class Source:
    """One source of associations.

    Attributes:
        name: its folder or file.
        kind: `RUN` (a run folder: what was discovered with its settings), `FILE` (stories that are analysed for the
            page) or `TABLE` (associations as they were given).
        settings: how associations were discovered; None where a table does not say.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`endoxa.instruments.stories.associations.verdicts.TALLY`); empty where a table does
            not say.
        found: the associations, `schema.stories.DISCOVERED_COLUMNS`.
    """

    name: str
    kind: str
    settings: Discovery | None
    duplicates: int
    tested: pl.DataFrame
    found: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Stories:
    """What a source of stories shows beside its associations.

    Attributes:
        profiles: its stories.
        usable: stories with a profile, by model and language.
        unknown: `endoxa.instruments.stories.associations.verdicts`.
        counts: see `endoxa.instruments.stories.report.sources.cube`.
        told: see `endoxa.instruments.stories.associations.protagonists.told_by_story`.
        folder: the run folder or file.
        settings: how it is analysed.
    """

    profiles: Profiles
    usable: pl.DataFrame
    unknown: pl.DataFrame
    counts: pl.DataFrame
    told: pl.DataFrame
    folder: Path
    settings: Discovery


def read_stories(folder: Path, confidence: float, seed: int) -> tuple[Source, Stories]:
    """Stories and their associations: those that a run folder holds, else discovered now (a folder then keeps them).

    Args:
        folder: run folder of `endoxa probe extract`, or a table in StereoTales' columns.
        confidence: confidence level of the page.
        seed: seed of what is drawn for the page; a run folder keeps its own.
    """
    from endoxa.instruments.stories.associations import overview
    from endoxa.instruments.stories.associations.stored import settings_of

    profiles, theme = read_profiles(folder), themes([folder])
    settings = settings_of(folder) if folder.is_dir() else Discovery(confidence=confidence, seed=seed)
    discovered = _discovered(folder, profiles, settings)
    source = Source(
        name=str(folder),
        kind=RUN if folder.is_dir() else FILE,
        settings=settings,
        duplicates=profiles.duplicates,
        tested=pl.concat([tally(one.tables, one.associations, settings.alpha) for one in discovered]),
        found=at_confidence(
            pl.concat([one.associations for one in discovered]), settings.confidence, confidence
        ),
    )
    wrote = pl.DataFrame(
        {
            "model": pl.Series(profiles.models)[profiles.model],
            "language": pl.Series(profiles.languages)[profiles.language],
        },
        schema={"model": pl.String, "language": pl.String},
    )
    return source, Stories(
        profiles=profiles,
        usable=wrote.group_by("model", "language", maintain_order=True).agg(usable=pl.len().cast(pl.Int64)),
        unknown=overview(profiles),
        counts=cube(profiles, theme),
        told=told_by_story(profiles, theme),
        folder=folder,
        settings=settings,
    )


def _discovered(folder: Path, profiles: Profiles, settings: Discovery) -> list[Discovered]:
    from endoxa.instruments.stories.associations import discover
    from endoxa.instruments.stories.associations.stored import both, discover_in

    if folder.is_dir():
        return [discover_in(folder, profiles, one) for one in both(settings, profiles)]
    return [discover(profiles, one) for one in both(settings, profiles)]


def read_table(path: Path, confidence: float) -> Source:
    """Associations of a table as they are, with the settings that stand beside it."""
    companion, found = read_companion(path), read_found(path)
    if companion is None:
        return Source(str(path), TABLE, None, 0, no_tally(), found)
    shown = at_confidence(found, companion.settings.confidence, confidence)
    return Source(str(path), TABLE, companion.settings, companion.duplicates, companion.tested, shown)


def differences_of(read: Sequence[Stories], told: pl.DataFrame, confidence: float, seed: int) -> pl.DataFrame:
    """Differences of protagonists: what the run folder holds, where one source is shown at its own confidence level."""
    from endoxa.instruments.stories.associations.stored import differences_in

    if len(read) == 1 and read[0].folder.is_dir() and read[0].settings.confidence == confidence:
        return differences_in(read[0].folder, lambda: told, read[0].settings)
    return every_difference(told, confidence=confidence, seed=seed)


def covered(sources: Sequence[Source]) -> pl.DataFrame:
    """Models of which a table was given: `model`, and whether `pooled`, with all languages together."""
    rows = pl.DataFrame(schema={"model": pl.String, "pooled": pl.Boolean})
    given = (source for source in sources if source.kind == TABLE)
    named = [frame.select("model", pooled=POOLED) for one in given for frame in (one.found, one.tested)]
    return pl.concat([rows, *named]).unique()


def tested_together(sources: Sequence[Source]) -> pl.DataFrame:
    """What was tested; a table that was given stands for all pooled rows of a model, or all its single languages."""
    given = [source.tested for source in sources if source.kind == TABLE]
    own = pl.concat([no_tally(), *(source.tested for source in sources if source.kind != TABLE)])
    return pl.concat([no_tally(), *given, without(own, covered(sources))])
