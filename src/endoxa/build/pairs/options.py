"""What can be chosen when pairs are made, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.curate.summary import LEAST
from endoxa.schema import PAIR_COLUMNS

EXTRA_COLUMNS: dict[str, str] = {
    "how": "'antonym' or 'negation': what the second sentence is made with",
    "words_difference": "words of `sent_more` minus words of `sent_less`",
    "characters_difference": "characters of `sent_more` minus characters of `sent_less`",
}
"""Columns of `pairs.csv` after those of `schema.PAIR_COLUMNS`."""

PROBLEM_COLUMNS: dict[str, str] = {
    "row": "row of the table of associations, from 1",
    "association_id": "the association",
    "identity": "its identity",
    "attribute": "its attribute",
    "language": "its language",
    "outcome": "'left out', or 'kept' where the pair was made and should be looked at",
    "reason": "why",
}
"""Columns of the table of problems."""

BUILT_COLUMNS = (*PAIR_COLUMNS, *EXTRA_COLUMNS)


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pairs are made.

    Attributes:
        language: language of associations that name none.
        negation_only: deny every attribute instead of looking for opposites.
        prefix: word(s) before every identity ("African"; AfriStereo 3.3.4).
        min_support: fewest respondents an association needs.
        lexicon: a user's own opposites, looked at before ours.
        templates: a user's own sentences by language.
        antonym_only: leave out what has no natural opposite instead of denying it.
        min_cell: fewest respondents of an association whose region is given, as in a summary; 1 gives all.
    """

    language: str = "en"
    negation_only: bool = False
    prefix: str = ""
    min_support: int = 1
    lexicon: Path | None = None
    templates: Path | None = None
    antonym_only: bool = False
    min_cell: int = LEAST


@dataclass(frozen=True, slots=True)
class Built:
    """Pairs made from associations.

    Attributes:
        pairs: columns of `BUILT_COLUMNS`, in the order of the associations.
        problems: columns of `PROBLEM_COLUMNS`.
        rare: associations with fewer respondents than asked for.
        assumed: what the table did not say, as sentences.
        placeless: pairs whose region is not given, because fewer than `min_cell` respondents stand behind them.
    """

    pairs: pl.DataFrame
    problems: pl.DataFrame
    rare: int
    assumed: tuple[str, ...]
    placeless: int = 0
