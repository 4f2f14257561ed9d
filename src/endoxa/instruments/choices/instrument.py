"""Choices as an instrument: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.instruments.choices.probe.settings import ChoiceSettings
from endoxa.runs.instrument import Instrument, Plan, Run, Shown, Work
from endoxa.runs.options import ReportOptions
from endoxa.runs.settings import RunSettings

if TYPE_CHECKING:
    from endoxa.runs.measured import Measured
    from endoxa.schema import Progress
    from endoxa.schema.headline import Headline
    from endoxa.words.used import Used

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


def _work(settings: ChoiceSettings, out: Path) -> Work:
    from endoxa.instruments.choices.probe.work import choices_work

    return choices_work(settings, out)


def _plan(settings: ChoiceSettings) -> Plan:
    from endoxa.instruments.choices.probe.work import plan_choices
    from endoxa.runs.asking.cost import plan_table

    return plan_table(plan_choices(settings), "")


def _words(settings: ChoiceSettings) -> Used:
    from endoxa.instruments.choices.probe.jobs import words

    return words(settings)


def _estimate(settings: ChoiceSettings, out: Path, _progress: Progress) -> None:
    from endoxa.instruments.choices.estimates import analyze_run

    analyze_run(out, confidence=settings.confidence, seed=settings.seed)


def _headline(folder: Path) -> Headline:
    from endoxa.instruments.choices.headline import headline

    return headline(folder)


def _report(settings: RunSettings, out: Path) -> None:
    from endoxa.instruments.reports import report_run

    report_run(settings, out)


def _shown(runs: Sequence[Any], how: ReportOptions) -> Shown:
    from endoxa.instruments.choices.report.page import shown

    return shown(runs, how)


def _tables() -> Mapping[str, Mapping[str, Any]]:
    from endoxa.instruments.choices.estimates import SCHEMAS

    return SCHEMAS


def _measured() -> Measured:
    from endoxa.instruments.choices.measured import MEASURED

    return MEASURED


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
    work=_work,
    plan=_plan,
    words=_words,
    estimate=_estimate,
    report=_report,
    shown=_shown,
    headline=_headline,
    tables=_tables,
    measured=_measured,
    summary=_summary,
    outputs=("estimates.csv", "associations.csv", "report.html"),
)
