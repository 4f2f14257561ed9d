"""`endoxa author label`: one label for each row from a closed list, by several models or repeats (LACES 4.1, 5.1)."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Cells, Judged, Kind, ask_about, cell, folded, row_name
from endoxa.author.prompts import Prompts
from endoxa.author.settings import LabelSettings
from endoxa.errors import UserError
from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import MALFORMED, OFF_LIST

FIELDS = ("label",)
TEXT_COLUMNS = ("attribute", "text", "sent_more", "association", "stereotype", "data_point_attribute")
"""Columns that are labelled where none is named; the last is that of LACES' release."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A closed list of labels.

    Attributes:
        name: its name.
        question: what is asked of a text.
        labels: label -> what belongs to it.
    """

    name: str
    question: str
    labels: Mapping[str, str]


def schemes() -> list[str]:
    """Names of the schemes that come with endoxa."""
    names = (path.name for path in files("endoxa.author").joinpath("schemes").iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def read_scheme(name: str) -> Scheme:
    """A scheme of ours by name, or the user's own file.

    Raises:
        UserError: neither, or a file without two labels.
    """
    if name in schemes():
        text, where = files("endoxa.author").joinpath("schemes", f"{name}.toml").read_text("utf-8"), name
    else:
        path = Path(name)
        if path.suffix != ".toml" or not path.is_file():
            raise UserError(
                f"--scheme: '{name}' is unknown. Choose {', '.join(schemes())}, or give a TOML file with a "
                "table [labels]."
            )
        text, where = path.read_text(encoding="utf-8"), name
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{where} is not TOML: {problem}.") from problem
    labels = table.get("labels")
    if not isinstance(labels, dict) or len(labels) < 2:
        raise UserError(
            f'{where} needs a table [labels] with two labels or more: "label" = "what belongs to it".'
        )
    return Scheme(where, str(table.get("question", "")), {key: str(value) for key, value in labels.items()})


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
    listed = "\n".join(
        f"- {label}: {text}" if text else f"- {label}" for label, text in scheme.labels.items()
    )
    labels = tuple(scheme.labels)
    for place, row in enumerate(data.iter_rows(named=True)):
        text = cell(row, column)
        filled = prompts.fill("label", FIELDS, question=scheme.question, labels=listed, text=text)
        for repeat in range(1, settings.repeats + 1):
            yield ask_about(
                settings,
                row,
                place,
                filled,
                {"text": text, "repeat": str(repeat)},
                number=place * settings.repeats + repeat - 1,
                batch=repeat,
                seed=draw_seed(settings.seed, repeat),
                allowed={"label": labels},
                simulated={"text": text, "labels": list(labels)},
            )


def judge(_settings: LabelSettings, _context: Any, ask: Ask, row: Cells) -> Judged:
    """One of the labels, capitals and final stops aside."""
    answer = cell(row, "label")
    labels = {folded(label): label for label in ask.allowed["label"]}
    cells = {**ask.facts, "label": labels.get(folded(answer), answer)}
    if not answer:
        return Judged(cells, MALFORMED)
    return Judged(cells, "" if folded(answer) in labels else OFF_LIST)


def unite(settings: LabelSettings, data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """One row for each row of the data: the label of most votes; none where two have as many.

    `votes` names every label with its number, `agreement` is the share of the first.
    """
    scheme, column = read_scheme(settings.scheme), column_of(settings, data)
    votes: dict[str, list[dict[str, Any]]] = {}
    for row in drafts.iter_rows(named=True):
        votes.setdefault(row["source_ids"], []).append(row)
    made = []
    for place, row in enumerate(data.iter_rows(named=True), start=1):
        name = row_name(row, place)
        row_votes = votes.get(name, [])
        counted = Counter(vote["label"] for vote in row_votes)
        first = counted.most_common(2)
        tied = len(first) == 2 and first[0][1] == first[1][1]
        base = row_votes[0] if row_votes else dict.fromkeys(drafts.columns, "")
        made.append(
            {
                **{key: base[key] for key in drafts.columns if key not in ("label", "repeat", "text")},
                "draft_id": f"label-{name}",
                "task": "label",
                "status": "draft",
                "source_ids": name,
                "source": "; ".join(dict.fromkeys(vote["source"] for vote in row_votes)),
                "text": cell(row, column),
                "scheme": Path(scheme.name).stem,
                "label": "" if tied or not first else first[0][0],
                "agreement": round(first[0][1] / len(row_votes), 4) if first else None,
                "votes": "; ".join(
                    f"{label} {n}" for label, n in sorted(counted.items(), key=lambda v: (-v[1], v[0]))
                ),
            }
        )
    return pl.DataFrame(made, infer_schema_length=None)


LABEL = Kind(
    name="label",
    holds="labels",
    needs=(),
    fields=FIELDS,
    columns={
        "text": "what was labelled",
        "scheme": "the list of labels",
        "label": "the label of most votes; empty where two have as many, or nobody gave one",
        "agreement": "share of the votes for it",
        "votes": "every label with its votes",
    },
    asks=asks,
    judge=judge,
    same=lambda _cells: object(),
    head="label",
    cells=("text", "repeat", "label"),
    unite=unite,
    tokens=12,
)
