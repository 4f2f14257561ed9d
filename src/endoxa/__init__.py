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
from importlib import import_module as _import_module
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


def __getattr__(name: str) -> Any:
    """A public name, loaded now: one of `__all__`, or the function of a command ("curate_group")."""
    if name in __all__ or name == "reproduce" or "_" in name.strip("_"):  # no package has such a name
        for module in map(_import_module, ("endoxa.errors", "endoxa.api", "endoxa.api.functions")):
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'endoxa' has no attribute '{name}'")


def __dir__() -> list[str]:
    """What there is, for completion."""
    from endoxa.api.functions import functions

    return sorted({*globals(), *__all__, *functions()})
