"""Words of the moderation pages: why a pair waits, what was decided."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from endoxa.collect.models import Action, Moderation, SkipReason

ESCALATED = "escalated"
"""The flag of a pair that a moderator handed to the organiser."""

FLAGS: dict[str, Promise] = {
    "name": gettext_lazy("It may name a person."),
    "email": gettext_lazy("It holds an e-mail address."),
    "phone": gettext_lazy("It holds what may be a phone number."),
    "handle": gettext_lazy("It holds the name of an account (@...)."),
    "link": gettext_lazy("It holds a link."),
    "watch_word": gettext_lazy("It holds a word from your list of words to watch."),
    "harm": gettext_lazy("It may call to harm somebody."),
    "long": gettext_lazy("It is long for something said of people."),
    "shouting": gettext_lazy("It is written in capitals."),
    SkipReason.REPORT_PERSONAL: gettext_lazy("Somebody reported that it is about a person."),
    SkipReason.REPORT_HATE: gettext_lazy("Somebody reported that it is hateful."),
    SkipReason.REPORT_NONSENSE: gettext_lazy("Somebody reported that it makes no sense."),
    SkipReason.REPORT_OTHER: gettext_lazy("Somebody reported it."),
    ESCALATED: gettext_lazy("A moderator asks the organiser to decide."),
}
"""Reasons by flag, as sentences."""

STATES: dict[str, Promise] = {
    Moderation.PENDING: pgettext_lazy("pair", "waits for a decision"),
    Moderation.LIVE: pgettext_lazy("pair", "shown to people"),
    Moderation.HIDDEN: pgettext_lazy("pair", "hidden"),
    Moderation.MERGED: pgettext_lazy("pair", "merged into another"),
}

DONE: dict[str, Promise] = {
    Action.APPROVE: gettext_lazy("You approved:"),
    Action.HIDE: gettext_lazy("You hid:"),
    Action.EDIT: gettext_lazy("You changed the words of:"),
    Action.ESCALATE: gettext_lazy("You handed to the organiser:"),
    Action.MARK: gettext_lazy("You changed the marks of:"),
    Action.MERGE: gettext_lazy("You merged:"),
    Action.UNMERGE: gettext_lazy("You took a merge back:"),
}
"""What the account did last; the words follow."""

LOGGED: dict[str, str] = {
    Action.APPROVE: "pair approved",
    Action.HIDE: "pair hidden",
    Action.EDIT: "pair edited",
    Action.PERSONAL: "personal data removed",
    Action.ESCALATE: "pair escalated",
    Action.MARK: "pair marked",
    Action.MERGE: "pair merged",
    Action.UNMERGE: "merge taken back",
}
"""What the log says."""


def reasons(flags: list[str]) -> list[str]:
    """Why a pair is before moderators, in words; nothing for flags that nobody wrote a sentence for."""
    return [str(FLAGS[flag]) for flag in flags if flag in FLAGS]
