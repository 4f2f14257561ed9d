"""`endoxa analyze`: compute estimates from runs."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from endoxa.instruments.pairs.estimates import PairsAnalysis

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Estimate bias from runs, with confidence intervals and corrections for multiple testing.",
)


app.command()(agreement)
app.command()(associations)
app.command()(extraction)
app.command()(harm)
app.command()(languages)
app.command("overlap", hidden=True)(languages)  # its old name
app.command("tests")(association_tests)
app.command()(qa)


@app.command()
def pairs(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders, or files of records (Parquet).")
    ],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Estimates: .csv, .jsonl or .parquet.")
    ],
    comparisons: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write paired comparisons between models.")
    ] = None,
    flips: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write disagreement between rules."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples per interval.")] = 2000,
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
        analysis = analyze_run(runs[0], confidence=confidence, seed=seed, resamples=resamples)
    else:
        records = load_records(runs)
        if records["data"].drop_nulls().n_unique() > 1:
            raise UserError(
                "The runs use different data sets, whose pairs must not be pooled. Analyze each run separately."
            )
        analysis = analyze_pairs(records, confidence=confidence, seed=seed, resamples=resamples)
    write_estimates(analysis, output)
    for table, path in ((analysis.comparisons, comparisons), (analysis.flips, flips)):
        if path is not None:
            write_table(table, path)
    _print_headline(analysis)
    typer.echo(f"{len(analysis.estimates)} estimates written to {output}")


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
