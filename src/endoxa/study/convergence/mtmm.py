"""The multitrait-multimethod matrix (Campbell and Fiske 1959) of a study: traits are axes, methods are instruments.

A trait is a property of associations that a column of their table names. Where it belongs to the identity (an axis), it
is measured of attributes: an entry of the matrix is a correlation over attributes, whose values are means over the
associations of the trait. Where it belongs to the attribute (a group of attributes), it is measured of identities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.runs.families import BENJAMINI_HOCHBERG, Family, adjusted, decided
from endoxa.schema.convergence import (
    HETEROTRAIT_HETEROMETHOD,
    HETEROTRAIT_MONOMETHOD,
    MONOTRAIT_HETEROMETHOD,
    MTMM_COLUMNS,
    RELIABLE,
    VALIDITY_COLUMNS,
)
from endoxa.stats.jackknife import jackknife
from endoxa.stats.reliability import EDGE, FEWEST_UNITS, reliability, unknown_reliability
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few
from endoxa.study.convergence.correlations import DIGITS
from endoxa.study.convergence.effects import Measured, types_of

MOST_TRAITS = 6
"""Traits of a matrix: those with most associations."""
KINDS = (MONOTRAIT_HETEROMETHOD, HETEROTRAIT_MONOMETHOD, HETEROTRAIT_HETEROMETHOD)
CONVERGENT, DISCRIMINANT, METHOD = "convergent validity", "discriminant validity", "method effect"
MEASURES = {
    CONVERGENT: (MONOTRAIT_HETEROMETHOD, ""),
    DISCRIMINANT: (MONOTRAIT_HETEROMETHOD, HETEROTRAIT_HETEROMETHOD),
    METHOD: (HETEROTRAIT_MONOMETHOD, HETEROTRAIT_HETEROMETHOD),
}
"""Mean of one kind of correlations, less that of another."""

VALIDITY = Family(
    "multitrait-multimethod",
    "one test for each model and measure: convergent validity, discriminant validity, method effect",
    (),
    BENJAMINI_HOCHBERG,
    "whether instruments agree on a trait, more than on different traits, and whether an instrument has an effect",
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What the traits of a study are.

    Attributes:
        of: trait of each association, by id.
        units: what each association is measured of, by id.
        unit: 'attribute' or 'identity'.
    """

    of: Mapping[str, str]
    units: Mapping[str, str]
    unit: Literal["attribute", "identity"]

    @classmethod
    def read(
        cls, column: Mapping[str, str], identities: Mapping[str, str], attributes: Mapping[str, str]
    ) -> Traits | None:
        """Traits from a column of the associations; None where it is a property of neither identity nor attribute."""
        named = {
            name: trait.strip() for name, trait in column.items() if trait.strip() and attributes.get(name)
        }
        words = {name: attributes[name].strip().casefold() for name in named}
        for owners, units, unit in ((identities, words, "attribute"), (words, identities, "identity")):
            pairs = {(owners[name], trait) for name, trait in named.items() if name in owners}
            if named and len(pairs) == len({owner for owner, _ in pairs}):
                return cls(named, units, "attribute" if unit == "attribute" else "identity")
        return None


@dataclass(frozen=True, eq=False)
class Matrix:
    """Effects of one model, and what a matrix is made from them.

    Attributes:
        model: its name.
        columns: trait and instrument of each column.
        effects: each `effect` with the codes of its `association`, `identity`, `attribute`, `column` and `unit`.
    """

    model: str
    columns: tuple[tuple[str, str], ...]
    effects: pl.DataFrame

    @cached_property
    def codes(self) -> dict[str, np.ndarray]:
        """Columns of `effects`; `identity` and `attribute` of each association."""
        each = self.effects.unique("association").sort("association")
        names = ("association", "column", "unit", "effect")
        return {name: self.effects[name].to_numpy() for name in names} | {
            name: each[name].to_numpy() for name in ("identity", "attribute")
        }

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two columns."""
        return list(combinations(range(len(self.columns)), 2))

    @cached_property
    def kinds(self) -> np.ndarray:
        """Kind of the correlation of every two columns."""
        return np.array([kind_of(self.columns[i], self.columns[j]) for i, j in self.pairs], dtype=object)

    def correlations(self, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Correlation of every two columns over the units of both, and the number of these.

        Args:
            kept: associations that are used.
        """
        used, codes = kept[self.codes["association"]], self.codes
        shape = (int(codes["unit"].max()) + 1, len(self.columns))
        cell = codes["unit"][used] * shape[1] + codes["column"][used]
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        total = np.bincount(cell, codes["effect"][used], minlength=shape[0] * shape[1])
        table = (total / np.maximum(count, 1)).reshape(shape)
        there = (count > 0).reshape(shape).astype(float)
        number = there.T @ there
        sums, squares, products = table.T @ there, (table**2).T @ there, table.T @ table
        with np.errstate(invalid="ignore", divide="ignore"):
            shared = products - sums * sums.T / number
            spread = squares - sums**2 / number
            r = shared / np.sqrt(spread * spread.T)
        i, j = np.array(self.pairs).T
        return np.where(number[i, j] >= FEWEST_UNITS - 1, r[i, j], np.nan), number[i, j].astype(int)

    def statistics(self, kept: np.ndarray) -> np.ndarray:
        """Fisher's z of every correlation that the whole has, then `MEASURES`."""
        r = np.where(self.defined, self.correlations(kept)[0], np.nan)
        means = {kind: _mean(r[self.kinds == kind]) for kind in KINDS} | {"": 0.0}
        measures = [means[more] - means[less] for more, less in MEASURES.values()]
        return np.concatenate([np.arctanh(np.clip(r, -EDGE, EDGE)), measures])

    @property
    def everything(self) -> np.ndarray:
        """A mask of all associations."""
        return np.ones(len(self.codes["identity"]), dtype=bool)

    @cached_property
    def defined(self) -> np.ndarray:
        """Whether every two columns have enough units in common, and vary there."""
        r, number = self.correlations(self.everything)
        return np.asarray((number >= FEWEST_UNITS) & np.isfinite(r))


def _mean(values: np.ndarray) -> float:
    """Mean of the defined values; NaN where none is."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else float("nan")


def kind_of(first: tuple[str, str], other: tuple[str, str]) -> str:
    """What the correlation of two columns, trait and instrument each, is called."""
    if first == other:
        return RELIABLE
    same_trait, same_method = (a == b for a, b in zip(first, other, strict=True))
    return (
        MONOTRAIT_HETEROMETHOD
        if same_trait
        else HETEROTRAIT_MONOMETHOD
        if same_method
        else HETEROTRAIT_HETEROMETHOD
    )


def matrices(
    sources: Sequence[Measured], traits: Traits | None, confidence: float = 0.95
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The matrix of every model in long form, and what Campbell and Fiske ask of it.

    Args:
        sources: what was measured.
        traits: the traits; None makes no matrix.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `MTMM_COLUMNS` and of `VALIDITY_COLUMNS` of `schema.convergence`; models whose instruments did not
        measure two traits have no rows.
    """
    entries: list[dict[str, Any]] = []
    measures: list[dict[str, Any]] = []
    for model in dict.fromkeys(source.model for source in sources):
        of_model = [source for source in sources if source.model == model]
        matrix = None if traits is None else _matrix(model, of_model, traits)
        if traits is not None and matrix is not None:
            made = _estimated(matrix, of_model, traits, confidence)
            entries += made[0]
            measures += made[1]
    table = adjusted(pl.DataFrame(measures, schema=types_of(VALIDITY_COLUMNS)), VALIDITY)
    table = decided(table, confidence=confidence, resolution=DIGITS)
    return (
        pl.DataFrame(entries, schema=types_of(MTMM_COLUMNS)).fill_nan(None),
        table.select(list(VALIDITY_COLUMNS)).fill_nan(None),
    )


def _matrix(model: str, sources: Sequence[Measured], traits: Traits) -> Matrix | None:
    """Effects by trait, instrument and unit; None with fewer than two traits or instruments."""
    effects = pl.concat(
        pl.DataFrame({"association": source.associations, "identity": source.identities}).with_columns(
            pl.Series("effect", source.scores.mean / (source.scale or 1.0)),
            instrument=pl.lit(source.instrument),
        )
        for source in sources
    )
    association = pl.col("association")
    named = effects.with_columns(
        trait=association.replace_strict(traits.of, default=None, return_dtype=pl.String),
        unit=association.replace_strict(traits.units, default=None, return_dtype=pl.String),
    ).drop_nulls("trait")
    sizes = Counter(named.unique("association").sort("association")["trait"])
    enough = [trait for trait, size in sizes.most_common() if size >= FEWEST_UNITS][:MOST_TRAITS]
    if len(enough) < 2 or len(sources) < 2:
        return None
    named = named.filter(pl.col("trait").is_in(enough))
    there = set(named.select("trait", "instrument").iter_rows())
    columns = tuple(
        (trait, source.instrument)
        for trait in enough
        for source in sources
        if (trait, source.instrument) in there
    )
    place = pl.DataFrame(columns, schema=["trait", "instrument"], orient="row").with_row_index("column")
    coded = named.join(place, on=["trait", "instrument"], maintain_order="left").with_columns(
        attribute="unit" if traits.unit == "attribute" else "trait"
    )
    codes = [
        pl.col(name).rank("dense").cast(pl.Int64) - 1
        for name in ("association", "identity", "attribute", "unit")
    ]
    return Matrix(model, columns, coded.select(*codes, pl.col("column").cast(pl.Int64), "effect"))


def _estimated(
    matrix: Matrix, sources: Sequence[Measured], traits: Traits, confidence: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    needed = fewest_units(significance(confidence))
    identity, attribute = matrix.codes["identity"], matrix.codes["attribute"]
    reason = too_few(len(np.unique(identity)), "identities", needed)
    crossed = attribute if len(np.unique(attribute)) >= needed else None
    made = jackknife(matrix.statistics, identity, crossed)
    low, high = made.ends(confidence)
    _, number = matrix.correlations(matrix.everything)
    begun = {"model": matrix.model, "confidence": confidence}
    entries = [begun | row for row in _diagonal(matrix, sources, traits, confidence)]
    for k, (i, j) in enumerate(matrix.pairs):
        ends = {} if reason else {"low": float(np.tanh(low[k])), "high": float(np.tanh(high[k]))}
        sides = matrix.columns[i] + matrix.columns[j]
        entries.append(
            begun
            | dict(zip(SIDES, sides, strict=True))
            | {"kind": matrix.kinds[k], "n_units": int(number[k]), "value": float(np.tanh(made.value[k]))}
            | ends
        )
    measures = []
    numbers = {"value": made.value, "low": low, "high": high, "p_value": made.p_values()}
    for place, (measure, kinds) in enumerate(MEASURES.items(), start=len(matrix.pairs)):
        fewest = min(int((matrix.defined & (matrix.kinds == kind)).sum()) for kind in kinds if kind)
        why = reason or ("" if fewest else "no two traits have ten units in common")
        row = {"measure": measure, "n_correlations": fewest, "neutral": 0.0, "reason": why}
        measures.append(begun | row | {name: float(values[place]) for name, values in numbers.items()})
    return entries, measures


SIDES = ("trait_1", "instrument_1", "trait_2", "instrument_2")
"""Columns of the two measurements of an entry."""


def _diagonal(
    matrix: Matrix, sources: Sequence[Measured], traits: Traits, confidence: float
) -> Iterator[dict[str, Any]]:
    """The reliability of each instrument over the associations of each trait."""
    by_instrument = {source.instrument: source for source in sources}
    for trait, instrument in matrix.columns:
        source = by_instrument[instrument]
        rows = np.array([k for k, name in enumerate(source.associations) if traits.of.get(name) == trait])
        scores = source.scores.take(rows)
        codes = np.unique([source.identities[k] for k in rows], return_inverse=True)[1]
        units = {traits.units[source.associations[k]] for k in rows}
        row: dict[str, Any] = {"kind": RELIABLE, "n_units": len(units)}
        row |= zip(SIDES, (trait, instrument) * 2, strict=True)
        if not unknown_reliability(scores):
            made = reliability(scores, codes, confidence)
            row |= {"value": made.value, "low": made.interval.low, "high": made.interval.high}
        yield row
