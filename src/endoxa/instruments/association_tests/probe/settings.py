"""What a run of association tests is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from endoxa.models import ModelOptions
from endoxa.models.encoders import EncoderOptions, EncoderSpec
from endoxa.models.encoders.encoder import DEFAULT_MAX_UNKNOWN
from endoxa.models.encoders.facts import EncoderFacts


class EmbeddingsSettings(BaseModel):
    """Settings of `endoxa probe embeddings`; `run.json` keeps them.

    Attributes:
        tests: file of association tests.
        models: encoders as written on the command line.
        poolings: names of poolings; empty takes the usual one of each encoder.
        layer: whose output is pooled (0 is the embedding layer); None the last one.
        max_unknown: share of the different words that a file of word vectors may lack.
        languages: only tests in these languages.
        confidence: confidence level of the intervals.
        seed: seed of partitions and bootstrap.
        draws: partitions drawn where they are too many to be counted.
        notice: what every page made from the run must say first.
        options: how encoders are loaded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tests: str
    models: tuple[str, ...] = ()
    poolings: tuple[str, ...] = ()
    layer: int | None = Field(default=None, ge=0)
    max_unknown: float = Field(default=DEFAULT_MAX_UNKNOWN, ge=0, le=1)
    languages: tuple[str, ...] = ()
    confidence: float = Field(default=0.95, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)
    draws: int = Field(default=100_000, ge=100)
    notice: str | None = None
    options: ModelOptions = ModelOptions()

    def encoder_options(self) -> EncoderOptions:
        """How encoders are loaded and read."""
        return EncoderOptions(self.options, self.layer, self.max_unknown)

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the vectors."""
        return {"confidence": self.confidence, "seed": self.seed, "draws": self.draws}

    def identity(
        self,
        tests_sha256: str,
        specs: Sequence[EncoderSpec],
        facts: Mapping[str, EncoderFacts],
        poolings: Mapping[str, Sequence[str]],
    ) -> dict[str, Any]:
        """Everything that decides the vectors; two runs with one identity have the same vectors."""
        # These change the speed, and the numbers by rounding only.
        speed = ("batch_tokens", "packed_weights")
        options = {name: value for name, value in asdict(self.options).items() if name not in speed}
        return {
            "kind": "embeddings",
            "data": tests_sha256,
            "language": list(self.languages),
            "layer": self.layer,
            "models": [
                {
                    "name": spec.text,
                    "fingerprint": facts[spec.text].fingerprint,
                    "poolings": list(poolings[spec.text]),
                    **options,
                }
                for spec in specs
            ],
        }
