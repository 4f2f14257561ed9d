"""`endoxa curate evaluate`: compare extraction with what reviewers made of the same statements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.engine.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.page.words import plural
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.evaluation import Gold, Reading

_PRINTED = {
    "both": "both, strict",
    "both_loose": "both, loose",
    "equivalence": "equivalence",
    "pair_f1_loose": "pair F1, loose",
    "omission_precision": "omission precision",
    "omission_recall": "omission recall",
}


def evaluate(
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD",
            help="Reviewed statements: a gold file, or a table of `endoxa curate review apply`.",
        ),
    ],
    *,
    out: Annotated[Path, Option("Scores: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    by: Annotated[
        str, Option("Column of the units that intervals are taken over.", DATA, metavar="COLUMN")
    ] = "respondent",
    reading: Annotated[
        Path | None,
        Option(
            "Score this table of statements instead of reading GOLD with the rules.", DATA, metavar="TABLE"
        ),
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> None:
    """Score extraction against reviewers, with intervals over respondents.

    Scores are strict, loose and by equivalence, for all statements, for those that reviewers edited, and by question.
    Omissions are scored too. If GOLD holds the reading of another extractor (columns authors_identity and
    authors_attribute), it is scored as 'published'.

    \b
    Examples:
      endoxa curate evaluate gold.csv --by respondent -o scores.csv
      endoxa curate evaluate reviewed.csv -o scores.csv
      endoxa curate evaluate reviewed.csv --reading model.csv -o scores.csv
    """  # noqa: D301
    from endoxa.curate.evaluation import evaluate as score
    from endoxa.curate.evaluation import read_gold
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

    require_apart([out], [gold, reading])
    require_table_name(out)
    reviewed = read_gold(gold, by)
    table = score(reviewed, _readings(reviewed, reading), confidence=confidence, seed=seed)
    write_table(table, out)
    _print_scores(table, confidence)
    kept = sum(one.kept for one in reviewed)
    typer.echo(
        f"{plural(len(reviewed), 'reviewed statement')} ({kept} kept, {len(reviewed) - kept} omitted); "
        f"scores written to {out}"
    )


def _readings(reviewed: list[Gold], reading: Path | None) -> dict[str, list[Reading]]:
    """What each reader makes of the statements."""
    from endoxa.curate.evaluation import read_all, read_readings
    from endoxa.engine.progress import shown

    if reading is not None:
        found = {reading.stem: read_readings(reading, reviewed)}
    else:
        with shown("statements") as progress:
            found = {"rules": read_all(reviewed, progress)}
    published = [one.published for one in reviewed if one.published is not None]
    return found | ({"published": published} if len(published) == len(reviewed) else {})


def _print_scores(table: pl.DataFrame, confidence: float) -> None:
    from rich.console import Console
    from rich.table import Table

    for reader in table["reader"].unique(maintain_order=True):
        shown = Table(
            title=f"Reader '{reader}' against the reviewers ({confidence:.0%} intervals over respondents)"
        )
        shown.add_column("statements", overflow="fold")
        shown.add_column("n", justify="right")
        for words in _PRINTED.values():
            shown.add_column(words, justify="right")
        own = table.filter(reader=reader)
        for subset in own["subset"].unique(maintain_order=True):
            part = own.filter(subset=subset)
            cells = {row["measure"]: _cell(row) for row in part.iter_rows(named=True)}
            shown.add_row(
                subset, str(part["statements"][0]), *(cells.get(measure, "-") for measure in _PRINTED)
            )
        Console().print(shown)


def _cell(row: dict[str, float | None]) -> str:
    low, high = row["low"], row["high"]
    interval = "" if low is None or high is None else f" {low:.2f}–{high:.2f}"
    return f"{row['value']:.3f}{interval}"
