"""Sentence pairs as an instrument: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.instrument import Instrument, Run, late

if TYPE_CHECKING:
    from endoxa.schema import Progress

HELP = """Which sentence of each pair a model finds more probable.

Writes the folder RUN: run.json (enough to repeat it), records.parquet (one row per pair, model and rule),
estimates.csv and report.html. A run that was stopped continues with the same command; a model can be added to a
finished one.

\b
Examples:
  endoxa probe pairs --data pairs.csv --model hf/openai-community/gpt2 --out out/gpt2
  endoxa probe pairs --data crows-pairs --model hf/models/bert --rule crows-token --rule pll --out out/bert
  endoxa probe pairs --data pairs.csv --model http://localhost:8000/v1#my-model --rule sum --out out/served
  endoxa probe pairs --data pairs.csv --plan
"""


def _estimate(settings: PairsSettings, out: Path, _progress: Progress) -> None:
    from endoxa.instruments.pairs.estimates import analyze_run

    analyze_run(out, confidence=settings.confidence, seed=settings.seed, keep=True)


def _summary(_settings: PairsSettings, run: Run) -> Iterator[str]:
    for skip in run.facts["skipped"]:
        yield f"skipped for {skip['model']}: {skip['reason']}"
    yield f"{run.counts['items']} pairs, {run.counts['records']} records: {run.folder / 'records.parquet'}"
    if run.counts["unscored"]:
        yield f"{run.counts['unscored']} could not be scored: {run.folder / 'unscored.csv'}"


PAIRS = Instrument(
    name="pairs",
    holds="sentence pairs",
    unit="pairs",
    settings=PairsSettings,
    help=HELP,
    work=late("endoxa.instruments.pairs.probe.run:pairs_work"),
    plan=late("endoxa.instruments.pairs.probe.run:plan_table"),
    words=late("endoxa.instruments.pairs.probe.items:words"),
    estimate=_estimate,
    report=late("endoxa.instruments.reports:report_run"),
    shown=late("endoxa.instruments.pairs.report.page:shown"),
    headline=late("endoxa.instruments.pairs.report.preference:headline"),
    tables=late("endoxa.instruments.pairs.estimates:SCHEMAS"),
    logged=late("endoxa.instruments.pairs.logs:LOGGED"),
    summary=_summary,
)
