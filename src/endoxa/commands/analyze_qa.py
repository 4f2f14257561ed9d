"""`endoxa analyze qa`: accuracy and bias scores of answers to questions about people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from endoxa.commands.verbs import Outcome, argument, print_lines
from endoxa.runs.options import Resampling
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table


Row = dict[str, Any]


def qa(
    runs: Annotated[
        tuple[Path, ...],
        argument(
            "Run folders of `endoxa probe qa`, or logs of lm-evaluation-harness or Inspect.", metavar="RUN"
        ),
    ] = (),
    *,
    out: Annotated[
        Path, Option("Estimates: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")
    ],
    data: Annotated[
        Path | None, Option("Questions in BBQ's JSONL, with --predictions.", DATA, sample="questions")
    ] = None,
    predictions: Annotated[
        Path | None, Option("Table: category, example_id, model, pred_index (0-2) or pred_text.", DATA)
    ] = None,
    metadata: Annotated[
        Path | None,
        Option("BBQ's additional_metadata.csv.", DATA, default="in the folder of the data"),
    ] = None,
    language: Annotated[
        str | None, Option("Language of questions without one.", DATA, metavar="CODE", default="en")
    ] = None,
    against: Annotated[Path | None, Option("Baseline run, for --retention.", DATA, metavar="RUN")] = None,
    counts: Annotated[Path | None, Option("Also write the counted answers.", OUTPUT, table=True)] = None,
    retention: Annotated[
        Path | None, Option("Also write error retention ratios.", OUTPUT, table=True)
    ] = None,
    debias: Annotated[
        Path | None, Option("Also write the comparison of debiasing protocols.", OUTPUT, table=True)
    ] = None,
    how: Resampling,
) -> Outcome:
    """Estimate accuracy, bias scores, error retention and self-debiasing from answers to questions.

    Give run folders of `endoxa probe qa`, or questions (--data) and a file of predictions (--predictions), or logs
    of BBQ: lm-evaluation-harness with --log_samples (its tasks bbq or bbq_generate), or Inspect (bbq).

    \b
    Examples:
      endoxa analyze qa out/q1 out/q2 -o qa.csv --retention retention.csv
      endoxa analyze qa --data Nationality.jsonl --predictions answers.csv -o qa.csv
      endoxa analyze qa harness/*/samples_bbq_2*.jsonl -o qa.csv
      endoxa analyze qa out/small -o qa.csv --against out/large --retention retention.csv
      endoxa analyze qa out/q3 -o qa.csv --debias debias.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.logs import runs_and_logs
    from endoxa.instruments.questions.estimates import analyze_qa, analyze_run, load_answers
    from endoxa.instruments.questions.estimates import retention as error_retention
    from endoxa.instruments.questions.headline import competence_warnings, competences, leans_of
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart

    folders = [*runs, *([against] if against else [])]
    require_apart([out, counts, retention, debias], [folder / "run.json" for folder in folders])
    with (
        shown("cells") as progress,
        runs_and_logs(list(runs), metadata=metadata, language=language) as folders,
    ):
        if runs and folders == list(runs) and (metadata or language):
            raise UserError("--metadata and --language need --data FILE. Leave them out with run folders.")
        answers = _answers(folders, data, predictions, metadata, language)
        if len(folders) == 1:
            analysis = analyze_run(folders[0], progress=progress, **asdict(how))
        else:
            analysis = analyze_qa(answers, progress=progress, **asdict(how))
    ratios = analysis.retention
    if against is not None:
        ratios = error_retention(load_answers([against]), answers, **asdict(how))
    lines = [
        *competence_warnings(competences(analysis.estimates)),
        *_estimates(analysis.estimates, leans_of(analysis.estimates, analysis.counts)),
        *_retention(ratios),
        *_debias(analysis.debias),
    ]
    if retention is not None and ratios.is_empty():
        lines.append(
            "No error retention: no model answered the same questions with and without names under one protocol. To "
            "compare any two runs, name one with --against RUN."
        )
    if debias is not None and analysis.debias.is_empty():
        lines.append("No comparison of protocols: every model was asked under one protocol only.")
    lines.append(f"{len(analysis.estimates)} estimates written to {out}")
    tables = {"out": analysis.estimates, "counts": analysis.counts, "retention": ratios}
    return Outcome(lines, {**tables, "debias": analysis.debias})


def _answers(
    runs: Sequence[Path],
    data: Path | None,
    predictions: Path | None,
    metadata: Path | None,
    language: str | None,
) -> pl.DataFrame:
    """From run folders, or from questions and predictions."""
    from endoxa.errors import UserError
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    if bool(runs) == bool(data or predictions):
        raise UserError(
            ("Runs and files of predictions were given together. " if runs else "No answers were given. ")
            + "Give either run folders of `endoxa probe qa`, or --data FILE with --predictions FILE."
        )
    if runs:
        return load_answers(runs)
    if data is None or predictions is None:
        stated, other = ("--predictions", "--data") if data is None else ("--data", "--predictions")
        raise UserError(
            f"{stated} was given without {other}. Give both: predictions are matched to questions."
        )
    matched = read_predictions(data, predictions, metadata=metadata, language=language)
    for model, count in matched.missing.items():
        print_lines([f"{model}: {count} questions without a prediction, not counted."])
    if matched.left_out:
        print_lines([f"{matched.left_out} predictions left out: their category is not in the data."])
    return matched.answers


def _estimates(estimates: pl.DataFrame, leans: pl.DataFrame) -> Iterator[str | Table]:
    """Accuracy, bias scores and leans with intervals; bounds of the bias score where answers were not read."""
    from endoxa.instruments.questions.estimates.measures import CELL, MEASURES
    from endoxa.instruments.questions.headline import unit_notes
    from endoxa.report.claims import chip

    bounded = leans["n_asked"].sum() > leans["n_read"].sum()
    several = [name for name in ("data", "category", "protocol") if leans[name].n_unique() > 1]
    rows = []
    for lean in leans.iter_rows(named=True):
        cell = estimates.filter(**{name: lean[name] for name in CELL})
        of_measure = {row["name"]: row for row in cell.iter_rows(named=True)}
        score, unread = of_measure["bias_score"], lean["n_asked"] - lean["n_read"]
        rows.append(
            [
                _about(lean, ("context_condition", *several)),
                f"{lean['n_asked']}\n{unread} unread" if unread else str(lean["n_asked"]),
                *(_with_ends(of_measure[name]) for name in MEASURES),
                *([_ends(score["bound_low"], score["bound_high"])] if bounded else ()),
                f"{_with_ends(lean)}\n{chip(lean)}",
            ]
        )
    bounds = ["bounds"] if bounded else []
    yield _shown(
        "Answers to questions (lean: bias score in ambiguous, accuracy gap in disambiguated contexts; 0 = none)",
        ["answers", "accuracy", "unscaled bias", "bias score", *bounds, "lean, verdict"],
        rows,
    )
    yield from unit_notes(leans.iter_rows(named=True))
    yield from _reasons(estimates, ("model", *several, "context_condition"))


def _retention(retention: pl.DataFrame) -> Iterator[str | Table]:
    """Error retention ratios; nothing where there are none."""
    from endoxa.report.claims import chip

    rows = [
        [
            f"{_about(row, ('context_condition',))}, {row['original']} -> {row['substituted']}",
            str(row["n"]),
            _number(row["original_value"]),
            _number(row["substituted_value"]),
            _with_ends(row),
            chip(row),
        ]
        for row in retention.iter_rows(named=True)
    ]
    if rows:
        heads = ["items", "error before", "error after", "ratio", "verdict"]
        yield _shown("Error retention (1 = as many errors as before)", heads, rows)
        yield from _reasons(retention, ("model", "context_condition", "substituted"))


def _debias(debias: pl.DataFrame) -> Iterator[str | Table]:
    """Protocols of self-debiasing, with intervals and verdicts over templates; nothing where there are none."""
    from endoxa.instruments.questions.estimates.estimates import TEMPLATES
    from endoxa.report.claims import chip

    shown = debias.filter(interval=TEMPLATES)
    rows = [
        [
            _about(row, ("protocol", "data")),
            row["name"].replace("_", " "),
            f"{row['n']}\n{row['n_dropped']} dropped",
            _with_ends(row),
            chip(row) if row["verdict"] else "",
        ]
        for row in shown.iter_rows(named=True)
    ]
    if rows:
        title = (
            "Self-debiasing (over templates and groups; verdict: baseline: score; others: change towards 0)"
        )
        yield _shown(title, ["measure", "items", "value", "verdict"], rows)
        yield from _reasons(shown, ("model", "data", "protocol"))


def _shown(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.markup import escape

    shown = terminal_table(title)
    shown.add_column("model", overflow="fold")
    for name in heads:
        shown.add_column(name, justify="left" if name == "verdict" else "right")
    for row in rows:
        shown.add_row(*(escape(cell) for cell in row))
    return shown


def _reasons(table: pl.DataFrame, key: Sequence[str]) -> Iterator[str]:
    """One line per reason, with the rows it applies to."""
    from endoxa.report.claims import CHIPS

    reasons: dict[str, list[str]] = {}
    for row in table.iter_rows(named=True):
        if row["reason"]:
            verdict = f"{CHIPS[row['verdict']]}: " if row["verdict"] else ""
            where = (*(row[name] for name in key), row["name"])
            reasons.setdefault(verdict + row["reason"], []).append(" ".join(where))
    for reason, rows in reasons.items():
        yield f"{', '.join(rows)}: {reason}"


def _about(row: Row, names: Sequence[str]) -> str:
    """The model, and on the next line the other keys of the row."""
    return f"{row['model']}\n{', '.join(row[name] for name in names)}"


def _with_ends(row: Row) -> str:
    value = _number(row["value"])
    return value if row["low"] is None else f"{value}\n{_ends(row['low'], row['high'])}"


def _ends(low: float | None, high: float | None) -> str:
    return f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".replace("-0.000", "0.000")
