"""Items and answers to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.choices.items.read import read_items
from endoxa.report.document import Section
from endoxa.report.inputs import Run
from endoxa.report.items import Items, items_section
from endoxa.runs.asking.likelihoods import FINISH
from endoxa.schema.choices import STEREOTYPE, ChoiceItem
from endoxa.sources.files import sha256

MOST_CHARACTERS = 600
FACETS = {name: name for name in ("kind", "axis", "group", "situation", "language")}


def answers(runs: Sequence[Run], records: pl.DataFrame) -> Section:
    """Every item with what each model answered in each order; a word list with its answer as a whole."""
    texts = {name: text for run in runs for name, text in _texts(run).items()}
    once = ("item_id", "model", "order", "repeat")
    listed = pl.col("kind") == "association"
    to = pl.when(pl.col("outcome") == STEREOTYPE).then("identity").otherwise("reference")
    sorted_words = pl.format("{} - {}", "attribute", to).str.join(", ").over(once)
    words = pl.when(listed & (pl.col("finish") == FINISH)).then(sorted_words).otherwise("answer")
    asked = records.with_columns(
        id="item_id",
        group="identity",
        item=pl.col("item_id").replace_strict(texts, default="(the items are no longer where they were)"),
        condition=pl.format("order {}, repeat {}", "order", "repeat"),
        text=pl.when(pl.col("error") != "")
        .then(pl.lit("error"))
        .otherwise(words.str.slice(0, MOST_CHARACTERS)),
        outcome=pl.when(listed).then(pl.lit("list")).otherwise("outcome"),
        value=pl.lit(None, dtype=pl.Float64),
    ).unique(once, keep="first", maintain_order=True)
    items = asked.unique("id", keep="first", maintain_order=True)
    answer_rows = asked.select("id", "model", "condition", "outcome", "value", "text")
    return items_section(
        "answers",
        Items("item", "order", items, answer_rows, FACETS, {"item": "item"}),
        title="Items and answers",
        lead="What the models were asked and what they answered, in both orders.",
        unveil="Show all items and answers (they quote stereotypes and can be offensive)",
    )


def _texts(run: Run) -> Mapping[str, str]:
    """Items of a run as texts; none where the file is gone or is another one by now."""
    path = Path(str(run.data.get("path") or ""))
    try:
        if sha256(path) != run.data.get("sha256"):
            return {}
        return {item.item_id: _text(item) for item in read_items(path)}
    except (OSError, UserError):
        return {}


def _text(item: ChoiceItem) -> str:
    if item.kind == "association":
        return f"{' / '.join(item.options)}: {', '.join(word.text for word in item.words)}"
    context = item.context
    if item.kind == "decision":
        context = context.format(first=item.options[0], second=item.options[1])
    return f"{context[:1].upper()}{context[1:]} {item.question}"
