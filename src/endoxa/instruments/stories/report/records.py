"""Records of extractions, wherever they lie; stories to read, with the profiles read off them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.tables import PARQUET_SUFFIXES

COUNTED = {
    "model": pl.String,
    "language": pl.String,
    "stories": pl.Int64,
    "refused": pl.Int64,
    "failed": pl.Int64,
    "unread": pl.Int64,
}
"""Columns of `counted`."""


MOST = 5_000
"""Stories in a page."""

MOST_CHARACTERS = 2_500
"""Longer stories are cut; twice the length that the prompts ask for."""

GROUP = ("generator_model", "language")

SHOWN = (
    *("generator_model", "language", "scenario", "target_attribute", "target_attribute_value"),
    *("extracted_attributes_json", "refusal", "story"),
)


def records_of(source: Path) -> pl.LazyFrame:
    """The rows of a run folder of `probe extract` or of a table in StereoTales' columns.

    Raises:
        UserError: a table that cannot be read.
    """
    path = source / "records.parquet" if source.is_dir() else source
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        return read_table(path).lazy()
    return versions_apart(pl.scan_parquet(path), "generator_model")


def counted(sources: Sequence[Path]) -> pl.DataFrame:
    """Rows of each model and language, and what became of them; null where a source does not say.

    Returns:
        `stories` (rows), `refused`, `failed` (the provider refused the request), `unread` (no extractor's answer
        could be read).
    """
    frames = [pl.DataFrame(schema=COUNTED), *(_counted(records_of(source)) for source in sources)]
    every = pl.concat(frames)
    numbers = [name for name, kind in COUNTED.items() if kind == pl.Int64]
    return every.group_by("model", "language", maintain_order=True).agg(
        pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()).alias(name) for name in numbers
    )


def _counted(records: pl.LazyFrame) -> pl.DataFrame:
    present = records.collect_schema().names()

    def number(name: str, rule: pl.Expr) -> pl.Expr:
        return (rule.sum() if name in present else pl.lit(None)).cast(pl.Int64)

    return (
        records.group_by(model="generator_model", language="language", maintain_order=True)
        .agg(
            stories=pl.len().cast(pl.Int64),
            refused=number("refusal", pl.col("refusal").cast(pl.Int64)),
            failed=number("error", pl.col("error").fill_null("") != ""),
            unread=number("n_parsed", pl.col("n_parsed").cast(pl.Int64) == 0),
        )
        .select(list(COUNTED))
        .collect()
    )


def themes(sources: Sequence[Path]) -> dict[str, str]:
    """Theme of every prompt: its column, or the scenario without its number."""
    result: dict[str, str] = {}
    for source in sources:
        records = records_of(source)
        present = records.collect_schema().names()
        if "theme" in present:
            theme = pl.col("theme")
        elif "scenario" in present:
            theme = pl.col("scenario").str.replace(r"\s*\d+$", "")
        else:
            continue
        rows = records.select("sample_id", theme=theme.fill_null("")).unique("sample_id", maintain_order=True)
        result |= dict(rows.collect().iter_rows())
    return result


@dataclass(frozen=True, slots=True)
class Sample:
    """One story.

    Attributes:
        model: the model that wrote it, as written on the command line.
        language: ISO 639 code.
        scenario: theme and number, or empty.
        attribute: the attribute that the prompt named.
        value: its value.
        refused: True for a refusal, False for a story, None where nobody judged.
        profile: what was read off it, attributes that could not be told left out; None where it is unusable.
        story: its text without the thoughts before it, perhaps cut.
    """

    model: str
    language: str
    scenario: str
    attribute: str
    value: str
    refused: bool | None
    profile: dict[str, str] | None
    story: str


def read_samples(sources: Sequence[Path], most: int = MOST) -> tuple[Sample, ...]:
    """At most `most` stories, each model and language at even distances through its stories: nobody picked them.

    Args:
        sources: run folders of extractions, or tables in StereoTales' columns; those without texts give none.
        most: stories in all.
    """
    frames = [records_of(source) for source in sources]
    with_text = [frame for frame in frames if "story" in frame.collect_schema().names()]
    if not with_text:
        return ()
    keys = pl.concat([frame.select(GROUP).collect() for frame in with_text])
    each = max(1, most // max(1, keys.n_unique()))
    return tuple(_sample(row) for frame in with_text for row in _chosen(frame, each).iter_rows(named=True))


def _chosen(records: pl.LazyFrame, each: int) -> pl.DataFrame:
    """Up to `each` rows of every group, at even distances; only these are read whole."""
    place, size = pl.int_range(pl.len()).over(GROUP), pl.len().over(GROUP)
    chosen = (size <= each) | (place * each % size < each)
    rows = records.select(GROUP).with_row_index("row").filter(chosen).select("row").collect()
    present = [name for name in SHOWN if name in records.collect_schema().names()]
    return (
        records.select(present)
        .with_row_index("row")
        .join(rows.lazy(), on="row", how="semi", maintain_order="left")
        .collect()
    )


def _sample(row: dict[str, Any]) -> Sample:
    refusal = row.get("refusal")
    text = without_thoughts(row["story"] or "").strip()
    return Sample(
        model=row["generator_model"] or "",
        language=row["language"] or "",
        scenario=row.get("scenario") or "",
        attribute=row["target_attribute"] or "",
        value=row["target_attribute_value"] or "",
        refused=None if refusal is None or refusal == "" else bool(int(refusal)),
        profile=_profile(row["extracted_attributes_json"]),
        story=text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} […]",
    )


def _profile(cell: str | None) -> dict[str, str] | None:
    try:
        profile = json.loads(cell or "")
    except (ValueError, RecursionError):
        return None
    return (
        {str(k): str(v) for k, v in profile.items() if v} if isinstance(profile, dict) and profile else None
    )
