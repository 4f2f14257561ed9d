"""From records to cells: the scores of one model and rule as aligned arrays, cut by language and axis."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.records import CONTENT
from endoxa.schema import ALL, Sample
from endoxa.sources.identities import identity_names, log_merged, merged, spellings

_ITEM_ORDER = ("data", CONTENT, "item_id")
MOSTLY = 0.5
"""Share of pairs whose identity another language must name alike for languages to count as linked."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A language (or 'all') and an axis (or 'all')."""

    language: str
    axis: str

    def seed(self, seed: int) -> int:
        """The cell's own seed: nothing else in the table plays a part.

        It is the same for every model and rule, so that they share their bootstrap samples.
        """
        key = json.dumps([seed, self.language, self.axis]).encode()
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest())


@dataclass(frozen=True, slots=True)
class Scores:
    """Every pair one model scored under one rule, in the order of (data, sentences, item_id).

    Attributes:
        model: the model.
        rule: the rule.
        item: integer code of the pair, the same for every model and rule; rising.
        language: language per pair.
        axis: axis per pair.
        keyed: whether the pair has a stated `identity_key`.
        sample: the scores.
    """

    model: str
    rule: str
    item: np.ndarray
    language: np.ndarray
    axis: np.ndarray
    keyed: np.ndarray
    sample: Sample

    def chosen(self, cell: Cell) -> np.ndarray:
        """Mask of the pairs that belong to the cell."""
        mask = np.ones(len(self.item), dtype=bool)
        if cell.language != ALL:
            mask &= self.language == cell.language
        if cell.axis != ALL:
            mask &= self.axis == cell.axis
        return mask

    def unlinked(self, chosen: np.ndarray) -> str:
        """Why several languages cannot be pooled in a test: identities counted once a language; empty where they can.

        Languages are linked where every chosen pair states an `identity_key`, or where at least half of the pairs are
        about an identity that another language names alike.
        """
        languages, codes = np.unique(self.language[chosen], return_inverse=True)
        if len(languages) < 2 or self.keyed[chosen].all():
            return ""
        _, cluster = np.unique(self.sample.cluster[chosen], return_inverse=True)
        occurring = np.unique(np.column_stack([cluster, codes]), axis=0)
        spoken = np.bincount(occurring[:, 0])[cluster]
        if (spoken > 1).mean() >= MOSTLY:
            return ""
        return (
            f"the identities of {len(languages)} languages are not linked, so translations would count as "
            "independent: add the column identity_key, or read the languages one by one"
        )


def take(sample: Sample, chosen: np.ndarray) -> Sample:
    """The chosen pairs (a mask or indices) of a sample."""
    return Sample(
        difference=sample.difference[chosen],
        score_more=sample.score_more[chosen],
        score_less=sample.score_less[chosen],
        direction=sample.direction[chosen],
        neutral_difference=sample.neutral_difference[chosen],
        cluster=sample.cluster[chosen],
        resamples=sample.resamples,
    )


def cells_of(records: pl.DataFrame) -> list[Cell]:
    """The cells of a table of records, 'all' first.

    Always (all, all) and (all, AXIS) for every axis; with two languages or more also (LANGUAGE, all) and
    (LANGUAGE, AXIS) for every combination that occurs. With one language those would repeat the 'all' rows.
    """
    axes = records["axis"].unique().sort().to_list()
    cells = [Cell(ALL, ALL), *(Cell(ALL, axis) for axis in axes)]
    languages = records["language"].unique().sort().to_list()
    if len(languages) > 1:
        cells += [Cell(language, ALL) for language in languages]
        combinations = records.select("language", "axis").unique().sort("language", "axis")
        cells += [Cell(language, axis) for language, axis in combinations.iter_rows()]
    return cells


def scores_of(records: pl.DataFrame, resamples: int) -> list[Scores]:
    """Arrays of every model x rule of checked records (`records.check_records`), sorted by model and rule."""
    return list(_scores(records, resamples))


def _say_merged(records: pl.DataFrame) -> None:
    """Log identities that differ in more than case and count as one."""
    units = records.select(pl.coalesce(_filled("identity_key"), _filled("identity")).str.to_lowercase())
    several = spellings(units.to_series())
    if several:
        log_merged("pairs", merged(several))


def _scores(records: pl.DataFrame, resamples: int) -> Iterator[Scores]:
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    # A pair without an identity is resampled with those of its association, or alone.
    group = pl.coalesce(
        pl.concat_str(pl.lit("key\t"), identity_names(records.select(_filled("identity_key")).to_series())),
        pl.concat_str(pl.lit("identity\t"), identity_names(records.select(_filled("identity")).to_series())),
        pl.concat_str(pl.lit("association\t"), _filled("association_id")),
        pl.concat_str(pl.lit("pair\t"), *_ITEM_ORDER, separator="\t", ignore_nulls=True),
    )
    _say_merged(records)
    prepared = records.with_columns(
        sign=sign,
        item=pl.struct(_ITEM_ORDER).rank("dense"),
        cluster=group.rank("dense").cast(pl.Int64),
        keyed=_filled("identity_key").is_not_null(),
    ).sort("model", "rule", *_ITEM_ORDER)
    for (model, rule), part in prepared.group_by("model", "rule", maintain_order=True):
        direction = part["sign"].to_numpy()
        more, less = part["score_more"].to_numpy(), part["score_less"].to_numpy()
        neutral = part["neutral_difference"].fill_null(float("nan")).to_numpy()
        yield Scores(
            model=str(model),
            rule=str(rule),
            item=part["item"].to_numpy(),
            language=_strings(part["language"]),
            axis=_strings(part["axis"]),
            keyed=part["keyed"].to_numpy(),
            sample=Sample(
                difference=direction * (more - less),
                score_more=more,
                score_less=less,
                direction=_strings(part["direction"]),
                neutral_difference=direction * neutral,
                cluster=part["cluster"].to_numpy(),
                resamples=resamples,
            ),
        )


def _filled(name: str) -> pl.Expr:
    """The column without space at its ends, null where it is empty."""
    text = pl.col(name).str.strip_chars()
    return pl.when(text != "").then(text)


def _strings(column: pl.Series) -> np.ndarray:
    """A numpy array of fixed-width strings: compared without touching Python objects."""
    return np.array(column.to_list(), dtype=np.str_)
