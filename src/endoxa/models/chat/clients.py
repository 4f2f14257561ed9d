"""Clients of the providers' own libraries, and keys: read from the environment, sent, and written nowhere else."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from endoxa.errors import UserError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.models.spec import KEY_VARIABLE

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI


Client = TypeVar("Client", "OpenAI", "AsyncOpenAI")

CONNECT_SECONDS = 20.0
_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic")


def openai_client(spec: ChatSpec, key: str, options: ChatOptions) -> AsyncOpenAI:
    """A client of OpenAI, or of a server with its interface.

    Raises:
        UserError: a package is not installed.
    """
    try:
        import openai
    except ImportError as problem:
        raise _missing(spec) from problem
    _prepare(spec)
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=spec.base_url,
        max_retries=0,
        timeout=openai.Timeout(options.timeout, connect=min(options.timeout, CONNECT_SECONDS), pool=None),
    )
    return client if spec.kind == "openai" else without_organization(client)


def without_organization(client: Client) -> Client:
    """The client of a server that is not OpenAI's: OPENAI_ORG_ID and OPENAI_PROJECT_ID are not its business."""
    client.organization = client.project = None
    return client


def anthropic_client(spec: ChatSpec, key: str, options: ChatOptions) -> AsyncAnthropic:
    """A client of Anthropic.

    Raises:
        UserError: a package is not installed.
    """
    try:
        import anthropic
    except ImportError as problem:
        raise _missing(spec) from problem
    _prepare(spec)
    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=spec.base_url,
        max_retries=0,
        timeout=anthropic.Timeout(options.timeout, connect=min(options.timeout, CONNECT_SECONDS), pool=None),
    )


def _prepare(spec: ChatSpec) -> None:
    """Require what every remote model needs, and keep it quiet: a retry is no news."""
    try:
        import aiolimiter  # noqa: F401
        import stamina
    except ImportError as problem:
        raise _missing(spec) from problem
    stamina.instrumentation.set_on_retry_hooks(())
    keep_quiet()


def keep_quiet() -> None:
    """Log lines of the clients could quote a key."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


def _missing(spec: ChatSpec) -> UserError:
    return UserError(
        f"The model '{spec.text}' needs openai, anthropic, stamina and aiolimiter: "
        'pip install "endoxa[chat]" -c constraints.txt'
    )


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


def read_key(spec: ChatSpec, environment: Mapping[str, str] = os.environ) -> str:
    """The key of a model's provider.

    Raises:
        UserError: the provider wants one and the variable is not set, or holds something that is no key.
    """
    key = key_in(spec.key_variable, environment)
    if key == NO_KEY and spec.key_variable != KEY_VARIABLE:
        raise UserError(
            f"The model '{spec.text}' needs a key: set the environment variable {spec.key_variable}."
        )
    return key


def scrub(text: str, key: str) -> str:
    """`text` on one line without the key, and without anything that looks like a part of one."""
    line = " ".join(text.split())
    if key != NO_KEY:
        line = line.replace(key, "(key)")
        if len(key) > 2 * KEY_PART:
            first, last = re.escape(key[:KEY_PART]), re.escape(key[-KEY_PART:])
            line = re.sub(
                rf"(?<!\w){first}\S*?(?:\.\.|…|\*)\S*|\S*(?:\.\.|…|\*)\S*?{last}(?!\w)", "(key)", line
            )
    return _KEY_LIKE.sub("(key)", line)


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
