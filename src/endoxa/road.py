"""The road walked in one go: what several rooms do one after the other for one command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.probe.pairs import Progress, RunSummary, probe_pairs
from endoxa.probe.settings import PairsSettings


def pairs(
    settings: PairsSettings,
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> RunSummary:
    """Probe, analyze, report: leaves `records.parquet`, `estimates.csv` and `report.html` in the run folder.

    Raises:
        UserError: see `endoxa.probe.pairs.probe_pairs`.
    """
    from endoxa.analyze import analyze_pairs, load_records
    from endoxa.analyze.pairs import write_table
    from endoxa.report import write_report

    summary = probe_pairs(settings, out, restart=restart, progress=progress, command=command)
    report = out / "report.html"
    if summary.records and not (summary.was_complete and report.exists()):
        progress("analyzing", summary.items, summary.items)
        analysis = analyze_pairs(load_records([out]), confidence=settings.confidence, seed=settings.seed)
        for name in ("estimates", "comparisons", "flips"):
            write_table(getattr(analysis, name), out / f"{name}.csv")
        progress("writing the report", summary.items, summary.items)
        write_report([out], report, confidence=settings.confidence, seed=settings.seed)
    return summary
