"""Figures for print: their size, the size of their text, and what is too wide."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest

from endoxa.report.charts.style import finish
from endoxa.report.document import Figure
from endoxa.report.printing import Width, as_pdf, as_png, notes, print_figure, stretched, write_printed

POINT = 25.4 / 72


def figure(plot: int = 240, *, name: str = "dots", label: str = "model one", columns: int = 0) -> Figure:
    frame = pl.DataFrame({"x": [0.1, 0.9], "y": [label, "other"]})
    dots = alt.Chart(frame).mark_point().encode(x="x:Q", y=alt.Y("y:N", axis=alt.Axis(labelLimit=5000)))
    said = alt.Chart(frame).mark_text(fontSize=9).encode(x=alt.value(plot + 10), y="y:N", text="x:Q")
    chart: Any = (dots + said).properties(width=plot, height=50)
    if columns:
        chart = alt.hconcat(*(chart for _ in range(columns)))
    return Figure(name, "Dots <of> two models", finish(chart), "two dots")


def font_sizes(svg: str, width: float) -> list[float]:
    """Sizes of all letters in points."""
    drawn = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])  # type: ignore[index]
    scale = width / drawn / POINT
    return [float(size) * scale for size in re.findall(r'font-size="([\d.]+)px"', svg)]


@pytest.mark.parametrize(("width", "millimetres", "dots"), [("column", 85, 1004), ("page", 170, 2008)])
def test_a_figure_has_the_width_and_its_text_can_be_read(width: Width, millimetres: int, dots: int) -> None:
    printed = print_figure(figure(), width)
    assert printed.width == millimetres
    assert f'width="{millimetres}mm"' in printed.svg
    sizes = font_sizes(printed.svg, millimetres)
    assert min(sizes) >= 7
    assert max(sizes) == pytest.approx(8, abs=0.05)
    assert "<title>Dots &lt;of&gt; two models</title>" in printed.svg
    png = as_png(printed)
    assert struct.unpack(">I", png[16:20]) == (dots,)
    resolution = png.index(b"pHYs") + 4
    per_metre = struct.unpack(">IIB", png[resolution : resolution + 9])
    assert per_metre == (11811, 11811, 1)  # 300 dpi
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", as_pdf(printed))
    assert [float(side) * POINT for side in box] == pytest.approx([millimetres, printed.height], abs=0.01)


def test_letters_of_a_pdf_are_embedded() -> None:
    pdf = as_pdf(print_figure(figure(), "column"))
    assert b"LiberationSans" in pdf
    assert b"/FontFile2" in pdf


def test_plots_become_wider_and_what_stands_beside_them_moves() -> None:
    spec = figure().chart.to_dict()
    made = stretched(spec, 1.5)
    assert (made["width"], made["layer"][1]["encoding"]["x"]["value"]) == (360, 370)
    assert spec["width"] == 240
    assert made["datasets"] is spec["datasets"]


@pytest.mark.slow
def test_too_wide_for_a_column_is_drawn_for_a_page_and_said(tmp_path: Path) -> None:
    figures = [figure(), figure(name="pair", columns=2), figure(name="row", columns=9)]
    written = {one.name: one for one in write_printed(figures, tmp_path / "t.tex", "column")}
    assert [written[name].width for name in ("dots", "pair", "row")] == [85, 170, 170]
    assert written["row"].text < 7.9
    folder = tmp_path / "t_figures"
    assert list(notes(folder, "column")) == [
        "Too wide for a column, drawn at page width: pair, row.",
        f"Too wide for a page, so labels are smaller than 8 pt: row ({written['row'].text:.1f} pt).",
    ]
    assert sorted(path.name for path in folder.glob("dots.*")) == ["dots.pdf", "dots.png", "dots.svg"]


def test_scripts_that_would_be_drawn_wrongly_get_no_pdf(tmp_path: Path) -> None:
    (tmp_path / "t_figures").mkdir()
    (tmp_path / "t_figures" / "dots.pdf").write_text("an old one")
    write_printed([figure(label="हिन्दी")], tmp_path / "t.tex", "column")
    assert [path.name for path in (tmp_path / "t_figures").iterdir()] == ["dots.svg"]
