"""Files of a gate: JSON for programs, Markdown for pull requests, JUnit XML for CI, and a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from endoxa.errors import UserError
from endoxa.report.files import refuse_folder, replace_text
from endoxa.report.markup import escape_markdown
from endoxa.report.words import count, signed
from endoxa.study.gate.results import NAMES, NUMBERS, Gate, GateTest

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
    head = ("", *NAMES, *(field.column.name for field in NUMBERS), "items", "identities")
    lines = [
        f"### endoxa gate: {MARKS[gate.verdict]}",
        "",
        escape_markdown(gate.sentence),
        "",
        f"Baseline `{_code(gate.baseline['model'])}`, candidate `{_code(gate.candidate['model'])}`, "
        f"margin {gate.margin:g}, confidence {100 * gate.confidence:g} %.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * 4}{'---:|' * (len(head) - 4)}",
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
        count(test.n_identities),
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
