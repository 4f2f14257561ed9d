"""A folder for the hub: its parsers take it, nothing about respondents is in it, open places are counted."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import polars as pl
import pytest

from endoxa.demo.planted import SAMPLE
from endoxa.errors import UserError
from endoxa.export.datasheet import Facts, question_keys, read_facts
from endoxa.export.hub import export_hub
from endoxa.export.licences import Terms
from endoxa.export.material import read_material
from support.export_samples import ASSOCIATIONS, PAIRS, STATEMENTS, write

NOTHING = Terms()


def release(path, target, *, keep=(), terms=NOTHING, facts=Facts(), **more):  # noqa: B008
    material = read_material(path, keep=keep)
    released = export_hub(material, target, terms, facts, **more)
    rows, kind, left_out = material.table.height, material.kind, material.left_out
    return SimpleNamespace(rows=rows, kind=kind, left_out=left_out, **asdict(released))


def everything(folder):
    return "\n".join(
        path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".parquet"
    )


def card(folder):
    from huggingface_hub import DatasetCard

    return DatasetCard.load(folder / "README.md").data.to_dict()


def test_the_hub_s_own_library_loads_the_folder_and_reads_its_card(tmp_path):
    from datasets import load_dataset

    release(SAMPLE, tmp_path / "out", terms=Terms.of("CC0-1.0", None, None), name="A: sample")
    rows = load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert list(rows) == ["test"]
    assert pl.DataFrame(rows["test"].to_dict()).equals(
        pl.read_parquet(tmp_path / "out" / "data" / "pairs.parquet")
    )
    found = card(tmp_path / "out")
    assert found["pretty_name"] == "A: sample"
    assert found["language"] == ["en", "es", "fr", "hi", "sw"]
    assert found["license"] == "cc0-1.0"
    assert found["size_categories"] == "n<1K"
    assert found["configs"][0]["data_files"] == [{"split": "test", "path": "data/pairs.parquet"}]


def test_jsonl_and_parquet_hold_the_rows_of_the_file(tmp_path):
    path = write(tmp_path, "pairs.csv", PAIRS)
    release(path, tmp_path / "out")
    parquet = pl.read_parquet(tmp_path / "out" / "data" / "pairs.parquet")
    jsonl = pl.read_ndjson(tmp_path / "out" / "data" / "pairs.jsonl", schema=parquet.schema)
    assert jsonl.equals(parquet)
    assert parquet["sent_less"].to_list() == pl.read_csv(path)["sent_less"].to_list()
    assert parquet["how"].to_list() == ["negation", "antonym", "antonym", "antonym"]
    assert card(tmp_path / "out")["language"] == ["en", "no"], "no is not the YAML word for false"


def test_pairs_leave_reviewers_and_notes_behind(tmp_path):
    path = write(tmp_path, "pairs.csv", PAIRS)
    released = release(path, tmp_path / "out")
    assert released.left_out == ("reviewed_by", "note")
    assert "Ada" not in everything(tmp_path / "out")
    assert release(path, tmp_path / "kept", keep=["reviewed_by"]).left_out == ("note",)
    assert (
        pl.read_parquet(tmp_path / "kept" / "data" / "pairs.parquet")["reviewed_by"].to_list() == ["Ada"] * 4
    )


def test_rows_that_reviewers_omitted_are_not_released(tmp_path):
    lines = PAIRS.splitlines()
    reviewed = "\n".join(
        f"{line},{decision}"
        for line, decision in zip(lines, ["review_decision", "keep", "omit", "", "edit"], strict=True)
    )
    released = release(write(tmp_path, "reviewed.csv", reviewed), tmp_path / "out")
    assert released.rows == 3
    assert "Bakers get up late" not in everything(tmp_path / "out")
    assert "decided to omit, and that are not in it: 1." in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(UserError, match="no rows left"):
        release(
            write(tmp_path, "none.csv", f"{lines[0]},review_decision\n{lines[1]},omit\n"), tmp_path / "none"
        )


def test_statements_leave_respondents_behind_unless_named(tmp_path):
    path = write(tmp_path, "statements.csv", STATEMENTS)
    released = release(path, tmp_path / "out")
    assert released.kind == "statements"
    assert released.left_out == ("respondent", "country", "gender")
    assert not {"respondent", "country", "gender"} & set(
        pl.read_parquet(tmp_path / "out" / "data" / "statements.parquet").columns
    )
    assert "Ruritania" not in everything(tmp_path / "out")
    assert any("begin with the respondent's code" in warning for warning in released.warnings)
    kept = release(path, tmp_path / "kept", keep=["country"])
    assert kept.left_out == ("respondent", "gender")
    assert "named: `country`" in (tmp_path / "kept" / "README.md").read_text()
    spelled = write(tmp_path, "spelled.csv", STATEMENTS.replace("country", "Country", 1))
    assert release(spelled, tmp_path / "spelled", keep=["Country"]).left_out == ("respondent", "gender")


def test_associations_say_their_source_and_leave_the_ids_of_statements_behind(tmp_path):
    released = release(write(tmp_path, "associations.csv", ASSOCIATIONS), tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text()
    assert (released.kind, released.left_out) == ("associations", ("statement_ids",))
    assert f"Source: a survey of 2025 ({released.rows} rows)." in text
    assert "17-work-001" not in everything(tmp_path / "out")
    assert "| bakers | 1 |" in text


def test_open_places_are_counted_and_become_fewer_with_every_fact(tmp_path):
    path = write(tmp_path, "pairs.csv", PAIRS)
    bare = release(path, tmp_path / "bare")
    assert sum(bare.open.values()) == everything(tmp_path / "bare").count("[open: ")
    answers = "".join(f'{key} = "Told."\n' for key in question_keys())
    about = '[about]\nauthors = ["A Lab", "B"]\ncontact = "x@example.org"\nversion = "1"\n'
    facts = read_facts(write(tmp_path, "facts.toml", answers + about))
    told = release(path, tmp_path / "told", terms=Terms.of("cc-by-4.0", None, None), facts=facts)
    assert told.open == {}
    assert told.warnings == ()
    text = (tmp_path / "told" / "README.md").read_text()
    assert "There are 4 rows. Told." in text, "what is known stays beside what is told"


def test_a_licence_is_never_guessed(tmp_path):
    released = release(SAMPLE, tmp_path / "out")
    assert any("--license" in warning for warning in released.warnings)
    assert "[open: license]" in (tmp_path / "out" / "LICENSE").read_text()
    assert card(tmp_path / "out")["license"] == "unknown"
    assert "license" not in (tmp_path / "out" / "CITATION.cff").read_text()


def test_citation_is_yaml_with_what_the_format_requires(tmp_path):
    yaml = pytest.importorskip("yaml")
    facts = Facts({"version": "1.10", "title": 'Say "no": a test'}, ("A Lab", "No"))
    release(SAMPLE, tmp_path / "out", terms=Terms.of("ODbL-1.0", None, None), facts=facts)
    found = yaml.safe_load((tmp_path / "out" / "CITATION.cff").read_text())
    assert found == {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them.",
        "type": "dataset",
        "title": 'Say "no": a test',
        "authors": [{"name": "A Lab"}, {"name": "No"}],
        "version": "1.10",
        "license": "ODbL-1.0",
    }


def test_given_texts_are_put_in_as_they_are(tmp_path):
    text = write(tmp_path, "terms.txt", "Ask the elders.\n")
    citation = write(tmp_path, "c.cff", "cff-version: 1.2.0\ntitle: x\nmessage: x\nauthors:\n  - name: y\n")
    release(SAMPLE, tmp_path / "out", terms=Terms.of(None, text, citation))
    assert (tmp_path / "out" / "LICENSE").read_text() == "Ask the elders.\n"
    assert (tmp_path / "out" / "CITATION.cff").read_bytes() == citation.read_bytes()
    assert card(tmp_path / "out")["license"] == "other"
