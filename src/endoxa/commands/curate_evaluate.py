"""`endoxa curate evaluate`: compare extraction with what reviewers made of the same statements."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endoxa.report.words import plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

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
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

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
    from endoxa.curate.second import ReaderItem, ReaderSettings, combine, read_with_model
    from endoxa.runs.progress import shown

    asked = [
        ReaderItem(one.statement_id, one.statement, one.question, one.country, one.subject, one.pairs)
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
    for reader in table["reader"].unique(maintain_order=True):
        own = table.filter(reader=reader)
        shown = terminal_table(
            f"Reader '{reader}': identity and attribute both right ({confidence:.0%} intervals over respondents)"
        )
        shown.add_column("statements", overflow="fold")
        for words in ("n", "strict", "loose", "interval", "equivalent", "interval", "pair F1"):
            shown.add_column(words, justify="right", no_wrap=True)
        for subset in own["subset"].unique(maintain_order=True):
            part = own.filter(subset=subset)
            found = {row["measure"]: row for row in part.iter_rows(named=True)}
            cells = (
                _value(found, "both"),
                _value(found, "both_loose"),
                _interval(found, "both_loose"),
                _value(found, "equivalence"),
                _interval(found, "equivalence"),
                _value(found, "pair_f1_loose"),
            )
            shown.add_row(subset.removeprefix("question: "), str(part["statements"][0]), *cells)
        terminal_console().print(shown)
        whole = {row["measure"]: row for row in own.filter(subset=own["subset"][0]).iter_rows(named=True)}
        told = (
            f"{words} {_value(whole, measure)} ({_interval(whole, measure)})"
            for measure, words in (("omission_precision", "precision"), ("omission_recall", "recall"))
        )
        typer.echo(f"Omissions proposed: {', '.join(told)}.\n")


def _value(found: Mapping[str, Mapping[str, Any]], measure: str) -> str:
    row = found.get(measure)
    return "–" if row is None or row["value"] is None else f"{row['value']:.3f}"


def _interval(found: Mapping[str, Mapping[str, Any]], measure: str) -> str:
    row = found.get(measure)
    if row is None or row["low"] is None or row["high"] is None:
        return "–"
    return f"{row['low']:.2f}–{row['high']:.2f}"


def _print_curve(points: pl.DataFrame) -> None:
    names = points["measure"].unique(maintain_order=True).to_list()
    shown = terminal_table("Learning curve: scores on respondents that the lexicon was not learned from")
    shown.add_column("statements")
    shown.add_column("respondents learned from", justify="right")
    for name in names:
        shown.add_column(_PRINTED.get(name, name), justify="right")
    for (subset, units), part in points.group_by("subset", "units", maintain_order=True):
        values = dict(part.select("measure", "value").iter_rows())
        cells = [f"{values[name]:.3f}" if name in values else "-" for name in names]
        shown.add_row(str(subset), f"{units:.0f}", *cells)
    terminal_console().print(shown)
