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
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.runs.estimates import Family
from endoxa.schema.study import (
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
from endoxa.study.convergence.estimates import DIGITS, Measured, identity_codes, judged, types_of

MOST_TRAITS = 6
"""Traits of a matrix: those with most associations."""
KINDS = {
    (True, False): MONOTRAIT_HETEROMETHOD,
    (False, True): HETEROTRAIT_MONOMETHOD,
    (False, False): HETEROTRAIT_HETEROMETHOD,
}
"""Kind of a correlation by whether its two measurements have the same trait, and the same instrument."""
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
    """Effects of one model, and what a matrix is made from.

    Attributes:
        columns: trait and instrument of each column.
        effect: effects.
        association: code of the association of each effect.
        column: its column.
        unit: code of what it is measured of.
        identity: code of the identity of each association.
        attribute: code of its attribute.
    """

    columns: tuple[tuple[str, str], ...]
    effect: np.ndarray
    association: np.ndarray
    column: np.ndarray
    unit: np.ndarray
    identity: np.ndarray
    attribute: np.ndarray

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two columns."""
        return list(combinations(range(len(self.columns)), 2))

    @cached_property
    def kinds(self) -> np.ndarray:
        """Kind of the correlation of every two columns."""
        sides = ((self.columns[i], self.columns[j]) for i, j in self.pairs)
        return np.array([KINDS[first[0] == other[0], first[1] == other[1]] for first, other in sides])

    def correlations(self, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Correlation of every two columns over the units of both, and the number of these.

        Args:
            kept: associations that are used.
        """
        used = kept[self.association]
        shape = (int(self.unit.max()) + 1, len(self.columns))
        cell = self.unit[used] * shape[1] + self.column[used]
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        total = np.bincount(cell, self.effect[used], minlength=shape[0] * shape[1])
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
        means = {kind: _mean(r[self.kinds == kind]) for kind in KINDS.values()} | {"": 0.0}
        measures = [means[more] - means[less] for more, less in MEASURES.values()]
        return np.concatenate([np.arctanh(np.clip(r, -EDGE, EDGE)), measures])

    @cached_property
    def overall(self) -> tuple[np.ndarray, np.ndarray]:
        """`correlations` of all associations."""
        return self.correlations(np.ones(len(self.identity), dtype=bool))

    @property
    def defined(self) -> np.ndarray:
        """Whether every two columns have enough units in common, and vary there."""
        r, number = self.overall
        return np.asarray((number >= FEWEST_UNITS) & np.isfinite(r))


def _mean(values: np.ndarray) -> float:
    """Mean of the defined values; NaN where none is."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else float("nan")


def matrices(
    sources: Sequence[Measured], traits: Traits | None, confidence: float = 0.95
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The matrix of every model in long form, and what Campbell and Fiske ask of it.

    Args:
        sources: what was measured.
        traits: the traits; None makes no matrix.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `MTMM_COLUMNS` and of `VALIDITY_COLUMNS` of `schema.study`; models whose instruments did not
        measure two traits have no rows.
    """
    entries: list[dict[str, Any]] = []
    measures: list[dict[str, Any]] = []
    for model in dict.fromkeys(source.model for source in sources):
        of_model = [source for source in sources if source.model == model]
        matrix = None if traits is None else _matrix(of_model, traits)
        if traits is not None and matrix is not None:
            begun = {"model": model, "confidence": confidence}
            entries += [begun | row for row in _diagonal(matrix, of_model, traits, confidence)]
            made = _estimated(matrix, confidence)
            entries += [begun | row for row in made[0]]
            measures += [begun | row for row in made[1]]
    table = pl.DataFrame(entries, schema=types_of(MTMM_COLUMNS)).fill_nan(None)
    return table, judged(measures, VALIDITY_COLUMNS, VALIDITY, confidence=confidence, resolution=DIGITS)


def _matrix(sources: Sequence[Measured], traits: Traits) -> Matrix | None:
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
        pair for pair in product(enough, (source.instrument for source in sources)) if pair in there
    )
    place = pl.DataFrame(columns, schema=["trait", "instrument"], orient="row").with_row_index("column")
    coded = named.join(place, on=["trait", "instrument"], maintain_order="left").with_columns(
        attribute="unit" if traits.unit == "attribute" else "trait"
    )
    codes = ("association", "identity", "attribute", "unit")
    coded = coded.with_columns(pl.col(name).rank("dense").cast(pl.Int64) - 1 for name in codes)
    each = coded.unique("association").sort("association")
    of_effects = (coded[name].to_numpy() for name in ("effect", "association", "column", "unit"))
    return Matrix(columns, *of_effects, *(each[name].to_numpy() for name in ("identity", "attribute")))


def _estimated(matrix: Matrix, confidence: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    needed = fewest_units(significance(confidence))
    reason = too_few(len(np.unique(matrix.identity)), "identities", needed)
    crossed = matrix.attribute if len(np.unique(matrix.attribute)) >= needed else None
    made = jackknife(matrix.statistics, matrix.identity, crossed)
    low, high = made.ends(confidence)
    entries = []
    for k, (i, j) in enumerate(matrix.pairs):
        ends = {} if reason else {"low": float(np.tanh(low[k])), "high": float(np.tanh(high[k]))}
        entries.append(
            dict(zip(SIDES, matrix.columns[i] + matrix.columns[j], strict=True))
            | {
                "kind": matrix.kinds[k],
                "n_units": matrix.overall[1][k],
                "value": float(np.tanh(made.value[k])),
            }
            | ends
        )
    measures = []
    numbers = {"value": made.value, "low": low, "high": high, "p_value": made.p_values()}
    for place, (measure, kinds) in enumerate(MEASURES.items(), start=len(matrix.pairs)):
        fewest = min(int((matrix.defined & (matrix.kinds == kind)).sum()) for kind in kinds if kind)
        why = reason or ("" if fewest else "no two traits have ten units in common")
        row = {"measure": measure, "n_correlations": fewest, "neutral": 0.0, "reason": why}
        measures.append(row | {name: float(values[place]) for name, values in numbers.items()})
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
        units = {traits.units[source.associations[k]] for k in rows}
        row: dict[str, Any] = {"kind": RELIABLE, "n_units": len(units)}
        row |= zip(SIDES, (trait, instrument) * 2, strict=True)
        if not unknown_reliability(scores):
            made = reliability(scores, identity_codes([source.identities[k] for k in rows]), confidence)
            row |= {"value": made.value, "low": made.interval.low, "high": made.interval.high}
        yield row
