"""What a run of sentence pairs is asked to do."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from endoxa.models import ModelOptions
from endoxa.schema import ReadOptions


class PairsSettings(BaseModel):
    """Settings of `endoxa probe pairs`; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        data: file of pairs, or the name of a registered data set.
        models: models as written on the command line.
        rules: rule names; empty takes the usual rule of each architecture.
        format: format of the file; None recognises it.
        prefix: word(s) before every identity, for S-AS tables.
        template: sentence template, for S-AS tables.
        languages: only pairs in these languages; a single one also names the language of a file that does
            not say.
        limit: only the first so many pairs.
        calibrate: also score the pairs with neutral identities, where the data names the identity.
        skip_unscorable: leave pairs out that a model cannot score, and list them, instead of stopping.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap and the permutation tests.
        notice: what every page made from the run must say first ("planted models").
        options: how models are loaded.
        chunk: pairs held in memory at a time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str
    models: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    format: str | None = None
    prefix: str | None = None
    template: str | None = None
    languages: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    calibrate: bool = True
    skip_unscorable: bool = False
    confidence: float = Field(default=0.95, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)
    notice: str | None = None
    options: ModelOptions = ModelOptions()
    chunk: int = Field(default=1024, ge=1)

    def read_options(self) -> ReadOptions:
        """What the reader of the data is told."""
        return ReadOptions(
            chunk_rows=self.chunk,
            language=self.languages[0] if len(self.languages) == 1 else None,
            prefix=self.prefix,
            template=self.template,
        )

    def identity(self, data_sha256: str, models: list[dict[str, Any]]) -> dict[str, Any]:
        """Everything that decides the records; two runs with one identity have the same records."""
        return {
            "data": data_sha256,
            "format": self.format,
            "prefix": self.prefix,
            "template": self.template,
            "language": list(self.languages),
            "limit": self.limit,
            "models": models,
            "rules": list(self.rules),
            "calibrate": self.calibrate,
            "skip_unscorable": self.skip_unscorable,
        }
