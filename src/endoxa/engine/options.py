"""Options that several commands share; the command line imports them at its start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

DEFAULT_CONFIDENCE = 0.95
DEFAULT_RESAMPLES = 2000

Languages = Annotated[
    tuple[str, ...],
    Option("Use only items in this language; repeatable.", DATA, name="--language", metavar="CODE"),
]
Limit = Annotated[int | None, Ge(1), Option("Use only the first N items.", DATA, metavar="N")]
Seed = Annotated[int, Ge(0), Le(2**31 - 1), Option("Seed of every random draw.", ANALYSIS)]
Confidence = Annotated[float, Ge(0.01), Le(0.999), Option("Confidence level of the intervals.", ANALYSIS)]
Resamples = Annotated[int, Ge(100), Option("Bootstrap samples per interval.", ANALYSIS)]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        confidence: confidence level.
        resamples: bootstrap samples.
        seed: everything drawn follows from it.
    """

    confidence: Confidence = DEFAULT_CONFIDENCE
    resamples: Resamples = DEFAULT_RESAMPLES
    seed: Seed = 0


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is made.

    Attributes:
        confidence: confidence level of all intervals; None takes that of the runs, or 0.95.
        seed: seed of the bootstrap.
        labels: table of labels, providers and sizes of models.
    """

    confidence: Annotated[
        float | None,
        Ge(0.01),
        Le(0.999),
        Option(
            "Confidence level of the intervals; not for association tests.",
            ANALYSIS,
            default=str(DEFAULT_CONFIDENCE),
        ),
    ] = None
    seed: Seed = 0
    labels: Annotated[
        Path | None,
        Option(
            "Display names of models: table with columns model, label, provider, size (questions, stories).",
            OUTPUT,
        ),
    ] = None
