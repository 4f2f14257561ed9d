"""Inferences labelled by an NLI model and options scored by a language model, from items to estimates."""

import json
import math
from pathlib import Path

import polars as pl
import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from endoxa.instruments.choices.instrument import CHOICES
from endoxa.instruments.choices.items.build import build_choices
from endoxa.instruments.choices.items.read import write_items
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.choices.probe.settings import ChoiceSettings
from endoxa.instruments.choices.probe.work import _scored_cells, _scored_words
from endoxa.instruments.choices.report.page import _other_rule
from endoxa.runs.asking.likelihoods import OTHER_RULE
from endoxa.runs.run import run
from endoxa.schema.choices import Word
from instruments.choices.test_answers import item
from support.tiny import SMALL, causal, masked

LABELS = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}


def probed(folder: Path, kind: str, model: Path, ask: str) -> Path:
    """The run folder of a few items."""
    rows = [("Igbo people", "good at trade", "ethnicity"), ("Hausa people", "quiet", "ethnicity")]
    table = pl.DataFrame(rows, schema=["identity", "attribute", "axis"], orient="row")
    table = table.with_columns(language=pl.lit("en"))
    items = build_choices(table, ChoiceOptions(kind=kind, per_association=2)).items
    write_items(items, folder / "items.jsonl")
    settings = ChoiceSettings(data=str(folder / "items.jsonl"), models=(f"hf/{model}",), ask=ask)
    run(CHOICES, settings, folder / "run")
    return folder / "run"


@pytest.mark.slow
def test_labels_of_an_nli_model_become_estimates(tmp_path: Path):
    """A head that gives every pair the same three logits, so that every probability is known."""
    folder = masked(tmp_path / "nli", max_position_embeddings=512)
    vocabulary = len(AutoTokenizer.from_pretrained(folder))
    sizes = {"num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}
    network = BertForSequenceClassification(
        BertConfig(**{**SMALL, **sizes, "vocab_size": vocabulary}, id2label=LABELS, num_labels=3)
    )
    chances = torch.tensor([0.1, 0.2, 0.7])
    with torch.no_grad():
        network.classifier.weight.zero_()
        network.classifier.bias.copy_(chances.log())
    network.save_pretrained(folder)
    out = probed(tmp_path, "inference", folder, "nli")
    records = pl.read_parquet(out / "records.parquet")
    for counterpart, agreeing, denying in ((False, "stereotype", "anti"), (True, "anti", "stereotype")):
        part = records.filter((pl.col("counterpart") != "") == counterpart)
        assert part["outcome"].unique().to_list() == ["anti-stereotype" if counterpart else "stereotype"]
        for name, chance in ((agreeing, 0.7), (denying, 0.1), ("undetermined", 0.2)):
            assert part[f"p_{name}"].to_list() == pytest.approx([chance] * part.height, abs=1e-5)
    estimates = pl.read_csv(out / "estimates.csv").filter(axis="all")
    values = dict(estimates.select("name", "value").iter_rows())
    assert (values["net_entailment"], values["agreement"]) == (0, 1)
    assert values["net_neutral"] == pytest.approx(0.2, abs=1e-5)
    assert values["net_probability"] == pytest.approx(0, abs=1e-5)


@pytest.mark.slow
def test_likelihoods_of_candidates_become_choices(tmp_path: Path):
    out = probed(tmp_path, "decision", causal(tmp_path / "lm", n_positions=512), "loglik")
    records = pl.read_parquet(out / "records.parquet")
    assert records.height > 0
    assert set(records["outcome"]) <= {"stereotype", "anti-stereotype"}
    assert (records["p_stereotype"] + records["p_anti"]).to_list() == pytest.approx([1.0] * records.height)
    assert ((records["p_stereotype"] > 0.5) == (records["outcome"] == "stereotype")).all()


@pytest.mark.slow
def test_likelihoods_sort_a_word_list_without_the_names_of_its_groups(tmp_path: Path):
    """Without --ask, local weights are scored; words of the two groups weigh as much, so both groups get words."""
    out = probed(tmp_path, "association", causal(tmp_path / "lm", n_positions=512), "auto")
    records = pl.read_parquet(out / "records.parquet")
    assert records["ask"].unique().to_list() == ["loglik"]
    assert (records["p_stereotype"] + records["p_anti"]).to_list() == pytest.approx([1.0] * records.height)
    # A list of one word each: both agree with the stereotype, or both are against it.
    by_answer = records.group_by("item_id", "order").agg(pl.len(), pl.col("score").sum().abs())
    assert set(by_answer["len"]) == set(by_answer["score"]) == {2}
    assert abs(pl.read_csv(out / "estimates.csv").filter(name="bias_d")["value"][0]) <= 1


def test_a_liking_for_one_name_moves_no_word():
    """Behind each word the second name is likelier by 5; of the difference that is left, the sign decides."""
    words = (Word("a", "1", 0), Word("b", "2", 0), Word("c", "3", 1))
    lean = [2.0, -3.0, -1.0]  # means of the groups -0.5 and -1, so 0.75 is added
    scores = [value for each in lean for value in (each - 10, -5)]
    found = _scored_words(json.dumps(scores), words)
    assert [found[name]["outcome"] for name in "abc"] == ["stereotype", "anti-stereotype", "stereotype"]
    assert found["c"]["p_stereotype"] == pytest.approx(1 / (1 + math.exp(-0.25)))


@pytest.mark.parametrize(
    ("kind", "scores", "outcome"),
    [
        ("decision", [-2.0, -2.0], "neither"),
        ("inference", [-2.0, -3.0, -2.0], "undetermined"),
        ("inference", [-2.0, -2.0, -1.0], "undetermined"),
        ("decision", [-2.0, -1.9], "anti-stereotype"),
    ],
)
def test_a_tie_of_options_is_counted_for_neither(kind, scores, outcome):
    assert _scored_cells(json.dumps(scores), item(kind, ()), "loglik")["outcome"] == outcome


def test_a_run_shows_what_the_other_rule_would_say():
    """The first option has the larger sum, the second one more for each of its tokens: -4 / 1 against -6 / 3."""
    answer = json.dumps([(-4.0, 1), (-6.0, 3)])
    chosen = {rule: _scored_cells(answer, item("decision", ()), rule)["outcome"] for rule in OTHER_RULE}
    assert chosen == {"loglik": "stereotype", "loglik-mean": "anti-stereotype"}
    cells = {"model": "m", "kind": "decision", "ask": "loglik", "answer": answer, "score": 1.0}
    records = pl.DataFrame([cells | {"counterpart": ""}, cells | {"counterpart": "late", "score": -1.0}] * 2)
    (line,) = _other_rule(records[:3])
    assert (
        "by the sum of their log-likelihood over tokens. By their log-likelihood per token, 3 of"
        in line.sentence
    )
    assert line.sentence.replace("\u2212", "-").endswith("the mean score -0.333, not +0.333.")


def test_a_tie_of_groups_is_counted_for_neither():
    words = (Word("a", "1", 0), Word("b", "2", 1))
    found = _scored_words(json.dumps([-1.1, -2.3, -1.1, -2.3]), words)
    assert [(cells["outcome"], cells["score"]) for cells in found.values()] == [("neither", 0.0)] * 2


@pytest.mark.parametrize(
    ("models", "given", "ask"),
    [
        (("hf/a", "hf/b"), {}, "loglik"),
        (("hf/a", "sim/fair"), {}, "letters"),
        (("openai/x",), {"ask": "auto"}, "letters"),
        (("hf/a",), {"ask": "text"}, "text"),
    ],
)
def test_local_weights_are_scored_unless_told_otherwise(models, given, ask):
    assert ChoiceSettings(data="items.jsonl", models=models, **given).ask == ask
