"""Providers with OpenAI's interface as entries of data: `presets.toml`, and a file of the user's own."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from endoxa.errors import UserError

OWN_PROVIDERS = "ENDOXA_PROVIDERS"
"""Environment variable that names a TOML file with providers of the user's own, in the form of `presets.toml`."""


class Preset(BaseModel):
    """One provider.

    Attributes:
        base_url: address of its OpenAI-compatible interface, or several separated by commas.
        key: environment variable with the key; where empty, ENDOXA_SERVER_KEY is sent if it is set.
        max_tokens_field: what the field that bounds the answer is called.
        seed_field: what the field with the seed is called; empty where there is none.
        batches: it has OpenAI's batch interface (`/files`, `/batches`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str
    key: str = ""
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    batches: bool = False


def presets(environment: Mapping[str, str] = os.environ) -> dict[str, Preset]:
    """Every provider by name: ours, then the user's, who may replace ours.

    Raises:
        UserError: the user's file cannot be read, or an entry has a wrong or unknown field.
    """
    text = files("endoxa.models.chat").joinpath("presets.toml").read_text(encoding="utf-8")
    found = {name: Preset.model_validate(entry) for name, entry in tomllib.loads(text).items()}
    if own := environment.get(OWN_PROVIDERS):
        found |= _own(Path(own))
    return found


def _own(path: Path) -> dict[str, Preset]:
    try:
        entries: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UserError(f"The providers of {OWN_PROVIDERS}, {path}, cannot be read: {problem}.") from problem
    found = {}
    for name, entry in entries.items():
        try:
            found[name] = Preset.model_validate(entry)
        except ValidationError as problem:
            first = problem.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "entry"
            raise UserError(
                f"{path}: the provider [{name}] is not usable ({field}: {first['msg']}). It takes base_url, key (the "
                "name of an environment variable), max_tokens_field, seed_field and batches."
            ) from None
    return found
