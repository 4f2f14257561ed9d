"""Settings of a small campaign, for tests."""

from __future__ import annotations

from endoxa_collect.campaign import CampaignSettings, CampaignTexts
from endoxa_collect.sampler.slots import SamplerSettings

TICKS = {"age": "on", "take_part": "on", "publication": "on"}
"""The boxes of the consent that everybody ticks."""


def campaign_settings(**changes):
    """Valid settings, changed as told; open questions between ratings are only asked where a test wants them."""
    sampler = changes.get("sampler", {})
    if isinstance(sampler, SamplerSettings):
        sampler = sampler.model_dump(exclude_unset=True)
    texts = {
        name: {"en": f"{name} in English", "es": f"{name} en español"} for name in CampaignTexts.model_fields
    }
    facts = {
        "organisation": "River Lab",
        "contact": "river@example.org",
        "retention": "2099-12-31",
        "texts": texts,
        "data_languages": ("en", "es"),
        "countries": ("AR", "CL", "UY", "BR"),
        **changes,
        "sampler": {"prompt_early": 0.0, **sampler},
    }
    return CampaignSettings.model_validate(facts)
