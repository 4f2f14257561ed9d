"""Two association tests with the tiny encoder, against the original programs (May et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given

NAME = "seat-reference"
WHERE = "the shared reference data"
TESTS, VECTORS, EXPECTED = "seat_tests.json", "seat_embeddings_cls.npz", "seat_expected_2tests.csv"
_SCORES = Tolerance(1e-4, "the README's tolerance: floating point of another program")
NUMBERS = {
    "effect_size": "effect_size",
    "effect_size_ddof0_wefe": "effect_size_ddof0",
    "statistic_sum": "statistic",
}
"""Column of the expected table -> ours."""


def _cells(given: Given) -> list[Cell]:
    expected = read_table(given.need(NAME, WHERE, EXPECTED), ("test", "pooling", *NUMBERS)).filter(
        pooling="cls"
    )
    found = []
    for row in expected.iter_rows(named=True):
        found += [
            Cell(row["test"], f"{name}, cls", float(row[name]), _SCORES, decimals=4) for name in NUMBERS
        ]
        p = float(row["p_reference"])
        found.append(
            Cell(row["test"], "p, cls", p, _of_samples(p, exact=bool(row["p_exact_ge"])), decimals=4)
        )
        partitions = float(row["n_partitions"])
        if partitions < 2**53:
            found.append(Cell(row["test"], "partitions", partitions, EXACT, decimals=0))
    return found


def _of_samples(p: float, *, exact: bool) -> Tolerance:
    """Four standard errors of 100,000 sampled partitions on one side, or on both."""
    sides = 1 if exact else 2
    words = "100,000 partitions were drawn there" if exact else "100,000 partitions were drawn on both sides"
    return Tolerance(4 * (sides * p * (1 - p) / 100_000) ** 0.5, f"four standard errors: {words}")


def _compute(given: Given) -> Mapping[Key, Ours]:
    import numpy as np

    from endoxa.instruments.association_tests.estimates import analyze_tests
    from endoxa.instruments.association_tests.items import read_tests

    with np.load(given.need(NAME, WHERE, VECTORS)) as arrays:
        vectors = dict(zip(arrays["texts"].tolist(), arrays["vectors"], strict=True))
    tests = read_tests(given.need(NAME, WHERE, TESTS))
    found = analyze_tests(tests, vectors, model="tiny-bert", pooling="cls", seed=given.seed, resamples=100)
    ours: dict[Key, Ours] = {}
    for row in found.iter_rows(named=True):
        ours |= {(row["test"], f"{name}, cls"): Ours(row[own]) for name, own in NUMBERS.items()}
        ours[row["test"], "p, cls"] = Ours(row["p_value"])
        if float(row["n_partitions"]) < 2**53:
            ours[row["test"], "partitions"] = Ours(float(row["n_partitions"]))
    return ours


RESULT = PublishedResult(
    name=NAME,
    title="Association tests: effect sizes and p-values of the original SEAT program on reference vectors",
    citation="README and seat_expected_2tests.csv of the shared reference scores (original sent-bias weat.py)",
    needs=(Need("file", f"{TESTS}, {VECTORS}, {EXPECTED}", WHERE),),
    cells=_cells,
    compute=_compute,
)
