"""`endoxa author tuples`: attributes that people ascribe to each group (IndiBias, 4.1), for the room of votes."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, Row, cell, cells_of, earlier_rows, folded, named_rows
from endoxa.author.prompts import Prompts
from endoxa.author.settings import TuplesSettings
from endoxa.curate.group.terms import clean, key
from endoxa.curate.opposites.lexicon import Lexicon, load_lexicon
from endoxa.schema.drafts import KNOWN, MALFORMED

POLARITIES = ("positive", "negative")
FIELDS = ("attribute", "polarity")


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


def same(cells: Cells) -> tuple[str, str]:
    """Group and attribute without regard to its form."""
    return folded(cells["identity"]), key(cells["attribute"], _lexicon(cells))


def unite(_settings: TuplesSettings, _data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """One row for each group and attribute (`same`), with the models that named it.

    The row is that of the first model, so its id, seed and place say where the words come from. `n_models` models named
    it; `other_words` are other wordings that were united with it.
    """
    rows = [
        dict(zip(("group", "key"), map(str, same(row)), strict=True)) for row in drafts.iter_rows(named=True)
    ]
    named = pl.concat(
        [drafts, pl.DataFrame(rows, schema={"group": pl.String, "key": pl.String})], how="horizontal"
    )
    attribute, first = pl.col("attribute"), pl.col("attribute").first()
    joined = {
        "source": _joined(pl.col("source")),
        "model_version": _joined(pl.col("model_version")),
        "n_models": pl.col("source").n_unique().cast(pl.Int64),
        "other_words": _joined(attribute.filter(attribute.str.to_lowercase() != first.str.to_lowercase())),
    }
    others = [name for name in drafts.columns if name not in joined]
    united = named.group_by("group", "key", maintain_order=True).agg(pl.col(others).first(), **joined)
    return united.select(*drafts.columns, "n_models", "other_words")


def _joined(names: pl.Expr) -> pl.Expr:
    """Different texts in the order in which they came."""
    return names.filter(names.fill_null("") != "").unique(maintain_order=True).str.join("; ")


TUPLES = Kind(
    name="tuples",
    needs=("identity",),
    fields=FIELDS,
    columns=("identity", "axis", "region", "language", "attribute", "polarity"),
    tokens=18,
    asks=asks,
    context=context,
    judge=judge,
    same=same,
    unite=unite,
)
