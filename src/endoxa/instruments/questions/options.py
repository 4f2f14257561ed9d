"""Options of `endoxa build qa`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from endoxa.runs.options import Seed
from endoxa.schema.options import DATA, ITEMS, Option

GenderChoice = Literal["m", "f", "any"]
"""Grammatical gender of the two people, where the language has one: 'any' draws it anew for every question."""

Style = Literal["person", "people"]
"""Which of two persons has an attribute, as in LACES; or of whom people think when they hear it."""

DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class QaOptions:
    """What can be chosen.

    Attributes:
        language: Language of the questions: ar, en, es, fr, hi, pt, sw, or any with --templates.
        per_association: Number of questions per association, each with another distractor.
        limit: Use only the first N associations that get a question.
        gender: Grammatical gender of the two people, where the language has one.
        seed: Seed of every random draw.
        style: Which of two persons has the attribute, or of whom people think.
        templates: Your own contexts and questions, or all texts of a language (TOML).
        disambiguated: Also ask each question with the answer in its context, for each person.
        cross: Also ask about the parts of crossed identities ('igbo women': 'igbo people', 'women').
    """

    language: Annotated[str | None, Option(group=ITEMS, metavar="CODE", default=DEFAULT_LANGUAGE)] = None
    per_association: Annotated[int, Ge(1), Option(group=ITEMS)] = 1
    limit: Annotated[int | None, Ge(1), Option(group=DATA)] = None
    gender: Annotated[GenderChoice, Option(group=ITEMS, metavar="m|f|any")] = "m"
    seed: Annotated[Seed, Option(group=ITEMS)] = 0
    style: Annotated[Style, Option(group=ITEMS, metavar="person|people")] = "person"
    templates: Annotated[Path | None, Option(group=ITEMS)] = None
    disambiguated: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    cross: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
