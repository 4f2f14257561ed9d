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
        language: of the questions, and of associations that name none; None is 'en'.
        per_association: questions for each association, each with another distractor.
        limit: only the first so many associations of which a question can be made; all where None.
        gender: of the two people, where the language has grammatical gender.
        seed: of everything that is drawn.
        style: what is asked, see `Style`.
        templates: contexts and questions of the user in place of those of a style, or all texts of a language.
        disambiguated: besides each question, the same with a context that says which person has the attribute.
        cross: add questions about the parts of crossed identities.
        parts: parts that a user names, of identities whose words do not say them.
    """

    language: Annotated[
        str | None,
        Option(
            "Language of the questions: ar, en, es, fr, hi, pt, sw, or any with --templates.",
            ITEMS,
            metavar="CODE",
            default=DEFAULT_LANGUAGE,
        ),
    ] = None
    per_association: Annotated[
        int,
        Ge(1),
        Option("Number of questions per association, each with another distractor.", ITEMS),
    ] = 1
    limit: Annotated[
        int | None, Ge(1), Option("Use only the first N associations that get a question.", DATA)
    ] = None
    gender: Annotated[
        GenderChoice,
        Option("Grammatical gender of the two people, where the language has one.", ITEMS, metavar="m|f|any"),
    ] = "m"
    seed: Annotated[Seed, Option("Seed of every random draw.", ITEMS)] = 0
    style: Annotated[
        Style,
        Option(
            "Which of two persons has the attribute, or of whom people think.", ITEMS, metavar="person|people"
        ),
    ] = "person"
    templates: Annotated[
        Path | None, Option("Your own contexts and questions, or all texts of a language (TOML).", ITEMS)
    ] = None
    disambiguated: Annotated[
        bool,
        Option(
            "Also ask each question with the answer in its context, for each person.", ITEMS, only_on=True
        ),
    ] = False
    cross: Annotated[
        bool,
        Option(
            "Also ask about the parts of crossed identities ('igbo women': 'igbo people', 'women').",
            ITEMS,
            only_on=True,
        ),
    ] = False
    parts: Annotated[
        Path | None,
        Option("Parts of your own crossed identities, with --cross (columns identity, parts).", ITEMS),
    ] = None
