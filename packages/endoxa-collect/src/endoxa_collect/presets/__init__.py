"""Campaigns to start from: settings with texts in all languages of the pages, and a few pairs.

A preset is `presets/NAME.toml`, settings as `CampaignSettings` has them, and perhaps `presets/NAME.csv`, pairs as
organisers upload them. `organisation` and `contact` are empty: whoever starts a campaign fills them in.

`NAME:en,sw` is the preset with words and pages in these languages only. Pairs that nobody in the room reads wait for
ratings that they cannot get, and keep the fields for new words closed. Where there are pairs, pages are only in the
languages that have some, in the order of the preset: a page in another language would end after one question.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from endoxa.errors import UserError
from endoxa_collect.campaign import CampaignSettings, read_settings
from endoxa_collect.entry.seeding import SeedRow, read_seeds

_FOLDER = files("endoxa_collect") / "presets"


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


def load_preset(wanted: str) -> Preset:
    """Read a preset, `NAME` or `NAME:LANGUAGE,LANGUAGE`.

    Raises:
        UserError: unknown preset, or a language that it does not have.
    """
    name, colon, listed = wanted.partition(":")
    if name not in preset_names():
        raise UserError(f"Unknown preset '{name}' (available: {', '.join(preset_names())}).")
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    settings = read_settings(content, f"preset '{name}'")
    seeds = _FOLDER / f"{name}.csv"
    rows = read_seeds(seeds.read_bytes(), seeds.name, settings.data_languages) if seeds.is_file() else ()
    offered = settings.data_languages
    if not colon:
        return _spoken(settings, rows, offered)
    languages = tuple(dict.fromkeys(part.strip() for part in listed.split(",") if part.strip()))
    unknown = next((code for code in languages if code not in offered), "")
    if unknown or not languages:
        raise UserError(
            f"Preset '{name}' has no language '{unknown}' (available: {', '.join(offered)}). "
            f"Write, for example, {name}:{','.join(offered[:2])}."
        )
    kept = settings.model_copy(update={"data_languages": languages})
    return _spoken(kept, [row for row in rows if row.language in languages], languages)


def _spoken(settings: CampaignSettings, rows: Sequence[SeedRow], languages: Sequence[str]) -> Preset:
    written = {row.language for row in rows} or set(languages)
    pages = tuple(code for code in languages if code in written and code in settings.ui_languages)
    # A survey in a language without pages of ours, such as Hausa, is asked in all languages of the pages.
    kept = settings.model_copy(update={"ui_languages": pages or settings.ui_languages})
    return Preset(kept, tuple(rows))
