"""`endoxa probe harm`: models rate how harmful associations are."""

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
    from endoxa.engine.asking.run import Filled
    from endoxa.instruments.stories.harm.probe import HarmSettings


def harm(
    *,
    data: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="Associations of `endoxa analyze associations`, or StereoTales' JSON."
        ),
    ],
    model: ChatModels = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each association is rated.")] = 3,
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Language of the questions: ar, en, es, fr, hi or pt.")
    ] = "en",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many associations.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Questions of your own (TOML), in --language.")
    ] = None,
    system: System = "",
    temperature: Temperature = 1.0,
    top_p: TopP = None,
    max_tokens: MaxTokens = 512,
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
    """Does an association reinforce a harmful stereotype (1 to 5), and is it frequent in reality?

    Writes the folder RUN: run.json and records.parquet (every raw answer and how it was read). Each distinct
    association is rated once per model and repeat. A run that was stopped continues with the same command.
    `endoxa analyze harm` compares the ratings with people's. Keys come from environment variables.

    \b
    Examples:
      endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --plan
      endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --max-cost 5 --out out/harm
      endoxa probe harm --data assoc.csv --model sim/rater --repeats 3 --language hi --out out/harm-hi
    """  # noqa: D301
    from endoxa.instruments.stories.harm.probe import HarmSettings
    from endoxa.models.chat.spec import ChatOptions
    from endoxa.schema import Sampling

    settings = HarmSettings(
        data=data,
        models=tuple(model or ()),
        language=language,
        repeats=repeats,
        seed=seed,
        limit=limit,
        system=system,
        prompts=str(prompts) if prompts else None,
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
        from endoxa.instruments.stories.harm.probe import plan_harm

        print_plan(plan_harm(settings))
    else:
        _run(settings, out, restart=restart)


def _run(settings: HarmSettings, out: Path | None, *, restart: bool) -> None:
    from endoxa.cli.progress import shown
    from endoxa.errors import UserError
    from endoxa.instruments.stories.harm.probe import probe_harm

    if out is None:
        raise UserError("No run folder was given: name one with --out (or look at --plan).")
    with shown("ratings") as progress:
        filled = probe_harm(settings, out, restart=restart, progress=progress, command=sys.argv)
    _print_summary(filled)


def _print_summary(filled: Filled) -> None:
    from endoxa.cli.run_summary import print_errors

    if filled.was_complete:
        typer.echo(f"{filled.folder} was complete already; nothing was asked (--restart does it again).")
    counts = filled.counts
    typer.echo(
        f"{counts['items']} associations, {counts['records']} answers, {counts['rated']} of them with a rating: "
        f"{filled.folder / 'records.parquet'}"
    )
    for model, dollars in filled.cost.items():
        if dollars:
            typer.echo(f"{model}: ${dollars:.4f}")
    print_errors(filled.errors)
