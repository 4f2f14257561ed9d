"""`endoxa probe embeddings`: vectors of the texts of association tests, and what they show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endoxa.cli.options import (
    BatchTokens,
    Confidence,
    Device,
    Dtype,
    PackedWeights,
    Restart,
    Revision,
    Seed,
    Tokenizer,
    TrustRemoteCode,
)


def embeddings(
    *,
    tests: Annotated[
        str, typer.Option(metavar="FILE", help="The tests, as `endoxa build tests` or SEAT has them (JSON).")
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="hf/ID-OR-FOLDER, st/ID-OR-FOLDER, static/FILE, openai/NAME or http://HOST:PORT/v1#NAME; repeatable.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The run folder.")],
    pooling: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="cls, mean, mean-content, last, first-wordpiece, model; repeatable. Default: the usual one.",
        ),
    ] = None,
    layer: Annotated[
        int | None,
        typer.Option(min=0, help="Layer whose output is pooled; 0 is the embeddings. Default: the last."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only tests in this language; repeatable.")
    ] = None,
    max_unknown: Annotated[
        float, typer.Option(min=0, max=1, help="static: share of words the file may lack.")
    ] = 0.2,
    device: Device = "auto",
    dtype: Dtype = "auto",
    revision: Revision = None,
    tokenizer: Tokenizer = None,
    trust_remote_code: TrustRemoteCode = False,
    batch_tokens: BatchTokens = None,
    packed_weights: PackedWeights = True,
    draws: Annotated[
        int, typer.Option(min=100, help="Partitions drawn where they are too many to be counted.")
    ] = 100_000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    restart: Restart = False,
) -> None:
    """Association tests (WEAT, SEAT) in encoders: which of two groups lies nearer to an attribute.

    Writes the folder RUN: run.json (enough to repeat it), tests.json, vectors (one file per model and pooling),
    estimates.csv and report.html. Each distinct text is encoded once. A run that was stopped continues with the
    same command.

    \b
    Examples:
      endoxa probe embeddings --tests tests.json --model hf/google/muril-base-cased --pooling cls --out out/muril
      endoxa probe embeddings --tests tests.json --model hf/models/bert --pooling cls --pooling mean --out out/bert
      endoxa probe embeddings --tests tests.json --model st/all-MiniLM-L6-v2 --model static/glove.txt --out out/two
      endoxa probe embeddings --tests tests.json --model http://localhost:8000/v1#my-model --out out/served
    """  # noqa: D301
    from endoxa import road
    from endoxa.cli.progress import shown
    from endoxa.instruments.association_tests.probe import EmbeddingsSettings
    from endoxa.models import ModelOptions

    settings = EmbeddingsSettings(
        tests=tests,
        models=tuple(model or ()),
        poolings=tuple(pooling or ()),
        layer=layer,
        max_unknown=max_unknown,
        languages=tuple(language or ()),
        confidence=confidence,
        seed=seed,
        draws=draws,
        options=ModelOptions(
            device=device,
            dtype=dtype,
            revision=revision,
            tokenizer=tokenizer,
            trust_remote_code=trust_remote_code,
            batch_tokens=batch_tokens,
            packed_weights=packed_weights,
        ),
    )
    with shown("texts") as progress:
        summary = road.embeddings(settings, out, restart=restart, progress=progress, command=sys.argv)
    for sentence in summary.left_out:
        typer.echo(sentence)
    if summary.was_complete:
        typer.echo(f"{summary.folder} was complete already; nothing was encoded (--restart does it again).")
    typer.echo(
        f"{summary.tests} tests, {summary.texts} different texts of {summary.sentences}; vectors (one file per model "
        f"and pooling): {summary.folder / 'vectors'}"
    )
    typer.echo(f"estimates: {summary.folder / 'estimates.csv'}")
    typer.echo(f"report: {summary.folder / 'report.html'}")
