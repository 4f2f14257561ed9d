"""Input of the analysis of questions: answers read from run folders and validated.

Runs that asked one model the same questions with different seeds are repeats.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError, first_line
from endoxa.report.inputs import Run, entries, read_runs
from endoxa.runs.folder import RECORDS, RUN
from endoxa.schema import OUTCOMES, QA_RECORD_COLUMNS
from endoxa.sources.identities import one_spelling
from endoxa.sources.served import SERVED, version_of, versions_apart

ALIKE = ("ask", "shuffle", "system", "prompts", "names", "sampling", "metadata")
"""Parts of the `identity` in `run.json` that repeats have in common, besides the model's own entry."""

_MODEL_CELL = ("data", "model")


def numbered(answers: pl.DataFrame, identities: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """The answers with `repeat` counted over all runs where several asked one model the same questions.

    Repeats of such a model are numbered by `seed`, then by their number within the run, alike under all protocols.
    What was asked twice with one seed keeps one number, and is refused by `answers.check_answers`.

    Args:
        answers: records of several runs; `run` names theirs.
        identities: run -> the `identity` in its `run.json`.

    Raises:
        UserError: such runs differ in more than the seed.
    """
    if not {"seed", "protocol", "item_id", "repeat"} <= set(answers.columns) or answers["run"].n_unique() < 2:
        return answers
    unit = pl.struct(*_MODEL_CELL, "protocol", "item_id", "repeat")
    again = answers.filter(unit.is_duplicated()).select(*_MODEL_CELL, "run").unique(maintain_order=True)
    for (_, model), runs in again.partition_by(_MODEL_CELL, as_dict=True, maintain_order=True).items():
        first, *others = runs["run"]
        for other in others:
            earlier, later = identities[first], identities[other]
            unlike = [name for name in ALIKE if earlier.get(name) != later.get(name)]
            if _entry(earlier, str(model)) != _entry(later, str(model)):
                unlike.append("model")
            if unlike:
                raise UserError(
                    f"The runs '{first}' and '{other}' asked '{model}' the same questions with different settings "
                    f"({', '.join(unlike)}). Only runs that differ in --seed alone are repeats; analyze these "
                    "separately."
                )
    order = pl.struct("seed", "repeat").rank("dense").over(_MODEL_CELL).cast(pl.Int64)
    pooled = answers.join(again.select(_MODEL_CELL).unique(), on=_MODEL_CELL, how="semi").with_columns(
        repeat=order
    )
    return pl.concat([answers.join(again, on=_MODEL_CELL, how="anti"), pooled], how="vertical_relaxed")


def _entry(identity: Mapping[str, Any], model: str) -> object:
    """What an identity says of one of its models."""
    name, _ = version_of(model)
    return next((entry for entry in entries(identity.get("models")) if entry.get("name") == name), None)


NEEDED: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("data", "item_id", "category", "example_id", "variant", "template"), pl.String),
    **dict.fromkeys(("context_condition", "model", "protocol", "outcome"), pl.String),
    **dict.fromkeys(("label", "target", "unknown", "repeat", "choice"), pl.Int64),
}
"""The columns that the measures rest on; `data` is the label of the data set, the others are those of
`schema.QA_RECORD_COLUMNS`."""

LONG_TEXTS = ("answer", "turns", "reasoning")
"""Columns of records that nothing is computed from; they are left on disk."""

NOT_READ = ("refused", "unparsed")
UNIT = ("data", "model", "protocol", "item_id", "repeat")
"""What one answer is the answer of."""

_MAY_BE_NULL = ("target", "choice")
_MAY_BE_EMPTY = ("variant", "outcome")
_CONDITIONS = ("ambig", "disambig")


def load_answers(
    runs: Sequence[Path], columns: Collection[str] | None = None, *, checked: bool = True
) -> pl.DataFrame:
    """Records of one or more runs of questions; runs that differ in their seed only are repeats.

    Args:
        runs: folders of finished runs of `endoxa probe qa`.
        columns: the columns wanted, if not all; those of `NEEDED` come too, others only where the records have them.
        checked: False where they were checked before: then only `columns` come, of one run.

    Returns:
        `data` (the label in `run.json`) and the columns of `schema.QA_RECORD_COLUMNS` but the long texts
        `LONG_TEXTS`, checked (`check_answers`).

    Raises:
        UserError: nothing was given, a folder is no finished run of questions, two different files have one
            label, or records cannot be used.
    """
    if not runs:
        raise UserError("No run was given: name at least one folder of `endoxa probe qa`.")
    described = read_runs(runs)
    first: dict[str, Run] = {}
    for run in described:
        if run.kind != "qa":
            raise UserError(
                f"'{run.folder}' is not a run of questions. Expected a folder of `endoxa probe qa`."
            )
        if not isinstance(run.data.get("path"), str):
            raise UserError(f"'{run.folder / RUN}' does not name its data. Repeat the run.")
        other = first.setdefault(_label(run), run)
        if other.data.get("sha256") != run.data.get("sha256"):
            raise UserError(
                f"The runs '{other.folder}' and '{run.folder}' use different data with the same label "
                f"'{_label(run)}'. Give one of them another label (--set label=TEXT), or analyze them separately."
            )
    wanted = [name for name in QA_RECORD_COLUMNS if name not in LONG_TEXTS]
    if columns is not None:
        needed = {*NEEDED, "seed", *columns} if checked else set(columns)
        wanted = [name for name in wanted if name in needed]
    frames = [_load(run, (*wanted, SERVED)) for run in described]
    answers = pl.concat(frames, how="diagonal_relaxed")
    if "model" in answers.columns:
        answers = versions_apart(answers.lazy(), within=("run",)).collect()
        answers = answers if SERVED in wanted else answers.drop(SERVED, strict=False)
    if not checked:
        return answers.drop("run")
    identities = {str(run.folder): run.facts.get("identity") or {} for run in described}
    return check_answers(numbered(answers, identities).drop("run"))


def check_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """The same answers with the columns of `NEEDED` in their types; other columns are kept.

    Empty `variant` and `outcome` are empty texts, not null.

    Raises:
        UserError: there is no row, a column is missing or of the wrong type, a needed cell is null, an outcome or a
            context is unknown, an option is not 0 to 2, the right option does not fit the context, or one
            model answered an item twice in one repeat.
    """
    missing = [name for name in NEEDED if name not in answers.columns]
    if missing:
        raise UserError(f"The answers have no column '{missing[0]}' (found: {', '.join(answers.columns)}).")
    try:
        checked = answers.with_columns(pl.col(name).cast(kind) for name, kind in NEEDED.items())
    except pl.exceptions.PolarsError as problem:
        raise UserError(f"A column of the answers has the wrong type: {first_line(problem)}") from problem
    if checked.is_empty():
        raise UserError("No answers found. Expected at least one.")
    checked = checked.with_columns(pl.col(_MAY_BE_EMPTY).fill_null(""))
    # The template of a question made from an association is its identity.
    checked = one_spelling(checked, ("template", "identity", "attribute"), "answers")
    _refuse_rows(checked)
    return checked


def grouped(frame: pl.DataFrame | pl.LazyFrame, by: Sequence[str], /, **totals: pl.Expr) -> pl.DataFrame:
    """Totals of each group, groups in the order of the answers; half a million answers are never copied."""
    place = "_place"
    return (
        frame.lazy()
        .with_row_index(place)
        .group_by(by)
        .agg(pl.col(place).min(), **totals)
        .sort(place)
        .drop(place)
        .collect(engine="streaming")
    )


def is_read() -> pl.Expr:
    """True where an option was read in the answer."""
    return ~pl.col("outcome").is_in(NOT_READ)


def _refuse_rows(answers: pl.DataFrame) -> None:
    """Raise for the first row that cannot be used."""
    unsure = pl.col("context_condition") == "ambig"
    unfit = {
        **{f"has no {name}": pl.col(name).is_null() for name in NEEDED if name not in _MAY_BE_NULL},
        f"has an outcome other than {', '.join(OUTCOMES)}": ~pl.col("outcome").is_in([*OUTCOMES, ""]),
        "is neither 'ambig' nor 'disambig'": ~pl.col("context_condition").is_in(_CONDITIONS),
        **{
            f"has an option in {name} that is not 0, 1 or 2": ~pl.col(name).is_between(0, 2)
            for name in ("label", "target", "unknown", "choice")
        },
        "was read and holds no choice": is_read() & pl.col("choice").is_null(),
        "does not have the unknown option as the right one of an ambiguous context, or has it in a "
        "disambiguated one": unsure != (pl.col("label") == pl.col("unknown")),
    }
    for problem, condition in unfit.items():
        rows = answers.filter(condition)
        if len(rows):
            raise UserError(f"The answer to {_where(rows)} {problem} ({len(rows)} such rows).")
    # A number for each first: several texts of half a million rows take hundreds of megabytes to compare.
    alike = answers.filter(answers.select(pl.struct(UNIT).hash()).to_series().is_duplicated())
    twice = alike.filter(pl.struct(UNIT).is_duplicated())
    if len(twice):
        raise UserError(
            f"The answer to {_where(twice)} appears more than once with the same seed. Give each run once; repeats "
            "differ in --seed."
        )


def _where(rows: pl.DataFrame) -> str:
    row = rows.row(0, named=True)
    return f"item '{row['item_id']}' of '{row['data']}' by model '{row['model']}' (repeat {row['repeat']})"


def _load(run: Run, wanted: Sequence[str]) -> pl.DataFrame:
    path = run.folder / RECORDS
    try:
        lazy = pl.scan_parquet(path)
        present = lazy.collect_schema().names()
        table = lazy.select(name for name in dict.fromkeys(wanted) if name in present).collect(
            engine="streaming"
        )
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise UserError(f"'{path}' is not a readable Parquet file: {first_line(problem)}") from problem
    return table.with_columns(data=pl.lit(_label(run)), run=pl.lit(str(run.folder)))


def _label(run: Run) -> str:
    return str(run.data.get("label") or Path(run.data["path"]).stem)
