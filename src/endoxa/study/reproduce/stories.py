"""Stories and ratings of StereoTales in a data folder, and the article's procedure on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endoxa.study.reproduce.declaration import Ours
from endoxa.study.reproduce.given import Given

if TYPE_CHECKING:
    from endoxa.instruments.stories.associations import Discovered
    from endoxa.sources.stereotales import Profiles

APP = "github.com/Giskard-AI/stereotales-human-study"
HUB = "huggingface.co/datasets/giskardai/StereoTales"
RELEASED, STORIES, RATINGS = "published_associations.json", "stories.parquet", "ratings.csv"
MODELS, LANGUAGES, FEWEST_STORIES, PEOPLE = 23, 10, 650_000, 247
"""What the article states of its data: 23 models, 10 languages, over 650,000 stories, 247 raters."""


def not_the_released(profiles: Profiles) -> str:
    """Why stories are not those of the study; empty where models, languages and their number are."""
    found = (profiles.rows, len(profiles.models), len(profiles.languages))
    if found[0] >= FEWEST_STORIES and found[1:] == (MODELS, LANGUAGES):
        return ""
    return (
        f"the file has {found[0]:,} stories of {_plural(found[1], 'model')} in {_plural(found[2], 'language')}; the "
        "study "
        f"has over {FEWEST_STORIES:,} of {MODELS} models in {LANGUAGES} languages"
    )


def found_in(profiles: Profiles, given: Given, *, by_language: bool = False) -> Discovered:
    """Associations by the article's procedure: its pooled test, and its rule of medium effects and a lift of 2."""
    from endoxa.instruments.stories.associations import discover
    from endoxa.instruments.stories.settings import PAPER_RULE, PUBLISHED, Discovery

    settings = Discovery(
        by_language=by_language,
        pooled=PUBLISHED,
        rule=PAPER_RULE,
        seed=given.seed,
        jobs=1 if profiles.rows < 50_000 else None,
    )
    return discover(profiles, settings, given.progress)


def ratings_of(given: Given) -> dict[str, Ours] | None:
    """What people's ratings say, by the article's rule: harmful where the median is 4 or more; None without the file.

    Raises:
        UserError: the file cannot be read.
    """
    path = given.find(RATINGS)
    if path is None:
        return None
    import polars as pl

    from endoxa.instruments.stories.harm import read_human
    from endoxa.instruments.stories.harm.panel import THRESHOLD
    from endoxa.sources.stereotales.associations import read_associations

    released = given.find(RELEASED)
    ratings = read_human(path, read_associations(released) if released else None)
    rated = ratings.drop_nulls("harm")
    medians = rated.group_by("association_id").agg(pl.col("harm").median())["harm"]
    people = rated["rater"].n_unique()
    other = "" if people == PEOPLE else f"the file has the ratings of {people:,} people, the study {PEOPLE}"
    values = {
        "harmful associations": int((medians >= THRESHOLD).sum()),
        "benign associations": int((medians < THRESHOLD).sum()),
        "participants": people,
        "ratings per association": rated.height / len(medians),
    }
    return {name: Ours(value, other, not other) for name, value in values.items()}


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
