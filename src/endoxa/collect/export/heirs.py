"""Pairs that went with their author: what was merged into them counts for the pair that took their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import polars as pl

from endoxa.collect.export.since import Since

_OWN = {"ratings": "shown_id", "mentions": "said_id", "skips": "shown_id"}
"""The pair that a row is about before merging."""


def handed_over(frames: Mapping[str, pl.DataFrame], since: Since) -> dict[str, pl.DataFrame]:
    """The tables of an export, in which what was merged into pairs that went belongs to their heirs.

    Args:
        frames: the tables as published.
        since: what went, and which pair each one counts for now. An heir that was not published as a pair of its own
            is taken from there.
    """
    withdrawn, names = since.gone, since.pool.names
    roots = {str(names[pk]): str(root) for pk, root in since.pool.roots.items()}
    heirs = {
        merged: roots[merged]
        for pair, ids in frames["pairs"].select("association_id", "merged_ids").iter_rows()
        if pair in withdrawn
        for merged in ids.split()
        if merged in roots and merged not in withdrawn
    }
    if not heirs:
        return dict(frames)
    moved = {name: _moved(frames[name], own, heirs) for name, own in _OWN.items()}
    return {**frames, **moved, "pairs": _with_heirs(frames["pairs"], heirs, since.pairs)}


def _moved(frame: pl.DataFrame, own: str, heirs: Mapping[str, str]) -> pl.DataFrame:
    return frame.with_columns(
        association_id=pl.col(own).replace_strict(
            heirs, default=pl.col("association_id"), return_dtype=pl.String
        )
    )


def _with_heirs(pairs: pl.DataFrame, heirs: Mapping[str, str], now: pl.DataFrame) -> pl.DataFrame:
    new = set(heirs.values()) - set(pairs["association_id"])
    added = now.filter(pl.col("association_id").is_in(new)).with_columns(merged_ids=pl.lit(""))
    merged = defaultdict(list)
    for name, heir in heirs.items():
        if name != heir:
            merged[heir].append(name)
    whole = pl.concat([pairs, added])
    ids = [
        " ".join(sorted({*before.split(), *merged[pair]}))
        for pair, before in whole.select("association_id", "merged_ids").iter_rows()
    ]
    return whole.with_columns(merged_ids=pl.Series(ids, dtype=pl.String))
