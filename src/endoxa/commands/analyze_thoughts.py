"""`endoxa analyze thoughts`: what models thought before they answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from endoxa.commands.reader_models import ReaderModels
from endoxa.commands.verbs import Outcome, argument, plan_lines, table
from endoxa.report.words import decimal, decimal_interval, listed, percent, percent_interval, plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import ANALYSIS, ASKING, DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.thoughts.texts import Codes, ThoughtText


def thoughts(
    runs: Annotated[
        tuple[Path, ...],
        argument("Run folders of `endoxa probe qa`.", metavar="RUN..."),
    ],
    *,
    out: Annotated[Path, Option("Measures: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    codes: Annotated[
        Path | None, Option("Also write what was read in each thought.", OUTPUT, table=True)
    ] = None,
    agreement: Annotated[
        Path | None,
        Option("Also write the agreement of rules, reader models and people.", OUTPUT, table=True),
    ] = None,
    sheet: Annotated[
        Path | None,
        Option("Also write a sheet on which a person codes a sample (.xlsx or .csv).", OUTPUT),
    ] = None,
    sheet_rows: Annotated[int, Ge(1), Option("Number of thoughts on the sheet.", OUTPUT)] = 100,
    human: Annotated[Path | None, Option("Sheet that a person filled in.", DATA, metavar="FILE")] = None,
    reader: Annotated[
        tuple[str, ...],
        Option(
            "Reader model that codes the thoughts besides: openai/NAME, anthropic/NAME, http://HOST:PORT/v1#NAME, "
            "hf/ID, sim/NAME; repeatable. The thoughts are sent to it.",
            ASKING,
            metavar="MODEL",
            default="rules only",
        ),
    ] = (),
    asking: ReaderModels,
    confidence: Annotated[
        Confidence, Option("Confidence level of the intervals.", ANALYSIS)
    ] = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> Outcome:
    """Analyze the thoughts of models before their answers: what they argue for, and with which reasons.

    Thoughts about questions are read by rules: the options argued for in order, whether the group is given as the
    reason, a stereotype is mentioned or rejected, missing information is noticed. With a sheet that a person filled in
    (--human), or with reader models (--reader), agreement is estimated.

    \b
    Examples:
      endoxa analyze thoughts out/q1 -o thoughts.csv --codes codes.csv
      endoxa analyze thoughts out/q1 -o thoughts.csv --sheet check.xlsx
      endoxa analyze thoughts out/q1 -o thoughts.csv --human check.xlsx --agreement agreement.csv
      endoxa analyze thoughts out/q1 -o thoughts.csv --reader openai/gpt-5-mini --agreement agreement.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.questions.thoughts.estimates import thought_measures
    from endoxa.instruments.thoughts.coding import ThoughtReaderSettings, read_sheet, to_read, write_sheet
    from endoxa.instruments.thoughts.estimates import agreement as agreement_of
    from endoxa.instruments.thoughts.estimates import coders_of
    from endoxa.runs.asking.cost import plan_table
    from endoxa.runs.asking.readers import plan_readers, read_with_models
    from endoxa.runs.progress import shown
    from endoxa.schema.thoughts import CODE_COLUMNS

    if not reader and asking != ReaderModels():
        raise UserError(
            "--batch, --max-cost, --price and --plan need --reader. Name the model that reads the thoughts."
        )
    analysis = _Analysis.of(runs)
    finished = [each for each in analysis.texts if not each.cut_off]
    _require(analysis, finished, reading=bool(reader or sheet or human))
    settings = asking.settings(ThoughtReaderSettings, runs[0], reader)
    if asking.plan:
        return Outcome(plan_lines(plan_table(plan_readers(to_read(finished), settings))))
    lines: list[Any] = list(analysis.notes)
    if sheet is not None:
        count = write_sheet(finished, sheet, sample=sheet_rows, seed=seed)
        lines.append(f"{plural(count, 'thought')} to code written to {sheet}")
    read: Mapping[str, Mapping[str, Codes]] = {}
    if reader:
        with shown("thoughts") as progress:
            read, cost = read_with_models(
                to_read(finished),
                settings,
                out.with_name(f"{out.name}.readers"),
                progress=progress,
                command=sys.argv,
            )
        lines += cost
    coders = coders_of(finished, read, read_sheet(human, finished) if human else None)
    agreed = agreement_of(coders, confidence=confidence)
    measures = thought_measures(analysis.coded, confidence=confidence, seed=seed)
    lines += [*_measures(measures), *_agreement(agreed)]
    lines.append(f"{plural(len(measures), 'measure')} written to {out}")
    return Outcome(
        lines, {"out": measures, "codes": analysis.coded.select(list(CODE_COLUMNS)), "agreement": agreed}
    )


@dataclass(frozen=True)
class _Analysis:
    """The thoughts of some runs.

    Attributes:
        texts: all thoughts, cut-off ones included.
        coded: the same coded by rules.
        notes: sentences for the terminal.
    """

    texts: Sequence[ThoughtText]
    coded: pl.DataFrame
    notes: Sequence[str]

    @classmethod
    def of(cls, runs: Sequence[Path]) -> _Analysis:
        """The thoughts of run folders.

        Raises:
            UserError: no run, or runs of something else than questions.
        """
        import polars as pl

        from endoxa.errors import UserError
        from endoxa.instruments.questions.thoughts.coded import coded, texts_of, thoughts_of, without_rules
        from endoxa.report.inputs import QUESTIONS, holds, read_runs

        other = next((run for run in read_runs(list(runs)) if run.kind != QUESTIONS), None)
        if other:
            raise UserError(
                f"'{other.folder}' holds {holds(other.kind)}. Thoughts are read in runs of `endoxa probe qa`."
            )
        texts, frames, lacking = [], [], set()
        for run in runs:
            of_run = thoughts_of(run)
            frames.append(coded(of_run))
            texts += texts_of(of_run, frames[-1], run.name if len(runs) > 1 else "")
            lacking |= set(without_rules(of_run))
        cells = [
            cell
            for frame in frames
            for cell in frame.select("data", "model", "protocol").unique(maintain_order=True).rows()
        ]
        twice = next((cell for cell in cells if cells.count(cell) > 1), None)
        if twice is not None:
            raise UserError(
                f"Several of these runs hold thoughts of '{twice[1]}' about '{twice[0]}'. Analyze them one by one."
            )
        note = (
            f"No rules for thoughts in {listed(sorted(lacking))}: only English in them is read. Use --reader."
        )
        return cls(texts, pl.concat(frames), [note] if lacking else ())


def _require(analysis: _Analysis, finished: Sequence[ThoughtText], *, reading: bool) -> None:
    """Refuse runs without thoughts, and readers where no thought ended.

    Raises:
        UserError: one of these.
    """
    from endoxa.errors import UserError

    if not analysis.texts:
        raise UserError(
            "These runs hold no thoughts. Ask a model that thinks, or one whose thoughts stand in its "
            "answers in a known form; providers that hide thoughts return none."
        )
    if not finished and reading:
        raise UserError(
            "No thought in these runs ended before an answer. Raise max_tokens of the probe (--set)."
        )


def _measures(measures: pl.DataFrame) -> Iterator[str | Table]:
    from endoxa.report.claims import chip

    rows = []
    for row in measures.iter_rows(named=True):
        shares = row["measure"] not in ("answers_bias", "thoughts_bias", "difference")
        ends = (percent_interval if shares else decimal_interval)(row["low"], row["high"])
        value = (percent if shares else decimal)(row["value"])
        about = f"{row['model']} {row['context_condition']}".strip()
        rows.append((about, row["measure"], str(row["n"]), value, ends, chip(row)))
    heads = ("model", "measure", "n", "value", "interval", "verdict")
    yield table("Thoughts (leans: 0 = none; others: shares)", heads, rows, texts=2, wrap=True)


def _agreement(agreed: pl.DataFrame) -> Iterator[str | Table]:
    if agreed.is_empty():
        return
    rows = [
        (
            row["code"],
            f"{row['first']} / {row['second']}",
            str(row["n"]),
            percent(row["agreement"]),
            decimal(row["kappa"], 2),
            decimal_interval(row["low"], row["high"], 2),
        )
        for row in agreed.iter_rows(named=True)
    ]
    heads = ("code", "coders", "n", "alike", "kappa", "interval")
    yield table("Agreement on thoughts", heads, rows, texts=2, wrap=True)
