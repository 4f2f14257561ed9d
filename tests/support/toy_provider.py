"""A chat provider as a package would add one: this module and one entry point, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost, Provider
from endoxa.schema import ChatAnswer, Message, Sampling, Usage


@dataclass(frozen=True)
class ToyModel:
    """Answers every question with the letter that is its name."""

    name: str
    letter: str

    def describe(self) -> Mapping[str, Any]:
        return {"name": self.name, "provider": "toy"}

    async def check(self) -> None:
        return None

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        return ChatAnswer(self.letter, usage=Usage(10, 1), served_model=self.letter)

    async def close(self) -> None:
        return None


def open_toy(spec: ChatSpec, options: ChatOptions, lost: Lost) -> ToyModel:
    return ToyModel(spec.text, spec.served_name)


TOY = Provider(name="toy", kind="toy", open=open_toy, free=True, unpriced="free (a toy)")
LACKING = Provider(
    name="lacking",
    kind="lacking",
    open=open_toy,
    libraries=("no-such-library",),
    install="pip install lacking",
)
