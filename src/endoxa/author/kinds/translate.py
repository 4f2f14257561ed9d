"""`endoxa author translate`: candidates of several engines for both sentences of a pair (IndiBias, 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, cell, folded, further_columns, row_name
from endoxa.author.prompts import Prompts, pair_checks
from endoxa.author.settings import TranslateSettings
from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import MALFORMED
from endoxa.sources.typography import differing_spans, words
from endoxa.words.packs import language_name

FIELDS = ("sent_more", "sent_less")
IDENTICAL_NOW, LESS_MINIMAL = "identical-now", "less-minimal"
"""Checks: both translations are one sentence; they differ in more places than the originals do."""


def asks(
    settings: TranslateSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each pair."""
    for number, row in enumerate(data.iter_rows(named=True)):
        source = cell(row, "language")
        facts = {"more": cell(row, "sent_more"), "less": cell(row, "sent_less"), "language_from": source}
        text = prompts.fill(
            "translate",
            FIELDS,
            from_language=language_name(source, settings.prompt_language),
            to_language=language_name(settings.to, settings.prompt_language),
            more=facts["more"],
            less=facts["less"],
        )
        name = row_name(row, number + 1)
        facts_sent = {**facts, "to": settings.to}
        yield Ask(
            number, text, 1, facts, (name,), seed=draw_seed(settings.seed, number), simulated=facts_sent
        )


def translation_checks(
    more: str, less: str, original_more: str, original_less: str, language: str
) -> tuple[str, ...]:
    """What a reviewer should look at in the translation of a pair, by name."""
    if folded(more) == folded(less):
        return (IDENTICAL_NOW,)
    before = len(differing_spans(words(original_more), words(original_less)))
    after = len(differing_spans(words(more), words(less)))
    checks = pair_checks(more, less, language)
    return (*((LESS_MINIMAL,) if after > before else ()), *checks)


def judge(settings: TranslateSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """Both sentences; a pair that became identical is kept and marked, since people may mend it."""
    more, less = cell(row, "sent_more"), cell(row, "sent_less")
    cells = {"sent_more": more, "sent_less": less}
    if not more or not less:
        return Judged(cells, MALFORMED)
    return Judged(
        cells, checks=translation_checks(more, less, ask.facts["more"], ask.facts["less"], settings.to)
    )


CANDIDATE_COLUMNS = ("item_id", "status", "sent_more", "sent_less", "language", "language_from")
"""Columns of the table for the room before the user's own and those of engines."""


def candidates(data: pl.DataFrame, settings: TranslateSettings, drafts: pl.DataFrame) -> pl.DataFrame:
    """The table for the room of translations: a row for each pair, two columns and a column of checks for each engine.

    Args:
        data: the pairs.
        settings: the run's.
        drafts: what each engine made of each pair: `source_ids`, `engine`, `sent_more`, `sent_less`, `checks`.
    """
    by_engine: dict[str, dict[str, Cells]] = {}
    for row in drafts.iter_rows(named=True):
        by_engine.setdefault(row["engine"], {})[row["source_ids"]] = row
    made = []
    carried = further_columns(data, CANDIDATE_COLUMNS)
    for number, row in enumerate(data.iter_rows(named=True), start=1):
        name = row_name(row, number)
        candidate: dict[str, Any] = {
            "item_id": name,
            "status": "draft",
            "sent_more": cell(row, "sent_more"),
            "sent_less": cell(row, "sent_less"),
            "language": settings.to,
            "language_from": cell(row, "language"),
            **{column: row[column] for column in carried},
        }
        for engine, of_pairs in by_engine.items():
            row_votes = of_pairs.get(name, {})
            candidate[f"candidate_{engine}_more"] = row_votes.get("sent_more", "")
            candidate[f"candidate_{engine}_less"] = row_votes.get("sent_less", "")
            candidate[f"checks_{engine}"] = row_votes.get("checks", "")
        made.append(candidate)
    return pl.DataFrame(made, infer_schema_length=None)


TRANSLATE = Kind(
    name="translate",
    holds="translations of pairs",
    needs=("sent_more", "sent_less"),
    fields=FIELDS,
    columns={
        "sent_more": "the first sentence in the new language",
        "sent_less": "the second sentence in the new language",
    },
    asks=asks,
    judge=judge,
    same=lambda _cells: object(),
    head="sent_more",
    speaks=lambda row: cell(row, "sent_more"),
    tokens=60,
)
