"""Weights of ratings: what exports say of how raters were picked, and means that follow from it."""

from __future__ import annotations

import polars as pl
import pytest

from support.repository import ROOT


def test_the_worked_example_of_the_manual(tmp_path, monkeypatch, capsys):
    """Ratings by one of two, four and twelve of one pair, and by one of twelve of another: weights 2, 4, 12 and 12.

    (2 x 5 + 4 x 4 + 12 x 2 + 12 x 2) / 30 = 74 / 30; the plain mean is 13 / 4. Cut at the 95 % point nothing changes,
    since more than one has the largest weight.
    """
    manual = (ROOT / "docs" / "collect" / "exports.md").read_text()
    code = [part.split("```")[0] for part in manual.split("```python\n")[1:]]
    rows = [
        ("a", 5, 1 / 2, False, "own"),
        ("a", 4, 1 / 4, False, "other"),
        ("a", 2, 1 / 12, False, "other"),
        ("b", 2, 1 / 12, False, "other"),
        ("b", 5, 1 / 12, True, "other"),
        ("b", 5, None, False, "calibration"),
    ]
    names = ("association_id", "value", "propensity", "surplus", "tier")
    ratings = pl.DataFrame(rows, schema=names, orient="row").with_columns(counted=True)
    (tmp_path / "export").mkdir()
    ratings.write_parquet(tmp_path / "export" / "ratings.parquet")
    monkeypatch.chdir(tmp_path)
    exec("\n".join(code[:2]), {})
    assert [float(line) for line in capsys.readouterr().out.split()] == pytest.approx(
        [74 / 30, 74 / 30], abs=1e-9
    )
