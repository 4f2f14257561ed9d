"""What a run of association tests is asked to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.options import DRAWS, Draws
from endoxa.models.spec import DEFAULT_MAX_UNKNOWN, ModelOptions
from endoxa.runs.options import DEFAULT_CONFIDENCE, RunConfidence, RunSettings
from endoxa.schema.options import ASKING, DATA, MODELS, Option, Setting
from endoxa.words.state import Tally, Used

if TYPE_CHECKING:
    from endoxa.models.encoders.encoder import EncoderOptions


class EmbeddingsSettings(RunSettings):
    """Settings of `endoxa probe embeddings`; `run.json` keeps them.

    Attributes:
        data: Association tests of `endoxa build tests` or SEAT (JSON).
        models: Encoder: hf/ID-OR-FOLDER, st/ID-OR-FOLDER, static/FILE, openai/NAME or http://HOST:PORT/v1#NAME;
            repeatable.
        poolings: Pooling: cls, mean, mean-content, last, first-wordpiece or model; repeatable.
        layer: Layer whose output is pooled; 0 is the embedding layer.
        max_unknown: Word vectors: maximum share of words that the file may lack.
        languages: only tests in these languages.
        confidence: confidence level of the intervals.
        seed: seed of partitions and bootstrap.
        draws: partitions drawn where they are too many to be counted.
        notice: what every page made from the run must say first.
        options: how encoders are loaded.
        engine: where local weights run.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE", sample="tests")]
    models: Annotated[tuple[str, ...], Option(group=DATA, name="--model", metavar="MODEL")] = ()
    poolings: Annotated[
        tuple[str, ...],
        Option(group=ASKING, name="--pooling", metavar="NAME", default="the usual one", decides=MODELS),
    ] = ()
    layer: Annotated[int | None, Ge(0), Option(group=ASKING, default="the last")] = None
    max_unknown: Annotated[float, Ge(0), Le(1), Setting(group=ASKING, decides=False)] = DEFAULT_MAX_UNKNOWN
    limit: int | None = None  # all tests of the file are encoded
    sample: int | None = None
    include_drafts: bool = False
    confidence: RunConfidence = DEFAULT_CONFIDENCE
    draws: Draws = DRAWS
    options: ModelOptions = ModelOptions()

    def encoder_options(self) -> EncoderOptions:
        """How encoders are loaded and read."""
        from endoxa.models.encoders.encoder import EncoderOptions

        return EncoderOptions(self.options, self.layer, self.max_unknown)

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the vectors."""
        return {"confidence": self.confidence, "seed": self.seed, "draws": self.draws}


def words(settings: EmbeddingsSettings) -> Used:
    """Words that the tests say they were made with.

    Raises:
        UserError: the tests cannot be read.
    """
    tally = Tally()
    for test in read_tests(Path(settings.data)):
        if not settings.languages or test.language in settings.languages:
            tally.add_stated(test.built_by, test.words)
    return tally.used
