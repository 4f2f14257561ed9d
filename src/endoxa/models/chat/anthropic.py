"""Anthropic as a provider."""

from __future__ import annotations

from endoxa.models.chat.anthropic_batches import AnthropicBatches
from endoxa.models.chat.anthropic_messages import AnthropicService, open_client
from endoxa.models.chat.prices import list_price
from endoxa.models.chat.remote import RemoteModel
from endoxa.models.chat.service import Lost
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Provider, read_key


def _open(spec: ChatSpec, options: ChatOptions, lost: Lost) -> RemoteModel:
    key = read_key(spec)
    return RemoteModel(spec, AnthropicService(spec, open_client(spec, key, options)), key, options, lost)


def _open_batch(spec: ChatSpec, options: ChatOptions, worked: bool) -> AnthropicBatches:
    return AnthropicBatches.open(spec, options, worked=worked)


ANTHROPIC = Provider(
    name="anthropic",
    kind="anthropic",
    open=_open,
    open_batch=_open_batch,
    base_url="https://api.anthropic.com",
    key="ANTHROPIC_API_KEY",
    price=list_price,
    libraries=("anthropic", "stamina", "aiolimiter"),
)
