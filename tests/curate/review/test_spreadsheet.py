"""Text through a spreadsheet and back."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from endoxa.curate.review import (
    escaped,
    same,
    shown,
    unescaped,
)

pytestmark = pytest.mark.slow

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
risky = st.text(st.sampled_from("'=+-@\t\r\n＝＠ a_x0041_\x01ＡÅ’“"), max_size=12)


@given(texts | risky)
def test_escapes_can_be_undone(text):
    assert unescaped(escaped(text)) == text


@settings(max_examples=30, deadline=None)
@given(texts | risky)
def test_what_is_shown_fits_into_a_workbook_and_counts_as_the_same(text):
    book = Workbook()
    cell = book.active.cell(1, 1)
    cell.value = escaped(shown(text)) or None
    cell.data_type = "s"
    stream = io.BytesIO()
    book.save(stream)
    back = unescaped(load_workbook(stream).active.cell(1, 1).value or "")
    assert same(back, text)
