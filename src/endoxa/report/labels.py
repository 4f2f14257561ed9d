"""How models are called on the page: label, provider and size, as a file of the user says or as their words tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from endoxa.errors import UserError
from endoxa.report.words import short_labels
from endoxa.sources.frames import read_table
from endoxa.sources.served import version_of

LARGE, SMALL = "large", "small"
SIMULATED = "simulated"
UNNAMED = "model"
"""Label of a model in whose name nothing can be seen."""

DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the direction in which the text around them is shown."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """One model as readers see it.

    Attributes:
        model: the model as written on the command line.
        label: its name in figures and tables; ends in '(simulated)' where it is.
        provider: who offers it.
        size: 'large', 'small', a number, or empty where nobody said.
        simulated: True for a respondent whose answers were planted.
    """

    model: str
    label: str
    provider: str
    size: str = ""
    simulated: bool = False

    @property
    def sized_label(self) -> str:
        """'gpt-4o, large', or the label alone."""
        return f"{self.label}, {self.size}" if self.size else self.label


def without_directions(text: str) -> str:
    """The text without characters that turn the direction in which it and its neighbours are shown."""
    return DIRECTIONS.sub("", text)


def visible_directions(text: str) -> str:
    r"""The text with such characters written as '\u202e', for what must not lose any."""
    return DIRECTIONS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def name_models(
    models: Sequence[str], told: Mapping[str, ModelName], simulated: Collection[str] = ()
) -> dict[str, ModelName]:
    """Names for all models: those the file names first and in its order, then the others in theirs.

    A provider nobody named is the first part of the model's words ('openai' in 'openai/gpt-4o', the host of a
    server). A size is never guessed.

    Args:
        models: the models of the runs.
        told: what `read_labels` gives.
        simulated: models that their run calls simulated; those written 'sim/...' are anyway.
    """
    present = dict.fromkeys(models)
    taken = {own.label for own in told.values()}
    short = {
        model: model if label in taken else label for model, label in short_labels(list(present)).items()
    }
    named: dict[str, ModelName] = {}
    for model in [
        *(name for name in told if name in present),
        *(name for name in present if name not in told),
    ]:
        own = _told_of(model, told) or ModelName(model, short[model], "")
        made_up = model.startswith("sim/") or version_of(model)[0] in simulated
        label = without_directions(own.label) or UNNAMED
        named[model] = ModelName(
            model,
            _apart(f"{label} ({SIMULATED})" if made_up else label, named.values()),
            without_directions(own.provider or (SIMULATED if made_up else _provider(model))),
            own.size,
            made_up,
        )
    return named


def _told_of(model: str, told: Mapping[str, ModelName]) -> ModelName | None:
    """What the user's table says of a model, or of the model that this is a version of."""
    name, version = version_of(model)
    found = told.get(model) or told.get(name)
    return found and (replace(found, label=f"{found.label} ({version})") if found.model != model else found)


def _apart(label: str, before: Iterable[ModelName]) -> str:
    """The label, numbered where another model has it."""
    taken, number, found = {name.label for name in before}, 1, label
    while found in taken:
        number += 1
        found = f"{label} #{number}"
    return found


def read_labels(path: Path) -> dict[str, ModelName]:
    """A table with the columns `model` and `label`, and where wanted `provider` and `size`.

    Raises:
        UserError: it cannot be read, a cell is empty, a model or a label stands twice, or a size is neither
            'large' nor 'small' nor a number above 0.
    """
    found: dict[str, ModelName] = {}
    for number, row in enumerate(read_table(path, ("model", "label")).iter_rows(named=True), 1):
        cells = {name: (cell or "").strip() for name, cell in row.items()}
        own = ModelName(
            cells["model"], cells["label"], cells.get("provider", ""), cells.get("size", "").lower()
        )
        fault = _fault(own, found)
        if fault:
            raise UserError(f"{path}, row {number}, column {fault}.")
        found[own.model] = own
    return found


def _fault(own: ModelName, before: Mapping[str, ModelName]) -> str | None:
    if not own.model or not own.label:
        return f"'{'label' if own.model else 'model'}': it is empty; every row names a model and its label"
    if own.model in before:
        return f"'model': '{own.model}' stands in an earlier row already; keep one of them"
    if own.label in {other.label for other in before.values()}:
        return f"'label': '{own.label}' is the label of another model already; labels must differ"
    if own.size not in ("", LARGE, SMALL) and not _above_zero(own.size):
        return f"'size': '{own.size}' is neither 'large' nor 'small' nor a number above 0; leave it empty if unknown"
    return None


def _above_zero(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def _provider(model: str) -> str:
    if model.startswith(("http://", "https://")):
        return urlsplit(model).netloc.rpartition("@")[2] or model
    return model.partition("/")[0]
