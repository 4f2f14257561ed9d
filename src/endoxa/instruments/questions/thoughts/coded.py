"""The thoughts of a run of questions, coded by rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import load_answers
from endoxa.instruments.questions.estimates.inference import unit_columns
from endoxa.instruments.questions.items.of_run import items_of_run, question_shown
from endoxa.instruments.questions.thoughts.rules import code_thought, has_rules
from endoxa.instruments.thoughts import NO, YES, ThoughtText, letter_of
from endoxa.report.inputs import Run
from endoxa.runs.answers.read import Order, outcome
from endoxa.runs.folder import RECORDS, RUN
from endoxa.schema import QaItem, Reading
from endoxa.schema.finish import LENGTH, THOUGHTS_ONLY
from endoxa.schema.thoughts import ARGUED, CODE_COLUMNS, CODES
from endoxa.sources.served import versions_apart

KEY = ("model", "protocol", "item_id", "repeat")
UNITS = ("category", "example_id", "variant", "template", "identity", "attribute")
"""Columns of coded thoughts that say to which units an answer belongs; they are not written."""

_WHOLE = (*("repeat", "label", "target", "unknown", "choice", "cut_off", *CODES, "argued", "turned"),)
_TYPES = {name: pl.Int64 if name in _WHOLE else pl.String for name in (*CODE_COLUMNS, *UNITS)}


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought about a question, with what is needed to read it.

    Attributes:
        row: the record of its answer.
        item: the question.
        text: the thought before the last answer of the conversation.
    """

    row: Mapping[str, Any]
    item: QaItem
    text: str

    @property
    def order(self) -> Order:
        """The options in the order shown."""
        first, second, third = (int(place) for place in self.row["order"] or "012")
        return first, second, third

    @property
    def cut_off(self) -> bool:
        """The thought did not end before an answer."""
        return self.row["finish"] in (LENGTH, THOUGHTS_ONLY) and not (self.row["answer"] or "").strip()


def holds_thoughts(folder: Path) -> bool:
    """Whether a finished run of questions has any thoughts."""
    records = pl.scan_parquet(folder / RECORDS)
    if "reasoning" not in records.collect_schema():
        return False
    return not records.filter(pl.col("reasoning") != "").head(1).collect().is_empty()


def thoughts_of(folder: Path) -> list[Thought]:
    """Every thought of a finished run of questions, in the order of the records.

    Raises:
        UserError: the folder holds no finished run of questions, or the questions are not found.
    """
    answers = load_answers([folder], ("identity", "attribute", "language", "order", "finish"))
    texts = versions_apart(pl.scan_parquet(folder / RECORDS)).filter(pl.col("reasoning") != "")
    texts = texts.select(*KEY, "reasoning", "answer").with_columns(pl.col("repeat").cast(pl.Int64))
    rows = answers.join(texts.collect(), on=KEY, how="inner", maintain_order="left")
    run = Run(folder, json.loads((folder / RUN).read_text(encoding="utf-8")))
    items, why = items_of_run(run, set(rows["item_id"]))
    thoughts = []
    for row in rows.iter_rows(named=True):
        item = items.get(row["item_id"])
        if item is None:
            raise UserError(f"The thoughts of '{folder}' cannot be read without their questions: {why}.")
        names = {name: row[name] for name in ("target", "unknown", "language", "identity") if name in row}
        item = replace(
            item, **{name: value for name, value in names.items() if value is not None or name == "target"}
        )
        thoughts.append(Thought(row, item, json.loads(row["reasoning"])[-1]))
    return thoughts


def without_rules(thoughts: list[Thought]) -> list[str]:
    """Languages of thoughts for which there are no rules: only English sentences in them are read."""
    return sorted({code for each in thoughts if not has_rules(code := each.item.language)})


def coded(thoughts: list[Thought]) -> pl.DataFrame:
    """Thoughts of a finished run, coded by rules: `schema.thoughts.CODE_COLUMNS`, `UNITS`, `inference.unit_columns`."""
    frame = pl.DataFrame(list(_rows(thoughts)), schema=_TYPES)
    return frame.with_columns(**unit_columns(frame.columns))


def _rows(thoughts: list[Thought]) -> Iterator[dict[str, Any]]:
    for thought in thoughts:
        row, item = thought.row, thought.item
        cells: dict[str, Any] = {name: row.get(name) for name in (*CODE_COLUMNS, *UNITS)}
        cells["cut_off"] = int(thought.cut_off)
        if not thought.cut_off:
            coding = code_thought(thought.text, item, thought.order)
            cells |= {name: int(getattr(coding, name)) for name in CODES}
            cells |= {"path": " ".join(map(str, coding.path)), "argued": coding.argued}
            cells["argued_outcome"] = outcome(Reading(coding.argued, refused=False, rule=""), item)
            if coding.argued is not None and row["choice"] is not None:
                cells["turned"] = int(coding.argued != row["choice"])
        yield cells


def texts_of(thoughts: list[Thought], codes: pl.DataFrame, run: str = "") -> list[ThoughtText]:
    """Thoughts as readers see them, with what rules read in them.

    Args:
        thoughts: of `thoughts_of`.
        codes: what `coded` gives of them.
        run: name of their run, where there are several.
    """
    texts = []
    for thought, row in zip(thoughts, codes.iter_rows(named=True), strict=True):
        by_rules = {name: YES if row[name] else NO for name in CODES}
        by_rules[ARGUED] = letter_of(row["argued"], thought.order)
        texts.append(
            ThoughtText(
                name="|".join([*filter(None, [run]), *(str(row[name]) for name in KEY)]),
                model=row["model"],
                question=question_shown(thought.item, thought.row["order"]),
                thought=thought.text,
                by_rules={} if thought.cut_off else by_rules,
                cut_off=thought.cut_off,
                language=thought.item.language,
            )
        )
    return texts
