"""A finished run in Python: its tables, headline, figures and page."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.measures import Measure, chosen, measures_of
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS, run_folder
from endoxa.runs.instrument import INSTRUMENTS, Instrument, Shown
from endoxa.runs.options import ReportOptions
from endoxa.runs.run import read_run as read_facts
from endoxa.sources.spreadsheets import read_csv

if TYPE_CHECKING:
    from endoxa.export.trackers import Tracker
    from endoxa.report.document import Figure
    from endoxa.schema.headline import Headline

Format = Literal["csv", "md", "latex", "estimates"]


class Result:
    """What a run measured; a run folder read from Python.

    Args:
        folder: a finished run folder.
        temporary: a temporary folder to be removed when nobody holds the result any more.
    """

    def __init__(self, folder: Path, temporary: Path | None = None) -> None:
        self.folder = folder
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)
        self.facts: Mapping[str, Any] = read_facts(folder)
        self._instrument: Instrument[Any] = INSTRUMENTS.get(str(self.facts.get("kind")))

    @property
    def estimates(self) -> pl.DataFrame:
        """The estimates, as `estimates.csv` holds them. `.to_pandas()` makes a pandas frame."""
        return self.read("estimates")

    @property
    def records(self) -> pl.DataFrame:
        """Every record: scores of each pair, raw answers, stories.

        Raises:
            UserError: a run of association tests, which holds vectors.
        """
        path = self.folder / RECORDS
        if not path.is_file():
            raise UserError(f"Runs of {self._instrument.holds} have no records.")
        return pl.read_parquet(path)

    @property
    def comparisons(self) -> pl.DataFrame:
        """Differences between models on the same items, or between protocols of questions.

        Raises:
            UserError: runs of this kind have none.
        """
        for name in ("comparisons", "debias"):
            if (self.folder / f"{name}.csv").is_file():
                return self.read(name)
        raise UserError(f"Runs of {self._instrument.holds} have no comparisons.")

    def read(self, name: str) -> pl.DataFrame:
        """A table of the run folder by its name ("flips" is flips.csv).

        Raises:
            UserError: there is none of that name.
        """
        path = self.folder / f"{name}.csv"
        if not path.is_file():
            there = ", ".join(sorted(file.stem for file in self.folder.glob("*.csv"))) or "none"
            raise UserError(f"{self.folder} holds no table '{name}'. There are: {there}.")
        schemas = self._instrument.tables() if self._instrument.tables else {}
        if name in schemas:
            return read(self.folder, name, schemas[name])
        return read_csv(path, infer_schema_length=None)

    def headline(self) -> Headline:
        """The few rows that stand for the run; `print` shows them as the terminal does."""
        headline = self._instrument.headline_of(self.folder)
        if headline is None:
            raise UserError(f"Runs of {self._instrument.holds} have no headline.")
        return headline

    @property
    def measures(self) -> pl.DataFrame:
        """The estimates by short names: model, rule, axis ..., measure, value, low, high, n, verdict."""
        return measures_of(self.folder)

    def measure(self, name: str | None = None, **where: str) -> Measure:
        """One estimate.

        Args:
            name: one of the column `measure` ("ratio"); by default the first, that of the headline.
            where: which one: `model="gpt2"`, `rule="sum"`, `axis="religion"`; over all where nothing is said.

        Raises:
            UserError: there is none, or there are several.
        """
        return chosen(self.measures, name, **where)

    @property
    def ratio(self) -> float | None:
        """Sentence pairs: the share of pairs whose stereotypical sentence is preferred, of a single model and rule.

        Raises:
            UserError: there are several (see `measure`), or none.
        """
        return self.measure("ratio").value

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Both ends of the interval of the first measure, of a single model.

        Raises:
            UserError: there are several (see `measure`), or none.
        """
        return self.measure().interval

    def log(self, tracker: Tracker) -> str:
        """Send estimates, settings, page and tables to "mlflow" or "wandb" (`endoxa probe --log`).

        Returns:
            A sentence that says where they are.

        Raises:
            UserError: the tracker is not installed, or refused.
        """
        from endoxa.export.trackers import log_run

        return log_run(self.folder, tracker)

    @property
    def figures(self) -> dict[str, Figure]:
        """Every figure of the page by name."""
        from endoxa.report.frame import unique_figures

        return {figure.name: figure for figure in unique_figures(self._shown({}).page()).figures}

    def plot(self, name: str | None = None) -> Figure:
        """A figure of the page; a notebook draws it.

        Args:
            name: one of `figures`; by default the first, which shows the headline.

        Raises:
            UserError: there is none of that name.
        """
        figures = self.figures
        if not figures:
            raise UserError(f"The page of {self.folder} has no figure.")
        chosen = name or next(iter(figures))
        if chosen not in figures:
            raise UserError(f"There is no figure '{chosen}'. There are: {', '.join(figures)}.")
        return figures[chosen]

    def table(self, format: Format = "md", **options: Any) -> str:  # noqa: A002
        """The headline table for a paper.

        Args:
            format: "latex", "md", "csv", or "estimates" (every one, as CSV).
            options: those of `endoxa report`: `confidence`, `seed`, `labels`, `interval`, `transpose`, `caption`, ...

        Raises:
            UserError: runs of this kind have no such table.
        """
        texts = self._shown(options).texts
        if format not in texts:
            raise UserError(f"No table of format '{format}' here. There are: {', '.join(texts)}.")
        return texts[format]()

    def save_report(self, path: str | Path, **options: Any) -> Path:
        """Write a page (.html) or a table (.csv, .md, .tex), as `endoxa report` does.

        With `width="column"` or `"page"`, figures are also drawn for print, see `endoxa report --width`.

        Args:
            path: file to write.
            options: those of `endoxa report`.
        """
        from endoxa.instruments.reports import write_report

        return write_report([self.folder], Path(path), **options)

    def keep(self, folder: str | Path) -> Result:
        """Copy the run to a folder of one's own, where it can be continued and reported.

        Raises:
            UserError: the folder exists.
        """
        target = Path(folder)
        if target.exists():
            raise UserError(f"'{target}' exists already: name another folder.")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self.folder, target)
        return Result(target)

    def _shown(self, options: Mapping[str, Any]) -> Shown:
        from endoxa.instruments.reports import shown_as
        from endoxa.report.inputs import read_runs

        return shown_as(read_runs([self.folder]), ReportOptions(**options))

    def __repr__(self) -> str:
        """'Result(sentence pairs, 2 models, out/run)'."""
        models = len(self.facts.get("models", []))
        return f"Result({self._instrument.holds}, {models} model{'s' * (models != 1)}, {self.folder})"

    def _repr_html_(self) -> str:
        """The headline, in a notebook."""
        return self.headline()._repr_html_()


def read_run(folder: str | Path) -> Result:
    """A finished run of the command line or of Python; `out/c#NAME` is that of a condition.

    Raises:
        UserError: the folder is no finished run.
    """
    path = run_folder(Path(folder))
    try:
        facts = read_facts(path)
    except (OSError, json.JSONDecodeError) as problem:
        raise UserError(
            f"'{path}' is not a run folder: its run.json cannot be read. Make one with endoxa probe."
        ) from problem
    if not facts.get("finished"):
        raise UserError(f"The run in '{path}' is not finished: start it again, it goes on where it stopped.")
    return Result(path)


def read_logs(*logs: str | Path, out: str | Path | None = None) -> Result:
    """What lm-evaluation-harness (`--log_samples`) has measured, as a result of endoxa.

    Sentence pairs: crows_pairs, and tasks of `endoxa export`. Questions: bbq. A log is one model; give those of a task.

    Args:
        logs: `samples_TASK_DATE.jsonl`.
        out: folder to keep it in, as a run folder; by default a temporary one, see `Result.keep`.

    Raises:
        UserError: a file is no such log, or they are of several tasks.
    """
    from endoxa.instruments.logs import estimate_run, write_runs

    if not logs:
        raise UserError("No log was given: name at least one.")
    with temporary_folder() as temporary:
        folder, *others = write_runs([Path(log) for log in logs], temporary)
        if others:
            tasks = ", ".join(path.name for path in (folder, *others))
            raise UserError(f"The logs are of several tasks ({tasks}). Read one at a time.")
        estimate_run(folder)
        result = Result(folder, temporary)
        return result if out is None else result.keep(out)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder, which is removed where the block raises."""
    folder = Path(tempfile.mkdtemp(prefix="endoxa-"))
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
