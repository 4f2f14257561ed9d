"""Run one export, as a working copy or as a numbered release, which never changes, and make the patch of a release.

A patch has the tables of its release without later withdrawals and without cells that became too small.

The log entry is written before the export is handed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl
from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.collected import WITHDRAWALS, respecting_withdrawals
from endoxa.sources.files import CHECKSUMS, changed_file, checksums, put_in_place, sha256
from endoxa_collect.export import editions, rows
from endoxa_collect.export.card import NAME as AGREEMENT
from endoxa_collect.export.card import agreement, data_card, recipient_named, survey_map
from endoxa_collect.export.columns import OTHER, PROFILE
from endoxa_collect.export.folder import (
    FORMATS,
    About,
    LeftOut,
    answers_before_opening,
    new_folder,
    read_about,
    read_export,
    write_tables,
)
from endoxa_collect.export.tables import Tables, counted_pairs, read_tables, snapshot
from endoxa_collect.models import Campaign, Pair, Release, Source, record
from endoxa_collect.small_cells import merge_small_cells
from endoxa_collect.withdrawals import Keys, new_salt

_NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")


class NumberError(UserError):
    """It is no number of a release, or another release has it."""


class EmptyReleaseError(UserError):
    """Nobody is in a release."""


@contextmanager
def numbered(campaign: Campaign, number: str, salt: str, recipient: str = "") -> Iterator[Release]:
    """A release that is made, and finished, inside (`write_export`); nothing of one that was not finished stays.

    Raises:
        NumberError: the number is none, or taken.
    """
    if not _NUMBER.fullmatch(number):
        raise NumberError(f"Invalid release number '{number}': write it as 1.0 (or 1.0.1 for a patch).")
    made = set(campaign.releases.finished().values_list("number", flat=True))
    if number in made:
        earlier = ", ".join(sorted(made))
        raise NumberError(f"Release {number} was made before and never changes; there are: {earlier}.")
    campaign.releases.broken_off().delete()
    release = Release.objects.create(campaign=campaign, number=number, salt=salt, recipient=recipient)
    try:
        yield release
    except BaseException:
        # As the database has it: one that was handed over stays, whatever fails later.
        campaign.releases.filter(pk=release.pk, sha256="").delete()
        raise


def next_patch(number: str) -> str:
    """The number after it: 1.0 -> 1.0.1, 1.0.1 -> 1.0.2."""
    major, minor, patch = _NUMBER.fullmatch(number).groups()  # type: ignore[union-attr]
    return f"{major}.{minor}.{int(patch or 0) + 1}"


def released(campaign: Campaign, folder: Path) -> Release:
    """The release of this campaign that lies, unchanged, in a folder.

    Raises:
        UserError: there is none, it is another campaign's, or it was changed.
    """
    about = read_about(folder)
    if about is None or not about.release:
        raise UserError(f"{folder} is not a release: name the folder of a release.")
    if about.recipient:
        raise UserError(
            f"{folder} is a restricted release, of which no patch is made: give {about.recipient} the newest "
            "withdrawals.csv, or make another release for them."
        )
    release = campaign.releases.finished().filter(number=about.release).first()
    if release is None or about.campaign != campaign.slug:
        raise UserError(f"{folder} holds a release of another campaign than '{campaign.slug}'.")
    touched = changed_file(folder)
    if touched or release.sha256 != sha256(folder / CHECKSUMS):
        raise UserError(
            f"{folder} is not as it was released ({touched or CHECKSUMS} was changed): take the published one."
        )
    return release


@dataclass(frozen=True)
class ExportReport:
    """What was written: rows of each table, what was left out, and the SHA-256 of the list of checksums."""

    folder: Path
    release: str
    rows: Mapping[str, int]
    left_out: LeftOut
    sha256: str


def export_campaign(
    campaign: Campaign,
    folder: Path,
    *,
    release: str | None = None,
    formats: Sequence[str] = FORMATS,
    recipient: str = "",
    empty: bool = False,
    user: User | AnonymousUser | None = None,
    pack: Callable[[Path], None] = lambda _: None,
) -> ExportReport:
    """Write a campaign to a folder: a working copy, or a release that is numbered and never changes.

    The export is in the log before it stands in the folder.

    Args:
        campaign: which.
        folder: where; an earlier working copy in it is replaced.
        release: its number ("1.0"), which no other release of the campaign has.
        formats: of 'csv', 'jsonl', 'parquet'. The list of withdrawals is always there as CSV too.
        recipient: who signed the conditions of a restricted release (`agreement`); "" for an ordinary one.
        empty: make a release that nobody is in.
        user: who takes it; None stands for the command line.
        pack: what is done with the finished folder before the export is written down.

    Raises:
        EmptyReleaseError: nobody would be in the release; says who is left out and why.
        UserError: an unknown format, a number that is taken or malformed, a restricted export without a number or a
            name, a folder that cannot be written.
    """
    if recipient:
        recipient = recipient_named(recipient)
        if release is None:
            raise UserError("A restricted release needs a number: give it one that no other release has.")
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown or not formats:
        raise UserError(f"Unknown format '{''.join(unknown[:1])}' (available: {', '.join(FORMATS)}).")
    salt = new_salt()
    with numbered(campaign, release, salt, recipient) if release is not None else nullcontext() as made:
        tables = read_tables(campaign, Keys(salt), unmerged=bool(recipient))
        if made and not empty and not tables.frames["people"].height + tables.left_out.people:
            why = tables.left_out.reasons or [gettext("Nobody has joined yet.")]
            nobody = gettext("Nobody is in this release, so it was not made.")
            raise EmptyReleaseError(" ".join([nobody, *why]))
        about = About(
            campaign=campaign.slug,
            release=release or "",
            restricted_to=recipient,
            formats=tuple(formats),
            left_out=tables.left_out,
            answers_before_opening=answers_before_opening(campaign),
            settings_version=campaign.version,
            settings=campaign.settings,
        )
        return write_export(about, tables, folder, campaign, release=made, user=user, pack=pack)


def write_export(
    about: About,
    tables: Tables,
    folder: Path,
    campaign: Campaign,
    *,
    release: Release | None = None,
    user: User | AnonymousUser | None = None,
    pack: Callable[[Path], None] = lambda _: None,
) -> ExportReport:
    """Write tables with their card, their mark and checksums, log them and give them their name.

    `release` is its unfinished row, None for a working copy; the others are as in `export_campaign`.

    Raises:
        UserError: the folder cannot be written, or somebody else made a release of this number meanwhile.
    """
    with new_folder(folder) as draft:
        write_tables(tables.frames, draft, about.formats)
        if not (draft / WITHDRAWALS).exists():
            write_tables({"withdrawals": tables.frames["withdrawals"]}, draft, ("csv",))
        if about.settings.survey:
            (draft / "map.toml").write_text(survey_map(about.settings), encoding="utf-8")
        (draft / "README.md").write_text(data_card(about, tables.frames), encoding="utf-8")
        if about.recipient:
            text = agreement(campaign, about.release, about.recipient)
            (draft / AGREEMENT).write_text(text, encoding="utf-8")
        about.write(draft)
        (draft / CHECKSUMS).write_text(checksums(draft), encoding="utf-8")
        report = ExportReport(
            folder=folder,
            release=about.release,
            rows={name: frame.height for name, frame in tables.frames.items()},
            left_out=about.left_out,
            sha256=sha256(draft / CHECKSUMS),
        )
        pack(draft)
        recipient = {"recipient": about.recipient} if about.recipient else {}
        earlier = list(editions.same(release)) if release and not recipient else []
        try:
            with transaction.atomic():
                if release is not None:
                    release.sha256 = report.sha256
                    release.save(update_fields=["sha256"])
                    if not recipient:
                        editions.keep(release, draft, tables)
                action = "restricted release" if recipient else "release" if release else "export"
                entry = record(
                    campaign,
                    user,
                    action,
                    release=report.release,
                    **recipient,
                    **report.rows,
                    people_without_key=report.left_out.people,
                    sha256=report.sha256,
                )
        except IntegrityError:
            raise NumberError(f"Release {about.release} was made by somebody else meanwhile.") from None
        # Killed here, there is an entry without an export, never an export without an entry.
        try:
            put_in_place(draft, folder.resolve())
        except BaseException:
            # Both are undone where the draft is there yet, not for what fails later.
            if draft.exists():
                with transaction.atomic():
                    entry.delete()
                    if release is not None:
                        release.delete()
                    for edition in earlier:
                        edition.save(update_fields=["archive", "published"])
            raise
    return report


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
            keys, pool = Keys(before.salt), rows.read_pool(campaign)
            people = rows.published_people(campaign, keys)
            pairs, withdrawals = rows.pair_rows(campaign, pool), rows.withdrawal_rows(campaign, before.salt)
        gone = frozenset(withdrawals["row_id"])
        left = _left_without_key(frames, withdrawals)
        kept = {
            name: respecting_withdrawals(frame, gone)
            for name, frame in handed_over(frames, gone, pool, pairs).items()
        }
        kept["pairs"] = in_words_of_now(campaign, kept["pairs"])
        now = {keys.rater(UUID(row["person"])): row for row in people.iter_rows(named=True)}
        others = {key: keys.respondent(UUID(row["person"])) for key, row in now.items()}
        coarse, alone, merged = coarsened(kept, max(0, about.left_out.people - left), now, others)
        frames = {**coarse, "pairs": counted_pairs(coarse), "withdrawals": withdrawals}
        left_out = replace(about.left_out, people=alone, merged=merged)
        patch = about.model_copy(update={"release": made.number, "left_out": left_out})
        return write_export(patch, Tables(frames, left_out), folder, campaign, release=made)


def in_words_of_now(campaign: Campaign, pairs: pl.DataFrame) -> pl.DataFrame:
    """Pairs of contributors in the words that they have now: whoever said the released ones may have left since."""
    contributed = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR)
    now = {str(name): words for name, words in contributed.values_list("public_id", "attribute")}
    released = pairs.select("association_id", "attribute").iter_rows()
    words = [now.get(name, before) for name, before in released]
    return pairs.with_columns(attribute=pl.Series(words, dtype=pl.String))


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
        for name, table in rows.TABLES.items()
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
    traits = people.select("rater", *names).rows_by_key("rater", named=True, unique=True)
    before = [
        tuple(OTHER if now.get(rater, {}).get(name) == OTHER else row[name] for name in names)
        for rater, row in traits.items()
    ]
    cells = merge_small_cells([*before, *[(OTHER,) * len(names)] * without])[: len(before)]
    lost = [rater for rater, row in zip(traits, cells, strict=True) if row[0] == OTHER]

    def relabelled(frame: pl.DataFrame, key: str) -> pl.DataFrame:
        new = {
            name: pl.col(key).replace_strict(
                dict(zip(traits, column, strict=True)), default=pl.col(name), return_dtype=pl.String
            )
            for name, column in zip(names, zip(*cells, strict=True), strict=False)
            if name in frame.columns
        }
        made = frame.with_columns(**new)
        return rows.without_key(made, pl.col(key).is_in(lost)) if "hour" in made.columns else made

    made = {**frames, **{name: relabelled(frames[name], "rater") for name in rows.TABLES}}
    made["people"] = relabelled(people, "rater").filter(~pl.col("rater").is_in(lost))
    made["statements"] = relabelled(frames["statements"], "respondent").with_columns(
        pl.col("respondent").replace({rater: others[rater] for rater in lost})
    )
    given_up = sum(OTHER in row for row in cells)
    return made, without + len(lost), without + given_up
