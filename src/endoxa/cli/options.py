"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Confidence = Annotated[float, typer.Option(min=0.01, max=0.999, help="Confidence level of the intervals.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of every random draw.")]
Restart = Annotated[
    bool,
    typer.Option("--restart/--resume", help="Discard the contents of the run folder, or continue the run."),
]
