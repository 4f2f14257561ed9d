"""The battery of sentences over pages about stories, at the edges where a referee would look."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.commands.analyze_associations import discovered_lines
from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.discover import Companion, tally, write_companion
from endoxa.instruments.stories.report.associations import association_table, class_counts, csv_rows
from endoxa.instruments.stories.report.headline import families_used
from endoxa.instruments.stories.report.page import story_sections, subtitle
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.report.inputs import read_runs
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.profiles import read_profiles
from endoxa.testing.sentences import check_finding, check_verdict
from support.story_samples import stories

NAMES = ("stories.parquet", "found.csv", "run", "95\u00a0%")
PETS = ("cat", "dog", "none")
BLANK = dict.fromkeys(("town", "pet", "tea", "season"), "unknown")


def counted(model="m/one", language="en", copies=1, **towns):
    """Stories of towns: so many prompts whose stories have a cat, a dog, neither; so many stories of each prompt."""
    told = []
    for town, numbers in towns.items():
        pets = [pet for pet, number in zip(PETS, numbers, strict=False) for _ in range(number)]
        for k, pet in enumerate(pets):
            profile = json.dumps({"town": town, "pet": pet})
            told += [(f"{language} {town} {k}", model, language, "town", town, profile)] * copies
    names = ("sample_id", "generator_model", "language", "target_attribute", "target_attribute_value")
    return pl.DataFrame(told, schema=(*names, "extracted_attributes_json"), orient="row")


def together(*several):
    return pl.concat(several, how="diagonal")


def repeated():
    """No effect among prompts; as many stories as there are, taken one by one, would make one."""
    return counted(copies=8, harbour=(14, 11, 11), hill=(10, 15, 11), valley=(12, 10, 14))


def planted(**more):
    return stories(80, planted={("hill", "pet", "cat"): 9.0}, **more)


def refused():
    return stories(12).with_columns(
        extracted_attributes_json=pl.lit(json.dumps(BLANK)), refusal=pl.lit(1), error=pl.lit("")
    )


EDGES = {
    "5 stories of each value": lambda: stories(5),
    "one row": lambda: stories(1).head(1),
    "nothing planted": lambda: stories(40, unknown=0.0),
    "an effect of exactly 0": lambda: counted(**dict.fromkeys(("harbour", "hill", "valley"), (20, 20, 20))),
    # Town and pet depend on each other (p 0.015), but no single cell does after correction.
    "a table without a cell": lambda: counted(harbour=(14, 14, 2), hill=(18, 4, 8), valley=(11, 11, 8)),
    "two models, one association": lambda: planted(models=("m/one", "m/two"), only="m/one"),
    "two languages, one association": lambda: planted(languages=("en", "hi")),
    "an association in one language only": lambda: planted(languages=("en", "hi"), only="hi"),
    # Hill is asked for in Hindi, valley in English; cats are frequent in Hindi. Within a language: nothing.
    "Simpson": lambda: together(
        counted(language="hi", hill=(72, 18), valley=(16, 4)), counted(hill=(4, 16), valley=(18, 72))
    ),
    "every row eight times": repeated,
    "two prompts of ten stories each": lambda: counted(copies=10, hill=(2,), valley=(0, 2)),
    "models without a shared language": lambda: together(
        counted(hill=(98, 2), valley=(98, 2)), counted("m/two", "hi", hill=(1, 99), valley=(1, 99))
    ),
    "models with one and five repeats": lambda: together(
        counted(hill=(9, 21), valley=(9, 21)), counted("m/two", copies=5, hill=(15, 15), valley=(15, 15))
    ),
    "all refused": refused,
    "one base value": lambda: counted(hill=(60, 40)),
    "unbalanced": lambda: counted(hill=(9, 1), valley=(200, 1800)),
    "a trivial effect in many stories": lambda: counted(hill=(5_200, 4_800), valley=(4_800, 5_200)),
}
CLAIMS = {
    "two models, one association": 2,
    "two languages, one association": 3,
    "an association in one language only": 1,
    "unbalanced": 2,
    "a trivial effect in many stories": 2,
}
"""Edges with associations of all languages together: where one value is raised, the others fall."""
UNTESTABLE = dict.fromkeys(
    ("5 stories of each value", "one row", "all refused", "one base value"), "needs at least two base values"
) | {"two prompts of ten stories each": "too few prompts"}
"""Edges in which nothing can be tested, with the reason."""


def results_of(path):
    return read_results(read_runs([path]), confidence=0.95, seed=0)


def findings(results: StoryResults, path, anchor=""):
    sections = story_sections(read_runs([path]), results)
    own = [section for section in sections if section.anchor.startswith(anchor)]
    return [finding for section in own for finding in section.findings]


def check(results, path):
    """Every finding of the sections about stories; those about ratings have their own battery."""
    labels = [*(name.label for name in results.names.values()), *results.names, *NAMES]
    for finding in findings(results, path):
        check_finding(finding, labels)
    return len(findings(results, path))


def said(results, path, anchor=""):
    return " ".join(finding.text for finding in findings(results, path, anchor))


@pytest.fixture(scope="module")
def edge_of(tmp_path_factory):
    """Path and results of an edge, made once."""
    home = tmp_path_factory.mktemp("sentences")
    known: dict[str, tuple[Path, StoryResults]] = {}

    def get(name):
        if name not in known:
            path = home / name.replace(" ", "-").replace(",", "") / "stories.parquet"
            path.parent.mkdir(exist_ok=True)
            EDGES[name]().write_parquet(path)
            known[name] = (path, results_of(path))
        return known[name]

    return get


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge, edge_of):
    path, results = edge_of(edge)
    assert check(results, path) > 0
    for row in results.differences.iter_rows(named=True):
        check_verdict({**row, "value": row["distance"], "neutral": row["by_chance"]}, edge)
        assert (row["verdict"] == "cannot-be-tested") == (row["p_value"] is None)
    if edge in UNTESTABLE:
        text = said(results, path)
        assert "No association was found" not in text
        assert "cannot be tested" in text


def claimed_by_hand(found):
    """What may be claimed of all languages together, read off the p-values of every row."""
    rows = found.filter(aggregation="all")
    for name in ("table_p_adjusted", "p_adjusted"):
        rows = rows.filter(pl.col(name) < 0.05)
    for name in ("stratified_p_adjusted", "table_stratified_p_adjusted"):
        rows = rows.filter(pl.col(name).is_null() | (pl.col(name) < 0.05))
    one = found.filter(aggregation="all")["stratified_p_adjusted"].null_count()
    return rows if one in (0, found.filter(aggregation="all").height) else None


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_place_counts_the_same(edge, edge_of):
    """Sentence, subtitle, bars, table, file, families and terminal, against the rows and against each other."""
    path, results = edge_of(edge)
    profiles = read_profiles(path)
    found = discover(profiles, Discovery(jobs=1))
    claimed = claimed_by_hand(found.associations)
    assert claimed is not None
    number = claimed.select(PARTS).n_unique()
    assert number == CLAIMS.get(edge, 0)
    text, sub = said(results, path, anchor="headline"), subtitle(results)
    plain = f"{number} association" + "s" * (number != 1)
    if number:
        assert text.startswith(f"{plain} in the stories of ")
    if edge in UNTESTABLE:
        assert "cannot be tested" in text
        assert "cannot be tested" in sub
        assert "was found" not in text
        assert "famil" not in text
    else:
        assert f"; {plain}" in sub
    assert results.associations.filter(pl.col("models").list.len() > 0).height == number
    assert class_counts(results).select("harmful", "benign", "not rated").sum().sum_horizontal().sum() == (
        claimed.select("model", *PARTS).n_unique()
    )
    shown = [row for row in association_table(results).rows if row[2] != "–"]
    assert sum("unclear" not in row for row in shown) == number
    written = csv_rows(results)
    assert written.filter(aggregation="all", verdict="above").height == claimed.height
    tested = found.tables.filter(pl.col("verdict") != "cannot-be-tested")
    families, holding = (frame.select("model", "base_attribute").n_unique() for frame in (tested, claimed))
    if families:
        assert results.tested.filter(aggregation="all")["tables"].sum() == tested.height
        where = "others) that hold an association, all languages of a model together"
        assert f"{where}: {holding} of {families}. With nothing to find, at most" in text
        counts = {family.name: sum(family.numbers(table)) for family, table, _ in families_used(results)}
        every = (
            discover(profiles, Discovery(jobs=1, by_language=True)).tables
            if len(profiles.languages) > 1
            else None
        )
        more = 0 if every is None else every.filter(pl.col("verdict") != "cannot-be-tested").height
        assert counts["attributes in stories"] == tested.height + more
    printed = "\n".join(map(str, discovered_lines(profiles, found, 0.05)))
    if families:
        assert f"{tested.height} table" in printed
        return
    reason = UNTESTABLE.get(edge, "needs at least two base values")
    assert reason in printed.split("Nothing could be tested")[1]
    assert " 0 " not in printed


def test_repeats_make_no_association_and_the_page_warns(edge_of):
    path, results = edge_of("every row eight times")
    text = said(results, path, anchor="what-was-asked")
    warning = "756 stories in stories.parquet have the prompt, model, language and repeat of another"
    assert f"Warning: {warning}" in text
    assert set(results.tested["by_prompts"]) != {0}
    assert results.discovered.is_empty()
    profiles = read_profiles(path)
    lines = discovered_lines(profiles, discover(profiles, Discovery(jobs=1)), 0.05)
    assert any(
        "Warning: 756 stories with the same prompt, model, language and" in str(line) for line in lines
    )
    alone = replace(profiles, sample=np.arange(len(profiles)))
    assert discover(alone, Discovery(jobs=1)).associations.height > 0  # taken as independent stories: false


def test_what_languages_explain_is_unclear(edge_of):
    path, results = edge_of("Simpson")
    text = said(results, path, anchor="headline")
    assert "No association is claimed in the stories of 1 model, all languages of a model together" in text
    assert "unclear and not counted, by model: 2." in text
    assert "all languages of a model together: 0 of 1. With nothing to find, at most 0.05 would" in text
    assert results.claimed.is_empty()
    assert subtitle(results) == "Stories of 1 model; 0 associations."
    assert [row[-1] for row in association_table(results).rows] == ["unclear", "unclear"]
    for row in results.discovered.iter_rows(named=True):
        assert row["p_adjusted"] < 0.001  # the published test, under its name
        assert row["stratified_p_adjusted"] > 0.2


def test_models_that_share_nothing_cannot_be_told_apart(edge_of):
    path, results = edge_of("models without a shared language")
    text = said(results, path, anchor="distributions")
    assert "models cannot be tested: no two models share a language, theme and trait." in text
    assert "least p" not in text
    assert results.differences["p_value"].null_count() == results.differences.height
    path, results = edge_of("models with one and five repeats")
    reason = "the number of stories per prompt differs too much between models"
    assert f"cannot be tested: {reason}." in said(results, path)


@pytest.fixture
def table(tmp_path, edge_of):
    """Associations of 'two models, one association' as the command writes them, with what stands beside them."""
    path, _ = edge_of("two models, one association")
    profiles, settings = read_profiles(path), Discovery(alpha=0.01, jobs=1)
    found = discover(profiles, settings)
    output = tmp_path / "found.csv"
    found.associations.write_csv(output)
    tested = tally(found.tables, found.associations, 0.01)
    write_companion(output, Companion(settings, str(path), 0, tested))
    return output
