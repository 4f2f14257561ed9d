"""Results of a gate: frozen values for the terminal and Python, and its files for programs, pull requests and CI."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import ceil, isnan
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from endoxa.errors import UserError
from endoxa.report.files import refuse_folder, replace_text
from endoxa.report.markup import escape_markdown
from endoxa.report.tables import Field, number_field
from endoxa.report.words import NO_VALUE, count, decimal, plural, signed
from endoxa.schema.headline import Headline, plain

NAMES = ("measure", "rule", "axis")

Verdict = Literal["pass", "worse", "undecided"]
EXIT_CODES: dict[Verdict, int] = {"pass": 0, "worse": 1, "undecided": 4}
"""Exit codes of the command; 2 is for errors of the user."""


@dataclass(frozen=True, slots=True)
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
    difference: float
    low: float
    high: float
    margin: float
    confidence: float
    n_items: int
    n_left_out: int
    n_identities: int
    unit: str
    p_not_worse: float
    p_worse: float
    p_worse_adjusted: float
    verdict: Verdict
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


@dataclass(frozen=True, slots=True)
class Gate:
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
        return Headline(
            title=f"Candidate against baseline: {title}" if title else "Candidate against baseline",
            columns=(*columns, *(field.column.name for field in numbers), "verdict"),
            texts=tuple(
                (
                    *(getattr(test, name) for name in columns),
                    *(str(field.cell(test)) for field in numbers),
                    test.verdict,
                )
                for test in self.tests
            ),
            rows=tuple(self.to_dict()["tests"]),
            words=("measure", "rule", "axis", "verdict"),
            notes=self.notes,
        )

    def save(self, path: str | Path) -> Path:
        """Write it: .json (everything), .md (summary), .xml (JUnit) or .html (page).

        Raises:
            UserError: another suffix, or the file cannot be written.
        """
        return write(self, Path(path))

    def __str__(self) -> str:
        """Table and sentence."""
        return f"{self.headline()}\n{self.sentence}"

    def _repr_html_(self) -> str:
        return self.headline()._repr_html_()


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


MARKS = {"pass": "✅ pass", "worse": "❌ worse", "undecided": "⚠️ undecided"}
_UNPRINTABLE = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def write(gate: Gate, output: Path) -> Path:
    """Write the gate as the suffix of the file says.

    Raises:
        UserError: another suffix, or the file cannot be written.
    """
    require_suffix(output)
    refuse_folder(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        if output.suffix.lower() == ".html":
            from endoxa.report.frame import write_page
            from endoxa.report.render import unchecked
            from endoxa.study.gate.page import page_of

            with unchecked():
                write_page(page_of(gate), output)
        else:
            replace_text(output, _TEXTS[output.suffix.lower()](gate))
    except OSError as error:
        raise UserError(f"'{output}' cannot be written: {error.strerror or error}.") from error
    return output


def require_suffix(output: Path) -> None:
    """Refuse a file whose suffix says nothing.

    Raises:
        UserError: it is none of those that are written.
    """
    suffixes = (*_TEXTS, ".html")
    if output.suffix.lower() not in suffixes:
        raise UserError(
            f"'{output}' has the suffix '{output.suffix}'. Expected one of: {', '.join(suffixes)}."
        )


def as_json(gate: Gate) -> str:
    """Everything, as `gate.json`."""
    return json.dumps(gate.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_markdown(gate: Gate) -> str:
    """A summary for a pull request: the verdict, a table, a sentence for each test that does not pass."""
    head = ("", *NAMES, *(field.column.name for field in NUMBERS), "items", "about")
    lines = [
        f"### endoxa gate: {MARKS[gate.verdict]}",
        "",
        escape_markdown(gate.sentence),
        "",
        f"Baseline `{_code(gate.baseline['model'])}`, candidate `{_code(gate.candidate['model'])}`, "
        f"margin {gate.margin:g}, confidence {100 * gate.confidence:g} %.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * 4}{'---:|' * (len(head) - 5)}---|",
        *(f"| {' | '.join(_cells(test))} |" for test in gate.tests),
    ]
    if len(gate.tests) > 1:
        lines += [
            "",
            *(f"- {escape_markdown(test.sentence)}" for test in gate.tests if test.verdict != "pass"),
        ]
    lines += ["", *(f"- {escape_markdown(note)}" for note in gate.notes)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _cells(test: GateTest) -> tuple[str, ...]:
    return (
        MARKS[test.verdict],
        *(escape_markdown(getattr(test, name)) for name in NAMES),
        *(str(field.cell(test)) for field in NUMBERS),
        count(test.n_items),
        test.about,
    )


def _code(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ")


def as_junit(gate: Gate) -> str:
    """JUnit XML: a test case per test; worse is a failure, undecided is skipped with its reason."""
    counts = {verdict: sum(test.verdict == verdict for test in gate.tests) for verdict in MARKS}
    numbers = {
        "tests": len(gate.tests),
        "failures": counts["worse"],
        "errors": 0,
        "skipped": counts["undecided"],
        "time": 0,
    }
    root = _element("testsuites", name="endoxa gate", **numbers)
    suite = _element("testsuite", name="endoxa gate", **numbers)
    root.append(suite)
    properties = _element("properties")
    suite.append(properties)
    facts = {
        "verdict": gate.verdict,
        "baseline": f"{gate.baseline['model']} ({gate.baseline['run']})",
        "candidate": f"{gate.candidate['model']} ({gate.candidate['run']})",
        "margin": f"{gate.margin:g}",
        "confidence": f"{gate.confidence:g}",
    }
    for name, value in facts.items():
        properties.append(_element("property", name=name, value=value))
    for test in gate.tests:
        case = _element(
            "testcase", classname=f"endoxa.gate.{test.measure}", name=f"{test.rule}, {test.axis}", time=0
        )
        if test.verdict == "worse":
            message = f"worse by {signed(test.difference)}, margin {test.margin:g}"
            failure = _element("failure", message=message, type="worse")
            failure.text = _xml(test.sentence)
            case.append(failure)
        elif test.verdict == "undecided":
            case.append(_element("skipped", message=test.sentence))
        else:
            output = _element("system-out")
            output.text = _xml(test.sentence)
            case.append(output)
        suite.append(case)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _element(tag: str, **attributes: object) -> ElementTree.Element:
    return ElementTree.Element(tag, {name: _xml(str(value)) for name, value in attributes.items()})


def _xml(text: str) -> str:
    """Without control characters, which XML cannot hold."""
    return text.translate(_UNPRINTABLE)


_TEXTS: Mapping[str, Callable[[Gate], str]] = {".json": as_json, ".md": as_markdown, ".xml": as_junit}
