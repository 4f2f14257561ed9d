"""Association tests: how much nearer the first target lies to A, rather than B, than the second; a part for each text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import UnitVectors
from endoxa.instruments.association_tests.estimates.sources import Source, run_sources
from endoxa.schema import AssociationTest
from endoxa.study.convergence.adapters import MEASURED

_TYPES = {name: pl.Float64 if name == "value" else pl.String for name in MEASURED}


def association_of(test: AssociationTest) -> str:
    """The association a test measures, or empty."""
    return str(getattr(test, "association_id", "") or "")


def test_parts(run: Path, pooling: str = "") -> pl.DataFrame:
    """Parts of a run of `probe embeddings`, of the tests that name an association.

    The value of part k is s(x_k) - s(y_k), with s the mean cosine with A minus that with B (Caliskan et al. 2017), for
    the k-th text of both targets: the same template with either identity, where tests were built from templates. Where
    one target has more texts, they are dealt out in turn, so that each is used once. All parts share A and B: what is
    peculiar to these words counts as reliable.

    Args:
        run: the run folder.
        pooling: the pooling; empty takes the first one of each model in the run.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, no test names an association, or a model has no such pooling.
    """
    rows: list[dict[str, Any]] = []
    for source in _of_one_pooling(run_sources(run), pooling, run):
        tests = [test for test in source.tests if association_of(test)]
        if not tests:
            raise UserError(
                f"'{run}' measures no association: its tests have no association_id. Make them with `endoxa study run`."
            )
        texts = (text for test in tests for part in (test.x, test.y, test.a, test.b) for text in part.texts)
        vectors = UnitVectors(source.vectors(), texts)
        rows += (row for test in tests for row in _rows(test, vectors, source.model))
    return pl.DataFrame(rows, schema=_TYPES)


def _rows(test: AssociationTest, vectors: UnitVectors, model: str) -> Iterator[dict[str, Any]]:
    found = vectors.associations(test)
    for k, value in enumerate(differences(found.x, found.y).tolist(), start=1):
        yield {
            "model": model,
            "language": test.language,
            "association_id": association_of(test),
            "part": f"{_kind(test)}{k}",
            "value": value,
        }


def _kind(test: AssociationTest) -> str:
    """What tells several tests of one association apart, alike for all associations where names are."""
    name = test.name.removeprefix(association_of(test))
    return f"{name} " if name != test.name and name else "" if name != test.name else f"{name} "


def differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One difference for each text of the smaller target; texts of the larger one are dealt out in turn."""
    parts = min(len(x), len(y))
    x, y = (np.array([values[k::parts].mean() for k in range(parts)]) for values in (x, y))
    return np.asarray(x - y)


def _of_one_pooling(sources: list[Source], pooling: str, run: Path) -> Iterator[Source]:
    models = list(dict.fromkeys(source.model for source in sources))
    for model in models:
        own = [source for source in sources if source.model == model]
        kept = [source for source in own if not pooling or source.pooling == pooling]
        if not kept:
            known = ", ".join(source.pooling for source in own)
            raise UserError(
                f"'{run}' has no vectors of the model '{model}' under the pooling '{pooling}' (available: {known})."
            )
        yield kept[0]
