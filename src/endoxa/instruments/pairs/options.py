"""Options of `endoxa build pairs`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Le

from endoxa.runs.options import Seed
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.schema.options import DATA, ITEMS, OUTPUT, Option

DEFAULT_LANGUAGE = "en"
"""Of associations that name none, where nobody says or identifies another one."""


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pairs are made.

    Attributes:
        language: language of associations that name none; None is English, which `endoxa build` does not
            assume: it identifies the language.
        negation_only: deny every attribute instead of looking for opposites.
        prefix: word(s) before every identity ("African"; AfriStereo 3.3.4).
        min_support: fewest respondents an association needs.
        min_ratings: fewest ratings an association of a campaign needs.
        min_mean: lowest mean rating, 1 (never heard) to 5; without a rating there is none.
        min_knowers: lowest share of raters who had heard it.
        lexicon: a user's own opposites, looked at before ours.
        templates: a user's own sentences by language.
        antonym_only: leave out what has no natural opposite instead of denying it.
        framings: ways to put each pair: the plain sentence, then the framings of the language.
        min_cell: fewest respondents of an association whose region is given, as in a summary; 1 gives all.
        balance: 'country' draws the same number of associations of every country.
        seed: of that draw.
        cross: add pairs about the parts of crossed identities ("igbo women": Igbo people, women).
        parts: parts that a user names, of identities whose words do not say them.
    """

    language: Annotated[
        str | None,
        Option(
            "Language of associations without one (ISO 639).",
            DATA,
            metavar="CODE",
            default="identified from the texts",
        ),
    ] = None
    negation_only: Annotated[
        bool, Option("Negate every attribute instead of using antonyms.", ITEMS, only_on=True)
    ] = False
    prefix: Annotated[
        str, Option("Words to put before every identity ('African').", ITEMS, metavar="WORDS")
    ] = ""
    min_support: Annotated[int, Option("Minimum number of respondents per association.", DATA)] = 1
    min_ratings: Annotated[
        int, Ge(0), Option("Minimum number of ratings per association (column ratings of a campaign).", DATA)
    ] = 0
    min_mean: Annotated[
        float, Ge(1), Le(5), Option("Minimum mean rating, 1 (never heard) to 5 (column mean).", DATA)
    ] = 1.0
    min_knowers: Annotated[
        float, Ge(0), Le(1), Option("Minimum share of raters who had heard it (column knowers).", DATA)
    ] = 0.0
    lexicon: Annotated[
        Path | None, Option("Your own antonyms (columns one, other); override the built-in ones.", ITEMS)
    ] = None
    templates: Annotated[Path | None, Option("Your own sentence templates by language (TOML).", ITEMS)] = None
    antonym_only: Annotated[
        bool, Option("Leave out associations without an antonym.", ITEMS, only_on=True)
    ] = False
    framings: Annotated[
        int,
        Ge(1),
        Option(
            "Pairs per association: the plain sentence and N-1 framings ('People often say: ...').", ITEMS
        ),
    ] = 1
    min_cell: Annotated[
        int, Ge(1), Option("Minimum number of respondents to keep an association's region.", OUTPUT)
    ] = SMALLEST_CELL
    balance: Annotated[
        Literal["country"] | None,
        Option(
            "Draw the same number of associations of every country (column region).",
            ITEMS,
            metavar="country",
            default="all pairs",
        ),
    ] = None
    seed: Seed = 0
    cross: Annotated[
        bool,
        Option(
            "Also make pairs about the parts of crossed identities ('igbo women': 'igbo people', 'women').",
            ITEMS,
            only_on=True,
        ),
    ] = False
    parts: Annotated[
        Path | None,
        Option("Parts of your own crossed identities, with --cross (columns identity, parts).", ITEMS),
    ] = None
