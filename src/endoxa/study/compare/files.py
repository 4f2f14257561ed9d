"""Files of a gate: a summary for a pull request, and JUnit XML for CI."""

from __future__ import annotations

from operator import attrgetter
from typing import Any
from xml.etree import ElementTree

from endoxa.report.tables import escape_markdown, markdown, number_field, table_of, text_field
from endoxa.report.words import count, signed
from endoxa.study.compare.results import NAMES, NUMBERS, Gate

MARKS = {"pass": "✅ pass", "worse": "❌ worse", "undecided": "⚠️ undecided"}
_UNPRINTABLE = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def as_markdown(gate: Gate) -> str:
    """A summary for a pull request: the verdict, a table, a sentence for each test that does not pass."""
    fields = (
        text_field("", lambda test: MARKS[test.verdict]),
        *(text_field(name, attrgetter(name)) for name in NAMES),
        *NUMBERS,
        number_field("items", lambda test: count(test.n_items)),
        text_field("about", attrgetter("about")),
    )
    lines = [
        f"### endoxa gate: {MARKS[gate.verdict]}",
        "",
        escape_markdown(gate.sentence),
        "",
        f"Baseline `{_code(gate.baseline['model'])}`, candidate `{_code(gate.candidate['model'])}`, "
        f"margin {gate.margin:g}, confidence {100 * gate.confidence:g} %.",
        "",
        markdown([table_of("", gate.tests, fields)]),
    ]
    if len(gate.tests) > 1:
        lines += [f"- {escape_markdown(test.sentence)}" for test in gate.tests if test.verdict != "pass"]
        lines.append("")
    lines += [f"- {escape_markdown(note)}" for note in gate.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def _code(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ")


def as_junit(gate: Gate) -> str:
    """JUnit XML: a test case per test; worse is a failure, undecided is skipped with its reason."""
    counts = {verdict: sum(test.verdict == verdict for test in gate.tests) for verdict in MARKS}
    numbers: dict[str, Any] = {
        "tests": len(gate.tests),
        "failures": counts["worse"],
        "errors": 0,
        "skipped": counts["undecided"],
        "time": 0,
    }
    root = ElementTree.Element("testsuites", _attributes(name="endoxa gate", **numbers))
    suite = _child(root, "testsuite", name="endoxa gate", **numbers)
    properties = _child(suite, "properties")
    facts = {
        "verdict": gate.verdict,
        "baseline": f"{gate.baseline['model']} ({gate.baseline['run']})",
        "candidate": f"{gate.candidate['model']} ({gate.candidate['run']})",
        "margin": f"{gate.margin:g}",
        "confidence": f"{gate.confidence:g}",
    }
    for name, value in facts.items():
        _child(properties, "property", name=name, value=value)
    for test in gate.tests:
        name = f"{test.rule}, {test.axis}"
        case = _child(suite, "testcase", classname=f"endoxa.gate.{test.measure}", name=name, time=0)
        if test.verdict == "worse":
            message = f"worse by {signed(test.difference)}, margin {test.margin:g}"
            _child(case, "failure", test.sentence, message=message, type="worse")
        elif test.verdict == "undecided":
            _child(case, "skipped", message=test.sentence)
        else:
            _child(case, "system-out", test.sentence)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _child(
    parent: ElementTree.Element, tag: str, text: str = "", **attributes: object
) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, tag, _attributes(**attributes))
    child.text = _xml(text) or None
    return child


def _attributes(**values: object) -> dict[str, str]:
    return {name: _xml(str(value)) for name, value in values.items()}


def _xml(text: str) -> str:
    """Without control characters, which XML cannot hold."""
    return text.translate(_UNPRINTABLE)
