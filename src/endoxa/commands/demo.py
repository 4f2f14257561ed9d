"""`endoxa demo`: all steps on built-in data and models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    import polars as pl


COLUMNS = (
    "planted_difference",
    "recovered_difference",
    "planted_calibrated",
    "raw_preference",
    "calibrated_preference",
)


def demo(
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for all results.")
    ] = Path("endoxa-demo"),
    seed: Annotated[int, typer.Option(help="Seed of training and of every random draw.")] = 0,
) -> None:
    """Run all steps on models with known preferences, in a few minutes and without a download.

    Trains nine small models with a planted preference on built-in sentences, probes them with a sample data set,
    analyzes and reports, and prints estimated and planted preferences. Run it again to continue an interrupted demo.

    \b
    Example:
      endoxa demo --out endoxa-demo
    """  # noqa: D301
    from endoxa.models.libraries import require_local
    from endoxa.runs.progress import shown

    require_local("hf/planted")
    from endoxa.demo.run import run_demo

    with shown("items") as progress:
        result = run_demo(out, seed=seed, progress=progress, command=sys.argv)
    _print_scale(result.scale)
    _print_recovery(result.recovery)
    typer.echo(f"\nfigure: {result.figure}\nrun:    {result.run}\nreport: {result.report}")


def _print_scale(scale: pl.DataFrame) -> None:
    """The stereotyped models, axis by axis: one row an axis, one column a rule."""
    rules = scale["rule"].unique(maintain_order=True).to_list()
    table = terminal_table("Planted on a scale: the stereotyped models, axis by axis")
    table.add_column("axis", no_wrap=True)
    for name in ("planted", *rules):
        table.add_column(name, justify="right")
    for (axis, planted), rows in scale.group_by("axis", "planted", maintain_order=True):
        found = {row["rule"]: f"{100 * row['found']:.0f} %" for row in rows.iter_rows(named=True)}
        table.add_row(str(axis), f"{100 * float(planted):.0f} %", *(found.get(rule, "-") for rule in rules))
    if rules:
        terminal_console().print(table)


def _print_recovery(recovery: pl.DataFrame) -> None:
    console = terminal_console()
    for plant in recovery["plant"].unique(maintain_order=True):
        table = terminal_table(f"Planted: {plant}")
        table.add_column("model, rule", no_wrap=True)
        for name in ("planted\n(nats)", "found\n(nats)", "planted\nshare", "raw\nshare", "calibr.\nshare"):
            table.add_column(name, justify="right")
        for row in recovery.filter(plant=plant).iter_rows(named=True):
            architecture = row["model"].removesuffix(f"-{plant}")
            table.add_row(f"{architecture}, {row['rule']}", *(f"{row[name]:.2f}" for name in COLUMNS))
        console.print(table)
    console.print(
        "nats: mean score difference. share: share of pairs with the stereotype preferred; 0.50 is no preference. "
        "The planted share counts only associations between attribute and identity. The frequency models have "
        "none, but their raw share is close to 1 because one word of each pair is more frequent. "
        "Calibration removes this effect."
    )
