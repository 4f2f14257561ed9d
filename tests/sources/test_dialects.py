"""Tables as spreadsheet programs of many countries write them: read as what they hold, with a line that says so."""

from __future__ import annotations

import logging

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.sources import spreadsheets
from endoxa.sources.dialects import code_page
from endoxa.sources.frames import read_table
from endoxa.sources.read import convert_pairs, read_pairs
from endoxa.sources.source import reading_files

ROWS = (("Élèves, «fiers».", "Parents, «fiers».", "âge"), ("Œil; clos.", "Nez; clos.", "corps"))
PLAIN = ("sent_more", "sent_less", "axis")


def table(mark: str, header: tuple[str, ...] = PLAIN) -> str:
    return "\r\n".join(mark.join(f'"{cell}"' for cell in row) for row in (header, *ROWS)) + "\r\n"


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        (table(";").encode(), "cells separated by semicolons"),
        (table("\t").encode("utf-16"), "UTF-16 text, cells separated by tabs"),
        (table(",").encode("utf-16-be"), "UTF-16 text"),
        (b"sep=;\r\n" + table(";").encode(), "cells separated by semicolons"),
        (table(";").encode("cp1252"), "Windows-1252 text (language: fr), cells separated by semicolons"),
        (table(",", (" sent-more ", "Sent_Less", "AXIS")).encode(), "column ' sent-more ' as 'sent_more'"),
    ],
)
def test_pairs_are_the_same_in_every_dialect(tmp_path, caplog, content, taken):
    path = tmp_path / "pairs.csv"
    path.write_bytes(content)
    with reading_files(languages=["fr"]), caplog.at_level(logging.WARNING):
        pairs = pl.concat(read_pairs(path))
        assert list(read_table(path, PLAIN).select(PLAIN).iter_rows()) == list(ROWS)
    assert list(pairs.select("sent_more", "sent_less", "axis").iter_rows()) == list(ROWS)
    assert sum(taken in record.getMessage() for record in caplog.records) == 1


@pytest.mark.parametrize(
    ("language", "page", "word"),
    [
        ("ru", "cp1251", "учёный"),
        ("ar", "cp1256", "نساء"),
    ],
)
def test_a_column_of_languages_names_the_windows_encoding(tmp_path, language, page, word):
    path = tmp_path / "pairs.csv"
    path.write_bytes(f"sent_more;sent_less;Language\n{word} a.;{word} b.;{language}\n".encode(page))
    assert pl.concat(read_pairs(path))["sent_more"].to_list() == [f"{word} a."]
    assert code_page([language]) == page


def test_without_a_language_the_row_is_named_and_damage_is_no_encoding(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes("sent_more,sent_less\nA.,B.\nCafé.,B.\n".encode("cp1252"))
    with pytest.raises(UserError, match=r"row 2 \(line 3\).*--language"):
        list(read_pairs(path))
    path.write_bytes("sent_more,sent_less\nété,à\n".encode() + b"Caf\xe9.,B.\n")
    with reading_files(languages=["fr"]), pytest.raises(UserError, match=r"row 2 \(line 3\)"):
        list(read_pairs(path))


def test_numbers_with_a_decimal_comma_and_cells_of_any_length(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(f"Rater;Harm;note\np1;3,0;1,5\np2;4.0;{'x' * 200_000}\n")
    found = read_table(path, ("rater", "harm"))
    assert found["harm"].to_list() == ["3.0", "4.0"]
    assert found["note"].to_list() == ["1,5", "x" * 200_000]


def test_a_workbook_of_pairs_is_read_and_a_huge_one_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    import zipfile

    path, written = tmp_path / "pairs.xlsx", tmp_path / "pairs.jsonl"
    book = openpyxl.Workbook()
    for row in (("Sent_More", "sent_less"), ("Élèves a.", "b.")):
        book.active.append(row)
    book.save(path)
    assert convert_pairs(path, written) == 1
    monkeypatch.setattr(spreadsheets, "MOST_BYTES", 20_000)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.bin", b" " * 20_001)
    with pytest.raises(UserError, match="too large for a workbook"):
        read_table(path)
