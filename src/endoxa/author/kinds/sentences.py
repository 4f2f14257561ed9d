"""`endoxa author sentences`: natural sentences for tuples, each with a minimally different partner (IndiBias 4.2.2).

`endoxa author counter`: a positive counter-narrative for each stereotype (AfriStereo, B.3).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, Row, cell, cells_of, folded, named_rows
from endoxa.author.prompts import Prompts, holds
from endoxa.author.settings import CounterSettings, SentencesSettings
from endoxa.curate.opposites import is_negation_of
from endoxa.curate.opposites.lexicon import languages
from endoxa.errors import UserError
from endoxa.schema.drafts import ALIKE, IDENTICAL, NEGATION, NO_GROUP
from endoxa.sources.check import checks_of_pair

FIELDS = ("sentence", "partner")
NO_ATTRIBUTE = "no-attribute"
"""Check: the attribute is not said."""


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
    task, wanted = "sentences" if settings.contrast == "group" else "sentences_attribute", settings.per_tuple
    for place, (name, row) in enumerate(named_rows(data)):
        values = cells_of(row, "identity", "attribute")
        values["contrast"] = _contrast(settings, row, groups, place)
        facts = {
            **values,
            "axis": cell(row, "axis"),
            "language": cell(row, "language") or settings.prompt_language,
        }
        for register in settings.registers:
            text = prompts.fill(task, FIELDS, **values, register=register, wanted=wanted)
            yield Ask(text, {**facts, "register": register}, (name,), wanted)


def _contrast(settings: SentencesSettings, row: Row, groups: Mapping[str, set[str]], place: int) -> str:
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
    """Both sentences must differ and name their group; what else is found is a check."""
    more, less, facts = cell(row, "sentence"), cell(row, "partner"), ask.facts
    if folded(more) == folded(less):
        return Judged(reason=IDENTICAL)
    partner = facts["contrast"] if settings.contrast == "group" else facts["identity"]
    if not holds(more, facts["identity"]) or not holds(less, partner):
        return Judged(reason=NO_GROUP)
    unsaid = () if holds(more, facts["attribute"]) else (NO_ATTRIBUTE,)
    checks = (*checks_of_pair(more, less, facts["language"]), *unsaid)
    return Judged({**facts, "sent_more": more, "sent_less": less, "direction": "stereo"}, checks=checks)


SENTENCES = Kind(
    name="sentences",
    needs=("identity", "attribute"),
    fields=FIELDS,
    columns=(
        *("identity", "attribute", "axis", "language", "register", "contrast"),
        *("sent_more", "sent_less", "direction"),
    ),
    tokens=60,
    asks=asks,
    context=context,
    judge=judge,
    same=lambda cells: folded(cells["sent_more"]),
)


MOST_ALIKE = 0.9
"""Share of letters in common from which on a sentence is the stereotype again (`difflib`)."""


def counter_asks(
    settings: CounterSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each stereotype.

    Raises:
        UserError: a row has neither a sentence nor group and attribute.
    """
    wanted = settings.per_row
    for number, (name, row) in enumerate(named_rows(data), start=1):
        facts = cells_of(row, "identity", "attribute", "language")
        facts["sent_more"] = cell(row, "stereotype") or cell(row, "sent_more")
        if not facts["sent_more"] and not (facts["identity"] and facts["attribute"]):
            raise UserError(
                f"Row {number} has no stereotype. Expected a column 'stereotype' or 'sent_more', or both "
                "'identity' and 'attribute'."
            )
        facts["sent_more"] = facts["sent_more"] or prompts.stereotype(facts["identity"], facts["attribute"])
        text = prompts.fill("counter", COUNTER.fields, stereotype=facts["sent_more"], wanted=wanted)
        yield Ask(text, facts, (name,), wanted)


def judge_counter(_settings: CounterSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """No denial, no repetition, about the same group."""
    counter, stereotype, language = cell(row, "counter"), ask.facts["sent_more"], ask.facts["language"]
    if ask.facts["identity"] and not holds(counter, ask.facts["identity"]):
        return Judged(reason=NO_GROUP)
    if language in languages() and is_negation_of(stereotype, counter, language):
        return Judged(reason=NEGATION)
    if SequenceMatcher(None, folded(stereotype), folded(counter)).ratio() >= MOST_ALIKE:
        return Judged(reason=ALIKE)
    return Judged({**ask.facts, "counter": counter})


def _words(row: Row) -> str:
    """The user's own words of a row; a sentence that we make of group and attribute is in that of the prompt."""
    sentence = cell(row, "stereotype") or cell(row, "sent_more")
    return sentence or f"{cell(row, 'identity')} {cell(row, 'attribute')}"


COUNTER = Kind(
    name="counter",
    fields=("counter",),
    columns=("identity", "attribute", "language", "sent_more", "counter"),
    tokens=40,
    asks=counter_asks,
    judge=judge_counter,
    same=lambda cells: (folded(cells["sent_more"]), folded(cells["counter"])),
    speaks=_words,
)
