"""Questions say which command made them and from which words; nobody else's question is called ours."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.options import QaOptions
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.sources.bbq.rows import read_rows, write_items

pytestmark = pytest.mark.slow

OURS = {"names of peoples": ["es"], "person question templates": ["es"], "question templates": ["es"]}
FLAT = (
    *("context", "question", "ans0", "ans1", "ans2", "label", "question_polarity", "context_condition"),
    *("category", "example_id", "language", "unknown", "built_by", "words"),
)


def made_with(path: Path) -> dict[str, list[str]]:
    """What a run of these questions keeps of the words that they were made with."""
    instrument = INSTRUMENTS.get("qa")
    used = instrument.words(instrument.settings(data=str(path)))
    reading = ("answer patterns", "answer words", "question prompts")
    return {name: codes for name, codes in used.items() if name not in reading}


def test_questions_rest_on_templates_and_names_of_peoples_in_every_file(tmp_path: Path) -> None:
    associations = pl.DataFrame(
        {
            "identity": ["chilenos", "peruanos"],
            "attribute": ["amables", "puntuales"],
            "built_by": ["endoxa author adapt", "somebody"],
            "words": ["opposites:hi", "opposites:sw"],
        }
    )
    path = tmp_path / "q.jsonl"
    write_items(build_questions(associations, QaOptions(language="es")).records, path)
    rows = [row for _, row in read_rows(path)]
    flat = pl.DataFrame([{name: ({"unknown": row["label"]} | row)[name] for name in FLAT} for row in rows])
    flat.write_csv(path.with_suffix(".csv"))
    flat.write_parquet(path.with_suffix(".parquet"))
    for suffix in (".jsonl", ".csv", ".parquet"):
        # The first association was made with words of ours, too; the second is somebody else's.
        assert made_with(path.with_suffix(suffix)) == {**OURS, "opposites": ["hi"]}
    for columns in ({}, {"built_by": "me"}, {"built_by": 3, "words": [1]}):
        bare = [{key: value for key, value in row.items() if key != "built_by"} for row in rows]
        write_items([row | columns for row in bare], path)
        assert made_with(path) == {}
