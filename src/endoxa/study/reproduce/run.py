"""A reproduction: the data and models it is made from; cells.csv, run.json and report.html in a folder."""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions
from endoxa.runs.folder import LIBRARIES, RUN, now, write_json
from endoxa.schema import Progress
from endoxa.schema.study import AGREES, DIFFERS
from endoxa.sources.files import sha256
from endoxa.sources.frames import read_table, write_table
from endoxa.study.reproduce.catalogue import RESULTS, Key, PublishedResult, compare, counted, finding


@dataclass(frozen=True, slots=True)
class ModelMatch:
    """A model of the user, and the published one it stands for.

    Attributes:
        label: the published model; the model's own name where it stands for none.
        model: as on the command line.
        genuine: whether it is the published model, as far as its name says.
    """

    label: str
    model: str
    genuine: bool

    @property
    def why(self) -> str:
        """Why a number of this model has no verdict; empty for the published model."""
        if self.genuine:
            return ""
        if self.label == self.model:
            return f"{self.model} is not a model of this result"
        return f"computed with {self.model}, not with the published model {self.label}"


@dataclass
class Inputs:
    """What a reproduction is made from.

    Attributes:
        data: the folder or file of `--data`; None where the result needs none.
        models: those of `--model`.
        out: the folder that is written; runs of models go into `runs/` there.
        seed: of everything that is drawn.
        progress: told what is done.
        options: how models are loaded.
        read: files that were read, in order; their hashes go into run.json.
    """

    data: Path | None
    models: tuple[ModelMatch, ...]
    out: Path
    seed: int = 0
    progress: Progress = lambda *_: None
    options: ModelOptions = field(default_factory=ModelOptions)
    read: list[Path] = field(default_factory=list)

    def find(self, *names: str) -> Path | None:
        """The first of these files that the data folder has, noted as read; None where it has none.

        Where `--data` is a file, it is taken for the first of these files with its suffix.
        """
        if self.data is None:
            return None
        if self.data.is_file():
            path = self.data if any(Path(name).suffix == self.data.suffix for name in names) else None
        else:
            path = next((self.data / name for name in names if (self.data / name).exists()), None)
        if path is not None and path not in self.read:
            self.read.append(path)
        return path


def match_models(
    words: Sequence[str], published: Mapping[str, tuple[str, ...]], result: str
) -> tuple[ModelMatch, ...]:
    """The models of `--model`, each LABEL=MODEL or MODEL.

    A model counts as the published one by its id on the hub or its provider's name, however it is spelled (`spelled`):
    `hf/ORG/NAME`, `ORG/NAME`, or the label of the published model. A folder can hold any weights and never does.

    Raises:
        UserError: a label is unknown, or stands twice.
    """
    matches: dict[str, ModelMatch] = {}
    for word in words:
        head, sign, tail = word.partition("=")
        if sign and "/" not in head:
            label = next((label for label in published if label.lower() == head.strip().lower()), None)
            if label is None:
                models = ", ".join(published) or "none"
                raise UserError(f"--model {word}: {result} has no model '{head}'. Its models: {models}.")
            model = spelled(tail.strip(), published[label])
            match = ModelMatch(label, model, model in published[label])
        else:
            match = _by_name(word.strip(), published)
        if match.label in matches:
            raise UserError(
                f"--model {word}: {match.label} already stands for {matches[match.label].model}. Keep one."
            )
        matches[match.label] = match
    return tuple(matches.values())


def _by_name(word: str, published: Mapping[str, tuple[str, ...]]) -> ModelMatch:
    """The published model of this name or label, or a model that stands for itself."""
    for label, names in published.items():
        model = names[0] if word.casefold() == label.casefold() else spelled(word, names)
        if model in names:
            return ModelMatch(label, model, True)
    model = spelled(word, ())
    return ModelMatch(model, model, False)


def spelled(word: str, names: Iterable[str]) -> str:
    """A model as one of these names spells it; a folder without `hf/` gets it; any other word is left as it is.

    The same model is `hf/ORG/NAME` on the command line, `ORG/NAME` on the hub, NAME on a page; a folder is the same by
    whichever path.
    """
    for name in names:
        if word == name or _bare(word) == _bare(name):
            return name
    for name in names:
        if "/" not in word and word.casefold() == _bare(name).rpartition("/")[2].casefold():
            return name
    return f"hf/{word}" if "/" in word and not word.startswith("hf/") and Path(word).is_dir() else word


def _bare(model: str) -> str:
    """A model's name without `hf/`; a folder's whole path."""
    name = model.removeprefix("hf/")
    return str(Path(name).resolve()) if Path(name).is_dir() else name.casefold()


# ------------------------------------------------------------------ a reproduction

KIND = "reproduction"
CELLS, REPORT, RUNS = "cells.csv", "report.html", "runs"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What came of a reproduction.

    Attributes:
        result: the published result.
        folder: what was written.
        cells: columns of `schema.study.REPRODUCTION_COLUMNS`.
        facts: run.json.
    """

    result: PublishedResult
    folder: Path
    cells: pl.DataFrame
    facts: dict[str, Any]

    @property
    def finding(self) -> str:
        """How many cells agree, in a sentence."""
        return finding(self.cells)


def reproduce(
    result: PublishedResult,
    data: Path | None,
    out: Path,
    *,
    models: Sequence[str] = (),
    options: ModelOptions | None = None,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Reproduced:
    """Recompute a published result and write cells.csv, run.json and report.html.

    A differing cell is a finding, not an error. Runs of models are kept in `runs/` and continue where they stopped.

    Args:
        result: what is recomputed.
        data: folder with what the result needs.
        out: folder to write; one that holds another result is refused.
        models: LABEL=MODEL or MODEL, see `match_models`.
        options: how models are loaded.
        seed: of everything that is drawn.
        progress: told what is done.
        command: the words of the command line, for run.json.

    Raises:
        UserError: a file or model that it cannot do without is missing, a file cannot be read, or the folder holds
            something else.
    """
    if data is not None and not data.exists():
        raise UserError(f"--data {data} is not there. Expected the folder with the files of '{result.name}'.")
    inputs = Inputs(
        data,
        match_models(models, result.models, result.name),
        out,
        seed,
        progress,
        options or ModelOptions(),
    )
    _require_ours(result, out)
    cells = compare(result.name, result.citation, result.cells(inputs), result.compute(inputs))
    facts = _facts(result, inputs, cells, command)
    write_table(cells, ensure_folder(out) / CELLS)
    write_json(out / RUN, facts)
    done = Reproduced(result, out, cells, facts)
    from endoxa.study.reproduce.page import write_report

    write_report(done)
    return done


def ensure_folder(folder: Path) -> Path:
    """The folder, which is made where it is not there.

    Raises:
        UserError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"The folder {folder} cannot be created: {problem.strerror}.") from problem
    return folder


def _require_ours(result: PublishedResult, out: Path) -> None:
    """Refuse a folder that holds something else.

    Raises:
        UserError: it does.
    """
    if not out.is_dir() or not {path.name for path in out.iterdir()} - {RUNS}:
        return
    try:
        before = json.loads((out / RUN).read_text(encoding="utf-8"))
        mine = before.get("kind") == KIND and before.get("result") == result.name
    except (OSError, ValueError, AttributeError):
        mine = False
    if not mine:
        raise UserError(
            f"{out} holds something else than a reproduction of '{result.name}'. Choose another --out."
        )


def _facts(
    result: PublishedResult, inputs: Inputs, cells: pl.DataFrame, command: Sequence[str]
) -> dict[str, Any]:
    """run.json: what was read and with which versions, so that anybody can see what a verdict rests on."""
    return {
        "kind": KIND,
        "result": result.name,
        "title": result.title,
        "citation": result.citation,
        "endoxa": __version__,
        "command": list(command),
        "finished": now(),
        "seed": inputs.seed,
        "options": asdict(inputs.options),
        "data": str(inputs.data) if inputs.data is not None else None,
        "files": [{"path": str(path), "sha256": sha256(path)} for path in inputs.read if path.is_file()],
        "models": [
            {"label": match.label, "name": match.model, "published_model": match.genuine}
            for match in inputs.models
        ],
        "counts": counted(cells),
        "finding": finding(cells),
        "versions": {
            "python": platform.python_version(),
            "platform": sys.platform,
            **{name: version(name) for name in LIBRARIES},
        },
    }


# ------------------------------------------------------------------ what five papers print, each number once

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
