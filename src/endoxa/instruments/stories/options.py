"""Options of `build stories` and `analyze associations`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, Option

STRATIFIED: Literal["stratified"] = "stratified"
PUBLISHED: Literal["published"] = "published"

BOTH_STEPS: Literal["both-steps"] = "both-steps"
PAPER_RULE: Literal["paper"] = "paper"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which prompts are made.

    Attributes:
        attributes: Use only this attribute; repeatable.
        scenarios: Use only this theme or scenario ('family 2'); repeatable.
        per_cell: Maximum number of prompts per value and language.
        limit: Maximum number of prompts, spread over values.
    """

    attributes: Annotated[tuple[str, ...], Option(group=DATA, name="--attribute", metavar="NAME")] = ()
    scenarios: Annotated[tuple[str, ...], Option(group=DATA, name="--scenario", metavar="THEME")] = ()
    per_cell: Annotated[int | None, Ge(1), Option(group=ITEMS)] = None
    limit: Annotated[int | None, Ge(1), Option(group=ITEMS)] = None


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
        by_language: Analyze each language separately.
        alpha: False-discovery rate of both steps.
        draws: Maximum number of Monte Carlo tables per test.
        early_stop: Stop drawing when a decision can no longer change.
        error: Probability that an early decision differs from the final one, per family.
        confidence: confidence level of the intervals of lifts.
        seed: seed of everything that is drawn.
        jobs: Number of processes.
        pooled: Pooled languages: report associations that also hold within languages, or use the published test.
        rule: paper: keep only medium and large effects with a lift of at least 2.
    """

    by_language: Annotated[
        bool,
        Option(
            group=ANALYSIS,
            name="--by",
            metavar="language",
            default="all languages together",
            parse=by_language,
        ),
    ] = False
    alpha: Annotated[float, Ge(1e-06), Le(0.5), Option(group=ANALYSIS)] = 0.05
    draws: Annotated[int, Ge(200), Option(group=ANALYSIS)] = 500_000
    early_stop: Annotated[bool, Option(group=ANALYSIS)] = True
    error: Annotated[float, Ge(1e-09), Le(0.1), Option(group=ANALYSIS)] = 1e-3
    confidence: Confidence = DEFAULT_CONFIDENCE
    seed: Seed = 0
    jobs: Annotated[int | None, Ge(1), Option(group=ANALYSIS, default="one per core")] = None
    pooled: Annotated[Literal["stratified", "published"], Option(group=ANALYSIS)] = STRATIFIED
    rule: Annotated[Literal["both-steps", "paper"], Option(group=ANALYSIS)] = BOTH_STEPS

    @property
    def recorded(self) -> dict[str, Any]:
        """What decides the results, as it is written beside them: all but the languages and processes."""
        return {name: value for name, value in asdict(self).items() if name not in ("by_language", "jobs")}

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
