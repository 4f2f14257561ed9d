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
    Row,
    cell,
    cells_of,
    folded,
    further_columns,
    named_rows,
)
from endoxa.author.prompts import Prompts
from endoxa.author.settings import AdaptSettings, TranslateSettings
from endoxa.schema.drafts import CHANGED, DRAFT, IDENTICAL, MALFORMED
from endoxa.sources.check import checks_of_pair
from endoxa.sources.toml import read_toml, validated
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
    by_engine: dict[str, dict[str, Row]] = {}
    for made_by in drafts.iter_rows(named=True):
        by_engine.setdefault(made_by["source"].removeprefix("draft by "), {})[made_by["source_ids"]] = made_by
    made = []
    carried = further_columns(data, CANDIDATE_COLUMNS)
    for name, row in named_rows(data):
        candidate: dict[str, Any] = {
            "item_id": name,
            "status": DRAFT,
            **cells_of(row, "sent_more", "sent_less"),
            "language": settings.to,
            "language_from": cell(row, "language"),
            **{column: row[column] for column in carried},
        }
        for engine, of_pairs in by_engine.items():
            draft = of_pairs.get(name, {})
            candidate[f"candidate_{engine}_more"] = draft.get("sent_more", "")
            candidate[f"candidate_{engine}_less"] = draft.get("sent_less", "")
            candidate[f"checks_{engine}"] = draft.get("checks", "")
        made.append(candidate)
    return pl.DataFrame(made, infer_schema_length=None)


TRANSLATE = Kind(
    name="translate",
    holds="translations of pairs",
    needs=("sent_more", "sent_less"),
    fields=("sent_more", "sent_less"),
    columns=("sent_more", "sent_less"),
    tokens=60,
    head="sent_more",
    asks=asks,
    judge=judge,
    same=lambda _cells: object(),
    speaks=lambda row: cell(row, "sent_more"),
)


KEEP, ADAPTED, DROP = "keep", "adapt", "drop"


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
    for name, row in named_rows(data):
        facts = {"original_more": cell(row, "sent_more"), "original_less": cell(row, "sent_less")}
        text = prompts.fill(
            "adapt",
            ADAPT.fields,
            context=f"{society.place}. {society.description}".strip(),
            groups=", ".join(society.groups) or "-",
            names=", ".join(society.names) or "-",
            more=facts["original_more"],
            less=facts["original_less"],
        )
        facts |= cells_of(row, "axis", "direction", "language")
        yield Ask(text, facts, (name,), allowed={"verdict": (KEEP, ADAPTED, DROP)})


def judge_adapted(_settings: AdaptSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """A verdict with a reason; adapted sentences differ where the originals did, kept ones are the originals."""
    facts = ask.facts
    cells = {**facts, **cells_of(row, *ADAPT.fields), "verdict": cell(row, "verdict").casefold()}
    verdict, more, less = cells["verdict"], cells["sent_more"], cells["sent_less"]
    if verdict == DROP:
        emptied = {**cells, "sent_more": "", "sent_less": ""}
        return Judged(emptied, checks=() if cells["reason"] else ("no-reason",))
    if verdict not in (KEEP, ADAPTED) or "reason" not in row:
        return Judged(reason=MALFORMED)
    if folded(more) == folded(less):
        return Judged(reason=IDENTICAL)
    original = (facts["original_more"], facts["original_less"])
    if verdict == KEEP and [folded(more), folded(less)] != [*map(folded, original)]:
        return Judged(reason=CHANGED)
    apart = ("changed-apart",) if differs_more(more, less, *original) else ()
    return Judged(cells, checks=(*checks_of_pair(more, less, facts["language"]), *apart))


def _may_lack(row: Cells) -> tuple[str, ...]:
    """A dropped pair has no sentences."""
    dropped = cell(row, "verdict").casefold() == DROP
    return ("reason", "sent_more", "sent_less") if dropped else ("reason",)


ADAPT = Kind(
    name="adapt",
    holds="pairs adapted to another society",
    needs=("sent_more", "sent_less"),
    fields=("verdict", "reason", "sent_more", "sent_less"),
    columns=(
        *("original_more", "original_less", "axis", "language", "direction"),
        *("verdict", "reason", "sent_more", "sent_less"),
    ),
    tokens=80,
    head="sent_more",
    asks=adapt_asks,
    judge=judge_adapted,
    same=lambda cells: (folded(cells["original_more"]), folded(cells["original_less"])),
    may_lack=_may_lack,
    speaks=lambda row: cell(row, "sent_more"),
)
