"""What a model's tokens cost, from genai-prices (offline; its list is as old as the installed package)."""

from __future__ import annotations

from endoxa.errors import UserError
from endoxa.models.chat.service import Price
from endoxa.models.chat.spec import ChatSpec

__all__ = ["Price", "list_price", "price_of"]

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
        return _read_price(override)
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
            'Prices need genai-prices: pip install "endoxa[chat]" -c constraints.txt, or give --price IN,OUT.'
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


def _read_price(text: str) -> Price:
    try:
        sent, received = (float(part) for part in text.split(","))
    except ValueError:
        sent = received = -1.0
    if not (0 <= sent < float("inf") and 0 <= received < float("inf")):
        raise UserError(
            f"The price '{text}' is not IN,OUT: give two numbers, US dollars per million tokens sent and received, "
            "like 0.15,0.60."
        )
    return Price(sent, received, "given")
