"""The words of the buttons on a card, and what each of them is stored as."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from endoxa.collect.models import SkipReason

Choice = tuple[str, Promise]
"""What is stored and what the button says."""

RATINGS: Final[tuple[Choice, ...]] = (
    ("1", _("I have never heard it")),
    ("2", _("I have heard it once or twice")),
    ("3", _("Some people here say it")),
    ("4", _("Many people here say it")),
    ("5", _("Everyone here knows it")),
)
"""How known a pair is where the person lives."""

SKIPS: Final[tuple[Choice, ...]] = (
    (SkipReason.DONT_KNOW, _("I don't know")),
    (SkipReason.DONT_UNDERSTAND, _("I don't understand it")),
    (SkipReason.RATHER_NOT, _("I'd rather not answer")),
)
"""Three different reasons not to answer."""

PROMPT_SKIPS: Final[tuple[Choice, ...]] = (
    (SkipReason.DONT_KNOW, _("Nothing comes to mind")),
    (SkipReason.DONT_UNDERSTAND, _("I don't understand it")),
    (SkipReason.RATHER_NOT, _("I'd rather not answer")),
)
"""The same for a card that asks an open question."""

REPORTS: Final[tuple[Choice, ...]] = (
    (SkipReason.REPORT_PERSONAL, _("It is about one person")),
    (SkipReason.REPORT_HATE, _("It calls for harm or is full of hate")),
    (SkipReason.REPORT_NONSENSE, _("It makes no sense")),
    (SkipReason.REPORT_OTHER, _("Something else is wrong")),
)
"""What a moderator should look at."""

NOTES: Final[dict[str, Promise]] = {
    "moved": _("That card is not yours to answer any more. Here is the one that waits for you."),
    "first": _("You had answered this card already; your first answer counts."),
    "unclear": _("We could not read that answer. Please tap it once more."),
}
"""Sentences above a card, by the value of `note` in its address."""
