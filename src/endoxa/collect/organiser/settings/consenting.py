"""What people agree to, and which languages a change of it has left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings

_TEXTS = ("about", "content_warning", "consent", "publication", "keep_words")


def agreed_to(settings: CampaignSettings) -> tuple[object, ...]:
    """All that people agree to: where it changes, there is a new version of consent."""
    return settings.retention, *(getattr(settings.texts, name) for name in _TEXTS)


def left_as_they_were(settings: CampaignSettings, content: Mapping[str, Any]) -> tuple[str, ...]:
    """Languages of the pages in which a text of consent stays, while `content` changes it in another one.

    Args:
        settings: in force.
        content: new values by field of the settings.

    Returns:
        Names in the language of the page. Languages that lack the text are not among them: their readers see another.
    """
    texts = content.get("texts", {})
    kept = set()
    for name in _TEXTS:
        before, after = getattr(settings.texts, name), texts.get(name, getattr(settings.texts, name))
        same = {code for code in settings.ui_languages if after.get(code) and after[code] == before.get(code)}
        kept |= same if before != after else set()
    shown = get_language() or "en"
    return tuple(geography.language_name(code, shown) for code in settings.ui_languages if code in kept)
