"""`endoxa author label`: one label for each row from a closed list, by several models or repeats (LACES 4.1, 5.1)."""

from __future__ import annotations

from collections import Counter
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
    column, scheme = column_of(settings, data), Path(settings.scheme).stem
    votes: dict[str, list[dict[str, Any]]] = {}
    for vote in drafts.iter_rows(named=True):
        votes.setdefault(vote["source_ids"], []).append(vote)
    made = []
    for name, row in named_rows(data):
        of_row = votes.get(name, [])
        counted = sorted(Counter(vote["label"] for vote in of_row).items(), key=lambda v: (-v[1], v[0]))
        tied = len(counted) > 1 and counted[0][1] == counted[1][1]
        base = of_row[0] if of_row else dict.fromkeys(drafts.columns, "")
        made.append(
            {
                **{key: base[key] for key in drafts.columns if key not in ("label", "repeat", "text")},
                "draft_id": f"label-{name}",
                "task": "label",
                "status": DRAFT,
                "source_ids": name,
                "source": "; ".join(dict.fromkeys(vote["source"] for vote in of_row)),
                "text": cell(row, column),
                "scheme": scheme,
                "label": "" if tied or not counted else counted[0][0],
                "agreement": round(counted[0][1] / len(of_row), 4) if counted else None,
                "votes": "; ".join(f"{label} {n}" for label, n in counted),
            }
        )
    return pl.DataFrame(made, infer_schema_length=None)


LABEL = Kind(
    name="label",
    holds="labels",
    fields=("label",),
    columns=("text", "repeat", "label"),
    tokens=12,
    head="label",
    asks=asks,
    judge=judge,
    same=lambda _cells: object(),
    unite=unite,
)
