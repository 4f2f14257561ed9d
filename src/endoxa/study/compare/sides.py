"""Runs that are compared: read, checked to be of the same items, and named apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM, Run, holds
from endoxa.report.words import short_labels
from endoxa.sources.served import version_sentences
from endoxa.study.gate.questions import names_apart
from endoxa.study.gate.runs import Side, models_of, read_run, require_same_data
from endoxa.study.gate.settings import SENTENCES, require_same_items


def read_compared(paths: Sequence[Path], models: Sequence[str]) -> tuple[Side, ...]:
    """Every run with its model; of a single run all of its models.

    Args:
        paths: run folders.
        models: the models wanted; needed where one of several runs holds several.

    Raises:
        UserError: fewer than two, one twice, another instrument, other data or items, or a model has to be chosen.
    """
    runs = [read_run(path, "What changed is shown of") for path in paths]
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
    sides = [
        Side("run", run, model, path)
        for run, path in zip(runs, paths, strict=True)
        for model in _wanted(run, models, alone=len(runs) == 1)
    ]
    if len(sides) < 2:
        raise UserError(
            "There is one run of one model only. Name two runs or more: `endoxa compare out/a out/b -o page.html`."
        )
    twice = Counter((side.run.folder.resolve(), side.model) for side in sides)
    for (folder, model), number in twice.items():
        if number > 1:
            raise UserError(f"The run '{folder}' of '{model}' is named {number} times. Name each run once.")
    return tuple(replace(side, label=label) for side, label in zip(sides, _labels(sides), strict=True))


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


def _labels(sides: Sequence[Side]) -> list[str]:
    """Names of models where they tell the runs apart, else of folders, else of both."""
    models = short_labels([side.model for side in sides])
    by_model = [models[side.model] for side in sides]
    paths = [str(side.named.resolve()) for side in sides]
    folders = short_labels(paths)
    by_folder = [folders[path] for path in paths]
    for labels in (by_model, by_folder):
        if len(set(labels)) == len(labels):
            return labels
    labels = [f"{model} ({folder})" for model, folder in zip(by_model, by_folder, strict=True)]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{models[side.model]} ({side.run.folder})" for side in sides]
