"""A whole study of a simulated model whose strengths correlate between instruments as planted."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.study.convergence.run import Convergence, converge
from endoxa.study.file import read_study
from endoxa.study.report import study_runs
from endoxa.study.run import run_study

IDENTITIES = "women men nurses doctors farmers drivers teachers bakers students boys".split()  # noqa: SIM905
ATTRIBUTES = "strong kind lazy honest rich brave polite clever patient noisy clean proud".split()  # noqa: SIM905
FILE = """
[[models]]
name = "planted"
pairs = "sim/latent?correlation={correlation}"
tests = "sim/latent?correlation={correlation}"
questions = "sim/latent?correlation={correlation}"
[pairs]
framings = 4
[tests]
[questions]
per_association = 4
repeats = 4
"""


def found(folder: Path, correlation: float) -> Convergence:
    """Convergence of a study with this correlation planted."""
    folder.mkdir()
    rows = [
        (f"a{i}-{j}", identity, attribute, "any", "en")
        for i, identity in enumerate(IDENTITIES)
        for j, attribute in enumerate(ATTRIBUTES)
        if (i + j) % 2 == 0
    ]
    columns = ["association_id", "identity", "attribute", "axis", "language"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(folder / "associations.csv")
    (folder / "study.toml").write_text(FILE.format(correlation=correlation), encoding="utf-8")
    study = read_study(folder)
    run_study(study)
    return converge(study_runs(study))


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0, 1])
def test_what_was_planted_is_found(tmp_path, correlation):
    made = found(tmp_path / "study", correlation)
    assert made.models == ["planted"]
    assert made.notes == ()
    assert made.reliabilities["reliability"].min() > 0.3
    rows = made.correlations
    assert len(rows) == 3
    for row in rows.iter_rows(named=True):
        assert row["low"] <= correlation <= row["high"]
    both = rows.filter(instrument_1="pairs", instrument_2="tests").row(0, named=True)
    assert both["n_associations"] == 60
    assert both["verdict"] == ("above" if correlation else "unclear")
    assert set(made.agreement["n_instruments"]) <= {2, 3}
    assert made.agreement["attribute"].is_in(ATTRIBUTES).all()
