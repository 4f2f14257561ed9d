"""Tables in LaTeX, compiled where pdfLaTeX is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from endoxa.report.tables import FOREIGN, Cell, Column, Table, latex, transposed

HOSTILE = r"100 % & a_b #1 {x} \end{document} ^~$|<> é ž – …"
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\begin{document}
\input{table.tex}
\end{document}
"""


def table(name: str = HOSTILE) -> Table:
    columns = (
        Column("model"),
        Column(name, numeric=True, narrow=True, above="Hindi & co", below="cls_1"),
        Column("plain/axis", numeric=True, narrow=True, above="Hindi & co", below="mean"),
    )
    row = (name, Cell("−0.123", "*", "−0.2 to 0.1"), Cell("1 ± 2 × 3", "†", ""))
    return Table("Caption with % and _", columns, (row, row), notes=("p ≤ 0.05",))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tables_compile(tmp_path: Path) -> None:
    text = latex([table(), transposed(table(), "measure")], "95\u00a0% intervals", label="tab:x")
    (tmp_path / "table.tex").write_text(text, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 5000


@pytest.mark.parametrize(("name", "foreign"), [("é ž", False), ("हिन्दी", True), ("עברית", True)])
def test_letters_that_pdflatex_lacks_are_announced(name: str, foreign: bool) -> None:
    assert (FOREIGN in latex([table(name)])) is foreign
