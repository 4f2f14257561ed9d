"""What can be probed: models that score text (`scoring`), chat models (`chat`), encoders (`encoders`).

`open_model` of `endoxa.models.scoring` turns the words of the command line into something with the interface of
`endoxa.schema.Model`; `endoxa.models.chat.open_chat` and `endoxa.models.encoders.open_encoders` do the same for their
kinds. Providers and encoder kinds stand in registries, so that a package can add its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endoxa.models.scoring import open_model, parse_model
    from endoxa.models.spec import ModelOptions

__all__ = ["ModelOptions", "open_model", "parse_model"]


def __getattr__(name: str) -> Any:
    """The names of `__all__`, loaded when they are used: they bring every provider."""
    if name not in __all__:
        raise AttributeError(f"module 'endoxa.models' has no attribute '{name}'")
    from endoxa.models import scoring, spec

    return getattr(spec if name == "ModelOptions" else scoring, name)
