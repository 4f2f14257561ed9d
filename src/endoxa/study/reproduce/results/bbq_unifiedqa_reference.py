"""The same answers against the counts and scores that the README of the shared BBQ subset expects, to nine digits."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.answers import BBQ_HOME, unifiedqa_estimates
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given

NAME = "bbq-unifiedqa-reference"
EXPECTED = "dev_expected_nationality_unifiedqa_race.csv"
COUNTS = ("n", "n_unparsed", "n_correct", "n_non_unknown", "n_biased")
SHARES = (
    *("accuracy", "accuracy_unparsed_as_wrong", "bias_unscaled", "bias_score"),
    *("accuracy_aligned", "accuracy_nonaligned"),
)


def _cells(given: Given) -> list[Cell]:
    path = given.need(NAME, "the shared reference data", EXPECTED)
    table = read_table(path, ("context_condition", *COUNTS, *SHARES))
    tolerance = Tolerance(1e-9, "printed with 10 digits")
    return [
        Cell(
            row["context_condition"],
            name,
            float(row[name]),
            EXACT if name in COUNTS else tolerance,
            decimals=0 if name in COUNTS else 4,
        )
        for row in table.iter_rows(named=True)
        for name in (*COUNTS, *SHARES)
        if row[name]
    ]


def _compute(given: Given) -> Mapping[Key, Ours]:
    rows = unifiedqa_estimates(NAME, given)
    return {
        (condition, name): Ours(row[name])
        for condition, row in rows.items()
        for name in (*COUNTS, *SHARES)
        if row[name] is not None
    }


RESULT = PublishedResult(
    name=NAME,
    title="BBQ: counts and scores of the same answers as an independent program expects them",
    citation="README and dev_expected_nationality_unifiedqa_race.csv of the shared BBQ subset",
    needs=(
        Need("file", "Nationality.jsonl, additional_metadata.csv", BBQ_HOME),
        Need("file", "dev_predictions_nationality_unifiedqa_race.csv", BBQ_HOME),
        Need("file", EXPECTED, "the shared reference data"),
    ),
    cells=_cells,
    compute=_compute,
)
