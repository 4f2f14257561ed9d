"""`endoxa author tuples`: attributes that people ascribe to each group (IndiBias, 4.1), for the room of votes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, Row, cell, cells_of, earlier_rows, folded, named_rows
from endoxa.author.prompts import Prompts
from endoxa.author.settings import TuplesSettings
from endoxa.curate.group.terms import clean, key
from endoxa.curate.opposites import are_opposites
from endoxa.curate.opposites.lexicon import Lexicon, load_lexicon
from endoxa.schema.drafts import KNOWN, MALFORMED

POLARITIES = ("positive", "negative")
FIELDS = ("attribute", "polarity")
NEAR = 0.88
"""Share of letters in common from which on two attributes are one (`difflib`), unless they are opposites."""


def asks(settings: TuplesSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """One request for each group."""
    wanted = settings.per_identity
    for name, row in named_rows(data):
        facts = cells_of(row, "identity", "axis", "region")
        country = cell(row, "country") or facts["region"]
        where = prompts.place(country) if country else settings.place or prompts.place()
        text = prompts.fill("tuples", FIELDS, identity=facts["identity"], place=where, wanted=wanted)
        facts["language"] = cell(row, "language") or settings.prompt_language
        yield Ask(text, facts, (name,), wanted, allowed={"polarity": POLARITIES})


def _lexicon(row: Row, language: str = "en") -> Lexicon:
    """Opposites of the language of a row, or else of `language`; none where there is no table."""
    return load_lexicon(cell(row, "language") or language, may_be_empty=True)


def context(settings: TuplesSettings, _data: pl.DataFrame) -> frozenset[tuple[str, str]]:
    """Groups and attributes of the user's own data; rows that name no language are in that of the prompts."""
    return frozenset(
        (folded(cell(row, "identity")), key(cell(row, "attribute"), _lexicon(row, settings.prompt_language)))
        for row in earlier_rows(settings, "identity", "attribute")
    )


def judge(_settings: TuplesSettings, earlier: frozenset[tuple[str, str]], ask: Ask, row: Cells) -> Judged:
    """The attribute without copula and words of degree; what is in the user's data already is no draft."""
    lexicon = _lexicon(ask.facts)
    attribute = clean(cell(row, "attribute"), lexicon)
    cells = {**ask.facts, "attribute": attribute, "polarity": cell(row, "polarity").casefold()}
    if not attribute or cells["polarity"] not in POLARITIES:
        return Judged(reason=MALFORMED)
    if (folded(cells["identity"]), key(attribute, lexicon)) in earlier:
        return Judged(reason=KNOWN)
    return Judged(cells, checks=("long",) if len(attribute.split()) > 4 else ())


def same(cells: Cells) -> object:
    """Group and attribute without regard to its form."""
    return folded(cells["identity"]), key(cells["attribute"], _lexicon(cells))


def unite(_settings: TuplesSettings, _data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """One row for each group and attribute, with the models that named it; near-duplicates are one.

    The row is that of the first model, so its id, seed and place say where the words come from. `n_models` models named
    it; `other_words` are other wordings that were united with it.
    """
    by_identity: dict[str, list[list[dict[str, Any]]]] = {}
    united: list[list[dict[str, Any]]] = []
    for row in drafts.iter_rows(named=True):
        of_group = by_identity.setdefault(folded(row["identity"]), [])
        alike = next((rows for rows in of_group if _like(rows[0], row)), None)
        if alike is None:
            alike = []
            of_group.append(alike)
            united.append(alike)
        alike.append(row)
    made = []
    for rows in united:
        first = rows[0]
        names = dict.fromkeys(row["source"] for row in rows)
        words = (row["attribute"] for row in rows if folded(row["attribute"]) != folded(first["attribute"]))
        joined = {
            "source": _joined([*names]),
            "model_version": _joined([row["model_version"] for row in rows]),
            "n_models": len(names),
            "other_words": _joined([*words]),
        }
        made.append({**first, **joined})
    return pl.DataFrame(made, schema={**drafts.schema, "n_models": pl.Int64, "other_words": pl.String})


def _like(draft: Row, earlier: Row) -> bool:
    """Whether two attributes of one group are the same, or nearly, and mean no opposite things."""
    lexicon = _lexicon(draft)
    first, second = draft["attribute"], earlier["attribute"]
    if key(first, lexicon) == key(second, lexicon):
        return True
    if SequenceMatcher(None, folded(first), folded(second)).ratio() < NEAR:
        return False
    return draft["polarity"] == earlier["polarity"] and not are_opposites(first, second, lexicon=lexicon)


def _joined(names: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


TUPLES = Kind(
    name="tuples",
    holds="groups with attributes",
    needs=("identity",),
    fields=FIELDS,
    columns=("identity", "axis", "region", "language", "attribute", "polarity"),
    tokens=18,
    head="attribute",
    asks=asks,
    context=context,
    judge=judge,
    same=same,
    unite=unite,
)
