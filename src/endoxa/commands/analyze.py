"""`endoxa analyze`: compute estimates from runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import wraps
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from endoxa.commands.analyze_agreement import agreement
from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_extraction import extraction
from endoxa.commands.analyze_harm import harm
from endoxa.commands.analyze_languages import languages
from endoxa.commands.analyze_novelty import novelty
from endoxa.commands.analyze_qa import qa
from endoxa.commands.analyze_ratings import disagreement, leniency
from endoxa.commands.analyze_tests import association_tests
from endoxa.commands.analyze_topics import topics
from endoxa.commands.settings_command import Printing, add_command
from endoxa.runs.options import Resampling
from endoxa.schema.headline import Headline
from endoxa.schema.options import OUTPUT, Option

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Estimate bias from runs, with confidence intervals and corrections for multiple testing.",
)


def pairs(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Run folders, records (.parquet), or logs of lm-evaluation-harness or Inspect.",
        ),
    ],
    *,
    out: Annotated[Path, Option("Estimates: .csv, .jsonl or .parquet.", OUTPUT, short="-o")],
    comparisons: Annotated[
        Path | None, Option("Also write paired comparisons between models.", OUTPUT)
    ] = None,
    flips: Annotated[Path | None, Option("Also write disagreement between rules.", OUTPUT)] = None,
    how: Resampling,
) -> Headline:
    """Estimate preferences from records of sentence pairs: per model, rule, language and axis.

    \b
    Examples:
      endoxa analyze pairs out/gpt2 out/bert -o estimates.csv
      endoxa analyze pairs out/gpt2 -o estimates.csv --comparisons models.csv --flips flips.csv
      endoxa analyze pairs harness/gpt2/samples_crows_pairs_english_*.jsonl -o estimates.csv
      endoxa analyze pairs logs/*_pairs_*.eval -o estimates.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.logs import runs_and_logs, unscored_lines
    from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run, load_records, write_estimates
    from endoxa.instruments.pairs.headline import headline_of
    from endoxa.sources.frames import write_table

    with runs_and_logs(runs) as folders:
        if len(folders) == 1 and folders[0].is_dir():
            analysis = analyze_run(folders[0], **asdict(how))
        else:
            records = load_records(folders)
            if records["data"].drop_nulls().n_unique() > 1:
                raise UserError(
                    "The runs use different data sets, whose pairs must not be pooled. Analyze each run separately."
                )
            analysis = analyze_pairs(records, **asdict(how))
        unanswered = unscored_lines(folders)
    write_estimates(analysis, out)
    for table, path in ((analysis.comparisons, comparisons), (analysis.flips, flips)):
        if path is not None:
            write_table(table, path)
    found = headline_of(analysis.estimates)
    typer.echo(str(found))
    for line in unanswered:
        typer.echo(line)
    typer.echo(f"{len(analysis.estimates)} estimates written to {out}")
    return found


def _add(
    function: Callable[..., Headline | None], following: str, name: str | None = None, *, hidden: bool = False
) -> None:
    """Add a command that ends with a line of what to do next, and can be quiet.

    Args:
        function: what the command does; with `--json` its headline is printed, or the table that it wrote to `out`.
        following: the next step; {out} stands for the file written, {runs} for the runs read.
        name: of the command, where it is not the function's.
        hidden: left out of `--help`.
    """

    @wraps(function)
    def call(*, printing: Printing, **given: Any) -> None:
        out = given.get("out")
        if printing.quiet or printing.json:
            with redirect_stdout(StringIO()):
                found = function(**given)
            if printing.json and out is not None:
                typer.echo(json.dumps(_rows(found, out), ensure_ascii=False, indent=1))
            return
        function(**given)
        if out is not None:
            runs = " ".join(str(path or "RUN...") for path in given.get("runs") or [given.get("run")])
            typer.echo(f"Next: {following.format(out=out, runs=runs)}")

    own = signature(function)
    added = Parameter("printing", Parameter.KEYWORD_ONLY, annotation=Printing)
    call.__signature__ = own.replace(parameters=[*own.parameters.values(), added])  # type: ignore[attr-defined]
    call.__annotations__ = {**function.__annotations__, "printing": Printing}
    add_command(app, call, name, hidden=hidden)


def _rows(headline: Headline | None, out: Path) -> dict[str, Any]:
    """What a script is told: the headline, or every row that was written."""
    from endoxa.sources.frames import read_table

    rows = read_table(out).to_dicts() if headline is None else list(map(dict, headline.rows))
    return {"out": str(out), "rows": rows}


_add(agreement, "ask more raters where agreement is low, or go on: endoxa curate review apply --help")
_add(
    associations,
    "endoxa report {out} -o report.html, or have them rated: endoxa probe harm --data {out} --model ...",
)
_add(disagreement, "endoxa report {out} -o disagreement.html")
_add(leniency, "endoxa report {out} -o leniency.html")
_add(novelty, "endoxa report {out} -o novelty.html")
_add(topics, "endoxa report {out} -o topics.html")
_add(extraction, "endoxa analyze associations {runs} -o associations.csv, and quote {out} beside it")
_add(harm, "endoxa report {runs} RATINGS.csv -o report.html")
_add(languages, "endoxa report RUN {out} -o report.html")
_add(languages, "endoxa report RUN {out} -o report.html", "overlap", hidden=True)  # its old name
_add(association_tests, "endoxa report {out} -o report.html", "tests")
_add(qa, "endoxa report {runs} -o report.html")
_add(pairs, "endoxa report {runs} -o report.html")
