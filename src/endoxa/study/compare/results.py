"""Results of comparisons and gates: frozen values for the terminal, files and Python."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import polars as pl

from endoxa.errors import UserError
from endoxa.report.claims import chip
from endoxa.report.files import refuse_folder, replace_text
from endoxa.report.tables import Field, headline_of, number_field, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, listed, plural, signed
from endoxa.runs.instrument import Kind
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.compare.changes import Change, Estimates
from endoxa.study.compare.measures import EFFECT_SIZE
from endoxa.study.compare.runs import Setting, Side

if TYPE_CHECKING:
    from endoxa.report.frame import Page


class Result(ABC):
    """A result with a headline, a page, and text files."""

    __slots__ = ()
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json")
    """What it can be written as."""

    @abstractmethod
    def headline(self) -> Headline:
        """The table that the terminal shows."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""

    @abstractmethod
    def page(self) -> Page:
        """The page; the run folders must still be there."""

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix."""
        return {
            ".json": lambda: json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        }

    def save(self, path: str | Path) -> Path:
        """Write it as its suffix says, one of `suffixes`.

        Raises:
            UserError: another suffix, or the file cannot be written.
        """
        from endoxa.report.frame import write_page

        output = Path(path)
        require_suffix(output, self.suffixes)
        refuse_folder(output)
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            if output.suffix.lower() == ".html":
                write_page(self.page(), output)
            else:
                replace_text(output, self.texts()[output.suffix.lower()]())
        except OSError as error:
            raise UserError(f"'{output}' cannot be written: {error.strerror or error}.") from error
        return output

    def _repr_html_(self) -> str:
        return self.headline()._repr_html_()


def require_suffix(output: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file whose suffix says nothing.

    Raises:
        UserError: it is none of those that are written.
    """
    if output.suffix.lower() not in suffixes:
        raise UserError(
            f"'{output}' has the suffix '{output.suffix}'. Expected one of: {', '.join(suffixes)}."
        )


@dataclass(frozen=True, slots=True)
class Contrasted:
    """Two runs side by side.

    Attributes:
        before: the first run.
        after: the second.
        settings: in what they differ.
        estimates: what changed.
        instrument: of studies the name of the run in each of them, else empty.
    """

    before: Side
    after: Side
    settings: tuple[Setting, ...]
    estimates: Estimates
    instrument: str = ""

    @property
    def kind(self) -> str:
        """The kind of the runs, which is the same of both."""
        return self.before.run.kind

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes of every measure over all items."""
        return self.estimates.changes

    @property
    def bias(self) -> list[Change]:
        """Changes of measures of bias."""
        return [change for change in self.changes if change.kind == "bias"]

    @property
    def price(self) -> list[Change]:
        """What they come with: accuracy, refusals, lengths, money."""
        return [change for change in self.changes if change.kind == "price"]

    @property
    def of_instrument(self) -> dict[str, str]:
        """Of studies the instrument, for tables and JSON."""
        return {"instrument": self.instrument} if self.instrument else {}

    def row_of(self, change: Change) -> dict[str, Any]:
        """A change as tables and figures of several runs read it."""
        return self.of_instrument | {"run": self.after.label} | change.reasoned

    @property
    def columns(self) -> dict[str, str]:
        """What files say of it."""
        return self.of_instrument | {"before_run": self.before.label, "after_run": self.after.label}


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Two runs or more, or whole studies: each compared with the first.

    Attributes:
        sentences: what was found of each run against the first, in words.
        runs: the runs in the order given, of studies instrument by instrument.
        contrasts: each run against the first, corrected together.
        confidence: of the intervals.
        tests: how many changes over all items are corrected together.
        alone: instruments of studies that are not compared, with the reason.
    """

    sentences: tuple[str, ...]
    runs: tuple[Side, ...]
    contrasts: tuple[Contrasted, ...]
    confidence: float
    tests: int
    alone: tuple[str, ...] = ()
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json", ".csv")

    @property
    def sentence(self) -> str:
        """All that was found, in words."""
        return " ".join(self.sentences)

    @property
    def instruments(self) -> list[str]:
        """Of studies the instruments; of runs a single empty name."""
        return list(dict.fromkeys(each.instrument for each in self.contrasts))

    @property
    def labels(self) -> list[str]:
        """Names of the runs or studies, the first one first."""
        return list(dict.fromkeys(run.label for run in self.runs))

    def of(self, instrument: str) -> Comparison:
        """The contrasts of one instrument."""
        contrasts = tuple(each for each in self.contrasts if each.instrument == instrument)
        return replace(self, contrasts=contrasts)

    def rows(self, kind: Kind | None = None) -> list[dict[str, Any]]:
        """Changes over all items of each run against the first; of studies those that can be tested."""
        return [
            each.row_of(change)
            for each in self.contrasts
            for change in each.changes
            if kind in (None, change.kind) and not (each.instrument and change.verdict == UNTESTED)
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        untested = Counter(
            each.instrument
            for each in self.contrasts
            for change in each.changes
            if each.instrument and change.verdict == UNTESTED
        )
        without = listed([f"{plural(number, 'change')} with {name}" for name, number in untested.items()])
        note = [f"Not in these tables, because they cannot be tested: {without}."] if untested else []
        every = (note for each in self.contrasts for note in each.estimates.notes)
        return tuple(dict.fromkeys([*note, *self.alone, *every]))

    @property
    def changes(self) -> pl.DataFrame:
        """Every change, over all items and by axis and identity."""
        rows = [
            each.columns | change.row
            for each in self.contrasts
            for change in (*each.changes, *each.estimates.parts)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def items(self) -> pl.DataFrame:
        """The items that changed sides between the first run and each other one."""
        frames = [
            each.estimates.items.select(
                *(pl.lit(value).alias(name) for name, value in each.columns.items()), pl.all()
            )
            for each in self.contrasts
        ]
        return pl.concat(frames, how="diagonal_relaxed")

    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""
        return {
            "kind": "comparison",
            "sentence": self.sentence,
            "confidence": self.confidence,
            "runs": [run.dated_facts() for run in self.runs],
            "contrasts": [
                {
                    **each.of_instrument,
                    "before": each.before.label,
                    "after": each.after.label,
                    "settings": [asdict(setting) for setting in each.settings],
                    "identical": each.estimates.identical,
                    "changes": [change.row for change in each.changes],
                    "parts": [change.row for change in each.estimates.parts],
                    "changed_items": each.estimates.items.height,
                    "notes": list(each.estimates.notes),
                }
                for each in self.contrasts
            ],
            **({"not_compared": list(self.alone)} if any(self.instruments) else {}),
        }

    def headline(self) -> Headline:
        """The table that the terminal shows: changes over all items, each run against the first."""
        rows = self.rows()
        to = f" to {self.labels[1]}" if len(self.labels) == 2 else ""
        return headline_of(
            f"Changes from {self.labels[0]}{to}, {100 * self.confidence:g} % intervals",
            rows,
            [*where_fields(rows), FROM_TO, *CHANGED],
            notes=self.notes,
        )

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix: everything but the items, and every change."""
        return {**Result.texts(self), ".csv": lambda: csv_text(self.changes)}

    def page(self) -> Page:
        """The page; the run folders must still be there."""
        from endoxa.study.compare.page import page_of

        return page_of(self)

    def __str__(self) -> str:
        """Sentence and table."""
        return f"{self.sentence}\n{self.headline()}"


def value(number: float | None) -> str:
    """A value of a measure: three decimals, large ones with fewer digits."""
    return decimal(number) if number is None or abs(number) < 10 else decimal(number, 1)


MEASURE = text_field(
    "measure", lambda row: row["identity"] if row["measure"] == EFFECT_SIZE.name else row["measure"]
)
"""The measure, of effect sizes the test."""


def apart(fields: Sequence[Field], rows: Sequence[Any]) -> list[Field]:
    """The columns in which rows differ."""
    return [field for field in fields if len({field.cell(row) for row in rows}) > 1]


def where_fields(rows: Sequence[Mapping[str, Any]], *places: Field) -> list[Field]:
    """What rows are about, as far as they differ in it: instrument, run, place, measure, rule.

    Without places the measure is named in any case.
    """
    fields = (
        text_field("instrument", lambda row: row.get("instrument", "")),
        text_field("run"),
        *places,
        MEASURE,
        text_field("rule", lambda row: "" if row["rule"] == ALL else row["rule"]),
    )
    kept = apart(fields, rows)
    return kept if places and kept else [field for field in fields if field in kept or field is MEASURE]


FROM_TO = text_field("from to", lambda row: f"{value(row['before'])} to {value(row['after'])}")
CHANGED = (
    number_field("change", "difference", signed),
    number_field("interval", lambda row: decimal_interval(row["low"], row["high"])),
    text_field("verdict", chip),
)
"""What every table of changes shows of one."""


NAMES = ("measure", "rule", "axis")

Verdict = Literal["pass", "worse", "undecided"]
EXIT_CODES: dict[Verdict, int] = {"pass": 0, "worse": 1, "undecided": 4}
"""Exit codes of the command; 2 is for errors of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """One measure, under one rule, on one axis.

    Attributes:
        measure: name of the measure.
        rule: scoring rule of pairs, protocol of questions.
        axis: axis or category, or 'all'.
        neutral: value of an unbiased model; None where higher is better.
        baseline: value of the baseline, over the common items.
        candidate: value of the candidate.
        difference: by how much the candidate is worse, in the units of the measure; negative where it is better.
        low: one-sided lower bound of the difference, at `confidence`; NaN where nothing is decided.
        high: one-sided upper bound.
        margin: the largest difference that is accepted.
        confidence: of each bound.
        n_items: items that both have a value for.
        n_left_out: items that only one of them, or none, has a value for.
        n_identities: identities (questions: templates) of those items.
        unit: "identities" or "templates".
        p_not_worse: p-value for the claim that the candidate is worse by less than the margin.
        p_worse: for the claim that it is worse by more.
        p_worse_adjusted: the same after Holm's correction over all tests of the gate.
        verdict: "pass", "worse" or "undecided".
        reason: why it is undecided, or why it passes without a test; else empty.
        more_items: how many more items would decide it, with as many more identities, if nothing else changes; None
            where it is decided or no number would.
        more_identities: how many more identities that is.
        more_same_identities: how many more items about the present identities would decide it; None where none would.
        sentence: all this in words.
        n_attributes: attributes (questions: attributes or stereotyped groups) of those items; 0 where none recurs.
        unit_2: "attributes" or "groups".
        sampled: which units are samples: 'both', or one kind while the other is taken as it is.
    """

    measure: str
    rule: str
    axis: str
    neutral: float | None
    baseline: float
    candidate: float
    difference: float = NAN
    low: float = NAN
    high: float = NAN
    margin: float
    confidence: float
    n_items: int
    n_left_out: int
    n_identities: int
    unit: str
    p_not_worse: float = NAN
    p_worse: float = NAN
    p_worse_adjusted: float = NAN
    verdict: Verdict = "undecided"
    reason: str = ""
    more_items: int | None = None
    more_identities: int | None = None
    more_same_identities: int | None = None
    sentence: str = ""
    n_attributes: int = 0
    unit_2: str = "attributes"
    sampled: str = "both"

    @property
    def about(self) -> str:
        """'40 identities x 10 attributes', '40 identities, with these 5 attributes only'."""
        first = f"{count(self.n_identities)} {units(self.unit, self.n_identities)}"
        if not self.n_attributes or self.sampled == "none":
            return first
        second = f"{count(self.n_attributes)} {units(self.unit_2, self.n_attributes)}"
        return f"{first} x {second}" if self.sampled == "both" else f"{first}, with these {second} only"

    @property
    def name(self) -> str:
        """'preference_ratio, sum, all'."""
        return f"{self.measure}, {self.rule}, {self.axis}"


def bounds(test: GateTest) -> str:
    """Both one-sided bounds as '−0.031 to 0.012'."""
    return NO_VALUE if isnan(test.low) else f"{decimal(test.low)} to {decimal(test.high)}"


NUMBERS: tuple[Field, ...] = (
    number_field("baseline", lambda test: decimal(test.baseline)),
    number_field("candidate", lambda test: decimal(test.candidate)),
    number_field("worse by", lambda test: signed(test.difference)),
    number_field("bounds", bounds),
)
"""What every table of tests shows of one."""
VERDICT = text_field("verdict", attrgetter("verdict"))


@dataclass(frozen=True, slots=True)
class Gate(Result):
    """Whether a candidate is worse than a baseline by more than a margin.

    Attributes:
        verdict: "pass" where every test passes, "worse" where one is worse, else "undecided".
        sentence: the verdict in words.
        margin: the largest difference that is accepted, in the units of each measure.
        confidence: of every decision.
        baseline: run, model and fingerprint of the baseline.
        candidate: those of the candidate.
        tests: every test.
        notes: what was left out.
        most_left_out: share of items without a value up to which a test is made.
    """

    verdict: Verdict
    sentence: str
    margin: float
    confidence: float
    baseline: dict[str, Any]
    candidate: dict[str, Any]
    tests: tuple[GateTest, ...]
    notes: tuple[str, ...] = ()
    most_left_out: float = 0.1
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".md", ".xml", ".html")

    @property
    def exit_code(self) -> int:
        """That of the command: 0 pass, 1 worse, 4 undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether the candidate is not worse by more than the margin."""
        return self.verdict == "pass"

    def to_dict(self) -> dict[str, Any]:
        """What `gate.json` holds; undefined numbers are None."""
        fields = asdict(self)
        tests = [{name: plain(value) for name, value in test.items()} for test in fields.pop("tests")]
        return {
            "kind": "gate",
            "exit_code": self.exit_code,
            **fields,
            "notes": list(self.notes),
            "tests": tests,
        }

    @property
    def fields(self) -> list[Field]:
        """What tells the tests apart, of measure, rule and axis."""
        return apart([text_field(name, attrgetter(name)) for name in NAMES], self.tests)

    def alike(self) -> str:
        """What all tests share: 'measure preference_ratio, rule sum'."""
        words = {field.column.name for field in self.fields}
        return ", ".join(f"{name} {getattr(self.tests[0], name)}" for name in NAMES if name not in words)

    def headline(self) -> Headline:
        """The table that the terminal shows."""
        where, title = self.fields, self.alike()
        # A terminal has no room for every number of many tests.
        fields = [*where, *(NUMBERS[2:] if len(where) > 1 else NUMBERS), VERDICT]
        head = "Candidate against baseline"
        rows = self.to_dict()["tests"]
        return headline_of(f"{head}: {title}" if title else head, self.tests, fields, rows, notes=self.notes)

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix: everything, a summary for pull requests, test cases for CI."""
        from endoxa.study.compare.files import as_junit, as_markdown

        more = {".md": lambda: as_markdown(self), ".xml": lambda: as_junit(self)}
        return {**Result.texts(self), **more}

    def page(self) -> Page:
        """The page; both run folders must still be there."""
        from endoxa.study.compare.page import page_of_gate

        return page_of_gate(self)

    def __str__(self) -> str:
        """Table and sentence."""
        return f"{self.headline()}\n{self.sentence}"


def units(unit: str, number: int) -> str:
    """The units of a number of them: 'identity' of one."""
    if number != 1:
        return unit
    return "identity" if unit == "identities" else unit.removesuffix("s")


def counted(gate: Gate) -> str:
    """'3 tests: 2 pass, 1 undecided'."""
    counts = {verdict: sum(test.verdict == verdict for test in gate.tests) for verdict in EXIT_CODES}
    listed = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    return f"{plural(len(gate.tests), 'test')}: {listed}"
