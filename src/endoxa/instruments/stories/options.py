"""Options of `build stories` and `analyze associations`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from endoxa.runs.options import DEFAULT_CONFIDENCE, Cluster, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, Option

STRATIFIED: Literal["stratified"] = "stratified"
PUBLISHED: Literal["published"] = "published"

BOTH_STEPS: Literal["both-steps"] = "both-steps"
PAPER_RULE: Literal["paper"] = "paper"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which prompts are made.

    Attributes:
        attributes: only these; empty: all.
        scenarios: only these themes ("family") or scenarios ("family 2"); empty: all.
        per_cell: at most so many prompts for a value in a language.
        limit: at most so many prompts.
    """

    attributes: Annotated[
        tuple[str, ...],
        Option("Use only this attribute; repeatable.", DATA, name="--attribute", metavar="NAME"),
    ] = ()
    scenarios: Annotated[
        tuple[str, ...],
        Option(
            "Use only this theme or scenario ('family 2'); repeatable.",
            DATA,
            name="--scenario",
            metavar="THEME",
        ),
    ] = ()
    per_cell: Annotated[
        int | None, Ge(1), Option("Maximum number of prompts per value and language.", ITEMS)
    ] = None
    limit: Annotated[int | None, Ge(1), Option("Maximum number of prompts, spread over values.", ITEMS)] = (
        None
    )


def by_language(text: str) -> bool:
    """What --by says.

    Raises:
        ValueError: another word than 'language'.
    """
    if text != "language":
        raise ValueError(f"'{text}' is invalid. Expected 'language'.")
    return True


@dataclass(frozen=True, slots=True)
class Discovery:
    """Settings of a discovery.

    Attributes:
        by_language: tables of each language apart; otherwise all languages of a model together.
        alpha: false-discovery rate of both steps.
        draws: maximum number of random tables drawn for a test.
        early_stop: stop drawing when a decision can no longer change; otherwise all draws are made.
        error: probability, for each family of tables, that an early decision differs from that with endless draws.
        confidence: confidence level of the intervals of lifts.
        seed: seed of everything that is drawn.
        jobs: processes; None takes one for each core.
        pooled: what is claimed of all languages together: `stratified` what also holds within languages, `published`
            what the published test of the pooled table finds.
        rule: `paper` keeps only what the article's extra rule keeps.
        cluster: where tables are tested.
    """

    by_language: Annotated[
        bool,
        Option(
            "Analyze each language separately.",
            ANALYSIS,
            name="--by",
            metavar="language",
            default="all languages together",
            parse=by_language,
        ),
    ] = False
    alpha: Annotated[float, Ge(1e-6), Le(0.5), Option("False-discovery rate of both steps.", ANALYSIS)] = 0.05
    draws: Annotated[int, Ge(200), Option("Maximum number of Monte Carlo tables per test.", ANALYSIS)] = (
        500_000
    )
    early_stop: Annotated[bool, Option("Stop drawing when a decision can no longer change.", ANALYSIS)] = True
    error: Annotated[
        float,
        Ge(1e-9),
        Le(0.1),
        Option("Probability that an early decision differs from the final one, per family.", ANALYSIS),
    ] = 1e-3
    confidence: Confidence = DEFAULT_CONFIDENCE
    seed: Seed = 0
    jobs: Annotated[int | None, Ge(1), Option("Number of processes.", ANALYSIS, default="one per core")] = (
        None
    )
    pooled: Annotated[
        Literal["stratified", "published"],
        Option(
            "Pooled languages: report associations that also hold within languages, or use the published test.",
            ANALYSIS,
        ),
    ] = STRATIFIED
    rule: Annotated[
        Literal["both-steps", "paper"],
        Option("paper: keep only medium and large effects with a lift of at least 2.", ANALYSIS),
    ] = BOTH_STEPS
    cluster: Cluster = field(default_factory=Cluster)

    @property
    def recorded(self) -> dict[str, Any]:
        """What decides the results, as it is written beside them: all but the languages and where it was computed."""
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in ("by_language", "jobs", "cluster")
        }

    @classmethod
    def of(cls, recorded: Mapping[str, Any], *, by_language: bool = False) -> Discovery:
        """Settings as they were written; what is missing has its default.

        Raises:
            ValueError: a value is of another type, or outside its limits.
        """
        from pydantic import TypeAdapter

        stated = {name: recorded[name] for name in cls().recorded if name in recorded}
        text = json.dumps({**stated, "by_language": by_language})
        return TypeAdapter(cls).validate_json(text, strict=True)


PAPER_LIFT = 2.0
PAPER_EFFECTS = ("medium", "large")
"""What the article's extra rule keeps."""
