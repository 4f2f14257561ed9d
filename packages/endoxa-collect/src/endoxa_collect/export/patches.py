"""The patch of a release: its tables without later withdrawals and without cells that became too small."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from endoxa.sources.collected import respecting_withdrawals
from endoxa_collect.export.columns import OTHER, PROFILE
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.people import (
    Cells,
    Pool,
    merge_small_cells,
    published_people,
    read_pool,
)
from endoxa_collect.export.rows import pair_rows, withdrawal_rows
from endoxa_collect.export.run import Delivery, ExportReport, next_patch, numbered, released, write_export
from endoxa_collect.export.tables import Tables, counted_pairs, snapshot
from endoxa_collect.models import Campaign
from endoxa_collect.withdrawals import Keys

_PAIR_COLUMNS = {
    "ratings": "shown_id",
    "mentions": "said_id",
    "skips": "shown_id",
    "hurt_answers": "shown_id",
    "mixed": "shown_id",
}
"""The pair that a row is about before merging."""

_DRAWN = ("in_group", "propensity", "pool")


@dataclass(frozen=True)
class Since:
    """A campaign now, as a patch has to know it. People go by the keys that they have in the release.

    Attributes:
        withdrawals: the table of withdrawals.
        pool: which pair each one counts for.
        pairs: the table of pairs, without figures.
        rare: the columns of each person that a new export would give up.
        respondents: the key in the survey of people who have no other key.
    """

    withdrawals: pl.DataFrame
    pool: Pool
    pairs: pl.DataFrame
    rare: Mapping[str, Set[str]]
    respondents: Mapping[str, str]

    @property
    def gone(self) -> frozenset[str]:
        """Ids of all rows that were withdrawn."""
        return frozenset(self.withdrawals["row_id"])

    def left_without_key(self, frames: Mapping[str, pl.DataFrame]) -> int:
        """People who left after an export was made and had no key in it; an upper bound.

        Whoever leaves has two keys on the list (`withdrawals.bury_keys`). Who joined after the export and left again is
        counted, too: better too many than that somebody hides among people who are gone.
        """
        new = self.withdrawals.join(frames["withdrawals"], on="row_id", how="anti").filter(table="people")
        with_key = frames["people"].filter(pl.col("rater").is_in(new["row_id"].to_list()))
        return new.height // 2 - with_key.height


def since_release(campaign: Campaign, salt: str) -> Since:
    """A campaign as it is at this moment, for a release with this salt."""
    keys = Keys(salt)
    with snapshot():
        people, pool = published_people(campaign, keys), read_pool(campaign)
        return Since(
            withdrawals=withdrawal_rows(campaign, salt),
            pool=pool,
            pairs=pair_rows(campaign, pool),
            rare={
                keys.rater(pk): frozenset(
                    name
                    for name, cell in {
                        "country": person.country,
                        "consent": person.consent,
                        **person.profile,
                    }.items()
                    if cell == OTHER
                )
                for pk, person in people.items()
            },
            respondents={keys.rater(pk): keys.respondent(pk) for pk in people},
        )


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
    moved = {
        name: frames[name].with_columns(
            association_id=pl.col(column).replace_strict(
                heirs, default=pl.col("association_id"), return_dtype=pl.String
            )
        )
        for name, column in _PAIR_COLUMNS.items()
    }
    return {**frames, **moved, "pairs": _with_heirs(frames["pairs"], heirs, since.pairs)}


def _with_heirs(pairs: pl.DataFrame, heirs: Mapping[str, str], now: pl.DataFrame) -> pl.DataFrame:
    new = set(heirs.values()) - set(pairs["association_id"])
    added = now.filter(pl.col("association_id").is_in(new)).with_columns(merged_ids=pl.lit(""))
    merged = defaultdict(list)
    for name, heir in heirs.items():
        if name != heir:
            merged[heir].append(name)
    together = pl.concat([pairs, added])
    ids = [
        " ".join(sorted({*before.split(), *merged[pair]}))
        for pair, before in together.select("association_id", "merged_ids").iter_rows()
    ]
    return together.with_columns(merged_ids=pl.Series(ids, dtype=pl.String))


@dataclass(frozen=True)
class Coarsened:
    """The tables, how many people have no key now, and of how many something is merged (those among them)."""

    frames: Mapping[str, pl.DataFrame]
    without_key: int
    merged: int


def coarsened(
    frames: Mapping[str, pl.DataFrame],
    without_key: int,
    rare: Mapping[str, Set[str]],
    respondents: Mapping[str, str],
) -> Coarsened:
    """Merge small cells of people anew; whoever is from a country that is given up loses the key.

    Args:
        frames: the tables of an export.
        without_key: people who have no key in it and did not leave since.
        rare: by the key of a person, columns that a new export would give up.
        respondents: by the key of a person, the one that they have in the survey when they have no other.
    """
    people = frames["people"]
    names = ["country", *(name for name in people.columns if name.startswith(PROFILE)), "consent"]
    before: list[Cells] = list(people.select(names).iter_rows())
    published_cells = [
        tuple(OTHER if name in rare.get(rater, ()) else cell for name, cell in zip(names, cells, strict=True))
        for rater, cells in zip(people["rater"], before, strict=True)
    ]
    merged = merge_small_cells([*published_cells, *[(OTHER,) * len(names)] * without_key])[: len(before)]
    cells_of = dict(zip(people["rater"], merged, strict=True))
    lost = {rater for rater, cells in cells_of.items() if cells[0] == OTHER}
    answers = {
        name: _answers(frames[name], cells_of, names, lost)
        for name in ("ratings", "mentions", "skips", "hurt_answers", "mixed")
    }
    frame = frames["statements"]
    gone = pl.col("respondent").is_in(lost)
    key = pl.col("respondent").replace({key_lost: respondents[key_lost] for key_lost in lost})
    changed = {
        "people": _relabelled(people, "rater", cells_of, names).filter(~pl.col("rater").is_in(lost)),
        "statements": _relabelled(frame, "respondent", cells_of, names).with_columns(key, _day(gone)),
    }
    still = without_key + sum(cells[0] == OTHER for cells in merged)
    return Coarsened(
        {**frames, **answers, **changed}, still, without_key + sum(OTHER in cells for cells in merged)
    )


def _answers(
    frame: pl.DataFrame, cells_of: Mapping[str, Cells], names: list[str], lost: set[str]
) -> pl.DataFrame:
    gone = pl.col("rater").is_in(lost)
    blank = [pl.when(~gone).then(name).alias(name) for name in _DRAWN if name in frame.columns]
    empty = [
        pl.when(gone).then(pl.lit("")).otherwise(name).alias(name)
        for name in ("tier", "slot", "rater", "set_id", "pace")
        if name in frame.columns
    ]
    # As in a new export: nobody could see what the others belong to.
    kept = frame.filter(~gone | pl.col("counted")) if "counted" in frame.columns else frame
    return _relabelled(kept, "rater", cells_of, names).with_columns(*blank, *empty, _day(gone))


def _relabelled(
    frame: pl.DataFrame, key: str, cells_of: Mapping[str, Cells], names: list[str]
) -> pl.DataFrame:
    """The table with what is said of people now, where it says that of them."""
    return frame.with_columns(
        pl.col(key)
        .replace_strict(
            {respondent: cells[place] for respondent, cells in cells_of.items()},
            default=pl.col(name),
            return_dtype=pl.String,
        )
        .alias(name)
        for place, name in enumerate(names)
        if name in frame.columns
    )


def _day(gone: pl.Expr) -> pl.Expr:
    return pl.when(gone).then(pl.col("hour").str.head(len("2026-05-04"))).otherwise("hour").alias("hour")


def patch_release(campaign: Campaign, published: Path, folder: Path) -> ExportReport:
    """Write the patch of a published release: 1.0 becomes 1.0.1.

    Rows that were withdrawn are dropped and the figures of pairs counted again; nobody's answers that
    came since are added, and people keep their keys, unless too few who share their country are left in the
    release or in the campaign. Nothing is said of them that a new export would not say. Answers to a pair that was
    merged into one that went count for the pair that took its place.

    Args:
        campaign: whose release it is.
        published: the folder of the release, unchanged.
        folder: where the patch goes.

    Raises:
        UserError: `published` is no unchanged release of this campaign, or `folder` cannot be written.
    """
    before = released(campaign, published)
    with numbered(campaign, next_patch(before.number), before.salt) as made:
        about, frames = read_export(published)
        since = since_release(campaign, before.salt)
        without_key = max(0, about.left_out.people - since.left_without_key(frames))
        adjusted = handed_over(frames, since)
        kept = {name: respecting_withdrawals(frame, since.gone) for name, frame in adjusted.items()}
        merged = coarsened(kept, without_key, since.rare, since.respondents)
        left_out = replace(about.left_out, people=merged.without_key, merged=merged.merged)
        frames = {**merged.frames, "pairs": counted_pairs(merged.frames), "withdrawals": since.withdrawals}
        tables = Tables(frames, left_out)
        patch = about.model_copy(update={"release": made.number, "left_out": left_out})
        return write_export(patch, tables, folder, Delivery(campaign, made))
