"""Numbers from stories, associations and ratings of StereoTales, by the article's procedure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations import Discovered, discover
from endoxa.instruments.stories.harm import analyze_harm, load_ratings, read_human
from endoxa.instruments.stories.harm.ratings import THRESHOLD
from endoxa.instruments.stories.languages import analyze_overlap
from endoxa.instruments.stories.options import PAPER_RULE, PUBLISHED, Discovery
from endoxa.report.words import plural
from endoxa.runs.options import Resampling
from endoxa.sources.stereotales.associations import (
    ALL_LANGUAGES,
    PARTS,
    distinct_associations,
    read_associations,
)
from endoxa.sources.stereotales.profiles import Profiles, read_profiles
from endoxa.study.reproduce.catalogue import Key, Ours, PublishedResult
from endoxa.study.reproduce.run import Inputs

STORIES, RELEASED, HARM_RUN = "stories.parquet", "published_associations.json", "harm"
PEOPLES = ("ratings.csv", "harm.csv")
"""Ratings of people: those of the study, or the export of a harm study of the site."""
HUB = "huggingface.co/datasets/giskardai/StereoTales"
MODELS, LANGUAGES, FEWEST_STORIES = 23, 10, 650_000
"""What the article states of its data: 23 models, 10 languages, over 650,000 stories."""


def _other_stories(profiles: Profiles) -> str:
    """Why stories are not those of the study; empty where models, languages and their number are."""
    models, languages = len(profiles.models), len(profiles.languages)
    if profiles.rows >= FEWEST_STORIES and (models, languages) == (MODELS, LANGUAGES):
        return ""
    return (
        f"the file has {profiles.rows:,} stories of {plural(models, 'model')} in {plural(languages, 'language')}; the "
        f"study has over {FEWEST_STORIES:,} of {MODELS} models in {LANGUAGES} languages"
    )


def _discover(profiles: Profiles, inputs: Inputs, *, by_language: bool = False) -> Discovered:
    """Associations by the article's procedure: its pooled test, and its rule of medium effects and a lift of 2."""
    settings = Discovery(
        by_language=by_language,
        pooled=PUBLISHED,
        rule=PAPER_RULE,
        seed=inputs.seed,
        jobs=1 if profiles.rows < 50_000 else None,
    )
    return discover(profiles, settings, inputs.progress)


# ------------------------------------------------------------------ associations and their ratings


def associations(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Associations in the released file, those of all languages together, and how harmful people call them."""
    declared.need(inputs, RELEASED, STORIES)
    released, together, human, raters = declared.settings["tables"]
    parts = (
        (released, _released(inputs), f"needs {RELEASED} ({declared.settings['app']})"),
        (together, _together(inputs), f"needs the stories ({STORIES}, from {HUB})"),
        (human, _ratings(declared, inputs), f"needs the ratings of people (ratings.csv, from {HUB})"),
        (
            raters,
            _models_and_people(declared, inputs),
            f"needs ratings.csv and a run of `endoxa probe harm` ({HARM_RUN})",
        ),
    )
    return {
        cell.key: values[cell.cell] if values else Ours(None, why)
        for table, values, why in parts
        for cell in declared.cells(inputs)
        if cell.table == table
    }


def _released(inputs: Inputs) -> dict[str, Ours]:
    path = inputs.find(RELEASED)
    if path is None:
        return {}
    table = read_associations(path)
    lifts = [entry.get("avg_lift") for entry in json.loads(path.read_text(encoding="utf-8-sig"))]
    below = sum(lift < 2 for lift in lifts if lift is not None)
    return {
        "different associations": Ours(distinct_associations(table).height),
        "models that write them": Ours(table["model"].drop_nulls().n_unique()),
        "associations with a lift below 2": Ours(below if None not in lifts else None),
    }


def _together(inputs: Inputs) -> dict[str, Ours]:
    """The article's rule on all languages together; the released file of associations does not tell these apart."""
    stories = inputs.find(STORIES)
    if stories is None:
        return {}
    profiles = read_profiles(stories)
    number = _discover(profiles, inputs).associations.select(PARTS).unique().height
    return {"different associations": Ours.unless(number, _other_stories(profiles))}


def _ratings(declared: PublishedResult, inputs: Inputs) -> dict[str, Ours]:
    """What people's ratings say, by the article's rule: harmful where the median is 4 or more."""
    path = inputs.find(*PEOPLES)
    if path is None:
        return {}
    released = inputs.find(RELEASED)
    rated = read_human(path, read_associations(released) if released else None).drop_nulls("harm")
    medians = rated.group_by("association_id").agg(pl.col("harm").median())["harm"]
    people = rated["rater"].n_unique()
    other = declared.other_size(people)
    values = {
        "harmful associations": int((medians >= THRESHOLD).sum()),
        "benign associations": int((medians < THRESHOLD).sum()),
        "participants": people,
        "ratings per association": rated.height / len(medians),
    }
    return {name: Ours.unless(value, other) for name, value in values.items()}


def _models_and_people(declared: PublishedResult, inputs: Inputs) -> dict[str, Ours]:
    """How ratings of models, as a mean over models, compare with those of people on the same associations."""
    path, run = inputs.find(*PEOPLES), inputs.find(HARM_RUN)
    if path is None or run is None or path == run:
        return {}
    rated = load_ratings([run])
    people = read_human(path, rated.select("association_id", *PARTS).unique())
    analysis = analyze_harm(pl.concat([rated, people]), how=Resampling(resamples=100))
    raters = analysis.raters
    models = raters.filter(rater_kind="model").height
    row = raters.row(by_predicate=pl.col("rater_kind") == ("models" if models > 1 else "model"), named=True)
    other = "" if models == MODELS else f"the run has {plural(models, 'model')}, the study {MODELS}"
    between = analysis.summary.filter(name="agreement_models").drop_nulls("value")["value"]
    values = {
        "Pearson": row["pearson"],
        "Spearman": row["spearman"],
        "mean difference": row["delta"],
        "agreement, percent": None if row["agreement"] is None else 100 * row["agreement"],
        "agreement between models, percent": next((100 * share for share in between), None),
    }
    panel = declared.other_size(people.drop_nulls("harm")["rater"].n_unique())
    ours = {name: Ours.unless(value, other, panel) for name, value in values.items()}
    if models == 1:
        ours["agreement between models, percent"] = Ours(None, "it needs two models or more")
    return ours


# ------------------------------------------------------------------ languages


def association_languages(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Associations by language, how many languages share some of them, and whether neighbours share more."""
    settings = declared.settings
    path = declared.need(inputs, settings["file"], STORIES)
    if path.name == STORIES:
        profiles = read_profiles(path)
        table, other = _discover(profiles, inputs, by_language=True).associations, _other_stories(profiles)
    else:
        table = read_associations(path)
        other = f"a table of your own: no hash of the released analysis is known to compare {path.name} with"
    table = table.filter(pl.col("aggregation") != ALL_LANGUAGES)
    values: dict[str, float | None] = {
        "different associations": table.select(PARTS).unique().height,
        "languages": table["aggregation"].n_unique(),
    }
    why = "needs associations in French, Italian, Dutch and at least one other language"
    try:
        overlap = analyze_overlap(table, how=Resampling(resamples=100))
    except UserError as problem:
        why = str(problem).rstrip(".")
    else:
        names = ("base_value", "compared_value", "reach")
        reach = {(base, compared): n for base, compared, n in overlap.reach.select(names).iter_rows()}
        values |= {name: reach.get(tuple(parts), 0) for name, parts in settings["shared"].items()}
        values[settings["alike"]] = _more_alike(overlap.jaccard, set(settings["cluster"]))
    return {
        cell.key: Ours(value, (why if value is None else "") or other, not other)
        for cell in declared.cells(inputs)
        for value in (values.get(cell.cell),)
    }


def _more_alike(jaccard: Any, cluster: set[str]) -> int | None:
    """Whether languages of a cluster are more alike than other pairs on average; None where there are too few."""
    pairs = {frozenset((row["a"], row["b"])): row["jaccard"] for row in jaccard.iter_rows(named=True)}
    apart = {pair: value for pair, value in pairs.items() if len(pair) == 2 and value is not None}
    inside = [value for pair, value in apart.items() if pair <= cluster]
    outside = [value for pair, value in apart.items() if not pair <= cluster]
    if len(inside) < 3 or not outside:
        return None
    return int(sum(inside) / len(inside) > sum(outside) / len(outside))
