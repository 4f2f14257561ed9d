"""What tests of several instruments share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from endoxa.instruments import reports
from endoxa.report import render
from endoxa.report.document import Figure


@pytest.fixture(scope="module")
def checked_charts() -> Iterator[None]:
    """Pages written meanwhile are drawn with Altair's checks on, which pages of users go without."""
    drawn = []

    def checked(figure: Figure) -> str:
        figure.chart.to_dict()  # raises where it is no valid Vega-Lite
        drawn.append(figure.name)
        return draw(figure)

    draw, patch = render.picture, pytest.MonkeyPatch()
    patch.setattr(reports, "unchecked", nullcontext)
    patch.setattr(render, "picture", checked)
    yield
    patch.undo()
    assert drawn
