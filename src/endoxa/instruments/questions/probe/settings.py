"""What a run of questions is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import Field

from endoxa.errors import UserError
from endoxa.runs.asking.jobs import BY_LIKELIHOOD, FramedSettings
from endoxa.runs.options import DEFAULT_CONFIDENCE, RunConfidence
from endoxa.schema import PROTOCOLS, Sampling
from endoxa.schema.options import ASKING, DATA, Option, Setting, column_names, names

Ask = Literal["letters", "text", "loglik", "loglik-mean"]
LETTER_TOKENS = 64
"""Tokens in which weights that run here have given their letter. Of 60 answers of SmolLM2-135M-Instruct (temperature 1)
half had up to 8 tokens, and 53 up to 64; 2 of the longer ones could be read by then, one of them otherwise than at its
end."""
Protocol = Literal["baseline", "explanation", "reprompting"]


def read_protocols(text: str) -> tuple[str, ...]:
    """Names of protocols, separated by commas.

    Raises:
        UserError: none, one that is unknown, or one given twice.
    """
    protocols = names(text)
    for name in protocols:
        if name not in PROTOCOLS:
            raise UserError(f"unknown protocol '{name}'. Expected {', '.join(PROTOCOLS)}.")
    if len({*protocols}) != len(protocols) or not protocols:
        raise UserError(f"expected one or more of {', '.join(PROTOCOLS)}, each once.")
    return protocols


class QaSettings(FramedSettings):
    """Settings of `endoxa probe qa`.

    Attributes:
        data: Questions in BBQ's form: JSONL, or a table (CSV, TSV, Parquet, XLSX).
        columns: What the file calls BBQ's fields: context=texto,question=pregunta,label=correcta.
        metadata: BBQ's additional_metadata.csv.
        label: Name of the data in reports.
        ask: Answer by letter or by text, or score the options (hf/..., http://...).
        protocols: Self-debiasing protocols, separated by commas: baseline, explanation, reprompting.
        repeats: Number of times each question is asked.
        shuffle: Shuffle the options of each question and repeat.
        prompts: Your own instructions by language (TOML); or laces, those of LACES.
        names: Ask the questions about people with names, as this file of `endoxa build qa --names` has them.
        confidence: confidence level of the intervals.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE", sample="questions")]
    columns: Annotated[
        Mapping[str, str], Option(group=DATA, metavar="OURS=THEIRS,...", parse=column_names)
    ] = Field(default_factory=dict)
    metadata: Annotated[
        str | None, Setting(group=DATA, metavar="FILE", default="in the folder of the data")
    ] = None
    label: Annotated[str | None, Setting(group=DATA, default="its category, or Name", decides=False)] = None
    ask: Annotated[Ask, Option(group=ASKING)] = "letters"
    protocols: Annotated[
        tuple[Protocol, ...],
        Option(group=ASKING, name="--debias", metavar="LIST", default="baseline", parse=read_protocols),
    ] = ("baseline",)
    repeats: Annotated[int, Ge(1), Option(group=ASKING)] = 1
    shuffle: Annotated[bool, Setting(group=ASKING)] = True
    prompts: Annotated[str | None, Setting(group=ASKING, metavar="FILE")] = None
    names: Annotated[str | None, Option(group=ASKING, metavar="FILE")] = None
    confidence: RunConfidence = DEFAULT_CONFIDENCE

    @property
    def enough(self) -> int | None:
        """Tokens after which a letter that can be read ends an answer, or None where a limit was set, or for texts."""
        usual = self.sampling.max_tokens == Sampling().max_tokens
        return LETTER_TOKENS if self.ask == "letters" and usual else None

    @property
    def by_likelihood(self) -> bool:
        """Options are scored, nothing is generated."""
        return self.ask in BY_LIKELIHOOD

    @property
    def turns(self) -> int:
        """Messages of the longest protocol."""
        return 1 if self.protocols == (PROTOCOLS[0],) else 2

    @property
    def calls_per_item(self) -> int:
        """Calls that one item takes of one model."""
        return self.repeats * sum(1 if protocol == PROTOCOLS[0] else 2 for protocol in self.protocols)

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the answers."""
        return {"confidence": self.confidence, "seed": self.seed}
