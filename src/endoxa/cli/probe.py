"""`endoxa probe`: from items and models to records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endoxa.cli import probe_embeddings, probe_extract, probe_harm, probe_qa, probe_stories
from endoxa.cli.options import (
    BatchTokens,
    Confidence,
    Device,
    Dtype,
    FourBit,
    PackedWeights,
    Restart,
    Revision,
    Seed,
    Tokenizer,
    TrustRemoteCode,
)

if TYPE_CHECKING:
    from endoxa.instruments.pairs.probe.run import RunSummary
    from endoxa.instruments.pairs.probe.settings import PairsSettings

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure models: items and models in, a run folder out.",
)


@app.command()
def pairs(
    *,
    data: Annotated[
        str | None, typer.Option(metavar="FILE|NAME", help="File of pairs, or a downloaded data set.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="hf/ID-OR-FOLDER or http://HOST:PORT/v1#NAME; repeatable."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE", help="Scoring rule; repeatable. Default: the usual one per architecture."
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only pairs in this language; repeatable. Also names the file's language."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many pairs.")] = None,
    format: Annotated[  # noqa: A002
        str | None, typer.Option(metavar="NAME", help="Format of the file (see `endoxa datasets list`).")
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(metavar="WORDS", help="s-as: words before every identity ('African').")
    ] = None,
    template: Annotated[
        str | None, typer.Option(metavar="TEXT", help="s-as: sentence with {identity} and {attribute}.")
    ] = None,
    calibrate: Annotated[
        bool, typer.Option(help="Also score the pairs with neutral identities ('people', 'they').")
    ] = True,
    skip_unscorable: Annotated[
        bool, typer.Option("--skip-unscorable", help="List pairs that cannot be scored instead of stopping.")
    ] = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    four_bit: FourBit = False,
    revision: Revision = None,
    tokenizer: Tokenizer = None,
    trust_remote_code: TrustRemoteCode = False,
    batch_tokens: BatchTokens = None,
    packed_weights: PackedWeights = True,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    restart: Restart = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only show what so many pairs can tell; nothing is scored.")
    ] = False,
    repeat: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Take all settings from the run.json of this run.")
    ] = None,
) -> None:
    """Which sentence of each pair a model finds more probable.

    Writes the folder RUN: run.json (enough to repeat it), records.parquet (one row per pair, model and rule),
    estimates.csv and report.html. A run that was stopped continues with the same command.

    \b
    Examples:
      endoxa probe pairs --data pairs.csv --model hf/openai-community/gpt2 --out out/gpt2
      endoxa probe pairs --data crows-pairs --model hf/models/bert --rule crows-token --rule pll --out out/bert
      endoxa probe pairs --data s_as.csv --prefix African --model hf/google/flan-t5-large --out out/t5
      endoxa probe pairs --data pairs.csv --model http://localhost:8000/v1#my-model --rule sum --out out/served
      endoxa probe pairs --data pairs.csv --plan
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.pairs.probe.settings import PairsSettings
    from endoxa.models import ModelOptions

    if repeat is not None:
        if data or model or rule or plan:
            raise UserError(
                "--repeat takes all settings from RUN: leave out --data, --model, --rule and --plan."
            )
        repeated, identity = _repeated(repeat)
        _run(repeated, out, restart=restart, expected=identity)
        return
    if data is None:
        raise UserError(
            "No data was given: name a file of pairs with --data (or a run to repeat with --repeat)."
        )
    options = ModelOptions(
        device=device,
        dtype=dtype,
        four_bit=four_bit,
        revision=revision,
        tokenizer=tokenizer,
        trust_remote_code=trust_remote_code,
        batch_tokens=batch_tokens,
        packed_weights=packed_weights,
    )
    settings = PairsSettings(
        data=data,
        models=tuple(model or ()),
        rules=tuple(rule or ()),
        format=format,
        prefix=prefix,
        template=template,
        languages=tuple(language or ()),
        limit=limit,
        calibrate=calibrate,
        skip_unscorable=skip_unscorable,
        confidence=confidence,
        seed=seed,
        options=options,
    )
    if plan:
        _plan(settings)
    else:
        _run(settings, out, restart=restart)


app.command()(probe_embeddings.embeddings)
app.command()(probe_qa.qa)
app.command()(probe_harm.harm)
app.command()(probe_stories.stories)
app.command()(probe_extract.extract)


def _run(
    settings: PairsSettings, out: Path | None, *, restart: bool, expected: dict[str, Any] | None = None
) -> None:
    from endoxa import road
    from endoxa.cli.progress import shown
    from endoxa.errors import UserError

    if out is None:
        raise UserError("No run folder was given: name one with --out.")
    with shown("pairs") as progress:
        summary = road.pairs(
            settings, out, restart=restart, expected=expected, progress=progress, command=sys.argv
        )
    _print_summary(summary)


def _print_summary(summary: RunSummary) -> None:
    for skip in summary.skipped:
        typer.echo(f"skipped for {skip.model}: {skip.reason}")
    if summary.was_complete:
        typer.echo(f"{summary.folder} was complete already; nothing was scored (--restart does it again).")
    typer.echo(f"{summary.items} pairs, {summary.records} records: {summary.folder / 'records.parquet'}")
    if summary.unscored:
        typer.echo(f"{summary.unscored} could not be scored: {summary.folder / 'unscored.csv'}")
    if summary.records:
        typer.echo(f"report: {summary.folder / 'report.html'}")


def _plan(settings: PairsSettings) -> None:
    """Print what each cell can tell, before anything is scored."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from endoxa.datasets.sources import locate
    from endoxa.instruments.pairs.estimates import plan_pairs
    from endoxa.instruments.pairs.probe.items import cells

    table = Table(title="Smallest detectable preference ratio (power 0.8, two-sided 0.05)")
    for name in ("language", "axis"):
        table.add_column(name, overflow="fold")
    for name in ("pairs", "identities", "best case", "expected", "worst case"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in plan_pairs(cells(locate(settings.data), settings)).iter_rows(named=True):
        table.add_row(
            escape(row["language"]),
            escape(row["axis"]),
            str(row["n"]),
            str(row["n_identities"]),
            _share(row["ratio_if_independent"]),
            _share(row["ratio_if_correlated"]),
            _share(row["ratio_if_identities_agree"]),
        )
    Console().print(table)
    typer.echo(
        "Best case: all pairs independent. Expected: answers about one identity correlated 0.1. Worst case: all pairs "
        "about one identity answered alike. Ratios below 0.5: the mirror image. Before correction for several tests."
    )


def _share(value: float) -> str:
    return f"{value:.3f}" if value == value else "none"  # noqa: PLR0124 - NaN is the one that differs from itself


def _repeated(run: Path) -> tuple[PairsSettings, dict[str, Any]]:
    """Settings and identity kept in a run folder.

    Raises:
        UserError: it is no run of pairs.
    """
    import json

    from pydantic import ValidationError

    from endoxa.errors import UserError
    from endoxa.instruments.pairs.probe.settings import PairsSettings

    path = run / "run.json" if run.is_dir() else run
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return PairsSettings.model_validate(kept["settings"]), dict(kept["identity"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise UserError(f"{path} holds no settings of a run of pairs to repeat.") from problem
