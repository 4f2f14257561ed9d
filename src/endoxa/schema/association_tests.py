"""Association tests of embeddings: the sets, the test, and the columns of its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from endoxa.schema.columns import shared

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


TEST_COLUMNS: dict[str, str] = {
    "test": "name of the test",
    **shared("model"),
    "pooling": "how a text became one vector, or empty",
    **shared("axis language association_id"),
    "x": "name of the first target set",
    "y": "name of the second target set",
    "a": "name of the first attribute set",
    "b": "name of the second attribute set",
    **shared("name value low high confidence"),
    "p_value": "permutation p-value of `alternative`, ties counted",
    **shared("p_adjusted"),
    "p_published": "one-sided p-value (X lies nearer to A) as papers print it; no verdict rests on it",
    "alternative": "'two-sided', 'greater' (X lies nearer to A than Y does) or 'less'",
    **shared("n neutral"),
    "clusters": "texts or terms of the smaller target set, which are permuted and resampled",
    "attributes": "texts of the smaller attribute set, which are taken as they are",
    "sampled": "what is permuted and resampled: 'texts' or 'terms'",
    "verdict": "'above' (X lies nearer to A, rather than B, than Y does), 'below' (X nearer to B), 'unclear' or "
    "'cannot-be-tested'",
    **shared("reason"),
    "n_x": "texts in X",
    "n_y": "texts in Y",
    "n_a": "texts in A",
    "n_b": "texts in B",
    "statistic": "sum of associations over X minus sum over Y",
    "p_kind": "'exact', 'sampled' or 'undefined'",
    "n_partitions": "partitions there are, as a whole number",
    "n_draws": "partitions drawn where p is sampled, else empty",
    "undefined": "why a value is undefined, or empty",
    "method": "how unequal sets, interval and p were made, with the seed",
}
"""Columns of a table of association tests: an estimate in each row."""
