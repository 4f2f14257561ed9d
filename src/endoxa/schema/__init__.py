"""The types that pass between packages, one module for each subject. Nothing here does any work.

Tables are Polars frames; `PAIR_COLUMNS`, `RECORD_COLUMNS` and `ESTIMATE_COLUMNS` define their columns, and the manual
is generated from the same sentences. Single values are frozen dataclasses. Names are loaded when they are first used:
the terminal needs none of them to say what commands there are.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endoxa.schema.association_tests import TEST_COLUMNS, AssociationTest, TermSet
    from endoxa.schema.associations import ASSOCIATION_COLUMNS, GROUP_COLUMNS, STATEMENT_COLUMNS
    from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling, Usage
    from endoxa.schema.pairs import DIRECTIONS, PAIR_COLUMNS, REQUIRED_PAIR_COLUMNS, Pair, Reader, ReadOptions
    from endoxa.schema.qa import (
        DEBIAS_COLUMNS,
        NOT_KNOWN,
        OUTCOMES,
        PROTOCOLS,
        QA_COMPARISON_COLUMNS,
        QA_COUNT_COLUMNS,
        QA_ESTIMATE_COLUMNS,
        QA_IDENTITY_COLUMNS,
        QA_RECORD_COLUMNS,
        SHOWN_OUTCOMES,
        QaItem,
        Reading,
    )
    from endoxa.schema.results import (
        ALL,
        ESTIMATE_COLUMNS,
        RECORD_COLUMNS,
        Estimate,
        Progress,
        Sample,
        Statistic,
    )
    from endoxa.schema.scoring import (
        ARCHITECTURES,
        Architecture,
        CausalRequest,
        CompletionRequest,
        MaskedRequest,
        Model,
        Request,
        Rule,
        Score,
        Unscorable,
    )

__all__ = [
    "ALL",
    "ARCHITECTURES",
    "ASSOCIATION_COLUMNS",
    "DEBIAS_COLUMNS",
    "DIRECTIONS",
    "ESTIMATE_COLUMNS",
    "GROUP_COLUMNS",
    "NOT_KNOWN",
    "OUTCOMES",
    "PAIR_COLUMNS",
    "PROTOCOLS",
    "QA_COMPARISON_COLUMNS",
    "QA_COUNT_COLUMNS",
    "QA_ESTIMATE_COLUMNS",
    "QA_IDENTITY_COLUMNS",
    "QA_RECORD_COLUMNS",
    "RECORD_COLUMNS",
    "REQUIRED_PAIR_COLUMNS",
    "SHOWN_OUTCOMES",
    "STATEMENT_COLUMNS",
    "TEST_COLUMNS",
    "Architecture",
    "AssociationTest",
    "CausalRequest",
    "ChatAnswer",
    "ChatModel",
    "CompletionRequest",
    "Estimate",
    "MaskedRequest",
    "Message",
    "Model",
    "Pair",
    "Progress",
    "QaItem",
    "ReadOptions",
    "Reader",
    "Reading",
    "Request",
    "Rule",
    "Sample",
    "Sampling",
    "Score",
    "Statistic",
    "TermSet",
    "Unscorable",
    "Usage",
]

_MODULES = ("association_tests", "associations", "pairs", "qa", "results", "scoring", "chat")


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from the module that has it."""
    if name not in __all__:
        raise AttributeError(f"module 'endoxa.schema' has no attribute '{name}'")
    modules = (import_module(f"endoxa.schema.{module}") for module in _MODULES)
    globals()[name] = next(getattr(module, name) for module in modules if hasattr(module, name))
    return globals()[name]
