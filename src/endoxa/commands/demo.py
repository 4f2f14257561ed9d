"""`endoxa demo`: all steps on built-in data and models."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome
from endoxa.schema.options import ANALYSIS, OUTPUT, Option
from endoxa.schema.terminal import terminal_table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table
    from rich.text import Text


COLUMNS = (
    "planted_difference",
    "recovered_difference",
    "planted_calibrated",
    "raw_preference",
    "calibrated_preference",
)


def demo(
    *,
    out: Annotated[Path, Option("Folder for all results.", OUTPUT, short="-o", metavar="FOLDER")] = Path(
        "endoxa-demo"
    ),
    seed: Annotated[int, Option("Seed of training and of every random draw.", ANALYSIS)] = 0,
) -> Outcome:
    """Run all steps on models with known preferences, in a few minutes and without a download.

    Trains nine small models with a planted preference on built-in sentences, probes them with a sample data set,
    analyzes and reports, and prints estimated and planted preferences. Run it again to continue an interrupted demo.

    \b
    Example:
      endoxa demo --out endoxa-demo
    """  # noqa: D301
    from endoxa.models.spec import require_local
    from endoxa.runs.progress import shown

    require_local("hf/planted")
    from endoxa.demo.run import run_demo

    with shown("items") as progress:
        result = run_demo(out, seed=seed, progress=progress, command=sys.argv)
    return Outcome(
        (
            *_scale(result.scale),
            *_recovery(result.recovery),
            f"\nfigure: {result.figure}\nrun:    {result.run}\nreport: {result.report}",
        )
    )


def _scale(scale: pl.DataFrame) -> Iterator[Table]:
    """The stereotyped models, axis by axis: one row an axis, one column a rule."""
    rules = scale["rule"].unique(maintain_order=True).to_list()
    rows = []
    for (axis, planted), part in scale.group_by("axis", "planted", maintain_order=True):
        shares = {row["rule"]: f"{100 * row['found']:.0f} %" for row in part.iter_rows(named=True)}
        cells = (shares.get(rule, "-") for rule in rules)
        rows.append((str(axis), f"{100 * float(planted):.0f} %", *cells))
    if rules:
        title = "Planted on a scale: the stereotyped models, axis by axis"
        yield _table(title, ("axis", "planted", *rules), rows)


def _recovery(recovery: pl.DataFrame) -> Iterator[Table | Text]:
    heads = ("planted\n(nats)", "found\n(nats)", "planted\nshare", "raw\nshare", "calibr.\nshare")
    for plant in recovery["plant"].unique(maintain_order=True):
        rows = [
            (
                f"{row['model'].removesuffix(f'-{plant}')}, {row['rule']}",
                *(f"{row[name]:.2f}" for name in COLUMNS),
            )
            for row in recovery.filter(plant=plant).iter_rows(named=True)
        ]
        yield _table(f"Planted: {plant}", ("model, rule", *heads), rows)
    from rich import text

    yield text.Text(
        "nats: mean score difference. share: share of pairs with the stereotype preferred; 0.50 is no preference. "
        "The planted share counts only associations between attribute and identity. The frequency models have "
        "none, but their raw share is close to 1 because one word of each pair is more frequent. "
        "Calibration removes this effect."
    )


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = terminal_table(title)
    table.add_column(heads[0], no_wrap=True)
    for name in heads[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    return table
