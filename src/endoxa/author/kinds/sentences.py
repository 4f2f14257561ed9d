"""`endoxa author sentences`: natural sentences for tuples, each with a minimally different partner (IndiBias 4.2.2).

`endoxa author counter`: a positive counter-narrative for each stereotype (AfriStereo, B.3).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, ask_about, cell, cells_of, folded
from endoxa.author.prompts import Prompts, holds, pair_checks
from endoxa.author.settings import CounterSettings, SentencesSettings
from endoxa.curate.opposites import is_negation_of
from endoxa.curate.opposites.lexicon import languages, load_lexicon
from endoxa.errors import UserError
from endoxa.schema.drafts import ALIKE, IDENTICAL, MALFORMED, NEGATION, NO_GROUP

FIELDS = ("sentence", "partner")
CONTRADICTION, NUMBER, NO_ATTRIBUTE = "contradiction", "number", "no-attribute"
"""Checks: the sentence denies the tuple, a singular verb follows a plural group, the attribute is not said."""
_SINGULAR = r"\s+(?:is|was|has|does|isn't|wasn't|hasn't|doesn't)\b"
_DENIED = r"\b(?:not|never|no|n't|hardly|rarely|without)\b(?:\s+\w+){0,2}\s+"


def context(_settings: SentencesSettings, data: pl.DataFrame) -> dict[str, set[str]]:
    """The groups of each axis, also of rows that are not drafted: partner sentences can be about any of them."""
    groups: dict[str, set[str]] = {}
    for row in data.iter_rows(named=True):
        groups.setdefault(cell(row, "axis"), set()).add(cell(row, "identity"))
    return groups


def asks(
    settings: SentencesSettings, data: pl.DataFrame, prompts: Prompts, groups: Mapping[str, set[str]]
) -> Iterator[Ask]:
    """One request for each tuple and register.

    Raises:
        UserError: there is no other group of the same axis to contrast with.
    """
    task = "sentences" if settings.contrast == "group" else "sentences_attribute"
    number = 0
    for place, row in enumerate(data.iter_rows(named=True)):
        values = cells_of(row, "identity", "attribute")
        values["contrast"] = _contrast(settings, row, groups, place)
        language = cell(row, "language") or settings.prompt_language
        for register in settings.registers:
            text = prompts.fill(task, FIELDS, **values, register=register, wanted=settings.per_tuple)
            facts = {**values, "axis": cell(row, "axis"), "language": language, "register": register}
            yield ask_about(settings, row, place, text, facts, number=number, wanted=settings.per_tuple)
            number += 1


def _contrast(
    settings: SentencesSettings, row: Mapping[str, Any], groups: Mapping[str, set[str]], place: int
) -> str:
    """The group of the partner sentence: that of the column `contrast`, else one drawn from the same axis."""
    if settings.contrast == "attribute":
        return ""
    if contrast := cell(row, "contrast"):
        return contrast
    group = folded(cell(row, "identity"))
    others = [other for other in sorted(groups[cell(row, "axis")]) if folded(other) != group]
    if not others:
        raise UserError(
            f"Row {place + 1}: there is no other group of the axis '{cell(row, 'axis')}' to contrast "
            f"'{cell(row, 'identity')}' with. Add a column 'contrast', or choose --contrast attribute."
        )
    return random.Random(f"{settings.seed}|{place}").choice(others)  # noqa: S311  (a draw, no secret)


def judge(settings: SentencesSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """Both sentences must be there, differ, and name their group; what else is found is a check."""
    more, less = cell(row, "sentence"), cell(row, "partner")
    facts = ask.facts
    cells = {**facts, "sent_more": more, "sent_less": less, "direction": "stereo"}
    if not more or not less:
        return Judged(cells, MALFORMED)
    if folded(more) == folded(less):
        return Judged(cells, IDENTICAL)
    partner = facts["contrast"] if settings.contrast == "group" else facts["identity"]
    if not holds(more, facts["identity"]) or not holds(less, partner):
        return Judged(cells, NO_GROUP)
    return Judged(cells, checks=(*pair_checks(more, less, facts["language"]), *_sentence_checks(more, facts)))


def _sentence_checks(sentence: str, facts: Cells) -> Iterator[str]:
    text, group, attribute = (part.casefold() for part in (sentence, facts["identity"], facts["attribute"]))
    if facts["language"] == "en" and re.search(re.escape(group) + _SINGULAR, text) and group.endswith("s"):
        yield NUMBER
    if not holds(sentence, facts["attribute"]):
        yield NO_ATTRIBUTE
    denied = re.search(_DENIED + re.escape(attribute), text) is not None
    lexicon = load_lexicon(facts["language"], may_be_empty=True)
    negated = attribute in text and is_negation_of(attribute, text[text.find(attribute) :], lexicon=lexicon)
    if (facts["language"] == "en" and denied and not re.search(_DENIED, attribute + " ")) or negated:
        yield CONTRADICTION


SENTENCES = Kind(
    name="sentences",
    holds="sentence pairs for tuples",
    needs=("identity", "attribute"),
    fields=FIELDS,
    columns={
        "identity": "the group",
        "attribute": "the attribute",
        "axis": "social axis, as in your table",
        "language": "language, as in your table",
        "register": "kind of text",
        "contrast": "group of the partner sentence; empty where the attribute was turned",
        "sent_more": "the sentence with the stereotype",
        "sent_less": "its partner",
        "direction": "'stereo': the first sentence holds the stereotype",
    },
    asks=asks,
    context=context,
    judge=judge,
    same=lambda cells: folded(cells["sent_more"]),
    head="sent_more",
    tokens=60,
)


COUNTER_FIELDS = ("counter",)
MOST_ALIKE = 0.9
"""Share of letters in common from which on a sentence is the stereotype again (`difflib`)."""


def stereotype_of(row: dict[str, Any], number: int, prompts: Prompts) -> str:
    """The stereotype of a row as a sentence.

    Raises:
        UserError: the row has neither a sentence nor group and attribute.
    """
    text = cell(row, "stereotype") or cell(row, "sent_more")
    identity, attribute = cell(row, "identity"), cell(row, "attribute")
    if not text and not (identity and attribute):
        raise UserError(
            f"Row {number} has no stereotype. Expected a column 'stereotype' or 'sent_more', or both 'identity' and "
            "'attribute'."
        )
    return text or prompts.stereotype(identity, attribute)


def counter_asks(
    settings: CounterSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each stereotype."""
    for place, row in enumerate(data.iter_rows(named=True)):
        stereotype = stereotype_of(row, place + 1, prompts)
        text = prompts.fill("counter", COUNTER_FIELDS, stereotype=stereotype, wanted=settings.per_row)
        facts = {**cells_of(row, "identity", "attribute", "language"), "sent_more": stereotype}
        yield ask_about(settings, row, place, text, facts, wanted=settings.per_row)


def judge_counter(_settings: CounterSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """No denial, no repetition, about the same group."""
    counter, stereotype = cell(row, "counter"), ask.facts["sent_more"]
    cells = {**ask.facts, "counter": counter}
    if not counter:
        return Judged(cells, MALFORMED)
    if ask.facts["identity"] and not holds(counter, ask.facts["identity"]):
        return Judged(cells, NO_GROUP)
    language = ask.facts["language"]
    if language in languages() and is_negation_of(stereotype, counter, language):
        return Judged(cells, NEGATION)
    likeness = SequenceMatcher(None, folded(stereotype), folded(counter)).ratio()
    if likeness >= MOST_ALIKE:
        return Judged(cells, ALIKE)
    return Judged(cells)


def _words(row: Mapping[str, Any]) -> str:
    """The user's own words of a row; a sentence that we make of group and attribute is in that of the prompt."""
    sentence = cell(row, "stereotype") or cell(row, "sent_more")
    return sentence or f"{cell(row, 'identity')} {cell(row, 'attribute')}"


COUNTER = Kind(
    name="counter",
    holds="counter-narratives",
    needs=(),
    fields=COUNTER_FIELDS,
    columns={
        "identity": "the group, as in your table",
        "attribute": "the attribute, as in your table",
        "language": "language, as in your table",
        "sent_more": "the stereotype as a sentence",
        "counter": "the counter-narrative",
    },
    asks=counter_asks,
    judge=judge_counter,
    same=lambda cells: (folded(cells["sent_more"]), folded(cells["counter"])),
    head="counter",
    speaks=_words,
    tokens=40,
)
