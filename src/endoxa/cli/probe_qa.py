"""`endoxa probe qa`: multiple-choice questions to models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from endoxa.cli.options import (
    Attempts,
    Batch,
    BatchSize,
    ChatModels,
    ChatTemplate,
    Concurrency,
    Confidence,
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
    from endoxa.instruments.questions.probe.run import QaSummary
    from endoxa.instruments.questions.probe.settings import QaSettings


def qa(
    *,
    data: Annotated[str, typer.Option(metavar="FILE", help="Questions in BBQ's JSONL.")],
    model: ChatModels = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="BBQ's additional_metadata.csv.", show_default="the one beside the data"
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="What reports call the data.", show_default="its category, or Name"),
    ] = None,
    ask: Annotated[
        Literal["letters", "text", "loglik", "loglik-mean"],
        typer.Option(help="Answer by letter or text, or score the options (hf/..., http://...)."),
    ] = "letters",
    debias: Annotated[
        str,
        typer.Option(metavar="LIST", help="Protocols, with commas: baseline, explanation, reprompting."),
    ] = "baseline",
    repeats: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 1,
    shuffle: Annotated[
        bool, typer.Option(help="Draw the order of options for each question and repeat.")
    ] = True,
    language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only questions in this language; repeatable. Also names the file's."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many questions.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instructions of your own (TOML) by language.")
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
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    retry_errors: RetryErrors = False,
    restart: Restart = False,
    plan: Plan = False,
) -> None:
    """Which person a model picks where nobody can know, and whether it can be told otherwise.

    Writes the folder RUN: run.json, records.parquet (every raw answer and how it was read), estimates.csv and
    report.html. A run that was stopped continues with the same command. Keys come from environment variables.

    \b
    Examples:
      endoxa probe qa --data Nationality.jsonl --model openai/gpt-4o-mini --repeats 3 --plan
      endoxa probe qa --data Nationality.jsonl --model openai/gpt-4o-mini --repeats 3 --max-cost 5 --out out/q1
      endoxa probe qa --data names.jsonl --model http://localhost:8000/v1#my-model --out out/q2
      endoxa probe qa --data names.jsonl --model hf/models/chat --ask loglik --out out/q3
      endoxa probe qa --data laces.jsonl --model sim/biased --debias baseline,explanation,reprompting --out out/q4
    """  # noqa: D301
    from endoxa.instruments.questions.probe.settings import QaSettings
    from endoxa.models.chat.spec import ChatOptions
    from endoxa.schema import Sampling

    settings = QaSettings(
        data=data,
        models=tuple(model or ()),
        metadata=str(metadata) if metadata else None,
        label=label,
        ask=ask,
        protocols=_protocols(debias),
        repeats=repeats,
        shuffle=shuffle,
        seed=seed,
        languages=tuple(language or ()),
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
        confidence=confidence,
    )
    if plan:
        from endoxa.cli.run_summary import print_plan
        from endoxa.instruments.questions.probe.run import plan_qa

        print_plan(plan_qa(settings))
    else:
        _run(settings, out, restart=restart)


def _protocols(text: str) -> tuple[Literal["baseline", "explanation", "reprompting"], ...]:
    """Read a list of protocols.

    Raises:
        UserError: one is unknown or there twice.
    """
    from typing import cast

    from endoxa.errors import UserError
    from endoxa.schema import PROTOCOLS

    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for k, name in enumerate(names):
        if name not in PROTOCOLS:
            raise UserError(f"Unknown protocol '{name}' in --debias: there are {', '.join(PROTOCOLS)}.")
        if name in names[:k]:
            raise UserError(f"The protocol '{name}' is given twice in --debias: name each once.")
    if not names:
        raise UserError(f"--debias names no protocol: give one or more of {', '.join(PROTOCOLS)}.")
    return cast('tuple[Literal["baseline", "explanation", "reprompting"], ...]', names)


def _run(settings: QaSettings, out: Path | None, *, restart: bool) -> None:
    from endoxa import road
    from endoxa.cli.progress import shown
    from endoxa.errors import UserError

    if out is None:
        raise UserError("No run folder was given: name one with --out (or look at --plan).")
    with shown("answers") as progress:
        summary = road.questions(settings, out, restart=restart, progress=progress, command=sys.argv)
    _print_summary(summary)


def _print_summary(summary: QaSummary) -> None:
    from endoxa.cli.run_summary import print_errors

    if summary.was_complete:
        typer.echo(f"{summary.folder} was complete already; nothing was asked (--restart does it again).")
    typer.echo(f"{summary.items} questions, {summary.records} records: {summary.folder / 'records.parquet'}")
    if summary.without_target:
        typer.echo(
            f"{summary.without_target} questions do not tell which person the stereotype is about: they count for "
            "accuracy only."
        )
    for model, dollars in summary.cost.items():
        if dollars:
            typer.echo(f"{model}: ${dollars:.4f}")
    print_errors(summary.errors)
    typer.echo(f"estimates: {summary.folder / 'estimates.csv'}")
    typer.echo(f"report: {summary.folder / 'report.html'}")
