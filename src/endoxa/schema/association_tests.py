"""Association tests of embeddings: the sets, the test, and the columns of its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pydantic import ConfigDict


@dataclass(frozen=True, slots=True)
class TermSet:
    """One of the four sets of an association test.

    Attributes:
        name: what the set stands for ("muslim women", "violent").
        texts: what is encoded: terms, or terms in sentences; at least two, all different.
        terms: the term behind each text, where known (same length as `texts`, or empty).
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}

    name: str
    texts: tuple[str, ...]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssociationTest:
    """A word or sentence embedding association test (Caliskan et al. 2017; May et al. 2019).

    Attributes:
        name: unique name of the test.
        x: first target set.
        y: second target set.
        a: first attribute set; with a positive effect `x` lies nearer to it (rather than to `b`) than `y` does.
        b: second attribute set.
        axis: social axis or crossed axes ("gender x religion"), or empty.
        language: ISO 639 code, or empty.
        source: where sets and sentences come from.
        association_id: the association it was made from, where it was made from one.
        built_by: the command that made it, or empty.
        words: endoxa's own words that it was made with (`schema.provenance`), or empty.
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}

    name: str
    x: TermSet
    y: TermSet
    a: TermSet
    b: TermSet
    axis: str = ""
    language: str = ""
    source: str = ""
    association_id: str = ""
    built_by: str = ""
    words: str = ""


TEST_COLUMNS = (
    *("test", "model", "pooling", "axis", "language", "association_id", "x", "y", "a", "b", "name"),
    *("value", "low", "high", "confidence", "p_value", "p_adjusted", "p_published", "alternative", "n"),
    *("neutral", "clusters", "attributes", "sampled", "verdict", "reason", "n_x", "n_y", "n_a", "n_b"),
    *("statistic", "p_kind", "n_partitions", "n_draws", "undefined", "method"),
)
"""Columns of a table of association tests, an estimate in each row; docs/analyze/tests.md says what they mean."""
