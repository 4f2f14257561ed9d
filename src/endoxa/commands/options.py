"""Options that several commands share: `--set NAME=VALUE` and files of settings, layouts of tables, reader models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_origin

from endoxa.errors import UserError
from endoxa.runs.options import as_setting, keywords, nearest
from endoxa.schema.options import DATA, MONEY, NETWORK, OUTPUT, Option, OptionField, options_of, settings_from

if TYPE_CHECKING:
    from endoxa.runs.asking.readers import ReaderSettings, Texts
    from endoxa.runs.instrument import Plan

    Settings = TypeVar("Settings", bound=ReaderSettings)

FieldPath = tuple[str, ...]
NOTICE = "notice"
"""What every page of a run says first: `run.json` holds it, and no option gives it."""


@dataclass(frozen=True, slots=True)
class Further:
    """How a command is given the settings that `--help --all` lists.

    Attributes:
        set: Further setting, as --help --all lists them; repeatable.
        settings: Settings by name: TOML, or the run.json of a run. What is typed stands over them.
    """

    set: Annotated[tuple[str, ...], Option(group=OUTPUT, metavar="NAME=VALUE")] = ()
    settings: Annotated[Path | None, Option(group=DATA)] = None


def values_set(owner: Any, further: Further) -> dict[FieldPath, Any]:
    """Values by path: those of the file, and over them what was set.

    Raises:
        UserError: the file cannot be read, or a name or value is none.
    """
    values = dict(_of_file(owner, further.settings)) if further.settings else {}
    several: dict[FieldPath, list[Any]] = {}
    for word in further.set:
        name, sign, text = word.partition("=")
        entry = keywords(owner).get(name.replace("-", "_"))
        if entry is None or not sign:
            raise UserError(
                f"--set {word}: expected NAME=VALUE.{nearest(name, keywords(owner))} --help --all lists the names."
            )
        value = read_value(entry, text)
        several.setdefault(entry.path, []).extend(value if isinstance(value, list) else [value])
    entries = {entry.path: entry for entry in options_of(owner)}
    set_now = {
        path: tuple(given) if get_origin(entries[path].type) is tuple else given[-1]
        for path, given in several.items()
    }
    return values | set_now


def read_value(entry: OptionField, value: Any) -> Any:
    """The value of a field from what was typed.

    Raises:
        UserError: the text cannot be read.
    """
    if isinstance(value, list):
        return tuple(value)
    if entry.option.parse is None:
        return value
    try:
        return entry.option.parse(value)
    except (ValueError, UserError) as problem:
        raise UserError(f"{entry.name}: {problem}") from problem


def _of_file(owner: Any, file: Path) -> Iterator[tuple[FieldPath, Any]]:
    """Settings of a file, by path, without those that say what is written."""
    from endoxa.sources.toml import read_toml

    if file.suffix == ".json":
        yield from run_settings(owner, file)[0].items()
        return
    outputs = {entry.path for entry in options_of(owner) if _is_written(entry)}
    for path, value in _of_tables(owner, file, read_toml(file), ()):
        if path in outputs:
            raise UserError(f"{file}: '{path[-1]}' says what is written, which only the command may say.")
        yield path, value


def _is_written(entry: OptionField) -> bool:
    """Whether the value names a file or folder that is written."""
    return entry.is_path and entry.option.group == OUTPUT


def run_settings(owner: Any, file: Path) -> tuple[dict[FieldPath, Any], Mapping[str, Any]]:
    """Settings in `run.json` that are not the usual ones, without those that say what is written; and its content.

    Raises:
        UserError: it holds no such settings.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        made = TypeAdapter(owner).validate_python(content["settings"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise UserError(
            f"{file} holds no settings of this command: expected the run.json of a run."
        ) from problem
    values = {entry.path: (entry, reduce(getattr, entry.path, made)) for entry in options_of(owner)}
    kept = {
        path: value
        for path, (entry, value) in values.items()
        if value != entry.default and not _is_written(entry)
    }
    notice = getattr(made, NOTICE, None)
    return kept | ({(NOTICE,): notice} if notice else {}), content


def _of_tables(
    owner: Any, file: Path, content: Mapping[str, Any], path: FieldPath
) -> Iterator[tuple[FieldPath, Any]]:
    """Settings of a table and of the tables in it (`[sampling]`)."""
    by_path = {entry.path: entry for entry in options_of(owner)}
    tables = {entry[: len(path) + 1] for entry in by_path if len(entry) > len(path) + 1}
    words = keywords(owner)
    for name, value in content.items():
        here = (*path, name)
        entry = by_path.get(here) or (None if path else words.get(name))
        if here in tables and isinstance(value, Mapping):
            yield from _of_tables(owner, file, value, here)
        elif entry is None:
            raise UserError(f"{file}: there is no setting '{name}'.{nearest(name, words)}")
        else:
            yield entry.path, as_setting(entry, value)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the table stands in a file.

    Attributes:
        sheet: Sheet of a workbook, by name or number.
        header_row: Row that names the columns, as a spreadsheet numbers it; 1-2 joins names in two rows.
    """

    sheet: Annotated[str | None, Option(group=DATA, metavar="NAME", default="the one with the columns")] = (
        None
    )
    header_row: Annotated[str | None, Option(group=DATA, metavar="N|N-M", default="the first that does")] = (
        None
    )

    @property
    def reading(self) -> dict[str, Any]:
        """The same for `endoxa.sources.source.reading_files`.

        Raises:
            UserError: `header_row` names no rows.
        """
        from endoxa.sources.headers import name_rows

        return {"sheet": self.sheet, "header_rows": name_rows(self.header_row) if self.header_row else None}


@dataclass(frozen=True, slots=True)
class ReaderModels:
    """How chat models are asked to read.

    Attributes:
        batch: Reader models: use the provider's batch interface (half the price).
        max_cost: Reader models: stop before it costs more than this.
        price: Reader models: price in US dollars per million tokens.
        plan: Reader models: only print expected calls, tokens and cost.
    """

    batch: Annotated[bool, Option(group=NETWORK, only_on=True)] = False
    max_cost: Annotated[float | None, Option(group=MONEY, metavar="USD")] = None
    price: Annotated[str | None, Option(group=MONEY, metavar="IN,OUT", default="list price")] = None
    plan: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False

    def require(self, readers: Sequence[str] | str | None) -> None:
        """Refuse these options where no model reads.

        Raises:
            UserError: one was given.
        """
        if self != ReaderModels() and not readers:
            raise UserError(
                "--batch, --max-cost, --price and --plan need --reader. Name the model that reads."
            )

    def planned(self, texts: Texts[Any], settings: ReaderSettings) -> Plan:
        """What reading would take."""
        from endoxa.runs.asking.cost import plan_table
        from endoxa.runs.asking.readers import plan_readers

        return plan_table(plan_readers(texts, settings))

    def settings(self, kind: type[Settings], data: Path, models: Sequence[str]) -> Settings:
        """Settings of their run."""
        options = {"batch": self.batch, "max_cost": self.max_cost, "price": self.price}
        values: dict[tuple[str, ...], Any] = {("data",): str(data), ("models",): tuple(models)}
        values |= {(name,): value for name, value in options.items() if value not in (None, False)}
        return settings_from(kind, values)
