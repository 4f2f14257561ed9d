"""`endoxa curate evaluate`: compare extraction with what reviewers made of the same statements."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.engine.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.page.words import plural
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

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
    lexicon: Annotated[
        Path | None, Option("Also apply this lexicon of `endoxa curate learn`.", DATA, metavar="FILE")
    ] = None,
    model: Annotated[
        str | None,
        Option(
            "Also score a second reader, a chat model, and both readers together; its run goes beside --out.",
            DATA,
            metavar="MODEL",
        ),
    ] = None,
    learn: Annotated[
        bool,
        Option(
            "Also score a lexicon learned from the corrections of other respondents (5-fold cross-validation).",
            ANALYSIS,
            only_on=True,
        ),
    ] = False,
    curve: Annotated[
        Path | None,
        Option(
            "Also write the learning curve: scores against the number of respondents learned from.", OUTPUT
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
      endoxa curate evaluate gold.csv --learn --curve curve.csv -o scores.csv
      endoxa curate evaluate gold.csv --model openai/gpt-5-mini -o scores.csv
    """  # noqa: D301
    from endoxa.curate.evaluation import cross_validated, learning_curve, read_gold
    from endoxa.curate.evaluation import evaluate as score
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

    require_apart([out, curve], [gold, reading, lexicon])
    for path in (out, curve):
        if path is not None:
            require_table_name(path)
    reviewed = read_gold(gold, by)
    readings = _readings(reviewed, reading, lexicon)
    if model is not None:
        readings |= _with_model(reviewed, gold, model, out)
    if learn:
        readings["learned"] = cross_validated(reviewed, seed)
    table = score(reviewed, readings, confidence=confidence, seed=seed)
    write_table(table, out)
    _print_scores(table, confidence)
    if curve is not None:
        points = learning_curve(reviewed, seed)
        write_table(points, curve)
        _print_curve(points)
    kept = sum(one.kept for one in reviewed)
    typer.echo(
        f"{plural(len(reviewed), 'reviewed statement')} ({kept} kept, {len(reviewed) - kept} omitted); "
        f"scores written to {out}"
    )


def _readings(reviewed: list[Gold], reading: Path | None, lexicon: Path | None) -> dict[str, list[Reading]]:
    """What each reader makes of the statements."""
    from endoxa.curate.evaluation import read_all, read_readings
    from endoxa.curate.extract.lexicon import read_lexicon

    found = {reading.stem: read_readings(reading, reviewed)} if reading else {"rules": read_all(reviewed)}
    if lexicon is not None:
        found["lexicon"] = read_all(reviewed, read_lexicon(lexicon))
    published = [one.published for one in reviewed if one.published is not None]
    return found | ({"published": published} if len(published) == len(reviewed) else {})


def _with_model(reviewed: list[Gold], gold: Path, model: str, out: Path) -> dict[str, list[Reading]]:
    """Readings of a model and of both readers together. A simulated reader errs from the gold pairs."""
    from endoxa.curate.evaluation import as_reading, read_by_rules
    from endoxa.curate.second import Asked, ReaderSettings, combine, read_with_model
    from endoxa.engine.progress import shown

    asked = [
        Asked(one.statement_id, one.statement, one.question, one.country, one.subject, one.pairs)
        for one in reviewed
    ]
    settings = ReaderSettings(data=str(gold), models=(model,))
    with shown("statements") as progress:
        answers, cost = read_with_model(
            asked, settings, out.with_name(f"{out.name}.model"), progress=progress, command=sys.argv
        )
    for line in cost:
        typer.echo(line)
    both = combine([one.statement for one in reviewed], read_by_rules(reviewed), answers)
    typer.echo(f"The readers differ on {plural(sum(one.other is not None for one in both), 'statement')}")
    return {
        "model": [as_reading(pairs or ()) for pairs in answers],
        "both readers": [as_reading(one.pairs) for one in both],
    }


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


def _print_curve(points: pl.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    names = points["measure"].unique(maintain_order=True).to_list()
    shown = Table(title="Learning curve: scores on respondents that the lexicon was not learned from")
    shown.add_column("statements")
    shown.add_column("respondents learned from", justify="right")
    for name in names:
        shown.add_column(_PRINTED.get(name, name), justify="right")
    for (subset, units), part in points.group_by("subset", "units", maintain_order=True):
        values = dict(part.select("measure", "value").iter_rows())
        cells = [f"{values[name]:.3f}" if name in values else "-" for name in names]
        shown.add_row(str(subset), f"{units:.0f}", *cells)
    Console().print(shown)
