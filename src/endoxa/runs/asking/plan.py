"""The models of a run: read from the command line, priced, planned."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.models.chat import ChatSpec, parse_chat_model
from endoxa.models.chat.prices import Price, price_of
from endoxa.runs.asking.cost import BATCH_SHARE, Expected, bounded, cost
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.instrument import Plan

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Planned:
    """Expected work of one model.

    Attributes:
        model: the model as written.
        expected: calls and tokens.
        most: the same at most, where models reason for nobody knows how long; otherwise as expected.
        price: its price, where known.
        dollars: what the expected work comes to; None where the price is not known.
        most_dollars: what the most comes to.
        unpriced: what is said of the cost where no price is known (`endoxa.models.chat.Provider.unpriced`).
    """

    model: str
    expected: Expected
    most: Expected
    price: Price | None
    dollars: float | None
    most_dollars: float | None
    unpriced: str


def parse_models(names: Sequence[str]) -> list[ChatSpec]:
    """The models of a run.

    Raises:
        UserError: none, one that is there twice or cannot be read.
    """
    if not names:
        raise UserError("No model was given: name at least one with --model, for example openai/gpt-4o-mini.")
    for k, name in enumerate(names):
        if name in names[:k]:
            raise UserError(f"The model '{name}' is given twice. Name each model once.")
    return [parse_chat_model(text) for text in names]


def require_schemas(settings: ChatRunSettings, specs: Sequence[ChatSpec]) -> None:
    """Refuse --structured, where it was asked for, of models that cannot be held to a schema; else say so.

    Args:
        settings: with a field `structured`; a repeated run has every field set, and nobody asked for this one.
        specs: the models.

    Raises:
        UserError: it was asked for.
    """
    free = [spec.text for spec in specs if not spec.host.schemas]
    if not free or not getattr(settings, "structured", False):
        return
    problem = f"{', '.join(free)}: weights in this process cannot be held to a JSON schema."
    set_fields = settings.model_fields_set
    if "structured" in set_fields and set_fields != set(type(settings).model_fields):
        raise UserError(
            f"{problem} Leave out --structured to read what they write freely, or serve them with an interface that "
            "can."
        )
    log.warning("%s What they write is read as it comes.", problem)


def require_askable(settings: ChatRunSettings, specs: Sequence[ChatSpec]) -> None:
    """Refuse what cannot be asked so, before anything is loaded or sent; a plan asks for the same.

    Raises:
        UserError: --batch with a model that has none, or --max-cost where costs cannot be bounded.
    """
    if settings.batch:
        from endoxa.models.chat import require_batches

        for spec in specs:
            require_batches(spec)
    prices(settings, specs)


def prices(settings: ChatRunSettings, specs: Sequence[ChatSpec]) -> dict[str, Price | None]:
    """What each model costs; nothing for weights loaded here and simulated respondents.

    Raises:
        UserError: --max-cost is set, and a price is not known or answers may be of any length.
    """
    by_model = {spec.text: price_of(spec, settings.price) for spec in specs}
    unknown = [spec.text for spec in specs if by_model[spec.text] is None and not spec.host.free]
    if settings.max_cost is not None and unknown:
        raise UserError(
            f"--max-cost needs the price of '{unknown[0]}', which is unknown. Give it with --price IN,OUT (US dollars "
            "per million tokens)."
        )
    if settings.max_cost is not None and any(by_model.values()) and not bounded(settings.sampling):
        raise UserError("--max-cost needs a maximum number of tokens per answer. Give --max-tokens N.")
    return by_model


def planned(
    settings: ChatRunSettings, specs: Sequence[ChatSpec], expected: Expected, longest: Expected | None = None
) -> list[Planned]:
    """What each model would take for the same work, nothing answered yet.

    Args:
        settings: the run's models, and how they are asked.
        specs: the models.
        expected: calls and tokens of one model.
        longest: the same where every answer is as long as --max-tokens allows; taken as the upper end where models
            reason, because nobody knows for how long.

    Raises:
        UserError: see `require_askable`.
    """
    require_askable(settings, specs)
    share = BATCH_SHARE if settings.batch else 1.0
    most = longest if settings.sampling.reasoning not in (None, "none") and longest else expected

    model_prices = prices(settings, specs)

    def dollars(spec: ChatSpec, work: Expected) -> float | None:
        price = model_prices[spec.text]
        if price is None:
            return 0.0 if spec.host.free else None
        return share * cost(work.usage, price)

    return [
        Planned(
            spec.text,
            expected,
            most,
            model_prices[spec.text],
            dollars(spec, expected),
            dollars(spec, most),
            spec.host.unpriced,
        )
        for spec in specs
    ]


def plan_table(expected: Sequence[Planned], note: str = "") -> Plan:
    """Calls, tokens and cost by model, before anything is asked, and a sentence below."""
    return Plan(
        note=note,
        title="Expected calls, tokens and cost (tokens: 4 bytes each, roughly)",
        columns=("model", "calls", "tokens sent", "received", "US dollars", "price in, out"),
        texts=1,
        rows=tuple(
            (
                row.model,
                f"{row.expected.calls:,}",
                _span(f"{row.expected.prompt_tokens:,}", f"{row.most.prompt_tokens:,}"),
                _span(f"{row.expected.completion_tokens:,}", f"{row.most.completion_tokens:,}"),
                _cost(row),
                "-"
                if row.price is None
                else f"{row.price.input_per_million:g}, {row.price.output_per_million:g}",
            )
            for row in expected
        ),
    )


def _cost(row: Planned) -> str:
    if row.price is None:
        return row.unpriced
    return _span(_dollars(row.dollars or 0.0), _dollars(row.most_dollars or 0.0))


def _dollars(amount: float) -> str:
    """Cents matter below a dollar."""
    return f"{amount:.2f}" if amount >= 1 else f"{amount:.4f}"


def _span(low: str, high: str) -> str:
    """Both ends, or the one that they are."""
    return low if low == high else f"{low} to {high}"
