"""Clients of OpenAI-compatible servers, and keys: read from the environment, sent, and written nowhere else."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from endoxa.errors import UserError
from endoxa.models.libraries import require_libraries
from endoxa.models.transport import KEY_MARK, guard

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

Client = TypeVar("Client", "OpenAI", "AsyncOpenAI")

SECONDS = 120.0
"""Timeout of a call of `server_client`."""
_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic")
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


def server_client(what: str, url: str, key: str, *, is_openai: bool = False) -> OpenAI:
    """A client that waits where it stands; it does not retry by itself (`endoxa.models.retrying` does).

    Args:
        what: what needs it, for the message ("The model 'http://...'").
        url: base address of the server.
        key: the key, or `NO_KEY`.
        is_openai: the server is OpenAI's own, which may learn of the organization.

    Raises:
        UserError: the openai or stamina package is not installed.
    """
    require_libraries(what, ("openai", "stamina"), 'pip install "endoxa[server]" -c constraints.txt')
    import openai

    keep_quiet()
    http = openai.DefaultHttpxClient(
        follow_redirects=False, event_hooks=guard(key, openai.APIConnectionError)
    )
    client = openai.OpenAI(
        base_url=url,
        api_key=key,
        max_retries=0,
        timeout=SECONDS,
        http_client=http,
        default_headers=None if is_openai else foreign_headers(key),
    )
    return client if is_openai else without_organization(client)


def without_organization(client: Client) -> Client:
    """The client of a server that is not OpenAI's, which must not see OPENAI_ORG_ID and OPENAI_PROJECT_ID."""
    client.organization = client.project = None
    return client


def foreign_headers(key: str, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Headers for a server that is not OpenAI's: none of OPENAI_CUSTOM_HEADERS, which the client adds by itself."""
    import openai

    lines = environment.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = {line.partition(":")[0].strip() for line in lines if ":" in line}
    others = {name for name in names if name.lower() != "authorization"}
    return {**dict.fromkeys(others, openai.Omit()), "Authorization": f"Bearer {key}"}


def keep_quiet() -> None:
    """Silence the libraries: a retry is no news, and a log line could quote a key."""
    import stamina

    stamina.instrumentation.set_on_retry_hooks(())
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


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
                f"--extra has the field '{name}', which looks like a secret, and is written into the run: set the "
                "environment variable of the provider's key instead."
            )
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                refuse_secrets(inner)
