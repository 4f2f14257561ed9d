"""Which of endoxa's own words a run of questions rests on."""

from __future__ import annotations

from endoxa.instruments.questions.probe.items import items
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.words.used import Tally, Used, languages_of_name, made_with


def words(settings: QaSettings) -> Used:
    """Instructions, unless they are the user's; words by which answers are read; names and templates of questions.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    languages: set[str] = set()
    names: set[str] = set()
    for item in items(settings):
        languages.add(item.language)
        names.update(item.names.values())
        built = made_with("question templates", ["contexts"], item.language, item.context)
        if built and not tally.has("question templates", item.language):
            tally.add("question templates", [item.language])
            tally.add("names of peoples", [item.language])
    tally.add("names bank", (code for name in names for code in languages_of_name(name)))
    if settings.prompts is None:
        tally.add("question prompts", languages)
    if not settings.by_likelihood:
        tally.add("answer words", languages)
        tally.add("answer patterns", languages)
    return tally.used
