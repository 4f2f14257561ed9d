"""What a user gave: the data folder, models that stand for published ones, and which files were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions
from endoxa.schema import Progress
from endoxa.sources.files import sha256

HASH = "sha256:"
"""How the hash of a file of weights begins among the names of a published model."""

PUBLISHED_FILE = "published.csv"
"""Printed numbers that endoxa does not hold: columns table, cell, published; perhaps decimals."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A model that was given, and the published one it stands for.

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
class Given:
    """What a reproduction is made from.

    Attributes:
        data: the folder of `--data`; None where the result needs none.
        models: those of `--model`.
        out: the folder that is written; runs of models go into `runs/` there.
        seed: of everything that is drawn.
        progress: told what is done.
        options: how models are loaded.
        pooling: of encoders, where it is not the published one.
        read: files that were read, in order; their hashes go into run.json.
    """

    data: Path | None
    models: tuple[Standing, ...]
    out: Path
    seed: int = 0
    progress: Progress = lambda *_: None
    options: ModelOptions = field(default_factory=ModelOptions)
    pooling: str | None = None
    read: list[Path] = field(default_factory=list)

    def find(self, *names: str) -> Path | None:
        """The first of these files that the data folder has, noted as read; None where it has none."""
        for name in names if self.data is not None else ():
            path = self.data / name if self.data else Path(name)
            if path.exists():
                if path not in self.read:
                    self.read.append(path)
                return path
        return None

    def need(self, result: str, where: str, *names: str) -> Path:
        """As `find`.

        Raises:
            UserError: the folder has none of these files.
        """
        found = self.find(*names)
        if found is None:
            folder = "no --data FOLDER was given" if self.data is None else f"{self.data} has none"
            raise UserError(
                f"{result} needs the file {' or '.join(names)}, but {folder}. Get it from {where}."
            )
        return found

    def standing_for(self, label: str) -> Standing | None:
        """The model that stands for a published one, or None."""
        return next((one for one in self.models if one.label == label), None)


def standing(words: Sequence[str], known: Mapping[str, tuple[str, ...]], result: str) -> tuple[Standing, ...]:
    """The models of `--model`, each LABEL=MODEL or MODEL.

    A model counts as the published one by its id on the hub or its provider's name, however it is spelled (`spelled`):
    `hf/ORG/NAME`, `ORG/NAME`, or the label of the published model. A folder can hold any weights, so it counts only
    where the result states the hash of the file of weights (`sha256:...`).

    Raises:
        UserError: a label is unknown, or stands twice.
    """
    found: dict[str, Standing] = {}
    for word in words:
        head, sign, tail = word.partition("=")
        if sign and "/" not in head:
            label = next((one for one in known if one.lower() == head.strip().lower()), None)
            if label is None:
                raise UserError(
                    f"--model {word}: {result} has no model '{head}'. Its models: {_listed(known)}."
                )
            model = spelled(tail.strip(), known[label])
            one = Standing(label, model, _is_one_of(model, known[label]))
        else:
            one = _by_name(word.strip(), known)
        if one.label in found:
            raise UserError(
                f"--model {word}: {one.label} already stands for {found[one.label].model}. Keep one."
            )
        found[one.label] = one
    return tuple(found.values())


def _by_name(word: str, known: Mapping[str, tuple[str, ...]]) -> Standing:
    """The published model of this name or label, or a model that stands for itself."""
    for label, names in known.items():
        model = spelled(word, names)
        if _is_one_of(model, names):
            return Standing(label, model, True)
        hub = [name for name in names if not name.startswith(HASH)]
        if hub and word.casefold() == label.casefold():
            return Standing(label, hub[0], True)
    model = spelled(word, ())
    return Standing(model, model, False)


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


def _is_one_of(model: str, names: Sequence[str]) -> bool:
    """Whether a model has one of these names, or its file of weights one of these hashes."""
    if model in names:
        return True
    weights = Path(model.removeprefix("hf/")) / "model.safetensors"
    hashes = [name for name in names if name.startswith(HASH)]
    return bool(hashes) and weights.is_file() and f"{HASH}{sha256(weights)}" in hashes


def _listed(known: Mapping[str, object]) -> str:
    return ", ".join(known) or "none"
