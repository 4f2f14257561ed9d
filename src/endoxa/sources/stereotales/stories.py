"""Prompts and stories with their text, before anything is read off them, one row at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.schema.stories import STORY_COLUMNS, STORY_PROMPT_COLUMNS
from endoxa.sources.tables import Fault, Row, refusal, table_columns, table_rows


def filled_rows(path: Path, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row]:
    """Each row of a CSV, TSV, JSONL or Parquet file, once its `required` cells are known to be filled.

    Args:
        path: the file.
        required: columns that every row must have something in.
        optional: columns that are used where they are there; faults in any other column do not matter.

    Raises:
        UserError: the file cannot be read or lacks a column, or a row is broken or lacks a cell.
    """
    used = {*required, *optional, None}
    for row in table_rows(path, required):
        empty = (
            Fault("empty-cell", None, f"the column '{name}' is empty. Fill it in")
            for name in required
            if not (row.cells.get(name) or "").strip()
        )
        for fault in (*row.faults, *empty):
            if fault.column in used:
                raise refusal(path, row.number, row.line, fault)
        yield row


STORY_REQUIRED = ("sample_id", "generator_model", "language", "target_attribute", "target_attribute_value")
"""Columns that every story must have something in, beside its own; the other columns are carried along."""
TEXT = "story"
NAMED_BY = ("sample_id", "generator_model", "language", "repeat")
FIRST = "1"
"""The repeat of a story in a file that knows none."""
WHOLE_NUMBERS = ("repeat", "seed", "prompt_tokens", "completion_tokens")
"""Columns of stories that hold whole numbers."""


@dataclass(frozen=True, slots=True)
class Story:
    """One story.

    Attributes:
        cells: its `STORY_COLUMNS`; None where the file has none.
    """

    cells: Mapping[str, str | None]

    @property
    def text(self) -> str:
        """The story; empty where the model said nothing."""
        return self.cells["story"] or ""

    @property
    def language(self) -> str:
        """Its ISO 639 code."""
        return self.cells["language"] or ""

    @property
    def name(self) -> str:
        """What tells it from every other story: prompt, model, language and repeat."""
        return "|".join(self.cells[part] or FIRST for part in NAMED_BY)


def story_names(stories: pl.DataFrame) -> pl.Series:
    """`Story.name` of each row of a table of stories."""
    parts = [
        pl.col(part).cast(pl.String).fill_null(FIRST) if part in stories.columns else pl.lit(FIRST)
        for part in NAMED_BY
    ]
    return stories.select(pl.concat_str(parts, separator="|").alias("name"))["name"]


def read_stories(path: Path) -> Iterator[Story]:
    """Stories in the order of the file: the run folder of `probe stories`, or a table in StereoTales' columns.

    Raises:
        UserError: the file cannot be read, lacks a column, or a row lacks a cell or holds a number that is none.
    """
    source = story_file(path)
    if TEXT not in table_columns(source):
        raise UserError(f"{source} has no column '{TEXT}'. Expected the text of each story in it.")
    for row in filled_rows(source, STORY_REQUIRED, tuple(STORY_COLUMNS)):
        cells = {name: row.cells.get(name) for name in STORY_COLUMNS}
        for name in WHOLE_NUMBERS:
            if not (cells[name] or "0").removeprefix("-").isdecimal():
                raise UserError(
                    f"{source}, row {row.number}: the column '{name}' contains '{cells[name]}'. Expected a whole "
                    "number."
                )
        yield Story(cells)


def story_file(path: Path) -> Path:
    """The file with the stories: the records of a run folder, or the file itself."""
    return path / "records.parquet" if path.is_dir() else path


PROMPT_OPTIONAL = ("theme", "associations", *PROVENANCE_COLUMNS)
PROMPT_REQUIRED = tuple(name for name in STORY_PROMPT_COLUMNS if name not in PROMPT_OPTIONAL)


@dataclass(frozen=True, slots=True)
class StoryPrompt:
    """One prompt; the fields are those of `STORY_PROMPT_COLUMNS`."""

    sample_id: str
    language: str
    theme: str
    scenario: str
    target_attribute: str
    target_attribute_value: str
    prompt: str
    associations: str = ""
    built_by: str = ""
    words: str = ""


def read_prompts(path: Path) -> Iterator[StoryPrompt]:
    """Prompts in the order of the file (JSONL, CSV, TSV or Parquet), one in memory at a time.

    Raises:
        UserError: the file cannot be read, lacks a column, or a row lacks a cell other than the theme.
    """
    for row in filled_rows(path, PROMPT_REQUIRED, PROMPT_OPTIONAL):
        yield StoryPrompt(**{field.name: row.cells.get(field.name) or "" for field in fields(StoryPrompt)})
