"""Convergence of a study: run folders in, tables out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import run_warnings
from endoxa.report.words import listed, plural, short_labels
from endoxa.schema.study import PART_COLUMNS
from endoxa.sources.frames import write_table
from endoxa.sources.identities import with_joined_names
from endoxa.sources.served import version_of, version_sentences
from endoxa.study.convergence.adapters import (
    NothingReadError,
    association_test_parts,
    choice_parts,
    pair_parts,
    question_parts,
    story_parts,
)
from endoxa.study.convergence.chance import agreement, seen_together
from endoxa.study.convergence.estimates import (
    correlations,
    effects,
    joined_parts,
    measured,
    reliabilities,
    tool,
)
from endoxa.study.convergence.mtmm import Traits, matrices
from endoxa.study.parts import USUAL, ConvergenceOptions


@dataclass(frozen=True, slots=True)
class StudyRuns:
    """What a study measured its associations with.

    Attributes:
        associations: columns of `schema.ASSOCIATION_COLUMNS`; association_id, identity and language are needed;
            with `identity_key`, translations of an identity count as one, which has all their names.
        runs: run folder by instrument; of stories the run of `probe extract`.
        story_map: which cell of the stories is which association (`schema.stories.STORY_MAP_COLUMNS`), or None.
        aliases: name in a run -> name of the model in the study; others keep the name of their run.
    """

    associations: pl.DataFrame
    runs: Mapping[str, Path]
    story_map: pl.DataFrame | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Convergence:
    """What several instruments say together.

    Attributes:
        parts: columns of `schema.study.PART_COLUMNS`.
        effects: `EFFECT_COLUMNS`.
        reliabilities: `RELIABILITY_COLUMNS`.
        correlations: `CORRELATION_COLUMNS`.
        agreement: `AGREEMENT_COLUMNS`.
        chance: `CHANCE_COLUMNS`.
        mtmm: `MTMM_COLUMNS`.
        validity: `VALIDITY_COLUMNS`.
        options: how it was made.
        notes: what was left out, as sentences.
        warnings: what must be known before the numbers are read, as sentences.
    """

    parts: pl.DataFrame
    effects: pl.DataFrame
    reliabilities: pl.DataFrame
    correlations: pl.DataFrame
    agreement: pl.DataFrame
    chance: pl.DataFrame
    mtmm: pl.DataFrame
    validity: pl.DataFrame
    options: ConvergenceOptions
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """What is written, by name."""
        return {name: getattr(self, name) for name in TABLES}

    @property
    def models(self) -> list[str]:
        """Models in the order of the tables."""
        return list(dict.fromkeys(self.effects["model"]))

    @property
    def labels(self) -> dict[str, str]:
        """What models are called on the page."""
        return short_labels(self.models)


def converge(runs: StudyRuns, options: ConvergenceOptions | None = None) -> Convergence:
    """Compare the instruments of a study over its associations.

    Raises:
        UserError: a run cannot be used, or no item belongs to an association of the study.
    """
    options = options or USUAL
    parts, notes, unread = study_parts(runs, options)
    attributes = _column(runs.associations, parts, "attribute")
    made = converge_parts(
        parts, attributes, options, notes, _column(runs.associations, parts, options.traits)
    )
    of_questions = run_warnings(runs.runs["questions"]) if "questions" in runs.runs else ()
    return replace(made, warnings=(*unread, *version_sentences(made.models), *of_questions))


def converge_parts(
    parts: pl.DataFrame,
    attributes: Mapping[str, str] | None = None,
    options: ConvergenceOptions | None = None,
    notes: tuple[str, ...] = (),
    traits: Mapping[str, str] | None = None,
) -> Convergence:
    """Compare instruments from a table of parts, whoever measured them.

    Args:
        parts: columns of `schema.study.PART_COLUMNS`.
        attributes: attribute of each association, by id.
        options: how.
        notes: what was left out on the way here.
        traits: trait of each association, by id, for the multitrait-multimethod matrix.
    """
    options, attributes = options or USUAL, attributes or {}
    checked = joined_parts(parts)
    sources = measured(checked)
    by_instrument = effects(sources, options.confidence)
    identities = dict(checked.select("association_id", "identity").unique().iter_rows())
    matrix, validity = matrices(
        sources, Traits.read(traits or {}, identities, attributes), options.confidence
    )
    return Convergence(
        checked,
        by_instrument,
        reliabilities(sources, options.confidence),
        correlations(sources, attributes, options.confidence, options.seed),
        agreement(by_instrument, attributes),
        seen_together(by_instrument, attributes, options.confidence, options.seed),
        matrix,
        validity,
        options,
        notes,
    )


def study_parts(
    runs: StudyRuns, options: ConvergenceOptions
) -> tuple[pl.DataFrame, tuple[str, ...], tuple[str, ...]]:
    """The table of parts of all runs, what was left out, and in which runs nothing could be read.

    An association that was measured in several languages becomes one for each, named 'ID [language]': languages are
    never pooled.

    Raises:
        UserError: as `converge`.
    """
    tables, unread = _tables(runs, options)
    parts = pl.concat(tables)
    names = {model: _in_study(model, runs.aliases) for model in parts["model"].unique()}
    parts = parts.with_columns(pl.col("model").replace(names))
    labels = (
        with_joined_names(runs.associations)
        .select(
            pl.col("association_id").cast(pl.String),
            identity=_filled("identity"),
            own_language=_filled("language"),
        )
        .unique("association_id", keep="first", maintain_order=True)
    )
    joined = parts.join(labels, on="association_id", how="left", maintain_order="left")
    left_out = joined.filter(pl.col("identity").is_null())
    notes = tuple(
        f"{tool(str(instrument)).capitalize()}: {plural(part['association_id'].n_unique(), 'association')} of the "
        "run not in the study, left out."
        for (instrument,), part in left_out.group_by("instrument", maintain_order=True)
    )
    kept = joined.drop_nulls("identity")
    if kept.is_empty():
        raise UserError(
            f"No item of {listed([tool(name) for name in parts['instrument'].unique(maintain_order=True)])} belongs to "
            "an association of the study: their association_id differ."
        )
    # 'en-NG' in one run is 'en' in another.
    main = (
        pl.coalesce(_filled("language"), "own_language", pl.lit(""))
        .str.to_lowercase()
        .str.extract("^([^-_]*)")
    )
    kept = kept.with_columns(language=main)
    several = pl.col("language").n_unique().over("association_id") > 1
    named = (
        pl.when(several).then(pl.format("{} [{}]", "association_id", "language")).otherwise("association_id")
    )
    alone = tuple(_alone(kept))
    return kept.with_columns(association_id=named).select(list(PART_COLUMNS)), (*notes, *alone), unread


def _in_study(model: str, aliases: Mapping[str, str]) -> str:
    """What the study calls a model, or the version of one."""
    name, version = version_of(model)
    return aliases.get(model) or (f"{aliases.get(name, name)} (served {version})" if version else model)


def _filled(name: str) -> pl.Expr:
    text = pl.col(name).cast(pl.String).str.strip_chars()
    return pl.when(text != "").then(text)


def _tables(runs: StudyRuns, options: ConvergenceOptions) -> tuple[list[pl.DataFrame], tuple[str, ...]]:
    """Parts of each run, and a sentence for each run in which nothing could be read.

    Raises:
        UserError: a run cannot be used, or nothing could be read in any.
    """
    story_map = pl.DataFrame() if runs.story_map is None else runs.story_map
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        "pairs": lambda run: pair_parts(run, options.rule),
        "questions": lambda run: question_parts(run, options.protocol),
        "tests": lambda run: association_test_parts(run, options.pooling),
        "stories": lambda run: story_parts(run, story_map),
        "choices": choice_parts,
    }
    tables, unread = [], []
    for instrument in (name for name in readers if name in runs.runs):
        try:
            parts = readers[instrument](runs.runs[instrument])
            tables.append(parts.with_columns(instrument=pl.lit(instrument)))
        except NothingReadError as problem:
            unread.append(f"{tool(instrument).capitalize()} are not compared. {problem}")
    if unread and not tables:
        raise UserError(" ".join(unread))
    return tables, tuple(unread)


def _alone(parts: pl.DataFrame) -> Iterator[str]:
    """Models that one instrument measured only."""
    if parts["instrument"].n_unique() < 2:
        return
    tools = parts.group_by("model", maintain_order=True).agg(pl.col("instrument").unique())
    for row in tools.filter(pl.col("instrument").list.len() == 1).iter_rows(named=True):
        yield (
            f"{row['model']} was measured with {tool(row['instrument'][0])} only. If another run names it "
            "differently, give both names one alias."
        )


def _column(associations: pl.DataFrame, parts: pl.DataFrame, column: str) -> dict[str, str]:
    """A column of each association, also under its names by language; nothing where there is no such column."""
    if column not in associations.columns:
        return {}
    values = dict(associations.select("association_id", pl.col(column).fill_null("")).iter_rows())
    names = parts["association_id"].unique().to_list()
    return {name: str(values.get(name, values.get(name.rpartition(" [")[0])) or "") for name in names}


TABLES = ("effects", "reliabilities", "correlations", "agreement", "chance", "mtmm", "validity")


def write_tables(convergence: Convergence, folder: Path) -> list[Path]:
    """Write every table as CSV into the folder; their columns are explained in `schema.study`.

    Raises:
        UserError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / f"{name}.csv": table for name, table in convergence.tables.items()}
    for path, table in written.items():
        write_table(table, path)
    return list(written)
