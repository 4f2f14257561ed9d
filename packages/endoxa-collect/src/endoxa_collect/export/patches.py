"""The patch of a release: its tables without later withdrawals and without cells that became too small."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl

from endoxa.sources.collected import respecting_withdrawals
from endoxa_collect.export.columns import OTHER, PROFILE
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.rows import (
    TABLES,
    pair_rows,
    published_people,
    read_pool,
    withdrawal_rows,
    without_key,
)
from endoxa_collect.export.run import ExportReport, next_patch, numbered, released, write_export
from endoxa_collect.export.tables import Tables, counted_pairs, snapshot
from endoxa_collect.models import Campaign
from endoxa_collect.small_cells import merge_small_cells
from endoxa_collect.withdrawals import Keys

Frames = Mapping[str, pl.DataFrame]


def patch_release(campaign: Campaign, published: Path, folder: Path) -> ExportReport:
    """Write the patch of a published release: without rows withdrawn since, each key shared by enough people.

    Raises:
        UserError: the folder is no release of this campaign, or was changed; or the folder cannot be written.
    """
    before = released(campaign, published)
    with numbered(campaign, next_patch(before.number), before.salt) as made:
        about, frames = read_export(published)
        with snapshot():
            keys, pool = Keys(before.salt), read_pool(campaign)
            people = published_people(campaign, keys)
            pairs, withdrawals = pair_rows(campaign, pool), withdrawal_rows(campaign, before.salt)
        gone = frozenset(withdrawals["row_id"])
        left = _left_without_key(frames, withdrawals)
        kept = {
            name: respecting_withdrawals(frame, gone)
            for name, frame in handed_over(frames, gone, pool, pairs).items()
        }
        now = {keys.rater(UUID(row["person"])): row for row in people.iter_rows(named=True)}
        others = {key: keys.respondent(UUID(row["person"])) for key, row in now.items()}
        coarse, alone, merged = coarsened(kept, max(0, about.left_out.people - left), now, others)
        frames = {**coarse, "pairs": counted_pairs(coarse), "withdrawals": withdrawals}
        left_out = replace(about.left_out, people=alone, merged=merged)
        patch = about.model_copy(update={"release": made.number, "left_out": left_out})
        return write_export(patch, Tables(frames, left_out), folder, campaign, release=made)


def _left_without_key(frames: Frames, withdrawals: pl.DataFrame) -> int:
    """People who withdrew since the release and had no key in it; each has two keys in the list."""
    new = withdrawals.join(frames["withdrawals"], on="row_id", how="anti").filter(table="people")
    return new.height // 2 - frames["people"].filter(pl.col("rater").is_in(new["row_id"].to_list())).height


def handed_over(frames: Frames, gone: Set[str], pool: pl.DataFrame, now: pl.DataFrame) -> Frames:
    """Rows of what was merged into a pair that went, under the pair that stands for it now."""
    roots = dict(pool.select("shown", "root").iter_rows())
    heirs = {
        merged: roots[merged]
        for pair, ids in frames["pairs"].select("association_id", "merged_ids").iter_rows()
        if pair in gone
        for merged in ids.split()
        if merged in roots and merged not in gone
    }
    if not heirs:
        return frames
    own = pl.col("association_id")
    moved = {
        name: frames[name].with_columns(
            association_id=pl.col(table.shown).replace_strict(heirs, default=own, return_dtype=pl.String)
        )
        for name, table in TABLES.items()
    }
    names: defaultdict[str, set[str]] = defaultdict(set)
    for name, heir in heirs.items():
        names[heir] |= {name} - {heir}
    new = set(heirs.values()) - set(frames["pairs"]["association_id"])
    added = now.filter(own.is_in(new)).with_columns(merged_ids=pl.lit(""))
    together = pl.concat([frames["pairs"], added])
    ids = [
        " ".join(sorted({*before.split(), *names[pair]}))
        for pair, before in together.select("association_id", "merged_ids").iter_rows()
    ]
    return {**frames, **moved, "pairs": together.with_columns(merged_ids=pl.Series(ids, dtype=pl.String))}


def coarsened(
    frames: Frames, without: int, now: Mapping[str, Mapping[str, Any]], others: Mapping[str, str]
) -> tuple[dict[str, pl.DataFrame], int, int]:
    """The tables with each key shared by enough people, counting `without` people who had none in the release.

    What a new export would give up of somebody (`now`, by key) is given up as well; who loses the key has another one
    in the survey (`others`). Also gives how many people have no key then, and of how many something was given up.
    """
    people = frames["people"]
    names = ["country", *(name for name in people.columns if name.startswith(PROFILE)), "consent"]
    rows = people.select("rater", *names).rows_by_key("rater", named=True, unique=True)
    before = [
        tuple(OTHER if now.get(rater, {}).get(name) == OTHER else row[name] for name in names)
        for rater, row in rows.items()
    ]
    cells = merge_small_cells([*before, *[(OTHER,) * len(names)] * without])[: len(before)]
    lost = [rater for rater, row in zip(rows, cells, strict=True) if row[0] == OTHER]

    def relabelled(frame: pl.DataFrame, key: str) -> pl.DataFrame:
        new = {
            name: pl.col(key).replace_strict(
                dict(zip(rows, column, strict=True)), default=pl.col(name), return_dtype=pl.String
            )
            for name, column in zip(names, zip(*cells, strict=True), strict=False)
            if name in frame.columns
        }
        made = frame.with_columns(**new)
        return without_key(made, pl.col(key).is_in(lost)) if "hour" in made.columns else made

    made = {**frames, **{name: relabelled(frames[name], "rater") for name in TABLES}}
    made["people"] = relabelled(people, "rater").filter(~pl.col("rater").is_in(lost))
    made["statements"] = relabelled(frames["statements"], "respondent").with_columns(
        pl.col("respondent").replace({rater: others[rater] for rater in lost})
    )
    given_up = sum(OTHER in row for row in cells)
    return made, without + len(lost), without + given_up
