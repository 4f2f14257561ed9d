"""Published data gives the same items through every door: file, copies of it in other formats, and data frames."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import endoxa as ex
from endoxa.api.runs import _settings_asked
from endoxa.curate.published import read_associations
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.items import chunks
from endoxa.instruments.questions.probe.jobs import items
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.sources.read import convert_pairs
from endoxa.sources.source import Source
from endoxa.sources.stereoset import STEREOSET

pd = pytest.importorskip("pandas")

PAIRS = {
    "crows-pairs": "crows_pairs/crows_pairs_anonymized.csv",
    "indibias": "indibias/IndiBias_v1_sample.csv",
    "s-as": "afristereo/s_as_pairs.csv",
}
QUESTIONS = {
    "bbq": "bbq/Religion.jsonl",
    "esbbq": "published/esbbq/Nationality_es.jsonl",
    "cabbq": "published/esbbq/Religion_ca.jsonl",
    "kobbq": "published/kobbq/KoBBQ_test_samples.tsv.gz",
}
HEAD = 40


@contextmanager
def written(name: str, data: Any, folder: Path) -> Iterator[dict[str, Any]]:
    """The settings of a run over data of any kind, the data in a file."""
    with _settings_asked(name, data, ["sim/biased"], folder / "run", None, {}, False) as (values, _):
        yield {path[0]: value for path, value in values.items() if len(path) == 1}


def copies(frame: pl.DataFrame, folder: Path) -> dict[str, Any]:
    """Copies of a flat table as files and frames."""
    paths = {suffix: folder / f"copy.{suffix}" for suffix in ("csv", "parquet", "jsonl")}
    frame.write_csv(paths["csv"])
    frame.write_parquet(paths["parquet"])
    frame.write_ndjson(paths["jsonl"])
    categories = frame.with_columns(pl.col(frame.columns[-1]).cast(pl.Categorical))
    return paths | {
        "polars": frame,
        "pandas": frame.to_pandas(),
        "pandas from CSV": pd.read_csv(paths["csv"], keep_default_na=False),
        "categories": categories,
    }


def pair_items(data: Any, folder: Path) -> list[dict[str, Any]]:
    with written("pairs", data, folder) as values:
        settings = PairsSettings(data=values["data"])
        return [item for chunk in chunks(Path(settings.data), settings) for item in chunk.items]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(shared: Path, tmp_path: Path, name: str) -> None:
    frame = pl.read_csv(shared / "data" / PAIRS[name], infer_schema=False).head(HEAD)
    path = tmp_path / "published.csv"
    frame.write_csv(path)
    published = pair_items(path, tmp_path)
    convert_pairs(path, tmp_path / "native.csv")
    ours = {"native.csv": tmp_path / "native.csv", "load_pairs": ex.load_pairs(path)}
    for door, copy in (copies(frame, tmp_path) | ours).items():
        assert pair_items(copy, tmp_path) == published, door


@pytest.mark.slow
def test_a_part_of_a_frame_keeps_the_names_of_its_pairs(shared: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(shared / "data" / PAIRS["crows-pairs"])
    part = pair_items(frame[frame["bias_type"] == "age"], tmp_path)
    whole = {item["item_id"]: item for item in pair_items(shared / "data" / PAIRS["crows-pairs"], tmp_path)}
    assert len(part) == 87
    assert all(item == whole[item["item_id"]] for item in part)


def question_items(data: Any, folder: Path) -> list[dict[str, Any]]:
    with written("qa", data, folder) as values:
        return [asdict(item) for item in items(QaSettings(data=values["data"]))]


def question_copies(rows: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Copies of questions with and without nested columns."""
    frame, flat = pl.DataFrame(rows, infer_schema_length=None), pd.json_normalize(rows)
    paths = {
        name: folder / name
        for name in ("nested.parquet", "flat.parquet", "flat.csv", "flat.jsonl", "text.csv")
    }
    frame.write_parquet(paths["nested.parquet"])
    flat.to_parquet(paths["flat.parquet"])
    flat.to_csv(paths["flat.csv"], index=False)
    flat.to_json(paths["flat.jsonl"], orient="records", lines=True)
    as_text = [
        {name: json.dumps(cell) if isinstance(cell, list | dict) else cell for name, cell in row.items()}
        for row in rows
    ]
    pl.DataFrame(as_text, infer_schema_length=None).write_csv(paths["text.csv"])
    arrays = folder / "arrays.csv"
    frame.to_pandas().to_csv(arrays, index=False)  # lists as NumPy writes them
    return paths | {"arrays.csv": arrays, "polars": frame, "pandas": pd.DataFrame(rows), "normalised": flat}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(shared: Path, tmp_path: Path, name: str) -> None:
    packed = shared / "data" / QUESTIONS[name]
    path = tmp_path / packed.name.removesuffix(".gz")
    content = packed.read_bytes()
    lines = (gzip.decompress(content) if packed.suffix == ".gz" else content).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:HEAD]))
    published = question_items(path, tmp_path)
    assert all(item["target"] is not None for item in published)
    if path.suffix == ".tsv":
        doors = copies(pl.read_csv(path, separator="\t", infer_schema=False), tmp_path)
    else:
        doors = question_copies([json.loads(line) for line in lines[:HEAD]], tmp_path)
    for door, copy in doors.items():
        assert question_items(copy, tmp_path) == published, door


def test_entries_of_stereoset(tmp_path: Path) -> None:
    document = json.loads(STEREOSET.example)["data"]
    path = tmp_path / "dev.json"
    path.write_text(STEREOSET.example, encoding="utf-8")
    published = ex.load_pairs(path)
    entries = [*document["intersentence"], *document["intrasentence"]]
    labels = ["anti-stereotype", "stereotype", "unrelated"]
    columns = []
    for entry in entries:
        texts = [sentence["sentence"] for sentence in entry["sentences"]]
        golds = [labels.index(sentence["gold_label"]) for sentence in entry["sentences"]]
        columns.append(entry | {"sentences": {"sentence": texts, "gold_label": golds}})
    for rows in (entries, columns):
        pl.DataFrame(rows).write_parquet(tmp_path / "hub.parquet")
        for door in (pl.DataFrame(rows), pd.DataFrame(rows), tmp_path / "hub.parquet"):
            assert ex.load_pairs(door).equals(published)


def test_the_language_that_the_name_of_a_file_says_must_be_a_column_of_a_frame(shared: Path) -> None:
    path = shared / "data/published/seegull-multilingual/stereotypes_German_de_in_Germany.csv.gz"
    frame = pl.read_csv(gzip.decompress(path.read_bytes()), infer_schema=False)
    with pytest.raises(ex.UserError, match="add columns 'language' and 'region'"):
        read_associations(Source.of_frame(frame.head(20)))
