"""A figure whose rows readers choose: its first view, its rows to download, and nothing of theirs in a script."""

from __future__ import annotations

import io
import json
from urllib.parse import unquote

import polars as pl
import pytest

from endoxa.report.closer import MOST_DRAWN, Box, look_closer
from endoxa.report.document import Figure, Section
from endoxa.report.figures import Measure
from endoxa.report.files import csv_address
from endoxa.report.frame import Page, page_text
from support.html_pages import Page as Read

HOSTILE = '</script><!-- "a", b'
SCALE = Measure(HOSTILE, 0.5, ".0%", 0.5, 0.5)
ALL_AXES = "all axes"


def _rows(values: dict[tuple[str, str], float | None]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "model": model,
                "axis": axis,
                "value": value,
                "low": None if value is None else value - 0.1,
                "high": None if value is None else value + 0.1,
                "n": 1200,
                "verdict": "above" if (value or 0) > 0.6 else "cannot-be-tested",
                "reading": f"{value}",
            }
            for (model, axis), value in values.items()
        ]
    )


ROWS = _rows(
    {
        ("m", ALL_AXES): 0.55,
        ("m", "age"): 0.4,
        ("m", HOSTILE): 0.7,
        ("m", "empty"): None,
        ("k", ALL_AXES): 0.9,
        ("k", "age"): 0.6,
    }
)
BOXES = (Box("model", "model", "m"), Box("axis", "axis", together=ALL_AXES))


def _page(figure: Figure) -> Page:
    section = Section("closer", "Look closer", figures=(figure,))
    return Page("endoxa.instruments.pairs.report", "t", "s", (section,), [], [])


def test_downloads_hold_the_rows_with_undefined_values_empty() -> None:
    rows = pl.DataFrame(
        {"axis": [HOSTILE, "a\nb", "हिन्दी & c"], "value": [1 / 3, float("nan"), 1e-12], "n": [1, 2, None]}
    )
    head, _, text = csv_address(rows).partition(",")
    assert head == "data:text/csv;charset=utf-8"
    assert not set(text) & set("<>\"'&# %\n") - {"%"}
    read = pl.read_csv(io.StringIO(unquote(text)))
    assert read["axis"].to_list() == rows["axis"].to_list()
    assert read["value"].to_list() == [pytest.approx(1 / 3, rel=1e-7), None, 1e-12]


def test_what_users_wrote_stays_text_in_the_page() -> None:
    figure = look_closer(ROWS, BOXES, SCALE, name="closer", title=HOSTILE)
    text = page_text(_page(figure))
    assert text.count("</script>") == text.count("<script") == 2  # a chart, figures
    assert text.count("<!--") == 0
    assert json.loads(Read(text).scripts[0]) == {"neutral": 0.5, "domain": [0.0, 1.0], "most": MOST_DRAWN}
    options = [own["value"] for tag, own in Read(text).elements if tag == "option"]
    assert HOSTILE in options
