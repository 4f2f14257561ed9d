"""Options of a convergence analysis; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, Option


@dataclass(frozen=True, slots=True)
class ConvergenceOptions:
    """How instruments are compared.

    Attributes:
        rule: scoring rule of sentence pairs; empty takes the first one of each model in the run.
        pooling: pooling of association tests; empty takes the first one of each model in the run.
        protocol: protocol of questions.
        confidence: confidence level of intervals and verdicts.
        seed: seed of sign flips and random halves.
    """

    rule: Annotated[
        str,
        Option("Scoring rule of sentence pairs; by default the first of each model.", DATA, metavar="RULE"),
    ] = ""
    pooling: Annotated[
        str, Option("Pooling of association tests; by default the first of each model.", DATA, metavar="NAME")
    ] = ""
    protocol: Annotated[str, Option("Protocol of questions.", ANALYSIS, metavar="NAME")] = "baseline"
    confidence: Confidence = DEFAULT_CONFIDENCE
    seed: Seed = 0


USUAL = ConvergenceOptions()
