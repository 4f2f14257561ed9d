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
_NUMBER = re.compile(r"\d*\.?\d+")
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


_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def isolated(text: str) -> str:
    """A text for a figure: one of a right-to-left script does not turn the marks that stand around it."""
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) else text


def visible_directions(text: str) -> str:
    r"""The text with such characters written as '\u202e', for what must not lose any."""
    return DIRECTIONS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def name_models(
    models: Sequence[str], user_names: Mapping[str, ModelName], simulated: Collection[str] = ()
) -> dict[str, ModelName]:
    """Names for all models: those the file names first and in its order, then the others in theirs.

    A provider nobody named is the first part of the model's words ('openai' in 'openai/gpt-4o', the host of a
    server). A size is never guessed.

    Args:
        models: the models of the runs.
        user_names: what `read_labels` gives.
        simulated: models that their run calls simulated; those written 'sim/...' are anyway.
    """
    present = dict.fromkeys(models)
    used_labels = {entry.label for entry in user_names.values()}
    short = {
        model: model if label in used_labels else label
        for model, label in short_labels(list(present)).items()
    }
    named: dict[str, ModelName] = {}
    for model in dict.fromkeys([*(name for name in user_names if name in present), *present]):
        entry = _user_name(model, user_names) or ModelName(model, short[model], "")
        made_up = model.startswith("sim/") or version_of(model)[0] in simulated
        label = without_directions(entry.label) or UNNAMED
        named[model] = ModelName(
            model,
            _apart(f"{label} ({SIMULATED})" if made_up else label, named.values()),
            without_directions(entry.provider or (SIMULATED if made_up else _provider(model))),
            entry.size,
            made_up,
        )
    return named


def _user_name(model: str, user_names: Mapping[str, ModelName]) -> ModelName | None:
    """What the user's table says of a model, or of the model that this is a version of."""
    name, version = version_of(model)
    entry = user_names.get(model) or user_names.get(name)
    return entry and (replace(entry, label=f"{entry.label} ({version})") if entry.model != model else entry)


def _apart(label: str, before: Iterable[ModelName]) -> str:
    """The label, numbered where another model has it."""
    used_labels, number, numbered = {name.label for name in before}, 1, label
    while numbered in used_labels:
        number += 1
        numbered = f"{label} #{number}"
    return numbered


def read_labels(path: Path) -> dict[str, ModelName]:
    """A table with the columns `model` and `label`, and where wanted `provider` and `size`.

    Raises:
        UserError: it cannot be read, a cell is empty, a model or a label stands twice, or a size is neither
            'large' nor 'small' nor a number above 0.
    """
    names_by_model: dict[str, ModelName] = {}
    for number, row in enumerate(read_table(path, ("model", "label")).iter_rows(named=True), 1):
        cells = {name: (cell or "").strip() for name, cell in row.items()}
        entry = ModelName(
            cells["model"], cells["label"], cells.get("provider", ""), cells.get("size", "").lower()
        )
        fault = _fault(entry, names_by_model)
        if fault:
            raise UserError(f"{path}, row {number}, column {fault}.")
        names_by_model[entry.model] = entry
    return names_by_model


def _fault(entry: ModelName, before: Mapping[str, ModelName]) -> str | None:
    if not entry.model or not entry.label:
        return f"'{'label' if entry.model else 'model'}': it is empty; every row names a model and its label"
    if entry.model in before:
        return f"'model': '{entry.model}' stands in an earlier row already; keep one of them"
    if entry.label in {other.label for other in before.values()}:
        return f"'label': '{entry.label}' is the label of another model already; labels must differ"
    if entry.size not in ("", LARGE, SMALL) and not (_NUMBER.fullmatch(entry.size) and float(entry.size) > 0):
        return f"'size': '{entry.size}' is neither 'large' nor 'small' nor a number above 0; leave it empty if unknown"
    return None


def _provider(model: str) -> str:
    if model.startswith(("http://", "https://")):
        return urlsplit(model).netloc.rpartition("@")[2] or model
    return model.partition("/")[0]
