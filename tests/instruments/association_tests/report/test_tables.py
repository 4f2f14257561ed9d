"""The table of association tests as in a paper."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from endoxa.instruments.reports import write_report
from support.report_test_samples import completed, run_folder

# IndiBias (Sahoo et al. 2024), Table 3: three rows, two models, two languages.
PAPER = {
    ("hindu male", "muslim female", "career", "family"): (0.896, 1.057, 0.855, 0.843),
    ("muslim male", "hindu female", "career", "family"): (0.544, 1.229, 0.339, -0.058),
    ("hindu female", "muslim male", "non-violent", "violent"): (0.991, 1.030, 0.405, 0.312),
}
COLUMNS = [(language, model) for language in ("en", "hi") for model in ("hf/IndicBert", "hf/Muril")]


def paper() -> pl.DataFrame:
    fixed = {"pooling": "cls", "axis": "gender x religion"}
    rows = [
        {"test": f"{x} {y} {language}", "model": model, "language": language, "x": x, "y": y, "a": a, "b": b}
        | {"value": value, "p_value": 0.001 if value > 0.9 else 0.5, **fixed}
        for (x, y, a, b), values in PAPER.items()
        for (language, model), value in zip(COLUMNS, values, strict=True)
    ]
    return completed(pl.DataFrame(rows))


def written(tmp_path: Path, frame: pl.DataFrame, name: str, format: str | None = None) -> str:  # noqa: A002
    run = run_folder(tmp_path / f"run{name}", frame)
    return write_report([run], tmp_path / name, format=format).read_text(encoding="utf-8")


def test_markdown_is_laid_out_as_in_the_paper(tmp_path: Path) -> None:
    lines = written(tmp_path, paper(), "t.md").splitlines()
    assert lines[0] == "**gender x religion**"
    heads = [
        f"{language}: {model} (cls)" for language in ("English", "Hindi") for model in ("IndicBert", "Muril")
    ]
    assert lines[2] == f"| groups | attributes | {' | '.join(heads)} |"
    assert lines[4] == (
        r"| hindu male / muslim female | career / family | +0.896 (+0.296 to +1.496) | +1.057\* (+0.457 to +1.657) "
        "| +0.855 (+0.255 to +1.455) | +0.843 (+0.243 to +1.443) |"
    )
    values = [re.sub(r" \([^)]*\)", "", line) for line in lines[5:7]]
    assert values[0].endswith(r"| +0.544 | +1.229\* | +0.339 | −0.058 |")
    assert values[1].endswith(r"| +0.991\* | +1.030\* | +0.405 | +0.312 |")
    assert "with 95\u00a0% bootstrap intervals" in lines[-1]
    assert "one-sided permutation p-value at most 0.05 after Benjamini-Hochberg over all tests" in lines[-1]
