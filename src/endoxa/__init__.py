"""endoxa: culturally grounded stereotype measurement, from what people say to a defensible result.

    import endoxa as ex

    result = ex.probe_pairs("pairs.csv", models=["hf/openai-community/gpt2"], rules=["sum"])
    print(result.headline())
    result.save_report("report.html")

The names in `__all__` are stable: one that is to go warns for two minor versions first. They are loaded when they are
first used, so that importing endoxa is instant. The parts behind them are packages of their own (`endoxa.stats`,
`endoxa.sources`, `endoxa.models`, `endoxa.runs`, `endoxa.instruments`).
"""

# ruff: noqa: F403, F405
import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endoxa.api import *
    from endoxa.api.functions import *
    from endoxa.errors import UserError

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Gate",
    "Result",
    "UserError",
    "analyze",
    "build",
    "command",
    "compare",
    "extract",
    "gate",
    "live_model",
    "load_pairs",
    "load_questions",
    "load_stories",
    "load_tests",
    "probe",
    "probe_conditions",
    "probe_embeddings",
    "probe_pairs",
    "probe_questions",
    "probe_stories",
    "rate_harm",
    "read_logs",
    "read_run",
]

PACKAGES = ("author", "curate", "export", "report")
"""Packages that are verbs, too."""

_VERBS = tuple(
    f"{verb}_"
    for verb in (
        "analyze",
        "build",
        "curate",
        "datasets",
        "export",
        "languages",
        "probe",
        "study",
    )
)


class _Callable(_ModuleType):
    """A package that is a verb, too."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Carry out a command: `ex.curate("group", "statements.csv", out="groups.csv")`; see `endoxa.command`."""
        verb = self.__name__.rpartition(".")[2]
        if verb in ("author", "report"):
            return _import_module("endoxa.api").command(verb, *inputs, **options)
        name, *others = inputs
        return _import_module("endoxa.api").command(f"{verb} {name}", *others, **options)


def as_verb(package: str) -> None:
    """Make a package callable whose name is a verb: `ex.build` and `ex.analyze` are functions, `ex.curate` is both."""
    _sys.modules[package].__class__ = _Callable


def __getattr__(name: str) -> Any:
    """A public name, loaded now: one of `__all__`, the function of a command ("curate_group"), or a verb ("curate")."""
    if name in PACKAGES:
        return _import_module(f"endoxa.{name}")
    if name in __all__:
        module = "endoxa.errors" if name == "UserError" else "endoxa.api"
    elif name == "reproduce" or name.startswith(_VERBS):
        module = "endoxa.api.functions"
    else:
        raise AttributeError(f"module 'endoxa' has no attribute '{name}'")
    loaded = getattr(_import_module(module), name)
    globals()[name] = loaded
    return loaded


def __dir__() -> list[str]:
    """What there is, for completion."""
    from endoxa.api.functions import functions

    return sorted({*globals(), *__all__, *functions()})
