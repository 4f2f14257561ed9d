"""What every run that asks chat models is asked to do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from endoxa.models.chat.spec import ChatOptions
from endoxa.schema import Sampling


class ChatRunSettings(BaseModel):
    """Settings that all these runs share; `run.json` keeps them.

    Attributes:
        data: file with what is asked about.
        models: models as written on the command line.
        languages: only items in these languages; empty takes all.
        limit: only the first so many items.
        seed: seed of everything that is drawn.
        system: system message, or empty.
        sampling: how answers are drawn.
        options: how models are reached or loaded.
        batch: use the provider's batch interface.
        max_cost: US dollars that must not be exceeded, for all models together.
        retry_errors: ask again what ended with an error.
        price: "IN,OUT" in US dollars per million tokens, instead of the list price.
        notice: what every page made from the run must say first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str
    models: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**31)
    system: str = ""
    sampling: Sampling = Sampling()
    options: ChatOptions = ChatOptions()
    batch: bool = False
    max_cost: float | None = Field(default=None, gt=0)
    price: str | None = None
    retry_errors: bool = False
    notice: str | None = None

    def asked_identity(self, data_sha256: str, models: list[dict[str, Any]]) -> dict[str, Any]:
        """What of these settings decides the answers."""
        return {
            "data": data_sha256,
            "models": models,
            "language": list(self.languages),
            "limit": self.limit,
            "seed": self.seed,
            "system": self.system,
            "sampling": asdict(self.sampling),
        }
