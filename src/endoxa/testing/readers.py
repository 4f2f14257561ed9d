"""The battery of checks for one reader, ours or another package's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import DIRECTIONS, PAIR_COLUMNS, REQUIRED_PAIR_COLUMNS, Reader, ReadOptions

_OPTIONS = ReadOptions()
_KEPT_BY_EVERY_FORMAT = ("direction", "stereotypical", "sent_more", "sent_less")
_DAMAGED = {
    "an empty file": b"",
    "bytes that are no text": bytes(range(128, 256)) * 8,
    "a table of something else": b"colour,price\nred,3\n",
}


def check_reader(reader: Reader) -> None:
    """Run every check of the battery over a reader, with the example file it brings.

    It must document itself, recognise its example, yield frames with exactly the agreed columns and labels
    whatever the chunk size, give the same pairs every time, refuse what is no file of its format with a
    UserError, and, where it can write, read back the same pairs.

    Raises:
        AssertionError: a check failed; the message names the reader and what is wrong with it.
    """
    for part in ("name", "title", "example", "units"):
        assert str(getattr(reader, part)).strip(), f"{reader.name}: `{part}` is empty"
    assert reader.suffixes, f"{reader.name}: `suffixes` is empty"
    for suffix in reader.suffixes:
        ending = suffix[:1] == "." and suffix == suffix.lower()
        assert ending, f"{reader.name}: '{suffix}' is no file ending"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"example{reader.suffixes[0]}"
        path.write_text(reader.example, encoding="utf-8")
        assert reader.recognise(path), f"{reader.name}: does not recognise its own example"
        pairs = pl.concat(reader.read(path, _OPTIONS))
        wanted = dict.fromkeys(PAIR_COLUMNS, pl.String)
        assert dict(pairs.schema) == wanted, f"{reader.name}: columns are {pairs.schema}, not {wanted}"
        assert pairs.height, f"{reader.name}: the example holds no pairs"
        for column in REQUIRED_PAIR_COLUMNS:
            empty = pairs.filter(pl.col(column).is_null() | (pl.col(column).str.strip_chars() == ""))
            assert empty.is_empty(), (
                f"{reader.name}: '{column}' is empty in {empty.height} pairs of the example"
            )
        assert pairs["item_id"].is_unique().all(), f"{reader.name}: two pairs of the example share an item_id"
        for column, allowed in (("direction", DIRECTIONS), ("stereotypical", ("more", "less"))):
            unknown = sorted(set(pairs[column]) - set(allowed))
            assert not unknown, f"{reader.name}: '{column}' holds {unknown}"
        cased = pairs.filter(pl.col("axis") != pl.col("axis").str.to_lowercase())
        assert cased.is_empty(), f"{reader.name}: axes must be in lower case"
        for rows in (1, 2, pairs.height + 1):
            frames = list(reader.read(path, replace(_OPTIONS, chunk_rows=rows)))
            tallest = max(frame.height for frame in frames)
            assert tallest <= rows, f"{reader.name}: a frame has {tallest} rows where chunk_rows is {rows}"
            same = pl.concat(frames).equals(pairs)
            assert same, f"{reader.name}: chunks of {rows} give other pairs than one chunk"
        _check_refusals(reader, path)
        _check_writing(reader, pairs, Path(folder) / f"written{reader.suffixes[0]}")


def _check_refusals(reader: Reader, example: Path) -> None:
    path = example.with_name(f"damaged{example.suffix}")
    for what, content in _DAMAGED.items():
        path.write_bytes(content)
        _refuses(reader, path, what)
    path.unlink()
    _refuses(reader, path, "a file that is not there")
    _refuses(reader, path.parent, "a folder")


def _refuses(reader: Reader, path: Path, what: str) -> None:
    message = _refusal(reader, path)
    assert message is not None, f"{reader.name}: reads pairs from {what} instead of raising UserError"
    assert path.name in message, f"{reader.name}: the message about {what} does not name the file: {message}"


def _refusal(reader: Reader, path: Path) -> str | None:
    """What the reader says against the file; None where it reads it."""
    try:
        for _ in reader.read(path, _OPTIONS):
            pass
    except UserError as error:
        return str(error)
    return None


def _check_writing(reader: Reader, pairs: pl.DataFrame, path: Path) -> None:
    if reader.write is None:
        return
    reader.write(pairs.iter_slices(1), path)
    back = pl.concat(reader.read(path, _OPTIONS)).select(_KEPT_BY_EVERY_FORMAT)
    assert back.equals(pairs.select(_KEPT_BY_EVERY_FORMAT)), (
        f"{reader.name}: what it writes reads differently"
    )
