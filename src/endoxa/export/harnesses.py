"""A task for Inspect: chat models choose between the two sentences of a pair, once in each order."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import polars as pl
import regex

from endoxa.export.folder import new_folder, render
from endoxa.export.material import Material
from endoxa.export.payload import __path__ as payload
from endoxa.export.payload import lm_eval_utils
from endoxa.sources.frames import write_table
from endoxa.sources.identities import identity_key

SAMPLE_COLUMNS: dict[str, str] = {
    "id": "the pair's item_id with '/a' where sent_more is shown first and '/b' where sent_less is",
    "item_id": "the pair",
    "language": "language of both sentences",
    "axis": "social axis",
    "identity": "the group the pair is about, or null",
    "cluster": "the identity in one spelling, or the item_id where none is named: the unit of standard errors",
    "first": "the sentence shown as number 1",
    "second": "the sentence shown as number 2",
    "stereotypical": "which number is the stereotypical sentence, 1 or 2",
}
"""Columns of `samples.jsonl`."""


def export_inspect(material: Material, target: Path, *, seed: int = 0, overwrite: bool = False) -> None:
    """Write the folder `target` with `task.py`, `samples.jsonl` and a README.

    Args:
        material: pairs.
        target: folder to make.
        seed: seed of the order of the samples; recorded in `endoxa.json`.
        overwrite: see `endoxa.export.folder.new_folder`.

    Raises:
        UserError: `target` is in the way, or the place cannot be written.
    """
    with new_folder(target, {**material.provenance, "seed": seed}, overwrite=overwrite) as folder:
        write_table(samples(material.table, seed), folder / "samples.jsonl")
        shutil.copyfile(Path(payload[0]) / "inspect_task.py", folder / "task.py")
        readme = render("inspect_readme.md", material=material, seed=seed, columns=SAMPLE_COLUMNS)
        (folder / "README.md").write_text(readme, encoding="utf-8")


def samples(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Every pair in both orders, as `SAMPLE_COLUMNS`.

    Pairs are shuffled, and so is which order of a pair comes first; the two stay neighbours, so that the first
    2k samples are k whole pairs drawn at random.
    """
    draw = random.Random(seed)  # noqa: S311  (an order of samples, no secret)
    rows = list(pairs.iter_rows(named=True))
    draw.shuffle(rows)
    drawn = [sample for pair in rows for sample in _in_two_orders(pair, draw)]
    schema = {name: pl.Int8 if name == "stereotypical" else pl.String for name in SAMPLE_COLUMNS}
    return pl.DataFrame(drawn, schema=schema, orient="row")


def _in_two_orders(pair: dict[str, Any], draw: random.Random) -> Iterator[dict[str, Any]]:
    sides = ["more", "less"]
    draw.shuffle(sides)
    for first, second in (sides, sides[::-1]):
        yield {
            "id": f"{pair['item_id']}/{'a' if first == 'more' else 'b'}",
            **{name: pair[name] for name in ("item_id", "language", "axis", "identity")},
            "cluster": identity_key(pair["identity_key"] or pair["identity"] or pair["item_id"]),
            "first": pair[f"sent_{first}"],
            "second": pair[f"sent_{second}"],
            "stereotypical": 1 if pair["stereotypical"] == first else 2,
        }


def slug(text: str) -> str:
    """Lower-case letters, digits and underscores only ("race-color" -> "race_color"); 'unnamed' for nothing.

    Letters of every script stay, with their marks.
    """
    return regex.sub(r"\W+", "_", text.casefold()).strip("_") or "unnamed"


def unique_slugs(texts: Iterable[str]) -> dict[str, str]:
    """A slug for each text, numbered where two texts would share one ("a-b", "a b" -> "a_b", "a_b_2")."""
    slugs: dict[str, str] = {}
    for text in texts:
        name = slug(text)
        numbered = chain([name], (f"{name}_{number}" for number in count(2)))
        slugs[text] = next(name for name in numbered if name not in slugs.values())
    return slugs


METRICS: dict[str, str] = {
    "pct_stereotype": "share of pairs whose stereotypical sentence is likelier, ties counting one half; neutral: 0.5",
    "pct_stereotype_per_byte": "the same, each log-likelihood divided by its sentence's UTF-8 bytes; neutral: 0.5",
    "pct_tie": "share of pairs whose sentences have exactly the same log-likelihood",
    "difference": "mean log-likelihood of the stereotypical sentence minus the other one, in nats; neutral: 0",
    "difference_per_byte": "mean difference of the log-likelihoods per byte; neutral: 0",
}
"""Metrics of every exported task, with what they say. None has a better end."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task file: the pairs of one language, or of one axis of it (axis None: all)."""

    name: str
    language: str
    axis: str | None
    pairs: int


def export_lm_eval(
    material: Material, target: Path, *, name: str | None = None, overwrite: bool = False
) -> str:
    """Write the task directory `target`; returns the name of the group to run.

    The group `NAME` holds one task per language; the group `NAME_by_axis` one per language and axis.

    Args:
        material: pairs.
        target: folder to make.
        name: name of the group; 'endoxa_' and the file's name where not given, which no task of the harness has.
        overwrite: see `endoxa.export.folder.new_folder`.

    Raises:
        UserError: `target` is in the way, or the place cannot be written.
    """
    group = slug(name) if name else f"endoxa_{slug(material.path.stem)}"
    languages, axes = tasks(material, group)
    groups = {group: languages, f"{group}_by_axis": axes}
    with new_folder(target, {**material.provenance, "group": group}, overwrite=overwrite) as folder:
        write_table(material.table, folder / "pairs.jsonl")
        shutil.copyfile(Path(lm_eval_utils.__file__), folder / "utils.py")
        for file, text in _files(groups).items():
            (folder / file).write_text(text, encoding="utf-8")
        readme = render(
            "lm_eval_readme.md",
            group=group,
            material=material,
            metrics=METRICS,
            languages=languages,
            axes=axes,
        )
        (folder / "README.md").write_text(readme, encoding="utf-8")
    return group


def tasks(material: Material, group: str) -> tuple[list[Task], list[Task]]:
    """The tasks by language, and by language and axis; both in the order of the languages' and axes' names."""
    languages = material.table.group_by("language").len().sort("language")
    codes = unique_slugs(languages["language"])
    by_language = [
        Task(f"{group}_{codes[language]}", language, None, pairs) for language, pairs in languages.iter_rows()
    ]
    cells = material.table.group_by("language", "axis").len().sort("language", "axis")
    words = unique_slugs(cells["axis"].unique().sort())
    by_axis = [
        Task(f"{group}_{codes[language]}_{words[axis]}", language, axis, pairs)
        for language, axis, pairs in cells.iter_rows()
    ]
    return by_language, by_axis


def _files(groups: Mapping[str, Sequence[Task]]) -> dict[str, str]:
    """Text of every YAML file by its name."""
    files = {"_pairs_yaml": render("lm_eval_pairs.yaml", metrics=METRICS)}
    for group, members in groups.items():
        files[f"{group}.yaml"] = render("lm_eval_group.yaml", group=group, members=members, metrics=METRICS)
        files |= {f"{task.name}.yaml": render("lm_eval_task.yaml", task=task) for task in members}
    return files
