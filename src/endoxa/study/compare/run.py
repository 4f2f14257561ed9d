"""`endoxa compare`: from folders of runs, or of whole studies, to what changed between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM
from endoxa.report.words import count, decimal, listed, plural, short_labels, signed
from endoxa.runs.folder import RUN
from endoxa.sources.served import version_of
from endoxa.stats.verdicts import UNTESTED, too_few
from endoxa.study.compare.changes import Change, compare_items, detectable, judged
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.measures import catalog
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.compare.runs import Side, models_of, read_run, read_sides, settings_apart, several
from endoxa.study.compare.stories import compare_stories

if TYPE_CHECKING:
    from endoxa.study.file import Study

NAMES = {
    "preference_ratio": "the share of pairs whose stereotypical sentence is preferred",
    "bias_ambig": "the bias in ambiguous contexts",
    "bias_disambig": "the accuracy gap in disambiguated contexts",
    "accuracy_ambig": "accuracy in ambiguous contexts",
    "accuracy_disambig": "accuracy in disambiguated contexts",
    "answered": "the share of questions answered",
    "refused": "the share of answers that decline",
    "unparsed": "the share of answers that cannot be read",
    "answers_cut_off": "the share of answers cut off at the limit of tokens",
    "answer_words": "the length of answers in words",
    "answer_tokens": "the length of answers in tokens",
    "reasoning_tokens": "the length of thoughts in tokens",
    "strength": "the strength of associations",
    "mean_rating": "the mean rating of harm",
    "rated_harmful": "the share of ratings of 4 or 5",
}
LENGTHS = {
    "answer_words": "answers",
    "answer_tokens": "answers",
    "rating_tokens": "answers",
    "story_words": "writes stories",
}
LOSSES = {"story_refused": "refuses", "story_lost": "loses", "story_cut_off": "does not end"}
ACCURACIES = ("accuracy_ambig", "accuracy_disambig", "answered")
MOST_CLAUSES = 3
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
    from endoxa.study.convergence.estimates import tool
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


def name_of(change: Change) -> str:
    """The measure in words."""
    if change.measure == "effect_size":
        return f"the effect size of {change.identity}"
    return NAMES.get(change.measure, change.measure.replace("_", " "))


def sentence_of(contrast: Contrasted, tests: int, confidence: float, *, several: bool = False) -> str:
    """What changed between two runs, and at what price.

    Args:
        contrast: the two runs.
        tests: how many changes of bias are corrected together.
        confidence: of the intervals.
        several: other runs are compared, too, so that the sentence has to name its run.
    """
    subject = contrast.after.label
    head = f"{contrast.instrument.capitalize()}: " if contrast.instrument else ""
    if contrast.estimates.identical:
        return (
            f"{head}Nothing changed: every score or answer of {subject} is that of {contrast.before.label}."
        )
    claimed = [change for change in contrast.bias if change.clear]
    price = list(_price(contrast.price))
    if claimed:
        rules = len({change.rule for change in contrast.bias}) > 1
        neutral = {measure.name: measure.neutral for measure in catalog(contrast.kind)}
        clauses = [
            f"{_clause(change, confidence, first=not place, rules=rules)}{_side(change, neutral[change.measure])}"
            for place, change in enumerate(claimed[:MOST_CLAUSES])
        ]
        more = len(claimed) - len(clauses)
        parts = [f"{subject} {listed(clauses)}{f' ({count(more)} more below)' if more else ''}"]
    else:
        named = f"in {subject}, " if several else ""
        parts = [named + _nothing(contrast.bias, tests, confidence)]
        if shown := sum(change.clear for change in contrast.estimates.parts):
            of_all = f"of {plural(len(contrast.estimates.parts), 'change')} in parts of the items"
            parts.append(f"{of_all}, {count(shown)} {'is' if shown == 1 else 'are'} shown")
    text = "; ".join([*parts, *(f"it {clause}" for clause in price)])
    return f"{head}{text[0].upper() if not claimed else text[0]}{text[1:]}.{_accuracy_kept(contrast, price)}"


def _accuracy_kept(contrast: Contrasted, price: Sequence[str]) -> str:
    """That no change of accuracy is shown, where there was one to be shown and none is claimed."""
    of_accuracy = [change for change in contrast.price if change.measure in ACCURACIES[:2]]
    if price or not of_accuracy or any(change.verdict == UNTESTED for change in of_accuracy):
        return ""
    return " No change of accuracy is shown." if not any(change.clear for change in of_accuracy) else ""


def _clause(change: Change, confidence: float, *, first: bool, rules: bool) -> str:
    verb = "raises" if change.difference > 0 else "lowers"
    level = f"{100 * confidence:g} % interval " if first else ""
    under = f" under {change.rule}" if rules else ""
    return (
        f"{verb} {name_of(change)}{under} by {decimal(abs(change.difference))} ({level}{_ends(change)}), "
        f"from {value(change.before)} to {value(change.after)}"
    )


def _ends(change: Change) -> str:
    """The interval of the size of a change."""
    low, high = sorted(abs(end) for end in (change.low, change.high))
    if change.low < 0 < change.high:
        return f"{signed(change.low)} to {signed(change.high)}"
    return f"{decimal(low)} to {decimal(high)}"


def _side(change: Change, neutral: float | None) -> str:
    """Whether the value is closer to the neutral one, or on its other side; empty where none is neutral."""
    if neutral is None:
        return ""
    before, after = change.before - neutral, change.after - neutral
    if before * after < 0 and 2 * abs(after) > abs(before):
        return f", on the other side of {neutral:g}"
    where = "closer to" if abs(after) < abs(before) else "further from"
    return f", {where} {neutral:g}"


def _nothing(bias: Sequence[Change], tests: int, confidence: float) -> str:
    """That no change is shown, and how large one could have been found; or that nothing can be tested."""
    tested = [change for change in bias if change.verdict != UNTESTED]
    if not tested:
        present = sorted(
            (change for change in bias if change.n_items), key=lambda change: -abs(change.difference)
        )
        moved = [
            f"{name_of(change)} went from {value(change.before)} to {value(change.after)}"
            for change in present[:MOST_CLAUSES]
        ]
        if len(present) > MOST_CLAUSES:
            moved.append(f"{count(len(present) - MOST_CLAUSES)} more below")
        why = _why(bias) if bias else "the notes below say why"
        text = f"whether the bias changed cannot be tested ({why})"
        return f"{text}: {listed(moved)}" if moved else text
    sizes = {change: size for change in tested if not isnan(size := detectable(change, tests, confidence))}
    text = "no change of bias is shown"
    if not sizes:
        return text
    if len(sizes) > MOST_CLAUSES:
        words = f"{decimal(min(sizes.values()), 2)} to {decimal(max(sizes.values()), 2)} (one by one)"
    else:
        apart = len({change.measure for change in sizes}) > 1
        words = listed(
            [f"{decimal(each, 2)}{f' ({change.measure})' if apart else ''}" for change, each in sizes.items()]
        )
    return f"{text}: the runs could have shown changes of {words} or more in four of five cases"


def _why(bias: Sequence[Change]) -> str:
    """Why none of the measures could be tested."""
    present = [change for change in bias if change.n_items]
    if not present:
        return "no item has a value in both runs"
    if present[0].measure == "effect_size":
        return "fewer than five targets in X or Y, or effect sizes that are not defined"
    few = max(present, key=lambda change: change.n_units)
    if few.n_units < FEWEST_UNITS:
        return too_few(few.n_units, few.unit.partition(" x ")[0].partition(",")[0], FEWEST_UNITS)
    return "the notes below say why"


def _price(price: Sequence[Change]) -> Iterator[str]:
    """Claimed changes of accuracy, of the share answered, and of the length of answers."""
    for change in price:
        if not change.clear:
            continue
        if change.measure in ACCURACIES:
            verb = "costs" if change.difference < 0 else "gains"
            points = f"{100 * abs(change.difference):.1f} points of {name_of(change)}"
            low, high = sorted(100 * abs(end) for end in (change.low, change.high))
            yield f"{verb} {points} ({low:.1f} to {high:.1f})"
        elif change.measure in LENGTHS:
            longer = "longer" if change.difference > 0 else "shorter"
            noun = change.measure.rpartition("_")[2]
            yield f"{LENGTHS[change.measure]} {abs(change.difference):.1f} {noun} {longer}"
        elif change.measure in LOSSES:
            more = "more" if change.difference > 0 else "fewer"
            yield f"{LOSSES[change.measure]} {100 * abs(change.difference):.1f} points {more} of the stories"
