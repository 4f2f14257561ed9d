"""Sheets for the tests of the review round trip: made by us, filled in as a reviewer would."""

from __future__ import annotations

import polars as pl
from openpyxl import load_workbook

from endoxa.curate.review.sheet import Choice, make_sheet, write_sheet
from endoxa.sources import frames

STATEMENTS = {
    "statement_id": ["s1", "s1", "s2", "s3"],
    "statement": [
        "Farmers are calm and kind",
        "Farmers are calm and kind",
        "The bridge is long",
        "Bakers don't sing",
    ],
    "identity": ["farmers", "farmers", "bridge", "bakers"],
    "attribute": ["calm", "kind", "long", "don't sing"],
    "omit": ["false", "false", "true", "false"],
    "omit_reason": ["", "", "not about people", ""],
    "city": ["Pune", "Pune", "Lima", "Lyon"],
}

PAIRS = {
    "item_id": ["p1", "p2", "p3"],
    "language": ["en", "en", "en"],
    "axis": ["profession", "profession", "age"],
    "direction": ["stereo", "stereo", "stereo"],
    "stereotypical": ["more", "more", "more"],
    "sent_more": ["Bakers are patient.", "Farmers are slow.", "Young people are noisy."],
    "sent_less": ["Bakers are impatient.", "Farmers are unslow.", "Young people are quiet."],
}


def write_table(folder, columns=STATEMENTS, name="table.csv"):
    path = folder / name
    frames.write_table(pl.DataFrame(columns), path)
    return path


def export(table, path, **choice):
    write_sheet(make_sheet(table, Choice(**choice)), path)
    return path


def fill(path, cells):
    """Fill in a workbook: {(row of the sheet, column name): value}."""
    book = load_workbook(path)
    page = book["Review"]
    places = {cell.value: cell.column for cell in page[1]}
    for (row, column), value in cells.items():
        page.cell(row, places[column]).value = value
    book.save(path)
    return path
