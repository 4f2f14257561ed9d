"""Data that somebody hands over, a file or a frame: opened once, understood once, and passed on.

A `Source` is a path. Whatever reads it, a reader of another package included, gets the bytes that were read at the
first opening, and what was found out about it (columns, encoding, hash, format) stays with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from io import BytesIO, TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Concatenate, ParamSpec, Self, TypeVar, cast

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
class _Inputs:
    """The files that a command has opened, by the name it has for them, and how many bytes may still be kept."""

    sources: dict[str, tuple[tuple[int, ...], Source]] = field(default_factory=dict)
    bytes_left: int = KEPT_BYTES


_INPUTS: ContextVar[_Inputs | None] = ContextVar("files that the command has opened", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Within the block, which is one command, each file is opened once; see `Source.of`."""
    token = _INPUTS.set(_INPUTS.get() or _Inputs())
    try:
        yield
    finally:
        _INPUTS.reset(token)


class Source(PlatformPath):
    """A file with what was found out about it, or a data frame under the name of a file."""

    _content: bytes | None = None
    _title: str | None = None
    _keeps_content: bool = False
    _understood: dict[Any, Any]

    @classmethod
    def of(cls, path: str | PathLike[str]) -> Source:
        """The source at a path: within a command (`reading_once`) always the same, until the file changes.

        Outside of one, the file is streamed from the disk.
        """
        if isinstance(path, Source):
            return path
        inputs, source = _INPUTS.get(), cls(path)
        if inputs is None:
            return source
        try:
            status = source.stat()
        except (OSError, ValueError):  # a sentence about it comes from whoever reads it
            return source
        version = (status.st_size, status.st_mtime_ns, status.st_ino)
        before = inputs.sources.get(str(source))
        if before is not None and before[0] == version:
            return before[1]
        if source.is_file() and status.st_size <= inputs.bytes_left:
            inputs.bytes_left -= status.st_size
            source._keeps_content = True
        inputs.sources[str(source)] = (version, source)
        return source

    @classmethod
    def in_memory(cls, name: str, content: bytes, title: str) -> Self:
        """Content that lies in no file.

        Args:
            name: a name whose suffix says how the content is written.
            content: what a file would hold.
            title: what messages call it.
        """
        source = cls(name)
        source._content, source._title = content, title
        return source

    @classmethod
    def of_frame(cls, frame: pl.DataFrame, name: str = "data", title: str = "the data frame") -> Self:
        """A data frame, read as if it were a Parquet file."""
        stream = BytesIO()
        frame.write_parquet(stream)
        return cls.in_memory(f"{name}.parquet", stream.getvalue(), title)

    @property
    def is_file_on_disk(self) -> bool:
        """False for what is in memory only, beside which nothing lies in a folder."""
        return self._title is None

    def __str__(self) -> str:
        return self._title or super().__str__()

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """As `Path.open`; reading begins at the start of what was read at the first opening."""
        if mode.replace("t", "") not in ("r", "rb"):
            return super().open(mode, *args, **kwargs)
        if self._content is None and not self._keeps_content:
            return super().open(mode, *args, **kwargs)
        if self._content is None:
            with super().open("rb") as stream:
                self._content = stream.read()
        return BytesIO(self._content) if "b" in mode else _text(BytesIO(self._content), *args, **kwargs)

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


def _text(
    stream: BinaryIO,
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> TextIOWrapper:
    del buffering
    return TextIOWrapper(stream, encoding, errors, newline)


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
