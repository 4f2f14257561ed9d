"""`endoxa author expand`: further stereotypes of a country after the pattern of one's own (AfriStereo, 3.4 and App. B).

The six fields of a row are those of AfriStereo's table 9. Examples are drawn from the user's own data anew for each
request, so that no batch only imitates the same few rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, cell, folded, row_name
from endoxa.author.prompts import Prompts, holds, languages
from endoxa.author.settings import ExpandSettings
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import UnclearError, load_templates
from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import ELSEWHERE, IDENTICAL, KNOWN, MALFORMED, OFF_LIST

FIELDS = ("identity", "country", "category", "attribute", "stereotype", "counter")
PUBLISHED_AXES = ("gender", "religion", "ethnicity", "profession", "age", "region")
"""Taken where neither --axis nor the data name one."""
NAMES = {"identity": "identity", "attribute": "canonical_attribute", "axis": "type"}
"""Columns of AfriStereo's own table, where ours are missing."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What is known of the user's own data.

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


def cell_of(row: Mapping[str, Any], name: str) -> str:
    """A cell under our name or under AfriStereo's."""
    return cell(row, name) or cell(row, NAMES.get(name, name))


def axes_of(settings: ExpandSettings, data: pl.DataFrame) -> list[str]:
    """The axes of a run, in turn."""
    axes = settings.axes or tuple(dict.fromkeys(cell_of(row, "axis") for row in data.iter_rows(named=True)))
    return [axis for axis in axes if axis] or list(PUBLISHED_AXES)


def asks(settings: ExpandSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """Batches until the rows are enough, one axis after the other."""
    rows = list(data.iter_rows(named=True))
    axes = axes_of(settings, data)
    groups = groups_of(rows, axes)
    left, number = settings.rows, 0
    while left > 0:
        axis, wanted = axes[number % len(axes)], min(left, settings.batch_rows)
        # Rows of the data for one request, drawn by seed and batch.
        rng = random.Random(f"{settings.seed}|{number}")  # noqa: S311  (a draw, no secret)
        usable = [row for row in rows if cell_of(row, "identity") and cell_of(row, "attribute")]
        chosen = rng.sample(usable, min(settings.examples, len(usable)))
        group_names = ", ".join(groups.get(axis, ()))
        name = "expand_only" if settings.only_listed else "expand_groups"
        text = prompts.fill(
            "expand",
            FIELDS,
            wanted=wanted,
            country=settings.country,
            axis=axis,
            groups=(
                prompts.texts.get(name, "{groups}").strip().format(groups=group_names) if group_names else ""
            ),
            examples="\n".join(
                json.dumps(_example(settings, row, prompts), ensure_ascii=False) for row in chosen
            )
            or "-",
        )
        yield Ask(
            number,
            text,
            wanted,
            {"axis": axis},
            tuple(row_name(row, rows.index(row) + 1) for row in chosen),
            batch=number + 1,
            seed=draw_seed(settings.seed, number),
            allowed={"country": (settings.country,), "category": (axis,)},
            simulated={"country": settings.country, "axis": axis, "identities": list(groups.get(axis, ()))},
        )
        left, number = left - wanted, number + 1


def groups_of(rows: Sequence[Mapping[str, Any]], axes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Groups of the data by axis; those without one belong to every axis."""
    groups: dict[str, dict[str, None]] = {axis: {} for axis in axes}
    for row in rows:
        for axis in [cell_of(row, "axis")] if cell_of(row, "axis") else axes:
            if axis in groups and cell_of(row, "identity"):
                groups[axis][cell_of(row, "identity")] = None
    return {axis: tuple(names) for axis, names in groups.items()}


def _example(settings: ExpandSettings, row: Mapping[str, Any], prompts: Prompts) -> dict[str, str]:
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
    rows = list(data.iter_rows(named=True))
    if settings.known:
        from pathlib import Path

        from endoxa.sources.frames import read_table

        rows += list(read_table(Path(settings.known), respect_statuses=False).iter_rows(named=True))
    texts = (cell(row, name) for row in rows for name in ("stereotype", "sent_more"))
    from babel import Locale

    spoken = {settings.prompt_language} & set(
        languages()
    )  # a language of the user's own may be none of CLDR's
    places = [place for code in {"en", *spoken} for place in Locale.parse(code).territories.items()]
    countries = {folded(name) for code, name in places if len(code) == 2} - {folded(settings.country)}
    return Listed(
        frozenset((folded(cell_of(row, "identity")), folded(cell_of(row, "attribute"))) for row in rows),
        frozenset(folded(text) for text in texts if text),
        frozenset(countries),
        frozenset(folded(cell_of(row, "identity")) for row in data.iter_rows(named=True)),
    )


def judge(settings: ExpandSettings, of: Listed, ask: Ask, row: Cells) -> Judged:
    """All six fields, this country, this axis, and nothing that is known already."""
    cells = {name: cell(row, name) for name in FIELDS}
    kept = {
        "identity": cells["identity"],
        "country": settings.country,
        "axis": ask.facts["axis"],
        "attribute": cells["attribute"],
        "sent_more": cells["stereotype"],
        "counter": cells["counter"],
    }
    # Why a row is no draft;.
    identity, axis = folded(cells["identity"]), folded(ask.facts["axis"])
    elsewhere = folded(cells["country"]) != folded(settings.country) or identity in of.countries
    unlisted = settings.only_listed and identity not in of.groups
    stereotype = folded(cells["stereotype"])
    repeated = (identity, folded(cells["attribute"])) in of.associations or stereotype in of.sentences
    reasons = (
        (MALFORMED, not all(cells.values())),
        (ELSEWHERE, elsewhere),
        (OFF_LIST, folded(cells["category"]) != axis or unlisted),
        (IDENTICAL, stereotype == folded(cells["counter"])),
        (KNOWN, repeated),
    )
    if reason := next((reason for reason, holds_true in reasons if holds_true), ""):
        return Judged({**kept, "country": cells["country"], "axis": cells["category"]}, reason)
    unnamed = not holds(cells["stereotype"], cells["identity"])
    return Judged(kept, checks=("group-not-named",) if unnamed else ())


EXPAND = Kind(
    name="expand",
    holds="stereotypes of a country with counter-stereotypes",
    needs=(),
    fields=FIELDS,
    columns={
        "identity": "the group",
        "country": "the country",
        "axis": "social axis",
        "attribute": "short label of what is said",
        "sent_more": "the stereotype as a sentence",
        "counter": "a favourable counter-stereotype",
    },
    asks=asks,
    judge=judge,
    same=lambda cells: (folded(cells["identity"]), folded(cells["attribute"])),
    head="attribute",
    context=context,
    tokens=90,
)
