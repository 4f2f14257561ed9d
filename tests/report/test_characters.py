"""Characters that XML forbids, in texts of other people: figures are drawn and pages are valid all the same."""

from __future__ import annotations

import logging
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from endoxa.report.figures import Measure, dot_figure
from endoxa.report.files import write_figures
from endoxa.runs.run import read_run, run
from endoxa.schema.characters import xml_text
from endoxa.testing.toy import LETTERS, ToySettings

FORBIDDEN = "\x00\x07\x0b\x1b\x1f\ud800\ufdd0\ufffe\U0001ffff"
ALLOWED = "\t\n\r ~\x85é\u202e\ufffd\U0001f600"


def test_figures_of_texts_with_forbidden_characters_are_drawn(tmp_path: Path) -> None:
    assert xml_text(FORBIDDEN) == "\ufffd" * len(FORBIDDEN)
    assert xml_text(ALLOWED) == ALLOWED
    label = FORBIDDEN.replace("\ud800", "")  # a table cannot hold it
    frame = pl.DataFrame(
        {"label": [label], "note": [label], "value": [1.0], "low": [0.0], "high": [1.0], "filled": [True]}
    )
    measure = Measure(FORBIDDEN, 0.0, ".1f", 1.0, 1.0)
    figure = dot_figure(frame, measure, name="evil", title=FORBIDDEN, alt=FORBIDDEN)
    write_figures([figure], tmp_path / "page_figures")
    write_figures([figure], tmp_path / "print_figures", "column")
    for folder in ("page_figures", "print_figures"):
        ET.parse(tmp_path / folder / "evil.svg")
        assert (tmp_path / folder / "evil.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "print_figures" / "evil.pdf").read_bytes().startswith(b"%PDF")


class Panic(BaseException):
    """As libraries in Rust raise it."""


def test_a_report_that_fails_does_not_cost_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = tmp_path / "text.txt"
    data.write_text("A banana\nno fruit\n", encoding="utf-8")
    settings = ToySettings(data=str(data), models=("toy/a",))
    reports: list[Path] = []

    def report(_settings: ToySettings, out: Path) -> None:
        reports.append(out)
        if len(reports) == 1:
            raise Panic("the font is damaged")

    fields = {name: getattr(LETTERS, name) for name in LETTERS.__dataclass_fields__}
    instrument = type(LETTERS)(**{**fields, "report": report, "outputs": ("estimates.csv",)})
    out = tmp_path / "run"
    with caplog.at_level(logging.WARNING):
        run(instrument, settings, out)
    assert read_run(out)["finished"]
    assert (out / "estimates.csv").is_file()
    assert "the font is damaged" in caplog.text
    assert "run the same command again" in caplog.text
    run(instrument, settings, out)
    assert len(reports) == 2
    run(instrument, settings, out)
    assert len(reports) == 2
