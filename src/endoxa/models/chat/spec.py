"""The words that name a chat model (`openai/NAME`, `groq/NAME`, `hf/...`, `sim/NAME`), providers, and options."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, ValidationError

from endoxa.errors import UserError
from endoxa.models.spec import KEY_VARIABLE, Device, Dtype, Revision, Tokenizer, TrustRemoteCode
from endoxa.schema.options import LOCAL, NETWORK, Option, finite

OWN_PROVIDERS = "ENDOXA_PROVIDERS"
"""Environment variable that names a TOML file with providers of the user's own, in the form of `presets.toml`."""


class Preset(BaseModel):
    """One provider.

    Attributes:
        base_url: address of its OpenAI-compatible interface.
        key: environment variable with the key; where empty, ENDOXA_SERVER_KEY is sent if it is set.
        max_tokens_field: what the field that bounds the answer is called.
        seed_field: what the field with the seed is called; empty where there is none.
        batches: it has OpenAI's batch interface (`/files`, `/batches`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str
    key: str = ""
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    batches: bool = False


def presets(environment: Mapping[str, str] = os.environ) -> dict[str, Preset]:
    """Every provider by name: ours, then the user's, who may replace ours.

    Raises:
        UserError: the user's file cannot be read, or an entry has a wrong or unknown field.
    """
    text = files("endoxa.models.chat").joinpath("presets.toml").read_text(encoding="utf-8")
    found = {name: Preset.model_validate(entry) for name, entry in tomllib.loads(text).items()}
    if own := environment.get(OWN_PROVIDERS):
        found |= _own(Path(own))
    return found


def _own(path: Path) -> dict[str, Preset]:
    try:
        entries: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UserError(f"The providers of {OWN_PROVIDERS}, {path}, cannot be read: {problem}.") from problem
    found = {}
    for name, entry in entries.items():
        try:
            found[name] = Preset.model_validate(entry)
        except ValidationError as problem:
            first = problem.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "entry"
            raise UserError(
                f"{path}: the provider [{name}] is not usable ({field}: {first['msg']}). It takes base_url, key (the "
                "name of an environment variable), max_tokens_field, seed_field and batches."
            ) from None
    return found


Kind = Literal["openai", "anthropic", "server", "hf", "sim"]
FORMS = "openai/NAME, anthropic/NAME, PROVIDER/NAME, http://HOST:PORT/v1#NAME, hf/ID-OR-FOLDER or sim/NAME"
OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True)
class ChatSpec:
    """A chat model as written.

    Attributes:
        text: the words themselves; they name the model in every record.
        kind: "openai" (OpenAI itself), "anthropic", "server" (any other OpenAI-compatible server), "hf" (weights
            generated from here) or "sim" (a simulated respondent).
        served_name: the model's name at the provider; hub id or folder for hf; the rest of the words for sim.
        provider: "openai", "anthropic", the preset's name, "server", "hf" or "sim".
        base_url: address of the provider's interface, or empty.
        key_variable: environment variable with the key, or empty.
        max_tokens_field: what the field that bounds the answer is called there.
        seed_field: what the field with the seed is called there; empty where there is none.
        batches: whether there is a batch interface; None where only asking can tell.
    """

    text: str
    kind: Kind
    served_name: str
    provider: str
    base_url: str = ""
    key_variable: str = ""
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    batches: bool | None = False


def parse_chat_model(text: str, environment: Mapping[str, str] = os.environ) -> ChatSpec:
    """Read the words that name a chat model.

    Args:
        text: one of `FORMS`.
        environment: where `ENDOXA_PROVIDERS` may name a file with providers of the user's own.

    Raises:
        UserError: another form, no name, or an address with a password in it.
    """
    if text.startswith(("http://", "https://")):
        return _server(text)
    prefix, _, name = text.partition("/")
    if prefix == "openai" and name:
        return ChatSpec(
            text,
            "openai",
            name,
            "openai",
            OPENAI_URL,
            "OPENAI_API_KEY",
            "max_completion_tokens",
            batches=True,
        )
    if prefix == "anthropic" and name:
        return ChatSpec(
            text, "anthropic", name, "anthropic", ANTHROPIC_URL, "ANTHROPIC_API_KEY", batches=True
        )
    if prefix == "hf" and name:
        return ChatSpec(text, "hf", name, "hf")
    if prefix == "sim" and name:
        return ChatSpec(text, "sim", name, "sim")
    known = presets(environment)
    if prefix in known and name:
        return _preset(text, prefix, name, known[prefix])
    raise _unreadable(text, prefix, name, ["openai", "anthropic", "hf", "sim", *known])


def _preset(text: str, provider: str, name: str, preset: Preset) -> ChatSpec:
    return ChatSpec(
        text,
        "server",
        name,
        provider,
        _address(preset.base_url),
        preset.key or KEY_VARIABLE,
        preset.max_tokens_field,
        preset.seed_field,
        preset.batches,
    )


def _server(text: str) -> ChatSpec:
    url, _, name = text.partition("#")
    address = _address(url)
    if not name:
        raise UserError(f"The model '{text}' names no model on that server: write it as {url}#NAME.")
    return ChatSpec(text, "server", name, "server", address, KEY_VARIABLE, batches=None)


def _address(url: str) -> str:
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


def _unreadable(text: str, prefix: str, name: str, prefixes: list[str]) -> UserError:
    if prefix in prefixes:
        return UserError(f"The model '{text}' has no name: write {prefix}/NAME.")
    near = get_close_matches(prefix.lower(), prefixes, n=1)
    hint = f"Did you mean {near[0]}/{name or 'NAME'}?" if near else f"Weights are written hf/{text}."
    return UserError(f"Cannot read the model '{text}': give {FORMS}. {hint}")


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a chat model is reached; none of it changes what is asked.

    Attributes:
        concurrency: calls under way at once.
        requests_per_minute: most requests sent in a minute, or None for no limit of ours.
        tokens_per_minute: most tokens, sent and received together, in a minute, or None.
        timeout: seconds without a byte from the provider after which a call is given up and tried again.
        attempts: how often one call may fail while others are answered; being told to slow down does not count.
        patience: seconds in which every call failed after which the provider counts as silent.
        device: hf only: "auto" (CUDA, else MPS, else CPU), or a torch device.
        dtype: hf only: "auto", or the type of the weights.
        revision: hf only: hub branch, tag or commit.
        tokenizer: hf only: folder or hub id of the tokenizer where it is not the model's own.
        trust_remote_code: hf only: run Python code that comes with the model.
        chat_template: hf only: file with a Jinja chat template that replaces the tokenizer's own.
        batch_size: hf only: most conversations generated together.
    """

    concurrency: Annotated[int, Ge(1), Le(1000), Option("Maximum concurrent calls.", NETWORK)] = 8
    requests_per_minute: Annotated[
        int | None,
        Ge(1),
        Option("Maximum requests per minute.", NETWORK, name="--rpm", default="no limit"),
    ] = None
    tokens_per_minute: Annotated[
        int | None,
        Ge(1),
        Option("Maximum tokens per minute.", NETWORK, name="--tpm", default="no limit"),
    ] = None
    timeout: Annotated[
        float,
        Ge(0.1),
        Option("Timeout in seconds: a call without any data for so long is retried.", NETWORK, parse=finite),
    ] = 600.0
    attempts: Annotated[
        int,
        Ge(1),
        Option("Maximum attempts per call while other calls succeed.", NETWORK),
    ] = 12
    patience: Annotated[
        float,
        Ge(0),
        Option(
            "Stop after this many seconds in which every call failed; the run can continue later.",
            NETWORK,
            parse=finite,
        ),
    ] = 180.0
    device: Device = "auto"
    dtype: Dtype = "auto"
    revision: Revision = None
    tokenizer: Tokenizer = None
    trust_remote_code: TrustRemoteCode = False
    chat_template: Annotated[
        str | None,
        Option("Chat template (Jinja) that replaces the tokenizer's own.", LOCAL, metavar="FILE"),
    ] = None
    batch_size: Annotated[
        int, Ge(1), Option("Maximum number of conversations generated together.", LOCAL)
    ] = 8
