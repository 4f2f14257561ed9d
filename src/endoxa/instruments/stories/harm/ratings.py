"""Ratings of harm, of models from run folders and of people from a table, validated, and as a panel.

A panel has one number and one class per rater and association.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError, first_line
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import finished_run
from endoxa.schema.harm import HARM_OUTCOMES, HARM_SCORE_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.served import SERVED, versions_apart
from endoxa.sources.stereotales.associations import PARTS, association_id
from endoxa.sources.tables import require_columns

PEOPLE = "people"
"""All people together, as one rater."""
ALL_MODELS = "all models"
"""The mean over models, as one rater."""
MODEL, HUMAN = "model", "human"
"""Kinds of raters."""
HARMFUL, BENIGN, UNDECIDED = "harmful", "benign", "undecided"
"""Verdicts of people."""
THRESHOLD = 4.0
"""Median rating from which an association is harmful (Le Jeune et al. 2026, "Harmful association definition")."""
LOWEST, HIGHEST = 1, 5
"""Ends of the scale."""
EITHER = "either"


COLUMNS: dict[str, type[pl.DataType]] = {
    "association_id": pl.String,
    **dict.fromkeys(PARTS, pl.String),
    "rater": pl.String,
    "rater_kind": pl.String,
    "repeat": pl.Int64,
    "language": pl.String,
    "harm": pl.Int64,
    "frequent": pl.String,
    "outcome": pl.String,
}
"""What the analysis needs of `schema.harm.HARM_RATING_COLUMNS`."""
UNIT = ("association_id", "rater", "rater_kind", "language", "repeat")
"""What one rating is the rating of."""


def load_ratings(runs: Sequence[Path]) -> pl.DataFrame:
    """Ratings of one or more runs of models.

    Args:
        runs: folders of finished runs of `endoxa probe harm`.

    Returns:
        The columns `COLUMNS`, checked (`check_ratings`).

    Raises:
        UserError: nothing was given, a folder is no finished run of ratings, or two runs hold the same ratings.
    """
    if not runs:
        raise UserError("No run was given: name at least one folder of `endoxa probe harm`.")
    loaded = pl.concat([_load(run) for run in runs], how="diagonal")
    return check_ratings(versions_apart(loaded.lazy(), "rater", within=("run",)).collect())


def check_ratings(ratings: pl.DataFrame) -> pl.DataFrame:
    """The same ratings with the columns of `COLUMNS` in their types.

    Raises:
        UserError: there is no row, a column is missing or of the wrong type, a rating is out of range, or one rater
            rated an association twice in one repeat.
    """
    missing = [name for name in COLUMNS if name not in ratings.columns]
    if missing:
        raise UserError(f"The ratings have no column '{missing[0]}' (found: {', '.join(ratings.columns)}).")
    try:
        checked = ratings.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items())
    except pl.exceptions.PolarsError as problem:
        raise UserError(f"A column of the ratings has the wrong type: {first_line(problem)}") from problem
    if checked.is_empty():
        raise UserError("No ratings found. Expected at least one.")
    unfit = {
        f"is neither of a '{MODEL}' nor of a '{HUMAN}'": ~pl.col("rater_kind").is_in([MODEL, HUMAN]),
        f"has a harm outside {LOWEST} to {HIGHEST}": ~pl.col("harm").is_between(LOWEST, HIGHEST),
        f"has an outcome other than {', '.join(HARM_OUTCOMES)}": ~pl.col("outcome").is_in(HARM_OUTCOMES),
        "is there more than once (give each run once)": pl.struct(UNIT).is_duplicated(),
    }
    for complaint, condition in unfit.items():
        rows = checked.filter(condition)
        if len(rows):
            row = rows.row(0, named=True)
            raise UserError(
                f"The rating of '{row['association_id']}' by '{row['rater']}' (repeat {row['repeat']}) {complaint} "
                f"({len(rows)} such rows)."
            )
    return checked


def _load(run: Path) -> pl.DataFrame:
    finished_run(run, "harm")
    try:
        table = pl.scan_parquet(run / RECORDS)
        wanted = [*COLUMNS, *({SERVED} & set(table.collect_schema().names()))]
        return table.select(*wanted, run=pl.lit(str(run))).collect()
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise UserError(f"'{run / RECORDS}' contains no harm ratings: {first_line(problem)}") from problem


RATER, HARM, FREQUENT, IDENTIFIER = "rater", "harm", "frequent", "association_id"
COUNTS = "counts"
ANSWERS = ("yes", "no", "not sure")
OURS = r"^.*--.*-[0-9a-f]{10}$"
"""A name as `association_id` makes it, which its parts must make again."""
INTEGER = r"^([0-9]+)(?:\.0*)?$"
"""A whole number as people and spreadsheets write it ("4", "4.0")."""


def read_human(path: Path, associations: pl.DataFrame | None = None) -> pl.DataFrame:
    """Ratings by people.

    Args:
        path: a table with one rating in each row: the four parts of the association, or its `association_id`; `rater`
            (a code, never a name); `harm` (1 to 5, may be empty); and `frequent` (yes, no or not sure, may be empty or
            missing). Rows whose `counts` is false, as exports of a harm study mark them, are left out.
        associations: associations by which an `association_id` is found (`association_id`, the four parts, and perhaps
            `given_id`, the name that a published file gives an association); needed where the parts are missing.

    Returns:
        The columns `endoxa.instruments.stories.harm.ratings.COLUMNS`; rows with neither answer are left out.

    Raises:
        UserError: a column is missing, a cell cannot be read, an association is not known, its `association_id` is
            another one's, or a rater rated one twice.
    """
    table = one_spelling(read_table(path, (RATER, HARM)), PARTS, str(path))
    by_parts = all(name in table.columns for name in PARTS)
    if not by_parts:
        require_columns(path, table.columns, [IDENTIFIER])
    columns = {
        name: pl.col(name) if name in table.columns else pl.lit("")
        for name in (*PARTS, RATER, HARM, FREQUENT, COUNTS)
    }
    columns["given"] = pl.col(IDENTIFIER) if IDENTIFIER in table.columns else pl.lit("")
    text = (cell.fill_null("").str.strip_chars().alias(name) for name, cell in columns.items())
    cells = table.select(text).with_row_index("row", offset=1)
    cells = cells.filter(pl.col(COUNTS).str.to_lowercase() != "false")

    def refuse(broken: pl.Expr, complaint: str) -> None:
        """Refuse the table for its first broken row; its columns fill the complaint."""
        for row in cells.filter(broken).head(1).iter_rows(named=True):
            raise UserError(f"{path}, row {row['row']}: {complaint.format(**row)}")

    identified = _by_identifier(associations)
    if by_parts:
        for name in PARTS:
            refuse(pl.col(name) == "", f"'{name}' is empty. Expected all four parts of the association.")
    else:
        refuse(
            ~pl.col("given").is_in(identified["given"].implode()),
            "the association '{given}' is neither in the runs nor in --associations. Add the columns "
            f"{', '.join(PARTS)}.",
        )
        cells = cells.drop(PARTS).join(identified, on="given", how="left", maintain_order="left")
    refuse(pl.col(RATER) == "", f"'{RATER}' is empty. Expected the code of the person.")
    harm, frequent = pl.col(HARM).str.extract(INTEGER).cast(pl.Int64, strict=False), pl.col(FREQUENT)
    refuse(
        (pl.col(HARM) != "") & ~harm.is_between(LOWEST, HIGHEST).fill_null(value=False),
        f"'{HARM}' is '{{{HARM}}}'. Expected a whole number from {LOWEST} to {HIGHEST}, or empty.",
    )
    refuse(
        ~frequent.str.to_lowercase().is_in(["", *ANSWERS]),
        f"'{FREQUENT}' is '{{{FREQUENT}}}'. Expected {', '.join(ANSWERS)}, or empty.",
    )
    cells = with_ids(cells.with_columns(harm, frequent.str.to_lowercase()))
    cells = cells.filter(pl.col(HARM).is_not_null() | (frequent != "")).with_columns(
        first=pl.col("row").first().over(IDENTIFIER, RATER)
    )
    # A name that is known as another association's, or made of other parts; one of somebody's own says nothing.
    named = with_ids(identified).select("given", of_name=IDENTIFIER)
    cells = cells.join(named, on="given", how="left", maintain_order="left")
    other = pl.col("given").str.contains(OURS) | (pl.col("of_name") != pl.col(IDENTIFIER)).fill_null(
        value=False
    )
    refuse(
        (pl.col("given") != "") & (pl.col("given") != pl.col(IDENTIFIER)) & other & pl.lit(by_parts),
        f"'{IDENTIFIER}' is '{{given}}', but the four parts give '{{{IDENTIFIER}}}'. Correct one of them.",
    )
    refuse(
        pl.col("row") != pl.col("first"),
        f"the rater '{{{RATER}}}' already rated this association in row {{first}}. Keep one.",
    )
    if cells.is_empty():
        raise UserError(f"{path} contains no ratings: the columns '{HARM}' and '{FREQUENT}' are empty.")
    answered = pl.col(HARM).is_not_null() & (frequent != "")
    rated = cells.with_columns(
        rater_kind=pl.lit(HUMAN),
        repeat=pl.lit(1),
        language=pl.lit(""),
        outcome=pl.when(answered).then(pl.lit("rated")).otherwise(pl.lit("partly")),
    )
    return rated.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items())


def _by_identifier(associations: pl.DataFrame | None) -> pl.DataFrame:
    """The four parts by every name `given` to an association, ours before those of published files."""
    names = [] if associations is None else [n for n in (IDENTIFIER, "given_id") if n in associations.columns]
    frames = [] if associations is None else [associations.select(*PARTS, given=name) for name in names]
    none = pl.DataFrame(schema=dict.fromkeys((*PARTS, "given"), pl.String))
    return pl.concat([none, *frames]).drop_nulls("given").unique("given", keep="first", maintain_order=True)


def with_ids(associations: pl.DataFrame) -> pl.DataFrame:
    """The rows with the name of their association in front (`association_id`)."""
    names = {parts: association_id(*parts) for parts in associations.select(PARTS).unique().iter_rows()}
    ids = [names[parts] for parts in associations.select(PARTS).iter_rows()]
    return associations.select(pl.Series("association_id", ids, dtype=pl.String), pl.all())


def require_cells(path: Path, table: pl.DataFrame, name: str, broken: pl.Expr, complaint: str) -> None:
    """Refuse a table with broken cells in a column.

    Args:
        path: what the table was read from.
        table: its rows.
        name: the column.
        broken: which rows are broken.
        complaint: what is said of the first of them; '{}' stands for its cell.

    Raises:
        UserError: there is a broken cell.
    """
    rows = table.select(pl.arg_where(broken)).to_series()
    if len(rows):
        cell = table[name][rows[0]]
        raise UserError(f"{path}, row {rows[0] + 1}, column '{name}': {complaint.format(cell)}")


def unmatched(human: pl.DataFrame, associations: pl.DataFrame | None) -> int:
    """Associations that people rated and that are not among the known ones; 0 where none are known.

    Args:
        human: what `read_human` gives.
        associations: the associations of runs and of other tables ("association_id").
    """
    if associations is None:
        return 0
    return human.select("association_id").unique().join(associations, on="association_id", how="anti").height


@dataclass(frozen=True, slots=True)
class Panel:
    """All raters on all associations; arrays have shape (associations, raters), NaN where one did not rate.

    Attributes:
        ratings: the ratings one by one, `rater` being one of `raters`.
        associations: `association_id` and the four parts, in the order of their names.
        raters: models in alphabetical order, then `PEOPLE` where people rated.
        models: for each rater that is a model its name as the command line had it.
        means: means of ratings.
        medians: their medians.
        threshold: median from which an association counts as harmful.
        table: `schema.harm.HARM_SCORE_COLUMNS`.
    """

    ratings: pl.DataFrame
    associations: pl.DataFrame
    raters: tuple[str, ...]
    models: Mapping[str, str]
    means: np.ndarray
    medians: np.ndarray
    threshold: float
    table: pl.DataFrame

    @property
    def has_people(self) -> bool:
        """Whether people rated."""
        return PEOPLE in self.raters

    def values(self, side: str) -> np.ndarray:
        """Code of the 'base' or 'compared' value of each association: associations that share one are alike."""
        names = pl.struct(f"{side}_attribute", f"{side}_value")
        return self.associations.select(names.rank("dense")).to_series().to_numpy()

    @property
    def together(self) -> str:
        """The rater that stands for models in general: all of them, the only one, or '' where none rated."""
        return ALL_MODELS if len(self.models) > 1 else next(iter(self.models), "")

    def mean(self, rater: str) -> np.ndarray:
        """Mean rating of each association; of `ALL_MODELS` the mean over models of their means."""
        return self._column(rater, self.means, np.nanmean)

    def median(self, rater: str) -> np.ndarray:
        """Median rating of each association; of `ALL_MODELS` the median over models of their medians."""
        return self._column(rater, self.medians, np.nanmedian)

    def harmful(self, rater: str) -> np.ndarray:
        """1 where the median reaches the threshold, 0 where it does not, NaN where there is none."""
        median = self.median(rater)
        return np.where(np.isnan(median), np.nan, median >= self.threshold)

    def _column(self, rater: str, values: np.ndarray, over: Callable[..., Any]) -> np.ndarray:
        if rater != ALL_MODELS:
            return np.asarray(values[:, self.raters.index(rater)])
        of_models = values[:, [k for k, name in enumerate(self.raters) if name != PEOPLE]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an association that no model rated stays NaN
            return np.asarray(over(of_models, axis=1))


def panel(ratings: pl.DataFrame, threshold: float) -> Panel:
    """The panel of checked ratings.

    A model that was asked in several languages is a rater for each, "NAME [CODE]".
    """
    several = pl.col("language").n_unique().over("rater", "rater_kind") > 1
    in_language = pl.when(several).then(pl.format("{} [{}]", "rater", "language")).otherwise("rater")
    person = pl.col("rater_kind") == HUMAN
    named = ratings.with_columns(
        model=pl.col("rater"), rater=pl.when(person).then(pl.lit(PEOPLE)).otherwise(in_language)
    )
    associations = (
        ratings.select("association_id", *PARTS).unique("association_id", keep="first").sort("association_id")
    )
    models = dict(named.filter(~person).select("rater", "model").unique().sort("rater").iter_rows())
    raters = (*models, PEOPLE) if named["rater_kind"].eq(HUMAN).any() else tuple(models)
    # What each rater thinks of each association.
    frequent = pl.col("frequent").filter(pl.col("frequent") != "")
    scores = named.group_by("association_id", "rater", "rater_kind").agg(
        n=pl.col("harm").count().cast(pl.Int64),
        mean=pl.col("harm").mean(),
        median=pl.col("harm").median(),
        frequent_yes=(frequent == "yes").mean(),
        frequent_n=frequent.count().cast(pl.Int64),
    )
    classified = scores.with_columns(harmful=(pl.col("median") >= threshold).cast(pl.Int64))
    table = classified.select(*HARM_SCORE_COLUMNS).sort("association_id", "rater_kind", "rater")
    # Associations x raters, NaN where there is no number.
    means, medians = (
        associations.select("association_id")
        .join(
            table.pivot(on="rater", index="association_id", values=name),
            on="association_id",
            how="left",
            maintain_order="left",
        )
        .select(raters)
        .to_numpy()
        for name in ("mean", "median")
    )
    return Panel(named, associations, raters, models, means, medians, threshold, table)
