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
    assert all(len(line) <= 80 for line in told.output.splitlines() if not re.match("Written|Next", line))
    assert f"Next: endoxa report {out / 'novelty.csv'}" in told.output
    shares = pl.read_csv(out / "novelty.csv")
    assert shares["n_concepts"].to_list() == [60, 40, 25]
    # By hand, without blocks.
    vectors = {
        name: np.array([table[f"{name} word {k}"] for k in range(size)]) for name, size in SIZES.items()
    }
    for name, found in shares.select("dataset", "n_unique").iter_rows():
        others = np.concatenate([part for other, part in vectors.items() if other != name])
        assert found == int(((vectors[name] @ others.T).max(axis=1) < 0.98).sum())
    assert {path.name for path in out.iterdir()} == {
        "novelty.csv",
        "novelty_shared.csv",
        "novelty_concepts.csv",
        "novelty_curve.csv",
    }
    page = write_report([out / "novelty.csv"], tmp_path / "n.html")
    text = text_of(page)
    row = shares.row(0, named=True)
    assert f"mine: {row['n_unique']} of 60 concepts ({100 * row['share_unique']:.1f} %, interval" in text
    assert "are found in none of the others." in text
    assert "The threshold of 0.980 was given, not chosen by labelled pairs" in text
    names = {path.stem for path in (tmp_path / "n_figures").glob("*.svg")}
    assert names == {"unique", "shared", "curve"}
    for figure in (tmp_path / "n_figures").glob("*.svg"):
        assert "word" not in figure.read_text(encoding="utf-8")
    shared = pl.read_csv(out / "novelty_shared.csv").row(0, named=True)
    spoken = f"{shared['from_dataset']} in {shared['to_dataset']} {100 * shared['share']:.1f}"
    assert f"found in another data set: {spoken}" in page.read_text(encoding="utf-8")


def test_from_a_sheet_to_a_threshold(folder, table, tmp_path):
    sheet, out = tmp_path / "sheet.csv", tmp_path / "n"
    told = run("analyze", "novelty", *files(folder), "--sheet", sheet, "--sheet-pairs", 130)
    assert told.exit_code == 0, told.output
    assert "fill in the column 'related'" in told.output
    assert list(tmp_path.iterdir()) == [sheet]
    drawn = pl.read_csv(sheet)
    cosine = [float(table[a] @ table[b]) for a, b in drawn.select("text_a", "text_b").iter_rows()]
    answers = ["yes" if one >= 0.62 else "no" for one in cosine]
    drawn.with_columns(related=pl.Series(answers)).write_csv(sheet)
    told = run("analyze", "novelty", *files(folder), "--labels", sheet, "-o", out)
    assert told.exit_code == 0, told.output
    chosen = pl.read_csv(out / "novelty_threshold.csv").row(0, named=True)
    below, above = max(c for c in cosine if c < 0.62), min(c for c in cosine if c >= 0.62)
    assert chosen["threshold"] == pytest.approx((below + above) / 2, abs=1e-5)
    assert (chosen["youden_j"], chosen["n"]) == (1.0, len(cosine))
    assert pl.read_csv(out / "novelty.csv")["threshold"][0] == chosen["threshold"]
    assert pl.read_csv(out / "novelty.csv")["threshold_from"][0] == "labels"
    assert f"chosen by {len(cosine)} labelled pairs" in re.sub(r"\s+", " ", told.output)
    text = text_of(write_report([out / "novelty.csv"], tmp_path / "n.html"))
    assert f"The threshold is {chosen['threshold']:.3f}: there Youden" in text
    assert "100.0 % of the related pairs reach it, and 100.0 % of the unrelated ones stay below" in text
    # Another run without labels leaves no table of the earlier choice.
    assert run("analyze", "novelty", *files(folder), "--threshold", 0.9, "-o", out).exit_code == 0
    assert not (out / "novelty_threshold.csv").exists()


def test_few_labels_are_warned_of(folder, table, tmp_path):
    labels = tmp_path / "l.csv"
    words = list(table)
    pairs = [(words[k], words[70 + k]) for k in range(20)]
    ranked = sorted(pairs, key=lambda pair: float(table[pair[0]] @ table[pair[1]]))
    rows = [f"{a},{b},{'yes' if place > 15 else 'no'}" for place, (a, b) in enumerate(ranked)]
    labels.write_text("text_a,text_b,related\n" + "\n".join(rows) + "\n")
    out = tmp_path / "n"
    told = run("analyze", "novelty", *files(folder), "--labels", labels, "-o", out)
    assert "Only 4 of 20 labelled pairs are related" in re.sub(r"\s+", " ", told.output)
    assert "Only 4 of 20 labelled pairs are related" in text_of(
        write_report([out / "novelty.csv"], tmp_path / "n.html")
    )


def test_a_page_without_companions_says_what_it_can(folder, tmp_path):
    out = tmp_path / "n"
    run("analyze", "novelty", *files(folder)[:2], "--threshold", 0.98, "-o", out)
    for path in out.glob("novelty_*.csv"):
        path.unlink()
    text = text_of(write_report([out / "novelty.csv"], tmp_path / "n.html"))
    assert "are not found in the other one." in text


def test_many_data_sets_have_a_page(tmp_path, monkeypatch):
    words = {f"d{k}": [f"d{k} word {n}" for n in range(3)] for k in range(7)}
    vectors = {
        text: np.eye(21)[row] for row, text in enumerate(text for own in words.values() for text in own)
    }
    monkeypatch.setattr(analyze_novelty, "load_encoder", lambda name, *_: TableEncoder(vectors))
    for name, own in words.items():
        (tmp_path / f"{name}.csv").write_text("attribute\n" + "\n".join(own) + "\n")
    paths = [tmp_path / f"{name}.csv" for name in words]
    out = tmp_path / "n"
    assert run("analyze", "novelty", *paths, "--threshold", 0.5, "-o", out).exit_code == 0
    text = text_of(write_report([out / "novelty.csv"], tmp_path / "n.html"))
    assert (tmp_path / "n_figures" / "shared.svg").is_file()
    assert "fewer than five identities are named" in text


@pytest.mark.slow
def test_the_real_encoder_on_seegull(shared, tmp_path, monkeypatch):
    """US and Indian states: equal attributes are shared; "good dancers" and "dancing" are not the same word."""
    monkeypatch.undo()
    states = [shared / f"data/seegull/stereotypes_{one}_states.csv" for one in ("us", "indian")]
    out = tmp_path / "n"
    assert run("analyze", "novelty", *states, "--threshold", 0.7, "-o", out).exit_code == 0
    concepts = pl.read_csv(out / "novelty_concepts.csv")
    both = set(concepts.filter(dataset="stereotypes_us_states")["concept"]) & set(
        concepts.filter(dataset="stereotypes_indian_states")["concept"]
    )
    assert both
    assert not concepts.filter(pl.col("concept").is_in(list(both)))["unique"].any()
    assert (concepts.filter(pl.col("concept").is_in(list(both)))["cosine"] >= 0.999999).all()
    assert 0 < pl.read_csv(out / "novelty.csv")["share_unique"].min() < 1
