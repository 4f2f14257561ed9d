"""Figures for print: as wide as a column or a page, letters of 8 pt, nothing lost at the right edge."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest

from endoxa.page.charts.style import finish
from endoxa.page.document import Figure
from endoxa.page.printing import MILLIMETRES, printed, write_printed

POINT = 25.4 / 72


def figure(chart: alt.TopLevelMixin, name: str = "made-up") -> Figure:
    return Figure(name, "Made up", finish(chart), "Three dots.")


def dots(labels: tuple[str, ...] = ("one", "another", "the third")) -> Figure:
    frame = pl.DataFrame(
        {"label": labels, "value": (0.5, 0.7, 1.0), "note": ("50 %", "70 %", "100 % of 400")}
    )
    y = alt.Y("label:N", sort=None, axis=alt.Axis(title=None))
    points = alt.Chart(frame).mark_point().encode(x="value:Q", y=y)
    beside = alt.Chart(frame).mark_text(align="left").encode(x=alt.value(248), y=y, text="note:N")
    return figure(alt.layer(points, beside).properties(width=240))


def heat(columns: int) -> Figure:
    frame = pl.DataFrame({"x": [f"axis {k}" for k in range(columns)], "y": ["model"] * columns})
    return figure(alt.Chart(frame).mark_rect().encode(x="x:N", y="y:N").properties(width={"step": 30}))


def numbers(svg: str, name: str) -> list[float]:
    return [float(found) for found in re.findall(rf'{name}="([\d.]+)', svg)]


@pytest.mark.parametrize("width", MILLIMETRES)
def test_a_figure_fills_its_width_with_letters_of_8_points(width: str) -> None:
    drawn = printed(dots(), width)
    assert drawn.width == width
    assert drawn.millimetres == pytest.approx(MILLIMETRES[width], rel=0.02)
    assert drawn.points == pytest.approx(8.0, abs=0.1)
    shrunk = numbers(drawn.svg, " width")[0] / float(re.findall(r'viewBox="0 0 ([\d.]+)', drawn.svg)[0])
    sizes = [float(size) * shrunk for size in re.findall(r'font-size="([\d.]+)px"', drawn.svg)]
    assert min(sizes) >= 7.0
    # What stands beside the plot is still to the right of the dot of 1.0.
    (place,) = {float(x) for x in re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*>100 % of 400<', drawn.svg)}
    assert place > max(float(x) for x in re.findall(r"<path[^>]*translate\(([\d.]+),", drawn.svg))


def test_what_does_not_fit_a_column_is_drawn_for_the_page_and_said(tmp_path: Path) -> None:
    wide, wider = heat(15), heat(60)
    assert printed(wide, "column").width == "page"
    assert printed(wider, "page").points < 4
    assert write_printed([wide], tmp_path, "column") == [
        "made-up does not fit into a column: it is 170 mm wide."
    ]
    (said,) = write_printed([wider], tmp_path, "page")
    assert re.fullmatch(r"made-up is too wide for a page: its letters are [23]\.\d pt\.", said)


def test_files_have_the_size_of_the_column(tmp_path: Path) -> None:
    assert write_printed([dots()], tmp_path, "column") == []
    media = re.search(rb"MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "made-up-column.pdf").read_bytes())
    assert media is not None
    assert float(media[1]) * POINT == pytest.approx(85, rel=0.02)
    png = (tmp_path / "made-up-column.png").read_bytes()
    across, down = struct.unpack(">II", png[16:24])
    assert across == pytest.approx(85 / 25.4 * 300, rel=0.02)
    assert down == pytest.approx(float(media[2]) / 72 * 300, rel=0.02)
    assert struct.unpack(">I", png[png.index(b"pHYs") + 4 :][:4])[0] == pytest.approx(300 / 0.0254, abs=1)
    assert 'pt"' in (tmp_path / "made-up-column.svg").read_text(encoding="utf-8")


def test_scripts_that_cannot_be_set_right_are_svg_only(tmp_path: Path) -> None:
    (tmp_path / "made-up-page.pdf").write_bytes(b"of an earlier report")
    (said,) = write_printed([dots(("एक", "दो", "तीन"))], tmp_path, "page")
    assert "SVG only" in said
    assert [path.name for path in tmp_path.iterdir()] == ["made-up-page.svg"]


def test_the_chart_of_the_page_stays_as_it_was() -> None:
    shown: dict[str, Any] = dots().chart.to_dict(validate=False)
    one = dots()
    printed(one, "page")
    assert one.chart.to_dict(validate=False) == shown
