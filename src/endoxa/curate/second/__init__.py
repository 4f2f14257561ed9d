"""A second reader of statements, a chat model, and what both readers say together."""

from endoxa.curate.second.ask import ReaderSettings, plan_reader, read_with_model
from endoxa.curate.second.combine import Combined, combine
from endoxa.curate.second.prompt import Asked
from endoxa.curate.second.table import SecondReading, asked_of, second_reading

__all__ = [
    "Asked",
    "Combined",
    "ReaderSettings",
    "SecondReading",
    "asked_of",
    "combine",
    "plan_reader",
    "read_with_model",
    "second_reading",
]
