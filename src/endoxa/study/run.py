"""`endoxa study run`: every instrument, one after the other, within one budget; what is done is never done again.

A run whose settings or items have changed is moved to `earlier` and begun anew; where an earlier run has just these
settings, it takes its place again. A study that was stopped continues with the same command.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.spec import Price
from endoxa.runs.asking.cost import spent
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.folder import JOURNAL, RUN, DifferentRunError
from endoxa.runs.instrument import Run
from endoxa.runs.run import outdated, read_run, run
from endoxa.schema import Progress
from endoxa.study.file import Study
from endoxa.study.items import Items, build_items, read_associations
from endoxa.study.steps import EARLIER, RUNS, Step, steps


@dataclass(frozen=True, slots=True)
class Done:
    """One run of a study that is finished.

    Attributes:
        step: which.
        run: the run.
        again: it was begun anew, because its settings or items had changed.
    """

    step: Step
    run: Run
    again: bool


def run_study(
    study: Study, progress: Progress = lambda *_: None, command: Sequence[str] = ()
) -> tuple[list[Items], list[Done]]:
    """Measure everything that a study asks for and that is not measured yet.

    Args:
        study: the study.
        progress: told which run is under way and how far it is.
        command: the words of the command line, for `run.json`.

    Returns:
        The items of every instrument, and the finished runs.

    Raises:
        UserError: any user error; what was measured is kept.
    """
    items = build_items(study, read_associations(study))
    total = sum(2 if part.part.name == "stories" else 1 for part in items)
    done = []
    for number, step in enumerate(steps(study), start=1):
        report = partial(_report, progress, f"{number} of {total}, {step.name}")
        done.append(_run_step(study, step, report, command))
    return items, done


def _report(progress: Progress, which: str, what: str, /, *state: Any) -> None:
    progress(f"{which}: {what}", *state)


def _run_step(study: Study, step: Step, progress: Progress, command: Sequence[str]) -> Done:
    """Run a step in its folder, in that of an earlier run with the same settings, or anew."""
    folder = step.folder(study)
    settings = _within_budget(study, step)
    begin: Callable[[], Run] = partial(
        run, step.instrument, settings, folder, progress=progress, command=command
    )
    try:
        return Done(step, begin(), again=False)
    except DifferentRunError:
        _set_aside(study, step.name)
    for earlier in _earlier(study, step.name):
        earlier.rename(folder)
        try:
            return Done(step, begin(), again=False)
        except DifferentRunError:
            _set_aside(study, step.name)
    return Done(step, begin(), again=True)


def _set_aside(study: Study, name: str) -> None:
    """Move a run to `earlier`; one that has measured nothing is removed."""
    folder, beside = study.folder / RUNS / name, study.folder / EARLIER
    if not (folder / JOURNAL).exists() and not read_run(folder).get("finished"):
        shutil.rmtree(folder)
        return
    beside.mkdir(exist_ok=True)
    number = 1
    while (beside / f"{name}-{number}").exists():
        number += 1
    folder.rename(beside / f"{name}-{number}")


def _earlier(study: Study, name: str) -> Iterator[Path]:
    """Earlier runs of a step, the latest first; as they are now, since a look may move them."""
    folders = [
        path
        for path in (study.folder / EARLIER).glob(f"{name}-*")
        if path.name.removeprefix(f"{name}-").isdigit()
    ]
    yield from sorted(folders, key=lambda path: int(path.name.rpartition("-")[2]), reverse=True)


def _within_budget(study: Study, step: Step) -> Any:
    """The settings of a step, with what the others have left of the budget.

    Raises:
        UserError: nothing is left.
    """
    if study.budget is None or not isinstance(step.settings, ChatRunSettings):
        return step.settings
    from endoxa.runs.asking.cost import parse_models

    if all(spec.host.free for spec in parse_models(step.settings.models)):
        return step.settings
    others = sum(_cost(path) for path in run_folders(study) if path != step.folder(study))
    left = study.budget - others
    if left <= 0:
        raise UserError(
            f"The budget of ${study.budget:g} is used up (${others:.2f} spent). Raise `budget` in the study file, then "
            "run the same command again; everything measured is kept."
        )
    return step.settings.model_copy(update={"max_cost": left})


def run_folders(study: Study) -> list[Path]:
    """Every run folder of a study, those set aside among them."""
    return sorted(path.parent for name in (RUNS, EARLIER) for path in (study.folder / name).glob(f"*/{RUN}"))


def _cost(folder: Path) -> float:
    """US dollars that a run has cost at most so far, whether or not it is finished; 0 where it asks nobody."""
    facts = read_run(folder)
    use = facts.get("usage", {})
    if not (folder / JOURNAL).exists():
        return sum(model.get("most_cost_usd") or 0.0 for model in use.values())
    if "usage" not in facts and "sampling" not in facts.get("settings", {}):
        return 0.0
    return _cost_by_journal(folder, facts)


def _cost_by_journal(folder: Path, facts: dict[str, Any]) -> float:
    from endoxa.models.chat import parse_chat_model
    from endoxa.models.chat.presets import price_of

    settings = facts.get("settings", {})
    journal = AnswerJournal(folder / JOURNAL)
    try:
        prices: list[Price | None] = [
            price_of(parse_chat_model(name), settings.get("price")) for name in settings.get("models", [])
        ]
        return sum(spent(journal.totals(k), price) or 0.0 for k, price in enumerate(prices))
    finally:
        journal.close()


_NO_NUMBER = frozenset(
    (
        "models",
        "data",
        "tests",
        "vocabulary",
        "max_cost",
        "engine",
        "options",
        "notice",
        "retry_errors",
        "batch",
    )
)


def require_current(study: Study) -> tuple[list[Items], list[Step]]:
    """The items and steps of a study, all steps finished with the settings and items of today.

    Raises:
        UserError: one is missing, unfinished, or was run with other settings or items.
    """
    items = build_items(study, read_associations(study))
    current = []
    for step in steps(study):  # one after the other: a simulated model takes its place for its own step
        folder = step.folder(study)
        again = f"Run it: endoxa study run {study.folder}"
        if not (folder / RUN).is_file() or not read_run(folder).get("finished"):
            raise UserError(f"The run '{step.name}' of {study.folder} is not finished. {again}")
        if changed := outdated(step.instrument, step.settings, folder):
            raise UserError(
                f"The run '{step.name}' of {study.folder} is not that of the study file any more "
                f"({'; '.join(changed)}). {again}"
            )
        current.append(step)
    return items, current


def total_cost(study: Study) -> float:
    """US dollars that a study has cost at most so far."""
    return sum(map(_cost, run_folders(study)))
