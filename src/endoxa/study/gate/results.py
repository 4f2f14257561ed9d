"""Results of a gate: frozen values for the terminal and Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import ceil, isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from endoxa.report.tables import Field, number_field, text_field
from endoxa.report.words import NO_VALUE, count, decimal, plural, signed
from endoxa.schema.headline import Headline, plain
from endoxa.stats.intervals import NAN
from endoxa.study.gate.measures import EFFECT_SIZE
from endoxa.study.saving import Result, headline_of

if TYPE_CHECKING:
    from endoxa.report.frame import Page

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
        first = f"{count(self.n_identities)} {_units(self.unit, self.n_identities)}"
        if not self.n_attributes or self.sampled == "none":
            return first
        second = f"{count(self.n_attributes)} {_units(self.unit_2, self.n_attributes)}"
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

    def apart(self) -> tuple[str, ...]:
        """What tells the tests apart, of "measure", "rule" and "axis"."""
        return tuple(name for name in NAMES if len({getattr(test, name) for test in self.tests}) > 1)

    def alike(self) -> str:
        """What all tests share: 'measure preference_ratio, rule sum'."""
        shared = (name for name in NAMES if name not in self.apart())
        return ", ".join(f"{name} {getattr(self.tests[0], name)}" for name in shared)

    def headline(self) -> Headline:
        """The table that the terminal shows."""
        columns, title = self.apart(), self.alike()
        # A terminal has no room for every number of many tests.
        numbers = NUMBERS[2:] if len(columns) > 1 else NUMBERS
        fields = [*(text_field(name, attrgetter(name)) for name in columns), *numbers, VERDICT]
        head = "Candidate against baseline"
        rows = self.to_dict()["tests"]
        return headline_of(f"{head}: {title}" if title else head, self.tests, fields, rows, notes=self.notes)

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix: everything, a summary for pull requests, test cases for CI."""
        from endoxa.study.gate.files import as_junit, as_markdown

        more = {".md": lambda: as_markdown(self), ".xml": lambda: as_junit(self)}
        return {**Result.texts(self), **more}

    def page(self) -> Page:
        """The page; both run folders must still be there."""
        from endoxa.study.gate.page import page_of

        return page_of(self)

    def __str__(self) -> str:
        """Table and sentence."""
        return f"{self.headline()}\n{self.sentence}"


def sentence_of(test: GateTest) -> str:
    """The finding of one test, with the numbers it rests on."""
    texts = {
        "pass": f"not worse by more than {test.margin:g}",
        "worse": f"worse by more than {test.margin:g}",
        "undecided": f"undecided whether worse by more than {test.margin:g}",
    }[test.verdict]
    of = "Loss" if test.neutral is None else f"Change of the distance from {test.neutral:g}"
    ends = "" if isnan(test.low) else f" (one-sided {100 * test.confidence:g} % bounds {bounds(test)})"
    numbers = "No common item"
    if test.n_items:
        numbers = (
            f"{of}: {signed(test.difference)}{ends}; {decimal(test.baseline)} in the baseline, "
            f"{decimal(test.candidate)} in the candidate; {plural(test.n_items, 'common item')} about {test.about}"
        )
    reason = f" {test.reason[0].upper()}{test.reason[1:]}." if test.reason else ""
    return f"{test.measure} ({test.rule}, {test.axis}): {texts}. {numbers}.{reason}{_more(test)}"


def _units(unit: str, number: int) -> str:
    if number != 1:
        return unit
    return "identity" if unit == "identities" else unit.removesuffix("s")


def _more(test: GateTest) -> str:
    """How many items would decide an undecided test."""
    if test.verdict != "undecided" or (test.reason and test.more_items is None):
        return ""
    if test.more_items is None:
        return " The difference is so close to the margin that no practical number of items would decide."
    noun = _units(test.unit, test.more_identities or 0)
    if test.measure == EFFECT_SIZE.name:
        return f" About {count(test.more_identities)} more {noun} would decide if the effect sizes stay as they are."
    present, also = test.unit, ""
    if test.n_attributes and test.sampled == "both" and test.n_identities:
        present += f" and {test.unit_2}"
        attributes = ceil(test.n_attributes * (test.more_identities or 0) / test.n_identities)
        also = f" and {count(attributes)} more {_units(test.unit_2, attributes)}"
    notes = (
        f" About {plural(test.more_items, 'more item')} with {count(test.more_identities)} more {noun}{also} would "
        "decide if the shares stay as they are"
    )
    if test.more_same_identities is None:
        return f"{notes}; more items about the present {present} would not."
    return f"{notes}, or {count(test.more_same_identities)} more items about the present {present}."


def counted(gate: Gate) -> str:
    """'3 tests: 2 pass, 1 undecided'."""
    counts = {verdict: sum(test.verdict == verdict for test in gate.tests) for verdict in EXIT_CODES}
    listed = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    return f"{plural(len(gate.tests), 'test')}: {listed}"
