"""The whole road on the embedded sample and planted models: train, probe, analyze, report, compare with the truth."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from endoxa.demo.planted import train_planted
from endoxa.demo.recovery import claims_table, recovery_table, scale_table
from endoxa.demo.truth import PLANTED_RULES
from endoxa.demo.world import SAMPLE
from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.run import SCHEMAS
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.instruments.pairs.rules import RULES
from endoxa.report.files import figures_folder
from endoxa.runs.estimates import read
from endoxa.runs.folder import DifferentRunError
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.sources.frames import write_table

NOTICE = (
    "Demonstration: these models were trained for a few seconds on sentences of ours, with a preference planted in "
    "them, and the pairs are a sample collected from nobody. The numbers show whether scores are what was planted and "
    "what tests can claim from so few pairs; they say nothing about any real model or people."
)


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demonstration left behind.

    Attributes:
        run: the run folder.
        report: the page.
        recovery: recovered against planted values, `recovery.RECOVERY_COLUMNS`.
        scale: shares found and planted, axis by axis, `recovery.SCALE_COLUMNS`.
        figure: the same as a picture (PNG; an SVG stands beside it).
    """

    run: Path
    report: Path
    recovery: pl.DataFrame
    scale: pl.DataFrame
    figure: Path


def run_demo(
    out: Path, *, seed: int = 0, progress: Progress = lambda *_: None, command: Sequence[str] = ()
) -> DemoResult:
    """Train the planted models into `out/models`, walk the road into `out/run`, and compare with what was planted.

    Started again it continues; what is complete is kept.

    Args:
        out: made if it is not there.
        seed: of training and of everything that is drawn.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: torch is missing, or the folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        data = Path(shutil.copyfile(SAMPLE, out / "sample.csv"))
    except OSError as problem:
        raise UserError(f"The folder {out} cannot be written: {problem.strerror}.") from problem
    models = train_planted(out / "models", seed=seed, progress=progress)
    architectures = {model.architecture for model in models}
    settings = PairsSettings(
        data=str(data),
        models=tuple(f"hf/{model.path}" for model in models),
        rules=tuple(rule for rule in PLANTED_RULES if RULES.get(rule).architecture in architectures),
        seed=seed,
        notice=NOTICE,
    )
    instrument = replace(PAIRS, report=lambda settings, folder: _report(folder, settings.seed))
    try:
        folder = run(instrument, settings, out / "run", progress=progress, command=command).folder
    except DifferentRunError:  # another seed, or models trained anew by a newer version
        folder = run(
            instrument, settings, out / "run", restart=True, progress=progress, command=command
        ).folder
    recovery, scale, _ = _compared(folder)
    write_table(recovery, out / "recovery.csv")
    write_table(scale, out / "scale.csv")
    # The run's page once more, where a newcomer looks first.
    page = out / "report.html"
    written = folder / page.name
    shutil.copytree(figures_folder(written), figures_folder(page), dirs_exist_ok=True)
    from endoxa.demo.figure import recovery_figure
    from endoxa.report.render import picture, save

    figure = recovery_figure(recovery)
    save(figure, picture(figure), out)
    return DemoResult(
        folder, Path(shutil.copyfile(written, page)), recovery, scale, (out / f"{figure.name}.png")
    )


def _compared(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """What the run found beside what was planted, over all items and axis by axis; what its tests claim."""
    estimates = read(folder, "estimates", SCHEMAS["estimates"])
    recovery = recovery_table(pl.read_parquet(folder / "records.parquet"))
    return recovery, scale_table(estimates), claims_table(estimates)


def _report(folder: Path, seed: int) -> None:
    from endoxa.demo.page import write_demo_page

    write_demo_page(folder, *_compared(folder), seed=seed)
