"""Campaigns to start from: settings with texts in all languages of the pages, and a few pairs.

A preset is `presets/NAME.toml`, settings as `CampaignSettings` has them, and perhaps `presets/NAME.csv`, pairs as
organisers upload them. `organisation` and `contact` are empty: whoever starts a campaign fills them in.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from endoxa.collect.campaign import CampaignSettings
from endoxa.collect.entry.seed_files import read_seeds
from endoxa.collect.entry.seeding import SeedRow
from endoxa.errors import UserError

_FOLDER = files("endoxa.collect") / "presets"


@dataclass(frozen=True)
class Preset:
    """What a campaign starts with."""

    settings: CampaignSettings
    seeds: tuple[SeedRow, ...]


def preset_names() -> tuple[str, ...]:
    """Names of the presets, sorted."""
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml"))
    )


def load_preset(name: str) -> Preset:
    """Read a preset.

    Raises:
        UserError: unknown preset.
    """
    if name not in preset_names():
        raise UserError(f"Unknown preset '{name}' (available: {', '.join(preset_names())}).")
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    settings = CampaignSettings.model_validate(content)
    seeds = _FOLDER / f"{name}.csv"
    rows = read_seeds(seeds.read_bytes(), seeds.name, settings.data_languages) if seeds.is_file() else ()
    return Preset(settings, tuple(rows))
