"""From settings to tables of drafts: the run of the engine, other engines of translation, the files."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.author.kind import OF_AN_ATTRIBUTE, Kind, cell, from_common_rows, from_row_of_draft, row_name
from endoxa.author.kinds import KINDS
from endoxa.author.kinds.translate import translation_checks
from endoxa.author.run import YIELD_TYPES, Drafted, Prepared, author_work, draft_types, drafted, prepare
from endoxa.author.settings import (
    AuthorSettings,
    ExpandSettings,
    LabelSettings,
    TranslateSettings,
    TuplesSettings,
)
from endoxa.author.tables import run_folder, write_drafts, write_sheet
from endoxa.curate.translation import Translator, open_translator, translate_all
from endoxa.errors import UserError
from endoxa.runs.instrument import Instrument, Run, Work
from endoxa.runs.items import part_words
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.schema.drafts import DRAFT, FAILED, YIELD_COLUMNS
from endoxa.schema.provenance import BUILT_BY
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name
from endoxa.sources.source import reading_files
from endoxa.words.used import Used

if TYPE_CHECKING:
    from endoxa.curate.encoders import Encoder

SEQ2SEQ, TABLE = "seq2seq:", "table:"


def is_service(engine: str) -> bool:
    """Whether these words name an engine that is no chat model."""
    return engine.startswith((SEQ2SEQ, TABLE))


def open_service(engine: str) -> Translator:
    """The engine that these words name.

    Raises:
        UserError: it cannot be had.
    """
    model = engine.removeprefix(SEQ2SEQ)
    return open_translator(engine.removeprefix(TABLE) if model == engine else f"hf/{model}")


def translated(
    of: Prepared, folder: Path, progress: Progress, before: Drafted | None, services: Mapping[str, Translator]
) -> Drafted:
    """The translations of all services, after those of chat models.

    What was translated is remembered in the run folder, so a run that was killed goes on.

    Raises:
        UserError: an engine fails as a whole.
    """
    settings = of.settings
    assert isinstance(settings, TranslateSettings)
    rows = list(of.data.iter_rows(named=True))
    languages = [cell(row, "language") for row in rows]
    folder.mkdir(parents=True, exist_ok=True)
    drafts = [] if before is None else [before.drafts]
    yields = [] if before is None else [before.yields]
    for engine, translator in services.items():
        counts: Counter[str] = Counter(asked=len(rows))
        texts = [str(row[name]) for row in rows for name in ("sent_more", "sent_less")]
        languages_twice = [language for language in languages for _ in range(2)]
        memory = folder / "translations.jsonl"
        translations = translate_all(
            texts, languages_twice, translator, target=settings.to, memory=memory, progress=progress
        )
        made = []
        for place, row in enumerate(rows):
            more, less = translations[2 * place], translations[2 * place + 1]
            if more.failed or less.failed:
                counts[FAILED] += 1
                continue
            checks = translation_checks(
                more.text, less.text, str(row["sent_more"]), str(row["sent_less"]), settings.to
            )
            name = row_name(row, place + 1)
            carried = {
                "draft_id": f"translate-{engine}-{name}",
                "status": DRAFT,
                "task": "translate",
                "source_ids": name,
                "source": f"draft by {engine}",
                "position": 1,
                "batch": 1,
                "checks": " ".join(checks),
                BUILT_BY: "endoxa author translate",
                "sent_more": more.text,
                "sent_less": less.text,
            }
            made.append({column: carried.get(column) for column in draft_types(of.kind)})
        counts["answers"] = counts["rows"] = counts["drafts"] = len(made)
        drafts.append(pl.DataFrame(made, schema=draft_types(of.kind)))
        counted = {name: counts[name] for name in YIELD_COLUMNS} | {
            "model": engine,
            "spread": None,
            "cost_usd": None,
        }
        yields.append(pl.DataFrame([counted], schema=YIELD_TYPES))
    left_out = pl.DataFrame() if before is None else before.left_out
    return Drafted(pl.concat(drafts), left_out, pl.concat(yields))


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
    if sheet is not None:
        require_table_name(sheet)
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
    names = settings.services if isinstance(settings, TranslateSettings) else ()
    services = {name: open_service(name) for name in names}
    encoder = _encoder(settings.encoder)
    if settings.models or not services:
        done = run(
            _instrument(kind, type(settings)),
            settings,
            run_folder(out),
            restart=restart,
            progress=progress,
            command=command,
        )
        made = drafted(of, done.folder, done.cost, encoder)
    if made is None or services:
        made = translated(of, run_folder(out), progress, made, services)
    made = replace(made, drafts=_with_columns_of_data(of, made.drafts))
    written = write_drafts(of, made, out)
    if sheet is not None and isinstance(settings, LabelSettings):
        written.append(write_sheet(made.drafts, settings))
    seed = None if settings.sample is None else settings.seed
    return Outcome(made, tuple(written), done, part_words(of.data.height, of.available, seed, "rows"))


def _encoder(name: str | None) -> Encoder | None:
    if name is None:
        return None
    from endoxa.curate.encoders import load_encoder

    return load_encoder(name)


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
        words=prompt_components,
    )


def prompt_components(settings: AuthorSettings) -> Used:
    """Our prompts, unless the user gave their own."""
    return {} if settings.prompts else {"author prompts": [settings.prompt_language]}


def _nothing(_settings: AuthorSettings, _run: Run) -> Iterator[str]:
    return iter(())
