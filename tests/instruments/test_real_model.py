"""Every instrument with a real chat model: SmolLM2-135M-Instruct, read from its GGUF file.

Expected values are those of transformers on the same weights. The file is read once, which takes seconds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

pytest.importorskip("transformers")

import torch

from endoxa.commands import app
from endoxa.instruments.questions.probe.jobs import read_prompts
from endoxa.models.live import Weights, offer
from endoxa.models.local import load_checkpoint
from endoxa.models.scoring import parse_model
from endoxa.models.spec import ModelOptions
from support.qa_questions import questions, write

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def weights(smollm2) -> Any:
    """Network and tokenizer as endoxa reads them from the file."""
    return load_checkpoint(parse_model(smollm2), ModelOptions(device="cpu", packed_weights=False))


@pytest.fixture(scope="module")
def model(weights) -> str:
    """The same in memory, in words of the command line."""
    return offer("SmolLM2", Weights(weights.network, weights.tokenizer))


def done(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def records(folder: Path) -> list[dict[str, Any]]:
    return pl.read_parquet(folder / "records.parquet").to_dicts()


def total(weights: Any, text: str) -> float:
    """Sum of the log-probabilities of a text's tokens after the first, by the loss of transformers."""
    ids = weights.tokenizer(text, return_tensors="pt").input_ids
    with torch.inference_mode():
        return -float(weights.network(input_ids=ids, labels=ids).loss) * (ids.shape[1] - 1)


def said(weights: Any, question: str, most: int) -> str:
    """The likeliest answer, by `generate` of transformers."""
    ids = weights.tokenizer.apply_chat_template(
        [{"role": "user", "content": question}],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    out = weights.network.generate(**ids, do_sample=False, max_new_tokens=most)[
        0, ids["input_ids"].shape[1] :
    ]
    return weights.tokenizer.decode(out, skip_special_tokens=True)


def test_pairs_in_a_study(model, weights, tmp_path):
    """Scores, and so the preferred sentences, are those of transformers."""
    rows = [
        "identity,attribute,axis",
        "Muslims,honest,group",
        "Christians,kind,group",
    ]
    (tmp_path / "said.csv").write_text("\n".join(rows), encoding="utf-8")
    study = tmp_path / "study"
    done("study", "init", study, "--from", tmp_path / "said.csv", "--model", model)
    text = (study / "study.toml").read_text(encoding="utf-8").partition("\n[tests]")[0]
    text = (
        text.replace("framings = 4", "framings = 1")
        .replace("\nquestions = ", "\npairs = ")
        .replace("\nstories = ", "\n# ")
    )
    (study / "study.toml").write_text(text, encoding="utf-8")
    done("study", "run", study)
    pairs = records(study / "runs" / "pairs")
    assert len(pairs) == 2
    for pair in pairs:
        expected = [total(weights, pair[f"sent_{side}"]) for side in ("more", "less")]
        assert [pair["score_more"], pair["score_less"]] == pytest.approx(expected, abs=0.01)


def test_questions(model, weights, tmp_path):
    """Answers by letter are those of `generate`; options are compared by their log-likelihood."""
    data = write(tmp_path / "questions.jsonl", questions(4))
    common = ("probe", "qa", "--data", data, "--model", model, "--quiet", "--no-shuffle", "--out")
    done(*common, tmp_path / "letters", "--temperature", 0)
    done(*common, tmp_path / "scored", "--ask", "loglik")
    letters, scored = records(tmp_path / "letters"), records(tmp_path / "scored")
    assert {row["finish"] for row in letters} == {"stop"}
    row = questions(4)[1]
    options = [row[f"ans{k}"] for k in range(3)]
    lines = (f"({letter}) {option}" for letter, option in zip("ABC", options, strict=True))
    shown = "\n".join((row["context"], row["question"], *lines))
    assert letters[1]["answer"] == said(weights, f"{read_prompts(None)['en'].letters}\n\n{shown}", 64)
    prompt = f"{shown}\n\nAnswer:"
    expected = [total(weights, f"{prompt} {option}") - total(weights, prompt) for option in options]
    assert json.loads(scored[1]["answer"]) == pytest.approx(expected, abs=0.01)


def test_stories_that_the_model_reads_itself(model, tmp_path):
    """From prompts to associations; the model cannot write the profile as asked, which is counted and stops nothing."""
    prompts, stories, profiles = tmp_path / "prompts.jsonl", tmp_path / "stories", tmp_path / "profiles"
    done("build", "stories", "--attribute", "religion", "--limit", 2, "-o", prompts)
    done("probe", "stories", "--data", prompts, "--model", model, "--max-tokens", 24, "--out", stories)
    shown = done(
        "probe", "extract", "--data", stories, "--model", model, "--max-tokens", 16, "--out", profiles
    )
    assert "2 asked, 2 answered" in shown
    done("analyze", "associations", profiles, "-o", tmp_path / "associations.csv")
    assert (tmp_path / "associations.csv").is_file()
    assert all(row["finish"] == "length" for row in records(stories))
