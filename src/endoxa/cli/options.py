"""Options of every command that loads models: how, and on what.

Options of every command that fills a run folder.

Options of every command that asks chat models: how answers are drawn, how fast, for how much.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Dtype = Annotated[
    Literal["auto", "float32", "bfloat16", "float16"], typer.Option(help="Type of the weights.")
]
FourBit = Annotated[bool, typer.Option("--four-bit", help="4-bit weights (CUDA and bitsandbytes).")]
Revision = Annotated[str | None, typer.Option(help="Hub branch, tag or commit of the model.")]
Tokenizer = Annotated[
    str | None, typer.Option(metavar="ID-OR-FOLDER", help="Tokenizer, where it is not the model's own.")
]
TrustRemoteCode = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run Python code that comes with the model.")
]
BatchTokens = Annotated[int | None, typer.Option(min=1, help="Tokens that go through the model at once.")]
PackedWeights = Annotated[
    bool, typer.Option(help="Pack weights for the CPU once: same numbers, faster, more memory.")
]


Confidence = Annotated[float, typer.Option(min=0.01, max=0.999, help="Confidence level of the intervals.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of everything that is drawn.")]
Restart = Annotated[
    bool, typer.Option("--restart/--resume", help="Throw away what the run folder holds, or continue it.")
]


def _finite(value: float | None) -> float | None:
    """Refuse 'nan' and 'inf', which count as numbers otherwise."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a number of a size.")
    return value


def _positive(value: float | None) -> float | None:
    if value is not None and value <= 0:
        raise typer.BadParameter(f"{value:g} is not above 0.")
    return _finite(value)


ChatModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="openai/NAME, anthropic/NAME, PROVIDER/NAME, http://HOST:PORT/v1#NAME, hf/ID-OR-FOLDER or sim/NAME; "
        "repeatable.",
    ),
]
Temperature = Annotated[float, typer.Option(min=0, callback=_finite, help="0 takes the likeliest answer.")]
TopP = Annotated[
    float | None, typer.Option(min=0, max=1, callback=_finite, help="Share of the probability drawn from.")
]
MaxTokens = Annotated[int, typer.Option(min=1, help="Most tokens of one answer, reasoning included.")]
Reasoning = Annotated[
    str | None, typer.Option(metavar="EFFORT", help="Effort of a reasoning model: low, medium, high ...")
]
Extra = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="Further fields of the request, as the provider names them."),
]
System = Annotated[str, typer.Option(metavar="TEXT", help="System message.")]
Concurrency = Annotated[int, typer.Option(min=1, max=1000, help="Calls under way at once.")]
RequestsPerMinute = Annotated[
    int | None, typer.Option("--rpm", min=1, help="Most requests in a minute.", show_default="no limit")
]
TokensPerMinute = Annotated[
    int | None, typer.Option("--tpm", min=1, help="Most tokens in a minute.", show_default="no limit")
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, callback=_finite, help="Seconds without a byte before a call is tried again."),
]
Attempts = Annotated[int, typer.Option(min=1, help="How often one call may fail while others succeed.")]
Patience = Annotated[
    float,
    typer.Option(
        min=0,
        callback=_finite,
        help="Seconds in which every call failed before the run stops (it can go on later).",
    ),
]
Batch = Annotated[
    bool, typer.Option("--batch", help="The provider's batch interface: half the price, up to a day.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        metavar="USD", callback=_positive, help="Stop before more than this is spent, all models together."
    ),
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        "--price", metavar="IN,OUT", help="US dollars per million tokens, instead of the list price."
    ),
]
RetryErrors = Annotated[
    bool, typer.Option("--retry-errors", help="Ask again what ended with an error; answers are kept.")
]
Plan = Annotated[
    bool, typer.Option("--plan", help="Only print calls, expected tokens and cost; nothing is asked.")
]
ChatTemplate = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="hf: chat template (Jinja) in place of the tokenizer's own."),
]
BatchSize = Annotated[int, typer.Option(min=1, help="hf: conversations generated together.")]


def read_extra(text: str | None) -> dict[str, Any]:
    """The fields given with --extra.

    Raises:
        UserError: it is no JSON object, or has a field for a secret.
    """
    import json

    from endoxa.errors import UserError
    from endoxa.models.clients import refuse_secrets

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON number")

    try:
        found = json.loads(text or "{}", parse_constant=refuse)
        json.dumps(found, ensure_ascii=False).encode()
    except ValueError as problem:
        raise UserError(
            f"--extra is no valid JSON ({problem}): write for example '{{\"top_k\": 40}}'."
        ) from problem
    if not isinstance(found, dict):
        raise UserError("--extra must be a JSON object, for example '{\"top_k\": 40}'.")
    refuse_secrets(found)
    return found
