"""Writing and converting: what goes in comes out, and a failed write leaves the old file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources.frames import write_pairs
from endoxa.sources.read import convert_pairs, read_pairs

SUFFIXES = (".csv", ".jsonl", ".parquet")
no_text = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
sentences = st.text(no_text, min_size=1, max_size=30).filter(str.strip)
optional = st.none() | st.text(no_text, min_size=1, max_size=10)


def frame(**columns) -> pl.DataFrame:
    height = len(columns["sent_more"])
    plain = {
        "item_id": [f"p{i}" for i in range(height)],
        "language": ["en"] * height,
        "axis": ["age"] * height,
        "direction": ["stereo"] * height,
        "stereotypical": ["more"] * height,
    }
    given = plain | columns
    return pl.DataFrame(
        {name: given.get(name, [None] * height) for name in PAIR_COLUMNS},
        schema=dict.fromkeys(PAIR_COLUMNS, pl.String),
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@given(cells=st.lists(st.tuples(sentences, sentences, optional), min_size=1, max_size=5))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
def test_any_cell_text_survives(tmp_path, suffix, cells):
    more, less, identity = map(list, zip(*cells, strict=True))
    pairs = frame(sent_more=more, sent_less=less, identity=identity)
    path = tmp_path / f"pairs{suffix}"
    write_pairs(pairs.iter_slices(2), path)
    assert pl.concat(read_pairs(path, ReadOptions(chunk_rows=3))).equals(pairs)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_write_keeps_the_old_file_and_no_rest(tmp_path, suffix):
    def broken():
        yield frame(sent_more=["A."], sent_less=["B."])
        raise UserError("row 2 is broken")

    path = tmp_path / f"pairs{suffix}"
    path.write_text("old")
    with pytest.raises(UserError, match="row 2 is broken"):
        write_pairs(broken(), path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_file_may_be_converted_onto_itself(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("sent_more,sent_less\n" + "A.,B.\n" * 50)
    assert convert_pairs(path, path, ReadOptions(chunk_rows=7)) == 50
    assert pl.concat(read_pairs(path)).height == 50


def test_targets_that_cannot_be_written(tmp_path):
    pairs = frame(sent_more=["A."], sent_less=["B."])
    for path in (tmp_path / "no" / "x.csv", tmp_path, tmp_path / "x.xlsx"):
        with pytest.raises(UserError, match=path.name):
            write_pairs(iter([pairs]), path if path.suffix else path.with_name(path.name))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    """A file of endless rows can be begun: frames come before the end is known."""
    path: Path = tmp_path / "pairs.csv"
    path.write_text("sent_more,sent_less\n" + "A.,B.\n" * 20_000)
    frames = read_pairs(path, ReadOptions(chunk_rows=10))
    with path.open("a") as stream:
        assert next(frames).height == 10
        stream.write(",\n")
    with pytest.raises(UserError, match="row 20001"):
        list(frames)
