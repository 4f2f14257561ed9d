"""`endoxa probe stories`: open-ended stories from models."""

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
    from endoxa.instruments.stories.stories import StoriesSettings


def stories(
    *,
    data: Annotated[str, typer.Option(metavar="FILE", help="Prompts of `endoxa build stories`.")],
    model: ChatModels = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each prompt is given.")] = 1,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Only prompts in this language; repeatable."),
    ] = None,
    theme: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only prompts of this theme; repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many prompts.")] = None,
    system: System = "",
    temperature: Temperature = 1.0,
    top_p: TopP = None,
    max_tokens: MaxTokens = 800,
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
    """Have models write stories about a protagonist of whom the prompt names one attribute.

    Writes the folder RUN: run.json and records.parquet (every story as it came). `endoxa probe extract` then reads
    the protagonists' profiles off them. A run that was stopped continues with the same command.

    \b
    Examples:
      endoxa probe stories --data prompts.jsonl --model openai/gpt-4o-mini --plan
      endoxa probe stories --data prompts.jsonl --model openai/gpt-4o-mini --max-cost 10 --batch --out out/s1
      endoxa probe stories --data prompts.jsonl --language hi --model http://localhost:8000/v1#my-model --out out/hi
      endoxa probe stories --data prompts.jsonl --limit 500 --model sim/teller --out out/rehearsal
    """  # noqa: D301
    from endoxa.instruments.stories.stories import StoriesSettings
    from endoxa.models.chat.spec import ChatOptions
    from endoxa.schema import Sampling

    settings = StoriesSettings(
        data=data,
        models=tuple(model or ()),
        repeats=repeats,
        languages=tuple(language or ()),
        themes=tuple(theme or ()),
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
        from endoxa.instruments.stories.stories import plan_stories

        print_plan(plan_stories(settings))
    else:
        _run(settings, out, restart=restart)


def _run(settings: StoriesSettings, out: Path | None, *, restart: bool) -> None:
    from endoxa.cli.progress import shown
    from endoxa.cli.run_summary import print_run, require_out
    from endoxa.instruments.stories.stories import probe_stories

    folder = require_out(out)
    with shown("stories") as progress:
        filled = probe_stories(settings, folder, restart=restart, progress=progress, command=sys.argv)
    counts = filled.counts
    print_run(filled, f"{counts['items']} prompts, {counts['records']} stories")
    if counts["filtered"] or counts["failed"]:
        typer.echo(
            f"{counts['filtered']} were refused or filtered by the provider, {counts['failed']} requests were not "
            "taken: their rows are there, without a story."
        )
    typer.echo(
        f"next: endoxa probe extract --data {folder} --model ... --model ... --model ... --out ANOTHER-RUN"
    )
