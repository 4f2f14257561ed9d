"""The battery of sentences over pages about stories, at the edges where a referee would look."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.report.document import Finding
from endoxa.report.inputs import read_runs
from endoxa.report.stories.page import story_sections, subtitle
from endoxa.report.stories.results import StoryResults, read_results
from endoxa.testing.sentences import check_finding
from story_samples import stories

NAMES = ("stories.parquet", "found.csv", "run", "95\u00a0%")
MINE = (
    "headline",
    "what-was-asked",
    "planted",
    "stories",
    "distributions",
    "by-model",
    "languages",
    "groups",
)
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


def planted(factor=6.0, **more):
    return stories(80, planted={("hill", "pet", "cat"): factor}, **more)


def refused():
    return stories(12).with_columns(
        extracted_attributes_json=pl.lit(json.dumps(BLANK)), refusal=pl.lit(1), error=pl.lit("")
    )


EDGES = {
    "three stories of each value": lambda: stories(3),
    "nothing planted": lambda: stories(40, unknown=0.0),
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
    "all refused": refused,
    "all unknown": lambda: refused().drop("refusal", "error"),
    "one row": lambda: stories(1).head(1),
    "unbalanced": lambda: frame(
        told("m/one", "en", "hill", 9, 10) + told("m/one", "en", "valley", 200, 2000)
    ),
    "half unusable": lambda: stories(20).with_columns(
        extracted_attributes_json=pl.when(pl.int_range(pl.len()) % 2 == 0)
        .then(pl.lit("{}"))
        .otherwise("extracted_attributes_json")
    ),
}


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
            if section.anchor in MINE:
                assert isinstance(finding, Finding), f"{section.anchor}: {finding}"
            if isinstance(finding, Finding):
                check_finding(finding, [*labels, *(path.name for path in paths)])
                checked += 1
    return checked


def said(results, *paths, anchor=""):
    return " ".join(
        finding.text
        for section in sections_of(results, *paths)
        if section.anchor.startswith(anchor)
        for finding in section.findings
        if isinstance(finding, Finding)
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


@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge, edge_of):
    path, results = edge_of(edge)
    assert check(results, path) > 0


def test_print(edge_of):
    for edge in EDGES:
        path, results = edge_of(edge)
        print("==", edge, "|", subtitle(results))
        for section in sections_of(results, path):
            for finding in section.findings:
                print("  ", section.anchor, ":", finding.text)
