"""Providers with OpenAI's interface as entries of data: `presets.toml`, and a file of the user's own."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from endoxa.models.chat.entries import entries

USER_PROVIDERS = "ENDOXA_PROVIDERS"
"""Environment variable that names a TOML file with providers of the user's own, in the form of `presets.toml`."""


class Preset(BaseModel):
    """One provider.

    Attributes:
        base_url: address of its OpenAI-compatible interface.
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
    return entries("presets.toml", USER_PROVIDERS, "provider", Preset, environment)
