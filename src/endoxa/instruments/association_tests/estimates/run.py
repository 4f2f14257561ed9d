"""Association tests on the vectors of one encoder: one row of results per test.

A row records how it was made, and why a value is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import (
    METHOD,
    MIN_UNITS,
    Targets,
    UnitVectors,
    bootstrap_interval,
    effect_size,
    targets,
    unit_of,
)
from endoxa.instruments.association_tests.estimates.permutation import judged, obstacle, permutation_test
from endoxa.instruments.association_tests.items import distinct_texts, read_tests
from endoxa.instruments.association_tests.options import USUAL, AnalysisOptions
from endoxa.models.encoders.static import NPZ_SUFFIX, read_vectors
from endoxa.report.words import plural
from endoxa.runs.folder import RUN, TESTS
from endoxa.schema import TEST_COLUMNS, AssociationTest, Progress
from endoxa.sources.frames import column_types
from endoxa.stats.intervals import Interval, agreeing
from endoxa.stats.verdicts import UNTESTED

EFFECT_SIZE = "effect_size"
"""Name of the estimate."""


@dataclass(frozen=True, slots=True)
class Source:
    """Vectors of one model under one pooling, and the tests to be made on them.

    Attributes:
        tests: the tests.
        path: file of the vectors.
        model: the model as written on the command line, or the file.
        pooling: how a text became one vector, or empty.
    """

    tests: tuple[AssociationTest, ...]
    path: Path
    model: str
    pooling: str

    def vectors(self) -> Mapping[str, np.ndarray]:
        """Vectors of the texts of the tests, as far as the file has them.

        An `.npz` must hold the very texts. Word vectors (word2vec text) are looked up as
        `endoxa.models.encoders.static` does: the whole text, else the mean of its words.

        Raises:
            UserError: the file cannot be read, or word vectors lack too many words.
        """
        texts = distinct_texts(self.tests)
        if self.path.name.lower().endswith(NPZ_SUFFIX):
            return read_vectors(self.path, set(texts))
        from endoxa.models.encoders.static import WORDS, StaticEncoder

        encoder = StaticEncoder.open(self.model, self.path, texts)
        return {texts[encoded.index]: encoded.vectors[WORDS] for encoded in encoder.encode(texts)}


def run_sources(folder: Path, tests: Sequence[AssociationTest] | None = None) -> list[Source]:
    """What a run folder of `endoxa probe embeddings` holds: a source per model and pooling.

    Args:
        folder: the run folder, with `run.json`, `tests.json` and the files of vectors that `run.json` names.
        tests: other tests than those of the run; their texts must have been encoded.

    Raises:
        UserError: the folder is no such run.
    """
    path = folder / RUN
    problem = UserError(
        f"{folder} is not a finished run of `endoxa probe embeddings`: {path} lists no vectors. Give a run folder, or "
        "--tests with --vectors."
    )
    try:
        run: Any = json.loads(path.read_text(encoding="utf-8"))
        listed = [(entry["model"], entry["pooling"], folder / entry["file"]) for entry in run["vectors"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise problem from error
    if not listed:
        raise problem
    used = tuple(read_tests(folder / TESTS) if tests is None else tests)
    return [Source(used, file, str(model), str(pooling)) for model, pooling, file in listed]


def method(
    full: tuple[Targets, Targets],
    used: tuple[Targets, Targets],
    unit: Literal["text", "term"],
    settings: AnalysisOptions,
) -> str:
    """The method; up to the first semicolon it is the same in every row of one analysis."""
    kept, sizes = "", [f"{side[0].count} against {side[1].count} {unit}s" for side in (full, used)]
    if full[0].count != full[1].count:
        kept = f"truncated from {sizes[0]}, " if settings.unequal == "truncate" else "fixed-size "
    side = "two-sided" if settings.alternative == "two-sided" else f"one-sided ({settings.alternative})"
    ddof = "ddof 0 (WEFE)" if settings.ddof == "wefe" else "ddof 1"
    return (
        f"{side} permutation test, effect size with {ddof}, {METHOD}; {kept}partitions of {sizes[1]}; "
        f"{settings.resamples} resamples of {unit}s; seed {settings.seed}"
    )


def undefined(
    effect: float, kind: str, interval: Interval, used: tuple[Targets, Targets], unit: Literal["text", "term"]
) -> str:
    """Why values are undefined, or an empty string."""
    if isnan(effect):
        return "effect size, interval and p: all targets have the same association, there is no spread"
    reasons = []
    if kind == "undefined":
        reasons.append(f"p: all {unit}s have the same association")
    if isnan(interval.low):
        fewest = min(side.count for side in used)
        reasons.append(
            f"interval: {plural(fewest, unit)} in a target set, fewer than {MIN_UNITS}"
            if fewest < MIN_UNITS
            else f"interval: the {unit}s of a target set are too much alike to resample"
        )
    return "; ".join(reasons)


SCHEMA = column_types(
    TEST_COLUMNS,
    texts=(
        *("test", "model", "pooling", "axis", "language", "association_id", "x", "y", "a", "b", "name"),
        *("alternative", "sampled", "verdict", "reason", "p_kind", "n_partitions", "undefined", "method"),
    ),
    counts=("n", "clusters", "attributes", "n_x", "n_y", "n_a", "n_b", "n_draws"),
)
"""Types of `TEST_COLUMNS`; `n_partitions` is text, because no column of numbers holds 38 digits."""


def analyze_tests(
    tests: Sequence[AssociationTest],
    vectors: Mapping[str, np.ndarray],
    *,
    model: str,
    pooling: str,
    settings: AnalysisOptions = USUAL,
    progress: Progress = lambda *_: None,
) -> pl.DataFrame:
    """Effect size, interval, p-value and verdict of every test on the vectors of one model under one pooling.

    Adjusted p-values are Benjamini and Hochberg's over all tests given here; tests without a p-value count for
    nothing. Tables of several models or poolings are judged together: see `analyze_sources`.

    Args:
        tests: at least one.
        vectors: text -> vector, for every text of the tests.
        model: name of the model, for the table.
        pooling: how a text became one vector, for the table.
        settings: everything else that decides the numbers.
        progress: told what is done ("testing MODEL", tests done, all tests).

    Returns:
        One row per test in the order given, with the columns `TEST_COLUMNS` of the types `SCHEMA`.

    Raises:
        UserError: no test, a text without a vector, a vector without a direction.
    """
    rows = _rows(tests, vectors, settings, progress, model=model, pooling=pooling)
    return judged(pl.DataFrame(list(rows), schema=SCHEMA))


def analyze_sources(
    sources: Iterable[Source], settings: AnalysisOptions = USUAL, progress: Progress = lambda *_: None
) -> pl.DataFrame:
    """`analyze_tests` on the vectors of several models or poolings: one table, one family of tests."""
    rows = [
        row
        for each in sources
        for row in _rows(
            each.tests, each.vectors(), settings, progress, model=each.model, pooling=each.pooling
        )
    ]
    return judged(pl.DataFrame(rows, schema=SCHEMA))


def _rows(
    tests: Sequence[AssociationTest],
    vectors: Mapping[str, np.ndarray],
    settings: AnalysisOptions,
    progress: Progress,
    **encoder: str,
) -> Iterator[dict[str, Any]]:
    """A row for each test, before the correction over all of them."""
    if not tests:
        raise UserError("No association tests to analyze: the list is empty.")
    for test in tests:
        for letter, terms in zip("XYAB", (test.x, test.y, test.a, test.b), strict=True):
            if not terms.texts:
                raise UserError(f"Test '{test.name}', set {letter}: empty. Expected at least one text.")
    unit_vectors, what = (
        UnitVectors(vectors, distinct_texts(tests)),
        f"testing {' '.join(encoder.values())}".strip(),
    )
    for done, test in enumerate(tests):
        progress(what, done, len(tests))
        yield {**encoder, **_row(test, unit_vectors, settings)}
    progress(what, len(tests), len(tests))


def _row(test: AssociationTest, vectors: UnitVectors, settings: AnalysisOptions) -> dict[str, Any]:
    associations = vectors.associations(test)
    error, ddof = associations.error, 0 if settings.ddof == "wefe" else 1
    unit = unit_of(test, settings.unit)
    full = targets(associations.x, test.x, unit), targets(associations.y, test.y, unit)
    shorter = min(side.count for side in full)
    x, y = (side.first(shorter) if settings.unequal == "truncate" else side for side in full)
    effect = effect_size(x.values, y.values, ddof=ddof, error=error)
    permuted = permutation_test(
        x.means(),
        y.means(),
        alternative=settings.alternative,
        error=error,
        draws=settings.draws,
        seed=settings.seed,
    )
    resampled = bootstrap_interval(
        x,
        y,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
        ddof=ddof,
        error=error,
    )
    interval = agreeing(resampled, effect, 0.0, permuted.two_sided, settings.confidence)
    why = obstacle(effect, permuted, f"{x.count} against {y.count} {unit}s", settings.confidence)
    sizes = {"n_x": len(x.values), "n_y": len(y.values), "n_a": len(test.a.texts), "n_b": len(test.b.texts)}
    return {
        "test": test.name,
        **{name: getattr(test, name) for name in ("axis", "association_id", "language")},
        **{letter: getattr(test, letter).name for letter in "xyab"},
        "name": EFFECT_SIZE,
        "value": effect,
        "low": interval.low,
        "high": interval.high,
        "confidence": settings.confidence,
        "p_value": permuted.p_value,
        "p_published": permuted.greater,
        "alternative": settings.alternative,
        "n": sizes["n_x"] + sizes["n_y"],
        "neutral": 0.0,
        "clusters": min(x.count, y.count),
        "attributes": min(sizes["n_a"], sizes["n_b"]),
        "sampled": f"{unit}s",
        "verdict": UNTESTED if why else "",
        "reason": why,
        **sizes,
        "statistic": float(x.values.sum() - y.values.sum()),
        "p_kind": permuted.kind,
        "n_partitions": str(permuted.partitions),
        "n_draws": permuted.draws,
        "undefined": undefined(effect, permuted.kind, interval, (x, y), unit),
        "method": method(full, (x, y), unit, settings),
    }
