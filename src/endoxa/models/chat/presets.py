"""What is known of providers as data: `presets.toml`, a file of the user's own, and list prices of genai-prices."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from endoxa.errors import UserError, installation
from endoxa.models.chat.spec import ChatSpec, Price
from endoxa.sources.toml import read_toml, validated

Entry = TypeVar("Entry", bound=BaseModel)


def entries(
    table: str, variable: str, kind: str, model: type[Entry], environment: Mapping[str, str] = os.environ
) -> dict[str, Entry]:
    """Every entry by name: ours, then the user's, who may replace ours.

    Args:
        table: name of our TOML file in this package.
        variable: environment variable that names the user's TOML file.
        kind: what an entry is, for messages ("provider").
        model: the fields of an entry.
        environment: where the variable is looked up.

    Raises:
        UserError: the user's file cannot be read, or an entry has a wrong or unknown field.
    """
    text = files("endoxa.models.chat").joinpath(table).read_text(encoding="utf-8")
    by_name = {name: model.model_validate(entry) for name, entry in tomllib.loads(text).items()}
    if file := environment.get(variable):
        fields = f"Expected of a {kind} ({variable}): {', '.join(model.model_fields)}."
        for name, entry in read_toml(Path(file)).items():
            by_name[name] = validated(model, entry, f"{file}, [{name}]", fields)
    return by_name


USER_PROVIDERS = "ENDOXA_PROVIDERS"
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
    return entries("presets.toml", USER_PROVIDERS, "provider", Preset, environment)


SAMPLE = 1000
"""Tokens priced to learn a price: the lowest tier where a provider has several."""


def price_of(spec: ChatSpec, override: str | None = None) -> Price | None:
    """The price of a model's tokens.

    Args:
        spec: the model.
        override: "IN,OUT", US dollars per million tokens, in the place of the list's price.

    Returns:
        None where the price is not known: servers of one's own, local models, models the list lacks.

    Raises:
        UserError: `override` is not two numbers, or genai-prices is missing.
    """
    if override is not None:
        try:
            sent, received = (float(part) for part in override.split(","))
        except ValueError:
            sent = received = -1.0
        if not (0 <= sent < float("inf") and 0 <= received < float("inf")):
            raise UserError(
                f"The price '{override}' is not IN,OUT: give two numbers, US dollars per million tokens sent and "
                "received, like 0.15,0.60."
            )
        return Price(sent, received, "given")
    return None if spec.host.price is None else spec.host.price(spec)


def list_price(spec: ChatSpec) -> Price | None:
    """The price in the list of genai-prices, found by the provider's address.

    Returns:
        None where the list lacks the address or the model.

    Raises:
        UserError: genai-prices is missing.
    """
    try:
        import genai_prices
    except ImportError as problem:
        raise UserError(
            f"Prices need genai-prices: {installation('chat')}, or give --set price=IN,OUT."
        ) from problem
    try:
        quote = genai_prices.calc_price(
            genai_prices.Usage(input_tokens=SAMPLE, output_tokens=SAMPLE),
            spec.served_name,
            provider_api_url=spec.base_url,
        )
    except LookupError:
        return None
    return Price(
        float(quote.input_price) * 1e6 / SAMPLE,
        float(quote.output_price) * 1e6 / SAMPLE,
        f"genai-prices {genai_prices.__version__}: {quote.provider.id} {quote.model.id}",
    )
