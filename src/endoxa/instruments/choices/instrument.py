"""Choices as an instrument: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.instruments.choices.options import ChoiceSettings
from endoxa.runs.instrument import Instrument, Plan, Run, late

if TYPE_CHECKING:
    from endoxa.schema import Progress

HELP = """What a model concludes, decides and associates about two groups, from the same associations.

Asks inferences, decisions between two candidates, and word lists, each in two orders. Writes the folder RUN: run.json,
records.parquet (every raw answer and how it was read), estimates.csv, associations.csv (a score for each association)
and report.html. A run that was stopped continues with the same command.

\b
Examples:
  endoxa build choices associations.csv --kind decision -o decisions.jsonl
  endoxa probe choices --data decisions.jsonl --model sim/biased --out out/d
  endoxa probe choices --data decisions.jsonl --model openai/gpt-4o-mini --repeats 3 --plan
  endoxa probe choices --data iat_stimuli.csv --model hf/models/chat --out out/words
"""


def _plan(settings: ChoiceSettings) -> Plan:
    from endoxa.instruments.choices.work import plan_choices
    from endoxa.runs.asking.cost import plan_table

    return plan_table(plan_choices(settings), "")


def _estimate(settings: ChoiceSettings, out: Path, _progress: Progress) -> None:
    from endoxa.instruments.choices.estimates import analyze_run

    analyze_run(out, confidence=settings.confidence, seed=settings.seed)


def _summary(_settings: ChoiceSettings, run: Run) -> Iterator[str]:
    from endoxa.runs.asking.run import asking_lines

    yield f"{run.counts['items']} items, {run.counts['records']} records: {run.folder / 'records.parquet'}"
    yield from asking_lines(run)
    yield f"estimates: {run.folder / 'estimates.csv'}; by association: {run.folder / 'associations.csv'}"


CHOICES = Instrument(
    name="choices",
    holds="inferences, decisions and word lists",
    unit="answers",
    settings=ChoiceSettings,
    help=HELP,
    work=late("endoxa.instruments.choices.work:choices_work"),
    plan=_plan,
    words=late("endoxa.instruments.choices.jobs:words"),
    estimate=_estimate,
    report=late("endoxa.instruments.reports:report_run"),
    shown=late("endoxa.instruments.choices.page:shown"),
    headline=late("endoxa.instruments.choices.kinds:headline"),
    tables=late("endoxa.instruments.choices.estimates:SCHEMAS"),
    measured=late("endoxa.instruments.choices.estimates:MEASURED"),
    summary=_summary,
    outputs=("estimates.csv", "associations.csv", "report.html"),
)
