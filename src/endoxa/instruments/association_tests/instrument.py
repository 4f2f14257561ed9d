"""Association tests as an instrument: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.instruments.association_tests.settings import EmbeddingsSettings, words
from endoxa.runs.instrument import Instrument, Run, late

if TYPE_CHECKING:
    from endoxa.schema import Progress

HELP = """Which of two groups an encoder places nearer to an attribute: association tests (WEAT, SEAT).

Writes the folder RUN: run.json (enough to repeat it), tests.json, vectors (one file per model and pooling),
estimates.csv and report.html. Each distinct text is encoded once. A run that was stopped continues with the same
command; a model can be added to a finished one.

\b
Examples:
  endoxa probe embeddings --data tests.json --model hf/google/muril-base-cased --pooling cls --out out/muril
  endoxa probe embeddings --data tests.json --model hf/models/bert --pooling cls --pooling mean --out out/bert
  endoxa probe embeddings --data tests.json --model st/all-MiniLM-L6-v2 --model static/glove.txt --out out/two
  endoxa probe embeddings --data tests.json --model http://localhost:8000/v1#my-model --out out/served
"""


def _estimate(settings: EmbeddingsSettings, out: Path, progress: Progress) -> None:
    from endoxa.instruments.association_tests.estimates import analyze_sources, run_sources
    from endoxa.instruments.association_tests.options import AnalysisOptions
    from endoxa.sources.frames import write_table

    results = analyze_sources(run_sources(out), AnalysisOptions(**settings.asked()), progress)
    write_table(results, out / "estimates.csv")


def _summary(_settings: EmbeddingsSettings, run: Run) -> Iterator[str]:
    counts = run.counts
    yield from run.facts["left_out"]
    yield (
        f"{counts['tests']} tests, {counts['texts']} different texts of {counts['sentences']}; vectors (one file per "
        f"model and pooling): {run.folder / 'vectors'}"
    )
    yield f"estimates: {run.folder / 'estimates.csv'}"


EMBEDDINGS = Instrument(
    name="embeddings",
    holds="association tests",
    unit="texts",
    settings=EmbeddingsSettings,
    help=HELP,
    work=late("endoxa.instruments.association_tests.probe:embeddings_work"),
    words=words,
    estimate=_estimate,
    report=late("endoxa.instruments.reports:report_run"),
    shown=late("endoxa.instruments.association_tests.report.findings:shown"),
    headline=late("endoxa.instruments.association_tests.headline:headline"),
    summary=_summary,
)
