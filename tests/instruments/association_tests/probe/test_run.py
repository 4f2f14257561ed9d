"""Runs of `endoxa probe embeddings`: what they leave, that they can be stopped anywhere, and what they refuse."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import read_tests, write_tests
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.models.encoders.static import read_vectors
from endoxa.runs.run import measure, run
from endoxa.schema import AssociationTest, TermSet

pytestmark = pytest.mark.slow


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


def settings_for(tmp_path, *models, tests=TESTS, **more):
    write_tests(tests, tmp_path / "tests.json")
    return EmbeddingsSettings(data=str(tmp_path / "tests.json"), models=models, **more)


def listed(out):
    """The files of vectors that `run.json` names, read."""
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return {(one["model"], one["pooling"]): read_vectors(out / one["file"]) for one in facts["vectors"]}


def test_run_folder_holds_each_distinct_text_once_per_model_and_pooling(tiny, tmp_path):
    models = (f"hf/{tiny['masked']}", f"hf/{tiny['causal']}")
    asked = settings_for(tmp_path, *models, poolings=("mean", "last"))
    summary = measure(EMBEDDINGS, asked, tmp_path / "run", command=["endoxa", "probe"])
    counts = [summary.counts[name] for name in ("tests", "texts", "sentences", "vectors")]
    assert counts == [3, 15, 36, 4]
    found = listed(tmp_path / "run")
    assert set(found) == {(model, pooling) for model in models for pooling in ("mean", "last")}
    for vectors in found.values():
        assert list(vectors) == list(dict.fromkeys(TEXTS))
    assert read_tests(tmp_path / "run" / "tests.json") == TESTS
    assert summary.facts["kind"] == "embeddings"
    assert summary.facts["finished"]
    first = summary.facts["models"][0]
    assert first["fingerprint"]
    assert first["layer"] == 2
    assert set(first["unknown_tokens"]) == {"en", "es"}
    assert not list((tmp_path / "run").glob("journal*"))


def test_vectors_are_those_of_each_text_encoded_alone(tiny, tmp_path):
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = f"hf/{tiny['masked']}"
    measure(EMBEDDINGS, settings_for(tmp_path, model, poolings=("cls", "mean")), tmp_path / "run")
    network = AutoModel.from_pretrained(tiny["masked"]).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny["masked"])
    found = listed(tmp_path / "run")
    for text in set(TEXTS):
        with torch.no_grad():
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            hidden = network(input_ids=ids).last_hidden_state[0].numpy()
        np.testing.assert_allclose(found[model, "cls"][text], hidden[0], atol=1e-5)
        np.testing.assert_allclose(found[model, "mean"][text], hidden.mean(0), atol=1e-5)


def test_what_a_later_encoder_cannot_read_stops_the_run_before_the_first_encodes(tmp_path, tiny, monkeypatch):
    """GPT-2 of 64 positions says so before T5, which reads any length, is loaded."""
    long = one_test("long", [*BAKERS, "patient " * 90], DRIVERS, QUICK, SLOW)
    models = (f"hf/{tiny['encoder-decoder']}", f"hf/{tiny['causal']}")
    asked = settings_for(tmp_path, *models, tests=[long], poolings=("mean",))
    monkeypatch.setattr("endoxa.instruments.association_tests.probe.open_encoders", None)
    with pytest.raises(UserError, match=r"has \d+ tokens and .*causal' reads at most 64"):
        measure(EMBEDDINGS, asked, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def planted(path, strength, rng):
    """Word vectors in which 'x...' words lean to 'a...' words by `strength`, and 'y...' words to 'b...' words."""
    direction = np.eye(12)[0]
    rows = {}
    for letter, lean in (("x", strength), ("y", -strength), ("a", 3), ("b", -3)):
        for k in range(8):
            rows[f"{letter}{k}"] = rng.normal(size=12) + lean * direction
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in rows.items()]
    path.write_text("\n".join([f"{len(rows)} 12", *lines]) + "\n", encoding="utf-8")
    return f"static/{path}"


def test_planted_association_is_found_and_its_absence_too(tmp_path, monkeypatch):
    monkeypatch.setattr("endoxa.instruments.reports.write_report", lambda *_, **__: None)
    rng = np.random.default_rng(4)
    models = [planted(tmp_path / f"{name}.txt", size, rng) for name, size in (("strong", 2), ("none", 0))]
    words = [[f"{letter}{k}" for k in range(8)] for letter in "xyab"]
    run(EMBEDDINGS, settings_for(tmp_path, *models, tests=[one_test("planted", *words)]), tmp_path / "run")
    strong, none = pl.read_csv(tmp_path / "run" / "estimates.csv").iter_rows(named=True)
    assert strong["pooling"] == "words"
    assert strong["value"] > 1.5
    assert strong["p_value"] < 0.001
    assert none["p_value"] > 0.01
    facts = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert facts["reported"] == {"confidence": 0.95, "seed": 0, "draws": 100_000}
