"""BBQ's questions (Parrish et al. 2022) and files laid out like them: in as items, out as published."""

from endoxa.sources.bbq.items import (
    find_metadata,
    read_items,
    read_metadata,
    read_social_values,
    targets_note,
    texts_without_language,
)
from endoxa.sources.bbq.rows import is_bbq, read_rows, write_items

__all__ = [
    "find_metadata",
    "is_bbq",
    "read_items",
    "read_metadata",
    "read_rows",
    "read_social_values",
    "targets_note",
    "texts_without_language",
    "write_items",
]
