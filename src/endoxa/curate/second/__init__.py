"""A second reader of statements, a chat model, and what both readers say together."""

from endoxa.curate.second.ask import ReaderItem, ReaderSettings, plan_reader, read_with_model
from endoxa.curate.second.table import Combined, SecondReading, combine, reader_items, second_reading

__all__ = [
    "Combined",
    "ReaderItem",
    "ReaderSettings",
    "SecondReading",
    "combine",
    "plan_reader",
    "read_with_model",
    "reader_items",
    "second_reading",
]
