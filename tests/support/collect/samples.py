"""Settings of a small campaign, for tests."""

from __future__ import annotations

from endoxa.collect.campaign import CampaignSettings, CampaignTexts


def campaign_settings(**changes):
    """Valid settings, changed as told."""
    texts = {
        name: {"en": f"{name} in English", "es": f"{name} en español"} for name in CampaignTexts.model_fields
    }
    facts = {
        "organisation": "River Lab",
        "contact": "river@example.org",
        "texts": texts,
        "data_languages": ("en", "es"),
        "countries": ("AR", "CL", "UY", "BR"),
        **changes,
    }
    return CampaignSettings.model_validate(facts)
