"""What a reproduction is made from: data folder, models that stand for published ones, and which files were read."""

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
    models: tuple[ModelMatch, ...]
    out: Path
    seed: int = 0
    progress: Progress = lambda *_: None
    options: ModelOptions = field(default_factory=ModelOptions)
    pooling: str | None = None
    read: list[Path] = field(default_factory=list)

    def find(self, *names: str) -> Path | None:
        """The first of these files that the data folder has, noted as read; None where it has none."""
        if self.data is None:
            return None
        path = next((self.data / name for name in names if (self.data / name).exists()), None)
        if path is not None and path not in self.read:
            self.read.append(path)
        return path

    def need(self, result: str, where: str, *names: str) -> Path:
        """As `find`.

        Raises:
            UserError: the folder has none of these files.
        """
        path = self.find(*names)
        if path is None:
            folder = "no --data FOLDER was given" if self.data is None else f"{self.data} has none"
            raise UserError(
                f"{result} needs the file {' or '.join(names)}, but {folder}. Get it from {where}."
            )
        return path


def match_models(
    words: Sequence[str], published: Mapping[str, tuple[str, ...]], result: str
) -> tuple[ModelMatch, ...]:
    """The models of `--model`, each LABEL=MODEL or MODEL.

    A model counts as the published one by its id on the hub or its provider's name, however it is spelled (`spelled`):
    `hf/ORG/NAME`, `ORG/NAME`, or the label of the published model. A folder can hold any weights, so it counts only
    where the result states the hash of the file of weights (`sha256:...`).

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
            match = ModelMatch(label, model, _is_named(model, published[label]))
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
        model = spelled(word, names)
        if _is_named(model, names):
            return ModelMatch(label, model, True)
        hub = [name for name in names if not name.startswith(HASH)]
        if hub and word.casefold() == label.casefold():
            return ModelMatch(label, hub[0], True)
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


def _is_named(model: str, names: Sequence[str]) -> bool:
    """Whether a model has one of these names, or its file of weights one of these hashes."""
    if model in names:
        return True
    weights = Path(model.removeprefix("hf/")) / "model.safetensors"
    hashes = [name for name in names if name.startswith(HASH)]
    return bool(hashes) and weights.is_file() and f"{HASH}{sha256(weights)}" in hashes
