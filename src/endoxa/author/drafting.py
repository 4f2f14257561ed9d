"""From settings to tables of drafts: the run of the engine, other engines of translation, the files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.carrying import OF_AN_ATTRIBUTE, from_common_rows, from_row_of_draft
from endoxa.author.kind import Kind
from endoxa.author.kinds import KINDS
from endoxa.author.run import Drafted, Prepared, author_work, drafted, prepare
from endoxa.author.services import translated
from endoxa.author.settings import (
    AuthorSettings,
    ExpandSettings,
    LabelSettings,
    TranslateSettings,
    TuplesSettings,
)
from endoxa.author.tables import run_folder, write_drafts, write_sheet
from endoxa.errors import UserError
from endoxa.runs.instrument import Instrument, Run, Work
from endoxa.runs.items import part_words
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name
from endoxa.sources.source import reading_files
from endoxa.words.used import Used


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command of `endoxa author` made.

    Attributes:
        made: drafts, rows left out, counts by model.
        written: files, the drafts first.
        run: the run behind them; None where no chat model was asked.
        part: which part of the rows was taken, in words; empty where all were.
    """

    made: Drafted
    written: tuple[Path, ...]
    run: Run | None
    part: str = ""


def draft(
    name: str,
    settings: AuthorSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Outcome:
    """Ask, or continue, and write the drafts with their companions.

    Args:
        name: kind of the drafts ("tuples").
        settings: of the kind; `data` names the table.
        out: table of drafts; answers are kept in `STEM_run` beside it.
        restart: discard earlier answers.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: anything that a user can mend.
    """
    with reading_files(include_drafts=settings.include_drafts):
        return _draft(KINDS[name], settings, out, restart=restart, progress=progress, command=command)


def _draft(
    kind: Kind,
    settings: AuthorSettings,
    out: Path,
    *,
    restart: bool,
    progress: Progress,
    command: Sequence[str],
) -> Outcome:
    require_table_name(out)
    sheet = Path(settings.sheet) if isinstance(settings, LabelSettings) and settings.sheet else None
    require_apart([out, sheet], [Path(settings.data)])
    folder = out.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise UserError(f"Nothing can be written into {folder}: {problem.strerror or problem}.") from problem
    of = prepare(kind, settings)
    done, made = None, None
    services = isinstance(settings, TranslateSettings) and settings.services
    if settings.models or not services:
        done = run(
            _instrument(kind, type(settings)),
            settings,
            run_folder(out),
            restart=restart,
            progress=progress,
            command=command,
        )
        made = drafted(of, done.folder, done.cost)
    if made is None or services:
        made = translated(of, run_folder(out), progress, made)
    made = replace(made, drafts=_with_columns_of_data(of, made.drafts))
    written = write_drafts(of, made, out)
    if sheet is not None and isinstance(settings, LabelSettings):
        written.append(write_sheet(made.drafts, settings))
    seed = None if settings.sample is None else settings.seed
    return Outcome(made, tuple(written), done, part_words(of.data.height, of.available, seed, "rows"))


def _with_columns_of_data(of: Prepared, drafts: pl.DataFrame) -> pl.DataFrame:
    """The drafts with the columns of the user's table; those of translations are put together with their table."""
    if isinstance(of.settings, TranslateSettings):
        return drafts
    if isinstance(of.settings, ExpandSettings):
        return from_common_rows(of.data, drafts)
    new_attributes = OF_AN_ATTRIBUTE if isinstance(of.settings, TuplesSettings) else frozenset[str]()
    return from_row_of_draft(of.data, drafts, new_attributes)


def _instrument(kind: Kind, settings: type[AuthorSettings]) -> Instrument[Any]:
    """What the engine must know to run a kind of draft."""

    def work(run_settings: AuthorSettings, _folder: Path) -> Work:
        return author_work(kind, run_settings)

    return Instrument(
        name=f"author {kind.name}",
        holds=kind.holds,
        unit="answers",
        settings=settings,
        help="",
        work=work,
        summary=_nothing,
        words=own_words,
    )


def own_words(settings: AuthorSettings) -> Used:
    """Our prompts, unless the user gave their own."""
    return {} if settings.prompts else {"author prompts": [settings.prompt_language]}


def _nothing(_settings: AuthorSettings, _run: Run) -> Iterator[str]:
    return iter(())
