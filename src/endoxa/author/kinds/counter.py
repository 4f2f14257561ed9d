"""`endoxa author counter`: a positive counter-narrative for each stereotype (AfriStereo, B.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, cell, folded, row_name
from endoxa.author.prompts import Prompts, holds
from endoxa.author.settings import CounterSettings
from endoxa.curate.opposites import is_negation_of
from endoxa.curate.opposites.lexicon import languages
from endoxa.errors import UserError
from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import ALIKE, MALFORMED, NEGATION, NO_GROUP

FIELDS = ("counter",)
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


def asks(settings: CounterSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """One request for each stereotype."""
    for number, row in enumerate(data.iter_rows(named=True)):
        stereotype = stereotype_of(row, number + 1, prompts)
        facts = {
            "identity": cell(row, "identity"),
            "attribute": cell(row, "attribute"),
            "language": cell(row, "language"),
            "sent_more": stereotype,
        }
        yield Ask(
            number,
            prompts.fill("counter", FIELDS, stereotype=stereotype, wanted=settings.per_row),
            settings.per_row,
            facts,
            (row_name(row, number + 1),),
            seed=draw_seed(settings.seed, number),
            simulated=facts,
        )


def judge(_settings: CounterSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
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
    fields=FIELDS,
    columns={
        "identity": "the group, as in your table",
        "attribute": "the attribute, as in your table",
        "language": "language, as in your table",
        "sent_more": "the stereotype as a sentence",
        "counter": "the counter-narrative",
    },
    asks=asks,
    judge=judge,
    same=lambda cells: (folded(cells["sent_more"]), folded(cells["counter"])),
    head="counter",
    speaks=_words,
    tokens=40,
)
