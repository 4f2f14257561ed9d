"""What can be wrong with words that somebody typed; each error is a plain sentence for them."""

from __future__ import annotations


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
