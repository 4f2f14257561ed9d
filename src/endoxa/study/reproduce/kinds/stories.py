"""Numbers from stories, associations and ratings of StereoTales, by the article's procedure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations import PAPER, Discovered, discover
from endoxa.instruments.stories.harm import analyze_harm, load_ratings, read_human
from endoxa.instruments.stories.harm.ratings import THRESHOLD
from endoxa.instruments.stories.languages import analyze_overlap
from endoxa.instruments.stories.options import PAPER_RULE, PUBLISHED, Discovery
from endoxa.report.words import plural
from endoxa.runs.options import Resampling
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales import Profiles, read_profiles
from endoxa.sources.stereotales.associations import (
    ALL_LANGUAGES,
    PARTS,
    distinct_associations,
    read_associations,
)
from endoxa.study.reproduce.catalogue import PublishedResult
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Ours, Tolerance
from endoxa.study.reproduce.run import Inputs

STORIES, RELEASED, HARM_RUN = "stories.parquet", "published_associations.json", "harm"
PEOPLES = ("ratings.csv", "harm.csv")
"""Ratings of people: those of the study, or the export of a harm study of the site."""
HUB = "huggingface.co/datasets/giskardai/StereoTales"
MODELS, LANGUAGES, FEWEST_STORIES, PEOPLE = 23, 10, 650_000, 247
"""What the article states of its data: 23 models, 10 languages, over 650,000 stories, 247 raters."""


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
        (human, _ratings(inputs), f"needs the ratings of people (ratings.csv, from {HUB})"),
        (
            raters,
            _models_and_people(inputs),
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


def _ratings(inputs: Inputs) -> dict[str, Ours]:
    """What people's ratings say, by the article's rule: harmful where the median is 4 or more."""
    path = inputs.find(*PEOPLES)
    if path is None:
        return {}
    released = inputs.find(RELEASED)
    rated = read_human(path, read_associations(released) if released else None).drop_nulls("harm")
    medians = rated.group_by("association_id").agg(pl.col("harm").median())["harm"]
    people = rated["rater"].n_unique()
    other = _other_people(people)
    values = {
        "harmful associations": int((medians >= THRESHOLD).sum()),
        "benign associations": int((medians < THRESHOLD).sum()),
        "participants": people,
        "ratings per association": rated.height / len(medians),
    }
    return {name: Ours.unless(value, other) for name, value in values.items()}


def _other_people(people: int) -> str:
    """Why ratings are not those of the study; empty where as many people gave them."""
    return "" if people == PEOPLE else f"the file has the ratings of {people:,} people, the study {PEOPLE}"


def _models_and_people(inputs: Inputs) -> dict[str, Ours]:
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
    panel = _other_people(people.drop_nulls("harm")["rater"].n_unique())
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


# ------------------------------------------------------------------ an example with expected tables

_DRAWN = "the p-value is drawn; within Monte Carlo error of the threshold tables are left out (decision_stable = 0)"
_DIGITS = Tolerance(1e-9, "deterministic; printed with 12 digits")


def _table_name(row: Mapping[str, Any]) -> str:
    return f"{row['base_attribute']} x {row['compared_attribute']}"


def _cell_name(row: Mapping[str, Any]) -> str:
    return f"{row['base_attribute']}: {row['base_value']} -> {row['compared_attribute']}: {row['compared_value']}"


def expected_associations_cells(declared: PublishedResult, inputs: Inputs) -> Iterator[Cell]:
    """Tables and associations that the reference program found in the example."""
    names = ("base_attribute", "compared_attribute", "significant")
    tables = read_table(declared.need(inputs, declared.settings["tables"]), names)
    columns = ("base_value", "compared_value", "lift", "paper_rule")
    cells = read_table(declared.need(inputs, declared.settings["associations"]), columns)
    tested = tables.filter(status="tested")
    yield Cell("totals", "tables tested", tested.height, EXACT)
    yield Cell("totals", "associations", cells.height, EXACT, _DRAWN)
    kept = cells.filter(paper_rule="1").height
    yield Cell("totals", "associations that the article's rule keeps", kept, EXACT, _DRAWN)
    for row in tested.filter(decision_stable="1").iter_rows(named=True):
        name = _table_name(row)
        yield Cell("attribute level", f"{name}, significant (1: yes)", float(row["significant"]), EXACT)
        yield Cell("attribute level", f"{name}, Cramer's V", float(row["cramer_v"]), _DIGITS)
    for row in cells.filter(table_decision_stable="1").iter_rows(named=True):
        for number in ("lift", "fraction"):
            yield Cell("value level", f"{_cell_name(row)}, {number}", float(row[number]), _DIGITS)


def expected_associations(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Tables and associations that endoxa finds in the example."""
    profiles = read_profiles(declared.need(inputs, STORIES))
    discovered = discover(profiles, Discovery(pooled=PUBLISHED, seed=inputs.seed, jobs=1), inputs.progress)
    tested, cells = discovered.tables.filter(status="tested"), discovered.associations
    kept = "associations that the article's rule keeps"
    ours: dict[Key, Ours] = {
        ("totals", "tables tested"): Ours(tested.height),
        ("totals", "associations"): Ours(cells.height),
        ("totals", kept): Ours(cells.filter(PAPER).height),
    }
    for row in tested.iter_rows(named=True):
        ours["attribute level", f"{_table_name(row)}, significant (1: yes)"] = Ours(float(row["significant"]))
        ours["attribute level", f"{_table_name(row)}, Cramer's V"] = Ours(row["cramer_v"])
    for row in cells.iter_rows(named=True):
        for name, column in (("lift", "value"), ("fraction", "fraction")):
            ours["value level", f"{_cell_name(row)}, {name}"] = Ours(row[column])
    expected = declared.uncomputed(inputs, "not among the associations found here")
    return expected | {key: value for key, value in ours.items() if key in expected}
