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
        axes: axes to cross; none where tests come from associations.
        attributes: attribute pairs.
        languages: ISO 639 codes.
        per_term: sentences for each term, or `ALL`, or `WORDS`.
        wanted: name of the list of groups to take.
        lists: a user's word lists.
        templates: a user's sentences.
    """

    axes: Annotated[
        tuple[str, ...], Option("Axes to cross, separated by commas.", ITEMS, metavar="A,B", parse=words)
    ] = ()
    attributes: Annotated[
        tuple[str, ...], Option("Attribute pairs, separated by commas.", ITEMS, metavar="P,Q", parse=words)
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        Option("Language (ISO 639); repeatable.", DATA, name="--language", metavar="CODE", default="en"),
    ] = ()
    per_term: Annotated[
        int,
        Option(
            "Number of sentences per term, or words only.",
            ITEMS,
            name="--templates",
            metavar="N|all|words",
            parse=sentences_per_term,
        ),
    ] = 1
    wanted: Annotated[
        str | None,
        Option("Word list of the groups, if there are several.", DATA, name="--from", metavar="LIST"),
    ] = None
    lists: Annotated[
        tuple[Path, ...], Option("Your own word lists (TOML); override the built-in ones.", DATA)
    ] = ()
    templates: Annotated[
        Path | None,
        Option("Your own sentence templates for one language (TOML).", DATA, name="--templates-file"),
    ] = None


@dataclass(frozen=True, slots=True)
class Contrast:
    """What an identity is held against.

    Attributes:
        against: the identity that is Y; every other one of the axis with four attributes where it is empty.
        each: a test for every association: its identity against all others of the axis and language (or `against`),
            and its attribute against the opposite of that one.
        languages: languages to take; all where empty.
        language: language of associations that name none.
    """

    against: Annotated[
        str, Option("Identity of target set Y, with --associations.", ITEMS, metavar="IDENTITY")
    ] = ""
    each: Annotated[
        bool,
        Option(
            "One test per association: its identity against the others, its attribute against the antonym.",
            ITEMS,
            only_on=True,
        ),
    ] = False
    languages: tuple[str, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """Everything that decides the numbers besides tests and vectors.

    Attributes:
        seed: seed of partitions and resamples.
        draws: partitions drawn where they are too many to be counted.
        unequal: target sets of different size: 'fixed' keeps all texts, and partitions have the sizes of X and Y;
            'truncate' takes the first units of the longer set only, as many as the shorter one has.
        ddof: '1', or 'wefe' for 0, in the column `effect_size` and its interval.
        confidence: confidence level of the intervals.
        resamples: bootstrap samples per interval.
        alternative: 'two-sided', or 'greater' (X lies nearer to A, rather than B, than Y does) or 'less' where that
            side alone was asked about before.
        unit: what is exchanged and resampled: 'text', 'term', or 'auto' (`effect_size.unit_of`).
    """

    seed: Seed = 0
    draws: Draws = DRAWS
    unequal: Annotated[
        Unequal,
        Option("If X and Y differ in size: keep both sizes (fixed), or truncate the larger set.", ANALYSIS),
    ] = "fixed"
    ddof: Annotated[
        Ddof, Option("Degrees of freedom correction of the standard deviation; wefe: 0.", ANALYSIS)
    ] = "1"
    confidence: Confidence = DEFAULT_CONFIDENCE
    resamples: Resamples = DEFAULT_RESAMPLES
    alternative: Annotated[
        Alternative,
        Option(
            "Alternative hypothesis; one-sided greater (as published): X is closer to A (relative to B) than Y is.",
            ANALYSIS,
        ),
    ] = "two-sided"
    unit: Annotated[
        Unit,
        Option("Unit of permutation and resampling; auto: terms if a term has several texts.", ANALYSIS),
    ] = "auto"


USUAL = AnalysisOptions()
