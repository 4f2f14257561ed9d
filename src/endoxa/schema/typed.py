"""What the command itself says, as against the files that it reads.

Run folders, study files and exports come from other people. They may not decide on their own that code of theirs is
run or that a server is given what is asked: the command (or the Python call) has to say it, too. The command line and
the Python interface put what they were given into `typed_words`; where nobody did, as in scripts that use single
modules, everything counts as said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import urlsplit

from endoxa.errors import UserError

TRUST_REMOTE_CODE = "--set trust_remote_code"
"""The setting as a command has it; `endoxa study run` has an option of its own."""
_TRUSTED = re.compile(
    r"--trust-remote-code|--set trust_remote_code|(--set=)?trust[-_]remote[-_]code=(1|on|t|true|y|yes)",
    re.IGNORECASE,
)
_PORTS = {"http": 80, "https": 443}
_ADDRESSES = re.compile(r"https?://[^#\s]+", re.IGNORECASE)

_words: ContextVar[tuple[str, ...] | None] = ContextVar("typed_words", default=None)

Origin = tuple[str, str, int]
"""Scheme, host and port of an address."""


@contextmanager
def typed_words(words: Sequence[str]) -> Iterator[None]:
    """Take these as the words of the command while the block is carried out."""
    token = _words.set(tuple(words))
    try:
        yield
    finally:
        _words.reset(token)


def is_typed(word: str) -> bool:
    """Whether the command has this word, alone or behind '='."""
    words = _words.get()
    return words is None or any(typed == word or typed.endswith(f"={word}") for typed in words)


def is_typed_address(url: str) -> bool:
    """Whether the command names an address with this scheme, host and port."""
    words = _words.get()
    return words is None or any(origin(url) in _origins(word) for word in words)


def typed_hosts() -> set[str]:
    """The hosts of models that the command names by their address (`http://HOST/v1#NAME`)."""
    return {host for word in _words.get() or () if "#" in word for _, host, _ in _origins(word)}


def _origins(word: str) -> frozenset[Origin]:
    return frozenset(filter(None, map(_origin_or_none, _ADDRESSES.findall(word))))


def origin(url: str) -> Origin:
    """Scheme, host and port of an address.

    Raises:
        ValueError: it cannot be read.
    """
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)


def _origin_or_none(url: str) -> Origin | None:
    try:
        return origin(url.lower())
    except ValueError:
        return None


def require_typed_trust(model: str, trusted: bool) -> bool:
    """`trusted`, if the command says so, too.

    Args:
        model: the model as written.
        trusted: whether the settings want to run Python code that comes with the model.

    Raises:
        UserError: only a file says so.
    """
    words = _words.get()
    if trusted and words is not None and not any(map(_TRUSTED.fullmatch, words)):
        raise UserError(
            f"A file asks to run Python code that comes with the model '{model}' (trust_remote_code), and the command "
            f"does not. If you know that code and trust it, add {TRUST_REMOTE_CODE}=yes to the command."
        )
    return trusted
