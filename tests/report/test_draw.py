"""Figures as files: their size, the size of their text, labels that are not cut off, and what is too wide."""

from __future__ import annotations

import itertools
import re
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from endoxa.report.document import Figure
from endoxa.report.draw import TEXT_PIXELS, Width, drawing, points, text_width, wrapped
from endoxa.report.figures import Measure, claim_map, dot_figure, figure_of, series_figure, share_figure
from endoxa.report.files import as_pdf, as_png, write_figures
from endoxa.report.plots import Axis, ridge_plot

POINT = 25.4 / 72
SHARE = Measure("share preferred, of all pairs that the model scored", 0.5, ".0%", 0.2, 0.1, ("less", "more"))
SERIES = ["first", "second, with a name that is long"]
WIDTHS: tuple[Width | None, ...] = (None, "column", "page")


def rows(label: str = "meta-llama/Llama-3.1-8B-Instruct", **columns: pl.Expr) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "label": [label, "other", "third"],
            "note": ["61.0 % (50.2 to 70.1), n 240", "40.0 %", "50.0 % cannot be tested"],
            "value": [0.61, 0.4, 0.5],
            "low": [0.502, None, None],
            "high": [0.701, None, None],
            "filled": [True, False, None],
        }
    ).with_columns(**columns)


def dots(label: str = "meta-llama/Llama-3.1-8B-Instruct", *, name: str = "dots") -> Figure:
    return dot_figure(rows(label), SHARE, name=name, title="Dots <of> models", alt="three & dots")


def claims(columns: int, *, name: str) -> Figure:
    names = [f"data set {k}" for k in range(columns)]
    cells = pl.DataFrame(
        [
            {"row": row, "column": column, "value": 0.7, "verdict": "above", "text": "70\u00a0%", "far": True}
            for row in ("model one", "model two")
            for column in names
        ]
    )
    return claim_map(cells, ["model one", "model two"], names, name=name, title="Claims", alt="claims")


def series() -> Figure:
    frame = pl.concat(
        rows(
            series=pl.lit(name), value=pl.col("value") + shift, outer_low=pl.lit(0.3), outer_high=pl.lit(0.8)
        )
        for name, shift in zip(SERIES, (0.0, 0.1), strict=True)
    )
    return series_figure(frame, SHARE, SERIES, name="series", title="Series", alt="series")


def shares() -> Figure:
    frame = pl.DataFrame(
        {"label": ["a", "a"], "part": ["A  yes", "B  no"], "share": [0.9, 0.1], "text": ["A 90 %", "B 10 %"]}
    )
    colors = {"A  yes": "#b3500b", "B  no": "#c6dff3"}
    return share_figure(
        frame, colors, dark=["A  yes"], of="answers", name="shares", title="Shares", alt="shares"
    )


def ridges() -> Figure:
    values = [*np.random.default_rng(1).normal(0.2, 1.0, 60).tolist(), 0.5, -0.5]
    frame = pl.DataFrame({"label": ["many"] * 60 + ["few"] * 2, "difference": values}).with_columns(
        note=pl.lit("60.0 % above 0"), tip=pl.lit("tip")
    )
    plot = ridge_plot(frame, Axis((-3.0, 3.0), "difference", ".2~f", neutral=0.0))
    return figure_of(frame, plot, name="ridges", title="Ridges", alt="ridges", wide=True)


def texts(svg: str) -> list[ET.Element]:
    return ET.fromstring(svg).findall("{*}text")


@pytest.mark.parametrize(("width", "millimetres", "pixels"), [("column", 85, 1004), ("page", 170, 2008)])
def test_a_figure_has_the_width_and_its_text_can_be_read(width: Width, millimetres: int, pixels: int) -> None:
    picture = drawing(dots(), width)
    assert picture.millimetres == millimetres
    assert f'width="{millimetres}mm"' in picture.svg
    assert re.findall(r'font-size="([^"]+)"', picture.svg) == [f"{TEXT_PIXELS}px"]
    assert points(millimetres, picture.width) == pytest.approx(8, abs=0.01)
    png = as_png(picture)
    assert struct.unpack(">I", png[16:20]) == (pixels,)
    resolution = png.index(b"pHYs") + 4
    assert struct.unpack(">IIB", png[resolution : resolution + 9]) == (11811, 11811, 1)  # 300 dpi
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", as_pdf(picture))
    height = picture.height * millimetres / picture.width
    assert [float(side) * POINT for side in box] == pytest.approx([millimetres, height], abs=0.01)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "figure", [dots(), dots("عربي: الدين " * 9), series(), shares(), ridges(), claims(4, name="few")]
)
def test_no_text_is_cut_off_and_the_picture_says_what_it_is(figure: Figure, width: Width | None) -> None:
    picture = drawing(figure, width)
    document = ET.fromstring(picture.svg)
    assert document.get("role") == "img"
    assert document.findtext("{*}title") == figure.title
    assert document.findtext("{*}desc") == figure.alt
    assert drawing(figure, width) == picture
    for text in texts(picture.svg):
        if text.get("transform"):
            continue
        bold = "".join(span.text or "" for span in text)
        written = text_width("".join(text.itertext())) + 0.1 * text_width(bold)
        left = float(text.get("x", "0")) - {"end": written, "middle": written / 2}.get(
            text.get("text-anchor", ""), 0
        )
        assert left >= -1
        assert left + written <= picture.width + 1
        assert 0 < float(text.get("y", "0")) < picture.height


@pytest.mark.parametrize(
    "text", ["a b", "meta-llama/Llama-3.1-8B-Instruct, by axis", "x" * 90, "first\nsecond line of it"]
)
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, 60)
    assert all(text_width(line) <= 60 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.slow
def test_too_wide_for_a_column_is_drawn_for_a_page_and_said(tmp_path: Path) -> None:
    figures = [dots(), claims(11, name="pair"), claims(24, name="row")]
    write_figures(figures, tmp_path, "column")
    sizes = {
        name: [
            float(side)
            for side in re.search(
                r'width="(\d+)mm".*viewBox="0 0 ([\d.]+) ', (tmp_path / f"{name}.svg").read_text()
            ).groups()
        ]  # type: ignore[union-attr]
        for name in ("dots", "pair", "row")
    }
    assert [width for width, _ in sizes.values()] == [85, 170, 170]
    small = points(*sizes["row"])
    assert small < 7.9
    assert sorted(path.name for path in tmp_path.glob("dots.*")) == ["dots.pdf", "dots.png", "dots.svg"]


def test_scripts_that_would_be_drawn_wrongly_get_no_pdf(tmp_path: Path) -> None:
    (tmp_path / "dots.pdf").write_text("an old one")
    write_figures([dots("हिन्दी")], tmp_path, "column")
    assert [path.name for path in tmp_path.iterdir()] == ["dots.svg"]


def test_numbers_of_the_axis_do_not_touch_and_the_neutral_one_is_there() -> None:
    figure = dot_figure(rows(), Measure("share", 0.5, ".1%", 0.2, 0.1), name="f", title="F", alt="f")
    ticks = [text for text in texts(drawing(figure, "column").svg) if (text.text or "").endswith(".0\u00a0%")]
    middles = [float(tick.get("x", "0")) for tick in ticks]
    assert "50.0\u00a0%" in [tick.text for tick in ticks]
    assert all(right - left > text_width("50.0\u00a0%") for left, right in itertools.pairwise(middles))


def test_names_of_series_stand_beside_one_another_where_there_is_room() -> None:
    names = [text for text in texts(drawing(series(), "page").svg) if "".join(text.itertext()) in SERIES]
    assert len(names) == 2
    assert len({text.get("y") for text in names}) == 1
