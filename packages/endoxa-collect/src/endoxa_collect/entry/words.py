"""A typed attribute with all that follows from its words: key, flags, unkindness."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext

from endoxa.words.persons import names_somebody
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.entry.cleaning import EmptyTextError, clean
from endoxa_collect.entry.flags import flags, is_place
from endoxa_collect.entry.harm import calls_to_harm, negative
from endoxa_collect.entry.keys import key


@dataclass(frozen=True)
class Words:
    """Cleaned text, its key, and what moderators and the sampler go by."""

    text: str
    key: str
    language: str
    flags: tuple[str, ...]
    negative: bool | None
    topic: str = ""


def read_words(text: str, language: str, settings: CampaignSettings) -> Words:
    """Clean typed words and look at them.

    Raises:
        EmptyTextError, TooLongError: see `cleaning.clean`; signs without letters are nothing, too.
    """
    line = clean(text)
    name = key(line, language)
    if not name:
        raise EmptyTextError(gettext("Please write a few words first."))
    flagged = tuple(flags(line, language, settings))
    return Words(line, name, language, flagged, negative(line, language))


def warm_up() -> None:
    """Read the lists that words are held against: half a second that somebody would wait for otherwise."""
    negative("a", "en")
    calls_to_harm("a", "en")
    is_place("a", "en")
    names_somebody("juma steals", "en", lambda words: is_place(words, "en"))
