"""From settings to tables of drafts: the run of the engine, other engines of translation, the files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.kind import Kind, cell, with_columns_of_data
from endoxa.author.kinds import KINDS
from endoxa.author.run import Drafted, Prepared, author_work, drafted, prepare
from endoxa.author.settings import (
    AuthorSettings,
    LabelSettings,
    TranslateSettings,
)
from endoxa.author.tables import run_folder, write_drafts, write_sheet
from endoxa.curate.translation import Translator, open_translator, translate_all
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Run
from endoxa.runs.journal import part_words
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name
from endoxa.sources.source import reading_files
from endoxa.words.state import Used

TABLE = "table:"


def is_service(engine: str) -> bool:
    """Whether these words name an engine that is no chat model."""
    return engine.startswith(TABLE)


def open_service(engine: str) -> Translator:
    """The engine that these words name.

    Raises:
        UserError: it cannot be had.
    """
    return open_translator(engine.removeprefix(TABLE))


def translated(
    of: Prepared, folder: Path, progress: Progress, services: Mapping[str, Translator]
) -> pl.DataFrame:
    """The translations of all services as records, as if a chat model had answered with them.

    What was translated is remembered in the run folder, so a run that was killed goes on.

    Raises:
        UserError: an engine fails as a whole.
    """
    settings = of.settings
    assert isinstance(settings, TranslateSettings)
    texts = [cell(row, name) for row in of.data.iter_rows(named=True) for name in of.kind.fields]
    languages = [language for language in of.data["language"] for _ in of.kind.fields]
    folder.mkdir(parents=True, exist_ok=True)
    memory = folder / "translations.jsonl"
    records: list[dict[str, Any]] = []
    unknown = {"refused": False, "served_model": None, "prompt_sha256": None}
    for engine, translator in services.items():
        made = translate_all(
            texts, languages, translator, target=settings.to, memory=memory, progress=progress
        )
        for number, sides in enumerate(zip(made[::2], made[1::2], strict=True)):
            row = {name: side or "" for name, side in zip(of.kind.fields, sides, strict=True)}
            failed = "not translated" if None in sides else None
            facts = {"model": engine, "number": number, "answer": json.dumps(row, ensure_ascii=False)}
            records.append(facts | {"error": failed} | unknown)
    return pl.DataFrame(records, infer_schema_length=None)


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
    require_table_name(out)
    sheet = Path(settings.sheet) if isinstance(settings, LabelSettings) and settings.sheet else None
    if sheet is not None:
        require_table_name(sheet)
    require_apart([out, sheet], [Path(settings.data)])
    with reading_files(include_drafts=settings.include_drafts):
        kind = KINDS[name]
        of = prepare(kind, settings)
        done, records = None, []
        engines = settings.services if isinstance(settings, TranslateSettings) else ()
        services = {engine: open_service(engine) for engine in engines}
        if settings.models or not services:
            done = run(
                _instrument(kind, type(settings)),
                settings,
                run_folder(out),
                restart=restart,
                progress=progress,
                command=command,
            )
            records.append(pl.read_parquet(done.folder / RECORDS))
        if services:
            records.append(translated(of, run_folder(out), progress, services))
        made = drafted(of, pl.concat(records, how="diagonal_relaxed"), done.cost if done else {})
        if not isinstance(settings, TranslateSettings):  # candidates are put together with their table
            from_rows, new = name != "expand", name in ("expand", "tuples")
            drafts = with_columns_of_data(of.data, made.drafts, from_rows=from_rows, new=new)
            made = replace(made, drafts=drafts)
        written = write_drafts(of, made, out)
        if sheet is not None and isinstance(settings, LabelSettings):
            written.append(write_sheet(made.drafts, settings))
        seed = None if settings.sample is None else settings.seed
        return Outcome(made, tuple(written), done, part_words(of.data.height, of.available, seed, "rows"))


def _instrument(kind: Kind, settings: type[AuthorSettings]) -> Instrument[Any]:
    """What the engine must know to run a kind of draft."""
    return Instrument(
        name=f"author {kind.name}",
        holds=f"drafts of kind {kind.name}",
        unit="answers",
        settings=settings,
        help="",
        work=lambda run_settings, _folder: author_work(kind, run_settings),
        summary=lambda _settings, _run: iter(()),
        words=prompt_components,
    )


def prompt_components(settings: AuthorSettings) -> Used:
    """Our prompts, unless the user gave their own."""
    return {} if settings.prompts else {"author prompts": [settings.prompt_language]}
