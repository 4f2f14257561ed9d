"""The cases of a language (`cases.csv`) played through: statement to association, to a pair, and back.

An association is said and denied in a pair. Back: the denied sentence is read like a statement of people; the pair that
comes of it must say it, and deny it with the first sentence, or, where a habit has no denial of its own, with what
that denial says of the present.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from endoxa.curate.associations import predicate
from endoxa.curate.extract import Extraction, Question, extract
from endoxa.curate.grammar.sentences import Sentences, sentence_pair
from endoxa.curate.grammar.templates import Template, UnclearError, load_templates
from endoxa.words.patterns import grammars_of, set_of

EXTRACT, PAIRS, BACK = "extract", "pairs", "back"
_NOBODY = Question("", "")
_Shown = tuple[str, str]
"""What a statement shows beside identity and attribute: how people said it, and the gender of the group."""
_NOTHING_SHOWN = ("", "")


@dataclass(frozen=True, slots=True)
class Result:
    """A case at one joint.

    Attributes:
        row: of `cases.csv`.
        kind: what is difficult in it.
        joint: 'extract', 'pairs' or 'back'.
        statement: the case.
        expected: what should come of it, parts separated by ' | '; empty where nothing should.
        got: what came of it.
        reason: why nothing came of it, where that is known.
    """

    row: str
    kind: str
    joint: str
    statement: str
    expected: str
    got: str
    reason: str = ""

    @property
    def right(self) -> bool:
        """Whether it is as expected."""
        return self.expected == self.got


def replay(case: Mapping[str, str], language: str) -> Iterator[Result]:
    """A case at each joint.

    Args:
        case: a row of `cases.csv`, and its number under `row`.
        language: ISO 639 code.
    """
    expected, shown = _joined(case["identity"], case["attribute"]), _NOTHING_SHOWN
    if case["statement"]:
        pair = _read(case["statement"], language, expected)
        got = _joined(pair.identity, pair.attribute) if pair else ""
        yield Result(case["row"], case["kind"], EXTRACT, case["statement"], expected, got)
        if pair and got == expected:
            shown = _shown(pair, case["statement"], language)
    template = load_templates().get(language)
    if template is not None and case["identity"] and case["attribute"]:
        yield from _sentences(case, template, shown)


def _sentences(case: Mapping[str, str], template: Template, shown: _Shown) -> Iterator[Result]:
    def result(joint: str, expected: str, got: str, reason: str = "") -> Result:
        return Result(case["row"], case["kind"], joint, case["statement"], expected, got, reason)

    expected = _joined(case["sentence"], case["denied"])
    made, reason = _pair(case["identity"], case["attribute"], template, shown)
    got = _joined(made.more, made.less) if made else ""
    yield result(PAIRS, expected, got, reason)
    if made is None or got != expected:
        return
    pair = _read(made.less, template.language)
    how = _shown(pair, made.less, template.language) if pair else shown
    identity, attribute = (pair.identity, pair.attribute) if pair else (case["identity"], made.attribute_less)
    back, reason = _pair(identity, attribute, template, how)
    affirmed = case["sentence"]
    if back and _kinds_differ(made.attribute_more, back.attribute_less, template.language):
        affirmed = back.less
    lost = _loses_a_word(case["attribute"], template.language)
    expected = "" if lost else _joined(case["denied"], affirmed)
    yield result(BACK, expected, _joined(back.more, back.less) if back else "", reason)


def _kinds_differ(first: str, second: str, language: str) -> bool:
    """Whether two predicates are of different kinds: habits and the present may share one denial (Swahili)."""
    sets = [set_of(text, language) for text in (first, second)]
    return sets[0] == "habitual" != sets[1]


def _loses_a_word(attribute: str, language: str) -> bool:
    """Whether the denial lacks a word, so that nothing can come of it ("n'ont pas de pouvoir": "du", "des", "un"?)."""
    for rows in grammars_of(language)[:1]:
        first = next(rows.readings(attribute), None)
        return bool(first and first.there and first.here.slots - first.there.slots)
    return False


def _pair(identity: str, attribute: str, template: Template, shown: _Shown) -> tuple[Sentences | None, str]:
    """The pair of an association with its denial, or why there is none."""
    evidence, agreement = shown
    try:
        return sentence_pair(identity, attribute, template, None, evidence=evidence, agreement=agreement), ""
    except UnclearError as problem:
        return None, str(problem)


def _read(statement: str, language: str, expected: str = "") -> Extraction | None:
    """The pair of a statement that is expected, else the first that is complete and kept."""
    made = extract(statement, _NOBODY, language=language)
    complete = [pair for pair in made if pair.identity and pair.attribute and not pair.omit]
    fitting = (pair for pair in complete if _joined(pair.identity, pair.attribute) == expected)
    return next(fitting, complete[0] if complete else None)


def _shown(pair: Extraction, statement: str, language: str) -> _Shown:
    return pair.verb or predicate(statement, pair.identity, pair.attribute, language), pair.agreement


def _joined(*parts: str) -> str:
    """Parts as one text in one normal form; empty where all are empty."""
    return unicodedata.normalize("NFC", " | ".join(parts)) if any(parts) else ""
