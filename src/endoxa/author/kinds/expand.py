"""`endoxa author expand`: further stereotypes of a country after the pattern of one's own (AfriStereo, 3.4 and App. B).

The six fields of a row are those of AfriStereo's table 9. Examples are drawn from the user's own data anew for each
request, so that no batch only imitates the same few rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, Row, cell, earlier_rows, folded, named_rows
from endoxa.author.prompts import Prompts, holds
from endoxa.author.settings import ExpandSettings
from endoxa.schema.drafts import ELSEWHERE, IDENTICAL, KNOWN, OFF_LIST

FIELDS = ("identity", "country", "category", "attribute", "stereotype", "counter")
PUBLISHED_AXES = ("gender", "religion", "ethnicity", "profession", "age", "region")
"""Taken where neither --axis nor the data name one."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What is in the user's own data.

    Attributes:
        associations: (identity, attribute) of every row.
        sentences: stereotypes of every row that has one.
    """

    associations: frozenset[tuple[str, str]]
    sentences: frozenset[str]


def axes_of(settings: ExpandSettings, data: pl.DataFrame) -> list[str]:
    """The axes of a run, in turn."""
    axes = settings.axes or tuple(dict.fromkeys(cell(row, "axis") for row in data.iter_rows(named=True)))
    return [axis for axis in axes if axis] or list(PUBLISHED_AXES)


def asks(settings: ExpandSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """Batches until the rows are enough, one axis after the other."""
    axes = axes_of(settings, data)
    groups = groups_of(list(data.iter_rows(named=True)), axes)
    usable = [
        (name, row) for name, row in named_rows(data) if cell(row, "identity") and cell(row, "attribute")
    ]
    for number in range(-(-settings.rows // settings.batch_rows)):
        axis = axes[number % len(axes)]
        wanted = min(settings.rows - number * settings.batch_rows, settings.batch_rows)
        # Rows of the data for one request, drawn by seed and batch.
        rng = random.Random(f"{settings.seed}|{number}")  # noqa: S311  (a draw, no secret)
        chosen = rng.sample(usable, min(settings.examples, len(usable)))
        examples = [json.dumps(_example(settings, row, prompts), ensure_ascii=False) for _, row in chosen]
        text = prompts.fill(
            "expand",
            FIELDS,
            wanted=wanted,
            country=settings.country,
            axis=axis,
            groups=prompts.groups(groups[axis]),
            examples="\n".join(examples) or "-",
        )
        yield Ask(
            text,
            {"axis": axis},
            tuple(name for name, _ in chosen),
            wanted,
            batch=number + 1,
            allowed={"country": (settings.country,), "category": (axis,)},
            simulated={"country": settings.country, "identities": list(groups[axis])},
        )


def groups_of(rows: Sequence[Row], axes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Groups of the data by axis; those without one belong to every axis."""
    return {
        axis: tuple(
            dict.fromkeys(
                cell(row, "identity")
                for row in rows
                if cell(row, "axis") in ("", axis) and cell(row, "identity")
            )
        )
        for axis in axes
    }


def _example(settings: ExpandSettings, row: Row, prompts: Prompts) -> dict[str, str]:
    identity, attribute = cell(row, "identity"), cell(row, "attribute")
    return {
        "identity": identity,
        "country": cell(row, "country") or settings.country,
        "category": cell(row, "axis"),
        "attribute": attribute,
        "stereotype": cell(row, "stereotype")
        or cell(row, "sent_more")
        or prompts.stereotype(identity, attribute),
        **({"counter": cell(row, "counter")} if cell(row, "counter") else {}),
    }


def context(settings: ExpandSettings, data: pl.DataFrame) -> Listed:
    """What is in the data, and in the table of --known."""
    listed = list(data.iter_rows(named=True))
    rows = [*listed, *earlier_rows(settings)]
    texts = (cell(row, name) for row in rows for name in ("stereotype", "sent_more"))
    return Listed(
        frozenset((folded(cell(row, "identity")), folded(cell(row, "attribute"))) for row in rows),
        frozenset(folded(text) for text in texts if text),
    )


def judge(settings: ExpandSettings, listed: Listed, ask: Ask, row: Cells) -> Judged:
    """This country, this axis, and nothing that is in the data already."""
    cells = {name: cell(row, name) for name in FIELDS}
    low = {name: folded(text) for name, text in cells.items()}
    if low["country"] != folded(settings.country):
        return Judged(reason=ELSEWHERE)
    if low["category"] != folded(ask.facts["axis"]):
        return Judged(reason=OFF_LIST)
    if low["stereotype"] == low["counter"]:
        return Judged(reason=IDENTICAL)
    if (low["identity"], low["attribute"]) in listed.associations or low["stereotype"] in listed.sentences:
        return Judged(reason=KNOWN)
    drafted = cells | {**ask.facts, "country": settings.country, "sent_more": cells["stereotype"]}
    unnamed = not holds(cells["stereotype"], cells["identity"])
    return Judged(drafted, checks=("group-not-named",) if unnamed else ())


EXPAND = Kind(
    name="expand",
    fields=FIELDS,
    columns=("identity", "country", "axis", "attribute", "sent_more", "counter"),
    tokens=90,
    asks=asks,
    context=context,
    judge=judge,
    same=lambda cells: (folded(cells["identity"]), folded(cells["attribute"])),
)
