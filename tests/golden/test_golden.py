"""Whatever a user reads of fixed small inputs stays as it is: numbers, tables, pages, terminal.

Cases are in `cases.toml`, inputs in `inputs/`, and what was read before in `expected/`, a folder for each case. Sets of
texts have another order in each process: what rests on it differs from `expected/` here and there (`flagged` holds
pairs that several checks flag equally often).
`python -m pytest tests/golden --update-golden` rewrites it: the diff of the commit then shows readers' differences.
"""

from __future__ import annotations

import shutil
import string
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from support import tiny
from support.golden import Runner, compare, read_cases

HOME = Path(__file__).parent
CASES = read_cases(HOME / "cases.toml")


def letters(folder):
    """A tiny BERT that reads letters: trained vocabularies come out in another order in each process."""
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    signs = [f"{before}{sign}" for before in ("", "##") for sign in f"{string.ascii_lowercase}.,'"]
    words = {word: place for place, word in enumerate([*special.values(), *signs])}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(2)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    network = BertModel(BertConfig(vocab_size=len(words), max_position_embeddings=128, **size))
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    shutil.copytree(HOME / "inputs", folder / "inputs")
    tiny.causal(folder / "models" / "first")
    tiny.causal(folder / "models" / "second", n_layer=1)
    letters(folder / "models" / "letters")
    return Runner(folder, CASES)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.slow else [])
        for case in CASES.values()
    ],
)
def test_case(case, runner, request):
    texts = runner.texts(case.name)
    expected = HOME / "expected" / case.name
    if request.config.getoption("--update-golden", default=False):
        shutil.rmtree(expected, ignore_errors=True)
        for name, text in texts.items():
            path = expected / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    differences = list(compare(expected, texts, case.network))
    assert not differences, "\n".join(differences)


def test_no_case_is_left_over():
    """A folder without its case would look like a promise that nobody keeps."""
    assert {path.name for path in (HOME / "expected").iterdir()} == CASES.keys()
