"""Whole studies: every instrument that all of them have is compared, and what is shown is corrected together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from endoxa.errors import UserError
from endoxa.report.claims import chip
from endoxa.report.words import count, decimal_interval, listed, plural, short_labels, signed
from endoxa.runs.folder import RUN
from endoxa.runs.run import read_run
from endoxa.schema import ALL
from endoxa.schema.headline import Headline
from endoxa.sources.served import version_of
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.compare.run import contrasted, judge
from endoxa.study.compare.sentences import name_of, sentence_of
from endoxa.study.compare.sides import Compared, read_compared
from endoxa.study.convergence.correlations import tool
from endoxa.study.convergence.run import Convergence, converge
from endoxa.study.file import FILE, Study, study_of
from endoxa.study.gate.runs import is_comparable, models_of
from endoxa.study.gate.runs import read_run as read_side
from endoxa.study.parts import RUNS, STORIES, Step
from endoxa.study.report import LIVE, study_runs
from endoxa.study.run import PROFILES
from endoxa.study.saving import Result

if TYPE_CHECKING:
    from endoxa.report.frame import Page

MOST_NAMED = 3
"""Changes that the first sentence names."""
TOGETHER = (
    "Measures of bias, and what they cost, are corrected over all instruments of the studies together; changes in "
    "parts of the items within this instrument."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One instrument in all of the studies.

    Attributes:
        name: of its runs.
        comparison: what changed, its measures corrected over all instruments.
    """

    name: str
    comparison: Comparison

    @property
    def title(self) -> str:
        """The instrument as tables call it."""
        return tool(self.name)


@dataclass(frozen=True, slots=True)
class StudyComparison(Result):
    """Two studies or more, each compared with the first.

    Attributes:
        labels: names of the studies, in the order given.
        parts: the instruments that all of them have.
        alone: instruments that are not compared, with the reason.
        agreement: what the instruments of each study say together; empty where one study has it not.
        confidence: of the intervals.
    """

    labels: tuple[str, ...]
    parts: tuple[Part, ...]
    alone: tuple[str, ...]
    agreement: tuple[Convergence, ...]
    confidence: float
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json", ".csv")

    @property
    def shown(self) -> list[tuple[Part, Contrasted, Change]]:
        """Every change over all items that can be tested or is a fact, each study against the first."""
        return [
            (part, each, change)
            for part in self.parts
            for each in part.comparison.shown
            for change in each.changes
            if change.verdict != UNTESTED
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not in the table over all instruments."""
        numbers = {
            part.title: sum(
                change.verdict == UNTESTED for each in part.comparison.shown for change in each.changes
            )
            for part in self.parts
        }
        untested = [f"{plural(number, 'change')} with {title}" for title, number in numbers.items() if number]
        note = [f"Not in this table, because they cannot be tested: {listed(untested)}."] if untested else []
        return (*note, *self.alone)

    @property
    def sentence(self) -> str:
        """How many changes of bias are shown, and the largest."""
        bias = [row for row in self.shown if row[2].kind == "bias" and isfinite(row[2].p_value)]
        claimed = sorted(
            (row for row in bias if row[2].clear),
            key=lambda row: -abs(row[2].difference / (row[2].high - row[2].low)),
        )
        names = listed(
            list(dict.fromkeys(part.title for part, _, _ in bias)) or [part.title for part in self.parts]
        )
        if not bias:
            return f"Whether any bias changed cannot be tested with {names}."
        text = f"Of {plural(len(bias), 'change')} of bias tested with {names}, "
        if not claimed:
            return f"{text}none is shown."
        several = len(self.labels) > 2
        clauses = [
            f"{name_of(change)} {'rises' if change.difference > 0 else 'falls'} from {value(change.before)} to "
            f"{value(change.after)} ({part.title}{f', {each.after.label}' if several else ''})"
            for part, each, change in claimed[:MOST_NAMED]
        ]
        more = len(claimed) - len(clauses)
        rest = [f"{count(more)} more below"] if more else []
        verb = "is" if len(claimed) == 1 else "are"
        return f"{text}{count(len(claimed))} {verb} shown: {listed([*clauses, *rest])}."

    @property
    def changes(self) -> pl.DataFrame:
        """Every change of every two studies."""
        return self._table(lambda comparison: comparison.changes)

    @property
    def items(self) -> pl.DataFrame:
        """The items that changed sides between the first study and each other one."""
        return self._table(lambda comparison: comparison.items)

    def _table(self, of: Callable[[Comparison], pl.DataFrame]) -> pl.DataFrame:
        frames = [
            of(part.comparison).select(pl.lit(part.name).alias("instrument"), pl.all()) for part in self.parts
        ]
        return pl.concat(frames, how="diagonal_relaxed")

    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""
        return {
            "kind": "comparison of studies",
            "sentence": self.sentence,
            "confidence": self.confidence,
            "studies": list(self.labels),
            "instruments": {part.name: part.comparison.to_dict() for part in self.parts},
            "not_compared": list(self.alone),
        }

    def headline(self) -> Headline:
        """The table that the terminal shows: changes over all items of every instrument."""
        several = len(self.labels) > 2
        texts = tuple(
            (
                part.title,
                *((each.after.label,) if several else ()),
                subject(change, part),
                f"{value(change.before)} to {value(change.after)}",
                signed(change.difference),
                decimal_interval(change.low, change.high),
                chip(change.reasoned),
            )
            for part, each, change in self.shown
        )
        words = ("instrument", *(("study",) if several else ()), "measure", "from to")
        return Headline(
            title=f"Changes from {self.labels[0]}, {100 * self.confidence:g} % intervals",
            columns=(*words, "change", "interval", "verdict"),
            texts=texts,
            rows=tuple({"instrument": part.name, **change.row} for part, _, change in self.shown),
            words=(*words, "verdict"),
            notes=self.notes,
        )

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix: everything but the items, and every change."""
        return {**Result.texts(self), ".csv": lambda: csv_text(self.changes)}

    def page(self, folder: str = "") -> Page:
        """The page, with links to the pages of the instruments in this folder beside it."""
        from endoxa.study.compare.study_page import page_of

        return page_of(self, folder)

    def write_page(self, output: Path) -> None:
        """Write the page, and a page of each instrument into `STEM_pages`.

        Raises:
            OSError: a file cannot be written.
        """
        from endoxa.report.frame import write_page

        folder = output.with_name(f"{output.stem}_pages")
        for part in self.parts:
            part.comparison.save(folder / f"{part.name}.html")
        write_page(self.page(folder.name), output)

    def __str__(self) -> str:
        """Sentence and table."""
        return f"{self.sentence}\n{self.headline()}"


def subject(change: Change, part: Part) -> str:
    """What changed: a measure or a test, and the rule where there are several."""
    rules = {each.rule for contrast in part.comparison.shown for each in contrast.changes if each.n_items}
    name = change.identity if change.identity != ALL else change.measure
    return f"{name} ({change.rule})" if len(rules) > 1 and change.n_items else name


def is_study(path: Path) -> bool:
    """Whether a folder is that of a study."""
    return (path / FILE).is_file()


def compare_studies(
    folders: Sequence[Path], models: Sequence[str] = (), confidence: float = 0.95
) -> StudyComparison:
    """What changed between studies, instrument by instrument.

    Args:
        folders: of finished studies; the first is what the others are compared with.
        models: the model wanted, as the studies or their runs name it; needed where a study has several.
        confidence: of the intervals.

    Raises:
        UserError: fewer than two studies, one is not finished, or nothing can be compared.
    """
    for path in folders:
        if not is_study(path):
            raise UserError(
                f"'{path}' is no study: it has no {FILE}. Compare studies with studies, runs with runs."
            )
    if len({path.resolve() for path in folders}) < max(len(folders), 2):
        raise UserError("Name two studies or more, each once: `endoxa compare STUDY1 STUDY2 -o page.html`.")
    studies = [study_of(path) for path in folders]
    short = short_labels([str(path.resolve()) for path in folders])
    labels = tuple(short[str(path.resolve())] for path in folders)
    runs = [finished(study) for study in studies]
    sides: dict[str, tuple[Compared, ...]] = {}
    alone = []
    for name in dict.fromkeys(name for each in runs for name in each):
        having = [label for label, each in zip(labels, runs, strict=True) if name in each]
        if len(having) < len(runs):
            alone.append(f"Not compared, because only {listed(having)} has it: {tool(name)}.")
    contrasts: list[Contrasted] = []
    for name in [name for name in runs[0] if all(name in each for each in runs)]:
        paths = [each[name] for each in runs]
        if not is_comparable(str(read_run(paths[0]).get("kind"))):
            alone.append(f"Not compared, because endoxa compare has none for it: {tool(name)}.")
            continue
        try:
            compared = read_compared(paths, list(_models(studies, name, paths, models)))
            named = tuple(replace(run, label=label) for run, label in zip(compared, labels, strict=True))
            contrasts += [contrasted(couple, Choices((), confidence)) for couple in combinations(named, 2)]
            sides[name] = named
        except UserError as problem:
            alone.append(f"Not compared, {tool(name)}: {problem}")
    if not sides:
        raise UserError(" ".join(["Nothing can be compared.", *alone]))
    parts = _parts(contrasts, sides, confidence)
    return StudyComparison(labels, parts, tuple(alone), _agreement(studies), confidence)


def _parts(
    contrasts: Sequence[Contrasted], sides: Mapping[str, tuple[Compared, ...]], confidence: float
) -> tuple[Part, ...]:
    judgements = [
        replace(each, notes=(*each.notes, TOGETHER))
        for each in judge(contrasts, [runs[0] for runs in sides.values()], confidence)
    ]
    first = [runs[0] for runs in sides.values()]
    shown = [each for each in judgements if any(each.before is run for run in first)]
    tests = sum(isfinite(change.p_value) for each in shown for change in each.bias)
    parts = []
    for name, runs in sides.items():
        of_part = [each for each in judgements if any(each.before is run for run in runs)]
        sentences = tuple(
            sentence_of(each, tests, confidence, several=len(runs) > 2)
            for each in of_part
            if each.before is runs[0]
        )
        parts.append(Part(name, Comparison(sentences, runs, tuple(of_part), confidence, tests)))
    return tuple(parts)


def finished(study: Study) -> dict[str, Path]:
    """The runs of a study by name; of stories the profiles that were read from them.

    Raises:
        UserError: one is not finished.
    """
    folders = {part.name: study.folder / RUNS / part.name for part in study.parts()}
    folders |= {step.name: step.folder for step in study.steps if isinstance(step, Step)}
    read = {PROFILES: study.folder / RUNS / PROFILES} if STORIES.name in folders else {}
    for name, folder in (folders | read).items():
        if not (folder / RUN).is_file() or not read_run(folder).get("finished"):
            raise UserError(
                f"The run '{name}' of {study.folder} is not finished. Finish it: endoxa study run {study.folder}"
            )
    return folders | ({STORIES.name: read[PROFILES]} if read else {})


def _models(
    studies: Sequence[Study], name: str, paths: Sequence[Path], wanted: Sequence[str]
) -> Iterator[str]:
    """The models wanted, as the runs of an instrument name them."""
    for study, path in zip(studies, paths, strict=True):
        names = {reached: model.name for model in study.models if (reached := getattr(model, name, None))}
        for model in models_of(read_side(path, "What changed is shown of")) if wanted else ():
            plain = version_of(model)[0].removeprefix(LIVE)
            if {model, plain, names.get(plain)} & {*wanted}:
                yield model


def _agreement(studies: Sequence[Study]) -> tuple[Convergence, ...]:
    """What the instruments of each study say together, where each has several."""
    if any(len(list(study.parts())) < 2 for study in studies):
        return ()
    try:
        return tuple(converge(study_runs(study), study.comparison) for study in studies)
    except UserError:
        return ()
