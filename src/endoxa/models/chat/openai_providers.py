"""OpenAI and every provider with its interface: presets, and servers that are named by their address."""

from __future__ import annotations

from endoxa.models.chat.openai_batches import OpenAiBatches
from endoxa.models.chat.openai_compatible import OPENAI_KIND, OpenAiService, open_client
from endoxa.models.chat.presets import Preset
from endoxa.models.chat.prices import list_price
from endoxa.models.chat.remote import RemoteModel
from endoxa.models.chat.service import Lost
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Provider, read_key
from endoxa.models.spec import KEY_VARIABLE, checked_address, read_address

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
        user_server=not preset.key,
        libraries=LIBRARIES,
    )


def _read_server(text: str, provider: Provider) -> ChatSpec:
    """Read `http://HOST:PORT/v1#NAME`."""
    url, name = read_address(text)
    return ChatSpec(text, name, provider, url)


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
    user_server=True,
    likelihoods=True,
    libraries=LIBRARIES,
)
"""Any other server with OpenAI's interface; only asking can tell whether it has batches and log-likelihoods."""
