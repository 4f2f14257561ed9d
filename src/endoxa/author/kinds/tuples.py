"""`endoxa author tuples`: attributes that people ascribe to each group (IndiBias, 4.1), for the room of votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, ask_about, cell, cells_of, folded
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
    for number, row in enumerate(data.iter_rows(named=True)):
        facts = cells_of(row, "identity", "axis", "region")
        country = cell(row, "country") or facts["region"]
        where = prompts.place(country) if country else settings.place or prompts.place()
        wanted = settings.per_identity
        text = prompts.fill("tuples", FIELDS, identity=facts["identity"], place=where, wanted=wanted)
        facts["language"] = cell(row, "language") or settings.prompt_language
        simulated = {"identity": facts["identity"]}
        allowed = {"polarity": POLARITIES}
        yield ask_about(
            settings, row, number, text, facts, wanted=wanted, allowed=allowed, simulated=simulated
        )


def context(settings: TuplesSettings, _data: pl.DataFrame) -> frozenset[tuple[str, str]]:
    """What is known already: (identity, key of the attribute)."""
    return frozenset(existing_tuples(settings.known, settings.prompt_language))


def _lexicon(row: Mapping[str, Any], language: str = "en") -> Lexicon:
    """Opposites of the language of a row, or else of `language`; none where there is no table."""
    return load_lexicon(cell(row, "language") or language, may_be_empty=True)


def existing_tuples(path: str | None, language: str) -> Iterator[tuple[str, str]]:
    """Groups and attributes of the user's own data; `language` is that of rows that name none."""
    if path is None:
        return
    from pathlib import Path

    from endoxa.sources.frames import read_table

    for row in read_table(Path(path), ("identity", "attribute"), respect_statuses=False).iter_rows(
        named=True
    ):
        yield folded(cell(row, "identity")), key(cell(row, "attribute"), _lexicon(row, language))


def judge(_settings: TuplesSettings, existing: frozenset[tuple[str, str]], ask: Ask, row: Cells) -> Judged:
    """The attribute without copula and words of degree; what is known already is no draft."""
    lexicon = _lexicon(ask.facts)
    attribute = clean(cell(row, "attribute"), lexicon)
    cells = {**ask.facts, "attribute": attribute, "polarity": cell(row, "polarity").casefold()}
    if not attribute or cells["polarity"] not in POLARITIES:
        return Judged(cells, MALFORMED)
    if (folded(cells["identity"]), key(attribute, lexicon)) in existing:
        return Judged(cells, KNOWN)
    return Judged(cells, checks=("long",) if len(attribute.split()) > 4 else ())


def same(cells: Cells) -> object:
    """Group and attribute without regard to its form."""
    return folded(cells["identity"]), key(cells["attribute"], _lexicon(cells))


def unite(_settings: TuplesSettings, _data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """One row for each group and attribute, with the models that named it; near-duplicates are one.

    The row is that of the first model, so its id, seed and place say where the words come from.
    """
    made: list[dict[str, Any]] = []
    by_identity: dict[str, list[dict[str, Any]]] = {}
    for row in drafts.iter_rows(named=True):
        others = by_identity.setdefault(folded(row["identity"]), [])
        same = next((other for other in others if _like(other, row)), None)
        if same is None:
            united = {**row, "models": [row["source"]], "other_words": []}
            made.append(united)
            others.append(united)
            continue
        same["models"] += [row["source"]] if row["source"] not in same["models"] else []
        same["other_words"] += (
            [row["attribute"]] if folded(row["attribute"]) != folded(same["attribute"]) else []
        )
        same["model_version"] = _joined([*same["model_version"].split("; "), row["model_version"]])
    for united in made:
        names = united.pop("models")
        united["n_models"] = len(names)
        united["source"] = _joined(names)
        united["other_words"] = _joined(united["other_words"])
    return pl.DataFrame(made, schema={**drafts.schema, "n_models": pl.Int64, "other_words": pl.String})


def _like(draft: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
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
    columns={
        "identity": "the group, as in your table",
        "axis": "social axis, as in your table",
        "region": "region, as in your table",
        "language": "language, as in your table",
        "attribute": "what the group is said to be or do",
        "polarity": "'positive' or 'negative', as the first model meant it",
        "n_models": "models that named it",
        "other_words": "other wordings that were united with it, separated by '; '",
    },
    asks=asks,
    judge=judge,
    same=same,
    head="attribute",
    cells=("identity", "axis", "region", "language", "attribute", "polarity"),
    context=context,
    unite=unite,
    tokens=18,
)
