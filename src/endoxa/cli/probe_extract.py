"""`endoxa probe extract`: profiles read off stories by several models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.cli.options import (
    Attempts,
    Batch,
    BatchSize,
    ChatModels,
    ChatTemplate,
    Concurrency,
    Device,
    Dtype,
    Extra,
    MaxCost,
    MaxTokens,
    Patience,
    Plan,
    PriceOption,
    Reasoning,
    RequestsPerMinute,
    Restart,
    RetryErrors,
    Revision,
    Seed,
    System,
    Temperature,
    Timeout,
    Tokenizer,
    TokensPerMinute,
    TopP,
    TrustRemoteCode,
    read_extra,
)

if TYPE_CHECKING:
    from endoxa.instruments.stories.profiles.probe import ExtractSettings


def extract(
    *,
    data: Annotated[
        str,
        typer.Option(metavar="RUN|FILE", help="Run of `probe stories`, or a table with a column 'story'."),
    ],
    model: ChatModels = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")] = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Attributes and values of your own (TOML).", show_default="StereoTales'"
        ),
    ] = None,
    structured: Annotated[
        bool, typer.Option(help="Hold extractors to a JSON schema; switch off where a server refuses it.")
    ] = True,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Only stories in this language; repeatable."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many stories.")] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write a sheet on which a person codes a sample (.xlsx, .csv)."
        ),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=1, help="Stories on that sheet, from every model x language.")
    ] = 200,
    system: System = "",
    temperature: Temperature = 0.0,
    top_p: TopP = None,
    max_tokens: MaxTokens = 1024,
    reasoning: Reasoning = None,
    extra: Extra = None,
    concurrency: Concurrency = 8,
    requests_per_minute: RequestsPerMinute = None,
    tokens_per_minute: TokensPerMinute = None,
    timeout: Timeout = 600.0,
    attempts: Attempts = 12,
    patience: Patience = 180.0,
    batch: Batch = False,
    max_cost: MaxCost = None,
    price: PriceOption = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
    revision: Revision = None,
    tokenizer: Tokenizer = None,
    trust_remote_code: TrustRemoteCode = False,
    chat_template: ChatTemplate = None,
    batch_size: BatchSize = 8,
    seed: Seed = 0,
    retry_errors: RetryErrors = False,
    restart: Restart = False,
    plan: Plan = False,
) -> None:
    """Have several models read the main character's profile off each story; the majority decides.

    Each extractor (--model) first says whether the text is a refusal, then chooses for every attribute one of its
    values, "unknown", or "other" where there is that. Writes the folder RUN: run.json, records.parquet (profiles with
    every vote and raw answer) and agreement.csv. A run that was stopped continues with the same command.

    \b
    Examples:
      endoxa probe extract --data out/s1 --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5 \\
        --model mistral/mistral-small-latest --out out/s2
      endoxa probe extract --data stories.parquet --model http://localhost:8000/v1#m --no-structured --out out/s3
      endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --model sim/reader-c --out out/s2 \
        --sheet check.xlsx --sample 200
    """  # noqa: D301
    from endoxa.instruments.stories.profiles.probe import ExtractSettings
    from endoxa.models.chat.spec import ChatOptions
    from endoxa.schema import Sampling

    settings = ExtractSettings(
        data=data,
        models=tuple(model or ()),
        vocabulary=str(vocabulary) if vocabulary else None,
        structured=structured,
        languages=tuple(language or ()),
        limit=limit,
        seed=seed,
        system=system,
        sampling=Sampling(
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            reasoning=reasoning,
            extra=read_extra(extra),
        ),
        options=ChatOptions(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            timeout=timeout,
            attempts=attempts,
            patience=patience,
            device=device,
            dtype=dtype,
            revision=revision,
            tokenizer=tokenizer,
            trust_remote_code=trust_remote_code,
            chat_template=str(chat_template) if chat_template else None,
            batch_size=batch_size,
        ),
        batch=batch,
        max_cost=max_cost,
        price=price,
        retry_errors=retry_errors,
    )
    if plan:
        from endoxa.cli.run_summary import print_plan
        from endoxa.instruments.stories.profiles.probe import plan_extract

        print_plan(plan_extract(settings))
    else:
        _run(settings, out, restart=restart, sheet=sheet, sample=sample)


def _run(
    settings: ExtractSettings, out: Path | None, *, restart: bool, sheet: Path | None, sample: int
) -> None:
    from endoxa import road
    from endoxa.cli.progress import shown
    from endoxa.cli.run_summary import print_run, require_out
    from endoxa.instruments.stories.profiles.sheet import require_new_sheet

    folder = require_out(out)
    if sheet is not None:
        require_new_sheet(sheet)
    with shown("answers") as progress:
        filled = road.profiles(settings, folder, restart=restart, progress=progress, command=sys.argv)
    counts = filled.counts
    print_run(filled, f"{counts['records']} stories, of which {counts['refused']} are refusals")
    if counts["wordless"] or counts["unparsed"]:
        profiles = "1 profile" if counts["unparsed"] == 1 else f"{counts['unparsed']} profiles"
        typer.echo(
            f"{counts['wordless']} stories have no word, so nobody was asked; {profiles} could not be read. All are "
            "counted, none is left out."
        )
    undecided, unlisted = (counts.get(name, 0) for name in ("undecided", "unlisted"))  # older runs have none
    if undecided or unlisted:
        typer.echo(
            f"{undecided} answers to the question of refusal could not be read; {unlisted} values are not in the list "
            "and count as unknown."
        )
    typer.echo(f"agreement of the extractors: {folder / 'agreement.csv'}")
    if sheet is not None:
        _write_sheet(settings, folder, sheet, sample)


def _write_sheet(settings: ExtractSettings, run: Path, sheet: Path, sample: int) -> None:
    from endoxa.instruments.stories.profiles.probe import vocabulary_of
    from endoxa.instruments.stories.profiles.sheet import write_sheet

    count = write_sheet(run, vocabulary_of(settings), sheet, sample=sample, seed=settings.seed)
    typer.echo(
        f"{count} stories to be coded by a person: {sheet}. They may show people in a hurtful way: say so to whoever "
        f"reads them. When it is filled in: endoxa analyze extraction {run} --human {sheet} --out errors.csv"
    )
