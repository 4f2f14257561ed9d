"""`endoxa analyze`: compute estimates from runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.cli.analyze_agreement import agreement
from endoxa.cli.analyze_associations import associations
from endoxa.cli.analyze_extraction import extraction
from endoxa.cli.analyze_harm import harm
from endoxa.cli.analyze_languages import languages
from endoxa.cli.analyze_qa import qa
from endoxa.cli.analyze_tests import association_tests
from endoxa.cli.settings_command import add_command
from endoxa.engine.options import Resampling
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.instruments.pairs.estimates import PairsAnalysis

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Estimate bias from runs, with confidence intervals and corrections for multiple testing.",
)


def pairs(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders, or files of records (Parquet).")
    ],
    *,
    out: Annotated[Path, Option("Estimates: .csv, .jsonl or .parquet.", OUTPUT, short="-o")],
    comparisons: Annotated[
        Path | None, Option("Also write paired comparisons between models.", OUTPUT)
    ] = None,
    flips: Annotated[Path | None, Option("Also write disagreement between rules.", OUTPUT)] = None,
    how: Resampling,
) -> None:
    """Estimate preferences from records of sentence pairs: per model, rule, language and axis.

    \b
    Examples:
      endoxa analyze pairs out/gpt2 out/bert -o estimates.csv
      endoxa analyze pairs out/gpt2 -o estimates.csv --comparisons models.csv --flips flips.csv
    """  # noqa: D301
    from endoxa.datasets.frames import write_table
    from endoxa.errors import UserError
    from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run, load_records, write_estimates

    if len(runs) == 1 and runs[0].is_dir():
        analysis = analyze_run(runs[0], **asdict(how))
    else:
        records = load_records(runs)
        if records["data"].drop_nulls().n_unique() > 1:
            raise UserError(
                "The runs use different data sets, whose pairs must not be pooled. Analyze each run separately."
            )
        analysis = analyze_pairs(records, **asdict(how))
    write_estimates(analysis, out)
    for table, path in ((analysis.comparisons, comparisons), (analysis.flips, flips)):
        if path is not None:
            write_table(table, path)
    _print_headline(analysis)
    typer.echo(f"{len(analysis.estimates)} estimates written to {out}")


add_command(app, agreement)
add_command(app, associations)
add_command(app, extraction)
add_command(app, harm)
add_command(app, languages)
add_command(app, languages, "overlap", hidden=True)  # its old name
add_command(app, association_tests, "tests")
add_command(app, qa)
add_command(app, pairs)


def _print_headline(analysis: PairsAnalysis) -> None:
    """Print the preference ratio of every model and rule over all axes, with verdicts."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from endoxa.page.claims import chip
    from endoxa.page.words import language_name, short_labels

    overall = analysis.estimates.filter(axis="all", name="preference_ratio", interval="identities")
    several = overall["language"].n_unique() > 1
    labels = short_labels(overall["model"].to_list())
    table = Table(title="Preference ratio over all axes (0.5 = no preference)", box=SIMPLE_HEAD, padding=0)
    table.add_column("model", overflow="fold")
    for name in ("rule", *(("language",) if several else ())):
        table.add_column(name, no_wrap=True)
    for name in ("pairs", "identities", "ratio", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", min_width=9)
    for row in overall.iter_rows(named=True):
        table.add_row(
            escape(labels[row["model"]]),
            escape(row["rule"]),
            *((escape(row["language"]),) if several else ()),
            str(row["n"]),
            str(row["clusters"]),
            f"{row['value']:.3f}",
            _interval(row["low"], row["high"]),
            chip(row),
        )
    Console().print(table)
    for (language, reason), rows in overall.group_by("language", "reason", maintain_order=True):
        if reason:
            where = f"{language_name(str(language))}, " if several else ""
            named = ", ".join(f"{labels[row['model']]} {row['rule']}" for row in rows.iter_rows(named=True))
            typer.echo(f"{where}{named}: {chip(rows.row(0, named=True))} ({reason}).")


def _interval(low: float, high: float) -> str:
    """Lower and upper bound, or a dash if undefined."""
    return f"{low:.3f}–{high:.3f}" if low <= high else "-"
