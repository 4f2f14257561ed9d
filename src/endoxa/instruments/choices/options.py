"""Options of `endoxa build choices` and `endoxa probe choices`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import model_validator

from endoxa.errors import UserError
from endoxa.runs.asking.settings import BY_LIKELIHOOD, FramedSettings
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
        kind: what is made of each association.
        language: of the items; None is 'en'.
        per_association: combinations of situation and wording for each association.
        premises: kinds of premises of inferences.
        templates: words of the user in place of ours.
        gender: grammatical gender of the people, where the language has one.
        seed: of everything that is drawn.
    """

    kind: Annotated[
        ChoiceKind,
        Option("Inferences, decisions or word lists.", ITEMS, metavar="inference|decision|association"),
    ] = "decision"
    language: Annotated[
        str | None,
        Option("Language of the items; others with --templates.", ITEMS, metavar="CODE", default="en"),
    ] = None
    per_association: Annotated[
        int, Ge(1), Option("Number of situations and wordings per association.", ITEMS)
    ] = 4
    premises: Annotated[
        tuple[str, ...],
        Option(
            "Premises of inferences, separated by commas: neutral, stereotype.",
            ITEMS,
            metavar="LIST",
            default="neutral",
            parse=read_premises,
        ),
    ] = ("neutral",)
    templates: Annotated[Path | None, Option("Your own situations and words (TOML).", ITEMS)] = None
    gender: Annotated[
        str, Option("Grammatical gender of the people, where the language has one.", ITEMS, metavar="m|f")
    ] = "m"
    seed: Annotated[Seed, Option("Seed of every random draw.", ITEMS)] = 0


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
