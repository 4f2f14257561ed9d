"""Every format: its own rules, the battery, the published files, and what is refused."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endoxa.api.inputs import load_pairs
from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources import READERS
from endoxa.sources.check import check_file
from endoxa.sources.frames import write_table
from endoxa.sources.read import convert_pairs, read_pairs, recognise
from endoxa.sources.source import reading_files
from endoxa.testing.plugins import check_reader

NAMES = ("crows-pairs", "indibias", "s-as", "stereoset", "native")
TEMPORARY = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
CROWS = "crows_pairs/crows_pairs_anonymized.csv"
INDIBIAS = "indibias/IndiBias_v1_sample.csv"
S_AS = "afristereo/s_as_pairs.csv"


def read(path: Path, name: str | None = None, **options) -> pl.DataFrame:
    return pl.concat(read_pairs(path, ReadOptions(**options), name))


def refusal(path: Path, name: str | None = None, **options) -> str:
    with pytest.raises(UserError) as error:
        read(path, name, **options)
    return str(error.value)


def complaint(path: Path, name: str | None = None) -> str | None:
    """What is said against a file, None where it is read; any other exception fails the test."""
    try:
        read(path, name)
    except UserError as error:
        return str(error)
    return None


def written(tmp_path: Path, text: str, name: str = "pairs.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# --------------------------------------------------------------------------- all formats


@pytest.mark.parametrize("name", NAMES)
def test_battery(name):
    check_reader(READERS.get(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_recognised_as_its_own_format(name, tmp_path):
    reader = READERS.get(name)
    assert recognise(written(tmp_path, reader.example, f"x{reader.suffixes[0]}")).name == name


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".json"])
@given(content=st.binary(max_size=400))
@TEMPORARY
def test_arbitrary_bytes_raise_nothing_but_user_errors(tmp_path, suffix, content):
    path = tmp_path / f"bytes{suffix}"
    path.write_bytes(content)
    for name in (None, *NAMES):
        with pytest.raises(UserError):
            read(path, name)


@given(tail=st.binary(max_size=100), cut=st.integers(0, 60))
@TEMPORARY
def test_a_damaged_parquet_file_raises_nothing_but_user_errors(tmp_path, tail, cut):
    path = tmp_path / "pairs.parquet"
    pl.DataFrame({"sent_more": ["a"], "sent_less": ["b"]}).write_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 - cut] + tail + content[len(content) // 2 :])
    assert "pairs.parquet" in (complaint(path) or "pairs.parquet")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(value=json_values)
@TEMPORARY
def test_arbitrary_json_raises_nothing_but_user_errors(tmp_path, value):
    for name, content in (
        ("a.json", {"data": {"intrasentence": value}}),
        ("b.json", {"data": {"intrasentence": [value]}}),
        ("c.json", {"data": value}),
        ("d.jsonl", {"sent_more": value, "sent_less": "b"}),
        ("e.jsonl", value),
    ):
        path = written(tmp_path, json.dumps(content), name)
        assert name in (complaint(path, "stereoset" if name.endswith("json") else "native") or name)


# --------------------------------------------------------------------------- what is refused, in which words


def test_folder_and_empty_file(tmp_path):
    assert "is a folder" in refusal(tmp_path)
    assert "is empty" in refusal(written(tmp_path, ""))


def test_unknown_format_lists_what_was_looked_for(tmp_path):
    message = refusal(written(tmp_path, "colour\nred\n"))
    assert "'colour'" in message
    assert all(f"{name} (" in message for name in NAMES)


KINDS = pl.DataFrame(
    {
        "sent_more": ["Nurses are kind.", "Cooks are kind."],
        "sent_less": ["Nurses are cruel.", "Cooks are cruel."],
        "identity": pl.Series([b"nurses", None], dtype=pl.Binary),
        "axis": pl.Series(["work", None], dtype=pl.Categorical),
        "language": pl.Series(["en", "en"], dtype=pl.Enum(["en", "fr"])),
        "item_id": [1, 2],
        "region": [1.5, float("nan")],
        "attribute_more": pl.Series([date(2026, 1, 2), None]),
        "attribute_less": [True, None],
        "prompt": pl.Series([None, None], dtype=pl.Null),
        "agreement": [float("inf"), None],
    }
)


@pytest.mark.parametrize("door", ["parquet", "frame"])
def test_whatever_type_a_column_has_its_cells_are_text_or_missing(tmp_path: Path, door: str) -> None:
    KINDS.write_parquet(tmp_path / "x.parquet")
    pairs = load_pairs(tmp_path / "x.parquet" if door == "parquet" else KINDS)
    columns = "identity axis language item_id region attribute_more attribute_less agreement"
    assert pairs.select(columns.split()).rows() == [
        ("nurses", "work", "en", "1", "1.5", "2026-01-02", "true", None),
        (None, "unspecified", "en", "2", None, None, None, None),
    ]


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    KINDS.with_columns(identity=pl.Series([b"ok", b"caf\xe9"], dtype=pl.Binary)).write_parquet(path)
    assert "row 2, column 'identity': is not UTF-8 text" in refusal(path)
    with reading_files(languages=["fr"]):
        assert read(path)["identity"].to_list() == ["ok", "café"]


@pytest.mark.parametrize(("suffix", "column"), [("parquet", "sent_more"), ("jsonl", "bias_type")])
def test_a_list_is_no_text_and_one_that_nobody_reads_does_not_matter(
    tmp_path: Path, suffix: str, column: str
) -> None:
    pairs = pl.DataFrame({"sent_more": ["A b."], "sent_less": ["C b."], "tags": [["x", "y"]]})
    path = tmp_path / f"x.{suffix}"
    write_table(pairs, path)
    assert read(path).height == 1
    convert_pairs(path, tmp_path / "out.csv")
    assert pl.read_csv(tmp_path / "out.csv")["tags"].to_list() == ['["x", "y"]']
    listed = pairs.with_columns(pl.Series(column, [["A", "b."]]))
    write_table(listed, path)
    assert [(one.check, one.column) for one in check_file(path) if one.severity == "error"] == [
        ("not-text", column)
    ]
    assert f"column '{column}': holds list where text is expected" in refusal(path)
    with pytest.raises(UserError, match=f"^The data frame, row 1, column '{column}': holds list"):
        load_pairs(listed)


@pytest.mark.parametrize("name", ["x.parquet.gz", "x.csv"])
def test_a_compressed_file_is_to_be_unpacked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"sent_more,sent_less\nA,B\n"))
    assert refusal(path) == f"{path} is compressed. Unpack it first: gunzip {path}"


# --------------------------------------------------------------------------- the formats' own rules


def test_crows_pairs_always_stereotypes_in_sent_more(tmp_path):
    path = written(tmp_path, READERS.get("crows-pairs").example)
    pairs = read(path)
    assert pairs["stereotypical"].to_list() == ["more", "more"]
    assert pairs["direction"].to_list() == ["stereo", "antistereo"]
    assert pairs["item_id"].to_list() == ["crows-0", "crows-1"]
    assert pairs["identity"].to_list() == ["farmers", "bakers"]
    assert set(read(path, language="fr")["language"]) == {"fr"}


def test_indibias_rows_become_an_english_and_a_hindi_pair(tmp_path):
    pairs = read(written(tmp_path, READERS.get("indibias").example))
    assert pairs["item_id"].to_list() == ["indibias-7-en", "indibias-7-hi", "indibias-9-en", "indibias-9-hi"]
    assert pairs["stereotypical"].to_list() == ["more", "more", "less", "less"]
    assert pairs["identity"].to_list() == ["farmers", "किसान", "pilots", "पायलट"]
    assert set(pairs["axis"]) == {"profession"}


def test_s_as_writes_prefix_sentence_and_question(tmp_path):
    path = written(tmp_path, "identity,canonical_attribute,anti_stereotype,type\nWomen,calm,restless,women\n")
    pair = read(path, prefix="Coastal").row(0, named=True)
    assert pair["sent_more"] == "Coastal Women are calm."
    assert pair["sent_less"] == "Coastal Women are restless."
    assert (pair["identity"], pair["axis"]) == ("Coastal Women", "gender")
    assert pair["prompt"] == "What are coastal women like?"
    assert (pair["attribute_more"], pair["attribute_less"]) == ("calm", "restless")
    pair = read(path, template="most {identity} seem {attribute}", language="xx").row(0, named=True)
    assert (pair["sent_more"], pair["prompt"]) == ("Most Women seem calm", None)


@pytest.mark.parametrize("template", ["{identity} are nice", "{", "{identity!r} {attribute}"])
def test_s_as_refuses_a_template_without_its_places(tmp_path, template):
    path = written(tmp_path, READERS.get("s-as").example)
    assert "template" in refusal(path, template=template)


def test_stereoset_joins_context_and_leaves_the_unrelated_sentence(tmp_path):
    pairs = read(written(tmp_path, READERS.get("stereoset").example, "dev.json"))
    assert pairs["item_id"].to_list() == ["b1", "a1"]
    assert pairs["sent_more"].to_list() == [
        "The baker lives next door. She gets up early.",
        "The farmer is patient.",
    ]
    assert pairs["identity"].to_list() == ["baker", "farmer"]


def test_native_defaults_and_unknown_columns(tmp_path):
    path = written(tmp_path, "sent_more,sent_less,colour,bias_type\nA.,B.,red, Age\n", "mine.csv")
    assert read(path).row(0, named=True) == dict.fromkeys(PAIR_COLUMNS) | {
        "item_id": "mine-1",
        "language": "und",
        "axis": "age",
        "direction": "unknown",
        "stereotypical": "more",
        "sent_more": "A.",
        "sent_less": "B.",
    }


@pytest.mark.slow
def test_published_files_are_read_completely(shared):
    crows = read(shared / "data" / CROWS)
    assert (crows.height, crows["axis"].n_unique(), crows["item_id"].n_unique()) == (1508, 9, 1508)
    assert crows["direction"].value_counts(sort=True).rows() == [("stereo", 1290), ("antistereo", 218)]
    indibias = read(shared / "data" / INDIBIAS)
    assert (indibias.height, indibias["axis"].n_unique(), indibias["item_id"].n_unique()) == (1122, 7, 1122)
    assert indibias.filter(pl.col("language") == "hi").height == 561
    assert read(shared / "data" / S_AS).height == 10


def test_s_as_sentences_are_those_that_were_scored(shared):
    scored = pl.read_csv(shared / "data" / "reference_scores" / "lm_scores_afri_first20.csv")
    pairs = read(shared / "data" / S_AS)
    ours = {*pairs["sent_more"], *pairs["sent_less"]}
    common = scored.filter(pl.col("text").is_in(ours))
    assert common.height >= 6
    prompts = dict(zip(pairs["sent_more"], pairs["prompt"], strict=True))
    for text, prompt in common.select("text", "prompt").iter_rows():
        assert prompts.get(text, prompt) == prompt
