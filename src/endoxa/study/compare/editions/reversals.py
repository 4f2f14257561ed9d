"""One stereotype turned round between two regions (IndiBias, section 3): a group "rich" in one and "poor" in the other.

Two sides are compared in each region: an attribute and its opposite, said of one group; or two groups of which one
attribute is said. A reversal is that the first side leads in one region and the second side in the other. Both have to
be shown, so the larger of the two one-sided p-values of exact sign tests decides: the test of qualitative interaction
of Gail and Simon (1985, Biometrics 41) for two subsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.opposites import concepts, flipped, languages, load_lexicon
from endoxa.errors import UserError
from endoxa.report.words import count, plural
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.sources.frames import read_table
from endoxa.stats.intervals import NAN, UNDEFINED, clopper_pearson
from endoxa.stats.share_changes import able_to_reject
from endoxa.stats.verdicts import ABOVE, UNCLEAR, UNTESTED, significance
from endoxa.study.compare.editions.comparison import KEY, SHOWN, TableComparison, read_edition

OPPOSITES, GROUPS = "opposites", "groups"

REVERSAL_COLUMNS: dict[str, str] = {
    "kind": "'opposites' (one group, an attribute and its opposite) or 'groups' (one attribute, two groups of an axis)",
    "axis": "social axis",
    "first": "the first side, 'group: attribute'; it leads in the first region",
    "second": "the second side; it leads in the second region",
    "region": "the first region",
    "other_region": "the second region",
    "n_first": "people of the first region who said the first side and not the second",
    "n_second": "people of the first region who said the second side and not the first",
    "n_first_other": "the same in the second region: first side",
    "n_second_other": "second side",
    "share": "share of the first side in the first region",
    "low": "lower end of its interval; all intervals together hold at the confidence level",
    "high": "upper end",
    "share_other": "share of the first side in the second region",
    "low_other": "lower end of its interval",
    "high_other": "upper end",
    "p_value": "exact test that it is not reversed",
    "p_adjusted": "after Bonferroni's correction over all tests that could reject",
    "verdict": "'above' (reversed), 'unclear', 'cannot-be-tested' (too few people)",
}
"""Columns of the table of reversals."""


def find_reversals(
    path: Path,
    *,
    groups: Path | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
) -> TableComparison:
    """Stereotypes that are clearly turned round between two regions.

    Args:
        path: a table of statements (columns respondent and country).
        groups: a grouping of attributes.
        confidence: 1 minus the chance of any false claim.

    Raises:
        UserError: the table cannot be read, or names fewer than two regions.
    """
    grouping = None if groups is None else read_table(groups, ("attribute", "group_id", "canonical"))
    stated, notes = _by_region(path, grouping)
    regions = stated["region"].n_unique()
    if regions < 2:
        raise UserError(f"{path} names {regions} regions. Expected two or more in the column 'country'.")
    names = list(REVERSAL_COLUMNS)
    schema = dict.fromkeys(names[:6], pl.String) | dict.fromkeys(names[6:10], pl.Int64)
    compared = pl.DataFrame(list(_compared(stated)), schema=schema, orient="row")
    table, tests = _tested(compared, confidence)
    order = table.sort(pl.col("verdict") != ABOVE, "p_value", "first", "second", "region", "other_region")
    number, untested = table.filter(verdict=ABOVE).height, table.filter(verdict=UNTESTED).height
    turned = (
        f"{plural(number, 'stereotype')} {'is' if number == 1 else 'are'} turned round between two regions."
    )
    how_many = (
        f"{plural(compared.height, 'comparison')} of two sides in two regions; in {count(table.height)} another side "
        "leads in each region."
    )
    # People of each region, all of one mind, with whom a single test can reject after correction.
    needed = ceil(round(-log2((1 - confidence) / tests), 9))
    few = (
        f"For {count(untested)} of them too few people said either side: about {needed} in each region are the fewest "
        "that could show a reversal."
    )
    none = "No stereotype is clearly turned round between two regions."
    sentences = (turned if number else none, how_many, *([few] if untested else []))
    return TableComparison(order.fill_nan(None), sentences, tuple(notes))


def _tested(compared: pl.DataFrame, confidence: float) -> tuple[pl.DataFrame, int]:
    """The comparisons in which another side leads in each region, tested; and how many tests are corrected for."""
    from scipy.stats import binom

    a, b, c, d = (compared[name].to_numpy() for name in compared.columns[6:])
    alpha = significance(confidence)
    # Of as many people all of one mind the smallest p-value.
    able, tests = able_to_reject(np.maximum(0.5 ** (a + b), 0.5 ** (c + d)).tolist(), alpha)
    p_value = np.maximum(binom.sf(a - 1, a + b, 0.5), binom.cdf(c, c + d, 0.5))
    adjusted = np.where(able, np.minimum(p_value * tests, 1.0), NAN)
    # One-sided tests in both regions: the ends of two-sided intervals at twice the level.
    level = 1 - 2 * alpha / tests
    columns = {
        "p_value": p_value,
        "p_adjusted": adjusted,
        "verdict": np.where(able, np.where(adjusted <= alpha + 1e-12, ABOVE, UNCLEAR), UNTESTED),
    }
    for ending, first, people in (("", a, a + b), ("_other", c, c + d)):
        intervals = [
            clopper_pearson(n / m, m, level) if can else UNDEFINED
            for n, m, can in zip(first, people, able, strict=True)
        ]
        ends = {f"{end}{ending}": [getattr(each, end) for each in intervals] for end in ("low", "high")}
        columns |= {f"share{ending}": first / people} | ends
    types = {name: pl.String if name == "verdict" else pl.Float64 for name in columns}
    tested = compared.with_columns(pl.Series(name, values, types[name]) for name, values in columns.items())
    tested = tested.select(list(REVERSAL_COLUMNS))
    return tested.filter((a > b) & (c < d)), tests


def _by_region(path: Path, grouping: pl.DataFrame | None) -> tuple[pl.DataFrame, list[str]]:
    """Columns of `KEY` and `SHOWN`, language, region, and people: who said it."""
    edition = read_edition(path, grouping)
    if edition.people is None:
        raise UserError(
            f"{path} does not say who said it. Expected statements: columns respondent and country."
        )
    several = edition.people.filter(pl.col("country").str.contains(";"))["respondent"].n_unique()
    placed = edition.people.filter((pl.col("country") != "") & ~pl.col("country").str.contains(";"))
    stated = placed.group_by(*KEY, region="country", maintain_order=True).agg(
        pl.col(*SHOWN, "language").first(), people="respondent"
    )
    notes = [f"{several} respondents of several countries are left out."] if several else []
    return stated, [*edition.notes, *notes]


def _compared(stated: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """One group with an attribute and its opposite; and one attribute of two groups of an axis."""
    for _, part in stated.group_by("identity_key", maintain_order=True):
        attributes = _rows_by(part, "attribute_key")
        asserted = {
            key: _concepts(rows[0]["attribute"], rows[0]["language"]) for key, rows in attributes.items()
        }
        for first, second in combinations(attributes, 2):
            if not asserted[first].isdisjoint(flipped(asserted[second])):
                yield from _in_regions(OPPOSITES, attributes[first], attributes[second])
    for _, part in stated.group_by("attribute_key", "axis", maintain_order=True):
        for entry, other in combinations(_rows_by(part, "identity_key").values(), 2):
            yield from _in_regions(GROUPS, entry, other)


def _rows_by(part: pl.DataFrame, key: str) -> dict[str, list[dict[str, Any]]]:
    groups = part.group_by(key, maintain_order=True)
    return {str(name): rows.to_dicts() for (name,), rows in groups}


def _concepts(attribute: str, language: str) -> frozenset[tuple[str, int]]:
    """What an attribute asserts, named with its language: tables of opposites of two languages share no numbers."""
    code = language.split("-", maxsplit=1)[0] or "en"
    if code not in languages():
        return frozenset()
    return frozenset((f"{code} {scale}", end) for scale, end in concepts(attribute, load_lexicon(code)))


def _in_regions(
    kind: str, first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """Both sides in every two regions in which somebody said one of them."""
    people = [{row["region"]: set(row["people"]) for row in side} for side in (first, second)]
    names = [f"{side[0]['identity']}: {side[0]['attribute']}" for side in (first, second)]
    for region, other in combinations(sorted(people[0].keys() | people[1].keys()), 2):
        counts = []
        for place in (region, other):
            entry, two = (side.get(place, set()) for side in people)
            counts.append((len(entry - two), len(two - entry)))
        if not all(map(sum, counts)):
            continue
        regions = [region, other]
        (a, b), (c, d) = counts
        if c > d and a < b:  # the first region is the one in which the first side leads
            regions.reverse()
            counts.reverse()
        yield kind, first[0]["axis"], *names, *regions, *counts[0], *counts[1]
