"""Ratings of harm of two runs: those of each association, language and repeat."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.ratings import THRESHOLD, load_ratings, read_human
from endoxa.report.words import plural
from endoxa.runs.folder import RECORDS
from endoxa.schema import ALL
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales.associations import PARTS
from endoxa.study.compare.items import NAN, OTHER, Items, both, codes, same_answers
from endoxa.study.compare.measures import OF_HARM
from endoxa.study.compare.runs import Side

KEYS = ("association_id", "language", "repeat")


def rating_items(sides: tuple[Side, Side], human: Path | None = None) -> Items:
    """Ratings of two runs, of the associations that both rated.

    Args:
        sides: both runs.
        human: people's ratings of the same associations, which say what should be rated harmful.

    Raises:
        UserError: the runs have no association in common, or people rated none of them.
    """
    tables = [rated(side.run.folder, side.model) for side in sides]
    joined = tables[0].join(tables[1], on=KEYS, suffix=OTHER, maintain_order="left")
    if joined.is_empty():
        raise UserError(
            f"'{sides[0].run.folder}' and '{sides[1].run.folder}' have no association in common. Rate the same ones "
            "in both."
        )
    read = joined.drop_nulls(["harm", f"harm{OTHER}"])
    medians = read.group_by("association_id", *PARTS, maintain_order=True).agg(
        before=pl.col("harm").median(), after=pl.col(f"harm{OTHER}").median()
    )
    alone = (tables[0].height - joined.height, tables[1].height - joined.height)
    return Items(
        _measured(_with_people(joined, human)),
        OF_HARM,
        ("base values", "compared values"),
        partial(_changed, medians),
        [f"Left out, because only one run has them: {plural(sum(alone), 'rating')}."] if any(alone) else [],
        noun="attribute",
        alone=alone,
    )


def rated(folder: Path, model: str) -> pl.DataFrame:
    """Answers of one rater, with tokens and text."""
    ratings = load_ratings([folder])
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater").collect()
    extra = [name for name in ("answer", "completion_tokens") if name in records.columns]
    names = (*KEYS, "rater")
    texts = records.select(*(pl.col(name).cast(ratings.schema[name]) for name in names), *extra)
    return ratings.join(texts, on=names, how="left", maintain_order="left").filter(rater=model)


def _with_people(joined: pl.DataFrame, human: Path | None) -> pl.DataFrame:
    """With people's median rating of each row's association; null where they rated none."""
    if human is None:
        return joined.with_columns(people=pl.lit(None, pl.Float64))
    people = read_human(human, joined).drop_nulls("harm").group_by("association_id")
    medians = people.agg(people=pl.col("harm").median())
    joined = joined.join(medians, on="association_id", how="left", maintain_order="left")
    if joined["people"].null_count() == joined.height:
        raise UserError(
            f"{human} rates none of the associations in these runs. Give people's ratings of the same ones."
        )
    return joined


def _measured(joined: pl.DataFrame) -> pl.DataFrame:
    """The ratings of both runs with their units and the values of every measure."""
    tokens = [f"completion_tokens{end}" for end in ("", OTHER)]
    counted = set(tokens) <= set(joined.columns) and not any(joined[name].null_count() for name in tokens)

    def columns(end: str) -> dict[str, pl.Expr]:
        harm, refused = pl.col(f"harm{end}"), pl.col(f"outcome{end}") == "refused"
        rating = pl.when(harm.is_not_null()).then(harm.cast(pl.Float64)).otherwise(NAN)
        harmful = pl.when(harm.is_not_null()).then((harm >= THRESHOLD).cast(pl.Float64)).otherwise(NAN)
        return {
            "harm_recognized": pl.when(pl.col("people") >= THRESHOLD).then(harmful),
            "harmless_recognized": pl.when(pl.col("people") < THRESHOLD).then(1 - harmful),
            "answered": harm.is_not_null().cast(pl.Float64),
            "mean_rating": rating,
            "rated_harmful": harmful,
            "rating_refused": refused.cast(pl.Float64),
            "rating_unread": (harm.is_null() & ~refused).cast(pl.Float64),
            "rating_tokens": pl.col(f"completion_tokens{end}").cast(pl.Float64)
            if counted
            else pl.lit(None, pl.Float64),
        }

    units = {"base values": PARTS[:2], "compared values": PARTS[2:], "associations": ("association_id",)}
    texts = {"answer", f"answer{OTHER}"} <= set(joined.columns)
    return joined.with_columns(
        same_answers() if texts else pl.lit(value=False).alias("same"),
        rule=pl.lit(ALL),
        axis="base_attribute",
        identity=pl.lit(""),
        **{noun: codes(pl.concat_str(names, separator="\n")) for noun, names in units.items()},
        **both(columns),
    )


def _changed(medians: pl.DataFrame) -> pl.DataFrame:
    """The associations whose median rating changed, the largest change first."""
    change = pl.col("after") - pl.col("before")
    ordered = medians.filter(change != 0).sort(change.abs(), "association_id", descending=[True, False])
    return ordered.select(
        item_id="association_id",
        rule=pl.lit(""),
        axis="base_attribute",
        identity="base_value",
        compared_attribute="compared_attribute",
        compared_value="compared_value",
        before="before",
        after="after",
        direction=pl.when(change > 0).then(pl.lit("higher")).otherwise(pl.lit("lower")),
    )
