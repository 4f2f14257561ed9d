"""Which of endoxa's own words a run of stories, profiles or harm ratings rests on."""

from __future__ import annotations

import json
from pathlib import Path

from endoxa.instruments.stories.settings import ExtractSettings, HarmSettings, StoriesSettings
from endoxa.words.used import Tally, Used, kept_words, made_with


def stories_words(settings: StoriesSettings) -> Used:
    """Prompts that were made with our requests.

    Raises:
        UserError: the prompts cannot be read.
    """
    from endoxa.instruments.stories.stories import prompts

    tally = Tally()
    for prompt in prompts(settings):
        if not tally.has("story prompts", prompt.language) and made_with(
            "story prompts", ["request"], prompt.language, " ".join(prompt.prompt.split())
        ):
            tally.add("story prompts", [prompt.language])
    return tally.used


def extract_words(settings: ExtractSettings) -> Used:
    """What the run of stories rests on from which profiles are read; tables of stories do not say it."""
    file = Path(settings.data) / "run.json"
    if not file.is_file():
        return {}
    facts = json.loads(file.read_text(encoding="utf-8"))
    tally = Tally()
    for name, codes in kept_words(facts):
        tally.add(name, [code for code in codes if not settings.languages or code in settings.languages])
    return tally.used


def harm_words(settings: HarmSettings) -> Used:
    """Our questions on harm, unless they are the user's."""
    tally = Tally()
    if settings.prompts is None:
        tally.add("harm study questions", [settings.language])
        tally.add("answer patterns", [settings.language])
    return tally.used
