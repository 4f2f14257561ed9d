"""What every run is asked to do, whatever it measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from endoxa.errors import UserError
from endoxa.runs.options import IncludeDrafts, Languages, Limit, Sample, Seed
from endoxa.schema.options import ANALYSIS, DATA, Internal, Option


class Settings(BaseModel):
    """Base of all settings: they never change, and a name that is not known is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RunSettings(Settings):
    """Settings that all runs share; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        models: Model; repeatable.
        languages: only items in these languages; empty takes all.
        limit: only the first N items.
        sample: only a stratified random sample of N items.
        include_drafts: also drafts in a table that nobody has judged.
        seed: Seed of every random draw.
        notice: what every page made from the run must say first ("planted models").
    """

    models: Annotated[tuple[str, ...], Option(group=DATA, name="--model", metavar="MODEL")] = ()
    languages: Languages = ()
    limit: Limit = None
    sample: Sample = None
    include_drafts: IncludeDrafts = False
    seed: Annotated[Seed, Option(group=ANALYSIS, decides="sample")] = 0
    notice: Annotated[str | None, Internal(decides=False)] = None

    @model_validator(mode="after")
    def _limit_or_sample(self) -> Self:
        if self.limit is not None and self.sample is not None:
            raise UserError(
                "--limit takes the first items and --sample a random part of all of them. Give only one of the two."
            )
        return self

    def with_earlier(self, _before: Mapping[str, Any]) -> Self:
        """These settings, with what an earlier run goes on with: what it measured besides, and how.

        Args:
            _before: what `run.json` of the run says; of a run to be repeated its identity.
        """
        return self

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the records."""
        return {"seed": self.seed}
