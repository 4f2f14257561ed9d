"""What became of the answers of a run: asked, answered, read, cut off, refused, filtered, failed.

Every run that asks chat models counts them in the same way, from its records: why an answer ended, the provider's
error, and what the reader of answers made of it. The counts are written beside the records (`answers.csv`), said on the
terminal, and shown on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.runs.folder import ANSWERS, sampling_setting
from endoxa.schema.finish import CONTENT_FILTER, ERROR, LENGTH, REFUSAL, finish_reason
from endoxa.sources.frames import write_table
from endoxa.sources.spreadsheets import read_csv

MOST_CUT_OFF = 0.05
"""Above this share of answers that were cut off there is a warning."""
MOST_UNREAD = 0.2
"""Above this share of answers that were not read, for whatever reason, there is one as well."""
MOST_LINES = 12
"""With more models and contexts the terminal has one line per model."""


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """What became of the answers of one model in one context.

    Attributes:
        model: the model.
        context: kind of context, language, or empty where all is asked alike.
        asked: conversations.
        answered: those that brought a text.
        read: those whose text could be used.
        cut_off: those that ended at the limit of tokens, read or not.
        refused: declined by the model.
        filtered: withheld by a filter of the provider.
        failed: ended with an error.
    """

    model: str
    context: str
    asked: int
    answered: int
    read: int
    cut_off: int
    refused: int
    filtered: int
    failed: int

    @property
    def unread(self) -> int:
        """Neither read nor refused, filtered or failed: nothing in it could be used."""
        return self.asked - self.read - self.refused - self.filtered - self.failed

    @property
    def where(self) -> str:
        """The model, and the context where there is one."""
        return f"{self.model}, {self.context}" if self.context else self.model


COLUMNS = tuple(field.name for field in fields(AnswerCounts))
"""Columns of `answers.csv`."""


def count_answers(answers: pl.LazyFrame | pl.DataFrame) -> tuple[AnswerCounts, ...]:
    """Counts by model and context, in the order in which they first occur.

    A conversation is read, else filtered, failed or refused, else unread: it is counted once among these.

    Args:
        answers: a row for each conversation: `model`, `context`, `finish` and `error` as recorded, and as truth values
            `read`, `refused` (the text declines) and `blank` (there is no text).
    """
    frame = answers.lazy()
    words = frame.select(pl.col("finish").fill_null("").unique()).collect()["finish"].to_list()
    ended = (
        pl.col("finish")
        .fill_null("")
        .replace_strict(words, [finish_reason(word) for word in words], return_dtype=pl.String)
    )
    error = (pl.col("error").fill_null("") != "") | (ended == ERROR)
    read = pl.col("read")
    filtered = ~read & (ended == CONTENT_FILTER)
    failed = ~read & ~filtered & error
    counted = (
        frame.group_by("model", "context", maintain_order=True)
        .agg(
            asked=pl.len(),
            answered=(read | ~(pl.col("blank") | filtered | failed)).sum(),
            read=read.sum(),
            cut_off=((ended == LENGTH) & ~failed).sum(),
            refused=(~read & ~filtered & ~failed & (pl.col("refused") | (ended == REFUSAL))).sum(),
            filtered=filtered.sum(),
            failed=failed.sum(),
        )
        .collect()
    )
    return tuple(AnswerCounts(**row) for row in counted.iter_rows(named=True))


def over_contexts(counts: Iterable[AnswerCounts]) -> tuple[AnswerCounts, ...]:
    """The counts of each model over all its contexts."""
    by_model: dict[str, list[tuple[int, ...]]] = {}
    for row in sorted(counts, key=lambda row: row.model):
        by_model.setdefault(row.model, []).append(astuple(row)[2:])
    return tuple(
        AnswerCounts(model, "", *map(sum, zip(*rows, strict=True))) for model, rows in by_model.items()
    )


def write_counts(counts: Sequence[AnswerCounts], folder: Path) -> None:
    """Write `answers.csv` into a run folder."""
    table = pl.DataFrame(list(map(asdict, counts)), schema=list(COLUMNS))
    write_table(
        table.with_columns(context=pl.col("context").cast(pl.String).replace("", None)), folder / ANSWERS
    )


def read_counts(folder: Path) -> tuple[AnswerCounts, ...]:
    """What `answers.csv` of a run folder holds; nothing where there is none."""
    path = folder / ANSWERS
    if not path.is_file():
        return ()
    table = read_csv(path, schema_overrides={"model": pl.String, "context": pl.String})
    return tuple(
        AnswerCounts(**row) for row in table.with_columns(pl.col("context").fill_null("")).to_dicts()
    )


def count_lines(counts: Sequence[AnswerCounts]) -> Iterator[str]:
    """A line for each model and context, for the terminal; one per model where these are many."""
    for row in _few(counts):
        parts = [f"{row.asked} asked", f"{row.answered} answered", f"{row.read} read"]
        parts += [f"{number} {word}" for word, number in _lost(row).items() if number]
        yield f"{row.where}: {', '.join(parts)}"


def _few(counts: Sequence[AnswerCounts]) -> Sequence[AnswerCounts]:
    return counts if len(counts) <= MOST_LINES else over_contexts(counts)


def _lost(row: AnswerCounts) -> dict[str, int]:
    return {
        "cut off at the token limit": row.cut_off,
        "refused": row.refused,
        "filtered": row.filtered,
        "failed": row.failed,
        "not readable": row.unread,
    }


def conspicuous(counts: Sequence[AnswerCounts]) -> Sequence[AnswerCounts]:
    """Models and contexts in which more than 5 % of the answers were cut off, or more than 20 % were not read."""
    return _few([row for row in counts if _often_cut_off(row) or row.read < (1 - MOST_UNREAD) * row.asked])


def _often_cut_off(row: AnswerCounts) -> bool:
    return row.cut_off > MOST_CUT_OFF * row.asked


def answer_warning(row: AnswerCounts, facts: Mapping[str, Any]) -> str:
    """That many answers were cut off, and what to raise; else that many were not read.

    Args:
        row: counts of a model.
        facts: the `run.json` of its run, which knows the limit.
    """
    if not _often_cut_off(row):
        lost = ", ".join(f"{number} {word}" for word, number in _lost(row).items() if number)
        return (
            f"Warning: {row.where}: only {row.read} of {row.asked} answers were read ({lost}). Scores describe the "
            "answers that were read."
        )
    limit = sampling_setting(facts, "max_tokens")
    at, raised = (
        ("the limit of tokens", "Set a higher max_tokens (--set max_tokens=N)")
        if limit is None
        else (f"max_tokens {limit}", "Raise it (--set max_tokens=N)")
    )
    if letters := (facts.get("identity") or {}).get("letter_tokens"):
        at += f", or after {letters} tokens with their letter read"
    share = f"{100 * row.cut_off / row.asked:.1f}\u00a0%"
    return (
        f"Warning: {row.where}: {row.cut_off} of {row.asked} answers ({share}) were cut off at {at}; {row.read} of "
        f"{row.asked} were read. {raised} (thoughts count too) and measure again in another folder."
    )


def answer_warnings(counts: Sequence[AnswerCounts], facts: Mapping[str, Any]) -> tuple[str, ...]:
    """All such sentences of a run."""
    return tuple(answer_warning(row, facts) for row in conspicuous(counts))


FEWEST_ITEMS = 5
"""With fewer items equal repeats are no sign of anything."""


def equal_repeats(
    records: pl.LazyFrame, facts: Mapping[str, Any], *, item: Sequence[str], answer: str, model: str = "model"
) -> Iterator[str]:
    """A sentence for each model whose repeats are all alike, though the temperature is above 0.

    Args:
        records: records with `repeat`; rows without an answer do not count.
        facts: the `run.json` of the run.
        item: columns that name what was asked.
        answer: column of what was answered.
        model: column that names models.
    """
    temperature = sampling_setting(facts, "temperature")
    if not temperature:
        return
    answered = records.drop_nulls(answer)
    by_item = answered.group_by(model, *item, maintain_order=True).agg(
        repeats=pl.col("repeat").n_unique(), answers=pl.col(answer).n_unique()
    )
    repeated = by_item.filter(pl.col("repeats") > 1).group_by(model, maintain_order=True)
    table = repeated.agg(
        items=pl.len(), repeats=pl.col("repeats").max(), most=pl.col("answers").max()
    ).collect()
    for row in table.filter(pl.col("most") == 1, pl.col("items") >= FEWEST_ITEMS).iter_rows(named=True):
        yield (
            f"Warning: {row[model]}: all {row['repeats']} repeats of each of {row['items']} items have the same "
            f"answer, though the temperature is {temperature:g}. The server may ignore temperature and seed; then "
            "repeats add nothing, and their spread of 0 says nothing."
        )
