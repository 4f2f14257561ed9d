"""Studies from Python: the steps of `endoxa study`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.api.data import as_polars, as_stored, is_path, naming_the_frame, path_of
from endoxa.api.runs import outside_loops, several, words_of
from endoxa.runs.options import Allowed, values_by_path
from endoxa.runs.progress import shown
from endoxa.schema.options import settings_from
from endoxa.schema.typed import typed_words
from endoxa.sources.source import Source
from endoxa.study import begin, plan, report, run
from endoxa.study.file import FILE, Study, read_study


def init_study(
    folder: str | Path,
    associations: Any,
    *,
    models: Sequence[str] | str = (),
    languages: Sequence[str] | str = (),
    limit: int | None = None,
) -> Path:
    """Write a study file to edit (`endoxa study init`).

    Args:
        folder: folder of the study; it must not hold one.
        associations: file or data frame with columns identity and attribute; or a published file.
        models: models by name; a simulated one where there are none.
        languages: languages of the items; those of the associations where there are none.
        limit: take only so many associations, those with the most support; 0 takes all, None 60 of a published file.

    Returns:
        The study file.

    Raises:
        UserError: the folder holds a study, or the associations cannot be used.
    """
    folder, named = Path(folder), (several(models), several(languages))
    if is_path(associations):
        begin.init_study(folder, path_of(associations, "associations"), *named, limit=limit)
        return folder / FILE
    source = Source.of_frame(as_stored(as_polars(associations)), "the data frame/associations")
    with naming_the_frame(source):
        begin.init_study(folder, source, *named, limit=limit)
    return folder / FILE


def plan_study(folder: str | Path, **allowed: Any) -> pl.DataFrame:
    """What each run of a study takes (`endoxa study run --plan`).

    Args:
        folder: folder of the study.
        allowed: what the study file asks for and may only have because you say it, too: `trust_remote_code=True`,
            `models=["http://HOST/v1#NAME"]`, `ray_address="..."`.

    Returns:
        A row for each run: name, items, associations, identities, calls, dollars (null where a price is not known),
        and the smallest mean effect that is detectable, in standard deviations of associations.

    Raises:
        UserError: the study file, the associations or a model cannot be used.
    """
    with _study(folder, allowed) as study:
        return pl.DataFrame([asdict(row) for row in plan.plan_study(study)[1]])


def run_study(folder: str | Path, *, progress: bool = True, **allowed: Any) -> dict[str, Path]:
    """Run every instrument of a study; what is measured already is not measured again (`endoxa study run`).

    Args:
        folder: folder of the study.
        progress: show progress on stderr.
        allowed: see `plan_study`.

    Returns:
        Folder of each run by name, for `read_run`.

    Raises:
        UserError: any user error; what was measured is kept.
    """
    folders: dict[str, Path] = {}

    def work() -> None:
        with (
            _study(folder, allowed) as study,
            shown("items") if progress else nullcontext(lambda *_: None) as bar,
        ):
            folders.update({step.name: step.folder for step in run.run_study(study, bar)[1]})

    outside_loops(work)
    return folders


def report_study(folder: str | Path, out: str | Path, **allowed: Any) -> report.Written:
    """Write the page of a study and its tables (the end of `endoxa study run`).

    Args:
        folder: folder of the study.
        out: the page (.html).
        allowed: see `plan_study`.

    Returns:
        `.convergence` with the data frames effects, reliabilities, correlations and agreement;
        `.headline`; `.files`.

    Raises:
        UserError: a run is missing, or was made with other settings than the study file has.
    """
    with _study(folder, allowed) as study:
        return report.write_study(study, Path(out))


@contextmanager
def _study(folder: str | Path, allowed: dict[str, Any]) -> Iterator[Study]:
    """The study of a folder; in the block the call counts as the command."""
    how = settings_from(Allowed, values_by_path(Allowed, allowed))
    with typed_words(words_of(how)):
        yield read_study(Path(folder), how)
