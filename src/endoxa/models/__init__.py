"""What can be probed: local weights and servers, one module per kind.

`open_model` turns the words of the command line into something with the interface of
`endoxa.schema.Model`; nothing is imported that the chosen kind does not need.

What can be known of a model before it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions, ModelSpec, parse_model
from endoxa.schema import Architecture

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


WORTH_SAYING = 0.05
"""Share of unknown tokens in a language from which a run warns."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Name, architecture, and a fingerprint that changes with the files (None where it cannot be had)."""

    name: str
    architecture: Architecture
    fingerprint: str | None


def look_at(spec: ModelSpec, options: ModelOptions) -> ModelFacts:
    """Recognise a model from its configuration; no weights are read.

    Raises:
        UserError: it is not there, or not a language model.
    """
    if spec.kind == "server":
        return ModelFacts(spec.text, "causal", None)
    require_local(spec)
    from endoxa.models.local import architecture_of, fingerprint, local_folder, read_config

    folder = local_folder(spec)
    config = read_config(spec, options)
    marks = [fingerprint(folder) if folder else getattr(config, "_commit_hash", None)]
    if options.tokenizer and Path(options.tokenizer).is_dir():
        marks.append(fingerprint(Path(options.tokenizer)))
    return ModelFacts(spec.text, architecture_of(config, spec), "+".join(filter(None, marks)) or None)
