"""`endoxa author adapt`: which published pairs fit a society, and how they read there (IndiBias, 4.2.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from endoxa.author.kind import Ask, Cells, Judged, Kind, cell, folded, row_name
from endoxa.author.prompts import Prompts, pair_checks
from endoxa.author.settings import AdaptSettings
from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import CHANGED, IDENTICAL, MALFORMED
from endoxa.sources.toml import read_toml, validated
from endoxa.sources.typography import differing_spans, words

KEEP, ADAPTED, DROP = "keep", "adapt", "drop"
FIELDS = ("verdict", "reason", "sent_more", "sent_less")


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


def asks(settings: AdaptSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """One request for each pair."""
    society = read_society(Path(settings.context))
    for number, row in enumerate(data.iter_rows(named=True)):
        facts = {"original_more": cell(row, "sent_more"), "original_less": cell(row, "sent_less")}
        text = prompts.fill(
            "adapt",
            FIELDS,
            context=f"{society.place}. {society.description}".strip(),
            groups=", ".join(society.groups) or "-",
            names=", ".join(society.names) or "-",
            more=facts["original_more"],
            less=facts["original_less"],
        )
        facts |= {name: cell(row, name) for name in ("axis", "direction")}
        facts["language"] = cell(row, "language")
        yield Ask(
            number,
            text,
            1,
            facts,
            (row_name(row, number + 1),),
            seed=draw_seed(settings.seed, number),
            allowed={"verdict": (KEEP, ADAPTED, DROP)},
            simulated={**facts, "names": list(society.names)},
        )


def judge(_settings: AdaptSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """A verdict with a reason; adapted sentences differ where the originals did, kept ones are the originals."""
    facts, verdict = ask.facts, cell(row, "verdict").casefold()
    more, less = cell(row, "sent_more"), cell(row, "sent_less")
    cells = {**facts, "verdict": verdict, "reason": cell(row, "reason"), "sent_more": more, "sent_less": less}
    if verdict not in (KEEP, ADAPTED, DROP) or (verdict != DROP and not (more and less)):
        return Judged(cells, MALFORMED)
    if verdict == DROP:
        return Judged(
            {**cells, "sent_more": "", "sent_less": ""}, checks=() if cells["reason"] else ("no-reason",)
        )
    if folded(more) == folded(less):
        return Judged(cells, IDENTICAL)
    original = (facts["original_more"], facts["original_less"])
    if verdict == KEEP and (folded(more), folded(less)) != (folded(original[0]), folded(original[1])):
        return Judged(cells, CHANGED)
    checks = list(pair_checks(more, less, facts["language"]))
    if len(differing_spans(words(more), words(less))) > len(
        differing_spans(words(original[0]), words(original[1]))
    ):
        checks.append("changed-apart")
    return Judged(cells, checks=checks)


ADAPT = Kind(
    name="adapt",
    holds="pairs adapted to another society",
    needs=("sent_more", "sent_less"),
    fields=FIELDS,
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
    asks=asks,
    judge=judge,
    same=lambda cells: (folded(cells["original_more"]), folded(cells["original_less"])),
    head="sent_more",
    may_lack=lambda row: row.get("verdict", "").casefold() == DROP,
    speaks=lambda row: cell(row, "sent_more"),
    tokens=80,
)
