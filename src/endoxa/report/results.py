"""Everything a section is made from: the records of one data set and what the analyze room finds in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from endoxa.errors import UserError
from endoxa.probe.rules import RULES
from endoxa.report.words import short_labels


@dataclass(frozen=True, slots=True)
class Results:
    """Records and estimates of one data set.

    Attributes:
        title: name of the data set, as readers see it.
        slug: the same for file names and anchors, unique in the report.
        records: one row per item x model x rule with the columns of `with_differences`.
        estimates: columns of `schema.ESTIMATE_COLUMNS`.
        comparisons: paired differences between models, as `analyze_pairs` gives them.
        flips: rule flips, as `analyze_pairs` gives them.
        labels: short name of every model of the report.
        confidence: confidence level of all intervals.
    """

    title: str
    slug: str
    records: pl.DataFrame
    estimates: pl.DataFrame
    comparisons: pl.DataFrame
    flips: pl.DataFrame
    labels: Mapping[str, str]
    confidence: float

    @property
    def languages(self) -> list[str]:
        """Languages of the records, in order of appearance."""
        return self.records["language"].unique(maintain_order=True).to_list()

    @property
    def combinations(self) -> list[tuple[str, str]]:
        """(model, rule) in the order of the estimates: by name."""
        return list(self.estimates.select("model", "rule").unique(maintain_order=True).iter_rows())

    def label(self, model: str, rule: str) -> str:
        """'tiny-bert · pll'."""
        return f"{self.labels[model]} · {rule}"

    @property
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"


def with_differences(records: pl.DataFrame) -> pl.DataFrame:
    """The records with `difference` and `neutral`: stereotypical minus other sentence, in the rule's unit.

    Which sentence is the stereotypical one is the data set's own rule (column `stereotypical`). `neutral` is
    the same with neutral identities, null where none could be put in.
    """
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    return records.with_columns(
        difference=sign * (pl.col("score_more") - pl.col("score_less")),
        neutral=sign * pl.col("neutral_difference").fill_nan(None),
    )


def labels_of(frames: Iterable[pl.DataFrame]) -> dict[str, str]:
    """Short labels for all models of all records, the same one in every section."""
    return short_labels([model for frame in frames for model in frame["model"].unique(maintain_order=True)])


def rule_unit(rule: str) -> str:
    """Unit of the rule's scores, 'score' where the rule is not installed here."""
    try:
        return RULES.get(rule).unit
    except UserError:
        return "score"
