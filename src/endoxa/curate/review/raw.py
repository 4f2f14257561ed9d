"""The cells of a sheet that came back, before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from endoxa.curate.review.origin import Origin, OriginRow


@dataclass(frozen=True, slots=True)
class RawSheet:
    """The cells of a sheet that came back.

    Attributes:
        path: its file.
        header: its column names.
        origin: what it was made from.
        origins: its rows as they were handed out, by name.
        rows: number of the row in the sheet (the header is row 1), and its cells by column.
    """

    path: Path
    header: tuple[str, ...]
    origin: Origin
    origins: Mapping[str, OriginRow]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
