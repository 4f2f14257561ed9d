"""What five papers print, and what became of each number: recomputed and alike, differing, or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from endoxa.schema.reproduction import AGREES, DIFFERS
from endoxa.sources.frames import read_table
from endoxa.study.reproduce import RESULTS, Inputs, PublishedResult
from endoxa.study.reproduce.declaration import Key, compare
from endoxa.study.reproduce.run import CELLS

IMPLIED = "arithmetic"
"""The result that needs no data: it recomputes printed numbers from others of the same paper."""

Verdicts = dict[Key, tuple[str, str]]
"""Table and cell in small letters -> verdict and reason."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The printed numbers of a paper.

    Attributes:
        name: as the result files have it.
        agree: numbers that were recomputed and agree.
        differing: numbers that were recomputed and differ, by the reason; empty where none is known.
        reasons: the other numbers, by why they are left out.
    """

    name: str
    agree: int
    differing: Mapping[str, int]
    reasons: Mapping[str, int]

    @property
    def differ(self) -> int:
        """Numbers that were recomputed and differ."""
        return sum(self.differing.values())

    @property
    def left_out(self) -> int:
        """Numbers that were not recomputed."""
        return sum(self.reasons.values())

    @property
    def printed(self) -> int:
        """Every number."""
        return self.agree + self.differ + self.left_out


def papers(folder: Path | None = None) -> Iterator[Paper]:
    """The papers, each number once however many results recompute it.

    Args:
        folder: holds finished reproductions, each in a folder of the result's name. Without one, a number is recomputed
            only where other numbers of its paper imply it.
    """
    by_paper: dict[str, list[PublishedResult]] = {}
    for result in RESULTS.all().values():
        if result.paper:
            by_paper.setdefault(result.paper, []).append(result)
    implied = _implied()
    for name, results in by_paper.items():
        verdicts = implied[name]
        for result in results:
            for key, judged in _verdicts(result, folder).items():
                if judged[0] in (AGREES, DIFFERS) or key not in verdicts:
                    verdicts[key] = judged
        reasons = Counter(why for verdict, why in verdicts.values() if verdict not in (AGREES, DIFFERS))
        for entry in (entry for result in results for entry in result.left_out):
            reasons[f"{entry.numbers}: {entry.why}"] += entry.cells
        differing = Counter(why for verdict, why in verdicts.values() if verdict == DIFFERS)
        yield Paper(name, sum(verdict == AGREES for verdict, _ in verdicts.values()), differing, reasons)


def _key(table: str, cell: str) -> Key:
    return table.lower(), cell.lower()


def _implied() -> dict[str, Verdicts]:
    """By paper, what its numbers imply about one another; a number differs where any of its checks does."""
    result, inputs = RESULTS.get(IMPLIED), Inputs(None, (), Path())
    cells = compare(IMPLIED, "", result.cells(inputs), result.compute(inputs))
    verdicts: dict[str, Verdicts] = {}
    for row, declared in zip(cells.iter_rows(named=True), result.rows, strict=True):
        paper, table = row["table"].split(", ", 1)
        key = _key(*(declared["of"] or f"{table}|{row['cell']}").split("|"))
        checked = verdicts.setdefault(paper, {})
        if checked.get(key, (AGREES,))[0] == AGREES:
            checked[key] = row["verdict"], row["why"]
    return verdicts


def _verdicts(result: PublishedResult, folder: Path | None) -> Verdicts:
    """The printed cells of a result, judged by its finished reproduction where the folder has one."""
    why = f"{result.name} was not run; needs: {'; '.join(need.what for need in result.needs)}"
    verdicts = {_key(row["table"] or "", row["cell"] or ""): ("", why) for row in result.rows}
    path = None if folder is None else folder / result.name / CELLS
    if path is not None and path.is_file():
        for row in read_table(path, ("table", "cell", "verdict", "why")).iter_rows(named=True):
            if _key(row["table"], row["cell"]) in verdicts:
                verdicts[_key(row["table"], row["cell"])] = row["verdict"], row["why"] or ""
    return verdicts
