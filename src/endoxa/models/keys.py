"""Keys: read from the environment, sent to the host they belong to, and written nowhere else.

- `ENDOXA_SERVER_KEY` holds one key, for the host that the command itself names.
- `ENDOXA_SERVER_KEYS` holds keys by host: `gpu.example.org=KEY localhost:8000=none`. `none` says that a server needs
  none. It is for several hosts, and for servers that a file names (a run that is repeated, a study).
- Keys of providers (`OPENAI_API_KEY`, ...) go to the provider's own host.

A server that only a file names is given no key, and nothing at all unless it is on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from endoxa.errors import UserError
from endoxa.models.spec import KEY_VARIABLE
from endoxa.models.transport import KEY_MARK
from endoxa.schema.typed import is_typed, is_typed_address, typed_hosts

KEYS_VARIABLE = "ENDOXA_SERVER_KEYS"
"""Environment variable with keys by host."""
NO_KEY = "none"
"""Sent to servers that want no key; the clients refuse to send nothing."""
SHOWN = 300
"""Characters of a provider's own words that are shown or kept."""
KEY_PART = 4
"""So many characters at an end of a key give away, in a word with a gap, that the word is the key."""
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|csk|nvapi|fw|key|AIza)[-_]?[\w*.\-]*[*\d][\w*.\-]{4,}|[\w.\-]*\*{2,}[\w*.\-]*"
)
"""What a key looks like, and what a provider makes of one that it quotes in part ("sk-ab***yz", "AB12****")."""
_SECRET_FIELD = re.compile(
    r"api_?key|(access|auth)?_?token|authorization|auth|bearer|(client_?)?secret|password"
)


def key_in(variable: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key in an environment variable; `NO_KEY` where it is not set.

    Raises:
        UserError: it holds something that is no key.
    """
    key = environment.get(variable, "").strip()
    if not all("!" <= character <= "~" for character in key):
        raise UserError(
            f"The environment variable {variable} holds spaces, line breaks or letters that no key has: copy the key "
            "again."
        )
    return key or NO_KEY


def required_key(what: str, variable: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key in an environment variable, for `what` (the subject of the message).

    Raises:
        UserError: it is not set, or see `key_in`.
    """
    key = key_in(variable, environment)
    if key == NO_KEY:
        raise UserError(f"{what} needs a key: set the environment variable {variable}.")
    return key


def server_key(
    what: str,
    url: str,
    words: str,
    *,
    variable: str = KEY_VARIABLE,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """The key for the server at an address; `NO_KEY` where it gets none.

    Args:
        what: what is there, for messages ("The model 'http://...'").
        url: the address.
        words: the words that name it on the command line.
        variable: environment variable with the key for a server that the command names.
        environment: the variables.

    Raises:
        UserError: only a file names the server, and there is a key or it is another machine; the command names
            several hosts, and there is one key; or a variable cannot be read.
    """
    parts = urlsplit(url)
    host = parts.netloc.lower()
    by_host = _keys_by_host(environment)
    for name in (host, host.removesuffix(f":{parts.port}")):
        if name in by_host:
            return by_host[name]
    key = key_in(variable, environment)
    if not (is_typed(words) or is_typed_address(url)):
        if key != NO_KEY or not is_loopback(parts.hostname or ""):
            raise _only_in_a_file(what, host, words, variable if key != NO_KEY else "")
        return NO_KEY
    named = sorted(typed_hosts() | {parts.hostname or ""})  # a provider may be named by one word
    if key != NO_KEY and len(named) > 1:
        raise UserError(
            f"{variable} is one key, and the command names {len(named)} hosts ({', '.join(named)}). Say which host has "
            f"which key: {KEYS_VARIABLE}='{' '.join(f'{each}=KEY' for each in named)}', with none as the KEY of a "
            "server that needs none."
        )
    return key


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number."""
    try:
        number = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return number.is_loopback or number.is_unspecified


def _only_in_a_file(what: str, host: str, words: str, variable: str) -> UserError:
    why = (
        f"{variable} is sent only to servers that the command names"
        if variable
        else f"{host} is another machine, to which everything that is asked would be sent"
    )
    return UserError(
        f"{what} is named by a file and not by the command, and {why}. If you want to ask {host}, add "
        f"--model {words} to the command, or set {KEYS_VARIABLE}={host}=KEY (with none as the KEY if the server needs "
        "none)."
    )


def _keys_by_host(environment: Mapping[str, str]) -> dict[str, str]:
    """The keys of `ENDOXA_SERVER_KEYS`.

    Raises:
        UserError: an entry is not of the form HOST=KEY.
    """
    keys = {}
    for number, entry in enumerate(environment.get(KEYS_VARIABLE, "").split(), start=1):
        address, sign, key = entry.partition("=")
        host = (urlsplit(address).netloc if "://" in address else address).lower()
        if not (host and sign and key and key.isascii() and key.isprintable()):
            raise UserError(
                f"The environment variable {KEYS_VARIABLE}, entry {number}, is not of the form HOST=KEY or "
                "HOST:PORT=KEY. Separate entries with blanks, and write none as the KEY of a server that needs none."
            )
        keys[host] = key
    return keys


def scrub(text: str, key: str) -> str:
    """`text` on one line without the key, and without anything that looks like a part of one."""
    line = " ".join(text.split())
    if key != NO_KEY:
        line = line.replace(key, KEY_MARK)
        if len(key) > 2 * KEY_PART:
            first, last = re.escape(key[:KEY_PART]), re.escape(key[-KEY_PART:])
            line = re.sub(
                rf"(?<!\w){first}\S*?(?:\.\.|…|\*)\S*|\S*(?:\.\.|…|\*)\S*?{last}(?!\w)", KEY_MARK, line
            )
    return _KEY_LIKE.sub(KEY_MARK, line)


def shown(text: str, key: str) -> str:
    """The beginning of `text` as it may be shown; cut last, so that no half of a key is left over."""
    return scrub(text, key)[:SHOWN]


def refuse_secrets(extra: Mapping[str, Any]) -> None:
    """Refuse fields of a request that would hold a secret, because they are written into the run.

    Raises:
        UserError: a field, however deep, is named like a key.
    """
    for name, value in extra.items():
        if _SECRET_FIELD.fullmatch(name.lower().replace("-", "_").removeprefix("x_")):
            raise UserError(
                f"extra has the field '{name}', which looks like a secret, and is written into the run: set the "
                "environment variable of the provider's key instead."
            )
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                refuse_secrets(inner)
