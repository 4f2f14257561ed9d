"""Data that somebody hands over, a file or a frame: opened once, understood once, and passed on.

A `Source` is a path. Whatever reads it, a reader of another package included, gets the bytes that were read at the
first opening, and what was found out about it (columns, encoding, hash, format) stays with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import wraps
from io import BytesIO, TextIOWrapper
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

if TYPE_CHECKING:
    import polars as pl

    PlatformPath = Path
else:
    PlatformPath = type(Path())  # before Python 3.12, `Path` itself has no subclasses

KEPT_BYTES = 64 << 20
"""Bytes of files that a command keeps in memory; what is larger is streamed from the disk at each pass."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Opened:
    """The files that a command has opened, by the name it has for them.

    Attributes:
        sources: version and source of each file.
        in_memory: what lies in no file, under the name of one.
        bytes_left: how many bytes may still be kept.
    """

    sources: dict[str, tuple[tuple[int, ...], Source]] = field(default_factory=dict)
    in_memory: dict[str, Source] = field(default_factory=dict)
    bytes_left: int = KEPT_BYTES


@dataclass(frozen=True)
class Reading:
    """How a command reads its files, and which it has opened.

    Attributes:
        languages: of files that are no Unicode text (ISO 639).
        include_drafts: read also drafts that nobody has judged; None where nobody has said.
        sheet: name or number of the sheet of workbooks; None where it is to be found.
        header_rows: first and last row that name the columns; None where the row is to be found.
        left_out: number of drafts left out, by file.
        sheets: the sheet that was read, by workbook with several.
        opened: each file is opened once; None outside of a command, where files are streamed from the disk.
    """

    languages: tuple[str, ...] = ()
    include_drafts: bool | None = None
    sheet: str | None = None
    header_rows: tuple[int, int] | None = None
    left_out: dict[Path, int] = field(default_factory=dict)
    sheets: dict[Path, str] = field(default_factory=dict)
    opened: Opened | None = None


_READING: ContextVar[Reading | None] = ContextVar("how files are read", default=None)


def current_reading() -> Reading:
    """How files are read here."""
    return _READING.get() or Reading()


def called(path: Path) -> str:
    """What messages call a file: a workbook of several tables with the sheet that was read."""
    title = current_reading().sheets.get(path)
    return f"{path}, sheet '{title}'" if title else str(path)


@contextmanager
def reading_files(
    *,
    languages: Sequence[str] | None = None,
    include_drafts: bool | None = None,
    sheet: str | None = None,
    header_rows: tuple[int, int] | None = None,
) -> Iterator[None]:
    """Within the block, which is one command or a part of it, each file is opened once; see `Source.of`.

    Args:
        languages: of files that are no Unicode text (ISO 639); None as around the block.
        include_drafts: read also drafts that nobody has judged; None as around the block. What was left out is
            counted anew where it changes.
        sheet: name or number (from 1) of the sheet of workbooks; None as around the block.
        header_rows: first and last row that name the columns; None as around the block.
    """
    outer = current_reading()
    inner = replace(outer, opened=outer.opened or Opened())
    codes = None if languages is None else tuple(languages)
    stated: dict[str, Any] = {"sheet": sheet, "header_rows": header_rows, "languages": codes}
    inner = replace(inner, **{name: value for name, value in stated.items() if value is not None})
    if include_drafts not in (None, outer.include_drafts):
        inner = replace(inner, include_drafts=include_drafts, left_out={})
    token = _READING.set(inner)
    try:
        yield
    finally:
        _READING.reset(token)


class Source(PlatformPath):
    """A file with what was found out about it, or a data frame under the name of a file.

    Attributes:
        title: what messages call it, where that is not its path.
        is_file_on_disk: False for what is in memory only, beside which nothing lies in a folder.
    """

    title: str | None = None
    is_file_on_disk: bool = True
    _content: bytes | None = None
    _keeps_content: bool = False
    _understood: dict[Any, Any]

    @classmethod
    def of(cls, path: str | PathLike[str]) -> Source:
        """The source at a path: within a command (`reading_files`) always the same, until the file changes.

        Outside of one, the file is streamed from the disk.
        """
        if isinstance(path, Source):
            return path
        opened, source = current_reading().opened, cls(path)
        if opened is None:
            return source
        if fspath(path) in opened.in_memory:
            return opened.in_memory[fspath(path)]
        try:
            status = source.stat()
        except (OSError, ValueError):  # a sentence about it comes from whoever reads it
            return source
        version = (status.st_size, status.st_mtime_ns, status.st_ino)
        before = opened.sources.get(fspath(source))
        if before is not None and before[0] == version:
            return before[1]
        if source.is_file() and status.st_size <= opened.bytes_left:
            opened.bytes_left -= status.st_size
            source._keeps_content = True
        opened.sources[fspath(source)] = (version, source)
        return source

    @classmethod
    def in_memory(cls, name: str, content: bytes, title: str) -> Self:
        """Content that lies in no file; within a command it is also found by its name.

        Args:
            name: a name whose suffix says how the content is written.
            content: what a file would hold.
            title: what messages call it.
        """
        source = cls(name)
        source._content, source.title, source.is_file_on_disk = content, title, False
        if opened := current_reading().opened:
            opened.in_memory[fspath(source)] = source
        return source

    @classmethod
    def of_frame(
        cls, frame: pl.DataFrame, name: str = "the data frame/data", title: str = "the data frame"
    ) -> Self:
        """A data frame, read as if it were a Parquet file."""
        stream = BytesIO()
        frame.write_parquet(stream)
        return cls.in_memory(f"{name}.parquet", stream.getvalue(), title)

    def __str__(self) -> str:
        return super().__str__() if self.is_file_on_disk or self.title is None else self.title

    def __fspath__(self) -> str:
        return super().__str__()

    def is_file(self, *args: Any, **kwargs: Any) -> bool:
        """As `Path.is_file`; what is in memory counts as a file."""
        return not self.is_file_on_disk or super().is_file(*args, **kwargs)

    def open(self, mode: str = "r", buffering: int = -1, *args: Any, **kwargs: Any) -> Any:
        """As `Path.open`; reading begins at the start of what was read at the first opening."""
        reads = mode.replace("t", "") in ("r", "rb")
        if not reads or (self._content is None and not self._keeps_content):
            return super().open(mode, buffering, *args, **kwargs)
        if self._content is None:
            with super().open("rb") as stream:
                self._content = stream.read()
        content = BytesIO(self._content)
        return content if "b" in mode else TextIOWrapper(content, *args, **kwargs)

    def scannable(self) -> Path | BytesIO:
        """What polars scans: the bytes in memory, or the path of a file that is too large for that."""
        stream = self.open("rb")
        if isinstance(stream, BytesIO):
            return stream
        stream.close()
        return self

    def understood(self, key: Any, find: Callable[[], T]) -> T:
        """What `find` returned when it was first asked for `key`."""
        results: dict[Any, Any] = self.__dict__.setdefault("_understood", {})
        if key not in results:
            results[key] = find()
        result: T = results[key]
        return result


def understood_once(
    function: Callable[Concatenate[Path, P], T],
) -> Callable[Concatenate[Path, P], T]:
    """What the function finds out about a file is kept with its source."""

    @wraps(function)
    def looked_up(path: Path, *args: P.args, **kwargs: P.kwargs) -> T:
        source = Source.of(path)
        key = (function, args, tuple(kwargs.items()))
        return source.understood(key, lambda: function(source, *args, **kwargs))

    return cast("Callable[Concatenate[Path, P], T]", looked_up)


@understood_once
def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
