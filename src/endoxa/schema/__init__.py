"""The types that pass between packages, one module for each subject. Nothing here does any work.

Tables are Polars frames; `PAIR_COLUMNS`, `RECORD_COLUMNS` and `ESTIMATE_COLUMNS` define their columns, and the manual
is generated from the same sentences. Single values are frozen dataclasses. Names are loaded when they are first used:
the terminal needs none of them to say what commands there are.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endoxa.schema.association_tests import *  # noqa: F403
    from endoxa.schema.associations import *  # noqa: F403
    from endoxa.schema.chat import *  # noqa: F403
    from endoxa.schema.pairs import *  # noqa: F403
    from endoxa.schema.qa import *  # noqa: F403
    from endoxa.schema.results import *  # noqa: F403
    from endoxa.schema.scoring import *  # noqa: F403

_MODULES = ("association_tests", "associations", "pairs", "qa", "results", "scoring", "chat")


def __getattr__(name: str) -> Any:
    """A public name, from the module that has it."""
    modules = () if name.startswith("_") else (import_module(f"{__name__}.{module}") for module in _MODULES)
    for module in modules:
        if name in vars(module):
            globals()[name] = vars(module)[name]
            return globals()[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
