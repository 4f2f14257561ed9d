"""How associations are discovered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

STRATIFIED: Literal["stratified"] = "stratified"
PUBLISHED: Literal["published"] = "published"

BOTH_STEPS: Literal["both-steps"] = "both-steps"
PAPER_RULE: Literal["paper"] = "paper"


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
    """

    by_language: bool = False
    alpha: float = 0.05
    draws: int = 500_000
    early_stop: bool = True
    error: float = 1e-3
    confidence: float = 0.95
    seed: int = 0
    jobs: int | None = None
    pooled: Literal["stratified", "published"] = STRATIFIED
    rule: Literal["both-steps", "paper"] = BOTH_STEPS

    @property
    def recorded(self) -> dict[str, Any]:
        """What decides the results, as it is written beside them: all but the languages and the processes."""
        return {name: value for name, value in asdict(self).items() if name not in ("by_language", "jobs")}

    @classmethod
    def of(cls, recorded: Mapping[str, Any], *, by_language: bool = False) -> Discovery:
        """Settings as they were written; what is missing has its default.

        Raises:
            ValueError: a value is of another type, or outside its limits.
        """
        given = {**cls().recorded, **{name: recorded[name] for name in cls().recorded if name in recorded}}
        for name, default in cls().recorded.items():
            if type(given[name]) is not type(default):
                raise ValueError(f"{name}: {given[name]!r} is of another type")
        rates = (given["alpha"], given["error"], given["confidence"])
        names = given["pooled"] in (STRATIFIED, PUBLISHED) and given["rule"] in (BOTH_STEPS, PAPER_RULE)
        if not (all(0 < rate < 1 for rate in rates) and given["draws"] > 0 and given["seed"] >= 0 and names):
            raise ValueError("a setting is outside its limits")
        return cls(by_language=by_language, **given)


PAPER_LIFT = 2.0
PAPER_EFFECTS = ("medium", "large")
"""What the article's extra rule keeps."""
