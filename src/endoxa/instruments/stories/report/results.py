"""Stories, associations and ratings in, analysed: what every part of their report is made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.permutations import KEYS
from endoxa.instruments.stories.harm.ratings import ALL_MODELS, BENIGN, HARMFUL, PEOPLE, with_ids
from endoxa.instruments.stories.languages.presence import By
from endoxa.instruments.stories.report.sources import (
    CLAIMED,
    CUBE,
    POOLED,
    Sample,
    Source,
    association_rows,
    associations_of_table,
    counted,
    differences_of,
    merged,
    read_samples,
    read_stories,
    tested_together,
    together,
)
from endoxa.report.inputs import ASSOCIATIONS, EXTRACTED, HARM, RATINGS, Run, simulated_models
from endoxa.report.labels import ModelName, name_models, read_labels
from endoxa.report.plots import ORANGE
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal_interval
from endoxa.runs.options import Resampling
from endoxa.schema import ALL
from endoxa.sources.stereotales.associations import PARTS, read_associations
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

if TYPE_CHECKING:
    from endoxa.instruments.stories.harm import HarmAnalysis
    from endoxa.instruments.stories.languages import Overlap
    from endoxa.sources.stereotales.profiles import Profiles


MODELS = "models"
SILENT = {"model": pl.String, "language": pl.String, "nothing_known": pl.Int64}
CLASSES = {**dict.fromkeys(PARTS, pl.String()), "rating": pl.Float64(), "harmful": pl.String()}


@dataclass(frozen=True, slots=True)
class Harm:
    """What was rated.

    Attributes:
        analysis: see `endoxa.instruments.stories.harm`.
        judges: 'people', or 'models' where no person rated: who decides what is harmful.
        classes: the four parts, `rating` (people's median, or the mean over models) and `harmful` ('harmful' or
            'benign'); only associations that the judges rated.
    """

    analysis: HarmAnalysis
    judges: str
    classes: pl.DataFrame

    @property
    def raters(self) -> list[str]:
        """Models that rated."""
        raters = self.analysis.raters
        names: list[str] = raters.filter(pl.col("rater_kind") == "model")["rater"].to_list()
        return names

    @property
    def together(self) -> str:
        """The rater that stands for models in general: all of them, the only one, or '' where none rated."""
        return ALL_MODELS if len(self.raters) > 1 else next(iter(self.raters), "")


def read_harm(
    runs: Sequence[Run], associations: pl.DataFrame, *, confidence: float, seed: int
) -> Harm | None:
    """Analyse all ratings; None where there are none.

    Args:
        runs: everything the report is made from.
        associations: the associations of the models, for their blind spots.
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.

    Raises:
        UserError: ratings cannot be read.
    """
    rated = [run.folder for run in runs if run.kind == HARM]
    people = [run.folder for run in runs if run.kind == RATINGS]
    if not rated and not people:
        return None
    from endoxa.instruments.stories.harm import analyze_harm, load_ratings, read_human

    by_models = [load_ratings(rated)] if rated else []
    made = with_ids(associations).select("association_id", *PARTS, "model", "aggregation")
    # Associations by every name that a table of people's ratings may call them.
    tables = [read_associations(run.folder) for run in runs if run.kind == ASSOCIATIONS]
    named = [frame.select("association_id", *PARTS) for frame in (made, *by_models)]
    identified = pl.concat([*named, *tables], how="diagonal")
    ratings = pl.concat([*by_models, *(read_human(path, identified) for path in people)])
    how = Resampling(confidence, seed=seed)
    return harm_of(analyze_harm(ratings, made if made.height else None, how=how))


def harm_of(analysis: HarmAnalysis) -> Harm:
    """The analysis with the classes of the associations: people decide where any rated, else models."""
    rows = analysis.associations
    by_people = rows["people_n"].fill_null(0).sum() > 0
    rating, reached = (
        (pl.col("people_median"), pl.col("people_harmful") == 1)
        if by_people
        else (pl.col("models_mean"), pl.col("models_harmful") >= 1 / 2)
    )
    classes = rows.select(
        *PARTS,
        rating=rating.cast(pl.Float64),
        harmful=pl.when(reached).then(pl.lit(HARMFUL)).otherwise(pl.lit(BENIGN)),
    ).drop_nulls("rating")
    return Harm(analysis, PEOPLE if by_people else MODELS, classes)


RESAMPLES = {"language": 2000, "model": 100}
"""Bootstrap samples; between models the page shows no interval, and there are hundreds of pairs."""


def overlap(
    associations: pl.DataFrame,
    classes: pl.DataFrame,
    profiles: Profiles | None = None,
    *,
    by: By,
    confidence: float,
    seed: int,
) -> Overlap | None:
    """Compare languages or models; None with fewer than two that have associations.

    Args:
        associations: `schema.stories.DISCOVERED_COLUMNS`.
        classes: the four parts and `harmful`; may be empty.
        profiles: the stories, where the associations are all theirs.
        by: languages (each alone) or models (all languages together).
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.
    """
    from endoxa.instruments.stories.languages import analyze_overlap, read_groups

    pooled = pl.col("aggregation") == ALL
    rows = associations.filter(~pooled if by == "language" else pooled)
    members = set(rows["aggregation" if by == "language" else "model"])
    if len(members) < 2:
        return None
    groups = read_groups()
    return analyze_overlap(
        associations,
        classes,
        groups if members & groups.keys() else None,
        by=by,
        profiles=profiles,
        how=Resampling(confidence, RESAMPLES[by], seed),
    )


@dataclass(frozen=True, slots=True)
class StoryResults:
    """Everything that some runs and tables say about stories.

    Attributes:
        stories: rows of each model and language and what became of them (`records.COUNTED`), and `usable`, those with
            a profile; empty without stories.
        nothing_known: stories of each model and language of which no attribute could be read.
        counts: stories by model, language, theme, attribute and value (`records.CUBE`).
        protagonists: the stories one by one, their attributes by name (`protagonists_by_story`).
        differences: in which attributes models, languages and themes (`by`) differ more than chance makes them
            (`schema.stories.PROTAGONIST_DIFFERENCE_COLUMNS`).
        sources: where the associations come from.
        discovered: every association found, `schema.stories.DISCOVERED_COLUMNS`; `verdict` says what is claimed.
        tested: what was tested, by model and aggregation (`associations.discover.TALLY`); empty where no source
            says it.
        associations: one row for each association that may be claimed of a model or a language (`association_rows`).
        unclear: the same for those that may be claimed of none.
        harm: ratings of harm, or None.
        by_language: what languages share, or None with fewer than two.
        between_models: the same of models.
        samples: stories to read.
        names: every model, those that wrote and those that only rated, in the order shown.
        confidence: confidence level of all intervals.
    """

    stories: pl.DataFrame
    nothing_known: pl.DataFrame
    counts: pl.DataFrame
    protagonists: pl.DataFrame
    differences: pl.DataFrame
    sources: tuple[Source, ...]
    discovered: pl.DataFrame
    tested: pl.DataFrame
    associations: pl.DataFrame
    unclear: pl.DataFrame
    harm: Harm | None
    by_language: Overlap | None
    between_models: Overlap | None
    samples: tuple[Sample, ...]
    names: Mapping[str, ModelName]
    confidence: float

    @property
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"

    @property
    def claimed(self) -> pl.DataFrame:
        """The rows of `discovered` that may be claimed."""
        return self.discovered.filter(CLAIMED)

    @property
    def unrecorded(self) -> list[Source]:
        """Tables that do not say how their associations were discovered."""
        return [source for source in self.sources if source.settings is None]

    @property
    def writers(self) -> list[str]:
        """Models that wrote stories or of which associations were given, in the order shown."""
        wrote = {*self.stories["model"], *self.discovered["model"]}
        return [model for model in self.names if model in wrote]

    @property
    def searched(self) -> list[str]:
        """Models in whose stories, all languages together, associations were looked for or given."""
        pooled = (frame.filter(POOLED) for frame in (self.tested, self.discovered))
        models = {model for frame in pooled for model in frame["model"]}
        return [model for model in self.names if model in models]

    @property
    def searched_languages(self) -> list[str]:
        """Languages in which associations were looked for, or of which they were given, each by itself."""
        return sorted({*self.tested["aggregation"], *self.discovered["aggregation"]} - {ALL})

    @property
    def languages(self) -> list[str]:
        """Languages of the stories, most stories first."""
        counts = self.stories.group_by("language", maintain_order=True).agg(pl.col("stories").sum())
        return counts.sort("stories", descending=True, maintain_order=True)["language"].to_list()

    def label(self, model: str) -> str:
        """The model as readers see it; extractors are called as the command calls them."""
        return self.names[model].label if model in self.names else model


def read_results(
    runs: Sequence[Run], *, confidence: float, seed: int, labels: Path | None = None
) -> StoryResults:
    """Analyse stories, associations and ratings together.

    Args:
        runs: extractions, ratings of harm, and tables of `page.inputs.STORY_KINDS`.
        confidence: confidence level of all intervals.
        seed: seed of everything that is drawn; a run folder whose associations were discovered keeps its own.
        labels: table of labels, see `page.labels.read_labels`.

    Raises:
        UserError: something cannot be read, or two sources hold stories of one model.
    """
    chosen = {} if labels is None else read_labels(labels)
    folders = [run.folder for run in runs if run.kind == EXTRACTED]
    written = _counted_apart(folders)
    tables = [associations_of_table(run.folder, confidence) for run in runs if run.kind == ASSOCIATIONS]
    read = [read_stories(folder, confidence, seed) for folder in folders]
    sources = (*tables, *read)
    stories = [source.stories for source in read if source.stories is not None]
    discovered = together(sources)
    claimed = discovered.filter(CLAIMED)
    harm = read_harm(runs, claimed, confidence=confidence, seed=seed)
    classes = harm.classes if harm else pl.DataFrame(schema=CLASSES)
    alone = stories[0].profiles if len(stories) == 1 and not tables else None
    usable = pl.DataFrame(schema={"model": pl.String, "language": pl.String, "usable": pl.Int64})
    usable = pl.concat([usable, *(entry.usable for entry in stories)])
    none = pl.DataFrame(schema=dict.fromkeys(KEYS, pl.String))
    protagonists = pl.concat([none, *(entry.protagonists for entry in stories)], how="diagonal")
    tested = tested_together(sources)
    associations = association_rows(claimed, classes)
    never_claimed = discovered.filter(~CLAIMED).join(
        associations, on=PARTS, how="anti", maintain_order="left"
    )
    models = (frame["model"] for frame in (written, discovered, tested))
    names = [*chain.from_iterable(models), *(harm.raters if harm else ())]
    return StoryResults(
        stories=written.join(
            usable, on=["model", "language"], how="left", maintain_order="left"
        ).with_columns(pl.col("usable").fill_null(0)),
        nothing_known=pl.concat([pl.DataFrame(schema=SILENT), *(entry.nothing_known for entry in stories)]),
        counts=merged(pl.concat([pl.DataFrame(schema=CUBE), *(entry.counts for entry in stories)])),
        protagonists=protagonists,
        differences=differences_of(read, protagonists, confidence, seed),
        sources=sources,
        discovered=discovered,
        tested=tested,
        associations=associations,
        unclear=association_rows(never_claimed, classes),
        harm=harm,
        by_language=overlap(claimed, classes, alone, by="language", confidence=confidence, seed=seed),
        between_models=overlap(claimed, classes, by="model", confidence=confidence, seed=seed),
        samples=read_samples(folders),
        names=name_models(names, chosen, simulated_models(runs)),
        confidence=confidence,
    )


def _counted_apart(sources: Sequence[Path]) -> pl.DataFrame:
    """`counted`; stories of one model in two sources cannot be counted together: a test needs all of them at once."""
    seen: dict[str, Path] = {}
    for source in sources:
        for model in counted([source])["model"].unique(maintain_order=True):
            if model in seen:
                raise UserError(
                    f"'{seen[model]}' and '{source}' both hold stories of '{model}': extract them in one run, or "
                    "write one report for each."
                )
            seen[model] = source
    return counted(sources)


UNRATED = "not rated"
COLORS = {"harmful": ORANGE, "benign": "#c6dff3", UNRATED: "#f4f6f8"}
"""Dark against light, so that prints without colour can be read."""
EXAMPLES = re.compile(r"\s*\(e\.g\.[^)]*\)\s*$")
ARROW = "→"


def attribute_name(attribute: str) -> str:
    """'income_level' as 'income level'."""
    return attribute.replace("_", " ")


def value_name(value: str) -> str:
    """A value without the examples behind it: 'europe' for 'europe (e.g. United Kingdom, ...)'."""
    return EXAMPLES.sub("", value) or value


def side(attribute: str, value: str) -> str:
    """'income level: low income'."""
    return f"{attribute_name(attribute)}: {value_name(value)}"


def side_of(end: str, row: Mapping[str, str]) -> str:
    """One side of an association, 'base' or 'compared', from the four parts."""
    return side(row[f"{end}_attribute"], row[f"{end}_value"])


def phrase(row: Mapping[str, str]) -> str:
    """'professional field: agriculture → urbanicity: rural', from the four parts."""
    return f"{side_of('base', row)} {ARROW} {side_of('compared', row)}"


CLAIMS = {
    ABOVE: "; that is higher than chance explains",
    BELOW: "; that is lower than chance explains",
    UNCLEAR: "; that is not distinguishable from chance",
    UNTESTED: "; that cannot be tested ({reason})",
}
"""What the test of a difference allows to say, for the end of a sentence."""


def value_field(name: str, key: str = "", write: Callable[..., str] = count, *digits: int) -> Field:
    """A column of numbers, with a dash where the row has none.

    Args:
        name: its heading.
        key: the key of the row (the heading where empty).
        write: makes the text of a number.
        digits: further arguments of `write`.
    """
    column = key or name
    return number_field(name, lambda row: NO_VALUE if row[column] is None else write(row[column], *digits))


def value_fields(headings: Mapping[str, str], write: Callable[..., str] = count, *digits: int) -> list[Field]:
    """Columns of numbers that are written alike, from headings to keys of the row."""
    return [value_field(name, key, write, *digits) for name, key in headings.items()]


def ends_field(name: str, prefix: str = "", digits: int = 2) -> Field:
    """A column of intervals, from the keys `low` and `high` behind a prefix."""
    return number_field(name, lambda row: decimal_interval(row[f"{prefix}low"], row[f"{prefix}high"], digits))


ASSOCIATION = text_field("association", phrase, veiled=True)
SIDES = tuple(
    text_field(heading, partial(side_of, end), veiled=True)
    for heading, end in (("stories about", "base"), ("also have", "compared"))
)
"""Veiled columns of both sides of an association."""

MOST_LISTED = 300
"""Rows of a long list that a page shows; files have all."""


def first_rows(caption: str, rows: pl.DataFrame, fields: Sequence[Field], command: str) -> Table:
    """The folded table of a long list: its first rows, and which command writes all of them."""
    left = rows.height - MOST_LISTED
    notes = (f"{count(left)} more are in the files of {command}.",) if left > 0 else ()
    return table_of(caption, rows.head(MOST_LISTED), fields, folded=True, notes=notes)
