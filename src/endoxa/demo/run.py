"""The demonstration: pairs, questions and stories of a model, then models whose preference was planted."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from endoxa.demo import smollm
from endoxa.demo.planted import planted_models
from endoxa.demo.recovery import claims_table, recovery_table, scale_table
from endoxa.demo.smollm import Measured
from endoxa.demo.world import SAMPLE
from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import SCHEMAS
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.report.document import Finding
from endoxa.report.words import count, decimal, percent, plural
from endoxa.runs.estimates import read
from endoxa.runs.folder import DifferentRunError
from endoxa.runs.progress import duration
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.sources.frames import write_table

NOTICE = (
    "Demonstration: these models are simulated, with a preference planted in them, and the pairs are a sample "
    "collected from nobody. The numbers show whether what was planted is found and what tests can claim from so few "
    "pairs; they say nothing about any real model or people."
)


RULE = "sum"


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demonstration left behind.

    Attributes:
        run: the run folder of the simulated models.
        report: the page.
        recovery: recovered against planted values, `recovery.RECOVERY_COLUMNS`.
        scale: shares found and planted, axis by axis, `recovery.SCALE_COLUMNS`.
        measured: what the model shows; None where there is none.
        figure: planted and found as a picture (PNG; an SVG stands beside it).
    """

    run: Path
    report: Path
    recovery: pl.DataFrame
    scale: pl.DataFrame
    measured: Measured | None
    figure: Path


EXPECTED: Mapping[str, float] = {
    "pairs": 30.0, "questions": 20.0, "stories": 1.0, "study": 1.0, "simulated": 2.0, "page": 4.0
}  # fmt: skip
"""Seconds of each step on two cores; how long they take here is measured."""
TRUSTED = 8.0
"""Seconds of the plan that count as measured at its own pace: less than that says little of this machine."""


@dataclass(slots=True)
class Steps:
    """Says what each step found and about how long the others will take.

    Attributes:
        names: steps that take time, in order.
        lines: number of lines that will be printed.
        say: prints a line.
        progress: is told how far a step is.
    """

    names: Sequence[str]
    lines: int
    say: Callable[[str], None]
    progress: Progress
    _began: float = field(default_factory=time.monotonic)
    _done: int = 0
    _printed: int = 0

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def left(self, share: float = 0.0) -> float:
        """Seconds that are left, at the pace of what was done; `share` of the step under way is done."""
        seconds = [EXPECTED[name] for name in self.names]
        behind = sum(seconds[: self._done]) + share * sum(seconds[self._done : self._done + 1])
        pace = (TRUSTED + self.elapsed) / (TRUSTED + behind)
        return max(0.0, sum(seconds) - behind) * pace

    def report(self, what: str, done: float, total: int, detail: str = "", /) -> None:
        """See `Progress`."""
        share = done / total if total else 0.0
        besides = ", ".join(filter(None, (detail, f"about {duration(self.left(share))} left in all")))
        self.progress(f"step {self._printed + 1} of {self.lines}, {what}", done, total, besides)

    def finish(self, text: str, *, ends: bool = True) -> None:
        """Print what was found; `ends` where a step that takes time has ended."""
        self._done += ends
        self._printed += 1
        last = self._printed == self.lines
        left = f"{self.elapsed:.0f} s in all" if last else f"about {duration(self.left())} left"
        self.say(f"{self._printed}/{self.lines}  {text} ({left})".replace("\u00a0", " "))


def run_demo(
    out: Path,
    *,
    seed: int = 0,
    model: str | None = None,
    progress: Progress = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
    command: Sequence[str] = (),
) -> DemoResult:
    """Measure a model, then models whose preference was planted, and write a page about both.

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
    from endoxa.demo.figure import CALIBRATED, RAW, figure_table, planted_figure
    from endoxa.demo.page import write_demo_page
    from endoxa.report.files import write_figures

    try:
        out.mkdir(parents=True, exist_ok=True)
        asked = None if model is None else smollm.prepare(out, model, seed)
        parts = () if asked is None else asked.parts
        names = [name for name in EXPECTED if name in (*parts, "simulated", "page")]
        steps = Steps(names, len(names) + 1 + ("pairs" in parts), say, progress)
        steps.finish(smollm.NO_MODEL if asked is None else asked.line, ends=False)
        measured = None if asked is None else smollm.measured(asked, steps)
        folder = _simulated(out, seed, steps, command)
        recovery = recovery_table(pl.read_parquet(folder / "records.parquet"))
        estimates = read(folder, "estimates", SCHEMAS["estimates"])
        scale, claims = scale_table(estimates), claims_table(estimates)
        simulated = simulated_finding(recovery)
        steps.finish(str(simulated))
        shares = {} if measured is None else dict(zip((RAW, CALIBRATED), measured.shares, strict=False))
        marks = figure_table(claims, scale, recovery, {} if asked is None else {asked.name: shares})
        write_table(recovery, out / "recovery.csv")
        write_table(marks, out / "found.csv")
        figure = planted_figure(marks)
        write_figures([figure], out)
        page = write_demo_page(out, measured, simulated, figure)
    except OSError as problem:
        raise UserError(f"The folder {out} cannot be written: {problem.strerror}.") from problem
    steps.finish(f"the page: {page}")
    return DemoResult(folder, page, recovery, scale, measured, out / f"{figure.name}.png")


def _simulated(out: Path, seed: int, steps: Steps, command: Sequence[str]) -> Path:
    """Score the sample with models whose preference was planted; returns the run."""
    data = Path(shutil.copyfile(SAMPLE, out / "sample.csv"))
    models = planted_models(seed)
    settings = PairsSettings(data=str(data), models=models, rules=(RULE,), seed=seed, notice=NOTICE)
    instrument = replace(PAIRS, report=None)  # the page of the demonstration says what was found
    try:
        return run(instrument, settings, out / "run", progress=steps.report, command=command).folder
    except DifferentRunError:  # another seed, or a newer version
        return run(
            instrument, settings, out / "run", restart=True, progress=steps.report, command=command
        ).folder


def simulated_finding(recovery: pl.DataFrame) -> Finding:
    """What is found of what was planted."""
    right, pairs = int(recovery["signs_as_planted"].sum()), int(recovery["n"].sum())
    error = max(recovery["mean_absolute_error"].to_list())
    models = plural(recovery.height, "simulated model")
    text = f"{count(right)} of {count(pairs)} differences have the planted sign"
    fooled = "".join(
        f" The model that only knows which words are frequent prefers {percent(row['raw_preference'])} of the "
        f"stereotypical sentences, and {percent(row['calibrated_preference'])} compared with other groups."
        for row in recovery.filter(plant="frequency").iter_rows(named=True)
    )
    return Finding(
        f"In {models} {text}, with a mean error of at most {decimal(error)} nats.{fooled}",
        tuple(recovery.iter_rows(named=True)),
    )
