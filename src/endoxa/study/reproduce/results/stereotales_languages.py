"""StereoTales by language: 2,106 associations, and three that reach all ten languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult
from endoxa.study.reproduce.given import Given
from endoxa.study.reproduce.stories import HUB, LANGUAGES, STORIES, found_in, not_the_released

if TYPE_CHECKING:
    import polars as pl

    from endoxa.instruments.stories.languages import Overlap

NAME = "stereotales-languages"
TABLE = "associations_by_language.csv"
_COUNTS, _REACH, _ALIKE = "associations by language", "languages that share it", "Jaccard similarity"
_UNIVERSAL = {
    "conservative: retired": ("conservative", "retired"),
    "low income: some disability": ("low income", "some disability"),
    "administrative support: woman": ("administrative assistance and support services", "woman"),
}
"""Base and compared value of the associations that the article calls shared by all ten languages."""
CLUSTER = ("fr", "it", "nl")
"""The West-European cluster: French, Italian, Dutch."""
_CONFLICT = "2,106 by language is more than the 1,580 different ones that the article has in total"
_CELLS = (
    Cell(_COUNTS, "different associations", 2106, EXACT, _CONFLICT, decimals=0),
    Cell(_COUNTS, "languages", LANGUAGES, EXACT, decimals=0),
    *(Cell(_REACH, name, LANGUAGES, EXACT, decimals=0) for name in _UNIVERSAL),
    Cell(
        _ALIKE,
        "French, Italian and Dutch more alike than other pairs on average (1: yes)",
        1,
        EXACT,
        "the article draws this cluster and prints no similarity",
        decimals=0,
    ),
)


def _compute(given: Given) -> Mapping[Key, Ours]:
    path = given.need(
        NAME, f"`endoxa analyze associations --by language`, or the stories from {HUB}", TABLE, STORIES
    )
    if path.name == STORIES:
        from endoxa.sources.stereotales import read_profiles

        profiles = read_profiles(path)
        found, other = found_in(profiles, given, by_language=True).associations, not_the_released(profiles)
    else:
        from endoxa.sources.stereotales.associations import read_associations

        found = read_associations(path)
        other = f"a table of your own: no hash of the released analysis is known to compare {path.name} with"
    return {
        key: Ours(one.value, one.why or other, one.comparable and not other)
        for key, one in _ours(found).items()
    }


def _ours(found: pl.DataFrame) -> dict[Key, Ours]:
    import polars as pl

    from endoxa.sources.stereotales.associations import ALL_LANGUAGES, PARTS

    by_language = found.filter(pl.col("aggregation") != ALL_LANGUAGES)
    counts: dict[Key, Ours] = {
        (_COUNTS, "different associations"): Ours(by_language.select(PARTS).unique().height),
        (_COUNTS, "languages"): Ours(by_language["aggregation"].n_unique()),
    }
    try:
        shared = _overlap(by_language)
    except UserError as problem:
        others = {one.key: Ours(None, str(problem).rstrip(".")) for one in _CELLS if one.table != _COUNTS}
        return counts | others
    reach = {
        (row["base_value"], row["compared_value"]): row["reach"] for row in shared.reach.iter_rows(named=True)
    }
    counts |= {(_REACH, name): Ours(reach.get(parts, 0)) for name, parts in _UNIVERSAL.items()}
    return counts | {_CELLS[-1].key: _alike(shared)}


def _overlap(found: pl.DataFrame) -> Overlap:
    from endoxa.instruments.stories.languages import analyze_overlap
    from endoxa.runs.options import Resampling

    return analyze_overlap(found, how=Resampling(resamples=100))


def _alike(shared: Overlap) -> Ours:
    pairs = {frozenset((row["a"], row["b"])): row["jaccard"] for row in shared.jaccard.iter_rows(named=True)}
    apart = {pair: value for pair, value in pairs.items() if len(pair) == 2 and value is not None}
    inside = [value for pair, value in apart.items() if pair <= set(CLUSTER)]
    outside = [value for pair, value in apart.items() if not pair <= set(CLUSTER)]
    if len(inside) < 3 or not outside:
        return Ours(None, "needs associations in French, Italian, Dutch and at least one other language")
    return Ours(int(sum(inside) / len(inside) > sum(outside) / len(outside)))


RESULT = PublishedResult(
    name=NAME,
    title="StereoTales by language: 2,106 associations, those that all ten languages share",
    citation="Le Jeune et al. 2026, StereoTales, the article, section Language Specificity",
    needs=(
        Need("file", f"{TABLE} or {STORIES}", f"{HUB}; or analyze associations --by language of its stories"),
    ),
    cells=lambda _given: list(_CELLS),
    compute=_compute,
    veiled=(_REACH,),
    notes=(
        "The article draws its similarities and its spread over languages as charts without numbers, so its language "
        "tables "
        "have few cells. endoxa's own tables of the same stories come from `endoxa analyze languages`.",
    ),
)
