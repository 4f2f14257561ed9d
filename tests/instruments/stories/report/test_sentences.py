"""The battery of sentences over pages about stories, at the edges where a referee would look."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.commands.analyze_associations import discovered_lines
from endoxa.errors import UserError
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
from support.report_story_samples import ratings
from support.story_samples import stories

NAMES = ("stories.parquet", "found.csv", "run", "95\u00a0%")
TOWNS, PETS = ("harbour", "hill", "valley"), ("cat", "dog", "none")
THREE = (("m/one", ("en", "hi"), 4), ("m/two", ("en", "hi"), 5), ("m/three", ("fr",), 6))
BLANK = dict.fromkeys(("town", "pet", "tea", "season"), "unknown")


def frame(rows):
    """Stories of (model, language, base value, pet, prompt)."""
    told = [
        (prompt, model, language, "town", town, json.dumps({"town": town, "pet": pet}))
        for model, language, town, pet, prompt in rows
    ]
    names = ("sample_id", "generator_model", "language", "target_attribute", "target_attribute_value")
    return pl.DataFrame(told, schema=(*names, "extracted_attributes_json"), orient="row")


def told(model, language, town, cats, number, start=0):
    """So many stories of a town, of which the first `cats` have a cat."""
    return [
        (model, language, town, "cat" if k < cats else "dog", f"{language} {town} {start + k}")
        for k in range(number)
    ]


def simpson():
    """Hill is asked for in Hindi, valley in English; cats are frequent in Hindi. Within a language: nothing."""
    return frame(
        told("m/one", "hi", "hill", 72, 90)
        + told("m/one", "hi", "valley", 16, 20)
        + told("m/one", "en", "hill", 4, 20)
        + told("m/one", "en", "valley", 18, 90)
    )


def repeated(copies=3):
    """Prompts whose stories are all alike, no effect: each prompt has one pet."""
    rng = np.random.default_rng(2)
    rows = []
    for town in ("harbour", "hill", "valley"):
        for prompt in range(36):
            pet = str(rng.choice(["cat", "dog", "none"]))
            rows += [("m/one", "en", town, pet, f"{town} {prompt}")] * copies
    return frame(rows)


def unshared():
    """98 % against 1 %, but the models have no language in common."""
    return frame(
        told("m/one", "en", "hill", 98, 100)
        + told("m/one", "en", "valley", 98, 100)
        + told("m/two", "hi", "hill", 1, 100)
        + told("m/two", "hi", "valley", 1, 100)
    )


def alike():
    """Every town has every pet equally often: an effect of exactly 0."""
    return frame(
        [("m/one", "en", town, pet, f"{town} {pet} {k}") for town in TOWNS for pet in PETS for k in range(20)]
    )


def no_cell():
    """Town and pet depend on each other (p 0.015), but no single cell does after correction."""
    counts = ((14, 14, 2), (18, 4, 8), (11, 11, 8))
    return frame(
        [
            ("m/one", "en", town, pet, f"{town} {pet} {k}")
            for town, row in zip(TOWNS, counts, strict=True)
            for pet, number in zip(PETS, row, strict=True)
            for k in range(number)
        ]
    )


def half_shared():
    """Two models in Hindi and English, a third in French alone."""
    every = [stories(15, models=(model,), languages=codes, seed=seed) for model, codes, seed in THREE]
    return pl.concat(every)


def unequal_repeats():
    """One model tells each prompt once, the other five times."""
    rows = told("m/one", "en", "hill", 9, 30) + told("m/one", "en", "valley", 9, 30)
    five = told("m/two", "en", "hill", 15, 30) + told("m/two", "en", "valley", 15, 30)
    return frame(rows + five * 5)


def planted(factor=9.0, **more):
    return stories(80, planted={("hill", "pet", "cat"): factor}, **more)


def refused():
    return stories(12).with_columns(
        extracted_attributes_json=pl.lit(json.dumps(BLANK)), refusal=pl.lit(1), error=pl.lit("")
    )


EDGES = {
    **{f"{n} stories of each value": lambda n=n: stories(n) for n in (1, 2, 3, 5)},
    "one row": lambda: stories(1).head(1),
    "nothing planted": lambda: stories(40, unknown=0.0),
    "an effect of exactly 0": alike,
    "a table without a cell": no_cell,
    "one association": planted,
    "two models, one association": lambda: planted(models=("m/one", "m/two"), only="m/one"),
    "two languages, one association": lambda: planted(languages=("en", "hi")),
    "an association in one language only": lambda: planted(9.0, languages=("en", "hi"), only="hi"),
    "Simpson": simpson,
    "prompts with three stories each, all alike": repeated,
    "the same in one model of two": lambda: pl.concat(
        [repeated(), stories(40, models=("m/two",), unknown=0.0)], how="diagonal"
    ),
    "every row eight times": lambda: repeated(8),
    "two prompts of ten stories each": lambda: frame(
        [
            ("m/one", "en", town, pet, f"{town} {k}")
            for town, pet in (("hill", "cat"), ("valley", "dog"))
            for k in range(2)
            for _ in range(10)
        ]
    ),
    "models without a shared language": unshared,
    "three models, two of which share languages": half_shared,
    "models with one and five repeats": unequal_repeats,
    "all refused": refused,
    "all unknown": lambda: refused().drop("refusal", "error"),
    "one base value": lambda: frame(told("m/one", "en", "hill", 60, 100)),
    "one compared value": lambda: frame(
        told("m/one", "en", "hill", 50, 50) + told("m/one", "en", "valley", 50, 50)
    ),
    "unbalanced": lambda: frame(
        told("m/one", "en", "hill", 9, 10) + told("m/one", "en", "valley", 200, 2000)
    ),
    "a trivial effect in many stories": lambda: frame(
        told("m/one", "en", "hill", 5_200, 10_000) + told("m/one", "en", "valley", 4_800, 10_000)
    ),
    "half unusable": lambda: stories(20).with_columns(
        extracted_attributes_json=pl.when(pl.int_range(pl.len()) % 2 == 0)
        .then(pl.lit("{}"))
        .otherwise("extracted_attributes_json")
    ),
}
CLAIMS = {
    "one association": 2,
    "two models, one association": 2,
    "two languages, one association": 3,
    "an association in one language only": 1,
    "unbalanced": 2,
    "a trivial effect in many stories": 2,
}
"""Edges with associations of all languages together: where one value is raised, the others fall."""
UNTESTABLE = (
    *(f"{n} stories of each value" for n in (1, 2, 3, 5)),
    *("one row", "all refused", "all unknown", "one base value", "one compared value", "half unusable"),
    "two prompts of ten stories each",
)


def results_of(*paths, confidence=0.95):
    return read_results(read_runs(list(paths)), confidence=confidence, seed=0)


def sections_of(results: StoryResults, *paths):
    return story_sections(read_runs(list(paths)), results)


def check(results, *paths):
    """Every finding of the sections about stories; those about ratings have their own battery."""
    labels = [*(name.label for name in results.names.values()), *results.names, *NAMES]
    checked = 0
    for section in sections_of(results, *paths):
        for finding in section.findings:
            check_finding(finding, [*labels, *(path.name for path in paths)])
            checked += 1
    return checked


def said(results, *paths, anchor=""):
    return " ".join(
        finding.text
        for section in sections_of(results, *paths)
        if section.anchor.startswith(anchor)
        for finding in section.findings
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("sentences")


@pytest.fixture(scope="module")
def edge_of(home):
    """Path and results of an edge, made once."""
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
def test_every_place_counts_the_same(edge, edge_of, capsys):
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
    print(*discovered_lines(profiles, found, 0.05), sep="\n")
    printed = capsys.readouterr().out
    if families:
        assert f"{tested.height} table" in printed
    else:
        assert "Nothing could be tested" in printed


@pytest.mark.slow
def test_what_could_not_be_tested_is_never_called_not_found(edge_of):
    for edge in UNTESTABLE:
        path, results = edge_of(edge)
        text = said(results, path)
        assert "No association was found" not in text
        assert "cannot be tested" in text


def test_repeats_make_no_association_and_the_page_warns(edge_of, capsys):
    path, results = edge_of("every row eight times")
    text = said(results, path, anchor="what-was-asked")
    assert (
        "Warning: 756 stories in stories.parquet have the prompt, model, language and repeat of another"
        in text
    )
    assert set(results.tested["by_prompts"]) != {0}
    assert results.discovered.is_empty()
    profiles = read_profiles(path)
    print(*discovered_lines(profiles, discover(profiles, Discovery(jobs=1)), 0.05), sep="\n")
    assert (
        "Warning: 756 stories with the same prompt, model, language and repeat as another"
        in capsys.readouterr().out
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


def test_a_table_that_is_kept_without_a_cell_is_no_association(edge_of):
    path, results = edge_of("a table without a cell")
    assert results.tested["kept"].sum() == 1
    text = said(results, path, anchor="headline")
    assert "No association was found in the stories of 1 model (tables tested: 1)." in text
    assert "all languages of a model together: 0 of 1." in text


def test_models_that_share_nothing_cannot_be_told_apart(edge_of):
    path, results = edge_of("models without a shared language")
    text = said(results, path, anchor="distributions")
    assert (
        "Differences between models cannot be tested: no two models share a language, theme and trait."
        in text
    )
    assert "least p" not in text
    assert results.differences["p_value"].null_count() == results.differences.height
    path, results = edge_of("three models, two of which share languages")
    assert "Differences between models are not distinguishable from chance" in said(results, path)
    path, results = edge_of("models with one and five repeats")
    assert "cannot be tested: the number of stories per prompt differs too much between models." in said(
        results, path
    )


@pytest.mark.slow
def test_the_verdicts_of_protagonists_follow_from_their_numbers(edge_of):
    for edge in EDGES:
        for row in edge_of(edge)[1].differences.iter_rows(named=True):
            check_verdict({**row, "value": row["distance"], "neutral": row["by_chance"]}, edge)
            assert (row["verdict"] == "cannot-be-tested") == (row["p_value"] is None)


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


def test_a_table_keeps_its_settings_and_its_numbers(table):
    results = results_of(table)
    assert check(results, table) > 0
    text = said(results, table)
    assert "false-discovery rate 1\u00a0%" in text
    assert re.search(r"all languages of a model together: \d of 8\.", text)
    assert "strong ones only): two (12)." in text
    found = pl.read_csv(table)
    assert text.startswith(f"{found.select(PARTS).n_unique()} associations in the stories of 2 models")


def test_another_table_of_that_name_says_that_nothing_is_recorded(table):
    shorter = pl.read_csv(table).head(1)
    shorter.write_csv(table)
    results = results_of(table)
    assert check(results, table) > 0
    text = said(results, table)
    assert "its settings, and how much was tested, are not recorded" in text
    assert "famil" not in text
    assert "was found in the stories" not in text


def test_a_table_without_rows_says_what_was_tested(table):
    empty = pl.read_csv(table).clear()
    empty.write_csv(table)
    assert "No association" not in said(results_of(table), table)
    tested = tally(
        discover(read_profiles_of(alike(), table), Discovery(jobs=1)).tables, empty_associations(), 0.05
    )
    write_companion(table, Companion(Discovery(), "stories.parquet", 0, tested))
    text = said(results_of(table), table)
    assert "No association was found in the stories of 1 model (tables tested: 1)." in text


def read_profiles_of(rows, near):
    rows.write_parquet(near.parent / "told.parquet")
    return read_profiles(near.parent / "told.parquet")


def empty_associations():
    from endoxa.instruments.stories.associations.discover import types_of
    from endoxa.schema.stories import DISCOVERED_COLUMNS

    return pl.DataFrame(schema=types_of(DISCOVERED_COLUMNS))


def test_ratings_alone_say_nothing_of_associations_in_stories(table, tmp_path):
    rated = ratings(pl.read_csv(table), {"p1": 4.0, "p2": 4.0, "p3": 2.0}, "human", 1)
    rated.write_csv(tmp_path / "people.csv")
    text = said(results_of(tmp_path / "people.csv"), tmp_path / "people.csv")
    assert "No association" not in text
    assert "in the stories" not in text
    assert "famil" not in text


@pytest.mark.parametrize("reason", ["", "odd"])
def test_a_verdict_of_another_program_is_taken_as_it_is(reason, table):
    rows = pl.read_csv(table).with_columns(verdict=pl.lit("unclear"), reason=pl.lit(reason))
    rows.write_csv(table)
    results = results_of(table)
    assert f"unclear and not counted, by model: {rows.height}." in said(results, table, anchor="headline")
    check(results, table)


def test_a_verdict_that_is_none_is_refused(table):
    pl.read_csv(table).with_columns(verdict=pl.lit("maybe")).write_csv(table)
    with pytest.raises(
        UserError, match=r"row 1, column 'verdict': 'maybe'\. Expected above, unclear, or nothing"
    ):
        results_of(table)


def test_the_terminal_says_why_nothing_could_be_tested(edge_of, capsys):
    for edge, reason in (
        ("two prompts of ten stories each", "too few prompts"),
        ("one row", "needs at least two base values"),
    ):
        profiles = read_profiles(edge_of(edge)[0])
        print(*discovered_lines(profiles, discover(profiles, Discovery(jobs=1)), 0.05), sep="\n")
        printed = capsys.readouterr().out
        assert reason in printed.split("Nothing could be tested")[1]
        assert " 0 " not in printed


def test_the_battery_finds_what_is_false(edge_of):
    path, results = edge_of("three models, two of which share languages")
    finding = next(
        finding
        for section in sections_of(results, path)
        for finding in section.findings
        if finding.text.startswith("Differences between models are not distinguishable")
    )
    row, counted = finding.rests_on
    more = f"{counted['tested'] + 5} attributes"
    clear = {"value": 0.9, "p_value": 0.01, "p_adjusted": 0.01, "printed": row["p_adjusted"]}
    for broken, complaint in (
        (replace(finding, text=finding.text.replace(f"{counted['tested']} attributes", more)), "in no row"),
        (replace(finding, rests_on=(counted,)), "rests on nothing"),
        (replace(finding, rests_on=({**row, **clear}, counted)), "significant"),
        (replace(finding, text="Differences cannot be tested."), "rests on"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_finding(broken, NAMES)
