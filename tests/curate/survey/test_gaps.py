"""Sentences with a gap (HESEIA's layout): counted by hand on invented rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.survey.rows import listed, sentences_of

pytestmark = pytest.mark.slow

GAPS = """\
frase,lista_de_palabras,age,gender,tipo_de_sesgo_explorado
los * madrugan .,"['panaderos', 'pilotos . ']",14-17,F,"['profesión', 'genero', 'otra cosa']"
los * madrugan,"['panaderos', 'jueces']",,,"['genero', 'profesion']"
las * cantan bien,"[""d'alba"", 'viejas']",,,"['edad', none]"
hoy llueve,"['nada']",,,[none]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "dataset v1.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_word_in_the_gap_is_a_sentence_and_counts_once(tmp_path):
    read = sentences_of(written(tmp_path, GAPS))
    assert read is not None
    source, how = read
    assert pl.read_parquet(source.open("rb")).select("statement", "axis", "respondent").rows() == [
        ("los panaderos madrugan", "gender, profession", "1"),
        ("los pilotos madrugan", "gender, profession", "1"),
        ("los jueces madrugan", "gender, profession", "2"),
        ("las d'alba cantan bien", "age", "3"),
        ("las viejas cantan bien", "age", "3"),
        ("hoy llueve", "unspecified", "4"),
    ]
    assert "heseia: 6 different sentences from 4 rows" in how
    assert sentences_of(written(tmp_path, "statement\nBakers are early\n")) is None


def test_a_list_of_python_is_read_without_running_it():
    assert listed("[None, 'pobres', \"d'alba\", ' . ', __import__('os')]") == ["pobres", "d'alba", "os"]


def test_groups_are_read_from_the_sentences_and_nothing_personal_is_kept(tmp_path):
    path, out = written(tmp_path, GAPS), tmp_path / "statements.csv"
    result = CliRunner().invoke(app, ["curate", "extract", str(path), "-o", str(out), "--language", "es"])
    assert result.exit_code == 0, result.output
    table = pl.read_csv(out, infer_schema_length=0)
    assert ("panaderos", "madrugan") in table.select("identity", "attribute").rows()
    assert not {"age", "gender"} & set(table.columns)
    assert "let people judge them" in result.stderr
