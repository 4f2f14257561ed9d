"""Association tests: how much nearer X lies to A, rather than B, than Y does; a part for each text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import UnitVectors
from endoxa.instruments.association_tests.estimates.run import Source, run_sources
from endoxa.schema import AssociationTest
from endoxa.study.convergence.adapters import MEASURED

_TYPES = {name: pl.Float64 if name == "value" else pl.String for name in MEASURED}


def association_test_parts(run: Path, pooling: str = "") -> pl.DataFrame:
    """Parts of a run of `probe embeddings`, of the tests that name an association.

    The value of part k is s(x_k) minus the mean of s(y_k) over the identities of Y, with s the mean cosine with A minus
    that with B (Caliskan et al. 2017), for the k-th text of each: the same template with either identity, where tests
    were built from templates. All parts share A and B: what is peculiar to these words counts as reliable. Several
    tests of one association add their parts.

    Args:
        run: the run folder.
        pooling: the pooling; empty takes the first one of each model in the run.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, no test names an association, or a model has no such pooling.
    """
    rows: list[dict[str, Any]] = []
    for source in _of_pooling(run_sources(run), pooling, run):
        tests = [test for test in source.tests if test.association_id]
        if not tests:
            raise UserError(
                f"'{run}' measures no association: its tests have no association_id. Make them with "
                "`endoxa build tests --each`."
            )
        texts = (text for test in tests for part in (test.x, test.y, test.a, test.b) for text in part.texts)
        vectors = UnitVectors(source.vectors(), texts)
        before: Counter[str] = Counter()
        for test in tests:
            before[test.association_id] += 1
            rows += _rows(test, vectors, source.model, before[test.association_id])
    return pl.DataFrame(rows, schema=_TYPES)


def _rows(test: AssociationTest, vectors: UnitVectors, model: str, number: int) -> Iterator[dict[str, Any]]:
    scores = vectors.associations(test)
    for k, value in enumerate(differences(scores.x, scores.y, test.y.terms).tolist(), start=1):
        yield {
            "model": model,
            "language": test.language,
            "association_id": test.association_id,
            "part": f"test {number}, text {k}",
            "value": value,
        }


def differences(x: np.ndarray, y: np.ndarray, terms: Sequence[str] = ()) -> np.ndarray:
    """Each association of X minus that of Y in the same place.

    Args:
        x: associations of the texts of X.
        y: of Y.
        terms: the identity behind each text of Y, or nothing where it is one. The k-th texts of all of them are
            averaged; an identity with fewer texts begins again at its first.
    """
    names = np.array(terms or [""] * len(y), dtype=object)
    groups = [y[names == name] for name in dict.fromkeys(names)]
    other = np.array([[group[k % len(group)] for group in groups] for k in range(len(x))])
    return np.asarray(x - other.mean(axis=1))


def _of_pooling(sources: list[Source], pooling: str, run: Path) -> Iterator[Source]:
    models = list(dict.fromkeys(source.model for source in sources))
    for model in models:
        of_model = [source for source in sources if source.model == model]
        kept = [source for source in of_model if not pooling or source.pooling == pooling]
        if not kept:
            poolings = ", ".join(source.pooling for source in of_model)
            raise UserError(
                f"'{run}' has no vectors of the model '{model}' under the pooling '{pooling}' (available: {poolings})."
            )
        yield kept[0]
