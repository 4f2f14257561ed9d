"""Clean typed words before they are stored and shown, and say what is wrong with them."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from endoxa_collect.visible import READ, single_line, visible

MAX_LENGTH = 120
"""Characters of an attribute."""


class EntryError(Exception):
    """Words that cannot become a pair. `str()` is a sentence to show beside the field, in the active language."""


class EmptyTextError(EntryError):
    """Nothing is left once spaces and signs are taken away."""


class TooLongError(EntryError):
    """More characters than an attribute may have."""


class TooManyError(EntryError):
    """More proposals on one card, or within a minute, than anybody needs."""


class TooManyCountriesError(TooManyError):
    """More other countries on one card than it takes."""


class AlreadyShownError(EntryError):
    """The person was shown this very pair, so that saying it is no unprompted mention."""


def clean(text: str) -> str:
    """One line of at most 120 visible characters, in Unicode's composed form (NFC); otherwise as it was typed.

    Raises:
        EmptyTextError: if nothing is left.
        TooLongError: if more is left than fits.
    """
    spaced = single_line(text)
    if len(spaced) > READ:
        raise _too_long(len(spaced))
    line = visible(spaced)
    if not line:
        raise EmptyTextError(gettext("Please write a few words first."))
    if len(line) > MAX_LENGTH:
        raise _too_long(len(line))
    return line


def _too_long(length: int) -> TooLongError:
    over = length - MAX_LENGTH
    return TooLongError(
        ngettext(
            "This is %(over)d character too long. Please say it in fewer words.",
            "This is %(over)d characters too long. Please say it in fewer words.",
            over,
        )
        % {"over": over}
    )
