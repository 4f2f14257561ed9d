"""What asking costs: planned and estimated before a run, counted during it, never above what was allowed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat import parse_chat_model, require_batches
from endoxa.models.chat.presets import price_of
from endoxa.models.chat.remote import estimate_tokens
from endoxa.models.chat.spec import ChatSpec, Price
from endoxa.models.spec import refused_adapter
from endoxa.runs.asking.jobs import ChatRunSettings, Job
from endoxa.runs.asking.journal import AnswerJournal, Totals
from endoxa.runs.folder import JOURNAL, RUN
from endoxa.runs.instrument import Plan
from endoxa.schema import Message, Sampling, Usage

BATCH_SHARE = 0.5
"""What a batched token costs of the usual price (OpenAI, Anthropic)."""
ROUNDING = 1e-12
"""US dollars by which sums of floating-point numbers may be wrong."""
AROUND_CONVERSATION, AROUND_MESSAGE = 64, 16
"""Tokens at most that a provider writes around a conversation and around each message."""
BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Fields that bound an answer, by provider."""
SEVERAL = ("n", "best_of")
"""Fields that ask for several answers at once, all of which are billed."""


def cost(usage: Usage, price: Price, *, batched: bool = False) -> float:
    """US dollars for so many tokens."""
    dollars = (
        usage.prompt_tokens * price.input_per_million + usage.completion_tokens * price.output_per_million
    ) / 1e6
    return dollars * BATCH_SHARE if batched else dollars


def spent(totals: Sequence[Totals], price: Price | None) -> float | None:
    """US dollars that the answers of a model cost, or None where its price is not known."""
    if price is None:
        return None
    return sum(cost(total.usage, price, batched=total.batched) for total in totals)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model is still to be asked.

    Attributes:
        calls: calls to be made.
        usage: tokens to be sent and to come back, estimated.
    """

    calls: int
    usage: Usage


def worst(messages: Sequence[Message], sampling: Sampling) -> Usage:
    """The most tokens that a call can take.

    No tokenizer in use makes more tokens than bytes: a letter that it does not know is written byte by byte. So a byte
    of UTF-8 counts as a token sent, and `BOUNDS` (those among the further fields too) times the number of answers
    asked for as tokens received.
    """
    written = json.dumps([sampling.extra, sampling.answer_schema], ensure_ascii=False)
    sent = sum(len(message.content.encode()) + AROUND_MESSAGE for message in messages)
    bounds = [sampling.max_tokens or 0, *_numbers(sampling.extra, BOUNDS)]
    return Usage(
        sent + AROUND_CONVERSATION + len(written.encode()),
        max(bounds) * max([1, *_numbers(sampling.extra, SEVERAL)]),
    )


def bounded(sampling: Sampling) -> bool:
    """Whether an answer has a most number of tokens."""
    return sampling.max_tokens is not None and not any(
        name in sampling.extra and sampling.extra[name] is None for name in BOUNDS
    )


def _numbers(fields: Mapping[str, Any], names: Sequence[str]) -> list[int]:
    return [fields[name] for name in names if isinstance(fields.get(name), int)]


def expect(work: Iterable[tuple[Job, Sequence[int]]], repeats: int = 1) -> Expected:
    """Calls and tokens of conversations.

    Args:
        work: the conversations, each with the tokens expected in the answer to each turn.
        repeats: how often each is had.
    """
    calls = sent = received = 0
    for job, lengths in work:
        messages, answered = job.opening(), 0
        for text, length in zip(job.turns, lengths, strict=True):
            messages.append(Message("user", text))
            calls += 1
            sent += estimate_tokens(messages) + answered
            answered += length
        received += answered
    return Expected(calls * repeats, Usage(sent * repeats, received * repeats))


@dataclass(slots=True)
class Budget:
    """Dollars that may be spent; what is under way counts as spent at its worst.

    Attributes:
        limit: US dollars, or None for no limit.
        price: the model's price, or None where it is not known; a limit needs one.
        spent: dollars spent so far, those of earlier commands among them.
        reserved: dollars set aside for calls under way.
        calls: number of these.
    """

    limit: float | None
    price: Price | None
    spent: float
    reserved: float = 0.0
    calls: int = 0

    def hold(self, usage: Usage) -> float | None:
        """Set dollars aside for a call of at most these tokens; None where they would go beyond the limit."""
        return self.claim(usage) if self.fits(usage) else None

    def fits(self, usage: Usage, *, batched: bool = False) -> bool:
        """Whether a call of at most these tokens stays within the limit."""
        most = self.spent + self.reserved + self.price_of(usage, batched=batched)
        return self.limit is None or most <= self.limit + ROUNDING

    def claim(self, usage: Usage, *, batched: bool = False) -> float:
        """Set dollars aside for what has been sent already, whatever the limit."""
        dollars = self.price_of(usage, batched=batched)
        self.reserved += dollars
        self.calls += 1
        return dollars

    def settle(self, reserved: float, usage: Usage, *, batched: bool = False) -> None:
        """Replace what was set aside by what the call took."""
        self.reserved -= reserved
        self.calls -= 1
        self.spent += self.price_of(usage, batched=batched)

    def lose(self, usage: Usage, *, batched: bool = False) -> bool:
        """Count a call that may be billed without an answer; what it was held for is still to come.

        Returns:
            Whether that may still come.
        """
        self.spent += self.price_of(usage, batched=batched)
        return self.fits(Usage())

    def price_of(self, usage: Usage, *, batched: bool = False) -> float:
        """US dollars for so many tokens; 0 where the price is not known."""
        return 0.0 if self.price is None else cost(usage, self.price, batched=batched)


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


def warn_of_schemas(settings: ChatRunSettings, specs: Sequence[ChatSpec]) -> None:
    """Say which models cannot be held to a schema, where --structured asks for it."""
    free = [spec.text for spec in specs if not spec.host.schemas]
    if free and getattr(settings, "structured", False):
        log.warning(
            "%s: weights in this process cannot be held to a JSON schema. What they write is read as it comes.",
            ", ".join(free),
        )


def require_askable(settings: ChatRunSettings, specs: Sequence[ChatSpec]) -> None:
    """Refuse what cannot be asked so, before anything is loaded or sent; a plan asks for the same.

    Raises:
        UserError: --batch with a model that has none, an adapter with one that is not loaded here, or --max-cost where
            costs cannot be bounded.
    """
    if settings.options.adapter is not None:
        for spec in specs:
            if not spec.host.runs_here:
                raise refused_adapter(spec.text)
    if settings.batch:
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
            f"--max-cost needs the price of '{unknown[0]}', which is unknown. Give --set price=IN,OUT (US dollars "
            "per million tokens)."
        )
    if settings.max_cost is not None and any(by_model.values()) and not bounded(settings.sampling):
        raise UserError("--max-cost needs a maximum number of tokens per answer. Give --set max_tokens=N.")
    return by_model


def planned(
    settings: ChatRunSettings, specs: Sequence[ChatSpec], expected: Expected, longest: Expected | None = None
) -> list[Planned]:
    """What each model would take for the same work, nothing answered yet.

    Args:
        settings: the run's models, and how they are asked.
        specs: the models.
        expected: calls and tokens of one model.
        longest: the same where every answer is as long as max_tokens allows; taken as the upper end where models
            reason, because nobody knows for how long.

    Raises:
        UserError: see `require_askable`.
    """
    require_askable(settings, specs)
    share = BATCH_SHARE if settings.batch else 1.0
    most = longest if settings.sampling.reasoning not in (None, "none") and longest else expected

    model_prices, rows = prices(settings, specs), []
    for spec in specs:
        price = model_prices[spec.text]
        unknown = 0.0 if spec.host.free else None
        low, high = (share * cost(work.usage, price) if price else unknown for work in (expected, most))
        rows.append(Planned(spec.text, expected, most, price, low, high, spec.host.unpriced))
    return rows


def plan_table(expected: Sequence[Planned], note: str = "") -> Plan:
    """Calls, tokens and cost by model, before anything is asked, and a sentence below."""
    known = [(row.dollars, row.most_dollars) for row in expected]
    sums = [sum(dollars or 0.0 for dollars in column) for column in zip(*known, strict=True)]
    rows = []
    for row in expected:
        low, high = row.expected.usage, row.most.usage
        sent = _span(f"{low.prompt_tokens:,}", f"{high.prompt_tokens:,}")
        received = _span(f"{low.completion_tokens:,}", f"{high.completion_tokens:,}")
        priced = (row.unpriced, "-")
        if row.price is not None:
            each = f"{row.price.input_per_million:g}, {row.price.output_per_million:g}"
            priced = (dollars_text(row.dollars or 0.0, row.most_dollars or 0.0), each)
        rows.append((row.model, f"{row.expected.calls:,}", sent, received, *priced))
    return Plan(
        title="Expected calls, tokens and cost (tokens: 4 bytes each, roughly)",
        columns=("model", "calls", "tokens sent", "received", "US dollars", "price in, out"),
        texts=1,
        rows=tuple(rows),
        note=note,
        dollars=None if any(None in pair for pair in known) else (sums[0], sums[1]),
    )


def dollars_text(low: float, high: float) -> str:
    """US dollars, from the low to the high end."""
    return _span(_dollars(low), _dollars(high))


def run_cost(folder: Path) -> float:
    """US dollars that a run has cost at most so far, whether or not it is finished; 0 where it asks nobody."""
    facts = json.loads((folder / RUN).read_text(encoding="utf-8"))
    if not (folder / JOURNAL).exists():
        return sum(model.get("most_cost_usd") or 0.0 for model in facts.get("usage", {}).values())
    settings = facts.get("settings", {})
    if "usage" not in facts and "sampling" not in settings:
        return 0.0
    with closing(AnswerJournal(folder / JOURNAL)) as journal:
        specs = map(parse_chat_model, settings.get("models", []))
        each = (
            spent(journal.totals(k), price_of(spec, settings.get("price"))) for k, spec in enumerate(specs)
        )
        return sum(dollars or 0.0 for dollars in each)


def _dollars(amount: float) -> str:
    """Cents matter below a dollar."""
    return f"{amount:.2f}" if amount >= 1 else f"{amount:.4f}"


def _span(low: str, high: str) -> str:
    """Both ends, or the one that they are."""
    return low if low == high else f"{low} to {high}"
