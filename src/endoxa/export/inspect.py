"""A task for Inspect: chat models choose between the two sentences of a pair, once in each order."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.export.folder import new_folder, render
from endoxa.export.material import Material
from endoxa.export.payload import __path__ as payload
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
            "cluster": identity_key(pair["identity"] or pair["item_id"]),
            "first": pair[f"sent_{first}"],
            "second": pair[f"sent_{second}"],
            "stereotypical": 1 if pair["stereotypical"] == first else 2,
        }
