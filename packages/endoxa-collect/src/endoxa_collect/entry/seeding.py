"""Seeds, the pairs that an organiser starts a campaign with: read from a file, often a spreadsheet's, and added."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any

from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.dialects import decoded, dialect_of_text, undecodable
from endoxa.sources.source import reading_files
from endoxa.sources.spreadsheets import restored, workbook_rows
from endoxa_collect.campaign import UNLISTED, CampaignSettings
from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.cells import (
    attribute_cell,
    country_cell,
    group_cell,
    language_cell,
    negative_cell,
    too_long_cell,
    topic_cell,
)
from endoxa_collect.entry.cleaning import MAX_LENGTH, comparable, key
from endoxa_collect.entry.likeness import nearest_before
from endoxa_collect.entry.words import has_slurs, negative
from endoxa_collect.models import Campaign, Moderation, Pair, Source
from endoxa_collect.visible import READ, visible

_MOST = 1 / 3
"""Largest share of the seeds that becomes the calibration set."""

_BLOCK = 100
"""Rows that are added in one transaction."""

Name = tuple[str, str, str]
"""Country, language and key: what no two pairs of a campaign share."""


@dataclass(frozen=True)
class SeedRow:
    """One pair to start with.

    Attributes:
        country: ISO 3166 code.
        attribute: what is said; at most 120 characters.
        language: ISO 639 code, one of the campaign's.
        topic: a short name, or "".
        negative: whether it hurts to hear; None leaves it to `entry.words`, which mostly does not know.
    """

    country: str
    attribute: str
    language: str
    topic: str = ""
    negative: bool | None = None


@dataclass(frozen=True)
class Alike:
    """A new row and the words of a pair that may be the same."""

    row: SeedRow
    other: str


@dataclass(frozen=True)
class SeedReport:
    """What became, or would become, of rows.

    Attributes:
        new: rows that are new pairs.
        duplicates: rows whose exact key the campaign, or an earlier row, has already.
        alike: rows among `new` that are nearly like a pair or an earlier row; only `preview_seeds` looks for them.
    """

    new: tuple[SeedRow, ...]
    duplicates: tuple[SeedRow, ...]
    alike: tuple[Alike, ...] = ()

    @property
    def added(self) -> int:
        """How many pairs are new."""
        return len(self.new)


def preview_seeds(campaign: Campaign, rows: Iterable[SeedRow]) -> SeedReport:
    """What `add_seeds` would do, with near-duplicates."""
    rows_there = Pair.objects.filter(campaign=campaign).values_list("country", "language", "key", "attribute")
    present = {(country, language, name): words for country, language, name, words in rows_there}
    new, duplicates = _sort_out(
        set(present),
        (((row.country, row.language, key(visible(row.attribute), row.language)), row) for row in rows),
    )
    return SeedReport(tuple(new), tuple(duplicates), _alike(present, new))


def add_seeds(
    campaign: Campaign, rows: Iterable[SeedRow], *, note: Callable[[SeedReport], None] = lambda _: None
) -> SeedReport:
    """Add the rows that the campaign does not have, live at once, and choose the calibration set.

    Rows keep to the rules that `read_seeds` checks. They are added in blocks, so that people who
    answer meanwhile get their turn; what was added stays if a later block fails.

    Args:
        campaign: to which.
        rows: what to add.
        note: called with what was done so far, in the transaction of each block.
    """
    new: list[SeedRow] = []
    duplicates: list[SeedRow] = []
    ready = [(_pair(campaign, row), row) for row in rows]
    for start in range(0, len(ready), _BLOCK):
        with locked(campaign.pk) as current:
            added, there = _add(current, ready[start : start + _BLOCK])
            new += added
            duplicates += there
            note(SeedReport(tuple(new), tuple(duplicates)))
    with locked(campaign.pk) as current:
        choose_calibration(current)
    return SeedReport(tuple(new), tuple(duplicates))


def _add(campaign: Campaign, block: Sequence[tuple[Pair, SeedRow]]) -> tuple[list[SeedRow], list[SeedRow]]:
    """Add one block of rows; which were new, and which were there."""
    pairs = {(pair.country, pair.language, pair.key): pair for pair, _ in reversed(block)}
    there = Pair.objects.filter(
        campaign=campaign,
        country__in={pair.country for pair in pairs.values()},
        key__in={pair.key for pair in pairs.values()},
    )
    present = set(there.values_list("country", "language", "key"))
    Pair.objects.bulk_create(pair for name, pair in reversed(pairs.items()) if name not in present)
    return _sort_out(present, (((pair.country, pair.language, pair.key), row) for pair, row in block))


def unkind(row: SeedRow) -> bool | None:
    """Whether a row is stored as unkind: as the file says, else as the words alone say; None: not known."""
    return negative(visible(row.attribute), row.language) if row.negative is None else row.negative


def choose_calibration(campaign: Campaign) -> None:
    """Mark the random set of live seeds that all people go through in one order: at most a third of them.

    It is drawn anew with each upload until the campaign opens, and never changed afterwards.
    """
    chosen = Pair.objects.filter(campaign=campaign, calibration=True)
    if campaign.began_at is not None and chosen.exists():
        return
    seeds = Pair.objects.filter(campaign=campaign, source=Source.SEED, moderation=Moderation.LIVE)
    ids: Sequence[int] = list(seeds.order_by("pk").values_list("pk", flat=True))
    size = min(campaign.settings.sampler.calibration_pairs, int(len(ids) * _MOST))
    chosen.update(calibration=False)
    Pair.objects.filter(pk__in=SystemRandom().sample(ids, size)).update(calibration=True)


def _sort_out(
    present: set[Name], rows: Iterable[tuple[Name, SeedRow]]
) -> tuple[list[SeedRow], list[SeedRow]]:
    """Rows that are new, and those whose name is known or an earlier row's."""
    new: list[SeedRow] = []
    duplicates: list[SeedRow] = []
    for name, row in rows:
        (duplicates if name in present else new).append(row)
        present.add(name)
    return new, duplicates


def _alike(present: Mapping[Name, str], rows: Iterable[SeedRow]) -> tuple[Alike, ...]:
    cells: defaultdict[tuple[str, str], list[SeedRow]] = defaultdict(list)
    others: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        cells[row.country, row.language].append(row)
    for (country, language, name), words in present.items():
        others[country, language][name] = words
    return tuple(similar for cell, new in cells.items() for similar in _alike_in(others[cell], cell[1], new))


def _alike_in(others: Mapping[str, str], language: str, new: Sequence[SeedRow]) -> Iterator[Alike]:
    """Rows of one country and language that are like a pair or an earlier row."""
    names = [*others, *(key(row.attribute, language) for row in new)]
    words = [*others.values(), *(row.attribute for row in new)]
    near = nearest_before([comparable(name, language) for name in names], len(others))
    for place, other in near.items():
        yield Alike(new[place - len(others)], words[other])


def _pair(campaign: Campaign, row: SeedRow) -> Pair:
    words, hurts = visible(row.attribute), unkind(row)
    unlisted = hurts is None and row.language not in has_slurs()
    return Pair(
        campaign=campaign,
        country=row.country,
        attribute=words,
        key=key(words, row.language),
        language=row.language,
        topic=row.topic,
        negative=hurts,
        source=Source.SEED,
        flags=[UNLISTED] if unlisted else [],
        moderation=Moderation.LIVE,
    )


MAX_ROWS = 5_000
_NEEDED = ("country", "attribute", "language")
_LINE_ENDS = re.compile(r"\r\n?|\n")


class SeedFileError(UserError):
    """A file of seeds that cannot be used; says which row and column, and what was expected, in the page's language."""


def read_seeds(
    source: Path | bytes, name: str, languages: tuple[str, ...], settings: CampaignSettings | None = None
) -> list[SeedRow]:
    """The rows of a file with columns country, attribute, language and perhaps topic and negative.

    Args:
        source: the file or what is in it.
        name: its name; `.csv`, `.tsv`, `.xlsx`, `.jsonl` or `.ndjson` says how it is read.
        languages: those of the campaign.
        settings: of the campaign; groups that it declared stand in the place of countries, under `country` or `group`.

    Raises:
        SeedFileError: the first thing that is wrong.
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".xlsx":
        records = _workbook_records(source, name)
    elif suffix in {".jsonl", ".ndjson"}:
        records = _json_records(_text(source, name, languages), name)
    elif suffix in {".csv", ".tsv"}:
        records = _table_records(_text(source, name, languages), name, "\t" if suffix == ".tsv" else None)
    else:
        raise _fault(
            gettext("%(name)s is of an unknown kind: use a file that ends in .csv, .tsv, .xlsx or .jsonl."),
            name=name,
        )
    rows: list[SeedRow] = []
    for place, record in records:
        if len(rows) == MAX_ROWS:
            raise _fault(
                gettext("%(name)s has more than %(most)d rows: split it into several files."),
                name=name,
                most=MAX_ROWS,
            )
        rows.append(row_of(place, record, languages, settings))
    if not rows:
        raise _fault(gettext("%(name)s has no rows: write one pair in each row."), name=name)
    return rows


def _text(source: Path | bytes, name: str, languages: tuple[str, ...]) -> str:
    try:
        content = source if isinstance(source, bytes) else source.read_bytes()
    except OSError as error:
        raise _fault(
            gettext("%(name)s cannot be read: %(fault)s."), name=name, fault=error.strerror or error
        ) from error
    text = decoded(content, languages)
    if undecodable(text):
        wrong = next(number for number, line in enumerate(text.split("\n"), start=1) if undecodable(line))
        raise _fault(
            gettext("%(place)s, is not UTF-8 text: save the file as 'CSV UTF-8' and upload it again."),
            place=_place(name, wrong),
        )
    return text


def _table_records(text: str, name: str, delimiter: str | None) -> Iterator[tuple[str, Mapping[str, str]]]:
    dialect = dialect_of_text(text, delimiter or ",", _NEEDED)
    mark = dialect.delimiter
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        for _ in range(dialect.skipped):
            next(reader)
        columns = [_column(column) for column in next(reader, [])]
        _check_columns(columns, name)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                place = _place(name, reader.line_num)
                if any(cell.strip() for cell in cells[len(columns) :]):
                    raise _fault(
                        gettext(
                            "%(place)s, has %(cells)d cells, but the first line names %(columns)d columns: "
                            "put words that contain %(mark)s in double quotes."
                        ),
                        place=place,
                        cells=len(cells),
                        columns=len(columns),
                        mark=gettext("a tab") if mark == "\t" else f"'{mark}'",
                    )
                # A row may end early, as spreadsheet programs leave it.
                yield place, dict(zip(columns, map(restored, cells), strict=False))
    except csv.Error as error:
        raise _fault(
            gettext("%(place)s, is no proper %(kind)s: %(fault)s."),
            place=_place(name, reader.line_num),
            kind="TSV" if delimiter else "CSV",
            fault=error,
        ) from error


def _workbook_records(source: Path | bytes, name: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = source if isinstance(source, Path) else Path(folder) / "seeds.xlsx"
        if isinstance(source, bytes):
            path.write_bytes(source)
        try:
            with reading_files():
                (_, heading), *rows = workbook_rows(path, _NEEDED)
        except UserError as problem:
            raise SeedFileError(str(problem).replace(str(path), name)) from problem
    columns = [_column(column or "") for column in heading]
    _check_columns(columns, name)
    for line, cells in rows:
        if any(cells):
            yield _place(name, line), dict(zip(columns, [cell or "" for cell in cells], strict=False))


def _column(name: str) -> str:
    """A column by its usual name: groups stand where countries do."""
    known = name.strip().lower()
    return "country" if known == "group" else known


def _check_columns(columns: list[str], name: str) -> None:
    missing = [column for column in _NEEDED if column not in columns]
    if missing:
        raise _fault(
            gettext(
                "%(name)s has no column '%(column)s' in its first line (found: %(found)s): "
                "the first line must be country,attribute,language and may go on with topic,negative."
            ),
            name=name,
            column=missing[0],
            found=", ".join(column for column in columns if column) or "–",
        )
    _check_once(_place(name, 1), columns)


def _check_once(place: str, columns: Sequence[str]) -> None:
    twice = next((column for column, times in Counter(columns).items() if column and times > 1), None)
    if twice is not None:
        raise _fault(
            gettext("%(place)s, has the column '%(column)s' more than once: keep one of them."),
            place=place,
            column=twice,
        )


def _json_records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for number, line in enumerate(_LINE_ENDS.split(text), start=1):
        if not line.strip():
            continue
        place = _place(name, number)
        try:
            record = json.loads(line, object_pairs_hook=list)
        except (ValueError, RecursionError) as error:
            raise _no_object(place) from error
        if not line.lstrip().startswith("{"):
            raise _no_object(place)
        _check_once(place, [column for column, _ in record])
        yield place, {column: _cell(place, column, value) for column, value in record}


def _cell(place: str, column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        raise _wrong_cell(place, column, gettext("expected text in quotes"))
    return value


def row_of(
    place: str,
    record: Mapping[str, str],
    languages: tuple[str, ...],
    settings: CampaignSettings | None = None,
) -> SeedRow:
    """One row from its cells as they were typed; `place` names it in errors.

    Raises:
        SeedFileError: a cell is wrong.
    """
    declared = settings if settings is not None and settings.groups else None
    readers: Mapping[str, Callable[[str], Any]] = {
        "country": lambda typed: group_cell(typed, declared) if declared else country_cell(typed, languages),
        "attribute": attribute_cell,
        "language": lambda typed: language_cell(typed, languages),
        "topic": topic_cell,
        "negative": negative_cell,
    }
    cells = {}
    for column, read in readers.items():
        typed = record.get(column, "")
        try:
            cells[column] = read(_shown(typed))
        except ValueError as error:
            raise _wrong_cell(place, column, error) from error
    if not key(cells["attribute"], cells["language"]):
        fault = gettext("expected words, found '%(typed)s'") % {"typed": cells["attribute"]}
        raise _wrong_cell(place, "attribute", fault)
    return SeedRow(**cells)


def _shown(typed: str) -> str:
    if len(typed) > READ:
        raise ValueError(too_long_cell(typed, MAX_LENGTH))
    return visible(typed)


def _place(name: str, line: int) -> str:
    return gettext("%(name)s, line %(line)d") % {"name": name, "line": line}


def _fault(sentence: str, **values: object) -> SeedFileError:
    return SeedFileError(sentence % values)


def _wrong_cell(place: str, column: str, fault: object) -> SeedFileError:
    return _fault(
        gettext("%(place)s, column '%(column)s': %(fault)s."), place=place, column=column, fault=fault
    )


def _no_object(place: str) -> SeedFileError:
    return _fault(gettext("%(place)s, is no JSON object: write one {...} on each line."), place=place)
