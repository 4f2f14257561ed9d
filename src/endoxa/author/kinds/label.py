"""`endoxa author label`: one label for each row from a closed list, by several models or repeats (LACES 4.1, 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, Field

from endoxa.author.kind import Ask, Cells, Judged, Kind, cell, folded, named_rows
from endoxa.author.prompts import Prompts
from endoxa.author.settings import LabelSettings
from endoxa.errors import UserError
from endoxa.schema.drafts import DRAFT, OFF_LIST
from endoxa.sources.toml import read_toml, validated

_SCHEMES = Path(str(files("endoxa.author"))) / "schemes"
TEXT_COLUMNS = ("attribute", "text", "sent_more", "association", "stereotype", "data_point_attribute")
"""Columns that are labelled where none is named; the last is that of LACES' release."""


class Scheme(BaseModel):
    """A closed list of labels.

    Attributes:
        question: what is asked of a text.
        labels: label -> what belongs to it.
    """

    question: str = ""
    labels: Annotated[dict[str, str], Field(min_length=2)]


def schemes() -> list[str]:
    """Names of the schemes that come with endoxa."""
    return sorted(path.stem for path in _SCHEMES.glob("*.toml"))


def read_scheme(name: str) -> Scheme:
    """A scheme of ours by name, or the user's own file.

    Raises:
        UserError: neither, or a file without two labels.
    """
    path = _SCHEMES / f"{name}.toml" if name in schemes() else Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise UserError(
            f"--scheme: '{name}' is unknown. Choose {', '.join(schemes())}, or give a TOML file with a "
            "table [labels]."
        )
    expected = 'Expected a table [labels] with two labels or more: "label" = "what belongs to it".'
    return validated(Scheme, read_toml(path), name, expected)


def column_of(settings: LabelSettings, data: pl.DataFrame) -> str:
    """The column that is labelled.

    Raises:
        UserError: it is not there.
    """
    wanted = (settings.column,) if settings.column else TEXT_COLUMNS
    column = next((name for name in wanted if name in data.columns), None)
    if column is None:
        raise UserError(
            f"The table has no column {' or '.join(repr(name) for name in wanted)}. Name the one to label "
            "with --column."
        )
    return column


def asks(settings: LabelSettings, data: pl.DataFrame, prompts: Prompts, _context: object) -> Iterator[Ask]:
    """One request for each row and repeat."""
    scheme, column = read_scheme(settings.scheme), column_of(settings, data)
    labels = tuple(scheme.labels)
    listed = "\n".join(
        f"- {label}: {text}" if text else f"- {label}" for label, text in scheme.labels.items()
    )
    for name, row in named_rows(data):
        text = cell(row, column)
        filled = prompts.fill("label", LABEL.fields, question=scheme.question, labels=listed, text=text)
        for repeat in range(1, settings.repeats + 1):
            facts = {"text": text, "repeat": str(repeat)}
            yield Ask(
                filled,
                facts,
                (name,),
                batch=repeat,
                draw=repeat,
                allowed={"label": labels},
                simulated={"labels": list(labels)},
            )


def judge(_settings: LabelSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """One of the labels, capitals and final stops aside."""
    labels = {folded(label): label for label in ask.allowed["label"]}
    label = labels.get(folded(cell(row, "label")))
    return Judged({**ask.facts, "label": label}) if label else Judged(reason=OFF_LIST)


def unite(settings: LabelSettings, data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """One row for each row of the data: the label of most votes; none where two have as many, or nobody gave one.

    `votes` names every label with its number, `agreement` is the share of the first.
    """
    column, votes = column_of(settings, data), pl.col("votes")
    counted = (
        drafts.group_by("source_ids", "label")
        .agg(votes=pl.len())
        .sort("votes", "label", descending=[True, False])
    )
    tied = votes.first() == votes.slice(1, 1).first()
    labels = counted.group_by("source_ids").agg(
        label=pl.when(~tied.fill_null(value=False)).then(pl.col("label").first()),
        agreement=(votes.first() / votes.sum()).round(4),
        votes=pl.format("{} {}", "label", "votes").str.join("; "),
    )
    others = pl.exclude("source_ids", "label", "repeat", "text", "source")
    sources = pl.col("source").unique(maintain_order=True).str.join("; ")
    asked = drafts.group_by("source_ids").agg(others.first(), sources)
    rows = pl.DataFrame([{"source_ids": name, "text": cell(row, column)} for name, row in named_rows(data)])
    joined = rows.join(asked, on="source_ids", how="left", maintain_order="left").join(
        labels, on="source_ids", how="left", maintain_order="left"
    )
    made = joined.with_columns(
        draft_id=pl.format("label-{}", "source_ids"),
        task=pl.lit("label"),
        status=pl.lit(DRAFT),
        scheme=pl.lit(Path(settings.scheme).stem),
    ).with_columns(pl.col(pl.String).fill_null(""))
    names = [name for name in drafts.columns if name not in ("label", "repeat", "text")]
    return made.select(*names, "text", "scheme", "label", "agreement", "votes")


LABEL = Kind(
    name="label",
    fields=("label",),
    columns=("text", "repeat", "label"),
    tokens=12,
    asks=asks,
    judge=judge,
    unite=unite,
)
