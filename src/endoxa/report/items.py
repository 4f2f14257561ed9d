"""Items to read: filtered, two models side by side, texts blurred until asked for; the first few without scripts."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from endoxa.report.document import Finding, Section
from endoxa.report.words import count, language_name, plural

TEMPLATE = "items.html.j2"

FIRST = 12
"""Items that can be read without scripts, and that are printed."""

MOST_BYTES = 2_000_000
"""Room for the packed items of a section; with more, every second item is left out."""

DIGITS = 3
"""Significant digits of values, what is written beside an answer."""

FIRST_CODE = 48
"""Outcomes are written as one character each: '0' is the first, '-' says that a model was not asked."""


@dataclass(frozen=True, slots=True)
class Items:
    """What the explorer of a section shows.

    Attributes:
        noun: what an item is ("pair").
        condition: what tells several answers of one model apart ("rule").
        items: `id`, `language` (a code), and the columns of `facets` and `parts`, in reading order.
        answers: `id`, `model` (a label), `condition`, `outcome`, `value` (a number, or null) and `text` (what a model
            wrote, or null); an item has one at most of each model and condition.
        facets: columns of `items` to filter by, and what they are called.
        parts: columns of `items` with texts, and what they are called.
        alike: True where the two texts differ in a few words, which are underlined.
    """

    noun: str
    condition: str
    items: pl.DataFrame
    answers: pl.DataFrame
    facets: Mapping[str, str]
    parts: Mapping[str, str]
    alike: bool = False


def items_section(
    anchor: str,
    content: Items,
    *,
    title: str,
    lead: str,
    unveil: str,
    closing: str = "",
    most_bytes: int = MOST_BYTES,
) -> Section:
    """A section with an explorer of items.

    Args:
        anchor: id of its heading.
        content: the items.
        title: its heading.
        lead: what a reader sees, in a sentence or two.
        unveil: words beside the box that shows all texts.
        closing: where the rest is.
        most_bytes: room for the packed items.
    """
    total = content.items.height
    kept, text = fitting(content, most_bytes)
    many = plural(kept.height, content.noun, _plural(content.noun))
    left = f" Every {total // kept.height}th of {count(total)} is in this page." * (kept.height < total)
    return Section(
        anchor=anchor,
        title=title,
        findings=(Finding(f"{many} can be read here.{left}", ({"n": kept.height, "total": total},)),),
        lead=lead,
        skip="Skip these texts",
        closing=closing or "Everything is in records.parquet of the run folder.",
        template=TEMPLATE,
        values={
            "anchor": anchor,
            "noun": content.noun,
            "nouns": _plural(content.noun),
            "unveil": unveil,
            "first": first_items(content, kept.head(FIRST)),
            "packed": text,
        },
    )


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def fitting(content: Items, most_bytes: int) -> tuple[pl.DataFrame, str]:
    """The items that fit, and the same packed for the page's script."""
    kept = content.items
    while len(text := packed(explorer_data(content, kept))) > most_bytes and kept.height > 1:
        kept = kept.gather_every(2)
    return kept, text


def packed(data: Any) -> str:
    """The data as JSON, gzipped, in base64: nothing in it can end a script element.

    Browsers since 2023 unpack it (DecompressionStream); in older ones the page stays as it is without scripts.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    content = gzip.compress(text.encode("utf-8", "replace"), compresslevel=9, mtime=0)
    return base64.b64encode(content).decode("ascii")


def explorer_data(content: Items, items: pl.DataFrame) -> dict[str, Any]:
    """What the script reads: lists as long as the items, values of facets and outcomes as places in lists."""
    outcomes = content.answers["outcome"].unique(maintain_order=True).to_list()
    answers = content.answers.join(items.select("id"), on="id", how="semi")
    return {
        "noun": content.noun,
        "nouns": _plural(content.noun),
        "condition": content.condition,
        "alike": content.alike,
        "ids": items["id"].to_list(),
        "languages": items["language"].to_list(),
        "facets": [
            {"name": column, "noun": noun, **_coded(column, items[column].fill_null(""))}
            for column, noun in content.facets.items()
            if items[column].n_unique() > 1
        ],
        "parts": [{"noun": noun, "texts": items[column].to_list()} for column, noun in content.parts.items()],
        "outcomes": outcomes,
        "answers": [
            {"model": model, "condition": condition, **_aligned(items, rows, outcomes)}
            for (model, condition), rows in answers.group_by(["model", "condition"], maintain_order=True)
        ],
    }


def _coded(column: str, values: pl.Series) -> dict[str, Any]:
    """The values of a facet in order, and the place of each item's value among them."""
    shown = values.unique().sort()
    places = values.replace_strict(shown, range(len(shown)), return_dtype=pl.Int64).to_list()
    return {
        "values": shown.to_list(),
        "words": [language_name(code) for code in shown] if column == "language" else shown.to_list(),
        "places": places,
    }


def _aligned(items: pl.DataFrame, rows: pl.DataFrame, outcomes: Sequence[str]) -> dict[str, Any]:
    """Outcomes of the items as characters, and their values and texts where there are any."""
    codes = [chr(FIRST_CODE + place) for place in range(len(outcomes))]
    joined = items.select("id").join(rows, on="id", how="left", maintain_order="left")
    code = joined["outcome"].replace_strict(outcomes, codes, return_dtype=pl.String).fill_null("-")
    numbers = joined["value"].cast(pl.Float64).fill_nan(None).round_sig_figs(DIGITS)
    return {
        "outcomes": "".join(code),
        "values": None if numbers.is_null().all() else numbers.to_list(),
        "texts": None if joined["text"].is_null().all() else joined["text"].to_list(),
    }


def first_items(content: Items, items: pl.DataFrame) -> list[dict[str, Any]]:
    """Some items as finished texts, with the answers of two models, for readers without scripts."""
    models = content.answers["model"].unique(maintain_order=True).head(2)
    chosen = (
        content.answers.filter(pl.col("model").is_in(models.implode()))
        .filter(pl.col("condition") == pl.col("condition").first().over("model"))
        .join(items.select("id"), on="id", how="semi")
        .with_columns(cs.float().round_sig_figs(DIGITS))
    )
    answers = chosen.partition_by("id", as_dict=True)
    nothing = chosen.clear()
    return [
        {
            "id": row["id"],
            "facets": [
                language_name(row[column]) if column == "language" else row[column]
                for column in content.facets
                if row[column]
            ],
            "language": row["language"],
            "parts": [(noun, row[column] or "") for column, noun in content.parts.items()],
            "answers": answers.get((row["id"],), nothing).rows(named=True),
        }
        for row in items.iter_rows(named=True)
    ]
