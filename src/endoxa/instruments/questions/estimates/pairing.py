"""Matched answers of two data sets or protocols: by model, protocol, item and seed.

Items that can be compared are kept, others dropped (LACES, B.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.instruments.questions.estimates.inference import BUILT, SECOND, Units, unit_columns
from endoxa.instruments.questions.estimates.measures import COUNTED, ITEM_NAME, counted
from endoxa.schema import PROTOCOLS

ITEM = ("category", "example_id")
OTHER = "_other"
"""Behind the names of what was counted in the substituted answer."""

_TRUTH = ("context_condition", "label")


@dataclass(frozen=True, slots=True)
class Side:
    """Answers of one model under one protocol; `number` is their seed's number, by repeat and then variant."""

    model: str
    protocol: str
    data: str
    answers: pl.DataFrame

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return self.answers["number"].n_unique()


def paired_labels(answers: pl.DataFrame) -> list[tuple[str, str]]:
    """Labels of (a data set without names, one with names of the same items), sorted.

    Items are the same where category, example_id, context and right option are; one that differs in the last two
    tells that two data sets only happen to number their items alike.
    """
    if answers["data"].n_unique() < 2:
        return []
    marked = answers.select("data", *ITEM, *_TRUTH, named=pl.col("variant") != "").unique()
    plain, named = marked.filter(~pl.col("named")), marked.filter("named")
    shared = (
        plain.join(named, on=ITEM, suffix=OTHER)
        .filter(pl.col("data") != pl.col(f"data{OTHER}"))
        .group_by("data", "data_other")
        .agg(unlike=unlike().any())
    )
    return sorted(shared.filter(~pl.col("unlike")).select("data", "data_other").iter_rows())


def unlike() -> pl.Expr:
    """Whether two joined answers are about different questions: another context, or another right option."""
    return pl.any_horizontal(pl.col(name) != pl.col(f"{name}{OTHER}") for name in _TRUTH)


def matched_names(answers: pl.DataFrame) -> list[tuple[Side, Side]]:
    """The sides of every data set without names and one with names, for the models and protocols of both."""
    matched, compared = [], ["model", "protocol"]
    for original, substituted in paired_labels(answers):
        unnamed, named = answers.filter(data=original), answers.filter(data=substituted)
        matched += matched_sides(
            unnamed.join(named, on=compared, how="semi"), named.join(unnamed, on=compared, how="semi")
        )
    return matched


def matched_sides(original: pl.DataFrame, substituted: pl.DataFrame) -> list[tuple[Side, Side]]:
    """The sides that are compared, sorted by model and protocol."""
    matched = []
    for model, other_model in _common(original, substituted, "model"):
        unnamed, named = original.filter(model=model), substituted.filter(model=other_model)
        for protocol, other_protocol in _common(unnamed, named, "protocol"):
            matched.append(
                (_side(unnamed.filter(protocol=protocol)), _side(named.filter(protocol=other_protocol)))
            )
    return matched


def _common(original: pl.DataFrame, other: pl.DataFrame, column: str) -> list[tuple[str, str]]:
    left, right = set(original[column]), set(other[column])
    if not left & right and len(left) == len(right) == 1:
        return [(left.pop(), right.pop())]
    return [(value, value) for value in sorted(left & right)]


def _side(answers: pl.DataFrame) -> Side:
    order = pl.struct("repeat", pl.col("variant").str.len_chars().alias("length"), "variant").rank("dense")
    first = answers.row(0, named=True)
    return Side(first["model"], first["protocol"], first["data"], answers.with_columns(number=order))


def item_pairs(original: Side, substituted: Side) -> pl.DataFrame:
    """One row per item and pair of seeds of which both answers were read.

    Returns:
        `number` of the pair of seeds, `category`, `example_id`, `item`, `context_condition`, `template` and
        `inference.unit_columns` of the original, and what was counted in either answer: the names of
        `measures.COUNTED` for the original, those with `OTHER` behind them for the substituted one. The stereotyped
        option is known where both sides say the same.

    Raises:
        UserError: an item has another context or right option on the other side.
    """
    by_seed = original.seeds > 1 and substituted.seeds > 1
    keep = ["number", "item_id", *ITEM, *_TRUTH, "template", "choice", "outcome", "target", "unknown"]
    unnamed, named = (
        side.answers.filter(is_read()).select(*keep, **unit_columns(side.answers.columns))
        for side in (original, substituted)
    )
    paired = unnamed.join(named, on=[*ITEM, *(["number"] if by_seed else [])], suffix=OTHER)
    if not by_seed and original.seeds == 1:
        paired = paired.with_columns(number=f"number{OTHER}")
    others = paired.filter(unlike())
    if len(others):
        row = others.row(0, named=True)
        raise UserError(
            f"Item {row['example_id']} of category '{row['category']}' has a different correct answer in "
            f"'{substituted.data}' than in '{original.data}': error retention needs the same items."
        )
    keys = paired.select("number", *ITEM, "context_condition", "template", SECOND, BUILT, item=ITEM_NAME)
    return pl.concat([keys, _counted(paired, ""), _counted(paired, OTHER)], how="horizontal")


def _counted(paired: pl.DataFrame, side: str) -> pl.DataFrame:
    """What is counted in the answers of one side."""
    with_target = (pl.col("target") == pl.col(f"target{OTHER}")).fill_null(value=False)
    side_answers = paired.select(
        "label",
        "context_condition",
        target=pl.when(with_target).then(f"target{side}"),
        **{name: f"{name}{side}" for name in ("item_id", "choice", "outcome", "unknown")},
    )
    return side_answers.select(
        expression.cast(pl.Int64).alias(f"{name}{side}") for name, expression in counted().items()
    )


def left_out(original: Side, substituted: Side, pairs: pl.DataFrame) -> dict[str, int]:
    """Items of each kind of context that were read on one side only."""
    read = pl.concat(
        side.answers.filter(is_read()).select("context_condition", *ITEM) for side in (original, substituted)
    ).unique()
    lonely = read.join(pairs, on=["context_condition", *ITEM], how="anti")
    counts: dict[str, int] = dict(lonely.group_by("context_condition").len().iter_rows())
    return counts


def side_sums(pairs: pl.DataFrame, by: str) -> np.ndarray:
    """(groups, 2, counts): what was counted on either side, groups sorted, counts in the order of `COUNTED`."""
    columns = [f"{name}{side}" for side in ("", OTHER) for name in COUNTED]
    summed = pairs.group_by(by).agg(pl.col(columns).sum()).sort(by).select(columns)
    return summed.to_numpy().astype(float).reshape(-1, 2, len(COUNTED))


def changed_templates(pairs: pl.DataFrame, *names: str) -> np.ndarray:
    """Per template, sorted, whether what is counted under one of these names differs in some pair."""
    unlike = pl.any_horizontal(pl.col(name) != pl.col(f"{name}{OTHER}") for name in names).any()
    return pairs.group_by("template").agg(unlike=unlike).sort("template")["unlike"].to_numpy()


_UNIT = ("item_id", "repeat")


@dataclass(frozen=True)
class ProtocolAnswers:
    """What one model answered about one data set.

    Attributes:
        data: label of the data.
        model: the model.
        protocols: those it was asked under, sorted.
        evaluated: answers to item x repeat that were read under all of them; `right`, `person`, `biased`, and their
            units (`inference.unit_columns`).
        dropped: item x repeat left out.
        unread: answers not read, by protocol.
        unknown: item x repeat whose stereotyped option is not known; not among the dropped.
    """

    data: str
    model: str
    protocols: tuple[str, ...]
    evaluated: pl.DataFrame
    dropped: int
    unread: dict[str, int]
    unknown: int

    @property
    def baseline(self) -> int | None:
        """Place of the baseline among the protocols."""
        return self.protocols.index(PROTOCOLS[0]) if PROTOCOLS[0] in self.protocols else None

    def totals(self, cluster: pl.Expr) -> np.ndarray:
        """(clusters, protocols, 4): answers evaluated, right, naming a person, naming the stereotyped option."""
        summed = (
            self.evaluated.group_by(cluster.alias("cluster"), "protocol")
            .agg(pl.len(), pl.col("right", "person", "biased").sum())
            .sort("cluster", "protocol")  # every cluster has every protocol
        )
        counts = summed.select("len", "right", "person", "biased").to_numpy().astype(float)
        return counts.reshape(-1, len(self.protocols), 4)

    @cached_property
    def observations(self) -> tuple[np.ndarray, Units]:
        """`totals` of each item x repeat, and their units."""
        first = self.evaluated.filter(protocol=self.protocols[0]).sort(_UNIT)
        return self.totals(pl.struct(_UNIT)), Units.of(first)


def protocol_answers(data: str, model: str, answers: pl.DataFrame) -> ProtocolAnswers:
    """What `model` answered about `data`; items whose stereotyped option is not known are not evaluated.

    Args:
        data: label of the data.
        model: the model.
        answers: checked answers of this model about these data, under several protocols.
    """
    with_target = answers.filter(pl.col("target").is_not_null())
    protocols = tuple(answers["protocol"].unique().sort())
    complete = with_target.filter(is_read()).filter(pl.len().over(_UNIT) == len(protocols))
    units = with_target.select(_UNIT).n_unique()
    unread = with_target.filter(~is_read())["protocol"].value_counts()
    return ProtocolAnswers(
        data,
        model,
        protocols,
        complete.with_columns(
            right=pl.col("choice") == pl.col("label"),
            person=pl.col("choice") != pl.col("unknown"),
            biased=pl.col("outcome") == "stereotyped",
            **unit_columns(answers.columns),
        ),
        dropped=units - len(complete) // len(protocols),
        unread=dict(unread.iter_rows()),
        unknown=answers.select(_UNIT).n_unique() - units,
    )
