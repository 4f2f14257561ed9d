"""Runs that are compared: read, named apart, and in what they differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report.inputs import Run, entries, holds
from endoxa.report.words import short_labels
from endoxa.runs.folder import differences
from endoxa.sources.served import version_sentences
from endoxa.study.gate.runs import Side, models_of, read_run, refuse, require_same_data

ITEMS = ("limit", "sample", "include_drafts", "columns", "repeats", "metadata", "format", "data", "tests")
"""Parts of a run's identity that say which items it has; all others are ways of asking, and may differ."""
SENTENCES = ("prefix", "template")
"""Options of reading that put words around the sentences of pairs: ways of asking, too."""
MODEL = "model"
WORDS = {
    "system": "system message",
    "sampling temperature": "temperature",
    "sampling top_p": "top-p",
    "sampling max_tokens": "most tokens of an answer",
    "sampling reasoning": "reasoning effort",
    "sampling seed": "seed of the provider",
    "ask": "way of asking",
    "shuffle": "options shuffled",
}
LONGEST = 120
"""Characters of a setting that are shown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something in which two runs differ.

    Attributes:
        name: what it is.
        before: in the first run.
        after: in the second.
    """

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        """'the system message (none, now “Be careful.”)'."""
        return f"the {self.name} ({self.before}, now {self.after})"


@dataclass(frozen=True, slots=True)
class Compared:
    """One model of one run, with a name that tells it from the others.

    Attributes:
        side: run and model.
        label: its name on the page.
        date: when it was finished, ISO 8601, or empty.
        served: what the server said that it is; empty where it said nothing.
    """

    side: Side
    label: str
    date: str
    served: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """What JSON says of it."""
        return {"label": self.label, **self.side.facts(), "date": self.date, "served": list(self.served)}


def read_compared(paths: Sequence[Path], models: Sequence[str]) -> tuple[Compared, ...]:
    """Every run with its model; of a single run all of its models.

    Args:
        paths: run folders.
        models: the models wanted; needed where one of several runs holds several.

    Raises:
        UserError: fewer than two, one twice, another instrument, other data or items, or a model has to be chosen.
    """
    runs = [read_run(path) for path in paths]
    for run in runs[1:]:
        if run.kind != runs[0].kind:
            raise UserError(
                f"'{runs[0].folder}' holds {holds(runs[0].kind)} and '{run.folder}' {holds(run.kind)}: only runs of "
                "one instrument can be compared."
            )
        require_same_data(runs[0], run, free=SENTENCES)
        refuse(differences(_items_of(runs[0]), _items_of(run)))
    sides = [Side("run", run, model) for run in runs for model in _wanted(run, models, alone=len(runs) == 1)]
    if len(sides) < 2:
        raise UserError(
            "There is one run of one model only. Name two runs or more: `endoxa compare out/a out/b -o page.html`."
        )
    twice = Counter((side.run.folder.resolve(), side.model) for side in sides)
    for (folder, model), number in twice.items():
        if number > 1:
            raise UserError(f"The run '{folder}' of '{model}' is named {number} times. Name each run once.")
    return tuple(
        Compared(side, label, str(side.run.facts.get("finished") or ""), tuple(side.served))
        for side, label in zip(sides, _labels(sides), strict=True)
    )


def _wanted(run: Run, models: Sequence[str], *, alone: bool) -> list[str]:
    names = models_of(run)
    chosen = [name for name in names if name in models] if models else names
    if not chosen:
        raise UserError(f"'{run.folder}' has none of these models. Expected one of: {', '.join(names)}.")
    if len(chosen) > 1 and not alone:
        several = f"'{run.folder}' holds {len(chosen)} models ({', '.join(chosen)})."
        advice = "Choose one with --model, or compare the models of this run alone."
        raise UserError(" ".join((several, advice, *version_sentences(chosen))))
    return chosen


def _labels(sides: Sequence[Side]) -> list[str]:
    """Names of models where they tell the runs apart, else of folders, else of both."""
    models = short_labels([side.model for side in sides])
    by_model = [models[side.model] for side in sides]
    by_folder = [side.run.folder.name or str(side.run.folder) for side in sides]
    for labels in (by_model, by_folder):
        if len(set(labels)) == len(labels):
            return labels
    both = [f"{model} ({folder})" for model, folder in zip(by_model, by_folder, strict=True)]
    if len(set(both)) == len(both):
        return both
    return [f"{models[side.model]} ({side.run.folder})" for side in sides]


def _identity(run: Run) -> Mapping[str, Any]:
    identity = run.facts.get("identity")
    return identity if isinstance(identity, Mapping) else {}


def _items_of(run: Run) -> dict[str, Any]:
    return {name: value for name, value in _identity(run).items() if name in ITEMS}


def settings_apart(first: Side, other: Side) -> tuple[Setting, ...]:
    """In what two runs differ: the model, and every way of asking that their `run.json` hold."""
    found = [Setting(MODEL, first.model, other.model)] if first.model != other.model else []
    left_out = {*ITEMS, "models", "languages", "rules", "protocols"}
    described = [_asked(side, left_out) for side in (first, other)]
    # Runs made from logs of other harnesses say nothing of how they were asked.
    if all(described):
        found += _apart(described[0], described[1], "")
    return tuple(replace(each, name=WORDS.get(each.name, each.name.replace("_", " "))) for each in found)


def _asked(side: Side, left_out: set[str]) -> dict[str, Any]:
    identity = _identity(side.run)
    kept = {name: value for name, value in identity.items() if name not in left_out}
    options = side.run.data.get("options")
    if isinstance(options, Mapping):
        kept |= {name: options.get(name) for name in SENTENCES if name in options}
    entry = next((model for model in entries(identity.get("models")) if model.get("name") == side.name), {})
    # What a model is follows from its name and is said there; what was chosen of it is not.
    kept |= {
        name: value
        for name, value in entry.items()
        if name in ("revision", "dtype", "adapter", "chat_template", "tokenizer", "fingerprint")
    }
    return kept


def _apart(first: Any, other: Any, name: str) -> list[Setting]:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        keys = dict.fromkeys((*first, *other))
        return [
            setting
            for key in keys
            for setting in _apart(first.get(key), other.get(key), f"{name} {key}".strip())
        ]
    if (
        isinstance(first, list)
        and isinstance(other, list)
        and any(isinstance(each, Mapping) for each in first)
    ):
        pairs = zip_longest(first, other)
        return [setting for before, after in pairs for setting in _apart(before, after, name)]
    return [] if first == other else [Setting(name, _shown(first), _shown(other))]


def _shown(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "none"
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
