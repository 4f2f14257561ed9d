"""`endoxa probe stories`: prompts and models in, every story as it came out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from endoxa.datasets.files import require_file, sha256
from endoxa.probe.asking.filling import Filled, Task, fill
from endoxa.probe.asking.models import Planned, model_identity, parse_models, planned
from endoxa.probe.stories.jobs import expected_work, jobs, look_through
from endoxa.probe.stories.records import write_records
from endoxa.probe.stories.settings import StoriesSettings
from endoxa.schema import Progress


def probe_stories(
    settings: StoriesSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Filled:
    """Give every prompt to every model as often as asked, and write the run folder `out`.

    A run that was killed continues; a finished one is left as it is.

    Args:
        settings: what to do.
        out: the run folder.
        restart: throw away what the folder holds.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Returns:
        Counts "items" (prompts), "records", "filtered" and "failed" (see `write_records`).

    Raises:
        UserError: anything the user can mend: data, model, key, money, folder.
    """
    require_file(Path(settings.data))
    specs = parse_models(settings.models)
    identity = settings.identity(
        sha256(Path(settings.data)), [model_identity(spec, settings.options) for spec in specs]
    )
    task = Task(
        kind="stories",
        settings=settings,
        identity=identity,
        data={"path": settings.data, "sha256": identity["data"]},
        look_through=partial(look_through, settings),
        jobs=lambda: jobs(settings),
        turns=1,
        calls=settings.repeats,
        write=partial(write_records, settings),
        files={Path(settings.data): identity["data"]},
    )
    return fill(task, out, restart=restart, progress=progress, command=command)


def plan_stories(settings: StoriesSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model.

    Raises:
        UserError: as `probe_stories`, for data and the names of models.
    """
    require_file(Path(settings.data))
    specs = parse_models(settings.models)
    look_through(settings)
    return planned(settings, specs, expected_work(settings))
