"""A toy instrument: how often a letter stands in each line of a text. It shows how little an instrument needs.

Its models are letters, written `toy/a`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from endoxa.errors import UserError
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Run, Work
from endoxa.runs.items import chosen, counted
from endoxa.runs.journal import JournalFile
from endoxa.runs.settings import RunSettings
from endoxa.schema import Progress
from endoxa.schema.options import ASKING, DATA, Option
from endoxa.sources.files import require_file, sha256
from endoxa.sources.frames import write_table


class ToySettings(RunSettings):
    """Settings of the toy.

    Attributes:
        data: a file of lines.
        folded: count capital letters too.
    """

    data: Annotated[str, Option("Text file, an item per line.", DATA, metavar="FILE")]
    folded: Annotated[bool, Option("Count capital letters too.", ASKING)] = True


class LetterJournal(JournalFile):
    """Counts of one run, on disk."""

    def __init__(self, path: Path) -> None:
        """Open or create the file."""
        super().__init__(path, "CREATE TABLE IF NOT EXISTS counts (model INTEGER, item INTEGER, n INTEGER);")

    def add(self, model: int, counts: list[int]) -> None:
        """Remember the counts of a model, once."""
        with self._explained(), self._transaction():
            self._db.execute("DELETE FROM counts WHERE model = ?", (model,))
            rows = [(model, item, n) for item, n in enumerate(counts)]
            self._db.executemany("INSERT INTO counts VALUES (?, ?, ?)", rows)

    def rows(self) -> list[tuple[int, int, int]]:
        """Item, model and count, by item."""
        with self._explained():
            return self._db.execute("SELECT item, model, n FROM counts ORDER BY item, model").fetchall()


def _work(settings: ToySettings, _out: Path) -> Work:
    data = Path(settings.data)
    require_file(data)
    letters = [name.removeprefix("toy/") for name in settings.models]
    if not letters or not all(len(letter) == 1 for letter in letters):
        raise UserError("Name at least one letter with --model, for example toy/a.")
    everything = data.read_text(encoding="utf-8").splitlines()
    lines = list(chosen(lambda: everything, settings, lambda _: (), str))
    digest = sha256(data)

    def measure(
        journal: LetterJournal, items: int, before: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        done = len(before.get("models", [])) if before.get("finished") else 0
        for number, letter in enumerate(letters):
            if number >= done:
                progress(f"counting {settings.models[number]}", items, items)
                journal.add(
                    number, [(line.lower() if settings.folded else line).count(letter) for line in lines]
                )
        return {"models": [{"name": name, "simulated": True} for name in settings.models]}

    def write(journal: LetterJournal, out: Path) -> dict[str, int]:
        rows = [(lines[item], settings.models[model], n) for item, model, n in journal.rows()]
        table = pl.DataFrame(rows, schema=["line", "model", "n"], orient="row")
        table.write_parquet(out / RECORDS)
        return {"records": len(table)}

    return Work(
        settings=settings,
        models=[{"name": name} for name in settings.models],
        contents={"data": digest},
        facts={"data": {"path": settings.data, "sha256": digest}, "models": []},
        journal=LetterJournal,
        scan=lambda _: len(lines),
        measure=measure,
        write=write,
        files={data: digest},
        available=counted(lambda: everything, settings),
    )


def _estimate(_settings: ToySettings, out: Path, _progress: Progress) -> None:
    means = pl.read_parquet(out / RECORDS).group_by("model", maintain_order=True).agg(pl.col("n").mean())
    write_table(means, out / "estimates.csv")


def _summary(_settings: ToySettings, run: Run) -> Iterator[str]:
    yield f"{run.counts['items']} lines: {run.folder / 'estimates.csv'}"


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
    estimate=_estimate,
    summary=_summary,
    outputs=("estimates.csv",),
)
