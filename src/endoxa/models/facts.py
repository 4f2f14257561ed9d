"""What can be known of a model before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from endoxa.models import require_local
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.schema import Architecture

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
