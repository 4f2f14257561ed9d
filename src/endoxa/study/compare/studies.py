"""Whole studies: every instrument that all of them have is compared, and what is shown is corrected together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.words import listed, short_labels
from endoxa.runs.folder import RUN
from endoxa.runs.run import read_run as facts_of
from endoxa.sources.served import version_of
from endoxa.study.compare.results import Comparison, Contrasted
from endoxa.study.compare.run import comparison_of, contrasted, read_compared
from endoxa.study.compare.runs import Side, models_of, read_run
from endoxa.study.convergence.correlations import tool
from endoxa.study.file import FILE, Study, study_of
from endoxa.study.report import LIVE
from endoxa.study.run import read_folders


def compare_studies(
    folders: Sequence[Path], models: Sequence[str] = (), confidence: float = 0.95
) -> Comparison:
    """What changed between studies, instrument by instrument.

    Args:
        folders: of finished studies; the first is what the others are compared with.
        models: the model wanted, as the studies or their runs name it; needed where a study has several.
        confidence: of the intervals.

    Raises:
        UserError: fewer than two studies, one is not finished, or nothing can be compared.
    """
    for path in folders:
        if not (path / FILE).is_file():
            raise UserError(
                f"'{path}' is no study: it has no {FILE}. Compare studies with studies, runs with runs."
            )
    if len({path.resolve() for path in folders}) < max(len(folders), 2):
        raise UserError("Name two studies or more, each once: `endoxa compare STUDY1 STUDY2 -o page.html`.")
    studies = [study_of(path) for path in folders]
    short = short_labels([str(path.resolve()) for path in folders])
    labels = [short[str(path.resolve())] for path in folders]
    runs = [finished(study) for study in studies]
    compared: list[Side] = []
    contrasts: list[Contrasted] = []
    alone = []
    for name in dict.fromkeys(name for each in runs for name in each):
        having = [label for label, each in zip(labels, runs, strict=True) if name in each]
        if len(having) < len(runs):
            alone.append(f"Not compared, because only {listed(having)} has it: {tool(name)}.")
            continue
        paths = [each[name] for each in runs]
        try:
            sides = read_compared(paths, list(_models(studies, name, paths, models)))
            named = [replace(run, label=label) for run, label in zip(sides, labels, strict=True)]
            contrasts += [
                contrasted(couple, confidence, shown=couple[0] is named[0], instrument=tool(name))
                for couple in combinations(named, 2)
            ]
            compared += named
        except UserError as problem:
            alone.append(f"Not compared, {tool(name)}: {problem}")
    if not contrasts:
        raise UserError(" ".join(["Nothing can be compared.", *alone]))
    return comparison_of(compared, contrasts, confidence, alone)


def finished(study: Study) -> dict[str, Path]:
    """The runs of a study by name; of stories the profiles that were read from them.

    Raises:
        UserError: one is not finished.
    """
    folders = read_folders(study)
    for name, folder in folders.items():
        if not (folder / RUN).is_file() or not facts_of(folder).get("finished"):
            raise UserError(
                f"The run '{name}' of {study.folder} is not finished. Finish it: endoxa study run {study.folder}"
            )
    return folders


def _models(
    studies: Sequence[Study], name: str, paths: Sequence[Path], wanted: Sequence[str]
) -> Iterator[str]:
    """The models wanted, as the runs of an instrument name them."""
    for study, path in zip(studies, paths, strict=True):
        names = {reached: model.name for model in study.models if (reached := getattr(model, name, None))}
        for model in models_of(read_run(path)) if wanted else ():
            plain = version_of(model)[0].removeprefix(LIVE)
            if {model, plain, names.get(plain)} & {*wanted}:
                yield model
