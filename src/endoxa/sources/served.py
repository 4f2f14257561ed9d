"""Versions of hosted models: what a server says it is belongs to what a model is.

A name such as `gpt-x` may be served by another version from one day to the next. Where records of one model come from
several, each version is a model of its own in every analysis, called `gpt-x (served 2026-05-01)`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

SERVED = "served_model"
"""Column of records: the model's exact name as its provider reports it, or empty."""
NOT_STATED = "not stated"
_LABEL = re.compile(r"^(?P<model>.*) \(served (?P<version>.*)\)$", re.DOTALL)
_JOINTS = "-_:@."
"""Characters between a name and its version."""


def version_of(label: str) -> tuple[str, str]:
    """The model and the version that a label names; the version is empty where the model was served as one only."""
    match = _LABEL.match(label)
    return (match["model"], match["version"]) if match else (label, "")


def versions_apart(records: pl.LazyFrame, model: str = "model", within: Sequence[str] = ()) -> pl.LazyFrame:
    """The records, with each version of a model that was served as several as a model of its own.

    Requests that failed have no version: they count with the record before them.

    Args:
        records: with the column `served_model`, in the order in which they were asked; without it nothing changes.
        model: the column that names models.
        within: columns that tell runs apart.
    """
    import polars as pl  # names are shown by commands that load no tables

    if SERVED not in records.collect_schema():
        return records
    served = pl.col(SERVED).cast(pl.String)
    stated = pl.when(served != "").then(served)
    pairs = records.select(model=pl.col(model).cast(pl.String), served=stated).drop_nulls().unique().collect()
    labels = _labels(pairs.sort("model", "served").rows())
    if not labels:
        return records
    group = [model, *within]
    version = stated.forward_fill().over(group)
    version = pl.coalesce(version, stated.backward_fill().over(group), pl.lit(NOT_STATED))
    changed = pl.DataFrame(
        [(*key, label) for key, label in labels.items()],
        schema=[(model, pl.String), ("_version", pl.String), ("_label", pl.String)],
        orient="row",
    )
    named = records.with_columns(_version=version).join(
        changed.lazy(), on=[model, "_version"], how="left", maintain_order="left"
    )
    return named.with_columns(pl.coalesce("_label", model).alias(model)).drop("_version", "_label")


def _labels(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(model, served name) -> label, for models that were served as several."""
    served: defaultdict[str, list[str]] = defaultdict(list)
    for model, name in pairs:
        served[model].append(name)
    labels: dict[tuple[str, str], str] = {}
    for model, names in served.items():
        if len(names) > 1:
            short = [_version(model, name) for name in names]
            shown = short if len(set(short)) == len(names) else names
            labels |= {
                (model, name): f"{model} (served {version})"
                for name, version in zip(names, shown, strict=True)
            }
            labels[model, NOT_STATED] = f"{model} (served {NOT_STATED})"
    return labels


def _version(model: str, served: str) -> str:
    """The end of a served name that begins with the name that was asked for, else all of it."""
    requested = model.rpartition("#")[2] if "#" in model else model.partition("/")[2]
    for name in (requested, requested.rpartition("/")[2]):
        rest = served.removeprefix(name)
        if name and rest != served and rest[:1] and rest[0] in _JOINTS and rest.strip(_JOINTS):
            return rest.strip(_JOINTS)
    return served


def version_sentences(models: Iterable[str], counts: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """A sentence for each model that was served as several versions.

    Args:
        models: models as an analysis calls them.
        counts: number of answers of each, where they are known.
    """
    versions: defaultdict[str, list[str]] = defaultdict(list)
    for label in dict.fromkeys(models):
        model, version = version_of(label)
        if version:
            answers = f" ({counts[label]} answers)" if counts and label in counts else ""
            versions[model].append(f"'{version}'{answers}")
    return tuple(
        f"Warning: {model} was served as {len(names)} versions, {' and '.join(names)}: they stand apart, as models of "
        "their own."
        for model, names in versions.items()
    )


def fingerprints(facts: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, int]]:
    """Answers by fingerprint, in the order of the items, for each model and name under which a server served it.

    Args:
        facts: `run.json`, with what each server said of itself under `served`; servers that stated no
            `system_fingerprint` are left out.
    """
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for model, entries in (facts.get("served") or {}).items():
        for entry in entries:
            if name := entry["system_fingerprint"]:
                counts.setdefault((model, entry[SERVED]), {})[name] = entry["answers"]
    return counts


def fingerprint_sentences(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model whose server had several fingerprints in the run that `facts` are of."""
    return tuple(
        f"Warning: the server of {model} changed its configuration during the run: fingerprints "
        f"{', '.join(f'{name} ({answers} answers)' for name, answers in by_name.items())}. All of these answers are "
        "measured together."
        for (model, _), by_name in fingerprints(facts).items()
        if len(by_name) > 1
    )
