"""What a run of questions is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import Field

from endoxa.errors import UserError
from endoxa.runs.asking.settings import BY_LIKELIHOOD, FramedSettings
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
        columns: BBQ's name of a field -> the file's.
        metadata: BBQ's additional_metadata.csv; None looks beside the data.
        label: what reports call the data; None: "Name" where names stand for groups, else the category.
        ask: how an answer is asked for: by letter, by text, or by log-likelihood of the options.
        protocols: self-debiasing protocols.
        repeats: how often each item is asked; every repeat has its own order of options and seed.
        shuffle: options in an order drawn for each item and repeat; otherwise as published.
        prompts: TOML file with instructions of one's own; None takes ours.
        names: file of `build qa --names`; its variants of the questions are asked in place of these.
        confidence: confidence level of the intervals.
    """

    data: Annotated[
        str,
        Option(
            "Questions in BBQ's form: JSONL, or a table (CSV, TSV, Parquet, XLSX).",
            DATA,
            metavar="FILE",
            sample="questions",
        ),
    ]
    columns: Annotated[
        Mapping[str, str],
        Option(
            "What the file calls BBQ's fields: context=texto,question=pregunta,label=correcta.",
            DATA,
            metavar="OURS=THEIRS,...",
            parse=column_names,
        ),
    ] = Field(default_factory=dict)
    metadata: Annotated[
        str | None,
        Setting(
            "BBQ's additional_metadata.csv.",
            DATA,
            metavar="FILE",
            default="in the folder of the data",
        ),
    ] = None
    label: Annotated[
        str | None,
        Setting("Name of the data in reports.", DATA, default="its category, or Name", decides=False),
    ] = None
    ask: Annotated[
        Ask, Option("Answer by letter or by text, or score the options (hf/..., http://...).", ASKING)
    ] = "letters"
    protocols: Annotated[
        tuple[Protocol, ...],
        Option(
            "Self-debiasing protocols, separated by commas: baseline, explanation, reprompting.",
            ASKING,
            name="--debias",
            metavar="LIST",
            default="baseline",
            parse=read_protocols,
        ),
    ] = ("baseline",)
    repeats: Annotated[int, Ge(1), Option("Number of times each question is asked.", ASKING)] = 1
    shuffle: Annotated[bool, Setting("Shuffle the options of each question and repeat.", ASKING)] = True
    prompts: Annotated[
        str | None,
        Setting(
            "Your own instructions by language (TOML); or laces, those of LACES.",
            ASKING,
            metavar="FILE",
        ),
    ] = None
    names: Annotated[
        str | None,
        Option(
            "Ask the questions about people with names, as this file of `endoxa build qa --names` has them.",
            ASKING,
            metavar="FILE",
        ),
    ] = None
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
