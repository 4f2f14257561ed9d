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
from endoxa.author.prompts import Prompts, holds, languages
from endoxa.author.settings import ExpandSettings
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import UnclearError, load_templates
from endoxa.schema.drafts import ELSEWHERE, IDENTICAL, KNOWN, OFF_LIST

FIELDS = ("identity", "country", "category", "attribute", "stereotype", "counter")
PUBLISHED_AXES = ("gender", "religion", "ethnicity", "profession", "age", "region")
"""Taken where neither --axis nor the data name one."""
NAMES = {"identity": "identity", "attribute": "canonical_attribute", "axis": "type"}
"""Columns of AfriStereo's own table, where ours are missing."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What is in the user's own data.

    Attributes:
        associations: (identity, attribute) of every row.
        sentences: stereotypes of every row that has one.
        countries: names of other countries, which no row may have.
        groups: groups of the data, folded.
    """

    associations: frozenset[tuple[str, str]]
    sentences: frozenset[str]
    countries: frozenset[str]
    groups: frozenset[str]


def cell_of(row: Row, name: str) -> str:
    """A cell under our name or under AfriStereo's."""
    return cell(row, name) or cell(row, NAMES.get(name, name))


def axes_of(settings: ExpandSettings, data: pl.DataFrame) -> list[str]:
    """The axes of a run, in turn."""
    axes = settings.axes or tuple(dict.fromkeys(cell_of(row, "axis") for row in data.iter_rows(named=True)))
    return [axis for axis in axes if axis] or list(PUBLISHED_AXES)


def asks(settings: ExpandSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """Batches until the rows are enough, one axis after the other."""
    axes = axes_of(settings, data)
    groups = groups_of(list(data.iter_rows(named=True)), axes)
    usable = [
        (name, row)
        for name, row in named_rows(data)
        if cell_of(row, "identity") and cell_of(row, "attribute")
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
            groups=prompts.groups(groups[axis], only=settings.only_listed) if groups[axis] else "",
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
                cell_of(row, "identity")
                for row in rows
                if cell_of(row, "axis") in ("", axis) and cell_of(row, "identity")
            )
        )
        for axis in axes
    }


def _example(settings: ExpandSettings, row: Row, prompts: Prompts) -> dict[str, str]:
    identity, attribute = cell_of(row, "identity"), cell_of(row, "attribute")
    language = cell(row, "language") or settings.prompt_language
    return {
        "identity": identity,
        "country": cell(row, "country") or settings.country,
        "category": cell_of(row, "axis"),
        "attribute": attribute,
        "stereotype": cell(row, "stereotype")
        or cell(row, "sent_more")
        or _sentence(identity, attribute, language)
        or prompts.stereotype(identity, attribute),
        **({"counter": cell(row, "counter")} if cell(row, "counter") else {}),
    }


def _sentence(identity: str, attribute: str, language: str) -> str:
    """The sentence of a pair; empty where none is surely grammatical."""
    template = load_templates().get(language)
    try:
        return sentence_pair(identity, attribute, template, None).more if template else ""
    except UnclearError:
        return ""


def context(settings: ExpandSettings, data: pl.DataFrame) -> Listed:
    """What is in the data, and in the table of --known."""
    from babel import Locale

    listed = list(data.iter_rows(named=True))
    rows = [*listed, *earlier_rows(settings)]
    texts = (cell(row, name) for row in rows for name in ("stereotype", "sent_more"))
    # A language of the user's own may be none of CLDR's.
    spoken = {"en", *({settings.prompt_language} & set(languages()))}
    places = [place for code in spoken for place in Locale.parse(code).territories.items()]
    countries = {folded(name) for code, name in places if len(code) == 2} - {folded(settings.country)}
    return Listed(
        frozenset((folded(cell_of(row, "identity")), folded(cell_of(row, "attribute"))) for row in rows),
        frozenset(folded(text) for text in texts if text),
        frozenset(countries),
        frozenset(folded(cell_of(row, "identity")) for row in listed),
    )


def judge(settings: ExpandSettings, listed: Listed, ask: Ask, row: Cells) -> Judged:
    """This country, this axis, and nothing that is in the data already."""
    cells = {name: cell(row, name) for name in FIELDS}
    low = {name: folded(text) for name, text in cells.items()}
    if low["country"] != folded(settings.country) or low["identity"] in listed.countries:
        return Judged(reason=ELSEWHERE)
    unlisted = settings.only_listed and low["identity"] not in listed.groups
    if low["category"] != folded(ask.facts["axis"]) or unlisted:
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
    holds="stereotypes of a country with counter-stereotypes",
    fields=FIELDS,
    columns=("identity", "country", "axis", "attribute", "sent_more", "counter"),
    tokens=90,
    head="attribute",
    asks=asks,
    context=context,
    judge=judge,
    same=lambda cells: (folded(cells["identity"]), folded(cells["attribute"])),
)
