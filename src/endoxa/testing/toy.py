"""A toy instrument: in which lines of a text a letter stands. It shows how little a whole instrument needs.

Its models are letters, written `toy/a`. Lines begin with an identity and end with an attribute; a model that is not
biased stands in every second line. Runs have estimates, a page, and a place in `report`, `compare`, `gate` and studies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from endoxa.errors import UserError
from endoxa.report import estimates as say
from endoxa.report.document import Section
from endoxa.report.figures import Measure as AxisOf
from endoxa.report.frame import Page
from endoxa.report.tables import number_field, text_field
from endoxa.runs.estimates import ESTIMATES, Family, judged
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Measure, Measured, Shown, Work
from endoxa.runs.journal import JournalFile, chosen, counted
from endoxa.runs.options import RunSettings
from endoxa.schema import ALL, Progress
from endoxa.schema.options import DATA, Option
from endoxa.sources.files import require_file, sha256
from endoxa.sources.frames import write_table
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.estimate import IDENTITIES_ATTRIBUTES, estimate
from endoxa.stats.verdicts import ABOVE, BELOW

Facts = Mapping[str, Any]


class ToySettings(RunSettings):
    """Settings of the toy.

    Attributes:
        data: Text file, an item per line.
    """

    data: Annotated[Path, Option(group=DATA, metavar="FILE")]


class LetterJournal(JournalFile):
    """Counts of one run, on disk."""

    def __init__(self, path: Path) -> None:
        """Open or create the file."""
        columns = "(model INTEGER, item INTEGER, n INTEGER, PRIMARY KEY (model, item))"
        super().__init__(path, f"CREATE TABLE IF NOT EXISTS counts {columns};")

    def add(self, model: int, counts: list[int]) -> None:
        """Remember the counts of a model, once."""
        with self._explained(), self._transaction():
            rows = [(model, item, n) for item, n in enumerate(counts)]
            self._db.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", rows)

    def rows(self) -> list[tuple[int, int, int]]:
        """Item, model and count, by item."""
        with self._explained():
            return self._db.execute("SELECT item, model, n FROM counts ORDER BY item, model").fetchall()


def _work(settings: ToySettings, _out: Path) -> Work:
    require_file(settings.data)
    letters = [name.removeprefix("toy/") for name in settings.models]
    if not letters or not all(len(letter) == 1 for letter in letters):
        raise UserError("Name at least one letter with --model, for example toy/a.")
    everything = settings.data.read_text(encoding="utf-8").splitlines()
    lines = list(chosen(lambda: everything, settings, lambda _: (), str))
    digest, facts = sha256(settings.data), [{"name": name, "simulated": True} for name in settings.models]

    def measure(journal: LetterJournal, items: int, before: Facts, progress: Progress) -> dict[str, Any]:
        done = len(before.get("models", [])) if before.get("finished") else 0
        for number, letter in list(enumerate(letters))[done:]:
            progress(f"counting {settings.models[number]}", items, items)
            journal.add(number, [line.count(letter) for line in lines])
        return {"models": facts}

    def write(journal: LetterJournal, out: Path) -> dict[str, int]:
        rows = [(str(item), lines[item], settings.models[model], n) for item, model, n in journal.rows()]
        words, there = pl.col("line").str.split(" ").list, pl.col("n") > 0
        pl.DataFrame(rows, schema=["item_id", "line", "model", "n"], orient="row").with_columns(
            identities=words.first(),
            attributes=words.last(),
            answer=pl.col("n").cast(pl.String),
            share=there.cast(pl.Float64) - 0.5,
        ).write_parquet(out / RECORDS)
        return {"records": len(rows)}

    return Work(
        settings=settings,
        models=[{"name": name} for name in settings.models],
        contents={"data": digest},
        facts={"data": {"path": str(settings.data), "sha256": digest}, "models": []},
        journal=LetterJournal,
        scan=lambda _: len(lines),
        measure=measure,
        write=write,
        files={settings.data: digest},
        available=counted(lambda: everything, settings),
    )


SHARES = Family("letters", "shares of lines", "letters in more or fewer than half of the lines")
KIND = say.Kind(
    head="share of lines",
    measure=AxisOf("share of lines", 0.5, ".0%", 0.1, 0.1),
    neutral="50 %",
    says=lambda row: f"in {row['value']:.0%} of {row['n']} lines",
    clear={ABOVE: "stand{s} in most lines", BELOW: "stand{s} in few lines"},
    unclear="no lean shown",
)


def _estimates(folder: Path) -> pl.DataFrame:
    rows = []
    for (model,), lines in pl.read_parquet(folder / RECORDS).group_by("model", maintain_order=True):
        units = [lines[name].rank("dense").to_numpy() for name in IDENTITIES_ATTRIBUTES]
        row = estimate(lines["share"].to_numpy() + 0.5, *units, neutral=0.5, confidence=0.95, bounds=(0, 1))
        rows.append({"model": model, "axis": ALL, "name": "share", **row})
    return judged(rows, ESTIMATES, SHARES, confidence=0.95)


def _shown(runs: Sequence[Any], _how: Any) -> Shown:
    table = pl.concat([_estimates(run.folder) for run in runs])
    rows = table.rows(named=True)
    findings = Section(
        "findings",
        "What was counted",
        findings=tuple(say.sentence(KIND, row) for row in rows),
        tables=(say.numbers(KIND, "Every letter", table, (text_field("model"),), (number_field("n"),)),),
    )
    title = say.title(KIND, rows, "letters") if len(rows) > 1 else f"Where {table['model'][0]} stands"
    page = Page("endoxa.testing", title, "Letters in lines", (findings,), runs, table["model"])
    return Shown(lambda: page, {"csv": lambda: csv_text(table)})


SHARE = Measure("share", 0.5, "lines in which the letter stands")
LETTERS = Instrument(
    name="letters",
    holds="counts of letters",
    unit="lines",
    settings=ToySettings,
    help="""Count a letter in each line of a text.

\b
Examples:
  endoxa probe letters --data text.txt --model toy/a --out out/a
""",
    work=_work,
    estimate=lambda _settings, out, _progress: write_table(_estimates(out), out / "estimates.csv"),
    shown=_shown,
    measured=lambda: Measured((SHARE,), IDENTITIES_ATTRIBUTES),
    outputs=("estimates.csv",),
)
