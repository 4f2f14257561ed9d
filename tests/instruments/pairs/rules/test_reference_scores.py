"""Scores equal those of independent implementations (shared reference scores) within 1e-4 nats.

Every rule, ours and those of installed packages, passes the battery, which notices rules that do not.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.rules import DEFAULT_RULES, RULES
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.schema import ARCHITECTURES, Pair
from endoxa.testing.plugins import check_rule
from support.tiny import PAIRS

TOLERANCE = 1e-4


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def opened(shared, *names, packed=True):
    options = ModelOptions(packed_weights=packed)
    return {name: open_model(parse_model(f"hf/{shared}/data/models/{name}"), options) for name in names}


@pytest.fixture(scope="module", params=[True, False], ids=["packed", "plain"])
def published(request, shared):
    return opened(shared, "tiny-bert", "tiny-gpt2", "tiny-t5", packed=request.param)


@pytest.fixture(scope="module")
def bert(shared):
    return opened(shared, "tiny-bert")["tiny-bert"]


def scored(rule_name, model, pairs):
    """(value, value, Score, Score) per pair."""
    rule = RULES.get(rule_name)
    requests = [request for both in rule.requests(pairs, model) for request in both]
    found = dict(model.score(requests))
    return [
        (rule.value(found[2 * k]), rule.value(found[2 * k + 1]), found[2 * k], found[2 * k + 1])
        for k in range(len(pairs))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "file"), [("crows-token", "cased"), ("crows-token-lower", "lower")])
def test_crows_token_equals_the_published_script(shared, published, rule, file):
    rows = table(shared / "data/crows_pairs/crows_pairs_anonymized.csv")
    expected = table(shared / f"data/reference_scores/crows_token_{file}_first20.csv")
    pairs = [Pair(r["sent_more"], r["sent_less"], r["stereo_antistereo"]) for r in rows[: len(expected)]]
    for (more, less, *_), row in zip(scored(rule, published["tiny-bert"], pairs), expected, strict=True):
        assert more == pytest.approx(float(row["sent_more_score_raw"]), abs=TOLERANCE)
        assert less == pytest.approx(float(row["sent_less_score_raw"]), abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "hi"])
@pytest.mark.parametrize("words", ["ws", "pretok"])
@pytest.mark.parametrize("mask", ["whole", "tok"])
def test_word_level_rules_equal_an_independent_implementation(shared, bert, language, words, mask):
    columns = {
        "en": ("modified_eng_sent_more", "modified_eng_sent_less"),
        "hi": ("sent_more_hindi", "sent_less_hindi"),
    }[language]
    rows = table(shared / "data/indibias/IndiBias_v1_sample.csv")
    expected = table(shared / f"data/reference_scores/indibias_{language}_word_level_first20.csv")
    pairs = [Pair(*(r[c] for c in columns), r["stereo_antistereo"]) for r in rows[: len(expected)]]
    found = scored(f"crows-word-{words}-{mask}", bert, pairs)
    for (more, less, total_more, total_less), row in zip(found, expected, strict=True):
        count = int(row[f"{words}_n_u_tokens"])
        assert (total_more.n_tokens, total_less.n_tokens) == (count, count)
        assert total_more.total == pytest.approx(float(row[f"{words}_{mask}_more_sum"]), abs=TOLERANCE)
        assert total_less.total == pytest.approx(float(row[f"{words}_{mask}_less_sum"]), abs=TOLERANCE)
        assert more == pytest.approx(float(row[f"{words}_{mask}_more_sum"]) / count, abs=TOLERANCE)
        assert less == pytest.approx(float(row[f"{words}_{mask}_less_sum"]) / count, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "hi", "afri"])
@pytest.mark.parametrize(
    ("model", "rule", "column", "count"),
    [
        ("tiny-bert", "pll", "bert_pll_sum", "bert_n_tokens"),
        ("tiny-bert", "pll-mean", "bert_pll_mean", "bert_n_tokens"),
        ("tiny-gpt2", "sum", "gpt2_nobos_sum", "gpt2_nobos_n_scored"),
        ("tiny-gpt2", "mean", "gpt2_nobos_mean", "gpt2_nobos_n_scored"),
        ("tiny-gpt2", "afristereo", "gpt2_nobos_afristereo", "gpt2_nobos_n_scored"),
        ("tiny-gpt2", "sum-bos", "gpt2_bos_sum", "gpt2_bos_n_scored"),
        ("tiny-gpt2", "mean-bos", "gpt2_bos_mean", "gpt2_bos_n_scored"),
        ("tiny-t5", "completion", "t5_prompt_sum", "t5_n_labels"),
        ("tiny-t5", "completion-mean", "t5_prompt_mean", "t5_n_labels"),
        ("tiny-t5", "completion", "t5_emptyprompt_sum", "t5_n_labels"),
    ],
)
def test_sentence_scores_equal_an_independent_implementation(
    shared, published, language, model, rule, column, count
):
    expected = table(shared / f"data/reference_scores/lm_scores_{language}_first20.csv")
    text = "completion" if model == "tiny-t5" else "text"
    asked = [Pair(r[text], r[text], prompt="" if "empty" in column else r["prompt"]) for r in expected]
    for (more, less, score, _), row in zip(scored(rule, published[model], asked), expected, strict=True):
        assert more == less
        assert score.n_tokens == int(row[count])
        assert more == pytest.approx(float(row[column]), abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES.all())
def test_rule_keeps_its_promises(name, tiny_models):
    rule = RULES.get(name)
    check_rule(rule, tiny_models[rule.architecture], PAIRS)


SUM = RULES.get("sum")


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"value": lambda score: score.total}, "nothing scored"),
        (
            {"requests": lambda pairs, model: [SUM.requests(pairs, model)[0]] * len(pairs)},
            "order of the rows",
        ),
    ],
)
def test_the_battery_notices_a_broken_rule(broken, complaint, tiny_models):
    with pytest.raises(AssertionError, match=complaint):
        check_rule(replace(SUM, **broken), tiny_models["causal"], PAIRS)


def test_every_architecture_has_a_usual_rule_and_unknown_names_name_the_nearest():
    assert set(DEFAULT_RULES) == set(ARCHITECTURES)
    assert all(RULES.get(name).architecture == kind for kind, name in DEFAULT_RULES.items())
    with pytest.raises(UserError, match="crows-token"):
        RULES.get("crows-tokens")


def test_crows_word_is_white_space_and_whole_words(bert):
    pairs = [Pair("The old baker bakes bread.", "The young baker bakes bread.")]
    assert scored("crows-word", bert, pairs) == scored("crows-word-ws-whole", bert, pairs)
