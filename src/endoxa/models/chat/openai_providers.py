"""OpenAI and every provider with its interface: presets, and servers that are named by their address."""

from __future__ import annotations

from urllib.parse import urlsplit

from endoxa.errors import UserError
from endoxa.models.chat.clients import read_key
from endoxa.models.chat.openai_batches import OpenAiBatches
from endoxa.models.chat.openai_compatible import OPENAI_KIND, OpenAiService, open_client
from endoxa.models.chat.presets import Preset
from endoxa.models.chat.prices import list_price
from endoxa.models.chat.remote import RemoteModel
from endoxa.models.chat.service import Lost
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Provider
from endoxa.models.spec import KEY_VARIABLE

LIBRARIES = ("openai", "stamina", "aiolimiter")


def _open(spec: ChatSpec, options: ChatOptions, lost: Lost) -> RemoteModel:
    key = read_key(spec)
    return RemoteModel(spec, OpenAiService(spec, open_client(spec, key, options)), key, options, lost)


def _open_batch(spec: ChatSpec, options: ChatOptions, worked: bool) -> OpenAiBatches:
    return OpenAiBatches.open(spec, options, worked=worked)


def compatible(name: str, preset: Preset) -> Provider:
    """The provider of an entry of data.

    Raises:
        UserError: its address holds a secret, or is none.
    """
    return Provider(
        name=name,
        kind="server",
        open=_open,
        open_batch=_open_batch if preset.batches else None,
        base_url=checked_address(preset.base_url),
        key=preset.key or KEY_VARIABLE,
        max_tokens_field=preset.max_tokens_field,
        seed_field=preset.seed_field,
        price=list_price,
        unpriced="not known" if preset.key else "own server",
        libraries=LIBRARIES,
    )


def _read_server(text: str, provider: Provider) -> ChatSpec:
    """Read `http://HOST:PORT/v1#NAME`."""
    url, _, name = text.partition("#")
    address = checked_address(url)
    if not name:
        raise UserError(f"The model '{text}' names no model on that server: write it as {url}#NAME.")
    return ChatSpec(text, name, provider, address)


def checked_address(url: str) -> str:
    """The address of an interface, which is written into the run.

    Raises:
        UserError: it holds a secret, or is none.
    """
    try:
        parts = urlsplit(url)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, a bracket that is not closed
        raise UserError(
            "A model's address cannot be read: write http://HOST:PORT/v1, with a port up to 65535."
        ) from None
    if "@" in parts.netloc or parts.query:
        raise UserError(
            "A model's address must hold no user name, password or '?', because it is written into the run: set the "
            f"environment variable of its key ({KEY_VARIABLE}, or the one its preset names) instead."
        )
    if not whole:
        raise UserError(f"The address '{url}' has no host: write http://HOST:PORT/v1.")
    return url.rstrip("/")


OPENAI = Provider(
    name="openai",
    kind=OPENAI_KIND,
    open=_open,
    open_batch=_open_batch,
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    max_tokens_field="max_completion_tokens",
    price=list_price,
    libraries=LIBRARIES,
)
SERVER = Provider(
    name="server",
    kind="server",
    open=_open,
    open_batch=_open_batch,
    read=_read_server,
    prefixes=("http://", "https://"),
    key=KEY_VARIABLE,
    price=list_price,
    unpriced="own server",
    likelihoods=True,
    libraries=LIBRARIES,
)
"""Any other server with OpenAI's interface; only asking can tell whether it has batches and log-likelihoods."""
