"""The folder of an export: its description, written whole or not at all, and read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from django.utils import timezone
from django.utils.translation import ngettext_lazy
from polars.datatypes import DataTypeClass
from pydantic import BaseModel, ConfigDict, Field

from endoxa.errors import UserError
from endoxa.sources.collected import KIND, MARK
from endoxa.sources.files import changed_file
from endoxa.sources.spreadsheets import neutralised_table, read_csv
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.export.columns import TABLES, schema_of
from endoxa_collect.files import draft
from endoxa_collect.models import AuditEntry, Campaign, State, answers_of

_FORMAT = 1

FORMATS = ("csv", "jsonl", "parquet")

_REASONS = {
    "waiting_for_consent": ngettext_lazy(
        "All that %(n)s person gave, who has not yet agreed to the terms as you changed them.",
        "All that %(n)s people gave, who have not yet agreed to the terms as you changed them.",
        "n",
    ),
    "aside": ngettext_lazy(
        "All that %(n)s person gave, whom a moderator set aside.",
        "All that %(n)s people gave, whom a moderator set aside.",
        "n",
    ),
    "ruled": ngettext_lazy(
        "All that %(n)s person gave, whom the rule of the settings leaves out for how they answered.",
        "All that %(n)s people gave, whom the rule of the settings leaves out for how they answered.",
        "n",
    ),
    "withdrawn": ngettext_lazy(
        "%(n)s person left and deleted all answers.", "%(n)s people left and deleted all answers.", "n"
    ),
}
"""Why people are left out of an export with all they gave, by field of `LeftOut`."""


@dataclass(frozen=True)
class LeftOut:
    """What the database holds and the export does not.

    Attributes:
        people: contributors without a key, of countries that too few share or that were put with them (`FEW_SHARE`).
        merged: contributors of whom a column was merged to 'other'.
        pairs: pairs that wait for a moderator or were hidden.
        ratings, mentions, skips, hurt_answers, mixed: answers about those pairs (`mixed` by pair, of lists and
            comparisons); and, of people without a key, those that another answer of theirs replaced when pairs were
            merged. Comparisons of two pairs that are one by now count in `mixed` too.
        aside: people whom a moderator set aside.
        ruled: people whom the rule of the settings leaves out (`cards.conduct`).
        excluded: answers, mentions, skips and statements of those two.
        waiting_for_consent: other contributors who have not agreed to the terms in force (`terms`), with all they gave.
        withdrawn: people who deleted their answers.
    """

    people: int = 0
    merged: int = 0
    pairs: int = 0
    ratings: int = 0
    mentions: int = 0
    skips: int = 0
    hurt_answers: int = 0
    mixed: int = 0
    aside: int = 0
    ruled: int = 0
    excluded: int = 0
    waiting_for_consent: int = 0
    withdrawn: int = 0

    @property
    def reasons(self) -> list[str]:
        """How many people are left out with all they gave, and why: a sentence each, in the active language."""
        counts = ((getattr(self, name), sentence) for name, sentence in _REASONS.items())
        return [sentence % {"n": people} for people, sentence in counts if people]


class About(BaseModel):
    """Which campaign, with which settings, as which release ("" for a working copy).

    A `recipient` has a restricted release: nothing of people is merged in it (`agreement`). `early` is the number of
    answers from before the campaign was opened that were kept, None where it is not known.
    """

    model_config = ConfigDict(frozen=True)

    campaign: str
    release: str
    recipient: str = Field("", alias="restricted_to")
    formats: tuple[str, ...]
    left_out: LeftOut
    early: int | None = Field(None, alias="answers_before_opening")
    version: int = Field(alias="settings_version")
    settings: CampaignSettings

    def write(self, folder: Path) -> None:
        """Mark a folder."""
        # Words that moderators watch for are often slurs; no reader of the data needs them.
        # And how many left, perhaps during a rehearsal, is the organisers' to know.
        hidden: dict[str, Any] = {"settings": {"watch_words"}, "left_out": {"withdrawn"}}
        hidden |= {name: True for name in ("recipient", "early") if getattr(self, name) in ("", None)}
        content = self.model_dump(mode="json", by_alias=True, exclude=hidden)
        text = json.dumps({"kind": KIND, "format": _FORMAT, **content}, ensure_ascii=False, indent=2) + "\n"
        (folder / MARK).write_text(text, encoding="utf-8")


def answers_before_opening(campaign: Campaign) -> int | None:
    """How many answers were given before an organiser opened the campaign; None where the log does not say."""
    before = timezone.now()
    if not campaign.rehearsing:
        opened = AuditEntry.objects.filter(campaign=campaign, action="state", detail__after=State.OPEN)
        first = opened.order_by("at").first()
        if first is None:
            return None
        before = first.at
    rows = answers_of(person__campaign=campaign, created_at__lt=before).values()
    listed = answers_of(person__campaign=campaign, card__closed_at__lt=before)["mixed"]
    return sum(table.count() for table in (*rows, listed))


def read_about(folder: Path) -> About | None:
    """What a folder says of itself; None where it is no export.

    Raises:
        UserError: it is one, of a newer endoxa or damaged.
    """
    try:
        content = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        return None
    if content.get("format") != _FORMAT:
        raise UserError(f"{folder} was made by another version of endoxa: use that one to read it.")
    try:
        return About.model_validate(content)
    except ValueError as problem:
        raise UserError(f"{folder / MARK} is damaged: take the export again.") from problem


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A draft beside `target`, for `put_in_place` to give it that name; it goes when the block ends (see `files`).

    It lies in a folder of its own, and there an earlier copy is put aside, so that both go.

    `target` is free, or an earlier working copy in which nothing was changed.

    Raises:
        UserError: `target` holds something else or a release, or cannot be written.
    """
    require_replaceable(target)
    place = target.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with draft(place.parent, "export") as made:
            new = made / "new"
            new.mkdir(mode=0o700)
            yield new
    except (OSError, pl.exceptions.ComputeError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem).splitlines()[0]
        raise UserError(f"The folder {target} cannot be written: {reason}. Nothing was changed.") from problem


def require_replaceable(target: Path) -> None:
    """Refuse a place where something would be lost.

    Raises:
        UserError: a file, a folder of another kind, a release, or an export that was changed since.
    """
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"{target} is a file: name a folder that is empty or not there yet.")
    if not any(target.iterdir()):
        return
    about = read_about(target)
    if about is None:
        raise UserError(f"{target} holds other files: name a folder that is empty or not there yet.")
    if about.release:
        raise UserError(f"{target} holds a release, which never changes: name another folder.")
    touched = changed_file(target)
    if touched:
        raise UserError(
            f"{target} was changed after the export ({touched}): name another folder, or move it away."
        )


def write_tables(frames: Mapping[str, pl.DataFrame], folder: Path, formats: Sequence[str]) -> None:
    """Write each table in each format; text that a spreadsheet could run is neutralised in CSV only."""
    for name, frame in frames.items():
        writers: dict[str, Callable[[Path], object]] = {
            "csv": neutralised_table(frame).write_csv,
            "jsonl": frame.write_ndjson,
            "parquet": frame.write_parquet,
        }
        for kind in formats:
            writers[kind](folder / f"{name}.{kind}")


def read_export(folder: Path) -> tuple[About, dict[str, pl.DataFrame]]:
    """What an export says of itself, and its tables.

    Raises:
        UserError: the folder is no export, or a table is missing or damaged.
    """
    about = read_about(folder)
    if about is None:
        raise UserError(f"{folder} is not an export of a campaign: export.json is missing.")
    suffix = next(kind for kind in ("parquet", "jsonl", "csv") if kind in about.formats)
    return about, {
        name: _read_table(folder / f"{name}.{suffix}", schema_of(name, about.settings)) for name in TABLES
    }


def _read_table(path: Path, schema: Mapping[str, DataTypeClass]) -> pl.DataFrame:
    try:
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path, glob=False)
        elif path.suffix == ".jsonl":
            frame = (
                pl.read_ndjson(path, schema=schema) if path.stat().st_size else pl.DataFrame(schema=schema)
            )
        else:
            frame = read_csv(path, schema=schema)
        return frame.select(pl.col(name).cast(kind) for name, kind in schema.items())
    except (OSError, pl.exceptions.PolarsError) as problem:
        reason = str(problem).splitlines()[0]
        raise UserError(f"{path} cannot be read ({reason}): take the export again.") from problem
