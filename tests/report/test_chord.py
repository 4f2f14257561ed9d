"""Chord figures: every length is in proportion to its number, nothing overlaps, nothing is cut off."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.report.charts import Arc, chord_figure
from endoxa.report.charts.chord import GAP, chord_layout
from endoxa.report.document import Figure
from endoxa.report.printing import print_figure
from endoxa.report.render import inline_svg, picture

ARCS = (
    Arc("A", 100, 60, {"B": 40, "C": 10}),
    Arc("B", 50, 20, {"A": 20, "C": 10}),
    Arc("C", 25, 5, {"A": 20, "B": 0}),
)


@st.composite
def arcs(draw):
    """Two to six arcs with counts as an overlap can give them."""
    names = "ABCDEF"[: draw(st.integers(2, 6))]
    made = []
    for name in names:
        size = draw(st.integers(1, 500))
        alone = draw(st.integers(0, size))
        # None of the others has more than what is found somewhere, and together they have all of it.
        rest = size - alone
        shared = {other: draw(st.integers(0, rest)) for other in names if other != name}
        shared[max(shared, key=lambda other: shared[other])] = rest
        made.append(Arc(name, size, alone, shared))
    return made


@given(arcs())
def test_lengths_are_in_proportion(given_arcs):
    found = chord_layout(given_arcs)
    unit = (2 * np.pi - GAP * len(given_arcs)) / sum(arc.size for arc in given_arcs)
    assert 0 < found.scale <= 1
    ends = []
    for arc in given_arcs:
        start, stop = found.arcs[arc.name]
        assert stop - start == pytest.approx(unit * arc.size)
        low, high = found.elsewhere[arc.name]
        assert high - low == pytest.approx(unit * (arc.size - arc.alone))
        own = [chord for chord in found.chords if chord.origin == arc.name]
        assert {chord.target for chord in own} == {name for name, n in arc.shared.items() if n}
        for chord in own:
            assert chord.stop - chord.start == pytest.approx(found.scale * unit * arc.shared[chord.target])
            assert low - 1e-9 <= chord.start <= chord.stop <= high + 1e-9
        ends += sorted((chord.start, chord.stop) for chord in own)
    assert all(before[1] <= after[0] + 1e-9 for before, after in pairwise(ends))


def test_two_sets_need_no_smaller_scale():
    found = chord_layout([Arc("A", 10, 4, {"B": 6}), Arc("B", 5, 2, {"A": 3})])
    assert found.scale == 1
    # Asymmetry: twice as wide at A as at B.
    wide = {chord.origin: chord.stop - chord.start for chord in found.chords}
    assert wide["A"] == pytest.approx(2 * wide["B"])


def test_nothing_shared_draws_arcs_only():
    arcs_alone = [Arc("A", 10, 10, {"B": 0}), Arc("B", 5, 5, {"A": 0})]
    assert chord_layout(arcs_alone).chords == ()
    assert "<svg" in picture(Figure("x", "t", chord_figure(arcs_alone, "things"), "none"))


def test_the_picture_says_what_it_shows_and_fits_a_phone():
    figure = Figure("chords", "Shared <things>", chord_figure(ARCS, "things"), "40 of A in B")
    svg = picture(figure)
    assert float(re.search(r'width="([\d.]+)"', svg)[1]) <= 340
    assert "<title>Shared &lt;things&gt;</title><desc>40 of A in B</desc>" in svg
    inside = inline_svg(figure, svg)
    assert 'aria-labelledby="chords-title chords-desc"' in inside
    assert "40 things of A found in B" in inside
    assert "of C found in B" not in inside  # nothing is
    for words in ("1  A", "100 things, 60 in no other data set"):
        assert words in svg
    for color in ("#0b5fa5", "#b3500b", "#00795a"):
        assert color in svg


@pytest.mark.parametrize("width", ["column", "page"])
def test_a_circle_stays_round_in_print(width):
    chart = chord_figure(ARCS, "things")
    printed = print_figure(Figure("chords", "t", chart, "a"), width)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', printed.svg)
    screen = re.search(r'height="([\d.]+)"', picture(Figure("chords", "t", chart, "a")))
    assert float(box[2]) == pytest.approx(float(screen[1]))
    assert printed.height / printed.width == pytest.approx(float(box[2]) / float(box[1]))
