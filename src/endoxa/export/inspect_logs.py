"""Runs as logs of Inspect (`.eval`), written with Inspect's own library, for its viewer (`inspect view`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.instruments.measures import measures_of, metrics
from endoxa.models.spec import require_libraries
from endoxa.report.words import short_labels
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import read_run

KINDS = ("pairs", "qa")
"""Runs that hold samples with a target."""


def write_logs(run: Path, target: Path) -> list[Path]:
    """Write a log for each model of a run.

    Args:
        run: a finished run of sentence pairs or questions.
        target: folder of the logs; logs of the same models are replaced.

    Raises:
        UserError: Inspect is not installed, or the run is of another kind.
    """
    require_libraries(
        "A log of Inspect", ("inspect_ai",), "pip install inspect-ai (in an environment of its own)."
    )
    facts = read_run(run)
    kind = str(facts.get("kind"))
    if kind not in KINDS:
        raise UserError(f"Logs of Inspect hold sentence pairs or questions; {run} holds neither.")
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalMetric,
        EvalResults,
        EvalScore,
        EvalSpec,
        EvalStats,
        write_eval_log,
    )

    records, measures = pl.read_parquet(run / RECORDS), measures_of(run)
    models = [str(model["name"]) for model in facts["models"]]
    written = []
    for model, label in short_labels(models).items():
        samples = list((_pairs if kind == "pairs" else _questions)(records.filter(pl.col("model") == model)))
        numbers = {
            name: EvalMetric(name=name, value=value)
            for name, value in metrics(measures.filter(pl.col("model") == model))
        }
        log = EvalLog(
            status="success",
            eval=EvalSpec(
                created=str(facts["created"]),
                task=f"endoxa_{kind}",
                dataset=EvalDataset(name=run.resolve().name, samples=len(samples)),
                model=model,
                config=EvalConfig(),
                packages={"endoxa-toolkit": __version__},
                metadata={"run": run.resolve().name},
            ),
            results=EvalResults(
                total_samples=len(samples),
                completed_samples=len(samples),
                scores=[EvalScore(name="estimates", scorer="endoxa", metrics=numbers)],
            ),
            stats=EvalStats(started_at=str(facts["created"]), completed_at=str(facts["finished"])),
            samples=samples,
        )
        path = target / f"{label.replace('/', '-')}.eval"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, str(path))
        written.append(path)
    return written


def _pairs(records: pl.DataFrame) -> Iterator[Any]:
    """A sample for each pair: both sentences, and under every rule which one is preferred."""
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

    for (item,), rows in records.group_by("item_id", maintain_order=True):
        first = rows.row(0, named=True)
        stereotypical = first["stereotypical"] == "more"
        scores = {
            row["rule"]: Score(
                value=_preferred(row, stereotypical=stereotypical),
                explanation=f"{row['score_more']:.3f} against {row['score_less']:.3f}",
            )
            for row in rows.iter_rows(named=True)
        }
        yield EvalSample(
            id=str(item),
            epoch=1,
            input=f"1. {first['sent_more']}\n2. {first['sent_less']}",
            choices=[first["sent_more"], first["sent_less"]],
            target="1" if stereotypical else "2",
            scores=scores,
            metadata=_metadata(first, ("language", "axis", "identity", "direction")),
        )


def _preferred(row: Mapping[str, Any], *, stereotypical: bool) -> float:
    """1 where the stereotypical sentence has the higher score, 0 where the other has, 0.5 at a tie."""
    difference = (row["score_more"] - row["score_less"]) * (1 if stereotypical else -1)
    return 0.5 if difference == 0 else float(difference > 0)


def _questions(records: pl.DataFrame) -> Iterator[Any]:
    """A sample for each answer: what came back, how it was read, and whether it is right."""
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    for row in records.iter_rows(named=True):
        yield EvalSample(
            id=f"{row['item_id']}/{row['protocol']}/{row['order']}",
            epoch=int(row["repeat"] or 1),
            input=f"{row['category']}, template {row['template']}, {row['context_condition']}",
            target=str(row["label"]),
            output=ModelOutput.from_content(row["served_model"] or row["model"], row["answer"] or ""),
            scores={
                "correct": Score(value=float(row["choice"] == row["label"]), answer=str(row["choice"])),
                "outcome": Score(value=str(row["outcome"])),
            },
            metadata=_metadata(row, ("language", "category", "question_polarity", "protocol", "ask", "rule")),
        )


def _metadata(row: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names if row.get(name) not in (None, "")}
