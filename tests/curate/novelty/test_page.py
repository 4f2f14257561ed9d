"""`endoxa analyze novelty` and its page: from files to a finding, a sheet and a threshold; words blurred."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import analyze_novelty, app
from endoxa.instruments.reports import write_report
from support.toy_vectors import TableEncoder


def run(*words):
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(word) for word in words])


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))).replace(
        "\u00a0", " "
    )


SIZES = {"mine": 60, "yours": 40, "theirs": 25}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three tables of associations; cosines reach from -1 to 1."""
    folder = tmp_path_factory.mktemp("novelty")
    for name, size in SIZES.items():
        rows = [f"group {k % 7},{name} word {k}" for k in range(size)]
        (folder / f"{name}.csv").write_text("identity,attribute\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    names = [f"{name} word {k}" for name, size in SIZES.items() for k in range(size)]
    vectors = rng.normal(size=(len(names), 3))
    return dict(zip(names, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))


@pytest.fixture(autouse=True)
def toy(monkeypatch, table):
    monkeypatch.setattr(analyze_novelty, "load_encoder", lambda name, *_: TableEncoder(table))


def files(folder):
    return [folder / f"{name}.csv" for name in SIZES]


def test_from_files_to_a_page(folder, table, tmp_path):
    out = tmp_path / "n"
    told = run("analyze", "novelty", *files(folder), "--threshold", 0.98, "-o", out)
    assert told.exit_code == 0, told.output
    shares = pl.read_csv(out / "novelty.csv")
    # By hand, without blocks.
    vectors = {
        name: np.array([table[f"{name} word {k}"] for k in range(size)]) for name, size in SIZES.items()
    }
    for name, found in shares.select("dataset", "n_unique").iter_rows():
        others = np.concatenate([part for other, part in vectors.items() if other != name])
        assert found == int(((vectors[name] @ others.T).max(axis=1) < 0.98).sum())
    page = write_report([out / "novelty.csv"], tmp_path / "n.html")
    text = text_of(page)
    row = shares.row(0, named=True)
    assert f"mine: {row['n_unique']} of 60 concepts ({100 * row['share_unique']:.1f} %, interval" in text
    assert "The threshold of 0.980 was given, not chosen by labelled pairs" in text
    for figure in (tmp_path / "n_figures").glob("*.svg"):
        assert "word" not in figure.read_text(encoding="utf-8")
    shared = pl.read_csv(out / "novelty_shared.csv").row(0, named=True)
    spoken = f"{shared['from_dataset']} in {shared['to_dataset']} {100 * shared['share']:.1f}"
    assert f"found in another data set: {spoken}" in page.read_text(encoding="utf-8")
