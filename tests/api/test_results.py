"""Results: tables, charts, pages; runs in temporary folders; models that are objects of the program."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from transformers import AutoModelForCausalLM, AutoTokenizer

import endoxa as ex
from support import qa_questions, tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.causal(tmp_path_factory.mktemp("model") / "gpt")


@pytest.fixture(scope="module")
def pairs() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item_id": [f"p{k}" for k in range(16)],
            "language": "en",
            "identity": [f"g{k % 8}" for k in range(16)],
            "sent_more": [f"{tiny.PAIRS[k % 4].sent_more} {k}" for k in range(16)],
            "sent_less": [f"{tiny.PAIRS[k % 4].sent_less} {k}" for k in range(16)],
        }
    )


@pytest.fixture(scope="module")
def result(folder: Path, pairs: pl.DataFrame) -> ex.Result:
    return ex.probe_pairs(pairs, f"hf/{folder}", rules="sum", progress=False)


@pytest.mark.slow
def test_a_result_has_tables_charts_and_a_page(result: ex.Result, tmp_path: Path) -> None:
    assert len(result.records) == 16
    assert {"preference_ratio"} < set(result.estimates["name"])
    assert result.comparisons.is_empty()  # one model
    [ratio] = result.estimates.filter(name="preference_ratio", interval="identities", axis="all").rows(
        named=True
    )
    assert (result.ratio, *result.interval) == (ratio["value"], ratio["low"], ratio["high"])
    measure = result.measure("difference", rule="sum", model="gpt")
    assert (measure.n, measure.where["axis"]) == (16, "all")
    with pytest.raises(ex.UserError, match=r"no rule 'mean'. There are: sum"):
        result.measure(rule="mean")
    with pytest.raises(ex.UserError, match=r"no estimate 'bias'. There are: ratio"):
        result.measure("bias")
    assert "preferred" in str(result.headline())
    assert "<table>" in result._repr_html_()
    assert result.plot()._repr_svg_().startswith("<svg")
    assert result.plot(next(reversed(result.figures))).title
    assert result.table("latex").startswith("%") or "\\toprule" in result.table("latex")
    page = result.save_report(tmp_path / "page.html", width="column")
    assert "<svg" in page.read_text(encoding="utf-8")
    drawn = list((tmp_path / "page_figures").iterdir())
    assert {path.suffix for path in drawn} == {".csv", ".pdf", ".svg", ".png"}
    assert {path.stem for path in drawn} == set(result.figures)
    with pytest.raises(ex.UserError, match=r"no figure 'x'. There are: headline"):
        result.plot("x")
    with pytest.raises(ex.UserError, match=r"holds no table 'y'. There are: comparisons, estimates, flips"):
        result.read("y")


@pytest.mark.slow
def test_a_temporary_run_goes_unless_it_is_kept(folder: Path, pairs: pl.DataFrame, tmp_path: Path) -> None:
    found = ex.probe_pairs(pairs, f"hf/{folder}", rules="sum", limit=3, progress=False)
    place = found.folder
    kept = found.keep(tmp_path / "kept")
    assert_frame_equal(kept.estimates, found.estimates)
    with pytest.raises(ex.UserError, match="exists already"):
        found.keep(tmp_path / "kept")
    del found
    gc.collect()
    assert not place.exists()
    assert kept.records.height == 3
    with pytest.raises(ex.UserError, match="is not a run folder"):
        ex.read_run(tmp_path)


@pytest.mark.slow
def test_weights_in_memory_score_as_those_on_disk(
    folder: Path, pairs: pl.DataFrame, result: ex.Result
) -> None:
    network = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    bare = pairs.drop("language")  # as of a file, one language asked for is that of a frame without any
    held = ex.probe_pairs(bare, (network, tokenizer), rules="sum", languages=["en"], progress=False)
    other = ex.probe_pairs(pairs, ex.live_model("mine", network, tokenizer), rules="sum", progress=False)
    for found in (held, other):
        gaps = (found.records["score_more"] - result.records["score_more"]).abs()
        assert gaps.max() < 1e-4
    assert held.facts["models"][0]["name"] == "live/gpt"
    assert other.facts["models"][0]["name"] == "live/mine"
    with pytest.raises(ex.UserError, match="Two models have the name 'mine'"):
        ex.live_model("mine", lambda messages: "A")
    with pytest.raises(ex.UserError, match="without its tokenizer"):
        ex.live_model("alone", network)
    with pytest.raises(ex.UserError, match="not known here"):
        ex.probe_pairs(pairs, "live/forgotten", progress=False)


def second(messages: list[dict[str, str]], temperature: float) -> str:
    """A chat function: always the second option."""
    assert messages[-1]["role"] == "user"
    assert temperature == 0.5
    return "(B)"


@pytest.mark.slow
def test_a_function_is_a_chat_model(tmp_path: Path) -> None:
    data = qa_questions.write(tmp_path / "questions.jsonl", qa_questions.questions(8))
    found = ex.probe_questions(data, second, temperature=0.5, progress=False)
    assert found.records["answer"].unique().to_list() == ["(B)"]
    assert found.records["model"].unique().to_list() == ["live/second"]
    assert found.records["choice"].is_not_null().all()

    async def slowly(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(0)
        return "(A)"

    again = ex.probe_questions(ex.load_questions(data), [slowly], progress=False)
    assert again.records["answer"].unique().to_list() == ["(A)"]


def test_a_function_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(
        tempfile, "tempdir", str(tmp_path / "own")
    )  # other tests make temporary runs meanwhile
    data = qa_questions.write(tmp_path / "questions.jsonl", qa_questions.questions(4))

    def broken(messages: Any) -> str:
        raise ValueError("no credit")

    def number(messages: Any) -> Any:
        return 3

    before = set(Path(tempfile.gettempdir()).glob("endoxa-*"))
    with pytest.raises(ex.UserError, match="raised ValueError: no credit"):
        ex.probe_questions(data, broken, progress=False)
    with pytest.raises(ex.UserError, match="returned int; it must return the answer as text"):
        ex.probe_questions(data, number, progress=False)
    assert set(Path(tempfile.gettempdir()).glob("endoxa-*")) == before  # nothing is left behind


@pytest.mark.slow
def test_runs_begin_inside_a_running_loop_too(tmp_path: Path) -> None:
    """Notebooks have one."""
    data = qa_questions.write(tmp_path / "questions.jsonl", qa_questions.questions(4))

    async def cell() -> ex.Result:
        return ex.probe_questions(data, "sim/biased", progress=False)

    assert len(asyncio.run(cell()).records) == 4


@pytest.mark.slow
def test_a_function_is_an_encoder() -> None:
    sets = {
        name: {"category": name, "examples": [f"{name} {k}" for k in range(4)]}
        for name in ("targ1", "targ2", "attr1", "attr2")
    }

    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[len(text), text.count("1"), ord(text[0]) % 7 + 1] for text in texts], dtype=float)

    found = ex.probe_embeddings(ex.load_tests(sets), encode, progress=False)
    assert found.estimates["pooling"].to_list() == ["function"]
    with pytest.raises(ex.UserError, match=r"array of shape \(1, 2\) for 16 texts"):
        ex.probe_embeddings(ex.load_tests(sets), lambda texts: np.ones((1, 2)), progress=False)


@pytest.mark.slow
def test_own_records_are_analyzed(result: ex.Result) -> None:
    records = result.records
    assert_frame_equal(ex.analyze("pairs", records).estimates, result.estimates, check_dtypes=False)
    with pytest.raises(ex.UserError, match="Expected one of: pairs, qa"):
        ex.analyze("poems", records)
