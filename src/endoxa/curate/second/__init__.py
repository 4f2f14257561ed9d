"""A second reader of statements, a chat model, and what both readers say together."""

from endoxa.curate.second.ask import ReaderSettings, plan_reader, read_with_model
from endoxa.curate.second.combine import Combined, combine
from endoxa.curate.second.prompt import ReaderItem
from endoxa.curate.second.table import SecondReading, reader_items, second_reading

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
