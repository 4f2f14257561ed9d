"""The road walked in one go: what several rooms do one after the other for one command."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.engine.folder import RUN, write_json
from endoxa.instruments.pairs.probe.run import RunSummary, probe_pairs
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.schema import Progress

if TYPE_CHECKING:
    from endoxa.engine.asking.run import Filled
    from endoxa.instruments.association_tests.probe import EmbeddingsSettings, EmbeddingsSummary
    from endoxa.instruments.questions.probe.run import QaSummary
    from endoxa.instruments.questions.probe.settings import QaSettings
    from endoxa.instruments.stories.profiles.probe import ExtractSettings


def pairs(
    settings: PairsSettings,
    out: Path,
    *,
    restart: bool = False,
    expected: dict[str, Any] | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> RunSummary:
    """Probe, analyze, report: leaves `records.parquet`, `estimates.csv` and `report.html` in the run folder.

    Raises:
        UserError: see `endoxa.probe.pairs.probe_pairs`.
    """
    summary = probe_pairs(
        settings, out, restart=restart, expected=expected, progress=progress, command=command
    )
    asked = {"confidence": settings.confidence, "seed": settings.seed}
    if summary.records:
        _once(asked, out, lambda: _analyze_and_report(settings, out, progress, summary.items))
    return summary


def embeddings(
    settings: EmbeddingsSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> EmbeddingsSummary:
    """Encode, analyze, report: leaves `vectors/`, `estimates.csv` and `report.html` in the run folder.

    Raises:
        UserError: see `endoxa.probe.embeddings.run.probe_embeddings`.
    """
    from endoxa.instruments.association_tests.probe import probe_embeddings

    summary = probe_embeddings(settings, out, restart=restart, progress=progress, command=command)
    _once(settings.asked(), out, lambda: _test_and_report(settings, out, progress, summary.tests))
    return summary


def questions(
    settings: QaSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> QaSummary:
    """Ask, analyze, report: leaves records, tables (`estimates.csv` and others) and `report.html` in the run folder.

    Raises:
        UserError: see `endoxa.probe.qa.run.probe_qa`.
    """
    from endoxa.instruments.questions.probe.run import probe_qa

    summary = probe_qa(settings, out, restart=restart, progress=progress, command=command)
    _once(settings.asked(), out, lambda: _analyze_answers_and_report(settings, out, progress, summary.items))
    return summary


def profiles(
    settings: ExtractSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Filled:
    """Have the stories read, and say how far their readers agree: leaves `records.parquet` and `agreement.csv`.

    Raises:
        UserError: see `endoxa.probe.extract.run.probe_extract`.
    """
    from endoxa.instruments.stories.profiles import write_agreement
    from endoxa.instruments.stories.profiles.probe import probe_extract

    filled = probe_extract(settings, out, restart=restart, progress=progress, command=command)
    write_agreement(out, again=not filled.was_complete)
    return filled


def _once(asked: dict[str, Any], out: Path, analyze_and_report: Callable[[], None]) -> None:
    """Leave estimates and report in a run folder, unless they are there and were made as `asked`."""
    run = json.loads((out / RUN).read_text(encoding="utf-8"))
    missing = any(not (out / name).exists() for name in ("estimates.csv", "report.html"))
    if missing or run.get("reported") != asked:
        analyze_and_report()
        # Last, so that a stop in between is made good by the same command.
        run = json.loads((out / RUN).read_text(encoding="utf-8"))
        write_json(out / RUN, {**run, "reported": asked})


def _analyze_answers_and_report(settings: QaSettings, out: Path, progress: Progress, items: int) -> None:
    from endoxa.instruments.questions.estimates import analyze_run
    from endoxa.instruments.reports import write_report

    progress("analyzing", items, items)
    analyze_run(out, confidence=settings.confidence, seed=settings.seed, keep=True)
    progress("writing the report", items, items)
    write_report([out], out / "report.html", confidence=settings.confidence, seed=settings.seed)


def _test_and_report(settings: EmbeddingsSettings, out: Path, progress: Progress, tests: int) -> None:
    from endoxa.datasets.frames import write_table
    from endoxa.instruments.association_tests.estimates import analyze_sources, run_sources
    from endoxa.instruments.reports import write_report

    results = analyze_sources(run_sources(out), progress=progress, **settings.asked())
    write_table(results, out / "estimates.csv")
    progress("writing the report", tests, tests)
    write_report([out], out / "report.html", confidence=settings.confidence, seed=settings.seed)


def _analyze_and_report(settings: PairsSettings, out: Path, progress: Progress, items: int) -> None:
    from endoxa.instruments.pairs.estimates import analyze_run
    from endoxa.instruments.reports import write_report

    progress("analyzing", items, items)
    analyze_run(out, confidence=settings.confidence, seed=settings.seed, keep=True)
    progress("writing the report", items, items)
    write_report([out], out / "report.html", confidence=settings.confidence, seed=settings.seed)
