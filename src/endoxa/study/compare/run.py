"""`endoxa compare`: from folders of runs, or of whole studies, to what changed between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM
from endoxa.report.words import listed, short_labels
from endoxa.runs.folder import RUN
from endoxa.sources.served import version_of
from endoxa.study.compare.changes import Change, compare_items, judged
from endoxa.study.compare.results import Comparison, Contrasted
from endoxa.study.compare.runs import Side, models_of, read_run, read_sides, settings_apart, several
from endoxa.study.compare.sentences import sentence_of
from endoxa.study.compare.stories import compare_stories

if TYPE_CHECKING:
    from endoxa.study.file import Study

WRITTEN = (EXTRACTED, HARM)
"""Instruments without rules or protocols."""


def compare(
    *runs: str | Path,
    model: str | Sequence[str] = (),
    rule: str | Sequence[str] = (),
    confidence: float = 0.95,
) -> Comparison:
    """What changed between runs of the same items, and at what price.

    Runs may differ in the model and in every way of asking. Items are paired; identities and attributes (of questions:
    templates, and attributes or groups) are both samples, as for `gate`. What is shown is corrected
    (Holm 1979): measures of bias, what they cost, and changes by axis and identity, each among themselves.

    Args:
        runs: finished run folders, the first is what the others are compared with; a single one with several models
            compares these.
        model: models, where runs hold several.
        rule: scoring rules or protocols; by default all that runs have in common.
        confidence: of the intervals.

    Raises:
        UserError: the runs cannot be compared, or an option is not for them.
    """
    if not 0.5 < confidence < 1:
        raise UserError(f"--confidence {confidence:g}: expected a number above 0.5 and below 1.")
    sides = read_compared([Path(run) for run in runs], several(model))
    if rule and sides[0].run.kind in WRITTEN:
        raise UserError("--rule: these runs have no scoring rules or protocols. Leave --rule out.")
    contrasts = [contrasted((sides[0], other), confidence, several(rule), sides) for other in sides[1:]]
    return comparison_of(sides, contrasts, confidence)


def comparison_of(
    runs: Sequence[Side],
    contrasts: Sequence[Contrasted],
    confidence: float,
    alone: Sequence[str] = (),
) -> Comparison:
    """Contrasts with their correction and sentences."""
    judgements = judge(contrasts, confidence)
    tests = sum(isfinite(change.p_value) for each in judgements for change in each.bias)
    several = len({run.label for run in runs}) > 2
    sentences = [sentence_of(each, tests, confidence, several=several) for each in judgements]
    return Comparison(tuple(sentences), tuple(runs), tuple(judgements), confidence, tests, tuple(alone))


def contrasted(
    couple: tuple[Side, Side],
    confidence: float,
    rules: Sequence[str] = (),
    every: Sequence[Side] = (),
    *,
    instrument: str = "",
) -> Contrasted:
    """Two runs of a comparison of `every`, before correction."""
    before, after = couple
    estimates = (
        compare_stories(couple, every, confidence)
        if before.run.kind == EXTRACTED
        else compare_items(couple, rules, confidence)
    )
    settings = settings_apart(before.source, after.source)
    return Contrasted(before, after, settings, estimates, instrument)


def judge(contrasts: Sequence[Contrasted], confidence: float) -> list[Contrasted]:
    """The contrasts with adjusted p-values and verdicts.

    Corrected together are measures of bias, what they cost, and the parts of each instrument.

    Associations, of which there are hundreds, are corrected as `endoxa analyze associations` does.
    """
    families: dict[tuple[str, str], list[Change]] = {}
    for each in contrasts:
        for change in each.changes:
            families.setdefault((change.kind, ""), []).append(change)
        families.setdefault(("parts", each.kind), []).extend(each.estimates.parts)
    decided = {
        family: iter(judged(changes, confidence, "fdr_bh" if family[1] == EXTRACTED else "holm"))
        for family, changes in families.items()
    }

    def corrected(contrast: Contrasted) -> Contrasted:
        changes = tuple(next(decided[change.kind, ""]) for change in contrast.changes)
        parts = tuple(next(decided["parts", contrast.kind]) for _ in contrast.estimates.parts)
        return replace(contrast, estimates=replace(contrast.estimates, changes=changes, parts=parts))

    return [corrected(each) for each in contrasts]


def read_compared(paths: Sequence[Path], models: Sequence[str]) -> tuple[Side, ...]:
    """The runs of a comparison, which may differ in whatever was asked of the same items."""
    return read_sides(paths, [models] * len(paths), ["--model"] * len(paths), strict=False)


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
    from endoxa.study.convergence.correlations import tool
    from endoxa.study.file import FILE, study_of

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
                contrasted((named[0], other), confidence, instrument=tool(name)) for other in named[1:]
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
    from endoxa.runs.run import read_run as facts_of
    from endoxa.study.run import read_folders

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
    from endoxa.study.report import LIVE

    for study, path in zip(studies, paths, strict=True):
        names = {reached: model.name for model in study.models if (reached := getattr(model, name, None))}
        for model in models_of(read_run(path)) if wanted else ():
            plain = version_of(model)[0].removeprefix(LIVE)
            if {model, plain, names.get(plain)} & {*wanted}:
                yield model
