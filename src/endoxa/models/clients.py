"""Clients of OpenAI-compatible servers."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from endoxa.errors import installation
from endoxa.models.spec import require_libraries
from endoxa.models.transport import async_guard, guard

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

Client = TypeVar("Client", "OpenAI", "AsyncOpenAI")

SECONDS = 120.0
"""Timeout of a call of `server_client`."""
CONNECT_SECONDS = 20.0
"""Most seconds for a connection to a chat provider."""
_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic")


def server_client(what: str, url: str, key: str, *, is_openai: bool = False) -> OpenAI:
    """A client that waits where it stands; it does not retry by itself (`endoxa.models.retrying` does).

    Args:
        what: what needs it, for the message ("The model 'http://...'").
        url: base address of the server.
        key: the key, or `NO_KEY`.
        is_openai: the server is OpenAI's own, which may learn of the organization.

    Raises:
        UserError: the openai package is not installed.
    """
    require_libraries(what, ("openai",), installation("server"))
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


def provider_settings(library: Any, url: str, key: str, timeout: float) -> dict[str, Any]:
    """Arguments for the asynchronous clients of the libraries openai and anthropic; neither retries by itself.

    Args:
        library: the module.
        url: base address of the interface.
        key: the key.
        timeout: seconds without a byte after which a call is given up.
    """
    keep_quiet()
    return {
        "api_key": key,
        "base_url": url,
        "max_retries": 0,
        "timeout": library.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS), pool=None),
        "http_client": library.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks=async_guard(key, library.APIConnectionError)
        ),
    }


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
    """Silence the libraries: a log line could quote a key."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
