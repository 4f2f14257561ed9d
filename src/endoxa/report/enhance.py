"""The table library of itables, packed into the page: sorting and filtering without a network."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from importlib.resources import files


@cache
def bundle(name: str) -> str:
    """A file of the DataTables bundle that itables ships ('dt_bundle.js'), gzipped, as base64 text.

    Packed because it is 700 kB otherwise. Every browser since 2023 unpacks it (DecompressionStream); in older
    ones the table stays as it is, readable.
    """
    content = (files("itables") / "html" / name).read_bytes()
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode("ascii")
