"""Records of extractions, wherever they lie: what became of them, counts of values, stories to read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales import UNKNOWN, Profiles
from endoxa.sources.stereotales.profiles import MISSING
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
OUTCOMES = {
    "refused": ("refusal", pl.col("refusal").cast(pl.Int64)),
    "failed": ("error", pl.col("error").fill_null("") != ""),
    "unread": ("n_parsed", pl.col("n_parsed").cast(pl.Int64) == 0),
}
"""Which column says it, and of which rows it is true."""

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
    frames = [pl.DataFrame(schema=COUNTED)]
    for records in map(records_of, sources):
        present = records.collect_schema().names()
        numbers = {
            name: (rule.sum() if column in present else pl.lit(None)).cast(pl.Int64)
            for name, (column, rule) in OUTCOMES.items()
        }
        groups = records.group_by(model="generator_model", language="language", maintain_order=True)
        frames.append(groups.agg(stories=pl.len().cast(pl.Int64), **numbers).collect())
    return (
        pl.concat(frames)
        .group_by("model", "language", maintain_order=True)
        .agg(pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()) for name in list(COUNTED)[2:])
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


CUBE = {**dict.fromkeys(("model", "language", "theme", "attribute", "value"), pl.String), "n": pl.Int64}
"""Columns of the counts."""


def cube(profiles: Profiles, themes: Mapping[str, str]) -> pl.DataFrame:
    """Stories by model, language, theme, attribute and value; zeros are left out.

    A story counts for every attribute but the one that its prompt named. An attribute that the extractor did not
    give counts as unknown.

    Args:
        profiles: the stories.
        themes: theme of every prompt, by its name.

    Returns:
        Columns of `CUBE`.
    """
    of_sample = pl.Series([themes.get(sample, "") for sample in profiles.samples], dtype=pl.String)
    spoken = of_sample.unique(maintain_order=True)
    theme = of_sample.replace_strict(spoken, list(range(len(spoken))), return_dtype=pl.Int64).to_numpy()
    names = {"model": profiles.models, "language": profiles.languages, "theme": spoken}
    groups = pl.DataFrame(
        {"theme": theme[profiles.sample], "language": profiles.language, "model": profiles.model}
    )
    frames = [pl.DataFrame(schema=CUBE)]
    for place, (attribute, values) in enumerate(zip(profiles.attributes, profiles.values, strict=True)):
        codes = profiles.codes[:, place].astype(np.int64)
        if (codes == MISSING).all():
            continue
        words = {**names, "value": (*values, UNKNOWN)}
        coded = groups.with_columns(value=np.where(codes == MISSING, len(values), codes))
        keys = coded.columns
        cells = coded.filter(profiles.base != place).group_by(keys).agg(n=pl.len().cast(pl.Int64)).sort(keys)
        named = [pl.Series(key, words[key], dtype=pl.String)[cells[key]] for key in keys]
        frames.append(cells.with_columns(*named, attribute=pl.lit(attribute)).select(list(CUBE)))
    return merged(pl.concat(frames))


def merged(counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of the same cell added up."""
    return counts.group_by(*list(CUBE)[:-1], maintain_order=True).agg(pl.col("n").sum())


def shares(counts: pl.DataFrame, by: str) -> pl.DataFrame:
    """Share of each value among the stories of a model (`by`), language or theme.

    Returns:
        `by`, `attribute`, `value`, `n`, `total` (stories behind the share), `share`.
    """
    summed = counts.group_by([by, "attribute", "value"], maintain_order=True).agg(pl.col("n").sum())
    total = pl.col("n").sum().over(by, "attribute")
    return summed.with_columns(total=total, share=pl.col("n") / total)


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
    numbered = records.select(present).with_row_index("row")
    return numbered.join(rows.lazy(), on="row", how="semi", maintain_order="left").collect()


def _sample(row: dict[str, Any]) -> Sample:
    refusal, text = row.get("refusal"), without_thoughts(row["story"] or "").strip()
    try:
        profile = json.loads(row["extracted_attributes_json"] or "")
    except (ValueError, RecursionError):
        profile = None
    usable = isinstance(profile, dict) and bool(profile)
    return Sample(
        model=row["generator_model"] or "",
        language=row["language"] or "",
        scenario=row.get("scenario") or "",
        attribute=row["target_attribute"] or "",
        value=row["target_attribute_value"] or "",
        refused=None if refusal is None or refusal == "" else bool(int(refusal)),
        profile={str(name): str(value) for name, value in profile.items() if value} if usable else None,
        story=text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} […]",
    )
