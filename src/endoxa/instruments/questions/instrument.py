"""Questions about people as an instrument: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.instrument import Instrument, Logged, Run, late

if TYPE_CHECKING:
    from endoxa.schema import Progress
    from endoxa.schema.headline import Headline

HELP = """Which person a model picks where nobody can know, and whether debiasing changes its answer.

Writes the folder RUN: run.json, records.parquet (every raw answer and how it was read), estimates.csv and
report.html. A run that was stopped continues with the same command; a model can be added to a finished one. Keys come
from environment variables.

\b
Examples:
  endoxa probe qa --data Nationality.jsonl --model openai/gpt-4o-mini --repeats 3 --plan
  endoxa probe qa --data Nationality.jsonl --model openai/gpt-4o-mini --repeats 3 --max-cost 5 --out out/q1
  endoxa probe qa --data names.jsonl --model http://localhost:8000/v1#my-model --out out/q2
  endoxa probe qa --data names.jsonl --model hf/models/chat --ask loglik --out out/q3
  endoxa probe qa --data laces.jsonl --model sim/biased --debias baseline,explanation,reprompting --out out/q4
  endoxa probe qa --data Religion.jsonl --model sim/biased --conditions conditions.toml --sample 400 --out out/c
"""


def _estimate(settings: QaSettings, out: Path, _progress: Progress) -> None:
    from endoxa.instruments.questions.estimates import analyze_run
    from endoxa.instruments.questions.thoughts.estimates import thoughts_of_run

    analyze_run(out, confidence=settings.confidence, seed=settings.seed, keep=True)
    thoughts_of_run(out, confidence=settings.confidence, seed=settings.seed, keep=True)


def _headline(folder: Path) -> Headline:
    from endoxa.instruments.questions.headline import headline
    from endoxa.instruments.questions.report.quoting import run_diagnostics
    from endoxa.report.quoting import with_diagnostics

    return with_diagnostics(headline(folder), run_diagnostics(folder))


def _logged() -> Logged:
    from endoxa.instruments.questions.estimates import analyze_run, predictions

    return Logged(predictions.holds, predictions.write_run, partial(analyze_run, keep=True))


def _summary(_settings: QaSettings, run: Run) -> Iterator[str]:
    from endoxa.runs.asking.run import asking_lines

    counts = run.counts
    yield f"{counts['items']} questions, {counts['records']} records: {run.folder / 'records.parquet'}"
    yield from asking_lines(run)
    yield f"estimates: {run.folder / 'estimates.csv'}"


QUESTIONS = Instrument(
    name="qa",
    holds="questions",
    unit="answers",
    settings=QaSettings,
    help=HELP,
    work=late("endoxa.instruments.questions.probe.work:questions_work"),
    plan=late("endoxa.instruments.questions.probe.work:plan"),
    words=late("endoxa.instruments.questions.probe.jobs:words"),
    estimate=_estimate,
    report=late("endoxa.instruments.reports:report_run"),
    shown=late("endoxa.instruments.questions.report.page:shown"),
    headline=_headline,
    tables=late("endoxa.instruments.questions.estimates.analysis:SCHEMAS"),
    takes_labels=True,
    logged=_logged,
    summary=_summary,
)
