"""The development half of AfriStereo against the numbers of its README: counts, and the authors' extractor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.afristereo import PAIRS
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given

if TYPE_CHECKING:
    import polars as pl

NAME = "afristereo-reference"
WHERE = "the shared reference data"
GOLD, SURVEY = "gold_dev.csv", "survey_dev.csv"
CONSTRAINTS, ATTRIBUTES = "cluster_constraints_dev.csv", "cluster_attributes_dev.csv"
_COUNTS, _EXTRACTOR = "counts", "the authors' extractor"
COUNTS = {
    "statements": 1625,
    "statements kept": 1341,
    "statements omitted": 64,
    "statements not reviewed": 220,
    "statements in French": 126,
    "kept statements with extra pairs": 27,
    "kept statements that people edited": 346,
    "respondents of the survey": 59,
    "pairs of stereotype and anti-stereotype": 10,
    "pairs of attributes with a known relation": 414,
    "attributes": 908,
}
MEASURES = {
    "identity": "identity",
    "attribute": "attribute",
    "both": "both",
    "identity_loose": "identity_loose",
    "attribute_loose": "attribute_loose",
    "both_loose": "both_loose",
    "attr_token_f1": "attribute_token_f1",
    "pair_P_loose": "pair_precision_loose",
    "pair_R_loose": "pair_recall_loose",
    "pair_F1": "pair_f1",
    "pair_F1_loose": "pair_f1_loose",
}
"""Measure of the README -> ours."""
SUBSETS: dict[str, tuple[str, tuple[float, ...]]] = {
    "all": ("all", (0.795, 0.884, 0.752, 0.885, 0.885, 0.828, 0.944, 0.794, 0.811, 0.729, 0.802)),
    "human_edited": ("edited", (0.214, 0.552, 0.046, 0.564, 0.555, 0.341, 0.783, 0.344, 0.316, 0.045, 0.329)),
    "women": (
        "question: women",
        (0.894, 0.880, 0.837, 0.899, 0.880, 0.841, 0.947, 0.810, 0.829, 0.815, 0.820),
    ),
    "men": ("question: men", (0.924, 0.904, 0.873, 0.929, 0.904, 0.878, 0.965, 0.852, 0.869, 0.856, 0.861)),
    "ethnicity": (
        "question: ethnicity",
        (0.224, 0.801, 0.224, 0.647, 0.801, 0.582, 0.896, 0.542, 0.557, 0.211, 0.549),
    ),
    "religion": (
        "question: religion",
        (0.922, 0.916, 0.868, 0.952, 0.916, 0.892, 0.948, 0.856, 0.871, 0.840, 0.863),
    ),
    "age": ("question: age", (0.924, 0.929, 0.902, 0.940, 0.929, 0.913, 0.974, 0.871, 0.903, 0.876, 0.886)),
    "profession": (
        "question: profession",
        (0.921, 0.895, 0.852, 0.943, 0.895, 0.869, 0.950, 0.862, 0.843, 0.835, 0.852),
    ),
    "other": (
        "question: other",
        (0.763, 0.872, 0.718, 0.897, 0.878, 0.833, 0.929, 0.783, 0.828, 0.694, 0.805),
    ),
}
"""Subset of the README -> ours, and its row of the table."""
_ROUNDED = Tolerance(0.001, "printed with 3 decimals, from a program that rounds in between")


def _cells(_given: Given) -> list[Cell]:
    counts = [Cell(_COUNTS, name, n, EXACT, decimals=0) for name, n in COUNTS.items()]
    scores = [
        Cell(_EXTRACTOR, f"{subset}, {measure}", value, _ROUNDED, decimals=3)
        for subset, (_, values) in SUBSETS.items()
        for measure, value in zip(MEASURES, values, strict=True)
    ]
    return [*counts, *scores]


def _compute(given: Given) -> Mapping[Key, Ours]:
    gold = given.need(NAME, WHERE, GOLD)
    counts = dict(_statements(read_table(gold, ("status", "language", "human_edited", "gold_extra_pairs"))))
    for name, file in (
        ("respondents of the survey", SURVEY),
        ("pairs of stereotype and anti-stereotype", PAIRS),
        ("pairs of attributes with a known relation", CONSTRAINTS),
        ("attributes", ATTRIBUTES),
    ):
        path = given.find(file)
        counts[name] = Ours(read_table(path).height) if path else Ours(None, f"needs {file} ({WHERE})")
    return {(_COUNTS, name): one for name, one in counts.items()} | _extractor(gold)


def _statements(table: pl.DataFrame) -> Iterator[tuple[str, Ours]]:
    import polars as pl

    kept = table.filter(status="kept")
    yield "statements", Ours(table.height)
    yield "statements kept", Ours(kept.height)
    yield "statements omitted", Ours(table.filter(status="omitted").height)
    yield "statements not reviewed", Ours(table.filter(status="not_reviewed").height)
    yield "statements in French", Ours(table.filter(language="fr").height)
    extra = kept.filter(pl.col("gold_extra_pairs").fill_null("").str.strip_chars() != "")
    yield "kept statements with extra pairs", Ours(extra.height)
    yield "kept statements that people edited", Ours(kept.filter(human_edited="true").height)


def _extractor(path: Path) -> dict[Key, Ours]:
    """Scores of the authors' own reading, which the file holds beside the reviewers'."""
    from endoxa.curate.evaluation import evaluate, read_gold

    reviewed = read_gold(path)
    published = [one.published for one in reviewed if one.published is not None]
    table = evaluate(reviewed, {"published": published})
    values = {(row["subset"], row["measure"]): row["value"] for row in table.iter_rows(named=True)}
    return {
        (_EXTRACTOR, f"{subset}, {measure}"): Ours(values[ours, MEASURES[measure]])
        for subset, (ours, _) in SUBSETS.items()
        for measure in MEASURES
    }


RESULT = PublishedResult(
    name=NAME,
    title="AfriStereo's development half: counts, and scores of the authors' extractor",
    citation="README of the shared AfriStereo data (half of the respondents)",
    needs=(
        Need("file", GOLD, WHERE),
        Need("file", f"{SURVEY}, {PAIRS}, {CONSTRAINTS}, {ATTRIBUTES}", WHERE, optional=True),
    ),
    cells=_cells,
    compute=_compute,
)
