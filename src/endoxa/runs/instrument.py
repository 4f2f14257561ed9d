"""An instrument: one declaration of what is measured, from which commands, runs, plans and reports are made.

Instruments are registered under the entry-point group `endoxa.instruments`, ours like those of other packages.
`endoxa.testing.plugins.check_instrument` is the battery that each must pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from endoxa.registry import Registry
from endoxa.runs.folder import RECORDS, RUN, differences
from endoxa.runs.journal import part_of_run
from endoxa.runs.options import ReportOptions, RunSettings
from endoxa.schema import Progress
from endoxa.schema.headline import Headline
from endoxa.schema.options import deciding, with_defaults
from endoxa.words.packs import pack_facts
from endoxa.words.state import Used

if TYPE_CHECKING:
    import polars as pl

    from endoxa.runs.journal import JournalFile
    from endoxa.sources.logs import Log

S = TypeVar("S", bound=RunSettings)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would take or could show, before it begins: a table for the terminal.

    Attributes:
        title: what the table holds.
        columns: headings; those of texts first.
        texts: how many columns hold text, which is aligned left.
        rows: cells as texts.
        note: a sentence below the table.
        dollars: US dollars that all rows are expected to cost, and at most; None where nobody knows, or nobody asks.
    """

    title: str
    columns: tuple[str, ...]
    texts: int
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    dollars: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What one run does; prepared from settings, before the folder is touched.

    Attributes:
        settings: the settings of the run; everything in them that decides a result is part of its identity.
        models: what decides the results of each model: its `name`, and whatever else is known of it.
        contents: what stands in the identity in place of a field of the settings: hashes of files, texts in use.
        facts: what `run.json` says besides; `scan` may still complete the mappings in it.
        journal: opens the journal of this kind of run.
        scan: reads the data once, refuses what cannot be measured, and counts the items.
        measure: brings what is missing into the journal; facts for `run.json`, `models` among them. It is given the
            journal, the number of items, and `run.json` as it was before.
        write: writes the records into the run folder; counts for `run.json`.
        files: SHA-256 of each file that is read again when the records are written.
        available: counts the items that the data holds after the filters; None where the run takes all of them.
        versions: versions of libraries that only some runs use.
        reopen: a finished run is opened again, to ask what ended with an error.
        keeps_journal: the journal of a finished run stays, so that a model can be added. Otherwise `measure` reads
            what is done from the folder.
    """

    settings: RunSettings
    models: Sequence[Mapping[str, Any]]
    contents: Mapping[str, Any]
    facts: Mapping[str, Any]
    journal: Callable[[Path], JournalFile]
    scan: Callable[[Any], int]
    measure: Callable[[Any, int, Mapping[str, Any], Progress], dict[str, Any]]
    write: Callable[[Any, Path], dict[str, int]]
    files: Mapping[Path, str] = field(default_factory=dict)
    available: Callable[[], int] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    reopen: bool = False
    keeps_journal: bool = True

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the records: two runs with one identity have the same records."""
        packs = [f"{fact['code']} {fact['digest']}" for fact in pack_facts()]
        contents = {**self.contents, **({"language packs": packs} if packs else {})}
        return deciding(self.settings, {**contents, "models": [dict(model) for model in self.models]})

    def changes_since(self, earlier: Mapping[str, Any], *, more_models: bool = False) -> list[str]:
        """What differs from the identity of an earlier run, which had options added since then at their defaults.

        Args:
            earlier: that identity.
            more_models: whether models may have been added behind those of the earlier run.
        """
        now = self.identity
        if more_models:
            now["models"] = now["models"][: len(earlier.get("models", []))]
        return differences(with_defaults(earlier, now, type(self.settings)), now)


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes:
        folder: the run folder.
        facts: its `run.json`.
        was_complete: it had been finished before; nothing was measured.
    """

    folder: Path
    facts: Mapping[str, Any]
    was_complete: bool

    @property
    def counts(self) -> Mapping[str, int]:
        """Items ("items"), records ("records") and whatever else this kind of run counts."""
        counts: Mapping[str, int] = self.facts["counts"]
        return counts

    @property
    def cost(self) -> dict[str, float | None]:
        """US dollars by model, for runs that ask; None where the price is not known."""
        return {name: use["cost_usd"] for name, use in self.facts.get("usage", {}).items()}

    @property
    def errors(self) -> dict[str, int]:
        """Number of conversations by model that ended with an error, for runs that ask."""
        return {name: use.get("errors", 0) for name, use in self.facts.get("usage", {}).items()}


def late(where: str) -> Callable[..., Any]:
    """What calls the function 'package.module:name', or returns the value of that name.

    It is imported when it is called: the command line starts without its module.
    """
    module, _, name = where.partition(":")

    def call(*arguments: Any) -> Any:
        named = getattr(import_module(module), name)
        return named(*arguments) if callable(named) else named

    return call


def _open_report(folder: Path) -> str:
    if not (folder / "report.html").exists():
        return f"endoxa report {folder} -o {folder / 'report.html'}"
    return f"open {folder / 'report.html'}, or compare runs: endoxa report {folder} OTHER-RUN -o report.html"


def _where(_settings: RunSettings, run: Run) -> list[str]:
    return [f"{run.counts['items']} items measured: {run.folder}"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What runs are shown as; each part is made when it is asked for.

    Attributes:
        page: makes the page, an `endoxa.report.frame.Page`.
        texts: make tables, by the name of their format ("csv", "latex").
    """

    page: Callable[[], Any]
    texts: Mapping[str, Callable[[], str]]


@dataclass(frozen=True, slots=True)
class Logged:
    """How an instrument reads what another harness has measured.

    Attributes:
        holds: whether a sample of a log is one of its items.
        write: writes the records in logs of one task into a run folder, and returns facts for `run.json`. Beside the
            logs and the folder it is given the file with metadata and the language that the user named, or None.
        estimate: writes estimates into the folder, with the usual settings.
    """

    holds: Callable[[Mapping[str, Any]], bool]
    write: Callable[[Sequence[Log], Path, Path | None, str | None], dict[str, Any]]
    estimate: Callable[[Path], Any]


Kind = Literal["bias", "price"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: the mean of one value per item.

    Attributes:
        name: its name, which is the column with its values.
        neutral: value of an unbiased model, from which columns are measured; None where none is neutral.
        summary: what it is, for pages.
        use: where it is used.
        biased: a measure of bias although no value is neutral.
        reach: the largest difference of one item between two models; infinite where nothing bounds it.
        units: columns of the units that are samples, where they are not those of the instrument; their names are nouns.
        instead: column of the units that stand in place of fewer than six units of the first kind.
        within: column of the units within which it weighs items whose `aligned` is true against the others.
    """

    name: str
    neutral: float | None
    summary: str
    use: Literal["both", "compare", "gate"] = "both"
    biased: bool = False
    reach: float = 1.0
    units: tuple[str, ...] = ()
    instead: str = ""
    within: str = ""

    @property
    def kind(self) -> Kind:
        """Whether it says how biased a model is, or what that comes with."""
        return "bias" if self.biased or self.neutral is not None else "price"


def answers_of(folder: Path, model: str) -> pl.DataFrame:
    """The records of one model, where they have the columns that `Measured.answers` asks for."""
    import polars as pl

    return pl.read_parquet(folder / RECORDS).filter(model=model)


@dataclass(frozen=True, slots=True)
class Measured:
    """What an instrument declares for `compare` and `gate` (`Instrument.measured`).

    Attributes:
        measures: in the order in which they are shown.
        units: columns of the two kinds of units that are samples; their names are nouns in the plural.
        answers: reads what one model answered in a finished run: a row for each rule, item and repeat. Columns:
            `item_id`, those of `keys` and `units`, `answer` (equal in two runs that are alike), and one for each
            measure: null where it does not ask about the item, NaN where the model gave no value, else its distance
            from the neutral value. As far as they differ from what stands in brackets, also `rule` and `axis` (all),
            `identity` (the first unit), `outcome` in words (`answer`), and `lean`, how far it goes towards the
            stereotype (the first measure).
        keys: columns that tell rows of one rule and item apart.
        rule: what a rule is called.
    """

    measures: Sequence[Measure]
    units: tuple[str, str]
    answers: Callable[[Path, str], pl.DataFrame] = answers_of
    keys: tuple[str, ...] = ()
    rule: str = "rule"


@dataclass(frozen=True, slots=True)
class Instrument(Generic[S]):
    """One declaration: what is measured, with which settings, and what is made of it.

    Attributes:
        name: the word on the command line and the kind in `run.json` ("pairs").
        holds: what its runs hold ("sentence pairs").
        unit: what progress counts ("pairs").
        settings: its settings; every option is declared there.
        help: text of the command: a sentence, a paragraph, and examples.
        work: prepares a run from its settings and folder; raises UserError for anything a user can mend.
        summary: lines for the terminal about a finished run; may write files that the settings ask for. By default how
            many items there are, and where.
        plan: what a run would take; None where there is nothing to say.
        words: endoxa's own words that a run rests on, by component and language; None where it rests on none.
        estimate: writes estimates (and their companions) into the folder of a finished run; None where none are made.
        report: writes the page of one run into its folder; None where there is none.
        shown: what runs are shown as, a page and tables; None where there is nothing to show.
        takes_labels: its reports name models as a table of labels says.
        headline: the few rows that stand for a finished run, read from its folder; None where there are none.
        tables: types of the columns of the tables in a run folder, by table; None where they are read as they look.
        logged: how it reads logs of other harnesses; None where it reads none.
        measured: what `compare` and `gate` take from its runs; None where they cannot be compared so.
        following: what to do next with the run in a folder, as the end of a line that begins with "Next: ".
        outputs: files that `estimate` and `report` leave in the folder.
    """

    name: str
    holds: str
    unit: str
    settings: type[S]
    help: str
    work: Callable[[S, Path], Work]
    summary: Callable[[S, Run], Iterable[str]] = _where
    plan: Callable[[S], Plan] | None = None
    words: Callable[[S], Used] | None = None
    estimate: Callable[[S, Path, Progress], None] | None = None
    report: Callable[[S, Path], None] | None = None
    shown: Callable[[Sequence[Any], ReportOptions], Shown] | None = None
    takes_labels: bool = False
    headline: Callable[[Path], Headline] | None = None
    tables: Callable[[], Mapping[str, Mapping[str, Any]]] | None = None
    logged: Callable[[], Logged] | None = None
    measured: Callable[[], Measured] | None = None
    following: Callable[[Path], str] = _open_report
    outputs: Sequence[str] = ("estimates.csv", "report.html")

    def headline_of(self, folder: Path) -> Headline | None:
        """The headline of a finished run, which says what part of the items it rests on; None where there is none."""
        if self.headline is None:
            return None
        facts = json.loads((folder / RUN).read_text(encoding="utf-8"))
        headline, part = self.headline(folder), part_of_run(facts)
        return (
            replace(headline, title=f"{headline.title}\nOf a part of the data: {part}") if part else headline
        )


INSTRUMENTS: Registry[Instrument[Any]] = Registry("instrument", "endoxa.instruments")
"""Every instrument by name."""
