"""`endoxa compare`: from run folders to what changed between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM, Run, holds
from endoxa.report.words import short_labels
from endoxa.sources.served import version_sentences
from endoxa.study.compare.changes import Change, Choices, compare_items, judged
from endoxa.study.compare.results import Comparison, Contrasted
from endoxa.study.compare.sentences import sentence_of
from endoxa.study.compare.stories import compare_stories
from endoxa.study.gate.questions import names_apart
from endoxa.study.gate.ratings import harmful_in
from endoxa.study.gate.runs import Side, models_of, profile_notes, read_run, require_same_data
from endoxa.study.gate.settings import SENTENCES, require_same_items, settings_apart

WRITTEN = (EXTRACTED, HARM)
"""Instruments without rules or protocols."""


def compare(
    *runs: str | Path,
    model: str | Sequence[str] = (),
    rule: str | Sequence[str] = (),
    harm: str | Path | Sequence[str | Path] = (),
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
        harm: of stories: runs of `endoxa probe harm`, or tables of people's ratings, that say which associations are
            harmful.
        confidence: of the intervals.

    Raises:
        UserError: the runs cannot be compared, or an option is not for them.
    """
    if not 0.5 < confidence < 1:
        raise UserError(f"--confidence {confidence:g}: expected a number above 0.5 and below 1.")
    sides = read_compared([Path(run) for run in runs], _several(model))
    kind = sides[0].run.kind
    if rule and kind in WRITTEN:
        raise UserError("--rule: these runs have no scoring rules or protocols. Leave --rule out.")
    if harm and kind != EXTRACTED:
        raise UserError("--harm is for runs of stories.")
    ratings = [Path(path) for path in ((harm,) if isinstance(harm, str | Path) else harm)]
    choices = Choices(_several(rule), confidence, sides, harmful_in(ratings))
    contrasts = [
        contrasted(couple, choices, shown=couple[0] is sides[0]) for couple in combinations(sides, 2)
    ]
    return comparison_of(sides, contrasts, confidence)


def comparison_of(
    runs: Sequence[Side],
    contrasts: Sequence[Contrasted],
    confidence: float,
    alone: Sequence[str] = (),
) -> Comparison:
    """Contrasts with their correction and sentences."""
    judgements = judge(contrasts, confidence)
    shown = [each for each in judgements if each.shown]
    tests = sum(isfinite(change.p_value) for each in shown for change in each.bias)
    several = len({run.label for run in runs}) > 2
    sentences = [sentence_of(each, tests, confidence, several=several) for each in shown]
    return Comparison(tuple(sentences), tuple(runs), tuple(judgements), confidence, tests, tuple(alone))


def contrasted(
    couple: tuple[Side, Side], choices: Choices, *, shown: bool, instrument: str = ""
) -> Contrasted:
    """Two runs, before correction."""
    before, after = couple
    baseline, candidate = replace(before, role="baseline"), replace(after, role="candidate")
    compared = compare_stories if before.run.kind == EXTRACTED else compare_items
    estimates = compared((baseline, candidate), choices)
    estimates = replace(estimates, notes=(*profile_notes(couple), *estimates.notes))
    settings = settings_apart(before.source, after.source)
    return Contrasted(before, after, settings, estimates, shown, instrument)


def judge(contrasts: Sequence[Contrasted], confidence: float) -> list[Contrasted]:
    """The contrasts with adjusted p-values and verdicts.

    What is shown (each run against the first, of each instrument) is corrected together, parts within their instrument.
    The other contrasts are in the table only, and are corrected over all.
    """
    shown = iter(_corrected([each for each in contrasts if each.shown], confidence))
    return [next(shown) if each.shown else each for each in _corrected(contrasts, confidence)]


def _corrected(contrasts: Sequence[Contrasted], confidence: float) -> list[Contrasted]:
    """Corrected over all of these: measures of bias, what they cost, and the parts of each instrument.

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


def _several(words: str | Sequence[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)
