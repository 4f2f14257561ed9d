"""`endoxa analyze tests`: effect sizes and p-values of association tests."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    import polars as pl

    from endoxa.instruments.association_tests.estimates import Source


def association_tests(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN", help="Run folders of `endoxa probe embeddings`."),
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Results: .csv, .tsv, .jsonl or .parquet.")
    ],
    definitions: Annotated[
        Path | None,
        typer.Option(
            "--tests", metavar="FILE", help="Tests, from `endoxa build tests` or in SEAT's format (JSON)."
        ),
    ] = None,
    vectors: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Vectors: .npz (texts, vectors) or word2vec text; repeatable.",
            show_default=False,
        ),
    ] = None,
    pooling: Annotated[
        str, typer.Option(metavar="NAME", help="Pooling of the vectors, shown in the table.")
    ] = "",
    unit: Annotated[
        Literal["auto", "text", "term"],
        typer.Option(help="Unit of permutation and resampling; auto: terms if a term has several texts."),
    ] = "auto",
    unequal: Annotated[
        Literal["fixed", "truncate"],
        typer.Option(help="If X and Y differ in size: keep both sizes (fixed), or truncate the larger set."),
    ] = "fixed",
    alternative: Annotated[
        Literal["greater", "less", "two-sided"],
        typer.Option(help="Alternative hypothesis; greater: X is closer to A (relative to B) than Y is."),
    ] = "greater",
    ddof: Annotated[
        Literal["1", "wefe"],
        typer.Option(help="Degrees of freedom correction of the standard deviation; wefe: 0."),
    ] = "1",
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Use a normal approximation for p instead of permutations.")
    ] = False,
    draws: Annotated[
        int, typer.Option(min=100, help="Maximum number of Monte Carlo partitions per test.")
    ] = 100_000,
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random draw.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap samples per interval.")] = 2000,
) -> None:
    """Compute association tests (WEAT, SEAT): effect size, bootstrap interval, permutation p, verdict.

    Give run folders of `endoxa probe embeddings`, or tests (--tests) and files of vectors (--vectors). p-values are
    adjusted over all tests of the table, across models and poolings.

    \b
    Examples:
      endoxa analyze tests --tests tests.json --vectors vectors.npz -o results.csv
      endoxa analyze tests out/bert out/muril -o results.csv --unequal truncate
      endoxa analyze tests --tests weat.json --vectors glove.txt -o results.csv --ddof wefe
    """  # noqa: D301
    from endoxa.cli.progress import shown
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table
    from endoxa.instruments.association_tests.estimates import analyze_sources

    require_table_name(output)
    inside = [
        path for run in runs or [] for path in (run / "estimates.csv", run / "run.json", run / "tests.json")
    ]
    require_apart([output], [definitions, *(vectors or []), *inside])
    sources = _sources(runs or [], definitions, vectors or [], pooling)
    with shown("tests") as progress:
        results = analyze_sources(
            sources,
            seed=seed,
            draws=draws,
            unequal=unequal,
            ddof=ddof,
            parametric=parametric,
            confidence=confidence,
            resamples=resamples,
            alternative=alternative,
            unit=unit,
            progress=progress,
        )
    write_table(results, output)
    print_tests(results)
    typer.echo(f"{len(results)} results written to {output}")


def print_tests(results: pl.DataFrame) -> None:
    """Print the results; an undefined value is a dash, and reasons follow the table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from endoxa.page.claims import CHIPS
    from endoxa.page.words import plural

    table = Table(title="Association tests (effect size above 0: X is closer to A, relative to B, than Y is)")
    many = results.select("model", "pooling").n_unique() > 1
    if many:
        table.add_column("model", overflow="fold")
        table.add_column("pooling")
    table.add_column("test", overflow="fold")
    for name in ("texts", "effect", "interval", "p", "adjusted p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for row in results.iter_rows(named=True):
        interval = "-" if isnan(row["low"]) else f"{row['low']:.2f} to {row['high']:.2f}"
        table.add_row(
            *((escape(row["model"]), escape(row["pooling"])) if many else ()),
            escape(row["test"]),
            f"{row['n_x']}+{row['n_y']}",
            _number(row["effect_size"], ".3f"),
            interval,
            _number(row["p_value"], ".4g"),
            _number(row["p_adjusted"], ".4g"),
            CHIPS[row["verdict"]],
        )
    Console().print(table)
    kinds = results["p_kind"].value_counts(sort=True).iter_rows()
    typer.echo("p: " + ", ".join(f"{count} {kind}" for kind, count in kinds))
    for row in results.filter(results["reason"] != "").iter_rows(named=True):
        typer.echo(f"{row['test']}: {row['reason']}")
    for reason in results.filter(results["verdict_reason"] != "")["verdict_reason"].unique(
        maintain_order=True
    ):
        own = results.filter(verdict_reason=reason)
        typer.echo(f"{CHIPS[own.item(0, 'verdict')]} ({plural(own.height, 'result')}): {reason}")


def _number(value: float, form: str) -> str:
    return "-" if isnan(value) else format(value, form)


def _sources(runs: list[Path], definitions: Path | None, vectors: list[Path], pooling: str) -> list[Source]:
    """One source per file of vectors, or per model and pooling of the runs.

    Raises:
        UserError: options contradict each other, or two runs hold the same tests.
    """
    from endoxa.errors import UserError
    from endoxa.instruments.association_tests.estimates import run_sources, vector_source
    from endoxa.instruments.association_tests.items import read_tests

    if bool(runs) == bool(vectors):
        raise UserError(
            ("Runs and files of vectors were given together. " if runs else "No vectors were given. ")
            + "Give either run folders of `endoxa probe embeddings`, or --tests FILE with --vectors FILE."
        )
    if vectors and definitions is None:
        raise UserError("--vectors was given without --tests. Name the tests with --tests FILE.")
    if runs and pooling:
        raise UserError(
            "--pooling applies to --vectors only; run folders record their pooling. Leave it out."
        )
    given = None if definitions is None else read_tests(definitions)
    if given is not None and vectors:
        return [vector_source(given, path, pooling) for path in vectors]
    sources = [source for run in runs for source in run_sources(run, given)]
    seen: set[tuple[str, str, str]] = set()
    for source in sources:
        keys = {(source.model, source.pooling, test.name) for test in source.tests}
        if keys & seen:
            raise UserError(
                f"Two runs hold model {source.model} with pooling {source.pooling} and tests of the same name. "
                "Analyze the runs separately."
            )
        seen |= keys
    return sources
