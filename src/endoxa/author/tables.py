"""Tables of drafts on disk: the drafts, what was left out, the yield of each model, a sheet for a person.

Whether people took a draft: tables of drafts by status, and what may be used of them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl

from endoxa.author.kinds.label import read_scheme
from endoxa.author.kinds.translate import candidates
from endoxa.author.run import Drafted, Prepared
from endoxa.author.settings import LabelSettings, TranslateSettings
from endoxa.errors import UserError
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import count
from endoxa.schema.drafts import (
    APPROVED,
    DRAFT,
    FAILED,
    REASONS,
    REFUSED,
    REJECTED,
    STATUSES,
    UNREADABLE,
    YIELD_COLUMNS,
)
from endoxa.schema.headline import Headline
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns

YIELD, LEFT_OUT = "yield", "left_out"
"""Companions of a table of drafts."""


def run_folder(table: Path) -> Path:
    """Where the answers behind a table of drafts are kept."""
    return table.with_name(f"{table.stem}_run")


def beside(table: Path, name: str) -> Path:
    """A companion of a table of drafts; always CSV."""
    return table.with_name(f"{table.stem}_{name}.csv")


def copy_companions(table: Path, other: Path) -> None:
    """Put the companions of a table of drafts beside another one, which holds the same drafts."""
    for name in (YIELD, LEFT_OUT):
        if beside(table, name).is_file() and table != other:
            shutil.copyfile(beside(table, name), beside(other, name))


def write_drafts(of: Prepared, made: Drafted, out: Path) -> list[Path]:
    """Write the drafts and their companions; the files written, the drafts first."""
    drafts = made.drafts
    if isinstance(of.settings, TranslateSettings):
        drafts = candidates(of.data, of.settings, drafts)
    tables = {out: drafts, beside(out, YIELD): made.yields, beside(out, LEFT_OUT): made.left_out}
    out.parent.mkdir(parents=True, exist_ok=True)
    for path, table in tables.items():
        write_table(table, path)
    return list(tables)


YIELD_FIELDS = (
    text_field("model"),
    *(number_field(name) for name in ("asked", "answers")),
    number_field("without rows", lambda row: count(row[REFUSED] + row[FAILED] + row[UNREADABLE])),
    number_field("rows"),
    number_field("left out", lambda row: count(sum(row[name] for name in REASONS))),
    number_field("drafts"),
)
"""Columns of the table of what became of the rows asked for, on the terminal and on the page."""


def headline(yields: pl.DataFrame) -> Headline:
    """What became of the rows asked for, by model."""
    return headline_of("What became of the rows asked for", yields.select(YIELD_COLUMNS.keys()), YIELD_FIELDS)


def write_sheet(labels: pl.DataFrame, settings: LabelSettings) -> Path:
    """A random sample for a person to label: id, text and an empty label; the labels of models are not on it.

    Raises:
        UserError: the name of the file is no table's.
    """
    path = Path(str(settings.sheet))
    listed = "; ".join(read_scheme(settings.scheme).labels)
    drawn = labels.sample(min(settings.sheet_rows, labels.height), seed=settings.seed)
    sheet = drawn.select("draft_id", "text", label=pl.lit(""), labels=pl.lit(listed))
    write_table(sheet, path)
    return path


def read_drafts(path: Path) -> pl.DataFrame:
    """A table of drafts.

    Raises:
        UserError: a column is missing, a name is there twice, or a status is unknown.
    """
    table = read_table(path, ("draft_id", "status"), respect_statuses=False)
    for number, status in enumerate(table["status"], start=1):
        if status not in STATUSES:
            raise UserError(
                f"{path}, row {number}: the status '{status}' is unknown. Expected one of {', '.join(STATUSES)}."
            )
    twice = table.filter(pl.col("draft_id").is_duplicated())
    if not twice.is_empty():
        raise UserError(f"{path}: the name '{twice['draft_id'][0]}' is there twice. Names must be unique.")
    return table


def with_association_ids(table: pl.DataFrame) -> pl.DataFrame:
    """A table of associations; approved drafts are named by their `draft_id` where the table names no association."""
    if "draft_id" not in table.columns or "association_id" in table.columns:
        return table
    return table.with_columns(association_id=pl.col("draft_id"))


def counted(drafts: pl.DataFrame) -> dict[str, int]:
    """Drafts by status."""
    counts = dict(drafts.group_by("status").len().iter_rows())
    return {status: counts.get(status, 0) for status in STATUSES}


ANSWERS = (
    dict.fromkeys(("true", "yes", "y", "1", "approved", "ok", "changed", "oui", "sí", "si", "sim"), APPROVED)
    | dict.fromkeys(("false", "no", "n", "0", "rejected", "non", "não"), REJECTED)
    | dict.fromkeys(("", DRAFT), DRAFT)
)
"""What a verdict makes of a draft."""
VERDICTS = ("accepted", "approved", "state", "status")
"""Columns in which a table of judgements may say so: rooms write 'accepted' and 'state', sheets 'approved'."""
NAMES = ("draft_id", "item_id", "id")
CHANGED_TO = {"judged_less": "sent_less", "judged_more": "sent_more", "judged_attribute": "attribute"}
"""Words that people changed in a room, and where they belong."""


def approved(drafts: Path, judged: Path) -> pl.DataFrame:
    """The drafts with the status that people gave them; words that they changed are taken over.

    Drafts that nobody judged, or that still lack judgements, stay drafts.

    Args:
        drafts: a table of drafts.
        judged: the table of outcomes of a room (`*_items.csv`), or a sheet with `draft_id` and `approved`.

    Raises:
        UserError: a column is missing, a verdict cannot be read, or no row is about these drafts.
    """
    table, judgements = read_drafts(drafts), read_table(judged, respect_statuses=False)
    name, verdict = (
        next((each for each in names if each in judgements.columns), "") for names in (NAMES, VERDICTS)
    )
    if not name or not verdict:
        raise UserError(
            f"{judged} lacks {'a verdict' if name else 'a name for each row'}. Expected one of the columns "
            f"{', '.join(VERDICTS if name else NAMES)}."
        )
    for row in (~judgements[name].is_first_distinct()).arg_true():
        raise UserError(f"{judged}, row {row + 1}: '{judgements[name][row]}' is there twice. Keep one.")
    answers = pl.col(verdict).cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    for row in judgements.select(~answers.is_in([*ANSWERS])).to_series().arg_true():
        raise UserError(
            f"{judged}, row {row + 1}: '{judgements[verdict][row]}' says neither yes nor no. Expected true or false, "
            "or nothing."
        )
    changes = {
        to: column
        for column, to in CHANGED_TO.items()
        if column in judgements.columns and to in table.columns
    }
    said = judgements.select(
        draft_id=pl.col(name).cast(pl.String), status=answers.replace_strict(ANSWERS), **changes
    )
    both = table.join(said, on="draft_id", how="left", maintain_order="left", suffix=" said")
    if both["status said"].is_null().all():
        raise UserError(
            f"No row of {judged} is about a draft of {drafts}: the names in '{name}' do not occur there."
        )
    changed = (
        pl.col(f"{to} said").replace("", None).fill_null(pl.col(to)).alias(to) for to in said.columns[1:]
    )
    return both.with_columns(changed).select(table.columns)


def label_votes(labels: Path, sheet: Path) -> list[tuple[str, str, str]]:
    """The labels of models and of a person as votes: draft, rater, label.

    Args:
        labels: table of `endoxa author label`.
        sheet: the sheet that a person filled in.

    Raises:
        UserError: a label that is not in the list, or no row with both.
    """
    by_draft = {
        row["draft_id"]: str(row["label"] or "")
        for row in read_table(labels, ("draft_id", "label"), respect_statuses=False).iter_rows(named=True)
    }
    votes: list[tuple[str, str, str]] = []
    filled = read_table(sheet, ("draft_id", "label"), respect_statuses=False)
    for number, row in enumerate(filled.iter_rows(named=True), start=1):
        person = str(row["label"] or "").strip()
        allowed = {part.casefold(): part for part in str(row.get("labels") or "").split("; ") if part}
        if not person:
            continue
        if allowed and person.casefold() not in allowed:
            raise UserError(
                f"{sheet}, row {number}: '{person}' is no label. Expected one of {', '.join(allowed.values())}."
            )
        if row["draft_id"] not in by_draft:
            raise UserError(f"{sheet}, row {number}: '{row['draft_id']}' is not in {labels}.")
        if by_draft[row["draft_id"]]:
            votes.append((row["draft_id"], "models", by_draft[row["draft_id"]]))
            votes.append((row["draft_id"], "person", allowed.get(person.casefold(), person)))
    if not votes:
        raise UserError(
            f"{sheet} has no row with a label of a person and one of the models. Fill in the column 'label'."
        )
    return votes


def is_labels(path: Path) -> bool:
    """Whether a table holds labels of `endoxa author label`, or a person's beside them."""
    return path.suffix.lower() in TABLE_SUFFIXES and {"draft_id", "label"} <= set(table_columns(path))


def is_drafts(path: Path) -> bool:
    """Whether a table holds drafts, each with a status."""
    return path.suffix.lower() in TABLE_SUFFIXES and {"draft_id", "status"} <= set(table_columns(path))
