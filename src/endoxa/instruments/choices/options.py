"""Options of `endoxa build choices` and `endoxa probe choices`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import model_validator

from endoxa.errors import UserError
from endoxa.runs.asking.jobs import BY_LIKELIHOOD, FramedSettings
from endoxa.runs.options import DEFAULT_CONFIDENCE, RunConfidence, Seed
from endoxa.schema.choices import PREMISES
from endoxa.schema.choices import Kind as ChoiceKind
from endoxa.schema.options import ASKING, DATA, ITEMS, Option


def read_premises(text: str) -> tuple[str, ...]:
    """Kinds of premises, separated by commas.

    Raises:
        UserError: one is unknown.
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names or not set(names) <= set(PREMISES):
        raise UserError(f"unknown premise in '{text}'. Expected one or more of {', '.join(PREMISES)}.")
    return names


@dataclass(frozen=True, slots=True)
class ChoiceOptions:
    """What can be chosen.

    Attributes:
        kind: Inferences, decisions or word lists.
        language: Language of the items; others with --templates.
        per_association: Number of situations and wordings per association.
        premises: Premises of inferences, separated by commas: neutral, stereotype.
        templates: Your own situations and words (TOML).
        gender: Grammatical gender of the people, where the language has one.
        seed: Seed of every random draw.
    """

    kind: Annotated[ChoiceKind, Option(group=ITEMS, metavar="inference|decision|association")] = "decision"
    language: Annotated[str | None, Option(group=ITEMS, metavar="CODE", default="en")] = None
    per_association: Annotated[int, Ge(1), Option(group=ITEMS)] = 4
    premises: Annotated[
        tuple[str, ...], Option(group=ITEMS, metavar="LIST", default="neutral", parse=read_premises)
    ] = ("neutral",)
    templates: Annotated[Path | None, Option(group=ITEMS)] = None
    gender: Annotated[str, Option(group=ITEMS, metavar="m|f")] = "m"
    seed: Annotated[Seed, Option(group=ITEMS)] = 0


Ask = Literal["auto", "text", "letters", "loglik", "loglik-mean"]
ORDERS = 2
"""Every item is asked in two orders, one the reverse of the other."""


class ChoiceSettings(FramedSettings):
    """Settings of `endoxa probe choices`.

    Attributes:
        data: Items of `endoxa build choices` (JSONL), or iat_stimuli.csv of Bai et al.
        ask: Answer by letter or by text, or score the options (hf/..., http://...); auto is loglik for local weights
            (all models are hf/...), else letters.
        repeats: Number of times each item is asked in each order.
        confidence: confidence level of the intervals.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE", sample="choices")]
    ask: Annotated[Ask, Option(group=ASKING)] = "auto"
    repeats: Annotated[int, Ge(1), Option(group=ASKING)] = 1
    confidence: RunConfidence = DEFAULT_CONFIDENCE

    @model_validator(mode="before")
    @classmethod
    def _ask_as_models_can(cls, stated: Any) -> Any:
        if not isinstance(stated, Mapping) or stated.get("ask", "auto") != "auto":
            return stated
        models = [str(model) for model in stated.get("models", ())]
        local = bool(models) and all(model.startswith("hf/") for model in models)
        return {**stated, "ask": "loglik" if local else "letters"}

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
