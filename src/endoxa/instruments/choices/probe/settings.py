"""What a run of choices is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import model_validator

from endoxa.runs.asking.settings import BY_LIKELIHOOD, FramedSettings
from endoxa.runs.options import DEFAULT_CONFIDENCE, RunConfidence
from endoxa.schema.options import ASKING, DATA, Option

Ask = Literal["auto", "text", "letters", "loglik", "loglik-mean"]
ORDERS = 2
"""Every item is asked in two orders, one the reverse of the other."""


class ChoiceSettings(FramedSettings):
    """Settings of `endoxa probe choices`.

    Attributes:
        data: items, or published stimuli.
        ask: how an answer is asked for; 'auto' is replaced at once by what it stands for.
        repeats: how often each item is asked in each order.
        confidence: confidence level of the intervals.
    """

    data: Annotated[
        str,
        Option(
            "Items of `endoxa build choices` (JSONL), or iat_stimuli.csv of Bai et al.",
            DATA,
            metavar="FILE",
            sample="choices",
        ),
    ]
    ask: Annotated[
        Ask,
        Option(
            "Answer by letter or by text, or score the options (hf/..., http://...); auto is loglik for local weights "
            "(all models are hf/...), else letters.",
            ASKING,
        ),
    ] = "auto"
    repeats: Annotated[int, Ge(1), Option("Number of times each item is asked in each order.", ASKING)] = 1
    confidence: RunConfidence = DEFAULT_CONFIDENCE

    @model_validator(mode="before")
    @classmethod
    def _ask_as_models_can(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or given.get("ask", "auto") != "auto":
            return given
        models = [str(model) for model in given.get("models", ())]
        local = bool(models) and all(model.startswith("hf/") for model in models)
        return {**given, "ask": "loglik" if local else "letters"}

    @property
    def calls_per_item(self) -> int:
        """Calls that one item takes of one model."""
        return self.repeats * ORDERS

    @property
    def by_likelihood(self) -> bool:
        """Options are scored, nothing is generated."""
        return self.ask in BY_LIKELIHOOD

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the answers."""
        return {"confidence": self.confidence, "seed": self.seed}
