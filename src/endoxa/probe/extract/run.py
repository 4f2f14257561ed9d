"""`endoxa probe extract`: stories and extractors in, the profile of each story's main character out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from endoxa.datasets.files import require_file, sha256
from endoxa.datasets.stereotales import Vocabulary, read_vocabulary, story_file
from endoxa.errors import UserError
from endoxa.probe.asking.filling import Filled, Task, fill
from endoxa.probe.asking.models import Planned, model_identity, parse_models, planned
from endoxa.probe.extract.jobs import expected_work, jobs, look_through
from endoxa.probe.extract.records import write_records
from endoxa.probe.extract.settings import ExtractSettings
from endoxa.schema import Progress

TURNS = 2


def probe_extract(
    settings: ExtractSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Filled:
    """Have every extractor read every story, and write the run folder `out`.

    A run that was killed continues; a finished one is left as it is.

    Args:
        settings: what to do.
        out: the run folder.
        restart: throw away what the folder holds.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Returns:
        Counts "items" (stories), "records", "refused", "wordless" and "unparsed" (see `write_records`).

    Raises:
        UserError: anything the user can mend: data, vocabulary, model, key, money, folder.
    """
    source = story_file(Path(settings.data))
    require_file(source)
    if out.resolve() == source.parent.resolve():
        raise UserError(f"{out} holds the stories that are read: name another run folder with --out.")
    specs = parse_models(settings.models)
    vocabulary = vocabulary_of(settings)
    identity = settings.identity(
        sha256(source),
        vocabulary,
        [model_identity(spec, settings.options) for spec in specs],
    )
    task = Task(
        kind="extract",
        settings=settings,
        identity=identity,
        data={"path": settings.data, "sha256": identity["data"]},
        look_through=partial(look_through, settings),
        jobs=lambda: jobs(settings, vocabulary),
        turns=TURNS,
        calls=TURNS,
        write=partial(write_records, settings, vocabulary),
        files={source: identity["data"]},
    )
    return fill(task, out, restart=restart, progress=progress, command=command)


def plan_extract(settings: ExtractSettings) -> list[Planned]:
    """Expected calls, tokens and cost by extractor.

    Raises:
        UserError: as `probe_extract`, for data, vocabulary and the names of models.
    """
    require_file(story_file(Path(settings.data)))
    specs = parse_models(settings.models)
    look_through(settings)
    return planned(settings, specs, expected_work(settings, vocabulary_of(settings)))


def vocabulary_of(settings: ExtractSettings) -> Vocabulary:
    """The vocabulary that a run extracts."""
    return read_vocabulary(Path(settings.vocabulary) if settings.vocabulary else None)
