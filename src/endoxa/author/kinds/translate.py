"""`endoxa author translate`: candidates of several engines for both sentences of a pair (IndiBias, 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.author.kind import (
    Ask,
    Cells,
    Judged,
    Kind,
    cell,
    cells_of,
    folded,
    further_columns,
    named_rows,
)
from endoxa.author.prompts import Prompts
from endoxa.author.settings import TranslateSettings
from endoxa.schema.drafts import DRAFT
from endoxa.sources.check import checks_of_pair
from endoxa.sources.typography import differing_spans, words
from endoxa.words.packs import language_name

IDENTICAL_NOW, LESS_MINIMAL = "identical-now", "less-minimal"
"""Checks: both translations are one sentence; they differ in more places than the originals do."""


def asks(
    settings: TranslateSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each pair."""
    for name, row in named_rows(data):
        facts = {"more": cell(row, "sent_more"), "less": cell(row, "sent_less")}
        source, to = (
            language_name(code, settings.prompt_language) for code in (cell(row, "language"), settings.to)
        )
        text = prompts.fill("translate", TRANSLATE.fields, from_language=source, to_language=to, **facts)
        yield Ask(text, facts, (name,))


def differs_more(more: str, less: str, original_more: str, original_less: str) -> bool:
    """Whether two sentences differ in more places than the originals do."""
    before, after = (
        len(differing_spans(words(first), words(second)))
        for first, second in ((original_more, original_less), (more, less))
    )
    return after > before


def judge(settings: TranslateSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """A pair that became identical is kept and marked, since people may mend it."""
    more, less = cell(row, "sent_more"), cell(row, "sent_less")
    checks: tuple[str, ...] = (IDENTICAL_NOW,)
    if folded(more) != folded(less):
        apart = (LESS_MINIMAL,) if differs_more(more, less, ask.facts["more"], ask.facts["less"]) else ()
        checks = (*apart, *checks_of_pair(more, less, settings.to))
    return Judged({"sent_more": more, "sent_less": less}, checks=checks)


CANDIDATE_COLUMNS = ("item_id", "status", "sent_more", "sent_less", "language", "language_from")
"""Columns of the table for the room before the user's own and those of engines."""


def candidates(data: pl.DataFrame, settings: TranslateSettings, drafts: pl.DataFrame) -> pl.DataFrame:
    """The table for the room of translations: a row for each pair, two columns and a column of checks for each engine.

    Args:
        data: the pairs.
        settings: the run's.
        drafts: what each engine made of each pair.
    """
    carried = further_columns(data, CANDIDATE_COLUMNS)
    made = pl.DataFrame(
        [
            {
                "item_id": name,
                "status": DRAFT,
                **cells_of(row, "sent_more", "sent_less"),
                "language": settings.to,
                "language_from": cell(row, "language"),
                **{column: row[column] for column in carried},
            }
            for name, row in named_rows(data)
        ],
        infer_schema_length=None,
    )
    for (source,), of_engine in drafts.group_by("source", maintain_order=True):
        engine = str(source).removeprefix("draft by ")
        columns = {"sent_more": f"candidate_{engine}_more", "sent_less": f"candidate_{engine}_less"}
        columns |= {"checks": f"checks_{engine}"}
        candidate = of_engine.select(
            item_id="source_ids", **{to: pl.col(name) for name, to in columns.items()}
        )
        # A model may answer with several rows; the pairs may have columns of an earlier translation.
        made = made.drop(*columns.values(), strict=False).join(
            candidate.unique("item_id", keep="last"), on="item_id", how="left", maintain_order="left"
        )
        made = made.with_columns(pl.col(*columns.values()).fill_null(""))
    return made


TRANSLATE = Kind(
    name="translate",
    needs=("sent_more", "sent_less"),
    fields=("sent_more", "sent_less"),
    columns=("sent_more", "sent_less"),
    tokens=60,
    asks=asks,
    judge=judge,
    speaks=lambda row: cell(row, "sent_more"),
)
