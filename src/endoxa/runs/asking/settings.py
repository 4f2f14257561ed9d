"""What every run that asks chat models is asked to do."""

from __future__ import annotations

import json
from typing import Annotated, Self

from annotated_types import Gt
from pydantic import model_validator

from endoxa.models.chat.spec import ChatOptions
from endoxa.models.keys import refuse_secrets
from endoxa.runs.options import EngineOptions, RunSettings, Seed
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, MONEY, NETWORK, Option, Setting, finite

CHAT_MODELS = (
    "Model: openai/NAME, anthropic/NAME, PROVIDER/NAME, http://HOST:PORT/v1#NAME, hf/ID-OR-FOLDER or sim/NAME; "
    "repeatable."
)

BY_LIKELIHOOD = ("loglik", "loglik-mean")
"""Ways of asking in which options are scored and nothing is generated (`endoxa.runs.asking.likelihoods`)."""


class ChatRunSettings(RunSettings):
    """Settings that all these runs share.

    Attributes:
        data: file with what is asked about.
        models: models as written on the command line.
        system: System message.
        sampling: how answers are drawn.
        options: how models are reached or loaded.
        engine: where local weights run.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        retry_errors: Ask again what ended with an error; answers are kept.
    """

    data: str
    models: Annotated[tuple[str, ...], Option(CHAT_MODELS, DATA, name="--model", metavar="MODEL")] = ()
    seed: Seed = 0
    system: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    sampling: Sampling = Sampling()
    options: ChatOptions = ChatOptions()
    engine: EngineOptions = EngineOptions()
    batch: Annotated[bool, Option(group=NETWORK, only_on=True, decides=False)] = False
    max_cost: Annotated[
        float | None, Gt(0), Option(group=MONEY, metavar="USD", parse=finite, decides=False)
    ] = None
    price: Annotated[str | None, Setting(group=MONEY, metavar="IN,OUT", decides=False)] = None
    retry_errors: Annotated[bool, Setting(group=ASKING, only_on=True, decides=False)] = False

    @model_validator(mode="after")
    def _without_secrets(self) -> Self:
        refuse_secrets(self.sampling.extra)
        return self


class FramedSettings(ChatRunSettings):
    """Settings of runs whose requests can have texts around them.

    Attributes:
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
    """

    before: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    after: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    examples: Annotated[
        tuple[tuple[str, str], ...],
        Setting(group=ASKING, metavar="JSON", default="none", parse=json.loads),
    ] = ()

    def framed(self, text: str) -> str:
        """A request with the texts around it."""
        return "\n\n".join(filter(None, (self.before, text, self.after)))
