"""Options of `endoxa build tests` and `endoxa analyze run`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Le

from endoxa.errors import UserError
from endoxa.runs.options import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Confidence, Resamples, Seed
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, Option
from endoxa.stats.verdicts import Alternative

ALL = -1
WORDS = 0
"""Numbers of sentences per term with a meaning of their own: every one, and the words without a sentence."""

DRAWS = 100_000

Draws = Annotated[
    int,
    Ge(100),
    Le(10_000_000),
    Option("Maximum number of Monte Carlo partitions per test.", ANALYSIS, decides=False),
]
Unit = Literal["auto", "text", "term"]
Unequal = Literal["fixed", "truncate"]
Ddof = Literal["1", "wefe"]


def words(text: str) -> tuple[str, ...]:
    """Words separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def sentences_per_term(word: str) -> int:
    """The number that --templates says: a whole number, 'all' or 'words'.

    Raises:
        UserError: none of these.
    """
    if word in ("all", "words"):
        return ALL if word == "all" else WORDS
    if word.isascii() and word.isdigit() and int(word) > 0:
        return int(word)
    raise UserError(
        f"'{word}' is invalid. Expected a number from 1, 'all', or 'words' (terms without sentences)."
    )


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What tests are made from.

    Attributes:
        axes: Axes to cross, separated by commas.
        attributes: Attribute pairs, separated by commas.
        languages: Language (ISO 639); repeatable.
        per_term: Number of sentences per term, or words only.
        wanted: Word list of the groups, if there are several.
        lists: Your own word lists (TOML); override the built-in ones.
        templates: Your own sentence templates for one language (TOML).
    """

    axes: Annotated[tuple[str, ...], Option(group=ITEMS, metavar="A,B", parse=words)] = ()
    attributes: Annotated[tuple[str, ...], Option(group=ITEMS, metavar="P,Q", parse=words)] = ()
    languages: Annotated[
        tuple[str, ...], Option(group=DATA, name="--language", metavar="CODE", default="en")
    ] = ()
    per_term: Annotated[
        int, Option(group=ITEMS, name="--templates", metavar="N|all|words", parse=sentences_per_term)
    ] = 1
    wanted: Annotated[str | None, Option(group=DATA, name="--from", metavar="LIST")] = None
    lists: Annotated[tuple[Path, ...], Option(group=DATA)] = ()
    templates: Annotated[Path | None, Option(group=DATA, name="--templates-file")] = None


@dataclass(frozen=True, slots=True)
class Contrast:
    """What an identity is held against.

    Attributes:
        against: Identity of target set Y, with --associations.
        each: One test per association: its identity against the others, its attribute against the antonym.
        languages: languages to take; all where empty.
        language: language of associations that name none.
    """

    against: Annotated[str, Option(group=ITEMS, metavar="IDENTITY")] = ""
    each: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    languages: tuple[str, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """Everything that decides the numbers besides tests and vectors.

    Attributes:
        seed: seed of partitions and resamples.
        draws: partitions drawn where they are too many to be counted.
        unequal: If X and Y differ in size: keep both sizes (fixed), or truncate the larger set.
        ddof: Degrees of freedom correction of the standard deviation; wefe: 0.
        confidence: confidence level of the intervals.
        resamples: bootstrap samples per interval.
        alternative: Alternative hypothesis; one-sided greater (as published): X is closer to A (relative to B) than Y
            is.
        unit: Unit of permutation and resampling; auto: terms if a term has several texts.
    """

    seed: Seed = 0
    draws: Draws = DRAWS
    unequal: Annotated[Unequal, Option(group=ANALYSIS)] = "fixed"
    ddof: Annotated[Ddof, Option(group=ANALYSIS)] = "1"
    confidence: Confidence = DEFAULT_CONFIDENCE
    resamples: Resamples = DEFAULT_RESAMPLES
    alternative: Annotated[Alternative, Option(group=ANALYSIS)] = "two-sided"
    unit: Annotated[Unit, Option(group=ANALYSIS)] = "auto"


USUAL = AnalysisOptions()
