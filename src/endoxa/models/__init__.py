"""What can be probed: local weights and servers, one module per kind.

`open_model` turns the words of the command line into something with the interface of
`endoxa.schema.Model`; nothing is imported that the chosen kind does not need.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions, ModelSpec, parse_model

if TYPE_CHECKING:
    from endoxa.schema import Model

__all__ = ["ModelOptions", "ModelSpec", "open_model", "parse_model", "require_local"]


def open_model(spec: ModelSpec, options: ModelOptions) -> Model:
    """Load a model, or connect to the server that has it.

    Raises:
        UserError: the model cannot be had, or could give no honest number.
    """
    if spec.kind == "server":
        from endoxa.models.server import ServerModel

        return ServerModel.connect(spec, options)
    require_local(spec)
    from endoxa.models.local import open_local

    return open_local(spec, options)


def require_local(spec: ModelSpec) -> None:
    """Refuse local weights where torch or transformers is not installed.

    Raises:
        UserError: with the command that installs them.
    """
    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    if missing:
        raise UserError(
            f"The model '{spec.text}' needs {' and '.join(missing)}: pip install \"endoxa[local]\" -c constraints.txt"
        )
