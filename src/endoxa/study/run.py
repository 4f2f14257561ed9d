"""`endoxa study run`: what it takes (`--plan`), then every instrument, within one budget.

What is done is never done again. A run whose settings or items have changed is moved to `earlier` and begun anew; where
an earlier run has just these settings, it takes its place again. A study that was stopped continues with the same
command.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from math import isnan, nan, sqrt, tanh
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import count
from endoxa.runs.asking.cost import Expected, Planned, parse_models, planned, run_cost
from endoxa.runs.asking.jobs import ChatRunSettings
from endoxa.runs.folder import JOURNAL, RUN, DifferentRunError
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import outdated, read_run, run
from endoxa.schema import Progress, Usage
from endoxa.schema.headline import Headline
from endoxa.schema.options import settings_from
from endoxa.stats.intervals import effective_number
from endoxa.stats.power import ASSUMED_CORRELATION, POWER, detectable_effect_size
from endoxa.study import simulated
from endoxa.study.file import Study
from endoxa.study.items import (
    ID,
    Items,
    build_items,
    read_associations,
    study_vocabulary,
    vocabulary_file,
)
from endoxa.study.parts import CHOICES, PAIRS, QUESTIONS, RUNS, STORIES, TESTS, Part, Step, Values

EARLIER = "earlier"
PROFILES = "profiles"
"""Profiles read from stories; a run of `endoxa probe extract`."""
READERS = ("sim/reader-a", "sim/reader-b", "sim/reader-c")
"""Extractors of simulated stories, where the study file names none."""


def steps(study: Study) -> Iterator[Step]:
    """The runs of a study, each made when it is its turn: simulated models take their places then.

    Raises:
        UserError: settings that no run takes.
    """
    for part in study.parts():
        names = [_reached(study, part, model) for model in study.names(part)]
        values: Values = {
            **study.sections[part.name].probe,
            ("data",): str(study.folder / part.items),
            ("models",): tuple(names),
        }
        yield _run(study, part.name, part.instrument, values, names)
        if part == STORIES:
            yield _profiles(study)


def _reached(study: Study, part: Part, model: str) -> str:
    """The words by which the run names a model; a simulated one is offered as an object where it has to be."""
    if not simulated.is_simulated(model) or part not in (PAIRS, TESTS):
        return model
    if part == TESTS:
        from endoxa.instruments.association_tests.items import read_tests

        return simulated.encoder(model, read_tests(study.folder / part.items))
    from endoxa.sources.frames import read_table

    pairs = read_table(study.folder / part.items, ("item_id", ID, "sent_more", "sent_less"))
    return simulated.scorer(model, pairs.to_dicts())


def _profiles(study: Study) -> Step:
    """The reading of profiles from the stories."""
    vocabulary = vocabulary_file(study)
    values: Values = {
        ("data",): str(study.folder / RUNS / STORIES.name),
        ("models",): extractors(study),
        ("vocabulary",): None if vocabulary is None else str(vocabulary),
    }
    return _run(study, PROFILES, "extract", values, study.names(STORIES))


def extractors(study: Study) -> tuple[str, ...]:
    """Models that read profiles from stories: those of the study file, or the first model that writes stories.

    Raises:
        UserError: only simulated models write stories and a name that is no text was given.
    """
    named = study.sections[STORIES.name].of_study.get("extractors", ())
    several = (named,) if isinstance(named, str) else tuple(named)
    if not all(isinstance(name, str) for name in several):
        raise UserError(f"{study.folder}: extractors must be names of models in quotation marks.")
    written = list(study.names(STORIES))
    real = [model for model in written if not simulated.is_simulated(model)]
    return several or (tuple(real[:1]) if real else READERS)


def _run(study: Study, name: str, kind: str, values: Values, models: Iterable[str]) -> Step:
    """A run with what the study says of all, then what it says of this one."""
    instrument = INSTRUMENTS.get(kind)
    shared: dict[tuple[str, ...], Any] = {("seed",): study.seed}
    if "confidence" in instrument.settings.model_fields:
        shared["confidence",] = study.confidence
    if any(simulated.is_simulated(model.removeprefix("live/")) for model in models):
        shared["notice",] = simulated.NOTICE
    settings = settings_from(instrument.settings, {**shared, **values})
    return Step(name, instrument, settings, study.folder / RUNS / name)


# ------------------------------------------------------------------ what a study takes

STORY_TOKENS, QUESTION_TOKENS = 300, 700
"""Tokens of a story and of what is asked about it."""
ANSWER_TOKENS = 15
"""Tokens of an answer about one attribute of a story."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What one run of a study will take.

    Attributes:
        name: the run.
        items: number of items.
        associations: associations that have an item.
        identities: identities among them.
        calls: calls to chat models, all models together; 0 where none is asked.
        dollars: what they cost; None where a price is not known.
        detectable: smallest mean effect over associations that is found four times in five, in standard deviations of
            associations; NaN where too few.
    """

    name: str
    items: int
    associations: int
    identities: int
    calls: int
    dollars: float | None
    detectable: float


def plan_study(study: Study) -> tuple[list[Items], list[PlannedStep]]:
    """Make the items and plan every run of them.

    Raises:
        UserError: the study file, the associations or a model cannot be used.
    """
    associations = read_associations(study)
    identities = dict(associations.select(ID, "identity").iter_rows())
    made = build_items(study, associations)
    by_name = {part.part.name: part for part in made}
    return made, [_planned(study, step, by_name, identities) for step in steps(study)]


def _planned(
    study: Study, step: Step, items: Mapping[str, Items], identities: Mapping[str, str]
) -> PlannedStep:
    part_items = items[STORIES.name if step.name == PROFILES else step.name]
    work = _expected_work(study, step, part_items)
    calls = sum(planned_model.expected.calls for planned_model in work)
    dollars = [planned_model.dollars for planned_model in work]
    sizes = pl.Series([identities[name] for name in part_items.ids]).value_counts()["count"].to_numpy()
    return PlannedStep(
        step.name,
        part_items.count,
        len(part_items.ids),
        len(sizes),
        calls,
        None if None in dollars else float(sum(price or 0.0 for price in dollars)),
        detectable_mean(sizes),
    )


def _expected_work(study: Study, step: Step, items: Items) -> list[Planned]:
    """Expected work of each chat model of a run; empty where none is asked."""
    if not isinstance(step.settings, ChatRunSettings):
        return []
    if step.name == QUESTIONS.name:
        from endoxa.instruments.questions.probe.work import plan_qa

        return plan_qa(step.settings)  # type: ignore[arg-type]
    if step.name == CHOICES.name:
        from endoxa.instruments.choices.work import plan_choices

        return plan_choices(step.settings)  # type: ignore[arg-type]
    if step.name == STORIES.name:
        from endoxa.instruments.stories.probe import stories_probe

        return stories_probe(step.settings).plan()  # type: ignore[arg-type]
    # Stories that are not written yet: two questions about each.
    repeats = int(study.sections[STORIES.name].probe.get(("repeats",), 1))
    stories = items.count * repeats * len(study.models_of(STORIES))
    answer = ANSWER_TOKENS * len(study_vocabulary(study))
    usage = Usage(stories * (2 * STORY_TOKENS + QUESTION_TOKENS), stories * answer)
    return planned(step.settings, parse_models(step.settings.models), Expected(2 * stories, usage))


def detectable_mean(sizes: np.ndarray) -> float:
    """Smallest mean effect of associations, in their standard deviations, that a t-test finds with power 0.8.

    Associations of one identity are taken to be correlated (0.1): n of them in clusters of the given sizes count as
    n / (1 + 0.1 (m - 1)), with m the size-weighted mean size.

    Args:
        sizes: associations of each identity, shape (identities,).
    """
    total = float(np.sum(sizes))
    if total < 2:
        return nan
    weighted = total / effective_number(sizes)
    return detectable_effect_size(int(total / (1 + ASSUMED_CORRELATION * (weighted - 1))))


def detectable_correlation(associations: int) -> float:
    """Smallest correlation between two instruments that is found with power 0.8 at 0.05 (Fisher's z; Cohen 1988).

    Args:
        associations: associations that both measure. NaN for fewer than five.
    """
    from scipy.stats import norm

    if associations < 5:
        return nan
    return tanh(float(norm.isf(0.025) + norm.ppf(POWER)) / sqrt(associations - 3))


def plan_table(items: Sequence[Items], rows: Sequence[PlannedStep]) -> Headline:
    """The plan as the terminal shows it."""
    fields = (
        text_field("run", "name"),
        *map(number_field, ("items", "associations", "identities")),
        number_field("calls", "calls", lambda calls: count(calls) if calls else "-"),
        number_field("dollars", _dollars),
        number_field("detectable", "detectable", lambda effect: "-" if isnan(effect) else f"{effect:.2f}"),
    )
    notes = "\n".join((_EXPLAINED, *_correlations(items)))
    return headline_of("What the study takes", map(asdict, rows), fields, notes=[notes])


_EXPLAINED = (
    "detectable: smallest mean effect found four times in five, in standard deviations of associations."
)


def _dollars(row: Mapping[str, Any]) -> str:
    if not row["calls"]:
        return "-"
    return "unknown" if row["dollars"] is None else f"{row['dollars']:.2f}"


def _correlations(items: Sequence[Items]) -> list[str]:
    """What correlation between two instruments can be found, and how many associations they share."""
    lines = []
    for first, other in combinations(items, 2):
        number = len({*first.ids} & {*other.ids})
        least = detectable_correlation(number)
        effect = f"correlations from {least:.2f} on can be found (if independent)"
        effect = "too few to correlate" if isnan(least) else effect
        lines.append(f"{first.part.name} and {other.part.name}: {number} associations in common; {effect}.")
    return lines


# ------------------------------------------------------------------ measuring


@dataclass(frozen=True, slots=True)
class Done:
    """One step of a study that is finished.

    Attributes:
        name: the run.
        folder: where it is.
        counts: of its items and records.
        what: what was done.
    """

    name: str
    folder: Path
    counts: Mapping[str, int]
    what: Literal["done", "was complete", "begun anew"]


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
    total = sum(2 if part == STORIES else 1 for part in study.parts())
    done = [
        _run_step(study, step, partial(_report, progress, f"{number} of {total}, {step.name}"), command)
        for number, step in enumerate(steps(study), start=1)
    ]
    return items, done


def _report(progress: Progress, which: str, what: str, /, *state: Any) -> None:
    progress(f"{which}: {what}", *state)


def _run_step(study: Study, step: Step, progress: Progress, command: Sequence[str]) -> Done:
    """Run a step in its folder, in that of an earlier run with the same settings, or anew."""
    settings = _within_budget(study, step)

    def begin(what: Literal["done", "begun anew"] = "done") -> Done:
        made = run(step.instrument, settings, step.folder, progress=progress, command=command)
        return Done(step.name, made.folder, made.counts, "was complete" if made.was_complete else what)

    for earlier in (None, *_earlier(study, step.name)):
        if earlier is not None:
            earlier.rename(step.folder)
        try:
            return begin()
        except DifferentRunError:
            _set_aside(study, step.name)
    return begin("begun anew")


def _set_aside(study: Study, name: str) -> None:
    """Move a run to `earlier`; one that has measured nothing is removed."""
    folder, beside = study.folder / RUNS / name, study.folder / EARLIER
    if not (folder / JOURNAL).exists() and not read_run(folder).get("finished"):
        shutil.rmtree(folder)
        return
    beside.mkdir(exist_ok=True)
    number = next(number for number in itertools.count(1) if not (beside / f"{name}-{number}").exists())
    folder.rename(beside / f"{name}-{number}")


def _earlier(study: Study, name: str) -> list[Path]:
    """Earlier runs of a step, the latest first."""
    numbers = (path.name.removeprefix(f"{name}-") for path in (study.folder / EARLIER).glob(f"{name}-*"))
    latest = sorted((int(number) for number in numbers if number.isdigit()), reverse=True)
    return [study.folder / EARLIER / f"{name}-{number}" for number in latest]


def _within_budget(study: Study, step: Step) -> Any:
    """The settings of a step, with what the others have left of the budget.

    Raises:
        UserError: nothing is left.
    """
    if study.budget is None or not isinstance(step.settings, ChatRunSettings):
        return step.settings
    if all(spec.host.free for spec in parse_models(step.settings.models)):
        return step.settings
    others = sum(run_cost(path) for path in run_folders(study) if path != step.folder)
    left = study.budget - others
    if left <= 0:
        raise UserError(
            f"The budget of ${study.budget:g} is used up (${others:.2f} spent). Raise `budget` in the study file, then "
            "run the same command again; everything measured is kept."
        )
    return step.settings.model_copy(update={"max_cost": left})


def read_folders(study: Study) -> dict[str, Path]:
    """The run that says what each instrument measured, by instrument: of stories that of their profiles."""
    return {
        part.name: study.folder / RUNS / (PROFILES if part == STORIES else part.name)
        for part in study.parts()
    }


def run_folders(study: Study) -> list[Path]:
    """Every run folder of a study, those set aside among them."""
    return sorted(path.parent for path in study.folder.rglob(RUN))


def require_current(study: Study) -> tuple[list[Items], list[Step]]:
    """The items and steps of a study, all steps finished with the settings and items of today.

    Raises:
        UserError: one is missing, unfinished, or was run with other settings or items.
    """
    again = f"Run it: endoxa study run {study.folder}"
    items = build_items(study, read_associations(study))
    current = []
    # One after the other: a simulated model takes its place for its own step.
    for step in steps(study):
        if not (step.folder / RUN).is_file() or not read_run(step.folder).get("finished"):
            raise UserError(f"The run '{step.name}' of {study.folder} is not finished. {again}")
        if changed := outdated(step.instrument, step.settings, step.folder):
            raise UserError(
                f"The run '{step.name}' of {study.folder} is not that of the study file any more "
                f"({'; '.join(changed)}). {again}"
            )
        current.append(step)
    return items, current


def total_cost(study: Study) -> float:
    """US dollars that a study has cost at most so far."""
    return sum(map(run_cost, run_folders(study)))
