"""The demonstration: pairs, questions and stories of a model, then models whose preference was planted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import polars as pl

from endoxa.demo import smollm
from endoxa.demo.planted import SAMPLE, planted_models
from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import SCHEMAS
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS, DifferentRunError
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.sources.frames import write_table

NOTICE = (
    "Demonstration: these models are simulated, with a preference planted in them, and the pairs are a sample "
    "collected from nobody. The numbers show whether what was planted is found and what tests can claim from so few "
    "pairs; they say nothing about any real model or people."
)


def run_demo(
    out: Path,
    *,
    seed: int = 0,
    model: str | None = None,
    progress: Progress = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
    command: Sequence[str] = (),
) -> Path:
    """Measure a model, then models whose preference was planted, and write a page about both, which is returned.

    Started again it continues; what is complete is kept.

    Args:
        out: made if it is not there.
        seed: of everything that is drawn.
        model: as on the command line; None leaves it out.
        progress: told what is being done.
        say: prints what was found, a line for each step.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: the model cannot be used, or the folder cannot be written.
    """
    from endoxa.demo.figure import STATISTICS, marks, planted_figure, planted_finding
    from endoxa.demo.page import write_demo_page
    from endoxa.report.files import write_figures

    try:
        out.mkdir(parents=True, exist_ok=True)
        asked = None if model is None else smollm.prepare(out, model, seed)
        parts = () if asked is None else asked.parts
        lines, numbers = 3 + len(parts) + ("pairs" in parts), count(1)

        def finish(text: str) -> None:
            say(f"{next(numbers)}/{lines}  {text}".replace("\u00a0", " "))

        finish(smollm.NO_MODEL if asked is None else asked.line)
        measured = None if asked is None else smollm.measured(asked, finish, progress)
        folder = _simulated(out, seed, progress, command)
        estimates = read(folder, "estimates", SCHEMAS["estimates"])
        simulated = planted_finding(pl.read_parquet(folder / RECORDS), estimates)
        finish(str(simulated))
        shares = {} if measured is None else dict(zip(STATISTICS.values(), measured.shares, strict=False))
        found = marks(estimates, "" if asked is None else asked.name, shares)
        write_table(found, out / "found.csv")
        figure = planted_figure(found)
        write_figures([figure], out)
        page = write_demo_page(out, measured, simulated, figure)
    except OSError as problem:
        raise UserError(f"The folder {out} cannot be written: {problem.strerror}.") from problem
    finish(f"the page: {page}")
    return page


def _simulated(out: Path, seed: int, progress: Progress, command: Sequence[str]) -> Path:
    """Score the sample with models whose preference was planted; returns the run."""
    data = Path(shutil.copyfile(SAMPLE, out / "sample.csv"))
    settings = PairsSettings(
        data=str(data), models=planted_models(seed), rules=("sum",), seed=seed, notice=NOTICE
    )
    instrument = replace(PAIRS, report=None)  # the page of the demonstration says what was found
    score = partial(run, instrument, settings, out / "run", progress=progress, command=command)
    try:
        return score().folder
    except DifferentRunError:  # another seed, or a newer version
        return score(restart=True).folder
