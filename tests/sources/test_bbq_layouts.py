"""EsBBQ, CaBBQ, CBBQ and KoBBQ are read as published."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from endoxa.errors import UserError
from endoxa.sources.bbq.items import read_items
from endoxa.sources.bbq.rows import is_bbq

pytestmark = pytest.mark.slow

CBBQ = {
    "example_id": "1",
    "question_index": "1",
    "question_polarity": "non-neg",
    "context_condition": "disambiguous",
    "category": "age",
    "bias_targeted_groups": "老人",
    "context": "一个老人和一个学生。学生来了。",
    "question": "谁来了？",
    "ans0": "老人",
    "ans1": "学生",
    "ans2": "不确定",
    "label": "1",
}
KOBBQ = "sample_id\tcontext\tquestion\tchoices\tbiased_answer\tanswer\n"


def test_a_json_array_of_cbbq_is_a_file_of_questions(tmp_path):
    path = tmp_path / "disambiguous.json"
    path.write_text(json.dumps([CBBQ, {**CBBQ, "example_id": "2"}], ensure_ascii=False, indent=1))
    assert is_bbq(path)
    first, second = read_items(path)
    assert (first.label, first.unknown, first.polarity, first.condition) == (1, 2, "nonneg", "disambig")
    assert first.target == 1  # of the question that is not negative, the other person
    assert (first.language, second.example_id) == ("zh", "disambiguous-2")


@pytest.mark.parametrize(
    ("sample", "choices"), [("age-1", "['가', '나', '알 수 없음']"), ("age-001a-002-amb-bsd", "가, 나")]
)
def test_a_row_that_is_no_sample_of_kobbq_is_named(tmp_path, sample, choices):
    path = tmp_path / "samples.tsv"
    path.write_text(f"{KOBBQ}{sample}\t글\t누구?\t{choices}\t가\t나\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: not a record of KoBBQ"):
        list(read_items(path))


def test_the_target_of_every_question_of_kobbq_is_its_biased_answer(shared, tmp_path):
    packed = shared / "data/published" / "kobbq" / "KoBBQ_test_samples.tsv.gz"
    path = tmp_path / "KoBBQ_test_samples.tsv"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with path.open(encoding="utf-8") as stream:
        published = list(csv.DictReader(stream, delimiter="\t"))
    items = list(read_items(path))
    assert len(items) == len(published) == 1104  # the README's count
    for item, row in zip(items, published, strict=True):
        assert item.options[item.target] == row["biased_answer"]
        assert item.options[item.label] == row["answer"]


@pytest.mark.parametrize(
    ("name", "number", "unknown"),
    [
        ("Nationality_es", 288, "No se sabe"),
        ("Religion_ca", 384, "No se sap"),
        ("SpanishRegion_es", 540, "No se sabe"),
    ],
)
def test_every_question_of_esbbq_has_a_target_and_a_wording_of_unknown(shared, name, number, unknown):
    items = list(read_items(shared / "data/published" / "esbbq" / f"{name}.jsonl"))
    assert len(items) == number  # the README's count
    assert {item.options[item.unknown] for item in items} == {unknown}
    assert {item.language for item in items} == {name[-2:]}
    assert all(item.target is not None for item in items)
    assert {item.label == item.unknown for item in items if item.condition == "ambig"} == {True}
