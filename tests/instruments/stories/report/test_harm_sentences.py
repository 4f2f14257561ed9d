"""The battery of sentences over ratings of harm and groups, at the edges where a referee would look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.stories.harm import HarmAnalysis, analyze_harm
from endoxa.instruments.stories.harm.raters import Ratings, decide_together, difference
from endoxa.instruments.stories.languages import analyze_overlap
from endoxa.instruments.stories.languages.marked import shift
from endoxa.instruments.stories.languages.presence import presence
from endoxa.instruments.stories.report.harm import blind_spots, differences, harm_opening, raters
from endoxa.instruments.stories.report.languages import groups_moved, languages_compared, overlap_families
from endoxa.instruments.stories.report.results import harm_of
from endoxa.report.document import Section
from endoxa.runs.options import Resampling
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import TOO_SMALL
from endoxa.testing.sentences import check_findings
from support.harm_samples import rated

TRAITS = tuple(f"trait_{letter}" for letter in "abcdefgh")
Score = Callable[[int, int], float | None]
"""Of item and rater: the rating before rounding, or None."""


def associations(number: int, traits: Sequence[str] = TRAITS) -> list[dict[str, str]]:
    pairs = [(one, other) for one, other in product(traits, traits) if one != other or len(traits) == 1]
    return [
        dict(zip(PARTS, (pairs[k % len(pairs)][0], f"x{k}", pairs[k % len(pairs)][1], f"y{k}"), strict=True))
        for k in range(number)
    ]


def given(
    rows: Sequence[dict[str, str]], score: Score, who: int, kind: str = "human"
) -> list[dict[str, Any]]:
    name = "p" if kind == "human" else "m/"
    found = []
    for (k, row), rater in product(enumerate(rows), range(who)):
        value = score(k, rater)
        if value is not None:
            harm = None if np.isnan(value) else int(np.clip(round(value), 1, 5))
            outcome = "rated" if harm is not None else "unparsed" if kind == "model" else "partly"
            frequent = "yes" if kind == "human" else ""
            found.append(rated(row, f"{name}{rater}", harm, kind, outcome=outcome, frequent=frequent))
    return found


def noisy(
    level: float, severity: Sequence[float] = (), spread: float = 1.0, noise: float = 0.6, seed: int = 0
) -> Score:
    """Items differ by `spread`, raters by their severity."""
    random = np.random.default_rng(seed)
    items, errors = random.normal(0, spread, 200), random.normal(0, noise, (200, 60))
    return lambda k, rater: level + items[k] + errors[k, rater] + (severity[rater] if severity else 0.0)


def study(
    items: int = 40,
    people: int = 12,
    models: int = 2,
    apart: float = 0.0,
    traits: Sequence[str] = TRAITS,
    severity: Sequence[float] = (),
    by: Score | None = None,
    of_models: Score | None = None,
) -> pl.DataFrame:
    rows = associations(items, traits)
    theirs, own = by or noisy(3.0, severity), of_models or noisy(3.0 + apart, seed=1)
    ratings = [*given(rows, theirs, people), *given(rows, own, models, "model")]
    return pl.DataFrame(ratings, schema_overrides={"harm": pl.Int64})


UNEQUAL = tuple(np.random.default_rng(3).normal(0, 0.8, 40).tolist())
FEW = {f"{number} raters": {"people": number, "severity": UNEQUAL, "apart": -0.6} for number in (1, 5, 20)}
EDGES = {
    **FEW,
    "a clear difference": {"people": 20, "apart": -1.2},
    "clear before the correction": {
        "people": 10,
        "apart": -0.7,
        "severity": tuple(np.random.default_rng(0).normal(0, 0.3, 40).tolist()),
    },
    "exactly zero difference": {"by": lambda k, _: 1 + k % 5, "of_models": lambda k, _: 1 + k % 5},
    "one apart, everybody agrees": {"by": lambda k, _: 3, "of_models": lambda k, _: 2},
    "one association": {"items": 1, "people": 20, "apart": -1},
    "models only": {"people": 0},
    "people only": {"models": 0},
    "many attributes without an effect": {
        "items": 180,
        "people": 8,
        "traits": tuple(f"t{k}" for k in range(14)),
        "severity": UNEQUAL,
    },
    "attributes in both directions": {
        "items": 112,
        "people": 30,
        "of_models": lambda k, r: noisy(3.0, seed=0)(k, r) + (-1.5, 1.5)[k % 2],
        "traits": ("age", "class"),
    },
    "one rater gave nearly all": {
        "items": 40,
        "people": 7,
        "by": lambda k, rater: 3 + k % 2 if rater == 0 or k == rater else None,
    },
    "nothing rated by both": {
        "by": lambda k, r: 3.0 if k < 20 else None,
        "of_models": lambda k, r: 3.0 if k >= 20 else None,
    },
    "no person gave a number": {"by": lambda k, r: np.nan},
}
"""What `study` is given."""


@cache
def analysed(edge: str, confidence: float = 0.95) -> HarmAnalysis:
    ratings = study(**EDGES[edge])
    stories = ratings.select("association_id", *PARTS).unique(maintain_order=True).head(9)
    of_models = stories.with_columns(model=pl.lit("m/0"), aggregation=pl.lit("all"), given_id=pl.lit(None))
    return analyze_harm(ratings, of_models, how=Resampling(confidence, 100))


def results_of(analysis: HarmAnalysis, confidence: float = 0.95) -> Any:
    """What the sections need of `StoryResults`."""
    shown = pl.DataFrame(schema={**dict.fromkeys(PARTS, pl.String), "harmful": pl.String})
    return SimpleNamespace(
        harm=harm_of(analysis),
        associations=shown,
        names=(),
        searched=(),
        label=str,
        level=f"{100 * confidence:g}\u00a0%",
        confidence=confidence,
    )


def sections_of(results: Any) -> list[Section]:
    built = (harm_opening(results), raters(results), differences(results), blind_spots(results))
    return [section for section in built if section is not None]


def said_of_people(edge: str, confidence: float = 0.95) -> str:
    section = harm_opening(results_of(analysed(edge, confidence), confidence))
    return " ".join(finding.text for finding in section.findings)


LABELS = ("m/0", "m/1", *TRAITS)


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_every_sentence_is_true_of_its_numbers(edge: str) -> None:
    assert check_findings(sections_of(results_of(analysed(edge))), LABELS) > 0


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_another_confidence_moves_claims_and_intervals_together(confidence: float) -> None:
    for edge in ("5 raters", "a clear difference"):
        check_findings(sections_of(results_of(analysed(edge, confidence), confidence)), LABELS)
    assert ("cannot be tested" in said_of_people("5 raters", confidence)) == (1 - confidence < 2 / 2**5)


@pytest.mark.slow
def test_no_correction_weighs_on_the_difference_over_all_associations() -> None:
    """It is tested first and alone; single attributes, which are corrected, take nothing from it."""
    analysis = analysed("clear before the correction")
    row = analysis.raters.filter(rater="all models").row(0, named=True)
    assert row["p_value"] == row["p_adjusted"] <= 0.05
    assert row["verdict"] == "below"
    assert analysis.by_attribute.filter(pl.col("p_value") <= 0.05, pl.col("p_adjusted") > 0.05).height
    text = said_of_people("clear before the correction")
    assert "Models call associations less harmful than people do" in text
    assert "corrected" not in text


def test_a_trivial_difference_in_huge_data_is_no_claim() -> None:
    items, people = 400, 50
    item, person = np.divmod(np.arange(items * people), people)
    given_by = Ratings(item, person, np.full(len(item), 3.0), np.ones(len(item)), item, item)
    for apart, verdict, why in ((0.004, "unclear", TOO_SMALL), (0.006, "above", ""), (-0.006, "below", "")):
        row = difference(np.full(items, 3.0 + apart), given_by, np.ones(items, dtype=bool), 0.95)
        table = pl.DataFrame(
            [{"attribute": "all", "general": True, **row, "p_adjusted": None, "verdict": ""}]
        )
        found = decide_together(table, 0.95)
        assert found.select("verdict", "reason").row(0) == (verdict, why)
        assert found["p_value"].item() < 1e-10


TWO = {
    "en": {"unmarked": [("religion", "Christian")], "marked": [("religion", "Muslim")]},
    "ar": {"unmarked": [("religion", "Muslim")], "marked": [("religion", "Christian")]},
}


def moved(here: dict[tuple[str, str], float], number: int) -> Any:
    """A page whose languages show each association with the chance of its group, 0.3 else."""
    random = np.random.default_rng(number)
    rows = [
        ("m", language, "religion", value, "education", str(k))
        for k, language, value in product(range(number), ("en", "ar", "fr"), ("Muslim", "Christian"))
        if random.random() < here.get((language, value), 0.3)
    ]
    found = pl.DataFrame(rows, schema=["model", "aggregation", *PARTS], orient="row")
    harmful = found.select(PARTS).unique().with_columns(harmful=pl.lit("harmful"))
    table = shift(presence(found, harmful), TWO, Resampling(resamples=100))
    return SimpleNamespace(
        by_language=SimpleNamespace(shift=table, comparison=None), level="95\u00a0%", confidence=0.95
    )


GROUPS = {
    "moved": ({("en", "Muslim"): 0.9, ("ar", "Christian"): 0.9}, 60),
    "not moved": ({}, 60),
    "everywhere": (dict.fromkeys(product(("en", "ar", "fr"), ("Muslim", "Christian")), 1.1), 40),
    "few": ({}, 3),
}


GROUPS_SAY = {
    "moved": (
        "(marked) is higher than in the other languages: +",
        "(unmarked) is lower than in the other languages: −",
    ),
    "not moved": ("not distinguishable",) * 2,
    "few": ("cannot be tested",) * 2,
    "everywhere": ("cannot be tested (0 associations, at least 6 needed)",),
}


@pytest.mark.slow
@pytest.mark.parametrize("edge", GROUPS)
def test_every_sentence_on_groups_is_true_of_its_numbers(edge: str) -> None:
    page = moved(*GROUPS[edge])
    section = groups_moved(page)
    assert section is not None
    assert check_findings([section]) == 2
    names = [name for _, _, name in overlap_families(page.by_language)]
    assert set(names) == {"languages", "groups", "all languages"}
    text = " ".join(finding.text for finding in section.findings)
    for words in GROUPS_SAY[edge]:
        assert text.count(words) >= GROUPS_SAY[edge].count(words)


CODES = ("ar", "de", "en", "es", "fr", "hi", "pt", "zh")


def reaching(harmful: Sequence[int], benign: Sequence[int], values: int = 100) -> Any:
    """A page whose associations are found in so many languages; a class has so many values, taken in turn."""
    rows, classes = [], []
    for kind, numbers in (("harmful", harmful), ("benign", benign)):
        for k, number in enumerate(numbers):
            parts = ("age", f"{kind} {k % values}", "pet", f"{kind} {k}")
            classes.append((*parts, kind))
            rows += [("m", code, *parts) for code in CODES[:number]]
    found = pl.DataFrame(rows, schema=["model", "aggregation", *PARTS], orient="row")
    harm = pl.DataFrame(classes, schema=[*PARTS, "harmful"], orient="row")
    overlap = analyze_overlap(found, harm, how=Resampling(resamples=100))
    return SimpleNamespace(by_language=overlap, searched_languages=CODES, level="95\u00a0%", confidence=0.95)


def mixed(number: int, least: int, most: int) -> list[int]:
    return np.random.default_rng(number).integers(least, most + 1, number).tolist()


REACHES = {
    "harmful ones reach less far": ((mixed(30, 1, 4), mixed(40, 3, 8)), "below"),
    "harmful ones reach further": ((mixed(40, 4, 8), mixed(30, 1, 5)), "above"),
    "alike": ((mixed(30, 1, 8), mixed(31, 1, 8)), "unclear"),
    "all the same": (([3] * 10, [3] * 12), "unclear"),
    "the same of two values each": (([1] * 40, [8] * 40, 2), "cannot-be-tested"),
    "five harmful ones": (([1] * 5, [8] * 40), "cannot-be-tested"),
}


@pytest.mark.slow
@pytest.mark.parametrize("edge", REACHES)
def test_every_sentence_on_reach_is_true_of_its_numbers(edge: str) -> None:
    numbers, verdict = REACHES[edge]
    page = reaching(*numbers)
    section = languages_compared(page)
    assert section is not None
    assert check_findings([section]) == 2
    row = page.by_language.comparison.filter(name="superiority").row(0, named=True)
    assert row["verdict"] == verdict
    (used,) = overlap_families(page.by_language)
    assert sum(used[0].numbers(used[1])) == (verdict != "cannot-be-tested")
