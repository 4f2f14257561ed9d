"""Where associations come from (stories, tables), with which settings they were discovered, and what was tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from endoxa.analyze.associations.companion import read_companion
from endoxa.analyze.associations.lift import at_confidence
from endoxa.analyze.associations.protagonists import every_difference, told_by_story
from endoxa.analyze.associations.settings import Discovery
from endoxa.analyze.associations.tally import no_tally, tally
from endoxa.datasets.stereotales import Profiles, read_profiles
from endoxa.report.stories.distributions import cube
from endoxa.report.stories.found import POOLED, read_found, without
from endoxa.report.stories.records import themes

if TYPE_CHECKING:
    from endoxa.analyze.associations import Discovered

RUN, FILE, TABLE = "run", "file", "table"


@dataclass(frozen=True, slots=True)
class Source:
    """One source of associations.

    Attributes:
        name: its folder or file.
        kind: `RUN` (a run folder: what was discovered with its settings), `FILE` (stories that are analysed for the
            page) or `TABLE` (associations as they were given).
        settings: how associations were discovered; None where a table does not say.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`endoxa.analyze.associations.tally.TALLY`); empty where a table does not say.
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
        unknown: `endoxa.analyze.associations.overview`.
        counts: see `endoxa.report.stories.distributions.cube`.
        told: see `endoxa.analyze.associations.protagonists.told_by_story`.
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
    from endoxa.analyze.associations import overview
    from endoxa.analyze.associations.runs import settings_of

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
    from endoxa.analyze.associations import discover
    from endoxa.analyze.associations.runs import both, discover_in

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
    from endoxa.analyze.associations.runs import differences_in

    if len(read) == 1 and read[0].folder.is_dir() and read[0].settings.confidence == confidence:
        return differences_in(read[0].folder, lambda: told, read[0].settings)
    return every_difference(told, confidence=confidence, seed=seed)


def covered(sources: Sequence[Source]) -> pl.DataFrame:
    """Models of which a table was given: `model`, and whether `pooled`, with all languages together."""
    rows = pl.DataFrame(schema={"model": pl.String, "pooled": pl.Boolean})
    given = (one for one in sources if one.kind == TABLE)
    named = [frame.select("model", pooled=POOLED) for one in given for frame in (one.found, one.tested)]
    return pl.concat([rows, *named]).unique()


def tested_together(sources: Sequence[Source]) -> pl.DataFrame:
    """What was tested; a table that was given stands for all pooled rows of a model, or all its single languages."""
    given = [one.tested for one in sources if one.kind == TABLE]
    own = pl.concat([no_tally(), *(one.tested for one in sources if one.kind != TABLE)])
    return pl.concat([no_tally(), *given, without(own, covered(sources))])
