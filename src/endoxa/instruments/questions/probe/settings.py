"""What a run of questions is asked to do."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from endoxa.engine.asking.settings import ChatRunSettings
from endoxa.schema import PROTOCOLS

Ask = Literal["letters", "text", "loglik", "loglik-mean"]
BY_LIKELIHOOD = ("loglik", "loglik-mean")
Protocol = Literal["baseline", "explanation", "reprompting"]


class QaSettings(ChatRunSettings):
    """Settings of `endoxa probe qa`.

    Attributes:
        metadata: BBQ's additional_metadata.csv; None looks beside the data.
        label: what reports call the data; None: "Name" where names stand for groups, else the category.
        ask: how an answer is asked for: by letter, by text, or by log-likelihood of the options.
        protocols: self-debiasing protocols.
        repeats: how often each item is asked; every repeat has its own order of options and seed.
        shuffle: options in an order drawn for each item and repeat; otherwise as published.
        prompts: TOML file with instructions of one's own; None takes ours.
        confidence: confidence level of the intervals.
    """

    metadata: str | None = None
    label: str | None = None
    ask: Ask = "letters"
    protocols: tuple[Protocol, ...] = ("baseline",)
    repeats: int = Field(default=1, ge=1)
    shuffle: bool = True
    prompts: str | None = None
    confidence: float = Field(default=0.95, gt=0, lt=1)

    @property
    def by_likelihood(self) -> bool:
        """Options are scored, nothing is generated."""
        return self.ask in BY_LIKELIHOOD

    @property
    def turns(self) -> int:
        """Messages of the longest protocol."""
        return 1 if self.protocols == (PROTOCOLS[0],) else 2

    @property
    def calls_per_item(self) -> int:
        """Calls that one item takes of one model."""
        return self.repeats * sum(1 if protocol == PROTOCOLS[0] else 2 for protocol in self.protocols)

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the answers."""
        return {"confidence": self.confidence, "seed": self.seed}

    def identity(
        self,
        data_sha256: str,
        metadata_sha256: str | None,
        prompts: dict[str, Any],
        models: list[dict[str, Any]],
    ) -> dict[str, Any]:
        """Everything that decides the answers, as far as it is in our hands."""
        return {
            "kind": "qa",
            **self.asked_identity(data_sha256, models),
            "metadata": metadata_sha256,
            "ask": self.ask,
            "protocols": list(self.protocols),
            "repeats": self.repeats,
            "shuffle": self.shuffle,
            "prompts": prompts,
        }
