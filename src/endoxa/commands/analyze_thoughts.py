"""What `endoxa analyze run` makes of the thoughts of models: what they argue for, and with which reasons."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from annotated_types import Ge

from endoxa.commands.options import ReaderModels
from endoxa.commands.verbs import plan_line
from endoxa.errors import UserError
from endoxa.instruments import thoughts as coding
from endoxa.instruments.association_tests.options import AnalysisOptions
from endoxa.instruments.questions.thoughts.coded import (
    coded,
    holds_thoughts,
    texts_of,
    thoughts_of,
    without_rules,
)
from endoxa.instruments.questions.thoughts.estimates import thought_measures
from endoxa.instruments.thoughts import Codes, ThoughtReaderSettings, ThoughtText, to_read
from endoxa.report.claims import VERDICT
from endoxa.report.tables import headline_of, interval_field
from endoxa.report.words import listed, plural
from endoxa.runs.asking.readers import read_with_models
from endoxa.runs.progress import shown
from endoxa.schema.headline import Headline
from endoxa.schema.options import ASKING, DATA, OUTPUT, Option
from endoxa.schema.thoughts import CODE_COLUMNS

QUESTIONS = "qa"
USUAL_READERS = ReaderModels()
Tables = Mapping[str, pl.DataFrame | None]


@dataclass(frozen=True, slots=True)
class Thoughts:
    """Thoughts of models: who reads them besides rules.

    Attributes:
        reader: Reader model that codes thoughts besides the rules: openai/NAME, anthropic/NAME,
            http://HOST:PORT/v1#NAME, hf/ID, sim/NAME; repeatable. The thoughts are sent to it.
        asking: how they are asked.
        sheet: Also write a sheet on which a person codes a sample of thoughts (.xlsx or .csv).
        sheet_rows: Number of thoughts on the sheet.
        coded: Sheet of thoughts that a person filled in.
    """

    reader: Annotated[tuple[str, ...], Option(group=ASKING, metavar="MODEL", default="rules only")] = ()
    asking: ReaderModels = USUAL_READERS
    sheet: Annotated[Path | None, Option(group=OUTPUT)] = None
    sheet_rows: Annotated[int, Ge(1), Option(group=OUTPUT)] = 100
    coded: Annotated[Path | None, Option(group=DATA)] = None

    @property
    def asked(self) -> bool:
        """Whether somebody reads thoughts besides the rules."""
        return bool(self.reader or self.sheet or self.coded)


USUAL_THOUGHTS = Thoughts()
"""Thoughts about questions are read by rules, others by nobody."""


def plan_thoughts(runs: Sequence[Path], kind: str, options: Thoughts) -> list[Headline]:
    """What reading by models would take.

    Raises:
        UserError: see `analyze_thoughts`.
    """
    finished, *_ = _read(runs, kind, options)
    settings = options.asking.settings(ThoughtReaderSettings, runs[0], options.reader)
    return [plan_line(options.asking.planned(to_read(finished), settings))]


def analyze_thoughts(
    runs: Sequence[Path], kind: str, options: Thoughts, how: AnalysisOptions, out: Path
) -> tuple[list[Any], Tables]:
    """Lines and tables of the thoughts in runs; nothing where there are none and nobody asked for them.

    Thoughts about questions are read by rules: the options argued for in order, whether the group is given as the
    reason, a stereotype is mentioned or rejected, missing information is noticed. With models or people who read
    besides, agreement is estimated.

    Raises:
        UserError: no thoughts where some were asked for, or thoughts that nobody would read.
    """
    if not options.asked and not (kind == QUESTIONS and any(map(holds_thoughts, runs))):
        return [], {}
    finished, by_rules, notes = _read(runs, kind, options)
    lines: list[Any] = list(notes)
    if options.sheet is not None:
        count = coding.write_sheet(finished, options.sheet, sample=options.sheet_rows, seed=how.seed)
        lines.append(f"{plural(count, 'thought')} to code written to {options.sheet}")
    read: Mapping[str, Mapping[str, Codes]] = {}
    if options.reader:
        settings = options.asking.settings(coding.ThoughtReaderSettings, runs[0], options.reader)
        folder = out.with_name(f"{out.name}.readers")
        with shown("thoughts") as progress:
            read, cost = read_with_models(
                coding.to_read(finished), settings, folder, progress=progress, command=sys.argv
            )
        lines += cost
    people = coding.read_sheet(options.coded, finished) if options.coded else None
    agreed = coding.agreement(coding.coders_of(finished, read, people), confidence=how.confidence)
    measures = thought_measures(by_rules, confidence=how.confidence, seed=how.seed)
    lines += _lines(measures, agreed)
    codes = by_rules.select(list(CODE_COLUMNS))
    return lines, {"thoughts": measures, "thought_codes": codes, "thought_agreement": agreed}


def _read(
    runs: Sequence[Path], kind: str, options: Thoughts
) -> tuple[list[ThoughtText], pl.DataFrame, list[str]]:
    """The thoughts that ended before an answer, all of them coded by rules, and notes.

    Raises:
        UserError: runs of something else, two with thoughts of one model about the same data, or no thoughts.
    """
    if kind != QUESTIONS:
        raise UserError(f"Thoughts are read in runs of `endoxa probe qa`, and these are of kind '{kind}'.")
    texts, frames, lacking = [], [], set()
    for run in runs:
        of_run = thoughts_of(run)
        frames.append(coded(of_run))
        texts += texts_of(of_run, frames[-1], run.name if len(runs) > 1 else "")
        lacking |= set(without_rules(of_run))
    cells = pl.concat(
        [frame.select("data", "model", "protocol").unique(maintain_order=True) for frame in frames]
    )
    for data, model, _ in cells.filter(cells.is_duplicated()).rows()[:1]:
        raise UserError(
            f"Several of these runs hold thoughts of '{model}' about '{data}'. Analyze them one by one."
        )
    if not texts:
        raise UserError(
            "These runs hold no thoughts. Ask a model that thinks, or one whose thoughts stand in its "
            "answers in a known form; providers that hide thoughts return none."
        )
    finished = [text for text in texts if not text.cut_off]
    if not finished and options.asked:
        raise UserError(
            "No thought in these runs ended before an answer. Raise max_tokens of the probe (--set)."
        )
    note = f"No rules for thoughts in {listed(sorted(lacking))}: only English in them is read. Use --reader."
    return finished, pl.concat(frames), [note] if lacking else []


def _lines(measures: pl.DataFrame, agreed: pl.DataFrame) -> Iterator[Headline]:
    """Measures of the thoughts, and agreement of who read them."""
    where = ("model", "context_condition", "measure", "n")
    title = "Thoughts (bias and difference: leans, 0 = none; others: shares)"
    yield headline_of(title, measures, (*where, "value", interval_field(), VERDICT))
    if not agreed.is_empty():
        fields = ("code", "first", "second", "n", "agreement", "kappa", interval_field())
        yield headline_of("Agreement on thoughts", agreed, fields)
