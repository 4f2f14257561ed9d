"""Options of `endoxa build choices`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from endoxa.errors import UserError
from endoxa.runs.options import Seed
from endoxa.schema.choices import PREMISES
from endoxa.schema.choices import Kind as ChoiceKind
from endoxa.schema.options import ITEMS, Option


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
