"""`endoxa analyze qa`: accuracy and bias scores of answers to questions about people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.cli.run_options import Confidence, Seed

if TYPE_CHECKING:
    import polars as pl

    from endoxa.analyze.qa import Predictions


def qa(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN", help="Run folders of `endoxa probe qa`.")
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Estimates: .csv, .tsv, .jsonl or .parquet.")
    ],
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Questions in BBQ's JSONL, with --predictions.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Table: category, example_id, model, pred_index (0-2) or pred_text."
        ),
    ] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="BBQ's additional_metadata.csv.", show_default="the one beside the data"
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Language of questions that do not say theirs.", show_default="en"),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Run whose errors the others retain, for --retention."),
    ] = None,
    retention: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the error retention ratios.")
    ] = None,
    debias: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the comparison of protocols.")
    ] = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap samples per interval.")] = 2000,
) -> None:
    """Accuracy, bias scores with intervals and bounds, error retention, self-debiasing.

    Takes run folders of `endoxa probe qa`, or questions and a file of anybody's predictions.

    \b
    Examples:
      endoxa analyze qa out/q1 out/q2 -o qa.csv --retention retention.csv
      endoxa analyze qa --data Nationality.jsonl --predictions answers.csv -o qa.csv
      endoxa analyze qa out/small -o qa.csv --against out/large --retention retention.csv
      endoxa analyze qa out/q3 -o qa.csv --debias debias.csv
    """  # noqa: D301
    from endoxa.analyze.qa import analyze_qa, analyze_run, why_unmatched
    from endoxa.cli.progress import shown
    from endoxa.cli.qa_tables import print_debias, print_estimates, print_retention
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

    outputs = [path for path in (output, retention, debias) if path is not None]
    for path in outputs:
        require_table_name(path)
    inside = [folder / "run.json" for folder in (*(runs or []), *([against] if against else []))]
    require_apart(outputs, [data, predictions, metadata, *inside])
    answers = _answers(runs or [], data, predictions, metadata, language)
    with shown("cells") as progress:
        if runs and len(runs) == 1:
            analysis = analyze_run(
                runs[0], confidence=confidence, seed=seed, resamples=resamples, progress=progress
            )
        else:
            analysis = analyze_qa(
                answers, confidence=confidence, seed=seed, resamples=resamples, progress=progress
            )
    ratios = analysis.retention
    if against is not None:
        ratios = _against(against, answers, confidence=confidence, seed=seed, resamples=resamples)
    write_table(analysis.estimates, output)
    for table, asked in ((ratios, retention), (analysis.debias, debias)):
        if asked is not None:
            write_table(table, asked)
    print_estimates(analysis.estimates)
    print_retention(ratios)
    print_debias(analysis.debias)
    if retention is not None and ratios.is_empty():
        typer.echo(
            f"{why_unmatched(answers)} So there is no error retention; any two runs, also of two models, are compared "
            "where one of them is given with --against RUN."
        )
    if debias is not None and analysis.debias.is_empty():
        typer.echo("Every model was asked under one protocol only: there is nothing to compare.")
    typer.echo(f"{len(analysis.estimates)} estimates written to {output}")


def _answers(
    runs: list[Path], data: Path | None, predictions: Path | None, metadata: Path | None, language: str | None
) -> pl.DataFrame:
    """From run folders, or from questions and predictions."""
    from endoxa.analyze.qa import load_answers, read_predictions
    from endoxa.errors import UserError

    if bool(runs) == bool(data or predictions):
        raise UserError(
            "Give either run folders of `endoxa probe qa`, or --data FILE with --predictions FILE"
            + (", not both." if runs else ".")
        )
    if runs:
        if metadata or language:
            raise UserError("--metadata and --language go with --data: run folders know theirs.")
        return load_answers(runs)
    if data is None or predictions is None:
        given, other = ("--predictions", "--data") if data is None else ("--data", "--predictions")
        raise UserError(f"{given} needs {other} FILE: predictions are matched with their questions.")
    found = read_predictions(data, predictions, metadata=metadata, language=language)
    _print_unmatched(found)
    return found.answers


def _print_unmatched(found: Predictions) -> None:
    """Say what has no prediction, and what predictions have no question."""
    for model, count in found.missing.items():
        typer.echo(f"{model}: {count} questions have no prediction and count nowhere.")
    if found.left_out:
        typer.echo(f"{found.left_out} predictions for other categories than those of the data left out.")


def _against(
    original: Path, answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int
) -> pl.DataFrame:
    """Retention ratios of each data set in `answers` against one run."""
    from endoxa.analyze.qa import load_answers, retention, together
    from endoxa.errors import UserError

    first = load_answers([original])
    tables = [
        retention(first, part, confidence=confidence, seed=seed, resamples=resamples)
        for _, part in sorted(answers.partition_by("data", as_dict=True).items())
    ]
    if not tables:
        raise UserError(f"There is nothing to compare with {original}.")
    return together(tables)
