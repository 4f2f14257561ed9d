"""Options of comparisons of editions; commands begin with it, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, Option

COUNTRY = "country"
Balance = Literal["country"]


@dataclass(frozen=True, slots=True)
class EditionOptions:
    """How two editions are compared.

    Attributes:
        groups: grouping of attributes that both editions are read with.
        paired: the same code of a respondent is the same person in both; only those in both are compared.
        balance: 'country' gives every country of both editions equal weight.
        respondents: number of respondents of each edition, for tables that have counts only.
        confidence: of all intervals together.
        draws: random assignments of respondents for the test of all associations together.
        seed: of those.
    """

    groups: Annotated[
        Path | None, Option("Groups of attributes (`endoxa curate group`), used for both tables.", DATA)
    ] = None
    paired: Annotated[
        bool,
        Option(
            "The same respondent code is the same person in both tables; compare only those who answered both.",
            DATA,
            only_on=True,
        ),
    ] = False
    balance: Annotated[
        Balance | None,
        Option(
            "Give every country equal weight in the shares of respondents.",
            ANALYSIS,
            metavar="country",
            default="every respondent counts the same",
        ),
    ] = None
    respondents: Annotated[
        tuple[int, ...],
        Option(
            "Number of respondents of each table, for tables that only count (give it twice).",
            DATA,
            metavar="N",
        ),
    ] = ()
    confidence: Confidence = DEFAULT_CONFIDENCE
    draws: Annotated[
        int, Ge(99), Option("Random divisions of the respondents for the test of all associations.", ANALYSIS)
    ] = 999
    seed: Seed = 0
