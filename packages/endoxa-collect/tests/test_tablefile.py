"""The one reader of tables: every form has the same rows, and a fault has its place."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

from endoxa.sources.source import Source
from endoxa_collect.tablefile import TableError, read_rows

ROWS = [{"id": "a", "text": "uno, dos"}, {"id": "b", "text": "trois"}, {"id": "c", "text": "日本"}]
CSV = 'id,text\na,"uno, dos"\nb,trois\nc,日本\n'.encode()


@pytest.fixture
def forms(tmp_path):
    """The same table in every form, by its name."""
    pl.DataFrame(ROWS).write_parquet(tmp_path / "items.parquet")
    lines = "\n".join(map(json.dumps, ROWS)).encode()
    contents = {
        "items.csv": CSV,
        "items.tsv": CSV.replace(b'"uno, dos"', b"uno; dos").replace(b",", b"\t").replace(b";", b","),
        "items.jsonl": lines,
        "items.json": json.dumps(ROWS, indent=1).encode(),
        "lines.json": lines,
        "items.csv.gz": gzip.compress(CSV, mtime=0),
        "items.json.gz": gzip.compress(json.dumps(ROWS).encode()),
        "items.parquet.gz": gzip.compress((tmp_path / "items.parquet").read_bytes()),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in ("items.parquet", *contents)]


def test_every_form_has_the_same_rows_with_their_places(forms):
    for path in forms:
        rows = list(read_rows(path, ("id", "text")))
        assert [row.cells for row in rows] == ROWS, path
        in_lines = path.name in {"items.csv", "items.tsv", "items.csv.gz", "items.jsonl"}
        first = f"line {1 if path.name.endswith('.jsonl') else 2}" if in_lines else "row 1"
        assert rows[0].place == f"{path}, {first}"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("items.json", b'[{"id": "a", "text": "x"}, {"id": ', "items.json cannot be read: Expecting value"),
        ("items.json", b'[{"id": "a"}]', "items.json has no column 'text' (found: id). Expected: id, text."),
        (
            "items.json",
            b'[{"id": "a", "text": "x"}, 5]',
            "items.json, row 2, is no proper JSON: is not a JSON",
        ),
        (
            "items.csv.gz",
            gzip.compress(CSV, mtime=0)[:-9],
            "items.csv.gz cannot be read: Compressed file ended",
        ),
        ("items.parquet", CSV, "items.parquet cannot be read: items.parquet is not a Parquet file"),
        ("items.csv", b"id,text\n,\n \n", "items.csv has no rows. Expected: id, text."),
        ("items.csv", b"id,text\na,b\nc,d,e\n", "items.csv, line 3, has more cells than there are columns"),
        ("items.pdf", CSV, "items.pdf is of an unknown kind: use a file that ends in one of .csv, .tsv"),
    ],
)
def test_a_fault_is_one_sentence_with_its_place(name, content, sentence):
    with pytest.raises(TableError) as problem:
        list(read_rows(Source.in_memory(name, content, name), ("id", "text")))
    assert str(problem.value).startswith(sentence)
    assert "\n" not in str(problem.value)


def test_rows_that_end_early_have_empty_cells_and_names_are_known_in_any_spelling():
    content = Source.in_memory("a.csv", b"Text;ID;Group\nx;1\ny;2;women\n", "a.csv")
    rows = list(read_rows(content, ("id", "text", "country"), also={"group": "country"}))
    assert [row.cells for row in rows] == [
        {"text": "x", "id": "1", "country": ""},
        {"text": "y", "id": "2", "country": "women"},
    ]
