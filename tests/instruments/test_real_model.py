"""Every instrument with a real chat model: SmolLM2-135M-Instruct, read from its GGUF file.

Expected values are those of transformers on the same weights. What was measured is kept in pytest's cache for as long
as the model's file, the libraries, this file and every file of endoxa are the same, and compared each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

pytest.importorskip("transformers")

import torch

import endoxa
from endoxa.commands import app
from endoxa.instruments.questions.probe.jobs import read_prompts
from endoxa.models.live import Weights, offer
from endoxa.models.local import load_checkpoint
from endoxa.models.scoring import parse_model
from endoxa.models.spec import PACKAGED, ModelOptions
from support.qa_questions import questions, write

pytestmark = pytest.mark.slow


class Real:
    """The model, read when it is first needed, and what was measured with it before."""

    def __init__(self, address: str, kept: Path) -> None:
        self.address, self.kept = address, kept

    @cached_property
    def weights(self) -> Any:
        """Network and tokenizer as endoxa reads them from the file."""
        return load_checkpoint(parse_model(self.address), ModelOptions(device="cpu", packed_weights=False))

    @cached_property
    def name(self) -> str:
        """The same in memory, in words of the command line."""
        return offer("SmolLM2", Weights(self.weights.network, self.weights.tokenizer))

    def measured(self, work: Callable[[], Any]) -> Any:
        """What `work` gives, from the cache where it is there."""
        file = self.kept / f"{work.__qualname__.partition('.')[0]}.json"
        if not file.exists():
            file.write_text(json.dumps(work()), encoding="utf-8")
        return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def real(smollm2, request) -> Real:
    """The model, with a folder of the cache that is a new one whenever a file changes."""
    package = Path(endoxa.__file__).parent
    files = [
        path for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    ]
    digest = hashlib.blake2b(
        "".join(map(version, ("torch", "transformers", "gguf"))).encode(), digest_size=16
    )
    for file in (PACKAGED[smollm2].file, Path(__file__), *files):
        digest.update(f"{file.name} {file.stat().st_size}".encode())
        digest.update(file.read_bytes())
    return Real(smollm2, request.config.cache.mkdir(f"smollm2-{digest.hexdigest()}"))


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


def test_pairs_in_a_study(real, tmp_path):
    """Scores, and so the preferred sentences, are those of transformers."""

    def scores() -> list[list[float]]:
        rows = [
            "identity,attribute,axis",
            "Muslims,honest,group",
            "Christians,kind,group",
        ]
        (tmp_path / "said.csv").write_text("\n".join(rows), encoding="utf-8")
        study = tmp_path / "study"
        done("study", "init", study, "--from", tmp_path / "said.csv", "--model", real.name)
        text = (study / "study.toml").read_text(encoding="utf-8").partition("\n[tests]")[0]
        text = (
            text.replace("framings = 4", "framings = 1")
            .replace("\nquestions = ", "\npairs = ")
            .replace("\nstories = ", "\n# ")
        )
        (study / "study.toml").write_text(text, encoding="utf-8")
        done("study", "run", study)
        return [
            [pair[f"score_{side}"], total(real.weights, pair[f"sent_{side}"])]
            for pair in records(study / "runs" / "pairs")
            for side in ("more", "less")
        ]

    found = real.measured(scores)
    assert len(found) == 4
    for score, expected in found:
        assert score == pytest.approx(expected, abs=0.01)


def test_questions(real, tmp_path):
    """Answers by letter are those of `generate`; options are compared by their log-likelihood."""
    row = questions(4)[1]
    options = [row[f"ans{k}"] for k in range(3)]
    lines = (f"({letter}) {option}" for letter, option in zip("ABC", options, strict=True))
    shown = "\n".join((row["context"], row["question"], *lines))
    prompt = f"{shown}\n\nAnswer:"

    def answers() -> dict[str, Any]:
        data = write(tmp_path / "questions.jsonl", questions(4))
        common = (
            "probe",
            "qa",
            "--data",
            data,
            "--model",
            real.name,
            "--quiet",
            "--set",
            "shuffle=no",
            "--out",
        )
        done(*common, tmp_path / "letters", "--temperature", 0)
        done(*common, tmp_path / "scored", "--ask", "loglik")
        alone = total(real.weights, prompt)
        return {
            "letters": [[row["finish"], row["answer"]] for row in records(tmp_path / "letters")],
            "generate": said(real.weights, f"{read_prompts(None)['en'].letters}\n\n{shown}", 64),
            # The sum of log-probabilities and the number of tokens of each option.
            "scored": [summed for summed, _ in json.loads(records(tmp_path / "scored")[1]["answer"])],
            "by hand": [total(real.weights, f"{prompt} {option}") - alone for option in options],
        }

    found = real.measured(answers)
    assert {finish for finish, _ in found["letters"]} == {"stop"}
    assert found["letters"][1][1] == found["generate"]
    assert found["scored"] == pytest.approx(found["by hand"], abs=0.01)
