"""Runs that are compared: read, checked to be of the same items, and named apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM, Run, holds
from endoxa.report.words import short_labels
from endoxa.sources.served import version_sentences
from endoxa.study.gate.questions import names_apart
from endoxa.study.gate.runs import Side, models_of, read_run, require_same_data
from endoxa.study.gate.settings import SENTENCES, require_same_items


@dataclass(frozen=True, slots=True)
class Compared:
    """One model of one run, with a name that tells it from the others.

    Attributes:
        side: run and model.
        label: its name on the page.
        named: the folder that was named; of stories not the run of profiles that is compared.
    """

    side: Side
    label: str
    named: Path = Path()

    @property
    def date(self) -> str:
        """When it was finished, ISO 8601, or empty."""
        return str(self.side.source.run.facts.get("finished") or "")

    def facts(self) -> dict[str, Any]:
        """What JSON says of it."""
        return {"label": self.label, **self.side.facts(), "date": self.date, "served": self.side.served}


def read_compared(paths: Sequence[Path], models: Sequence[str]) -> tuple[Compared, ...]:
    """Every run with its model; of a single run all of its models.

    Args:
        paths: run folders.
        models: the models wanted; needed where one of several runs holds several.

    Raises:
        UserError: fewer than two, one twice, another instrument, other data or items, or a model has to be chosen.
    """
    runs = [read_run(path, "What changed is shown of") for path in paths]
    named = dict(zip([run.folder for run in runs], paths, strict=True))
    for run in runs[1:]:
        if run.kind != runs[0].kind:
            raise UserError(
                f"'{runs[0].folder}' holds {holds(runs[0].kind)} and '{run.folder}' {holds(run.kind)}: only runs of "
                "one instrument can be compared."
            )
        # Profiles are of the stories of each run, and ratings of the associations that both rated.
        if run.kind not in (EXTRACTED, HARM) and not names_apart(runs[0], run):
            require_same_data(runs[0], run, free=SENTENCES)
            require_same_items(runs[0], run)
    sides = [Side("run", run, model) for run in runs for model in _wanted(run, models, alone=len(runs) == 1)]
    if len(sides) < 2:
        raise UserError(
            "There is one run of one model only. Name two runs or more: `endoxa compare out/a out/b -o page.html`."
        )
    twice = Counter((side.run.folder.resolve(), side.model) for side in sides)
    for (folder, model), number in twice.items():
        if number > 1:
            raise UserError(f"The run '{folder}' of '{model}' is named {number} times. Name each run once.")
    return tuple(
        Compared(side, label, named[side.run.folder])
        for side, label in zip(sides, _labels(sides, named), strict=True)
    )


def _wanted(run: Run, models: Sequence[str], *, alone: bool) -> list[str]:
    names = models_of(run)
    chosen = [name for name in names if name in models] if models else names
    if not chosen:
        raise UserError(f"'{run.folder}' has none of these models. Expected one of: {', '.join(names)}.")
    if len(chosen) > 1 and not alone:
        several = f"'{run.folder}' holds {len(chosen)} models ({', '.join(chosen)})."
        advice = "Choose one with --model, or compare the models of this run alone."
        raise UserError(" ".join((several, advice, *version_sentences(chosen))))
    return chosen


def _labels(sides: Sequence[Side], named: Mapping[Path, Path]) -> list[str]:
    """Names of models where they tell the runs apart, else of folders, else of both."""
    models = short_labels([side.model for side in sides])
    by_model = [models[side.model] for side in sides]
    paths = [str(named[side.run.folder].resolve()) for side in sides]
    folders = short_labels(paths)
    by_folder = [folders[path] for path in paths]
    for labels in (by_model, by_folder):
        if len(set(labels)) == len(labels):
            return labels
    labels = [f"{model} ({folder})" for model, folder in zip(by_model, by_folder, strict=True)]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{models[side.model]} ({side.run.folder})" for side in sides]
