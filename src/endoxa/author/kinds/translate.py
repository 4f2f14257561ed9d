"""`endoxa author translate`: candidates of several engines for both sentences of a pair (IndiBias, 4.2.1).

`endoxa author adapt`: which published pairs fit a society, and how they read there (IndiBias, 4.2.1 and 4.3): a
translation that can keep a pair, or drop it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from endoxa.author.kind import (
    Ask,
    Cells,
    Judged,
    Kind,
    ask_about,
    cell,
    cells_of,
    folded,
    further_columns,
    row_name,
)
from endoxa.author.prompts import Prompts, pair_checks
from endoxa.author.settings import AdaptSettings, TranslateSettings
from endoxa.schema.drafts import CHANGED, IDENTICAL, MALFORMED
from endoxa.sources.toml import read_toml, validated
from endoxa.sources.typography import differing_spans, words
from endoxa.words.packs import language_name

FIELDS = ("sent_more", "sent_less")
IDENTICAL_NOW, LESS_MINIMAL = "identical-now", "less-minimal"
"""Checks: both translations are one sentence; they differ in more places than the originals do."""


def asks(
    settings: TranslateSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each pair."""
    for place, row in enumerate(data.iter_rows(named=True)):
        source = cell(row, "language")
        sides = {"more": cell(row, "sent_more"), "less": cell(row, "sent_less")}
        text = prompts.fill(
            "translate",
            FIELDS,
            from_language=language_name(source, settings.prompt_language),
            to_language=language_name(settings.to, settings.prompt_language),
            **sides,
        )
        facts = {**sides, "language_from": source}
        yield ask_about(settings, row, place, text, facts, simulated={**facts, "to": settings.to})


def differs_more(more: str, less: str, original_more: str, original_less: str) -> bool:
    """Whether two sentences differ in more places than the originals do."""
    before, after = (
        len(differing_spans(words(first), words(second)))
        for first, second in ((original_more, original_less), (more, less))
    )
    return after > before


def translation_checks(
    more: str, less: str, original_more: str, original_less: str, language: str
) -> tuple[str, ...]:
    """What a reviewer should look at in the translation of a pair, by name."""
    if folded(more) == folded(less):
        return (IDENTICAL_NOW,)
    apart = (LESS_MINIMAL,) if differs_more(more, less, original_more, original_less) else ()
    return (*apart, *pair_checks(more, less, language))


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


KEEP, ADAPTED, DROP = "keep", "adapt", "drop"
ADAPT_FIELDS = ("verdict", "reason", "sent_more", "sent_less")


class Society(BaseModel):
    """A society, as the file of --context describes it.

    Attributes:
        place: where ("Senegal").
        description: what somebody from elsewhere should know.
        groups: groups that stereotypes are told of there.
        names: first names in use there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: Annotated[str, Field(min_length=1)]
    description: str = ""
    groups: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def read_society(path: Path) -> Society:
    """The society of a file.

    Raises:
        UserError: the file cannot be read, or says something else.
    """
    return validated(Society, read_toml(path), str(path), "Expected place, description, groups and names.")


def adapt_asks(
    settings: AdaptSettings, data: pl.DataFrame, prompts: Prompts, _context: object
) -> Iterator[Ask]:
    """One request for each pair."""
    society = read_society(Path(settings.context))
    for place, row in enumerate(data.iter_rows(named=True)):
        facts = {"original_more": cell(row, "sent_more"), "original_less": cell(row, "sent_less")}
        text = prompts.fill(
            "adapt",
            ADAPT_FIELDS,
            context=f"{society.place}. {society.description}".strip(),
            groups=", ".join(society.groups) or "-",
            names=", ".join(society.names) or "-",
            more=facts["original_more"],
            less=facts["original_less"],
        )
        facts |= cells_of(row, "axis", "direction", "language")
        simulated = {**facts, "names": list(society.names)}
        verdicts = {"verdict": (KEEP, ADAPTED, DROP)}
        yield ask_about(settings, row, place, text, facts, allowed=verdicts, simulated=simulated)


def judge_adapted(_settings: AdaptSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """A verdict with a reason; adapted sentences differ where the originals did, kept ones are the originals."""
    facts = ask.facts
    cells = {**facts, **cells_of(row, *ADAPT_FIELDS), "verdict": cell(row, "verdict").casefold()}
    verdict, more, less = cells["verdict"], cells["sent_more"], cells["sent_less"]
    if verdict not in (KEEP, ADAPTED, DROP) or (verdict != DROP and not (more and less)):
        return Judged(cells, MALFORMED)
    if verdict == DROP:
        emptied = {**cells, "sent_more": "", "sent_less": ""}
        return Judged(emptied, checks=() if cells["reason"] else ("no-reason",))
    if folded(more) == folded(less):
        return Judged(cells, IDENTICAL)
    original = (facts["original_more"], facts["original_less"])
    if verdict == KEEP and [folded(more), folded(less)] != [*map(folded, original)]:
        return Judged(cells, CHANGED)
    apart = ("changed-apart",) if differs_more(more, less, *original) else ()
    return Judged(cells, checks=(*pair_checks(more, less, facts["language"]), *apart))


ADAPT = Kind(
    name="adapt",
    holds="pairs adapted to another society",
    needs=("sent_more", "sent_less"),
    fields=ADAPT_FIELDS,
    columns={
        "original_more": "first sentence of the published pair",
        "original_less": "second sentence of the published pair",
        "axis": "social axis, as in your table",
        "language": "language, as in your table",
        "direction": "direction, as in your table",
        "verdict": "'keep', 'adapt' or 'drop'",
        "reason": "why, as the model says",
        "sent_more": "the first sentence as it would read there; empty with 'drop'",
        "sent_less": "the second sentence as it would read there; empty with 'drop'",
    },
    asks=adapt_asks,
    judge=judge_adapted,
    same=lambda cells: (folded(cells["original_more"]), folded(cells["original_less"])),
    head="sent_more",
    may_lack=lambda row: row.get("verdict", "").casefold() == DROP,
    speaks=lambda row: cell(row, "sent_more"),
    tokens=80,
)
