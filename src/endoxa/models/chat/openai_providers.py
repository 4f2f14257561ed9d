"""OpenAI and every provider with its interface: presets, and servers that are named by their address."""

from __future__ import annotations

from endoxa.models.addresses import checked_addresses, read_addresses
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
    keys = [read_key(address_spec) for address_spec in spec.at_each]
    services = [
        OpenAiService(address_spec, open_client(address_spec, key, options))
        for address_spec, key in zip(spec.at_each, keys, strict=True)
    ]
    return RemoteModel(spec, services, keys, options, lost)


def _open_batch(spec: ChatSpec, options: ChatOptions, worked: bool) -> OpenAiBatches:
    return OpenAiBatches.open(spec, options, worked=worked)


def compatible(name: str, preset: Preset) -> Provider:
    """The provider of an entry of data.

    Raises:
        UserError: its address holds a secret, or is none.
    """
    first, *others = checked_addresses(preset.base_url)
    return Provider(
        name=name,
        kind="server",
        open=_open,
        open_batch=_open_batch if preset.batches else None,
        base_url=first,
        others=tuple(others),
        key=preset.key or KEY_VARIABLE,
        max_tokens_field=preset.max_tokens_field,
        seed_field=preset.seed_field,
        price=list_price,
        unpriced="not known" if preset.key else "own server",
        user_server=not preset.key,
        libraries=LIBRARIES,
    )


def _read_server(text: str, provider: Provider) -> ChatSpec:
    """Read `http://HOST:PORT/v1#NAME`; several addresses are separated by commas."""
    (first, *others), name = read_addresses(text)
    return ChatSpec(text, name, provider, first, tuple(others))


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
