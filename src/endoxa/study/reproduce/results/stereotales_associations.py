"""StereoTales' associations: 1,580 in the released file, 784 of all languages together, 118 of them harmful."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, rounding
from endoxa.study.reproduce.given import Given
from endoxa.study.reproduce.stories import (
    APP,
    HUB,
    LANGUAGES,
    MODELS,
    RELEASED,
    STORIES,
    found_in,
    not_the_released,
    ratings_of,
)

NAME = "stereotales-associations"
ARTICLE = "Le Jeune et al. 2026, StereoTales, the article"
_RELEASED, _GLOBAL, _HUMAN = "associations (all)", "associations (all languages together)", "human study"
_CONFLICT = (
    "the article itself is not of one mind: it counts 784 associations of all languages together, 2,106 by language "
    "and "
    "1,580 different ones in total; the released file has 1,580 of which none says how it was found"
)
_CELLS = (
    Cell(_RELEASED, "different associations", 1580, EXACT, _CONFLICT, decimals=0),
    Cell(_RELEASED, "models that write them", MODELS, EXACT, decimals=0),
    Cell(_RELEASED, "associations with a lift below 2", 0, EXACT, decimals=0),
    Cell(_GLOBAL, "different associations", 784, EXACT, _CONFLICT, decimals=0),
    Cell(_HUMAN, "harmful associations", 118, EXACT, decimals=0),
    Cell(_HUMAN, "benign associations", 666, EXACT, decimals=0),
    Cell(_HUMAN, "participants", 247, EXACT, decimals=0),
    Cell(_HUMAN, "ratings per association", 7.9, rounding(1), decimals=1),
)


def _compute(given: Given) -> Mapping[Key, Ours]:
    given.need(NAME, f"{APP} ({RELEASED}) or {HUB} ({STORIES})", RELEASED, STORIES)
    return {**_released(given), **_global(given), **_rated(given)}


def _released(given: Given) -> dict[Key, Ours]:
    path = given.find(RELEASED)
    if path is None:
        return {one.key: Ours(None, f"needs {RELEASED} ({APP})") for one in _CELLS if one.table == _RELEASED}
    import json

    from endoxa.sources.stereotales.associations import distinct_associations, read_associations

    found = read_associations(path)
    lifts = [entry.get("avg_lift") for entry in json.loads(path.read_text(encoding="utf-8-sig"))]
    below = sum(lift < 2 for lift in lifts if lift is not None)
    return {
        (_RELEASED, "different associations"): Ours(distinct_associations(found).height),
        (_RELEASED, "models that write them"): Ours(found["model"].drop_nulls().n_unique()),
        (_RELEASED, "associations with a lift below 2"): Ours(below if None not in lifts else None),
    }


def _global(given: Given) -> dict[Key, Ours]:
    """The article's rule on all languages together; the released file of associations does not tell these apart."""
    key = (_GLOBAL, "different associations")
    stories = given.find(STORIES)
    if stories is None:
        return {key: Ours(None, f"needs the stories ({STORIES}, from {HUB})")}
    from endoxa.sources.stereotales import read_profiles
    from endoxa.sources.stereotales.associations import PARTS

    profiles = read_profiles(stories)
    other = not_the_released(profiles)
    associations = found_in(profiles, given).associations
    return {key: Ours(associations.select(PARTS).unique().height, other, not other)}


def _rated(given: Given) -> dict[Key, Ours]:
    keys = [one.key for one in _CELLS if one.table == _HUMAN]
    found = ratings_of(given)
    if found is None:
        return {key: Ours(None, f"needs the ratings of people (ratings.csv, from {HUB})") for key in keys}
    return {key: found[key[1]] for key in keys}


RESULT = PublishedResult(
    name=NAME,
    title="StereoTales: 1,580 associations, 784 of all languages together, 118 of these harmful",
    citation=ARTICLE,
    needs=(
        Need("file", RELEASED, f"{APP}, data/questions.json"),
        Need("file", STORIES, f"{HUB}: the 650,000 stories", optional=True),
        Need("file", "ratings.csv", f"{HUB}: ratings of the 247 people", optional=True),
    ),
    cells=lambda _given: list(_CELLS),
    compute=_compute,
    notes=(
        f"The 784 are found with the article's procedure: tables of all {LANGUAGES} languages together as published "
        "(`--pooled published`), medium and large effects with a lift of at least 2 (`--rule paper`).",
    ),
)
