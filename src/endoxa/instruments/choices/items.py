"""Items of a file: those of `endoxa build choices`, or the stimuli of Bai et al. (2025) as they are published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.choices.wording import load_templates
from endoxa.schema.choices import ChoiceItem, Word, read_item
from endoxa.sources.tables import raise_fault, table_rows, written_columns

STIMULI = ("category", "dataset", "A", "B", "C")
"""Columns of `iat_stimuli.csv`: the first rows of a data set have a pair of groups each; of its words, the first half
is said of A and the second half of B."""


def write_items(items: Iterable[ChoiceItem], path: Path) -> None:
    """Write items, a JSON object in each line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for item in items:
            file.write(json.dumps(asdict(item), ensure_ascii=False) + "\n")


def read_items(path: Path) -> Iterator[ChoiceItem]:
    """The items of a file, in its order.

    Raises:
        UserError: it is neither of the two forms, or a line cannot be read.
    """
    columns = written_columns(path)
    if set(STIMULI) <= set(columns):
        yield from _stimuli(path)
        return
    if "options" not in columns:
        raise UserError(
            f"{path} has no column 'options'. Expected items of `endoxa build choices` (.jsonl) or stimuli with the "
            f"columns {', '.join(STIMULI)}. Build items first: endoxa build choices {path} -o items.jsonl"
        )
    for row in table_rows(path, (), as_written=True, as_values=True):
        raise_fault(path, row)
        try:
            yield read_item(row.cells)
        except (ValueError, KeyError, TypeError) as problem:
            raise UserError(
                f"{path}, line {row.line or row.number}: this is no item of choices ({str(problem)[:80]}). Expected a "
                "file that `endoxa build choices` wrote."
            ) from problem


def _stimuli(path: Path) -> Iterator[ChoiceItem]:
    sets: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in table_rows(path, STIMULI, as_written=True):
        raise_fault(path, row)
        cells = {name: row.cells[name] or "" for name in STIMULI}
        sets.setdefault((cells["category"], cells["dataset"]), []).append(cells)
    instruction = load_templates("en").association.instruction
    for (category, name), several in sets.items():
        pairs = [
            (row["A"].strip(), row["B"].strip()) for row in several if row["A"].strip() or row["B"].strip()
        ]
        words = [row["C"].strip() for row in several if row["C"].strip()]
        if not pairs or not all(map(all, pairs)) or len(words) < 2:
            raise UserError(
                f"{path}: the data set '{name}' has no two groups in its first row, a group without another beside "
                "it, or no two words."
            )
        for number, groups in enumerate(pairs, start=1):
            yield ChoiceItem(
                item_id=f"{category}-{name}" + (f"-{number}" if len(pairs) > 1 else ""),
                association_id="",
                kind="association",
                language="en",
                identity=groups[0],
                reference=groups[1],
                attribute="",
                axis=category,
                situation=name,
                wording=number,
                premise="",
                context="",
                question=instruction,
                options=groups,
                identity_key=f"{category}-{name}",
                words=tuple(
                    Word(word, f"{category}-{name}-{word}", int(place >= len(words) / 2))
                    for place, word in enumerate(words)
                ),
            )
