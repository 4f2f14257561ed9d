"""`endoxa probe harm`: associations and models in, every raw answer and the rating read off it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.datasets.files import sha256
from endoxa.datasets.stereotales.associations import distinct_associations, read_associations
from endoxa.probe.asking.filling import Filled, Task, fill
from endoxa.probe.asking.models import Planned, model_identity, parse_models, planned
from endoxa.probe.harm.answers import AnswerReader
from endoxa.probe.harm.jobs import Association, expected_work, jobs
from endoxa.probe.harm.language import HarmLanguage, read_language
from endoxa.probe.harm.records import write_records
from endoxa.probe.harm.settings import KIND, HarmSettings
from endoxa.schema import Progress


def probe_harm(
    settings: HarmSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Filled:
    """Have every association rated by every model, `repeats` times, and write the run folder `out`.

    A run that was killed continues; a finished one is left as it is.

    Args:
        settings: what to do.
        out: the run folder.
        restart: throw away what the folder holds.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: anything the user can mend: data, model, key, money, folder.
    """
    specs = parse_models(settings.models)
    associations, words = _associations(settings), _words(settings)
    reader = AnswerReader.of(words.answers, settings.language)
    identity = settings.identity(
        sha256(Path(settings.data)),
        words.model_dump(mode="json"),
        [model_identity(spec, settings.options) for spec in specs],
    )
    task = Task(
        kind=KIND,
        settings=settings,
        identity=identity,
        data={"path": settings.data, "sha256": identity["data"]},
        look_through=lambda _: len(associations),
        jobs=lambda: jobs(associations, settings, words),
        turns=1,
        calls=settings.repeats,
        write=lambda journal, folder: write_records(associations, settings, reader, journal, folder),
    )
    return fill(task, out, restart=restart, progress=progress, command=command)


def plan_harm(settings: HarmSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model; nothing is asked.

    Raises:
        UserError: as `probe_harm`, for data and the names of models.
    """
    specs = parse_models(settings.models)
    return planned(settings, specs, expected_work(_associations(settings), settings, _words(settings)))


def _associations(settings: HarmSettings) -> list[Association]:
    """The distinct associations of the file, in its order."""
    found = distinct_associations(read_associations(Path(settings.data)))
    return list(found.head(settings.limit or len(found)).iter_rows(named=True))


def _words(settings: HarmSettings) -> HarmLanguage:
    return read_language(settings.language, Path(settings.prompts) if settings.prompts else None)
