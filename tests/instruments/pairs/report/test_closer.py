"""A figure whose rows readers choose: its rows to download, and nothing of theirs in a script."""

from __future__ import annotations

import io
import json
from urllib.parse import unquote

import polars as pl
import pytest

from endoxa.report.closer import MOST_DRAWN, Box, look_closer
from endoxa.report.document import Section
from endoxa.report.figures import Measure
from endoxa.report.files import csv_address
from endoxa.report.frame import Page, page_text
from support.html_pages import Page as Read

HOSTILE = '</script><!-- "a", b'
SCALE = Measure(HOSTILE, 0.5, ".0%", 0.5, 0.5)


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
    values = {"age": 0.4, HOSTILE: 0.7, "empty": None}
    rows = pl.DataFrame({"axis": list(values), "value": list(values.values())}).with_columns(
        model=pl.lit("m"),
        low=pl.col("value") - 0.1,
        high=pl.col("value") + 0.1,
        n=pl.lit(1200),
        verdict=pl.lit("above"),
        reading=pl.format("{}", "value"),
    )
    boxes = (Box("model", "model", "m"), Box("axis", "axis", together="all axes"))
    figure = look_closer(rows, boxes, SCALE, name="closer", title=HOSTILE)
    section = Section("closer", "Look closer", figures=(figure,))
    text = page_text(Page("endoxa.instruments.pairs.report", "t", "s", (section,), [], []))
    assert text.count("</script>") == text.count("<script") == 2  # a chart, figures
    assert text.count("<!--") == 0
    assert json.loads(Read(text).scripts[0]) == {"neutral": 0.5, "domain": [0.0, 1.0], "most": MOST_DRAWN}
    options = [own["value"] for tag, own in Read(text).elements if tag == "option"]
    assert HOSTILE in options
